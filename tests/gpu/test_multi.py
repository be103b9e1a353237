"""Several devices at once: who gets which batch, the order of results, arrays combined over devices and processes."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import processes
from tests.gpu.places import ROOT, environment
from tests.limits import HANGS
from unified_gpu import (
    BackendUnavailable,
    ClosedError,
    Context,
    DeviceNotFound,
    GpuArray,
    MixedContextsError,
    MultiContext,
)

np = pytest.importorskip("numpy")


@pytest.fixture(params=[2, 3])
def multi(request: pytest.FixtureRequest, backend: str) -> Iterator[MultiContext]:
    """Contexts on one device: what they do does not depend on how many devices there are."""
    with MultiContext([0] * request.param, backend=backend) as contexts:
        yield contexts


@pytest.fixture
def pair() -> Iterator[MultiContext]:
    with MultiContext([0, 0], backend="cpu", depth=2) as contexts:
        yield contexts


def numbers(count: int) -> list[Any]:
    return [np.full((3, 5), number, np.float32) for number in range(count)]


def firsts(results: Any) -> list[float]:
    return [float(result.flat[0]) for result in results]


# --- dealing ---------------------------------------------------------------------------------------------------------


def test_results_come_in_the_order_of_the_batches(multi: MultiContext) -> None:
    assert firsts(multi.map(numbers(40), lambda x: x * 2)) == [2.0 * n for n in range(40)]
    assert sum(multi.batch_counts) == 40
    assert firsts(multi.map(numbers(1), lambda x: x + 1)) == [1.0]
    assert list(multi.map([], lambda x: x)) == []


def test_a_batch_is_whatever_a_pipeline_takes(pair: MultiContext) -> None:
    batches = [(np.full(n + 1, n, "f4"), np.full(n + 1, 2, "i4")) for n in range(10)]
    found = list(pair.map(batches, lambda arrays: (arrays[0] + 1, arrays[1])))
    for number, (first, second) in enumerate(found):
        assert first.tolist() == [number + 1.0] * (number + 1)
        assert second.tolist() == [2] * (number + 1)


def test_each_device_computes_with_its_own(multi: MultiContext) -> None:
    own = dict(zip(multi.contexts, multi.replicate([[3.0]]), strict=True))
    assert {array.context for array in own.values()} == set(multi.contexts)
    assert firsts(multi.map(numbers(9), lambda x: x * own[x.context][0])) == [3.0 * n for n in range(9)]
    functions = [lambda x, own=own[context]: x * own[0] for context in multi.contexts]
    assert firsts(multi.map(numbers(9), functions)) == [3.0 * n for n in range(9)]
    with pytest.raises(ValueError, match=f"1 functions for {len(multi)} devices"):
        multi.map(numbers(1), functions[:1])


def test_a_device_that_is_busy_gets_no_more(pair: MultiContext) -> None:
    """One is held up with its first batch until the other has done what there is room for."""
    slow = pair.contexts[0]
    others_done = threading.Event()
    computed = dict.fromkeys(pair.contexts, 0)

    def compute(x: GpuArray) -> GpuArray:
        if x.context is slow:
            assert others_done.wait(HANGS)
        computed[x.context] += 1
        if computed[pair.contexts[1]] == 6:
            others_done.set()
        return x

    assert firsts(pair.map(numbers(12), compute)) == [float(n) for n in range(12)]
    assert pair.batch_counts[1] >= 6
    assert sum(pair.batch_counts) == 12


def test_reading_stops_where_nobody_takes_results(pair: MultiContext) -> None:
    read = 0

    def endless() -> Iterator[Any]:
        nonlocal read
        while True:
            read += 1
            yield np.full(4, read, np.float32)

    results = pair.map(endless(), lambda x: x)
    for expected in range(1, 6):
        assert next(results)[0] == expected
    threading.Event().wait(0.2)
    # Delivered; room for results that wait; on each device the batches in flight, one at the door and one being read.
    assert read <= 5 + 4 * 2 + 2 * (2 + 2)
    results.close()
    stopped = read
    threading.Event().wait(0.05)
    assert read == stopped
    assert firsts(pair.map(numbers(3), lambda x: x)) == [0.0, 1.0, 2.0]


def test_batches_are_read_by_one_thread_at_a_time(multi: MultiContext) -> None:
    reading = 0

    def batches() -> Iterator[Any]:
        nonlocal reading
        for batch in numbers(30):
            reading += 1
            assert reading == 1
            threading.Event().wait(0.0005)
            reading -= 1
            yield batch

    assert len(firsts(multi.map(batches(), lambda x: x))) == 30


@pytest.mark.parametrize("bad", [0, 1, 7, 19])
def test_a_failure_comes_after_the_results_before_it(multi: MultiContext, bad: int) -> None:
    def compute(x: GpuArray) -> GpuArray:
        if x.size == bad + 1:
            raise ZeroDivisionError("of this batch")
        return x

    batches = [np.full(n + 1, n, np.float32) for n in range(20)]
    delivered = []
    with pytest.raises(ZeroDivisionError) as caught:
        for result in multi.map(batches, compute):
            delivered.append(result[0])
    assert delivered == list(range(bad))
    assert any(f"batch {bad} of all, on <Context" in note for note in caught.value.__notes__)
    assert firsts(multi.map(numbers(4), lambda x: x)) == [0.0, 1.0, 2.0, 3.0]


def test_of_several_failures_the_first_batch_is_told(multi: MultiContext) -> None:
    def compute(x: GpuArray) -> GpuArray:
        if x.size > 5:
            raise ValueError(f"size {x.size}")
        return x

    results = multi.map([np.zeros(n + 1, np.float32) for n in range(20)], compute)
    with pytest.raises(ValueError, match="size 6"):
        list(results)


def test_a_source_that_fails(multi: MultiContext) -> None:
    def batches() -> Iterator[Any]:
        yield from numbers(3)
        raise OSError("the disk is gone")

    delivered = []
    with pytest.raises(OSError, match="the disk is gone") as caught:
        for result in multi.map(batches(), lambda x: x):
            delivered.append(result)
    assert firsts(delivered) == [0.0, 1.0, 2.0]
    assert any("batch 3 of all" in note for note in caught.value.__notes__)


def test_one_map_at_a_time(pair: MultiContext) -> None:
    running = pair.map(numbers(10), lambda x: x)
    next(running)
    with pytest.raises(RuntimeError, match="not finished"):
        next(pair.map(numbers(1), lambda x: x))
    running.close()
    assert firsts(pair.map(numbers(1), lambda x: x)) == [0.0]


@pytest.mark.quick(3)
def test_work_of_the_caller_comes_first(multi: MultiContext) -> None:
    """The chosen stream of the calling thread counts in the devices' threads too."""
    first = multi.contexts[0]
    weights = multi.replicate(np.ones((300, 300), np.float32))
    own = dict(zip(multi.contexts, weights, strict=True))
    with first.create_stream():
        for _ in range(5):
            own[first] = own[first] * 2 / 2
        assert firsts(multi.map([np.ones((300, 300), "f4")] * 6, lambda x: x @ own[x.context])) == [300.0] * 6


