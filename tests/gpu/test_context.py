"""Contexts: which device they are on, what belongs to them, and what becomes of it."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import shutil
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unified_gpu
from tests import processes
from tests.gpu.places import ROOT, environment, has_gpu
from tests.gpu.python_kernels import saxpy
from tests.limits import HANGS
from unified_gpu import (
    BackendUnavailable,
    ClosedError,
    Context,
    DeviceNotFound,
    Gpu,
    GpuBackend,
    Kernel,
    MixedContextsError,
    Pipeline,
)
from unified_gpu import backends as table
from unified_gpu.backends import torch_build
from unified_gpu.runtime import lifetime


def test_what_it_is_on(ctx: Context, backend: str) -> None:
    free, total = ctx.memory_info()
    assert 0 < free <= total
    assert (ctx.backend_name, ctx.device_id, str(ctx.gpu)) == (backend, 0, f"{backend}:0")
    assert ctx.device_name == ctx.gpu.name != ""
    assert repr(ctx) == f"<Context {backend}:0>"


def test_ways_to_name_a_device(backend: str) -> None:
    gpu = Gpu(GpuBackend(backend), 0, "")
    for arguments in (
        (backend,),
        (backend, 0),
        (None, backend),
        (None, f"{backend}:0"),
        (backend, f"{backend}:0"),
        (None, gpu),
    ):
        with Context(*arguments) as ctx:
            assert (ctx.backend_name, ctx.device_id) == (backend, 0)


def test_devices_that_are_not_there(backend: str) -> None:
    with pytest.raises(DeviceNotFound, match=rf"backend {backend} has no device 99; it has device"):
        Context(backend, 99)
    with pytest.raises(DeviceNotFound, match="no device 99"):
        Context(device=f"{backend}:99")
    with pytest.raises(DeviceNotFound, match="no device -1"):
        Context(backend, -1)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("metal",), ValueError, "there is no backend 'metal'; there are cuda, torch, vulkan, cpu"),
        ((None, "gpu:0"), ValueError, "'gpu:0' names no device"),
        ((None, "cpu:x"), ValueError, "'cpu:x' names no device"),
        ((None, "cpu:-1"), ValueError, "names no device"),
        ((None, "cpu:²"), ValueError, "names no device"),
        ((None, 1.5), TypeError, "a device is a number, a name as cuda:1, or one that .* lists, not 1.5"),
        (("cuda:1",), ValueError, r"there is no backend 'cuda:1'; .*write Context\(device='cuda:1'\)"),
        (("cpu", "cuda:0"), ValueError, "device cuda:0 is not one of backend cpu; leave one of them out"),
    ],
)
def test_names_that_mean_nothing(arguments: tuple[Any, ...], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Context(*arguments)
    with pytest.raises(TypeError, match="is no dtype"):
        Context("cpu", dtype="f33")


def test_several_at_once(backend: str) -> None:
    with Context(backend) as one, Context(backend) as two:
        assert Context.current() is two
        a, b = one.alloc_upload([1.0]), two.alloc_upload([2.0])
        for mix in (lambda: a + b, lambda: unified_gpu.where(a.gt(0), a, b), lambda: unified_gpu.add(a, a, out=b)):
            with pytest.raises(MixedContextsError, match=r"<Context .*> and <Context|`out` is of") as told:
                mix()
            assert "two Contexts of one device" in str(told.value)
        with pytest.raises(MixedContextsError, match="a stream of"):
            a.download(stream=two.default_stream)
        with pytest.raises(MixedContextsError, match="a stream of"):
            two.alloc(1, stream=one.create_stream())
        with two.create_stream() as other:
            assert two.current_stream is other
            assert one.current_stream is one.default_stream
        two.close()
        assert a.item() == 1
        assert Context.current() is two
    with pytest.raises(ClosedError, match="no context is current here"):
        Context.current()


def test_two_devices_are_told_apart_by_their_names() -> None:
    apart, same = (MixedContextsError.between("<Context cpu:0>", f"<Context cpu:{i}>", "mixed") for i in (1, 0))
    assert str(apart) == "mixed"
    assert str(same).startswith("mixed; these are two Contexts of one device")


def test_two_contexts_of_one_device_are_told_apart_by_their_numbers(backend: str) -> None:
    with Context(backend) as one, Context(backend) as two:
        assert 0 < one.number < two.number
        told = rf"two Contexts of one device, {one.number} and {two.number} by ctx.number"
        with pytest.raises(MixedContextsError, match=told):
            unified_gpu.add(two.alloc(1), two.alloc(1), out=one.alloc(1))


def test_an_array_of_a_closed_context_says_so(backend: str) -> None:
    with Context(backend) as ctx:
        with Context(backend) as other:
            array, stream = other.alloc_zeros(1), other.create_stream()
        uses: list[Callable[[], object]] = [
            lambda: ctx.alloc_zeros(1) + array,
            lambda: ctx.alloc_zeros(1).download(stream=stream),
        ]
        if backend != "cuda":  # which may have no compiler
            uses.append(lambda: ctx.launch(saxpy, 1, [2.0, array, array]))
        for use in uses:
            with pytest.raises(ClosedError, match=r"<Context .*:0> was closed, and all that was made by it"):
                use()


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("asarray", "ctx.alloc_upload(data)"),
        ("array", "ctx.alloc_upload(data)"),
        ("synchronize", "ctx.sync()"),
    ],
)
def test_what_modules_of_arrays_have_is_hinted_at(cpu: Context, name: str, instead: str) -> None:
    with pytest.raises(AttributeError) as told:
        getattr(cpu, name)
    assert str(told.value) == f"a Context has no {name!r}; use {instead}"
    with pytest.raises(AttributeError, match=r"a Context has no 'nonsense'$"):
        cpu.nonsense  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(cpu, "asarray")


def test_the_current_context_is_the_threads_own(cpu: Context) -> None:
    seen: list[object] = []

    def look() -> None:
        try:
            seen.append(Context.current())
        except ClosedError as error:
            seen.append(str(error))
        with cpu.create_stream() as stream:
            seen.append(cpu.current_stream is stream)

    with cpu, cpu.create_stream() as stream:
        thread = threading.Thread(target=look)
        thread.start()
        thread.join(HANGS)
        assert cpu.current_stream is stream
    assert seen == ["no context is current here; use `with Context.default() as ctx:`", True]


def test_many_threads_on_one_context(ctx: Context) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            with ctx.create_stream():
                for i in range(40):
                    a = ctx.alloc_upload(np.full(1000 + i, number, "f4"), non_blocking=True)
                    assert (a + 1).sum().item() == (number + 1) * (1000 + i)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANGS)
    assert not failures


def test_closing_frees_the_memory_of_arrays_that_are_still_there(backend: str) -> None:
    ctx = Context(backend)
    arrays = [ctx.alloc(1 << 20, "u8") for _ in range(8)]
    memories = [array._allocation.memory for array in arrays]
    ctx.close()
    assert all(memory.closed for memory in memories)  # type: ignore[attr-defined]
    del arrays
    gc.collect()


def test_a_context_that_nobody_closed_finishes_its_copies(backend: str) -> None:
    ctx = Context(backend)
    array, stream, there = ctx.alloc(1_000_000).fill(3), ctx.create_stream(), ctx.alloc_pinned(1_000_000)
    stream.wait_stream(ctx.default_stream)
    data = there.numpy()
    array.download(data, stream=stream, non_blocking=True)
    watched = weakref.ref(ctx)
    del ctx, array, stream, there
    gc.collect()
    assert watched() is None
    assert (data == 3).all()


def test_work_that_is_queued_at_exit_finishes(backend: str) -> None:
    code = f"""