# --- combining -------------------------------------------------------------------------------------------------------


@pytest.mark.quick(35)
@pytest.mark.parametrize("op", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize("dtype", ["f32", "f64", "i32", "u8"])
def test_arrays_are_combined(multi: MultiContext, op: str, dtype: str) -> None:
    count = len(multi)
    ours = [np.arange(6).reshape(2, 3).astype(dtype.replace("f", "float").replace("i", "int").replace("u8", "uint8"))]
    ours += [ours[0] * (number + 2) for number in range(count - 1)]
    arrays = [context.alloc_upload(data) for context, data in zip(multi.contexts, ours, strict=True)]
    if op == "mean" and not dtype.startswith("f"):
        with pytest.raises(TypeError, match="the mean is for floats"):
            multi.all_reduce(arrays, "mean")
        return
    multi.all_reduce(arrays, op)  # type: ignore[arg-type]
    expected = {"sum": sum(ours), "mean": sum(ours) / count, "max": ours[-1], "min": ours[0]}[op]
    for array in arrays:
        np.testing.assert_allclose(array.download(), expected, rtol=1e-6)


def test_combining_comes_after_queued_work_and_before_later(multi: MultiContext) -> None:
    size = 1 << 18
    arrays = []
    for number, context in enumerate(multi.contexts):
        array = context.alloc_zeros(size)
        for _ in range(10):
            array = array + (number + 1)
        arrays.append(array)
    multi.all_reduce(arrays, "sum")
    total = 10 * sum(range(1, len(multi) + 1))
    after = [array + 1 for array in arrays]
    for array in after:
        assert set(array.download().tolist()) == {total + 1.0}


def test_combining_on_chosen_streams(multi: MultiContext) -> None:
    arrays = [context.alloc_zeros(1 << 16) for context in multi.contexts]
    multi.sync()
    streams = [context.create_stream() for context in multi.contexts]
    for stream in streams:
        stream.__enter__()
    try:
        for array in arrays:
            array.fill(2)
        multi.all_reduce(arrays, "sum")
        found = [array.download() for array in arrays]
    finally:
        for stream in reversed(streams):
            stream.__exit__()
    assert [set(each.tolist()) for each in found] == [{2.0 * len(multi)}] * len(multi)


def test_what_cannot_be_combined(pair: MultiContext) -> None:
    one, other = pair.contexts
    a, b = one.alloc_upload([1.0, 2.0]), other.alloc_upload([3.0, 4.0])
    numbers: Any = [1.0, 2.0]
    for arrays in ([a], [b, a], [a, a], [a, b, b], [], numbers):
        with pytest.raises(MixedContextsError, match="one array of each of the 2 contexts"):
            pair.all_reduce(arrays)
    with pytest.raises(ValueError, match="not by 'product'"):
        pair.all_reduce([a, b], "product")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="shapes"):
        pair.all_reduce([a, other.alloc_upload([1.0])])
    with pytest.raises(TypeError, match="f32 and f64"):
        pair.all_reduce([a, b.cast("f64")])
    square = [context.alloc_upload(np.ones((2, 3), "f4")) for context in pair.contexts]
    with pytest.raises(ValueError, match="transposed"):
        pair.all_reduce([square[0].T, square[1].T])
    empty = [context.alloc(0) for context in pair.contexts]
    pair.all_reduce(empty)
    assert (a.tolist(), b.tolist()) == ([1.0, 2.0], [3.0, 4.0])


def test_nothing_is_left_behind(pair: MultiContext) -> None:
    def work() -> None:
        arrays = pair.replicate(np.ones(1 << 12, "f4"))
        for _ in range(20):
            pair.all_reduce(arrays)
        list(pair.map(numbers(10), lambda x: x))

    for _ in range(5):
        work()
    pair.sync()
    for memory in [context.memory_statistics() for context in pair.contexts]:
        assert memory.used == 0
        assert memory.reserved < 64 << 10, "two arrays of 16 KiB, and how many batches were in flight"


# --- devices ---------------------------------------------------------------------------------------------------------


def test_all_devices_by_default(tmp_path: Path) -> None:
    code = """
from unified_gpu import MultiContext
with MultiContext(backend="cpu") as multi:
    arrays = [context.alloc_upload([float(number)]) for number, context in enumerate(multi.contexts)]
    multi.all_reduce(arrays, "sum")
    print(multi, [context.device_id for context in multi.contexts], [array.item() for array in arrays])
"""
    assert run(code, CPU_FFI_DEVICES="3") == "<MultiContext cpu:0, cpu:1, cpu:2> [0, 1, 2] [3.0, 3.0, 3.0]\n"


def test_devices_by_name(backend: str) -> None:
    with MultiContext([f"{backend}:0", 0], backend=backend) as multi:
        assert [context.backend_name for context in multi.contexts] == [backend] * 2
        assert (len(multi), multi.rank, multi.process_count) == (2, 0, 1)
    with pytest.raises(DeviceNotFound):
        MultiContext([0, 99], backend=backend)
    with pytest.raises(TypeError, match=f"devices is a list, .*, not '{backend}:0'"):
        MultiContext(f"{backend}:0")
    with pytest.raises(ValueError, match="there are no devices in this list"):
        MultiContext([])
    if backend != "cpu":
        with pytest.raises(ValueError, match="several backends"):
            MultiContext([f"{backend}:0", "cpu:0"])


def test_after_close_everything_raises(backend: str) -> None:
    multi = MultiContext([0, 0], backend=backend)
    arrays = multi.replicate([1.0])
    running = multi.map(numbers(100), lambda x: x)
    next(running)
    running.close()
    multi.close()
    multi.close()
    for use in (lambda: list(multi.map([], lambda x: x)), lambda: multi.all_reduce(arrays), multi.sync):
        with pytest.raises(ClosedError):
            use()


# --- processes -------------------------------------------------------------------------------------------------------

WORK = """
import sys
from unified_gpu import MultiContext

with MultiContext([0, 0], backend=sys.argv[1], processes="env") as multi:
    found = []
    for op in ("sum", "mean", "max", "min"):
        arrays = [c.alloc_upload([1.0 + n + 2 * multi.rank, 10.0]) for n, c in enumerate(multi.contexts)]
        multi.all_reduce(arrays, op)
        assert arrays[0].tolist() == arrays[1].tolist()
        found.append(arrays[0].tolist())
    again = [c.alloc_zeros(1000) + multi.rank for c in multi.contexts]
    for _ in range(50):
        multi.all_reduce(again, "mean")
    assert set(again[1].tolist()) == {0.5}, again[1].tolist()
    print(multi.rank, multi.process_count, found)
"""


def run(code: str, *arguments: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment("cpu") | variables,
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def free_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])