from unified_gpu import Context
ctx = Context({backend!r})
pinned = ctx.alloc_pinned(4_000_000)
for _ in range(8):
    array = ctx.alloc_upload(pinned, non_blocking=True)
    array.download(pinned, non_blocking=True)
"""
    done = processes.run([sys.executable, "-c", code])
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_after_a_fork_there_is_a_clear_error(backend: str) -> None:
    # From version 25 on, Mesa waits at the exit of a process for threads that the one before it had; so a child leaves
    # as those of `multiprocessing` do.
    leave = "os._exit(0)" if backend == "vulkan" else "sys.exit(0)"
    code = f"""
import os, sys
from unified_gpu import ClosedError, Context
ctx = Context({backend!r})
array, stream, pinned = ctx.alloc_upload([1.0, 2.0]), ctx.create_stream(), ctx.alloc_pinned(4)
event = stream.record()
child = os.fork()
if not child:
    uses = [array.download, lambda: array + 1, lambda: ctx.alloc(1), ctx.sync, stream.synchronize, event.query]
    for use in uses:
        try:
            use()
        except ClosedError as error:
            assert "was made before this process was forked; start processes by spawn" in str(error), error
        else:
            sys.exit(3)
    del array, stream, event, pinned
    ctx.close()
    {leave}
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
assert array.tolist() == [1, 2]
ctx.close()
"""
    done = processes.run([sys.executable, "-c", code])
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("closed", [False, True])
def test_a_forked_child_releases_no_kernels_of_its_parent(backend: str, closed: bool) -> None:
    """Operations of a device have kernels, which end with it; a child has no threads that their release waits for."""
    code = f"""
import ctypes, gc, os
from unified_gpu import Context
standin = os.environ.get("CUDA_FFI_LIBRARY") if {backend!r} == "cuda" else None
calls = (lambda: ctypes.CDLL(standin).standinCalls(b"*")) if standin else (lambda: 0)
ctx = Context({backend!r})
assert (ctx.alloc_upload([1.0, 2.0]) + 1).tolist() == [2, 3]
if {closed}:
    ctx.close()
left = [ctx]
left.append(left)
child = os.fork()
if not child:
    before = calls()
    del ctx, left
    gc.collect()
    os._exit(calls() != before)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
"""
    done = processes.run([sys.executable, "-c", code])
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("used", ["open", "closed", "never"])
def test_a_forked_child_opens_a_context_only_where_its_parent_has_used_none(backend: str, used: str) -> None:
    code = f"""
import os, sys
from unified_gpu import ClosedError, Context
used = {used!r}
if used != "never":
    ctx = Context({backend!r})
    if used == "closed":
        ctx.close()
child = os.fork()
if not child:
    for _ in range(2):
        try:
            with Context({backend!r}) as mine:
                found = mine.alloc_upload([1.0]).tolist()
        except ClosedError as error:
            assert "start processes by spawn, or open contexts only in the children" in str(error), error
            found = "refused"
        assert found == ([1.0] if used == "never" else "refused"), found
    os._exit(0)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
"""
    done = processes.run([sys.executable, "-c", code])
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("turn", range(3))
def test_closing_beside_threads_that_queue_leaves_nothing_running(backend: str, turn: int) -> None:
    """New work is refused, then what is queued is waited for: the last copy that was taken has arrived."""
    ctx = Context(backend)
    queued, wrong = [0] * 3, []
    arrived = [ctx.alloc_pinned(1) for _ in queued]
    busy = threading.Barrier(len(queued) + 1)

    def work(number: int) -> None:
        stream, array = ctx.create_stream(), ctx.alloc_zeros(1)
        large = ctx.alloc_zeros(300_000, stream=stream)
        stream.wait_stream(ctx.default_stream)
        try:
            while True:
                large.fill(1, stream=stream)
                unified_gpu.add(array, 1, out=array, stream=stream)
                array.download(arrived[number], stream=stream, non_blocking=True)
                queued[number] += 1
                if queued[number] == 20:
                    busy.wait(HANGS)
        except ClosedError as error:
            if "was closed" not in str(error):
                wrong.append(error)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(queued))]
    for thread in threads:
        thread.start()
    busy.wait(HANGS)
    ctx.close()
    assert [pinned[0] for pinned in arrived] == queued
    for thread in threads:
        thread.join(HANGS)
    assert [pinned[0] for pinned in arrived] == queued
    assert not wrong


def test_closing_waits_only_for_threads_that_are_in_a_call(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread that uses the handle of a stream has a reference to it; one that does something else has none."""
    leave = threading.Event()
    idle = threading.Thread(target=leave.wait, args=(HANGS,))
    idle.start()
    waits: list[float] = []
    try:
        for in_a_call in (False, True):
            ctx = Context(backend)
            stream, array = ctx.create_stream(), ctx.alloc_zeros(4)
            array.copy(stream=stream).fill(1, stream=stream)
            stream.record()
            used = [stream.handle] if in_a_call else []
            waits.clear()

            def wait(seconds: float, used: list[object] = used) -> None:
                waits.append(seconds)
                if len(waits) == 3:
                    used.clear()

            monkeypatch.setattr(lifetime, "sleep", wait)
            ctx.close()
            assert len(waits) == (3 if in_a_call else 0)
    finally:
        leave.set()
        idle.join(HANGS)