def start(rank: int, port: str, code: str, *arguments: str) -> subprocess.Popen[str]:
    """One of two processes."""
    group = {"RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env=environment("cpu") | group | {"CUDA_VISIBLE_DEVICES": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("where", ["cpu", "torch"])
def test_processes_work_together(where: str) -> None:
    pytest.importorskip("torch")
    port = free_port()
    running = [start(rank, port, WORK, where) for rank in range(2)]
    said = [process.communicate(timeout=HANGS) for process in running]
    assert [process.returncode for process in running] == [0, 0], said
    expected = [[10.0, 40.0], [2.5, 10.0], [4.0, 10.0], [1.0, 10.0]]
    assert [out for out, _ in said] == [f"{rank} 2 {expected}\n" for rank in (0, 1)]


GOES_ON = """
from unified_gpu import ProcessGroupError
from unified_gpu import MultiContext

with MultiContext([0, 0], backend="cpu", processes="env") as multi:
    arrays = multi.replicate([1.0])
    try:
        while True:
            multi.all_reduce(arrays, "mean")
            print("combined", flush=True)
    except ProcessGroupError as error:
        print(error)
    print(list(multi.map([[1.0], [2.0]], lambda x: x + 1)))
"""


@pytest.mark.torch
@pytest.mark.quick(1)
@pytest.mark.parametrize("killed", [0, 1])
def test_a_process_that_is_killed(killed: int) -> None:
    """The other is told, does not hang, and can still use its devices."""
    pytest.importorskip("torch")
    port = free_port()
    running = [start(rank, port, GOES_ON) for rank in range(2)]
    try:
        for process in running:
            assert process.stdout is not None
            assert process.stdout.readline() == "combined\n"
        running[killed].kill()
        out, errors = running[1 - killed].communicate(timeout=HANGS)
    finally:
        for process in running:
            process.kill()
            process.communicate()
    assert running[1 - killed].returncode == 0, errors
    told, results = out.splitlines()[-2:]
    assert told.startswith(f"process {1 - killed} of 2 could not combine its array with the others'")
    assert told.endswith("start all processes again")
    assert results.count("array") == 2


@pytest.mark.torch
def test_a_group_that_is_there_already(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    code = f"""
import torch.distributed as dist
from unified_gpu import MultiContext
dist.init_process_group("gloo", init_method="file://{tmp_path}/meet", rank=0, world_size=1)
for group in (dist.group.WORLD, "env"):
    with MultiContext([0, 0], backend="cpu", processes=group) as multi:
        arrays = multi.replicate([4.0])
        multi.all_reduce(arrays)
        print([array.item() for array in arrays], multi.process_count)
    assert dist.is_initialized(), "it is not ours to leave"
"""
    assert run(code) == "[4.0, 4.0] 1\n" * 2


@pytest.mark.torch
def test_processes_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match="RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT missing; start it by torchrun"):
        MultiContext([0], backend="cpu", processes="env")
    with pytest.raises(ValueError, match="'nccl' is not understood"):
        MultiContext([0], backend="cpu", processes="nccl")


def test_processes_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.distributed", None)
    with pytest.raises(BackendUnavailable, match="pip install torch"):
        MultiContext([0], backend="cpu", processes="env")
    with MultiContext([0, 0], backend="cpu") as multi:
        multi.all_reduce(multi.replicate([1.0]))


# --- the example, and several GPUs -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("where", ["cpu", pytest.param("torch", marks=pytest.mark.torch), "vulkan"])
def test_the_example_runs(where: str) -> None:
    if where == "torch":
        pytest.importorskip("torch")
    done = processes.run(
        [
            sys.executable,
            str(ROOT / "examples" / "multi_gpu.py"),
            "--backend",
            where,
            "--batches",
            "2" if where == "vulkan" else "12",
            "--steps",
            "60",
        ],
        env=environment("vulkan" if where == "vulkan" else "cpu") | {"CUDA_VISIBLE_DEVICES": ""},
    )
    if "BackendUnavailable" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("devices: <MultiContext")
    assert " batches: one device" in lines[1]
    losses = [line.split("loss ")[1].split() for line in lines if line.startswith("training on")]
    assert losses
    for first, _, last, *_ in losses:
        assert float(last) < 0.3 * float(first)


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["cuda", pytest.param("torch", marks=pytest.mark.torch)])
def test_several_gpus(name: str) -> None:
    from unified_gpu.backends import load_backend

    try:
        found = load_backend(name)
    except BackendUnavailable as reason:
        pytest.skip(str(reason))
    if not found.accelerator or os.environ.get("CUDA_FFI_LIBRARY") or found.device_count() < 2:
        pytest.skip("there are no two GPUs here")
    with MultiContext(backend=name) as multi:
        assert len(multi) == found.device_count()
        arrays = [context.alloc_upload(np.full(1 << 20, n, "f4")) for n, context in enumerate(multi.contexts)]
        multi.all_reduce(arrays, "sum")
        total = float(sum(range(len(multi))))
        assert all(set(array.download().tolist()) == {total} for array in arrays)
        assert firsts(multi.map(numbers(50), lambda x: x * 2)) == [2.0 * n for n in range(50)]
    with Context(name) as ctx:
        assert ctx.alloc_upload([1.0]).item() == 1.0