def test_closing_does_not_wait_for_what_only_a_traceback_refers_to(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The frames of calls that failed refer to handles for as long as the exception is kept."""

    def fail(handle: object) -> None:
        also = handle
        raise RuntimeError(f"refers to {also} twice")

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if in_a_call and len(waits) == 3:
            used.clear()

    waits: list[float] = []
    monkeypatch.setattr(lifetime, "sleep", wait)
    monkeypatch.setattr(lifetime, "_CALLS_LAST", 0.0)
    monkeypatch.setattr(lifetime, "_count", lambda: 1)
    for in_a_call in (False, True):
        ctx = Context(backend)
        stream = ctx.create_stream()
        stream.record()
        used = [stream.handle] if in_a_call else []
        waits.clear()
        with pytest.raises(RuntimeError) as kept:
            fail(stream.handle)
        assert "also" in kept.traceback[-1].frame.f_locals  # as debuggers look, and then there are more references
        ctx.close()
        assert len(waits) == (3 if in_a_call else 1)
        del kept


def test_closing_in_two_threads_and_again(backend: str) -> None:
    ctx = Context(backend)
    arrays = [ctx.alloc(1_000_000).fill(1) for _ in range(20)]
    threads = [threading.Thread(target=ctx.close) for _ in range(3)]
    for thread in threads:
        thread.start()
    ctx.close()
    assert ctx._released
    for thread in threads:
        thread.join(HANGS)
    ctx.close()
    for use in (ctx.create_stream, ctx.create_event, lambda: ctx.alloc(1), lambda: arrays[0] + 1, ctx.sync):
        with pytest.raises(ClosedError, match="was closed"):
            use()


def test_nothing_of_a_device_is_copied_or_pickled(ctx: Context) -> None:
    array = ctx.alloc_upload([1.0])
    with Pipeline(ctx) as pipe:
        made: list[object] = [
            ctx, ctx.default_stream, ctx.default_stream.record(), array, ctx.alloc_pinned(1), pipe
        ]  # fmt: skip
        for each in made:
            for use in (copy.copy, copy.deepcopy, pickle.dumps):
                with pytest.raises(
                    TypeError, match=f"a {type(each).__name__} cannot be pickled, nor copied by `copy`: "
                ):
                    use(each)
    kernel = Kernel.from_source('extern "C" __global__ void nothing() {}', "nothing")
    assert pickle.loads(pickle.dumps(kernel)) is kernel
    assert array.item() == 1


def test_default_is_what_is_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("DL_CONFIG", "DL_DEVICE", "DL_DTYPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DL_BACKEND", "cpu")
    with Context.default() as ctx:
        assert ctx.backend_name == "cpu"
    monkeypatch.delenv("DL_BACKEND")
    (tmp_path / "dl.config.sdn").write_text("dl:\n  backend: cpu\n  dtype: f64\n")
    with Context.default() as ctx:
        assert (ctx.backend_name, ctx.dtype.name) == ("cpu", "f64")


def test_the_table_of_backends() -> None:
    found = unified_gpu.detect_backends()
    assert "cpu" in found
    assert unified_gpu.preferred_backend() == found[0]
    reports = {report.backend: report for report in unified_gpu.diagnose()}
    assert list(reports) == list(GpuBackend) == ["cuda", "torch", "vulkan", "cpu"]
    assert {name for name, report in reports.items() if report.available} == set(found)
    assert all(report.reason or (report.devices and report.versions) for report in reports.values())
    assert not reports[GpuBackend.VULKAN].available or found.index("vulkan") > found.index("cpu")


class _Fake:
    def __init__(self, name: str, accelerator: bool, devices: int = 1) -> None:
        self.name, self.accelerator, self._devices = name, accelerator, devices

    def device_count(self) -> int:
        return self._devices


def test_accelerators_come_first_and_the_cpu_before_torch_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    there: dict[str, object] = {
        "cuda": "no driver",
        "torch": _Fake("torch", False),
        "vulkan": _Fake("vulkan", True),
        "cpu": _Fake("cpu", False),
    }
    monkeypatch.setattr(table, "_load", lambda name: there[name])
    monkeypatch.setattr(table.torch_build, "finds_no_gpu", lambda: False)
    assert unified_gpu.detect_backends() == ["cpu", "torch", "vulkan"]  # the last is only for those who ask for it
    there["vulkan"] = "none"
    there["torch"] = _Fake("torch", True)
    assert unified_gpu.detect_backends() == ["torch", "cpu"]
    there["cuda"] = _Fake("cuda", True)
    assert unified_gpu.detect_backends() == ["cuda", "torch", "cpu"]
    there.update(cuda="no driver", torch="no torch", cpu="not built")
    with pytest.raises(BackendUnavailable, match=r"no backend can be used here\n  cuda: no driver\n  torch: no torch"):
        Context()


def test_the_preferred_backend_is_found_without_those_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    there: dict[str, object] = {"cuda": "no driver", "cpu": _Fake("cpu", False)}
    monkeypatch.setattr(table, "_load", lambda name: there[name])
    monkeypatch.setattr(table.torch_build, "finds_no_gpu", lambda: True)
    assert unified_gpu.preferred_backend() == "cpu"
    there.update(cpu="not built", vulkan="none")
    there["torch"] = _Fake("torch", False)
    assert unified_gpu.preferred_backend() == "torch"
    there["cuda"] = _Fake("cuda", True)
    del there["torch"], there["cpu"]
    assert unified_gpu.preferred_backend() == "cuda"


@pytest.mark.torch
@pytest.mark.parametrize("place", ["standin", pytest.param("cuda-gpu", marks=pytest.mark.gpu), "cpu"])
def test_a_default_context_imports_no_torch_that_it_does_not_use(place: str, tmp_path: Path) -> None:
    wanted = "cpu" if place == "cpu" else "cuda"
    if wanted == "cpu" and has_gpu():
        pytest.skip("there is a GPU here")
    settings = environment(place)
    del settings["DL_BACKEND"]
    code = """
import sys
from unified_gpu import Context
from unified_gpu.backends import torch_build
from unified_gpu.runtime import lifetime
if sys.argv[1] == "cpu" and not torch_build.finds_no_gpu():
    sys.exit("only torch itself can tell here")
with Context.default() as ctx:
    assert (ctx.alloc_upload([1.0, 2.0]) + 1).tolist() == [2.0, 3.0]
    print(ctx.backend_name, sorted({"torch", "torch_ffi"} & set(sys.modules)))
"""
    command = [sys.executable, "-c", code, wanted]
    done = processes.run(command, cwd=tmp_path, env=settings)
    if done.stderr.startswith("only torch"):
        pytest.skip(done.stderr)
    assert (done.stdout, done.stderr) == (f"{wanted} []\n", "")


@pytest.mark.parametrize(
    ("version", "driver", "none"),
    [
        ("cuda = None\nhip = None", False, True),
        ("cuda = '13.0'\nhip = None", False, True),
        ("cuda = '13.0'\nhip = None", True, False),
        ("cuda = None\nhip = '7.0'", False, False),
        ("cuda = None\nxpu = '2025'", False, False),
        ("cuda =", False, False),
        (None, False, False),
    ],
)
def test_what_torch_was_built_for(
    version: str | None, driver: bool, none: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise AssertionError('this takes seconds')")
    if version is not None:
        (tmp_path / "torch" / "version.py").write_text(version)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(torch_build, "_is_loaded", lambda: False)
    monkeypatch.setattr(torch_build, "_has_driver", lambda: driver)
    assert torch_build.finds_no_gpu() == none
    monkeypatch.setattr(torch_build, "_is_loaded", lambda: True)
    assert not torch_build.finds_no_gpu(), "a library may have added a device to it"
    monkeypatch.setattr(torch_build, "_is_loaded", lambda: False)
    info = tmp_path / "torch_npu-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: torch_npu\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[torch.backends]\nnpu = torch_npu\n")
    assert not torch_build.finds_no_gpu(), "it adds a device to torch"


def test_a_backend_that_fails_to_load_is_skipped_with_its_reason() -> None:
    code = """
import sys
sys.modules["cpu_ffi"] = None
from unified_gpu import BackendUnavailable, Context, detect_backends, diagnose
assert "cpu" not in detect_backends()
(report,) = [r for r in diagnose() if r.backend == "cpu"]
assert "cpu_ffi" in report.reason and "wrapper-gen build specs/cpu.wrapper_spec" in report.reason, report
try:
    Context("cpu")
except BackendUnavailable as error:
    assert report.reason in str(error)
"""
    done = processes.run([sys.executable, "-c", code])
    assert (done.returncode, done.stderr) == (0, "")


WITHOUT_TORCH = "torch is not installed: pip install torch; and "
"""What is said first of torch's package where torch is missing."""


@pytest.mark.parametrize("name", ["cpu", "torch", "cuda"])
def test_a_package_that_is_not_built_is_no_backend_and_says_once_how_to_build_it(name: str, tmp_path: Path) -> None:
    package = f"{name}_ffi"
    shutil.copytree(ROOT / "generated" / package, tmp_path / package, ignore=shutil.ignore_patterns("*.so", "build"))
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from unified_gpu import diagnose
print(*(report.reason for report in diagnose()), sep="\\n")
"""
    done = processes.run([sys.executable, "-c", code])
    assert done.returncode == 0, done.stderr
    (reason,) = [line.removeprefix(WITHOUT_TORCH) for line in done.stdout.splitlines() if package in line]
    assert (
        reason == f"{package} is not built for this Python; run: {sys.executable} {tmp_path / package / 'ffi_build.py'}"
    )


def test_the_module_prints_the_table() -> None:
    command = [sys.executable, "-m", "unified_gpu"]
    done = processes.run(command)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert any(line.startswith("cpu       cpu:0  CPU") and "cpu_ffi" in line for line in lines), done.stdout
    assert any(line.startswith("vulkan") for line in lines)
    assert lines[-1].startswith("preferred: ")


def test_the_table_tells_of_a_missing_nvrtc(tmp_path: Path) -> None:
    code = "from unified_gpu import diagnose; print(next(r for r in diagnose() if r.backend == 'cuda').versions)"
    settings = environment("standin")
    for library, message in (
        (settings["NVRTC_FFI_LIBRARY"], "NVRTC "),
        (str(tmp_path), "no NVRTC, so neither "),
    ):
        done = processes.run([sys.executable, "-c", code], env=settings | {"NVRTC_FFI_LIBRARY": library})
        assert (done.returncode, done.stderr) == (0, "")
        assert f", {message}" in done.stdout


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("cpu", "configured: cpu:0, f32 (DL_DEVICE: device cpu)"),
        ("cpu:7", "configured: DL_DEVICE: backend cpu has no device 7; it has device 0"),
        ("gpu", "configured: DL_DEVICE: 'gpu' is no device; there are cuda, torch, vulkan, cpu"),
    ],
)
def test_the_module_prints_what_is_configured(device: str, message: str) -> None:
    command, settings = [sys.executable, "-m", "unified_gpu"], os.environ | {"DL_DEVICE": device}
    done = processes.run(command, env=settings)
    assert (done.returncode, done.stderr) == (0, "")
    assert message in done.stdout.splitlines()


def test_a_package_that_says_itself_what_to_do_is_quoted() -> None:
    code = f"""
from unified_gpu import diagnose
reasons = {{report.reason.removeprefix({WITHOUT_TORCH!r}) for report in diagnose() if report.backend != "vulkan"}}
assert reasons == {{"WRAPPER_GEN_ENGINE is 'none'; it can be 'cpython' or 'cffi'"}}, reasons
"""
    settings = os.environ | {"WRAPPER_GEN_ENGINE": "none"}
    done = processes.run([sys.executable, "-c", code], env=settings)
    assert (done.returncode, done.stderr) == (0, "")


def test_it_imports_nothing_of_the_generator() -> None:
    code = """
import sys
from unified_gpu import Context, Kernel
assert "asyncio" not in sys.modules, "nobody awaits anything here"
with Context("cpu") as ctx:
    (ctx.alloc_upload([1.0]) + 1).download()
assert not [name for name in sys.modules if name.split(".")[0] in ("wrapper_gen", "yaml", "jinja2", "click", "cffi")]
"""
    done = processes.run([sys.executable, "-c", code])
    assert (done.returncode, done.stderr) == (0, "")
