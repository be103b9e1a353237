"""unified_gpu over Vulkan: arrays, copies, streams, events, kernels written in Python, and what is refused."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests import processes
from tests.behaviour.packages import ROOT
from tests.gpu.python_kernels import CASES, Case
from tests.vulkan import driver, kernels
from unified_gpu import (
    Context,
    Kernel,
    KernelCompileError,
    KernelSourceError,
    MixedContextsError,
    div,
    maximum,
    where,
)
from unified_gpu.backends import load_backend
from unified_gpu.errors import BackendUnavailable
from unified_gpu.kernels.arguments import reader

os.environ.setdefault("UNIFIED_GPU_CACHE", str(ROOT / "build" / "kernels"))


@pytest.fixture
def ctx(settings: dict[str, str]) -> Iterator[Context]:
    """A context, in which what the validation layer says is an error."""
    driver.choose()
    try:
        load_backend("vulkan")
    except BackendUnavailable as reason:
        pytest.skip(str(reason))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Context("vulkan") as context:
            yield context
            context.device.synchronize()  # it shows what validation has said, also when the context was closed


def on_device(ctx: Context, value: Any) -> Any:
    """An array with the strides of NumPy's."""
    if not isinstance(value, np.ndarray):
        return value
    if value.flags.c_contiguous:
        return ctx.alloc_upload(value)
    if value.ndim > 1:
        return ctx.alloc_upload(np.ascontiguousarray(value.T)).T
    return ctx.alloc_upload(np.repeat(value, 2))[::2]


def on_host(array: Any) -> Any:
    if array.is_contiguous:
        return array.download()
    if array.ndim > 1:
        return array.T.download().T
    whole = np.empty(2 * array.size, array.dtype.numpy)
    array.context.device.synchronize()
    array.context.device.download(whole, array._allocation.memory, array._offset, array.context.default_stream.handle)
    return whole[::2]


@pytest.mark.parametrize(
    "case", [case for case in CASES if str(case) not in ("functions", "subgroups_of_rows")], ids=str
)
def test_kernels_give_what_the_reference_gives(ctx: Context, case: Case) -> None:
    """Bit for bit."""
    args, wanted = (case.make(np.random.default_rng(5)) for _ in range(2))
    passed = [on_device(ctx, each) for each in args]
    ctx.launch(case.kernel, case.global_size, passed, local_size=case.local_size)
    case.kernel.reference(case.global_size, wanted, local_size=case.local_size, subgroup_size=ctx.subgroup_size)
    for array, expected in zip(passed, wanted, strict=True):
        if isinstance(expected, np.ndarray):
            np.testing.assert_array_equal(on_host(array), expected)


def test_arguments_that_lie_in_memory(ctx: Context) -> None:
    """More than 128 bytes of them."""
    data = [np.random.default_rng(seed).random((7, 5), np.float32) for seed in range(4)]
    out, stream = ctx.alloc((5, 7)).T, ctx.create_stream()
    args = [on_device(ctx, each.T).T if each is data[0] else on_device(ctx, each) for each in data]
    strided = [on_device(ctx, np.asfortranarray(each)) for each in data]
    for given in (strided, args):
        for narrow, half in ((-3, 0.5), (127, 2.0)):
            ctx.launch(kernels.far_arguments, (7, 5), [*given, out, narrow, half], stream=stream)
            expected = data[0] + data[1] * data[2] - data[3] + np.float32(narrow) + np.float32(half)
            stream.synchronize()
            np.testing.assert_array_equal(on_host(out), expected)
    for bad in (128, -129):
        with pytest.raises(OverflowError, match="`narrow` of far_arguments"):
            ctx.launch(kernels.far_arguments, (7, 5), [*args, out, bad, 1.0])
    with pytest.raises(OverflowError, match="`half` of far_arguments"):
        ctx.launch(kernels.far_arguments, (7, 5), [*args, out, 1, 1e6])


def test_arrays(ctx: Context) -> None:
    assert (ctx.backend_name, ctx.device.dlpack_type) == ("vulkan", 7)
    x = ctx.alloc_upload([[1, 2, 3], [4, 5, 6]], "f32")
    assert x.tolist() == [[1, 2, 3], [4, 5, 6]] and x[1].tolist() == [4, 5, 6] and float(x[1, 2]) == 6
    y = ctx.alloc((2, 3)).fill(0.5)
    x.copy_to(y)
    assert y.copy().tolist() == x.tolist()
    y[0] = [7.0, 8.0, 9.0]
    assert y.tolist() == [[7, 8, 9], [4, 5, 6]]
    for dtype in ("f64", "f32", "f16", "i64", "i32", "i16", "i8", "u8", "bool"):
        for value in (0, 1):
            assert ctx.alloc(5, dtype).fill(value).download().tolist() == [value] * 5
    z = ctx.alloc(1000, "f64").fill(0.1)
    assert z[333:335].tolist() == [0.1, 0.1] and ctx.alloc_zeros(0).tolist() == []
    pinned = ctx.alloc_pinned(1000, "f64")
    z.download(pinned, non_blocking=True)
    ctx.sync()
    assert set(pinned.numpy().tolist()) == {0.1}
    with Context("vulkan") as other, pytest.raises(MixedContextsError):
        x.copy_to(other.alloc((2, 3)))
    free, total = ctx.memory_info()
    assert 0 < free <= total


@pytest.mark.parametrize("dtype", ["f64", "f32", "f16", "i8", "i32", "u16", "u64"])
def test_operations(ctx: Context, dtype: str) -> None:
    numpy = {"f16": "f2", "f32": "f4", "f64": "f8", "u16": "u2", "i32": "i4", "i8": "i1", "u64": "u8"}[dtype]
    rng = np.random.default_rng(3)
    a, b = ((rng.integers(0, 9, (6, 7, 5)) + 1).astype(numpy) for _ in range(2))
    x, y = ctx.alloc_upload(a), ctx.alloc_upload(b)
    with np.errstate(all="ignore"):
        for found, expected in (
            (x + y, a + b),
            (x - 1, a - np.array(1, numpy)),
            (3 * y, 3 * b),
            (maximum(x, y), np.maximum(a, b)),
            (x > y, a > b),
            (x[1:, ::2] + y[0, ::2], a[1:, ::2] + b[0, ::2]),
            (where(x > y, x, 2), np.where(a > b, a, np.array(2, numpy))),
            (x.cast("f32"), a.astype("f4")),
            (x.cast("i16"), a.astype("i2")),
            (x.sum(axis=1), a.sum(axis=1, dtype="f8" if dtype[0] == "f" else None)),
            (x[:, 1].max(axis=0), a[:, 1].max(axis=0)),
            (x.min(), a.min()),
            (x.mean(), a.mean(dtype="f8")),
        ):
            np.testing.assert_allclose(found.download(), expected, rtol=1e-3 if dtype == "f16" else 1e-6)
    if dtype[0] == "f":
        rows, columns = x[0] @ y[1].T, a[0].astype("f8") @ b[1].T.astype("f8")
        np.testing.assert_allclose(rows.download(), columns, rtol=1e-3)
        np.testing.assert_allclose((x / y).sqrt().download(), np.sqrt(a / b), rtol=2e-3 if dtype == "f16" else 1e-6)
    else:
        np.testing.assert_array_equal(div(x, y).download(), a // b)
        np.testing.assert_array_equal((x**3).download(), a**3)


def test_operations_on_many_elements(ctx: Context) -> None:
    """More than a launch has, and more than one thread adds up."""
    data = np.random.default_rng(1).random(9_000_000, np.float32)
    x = ctx.alloc_upload(data)
    y = x * 2 + 1
    np.testing.assert_array_equal(y[-1000:].download(), data[-1000:] * 2 + 1)
    assert y.sum().item() == pytest.approx(data.sum(dtype="f8") * 2 + data.size, rel=1e-6)
    tall = ctx.alloc_zeros((70_000, 2, 3), "u8")
    tall[:, 1, ::2] = 7
    expected = np.zeros((70_000, 2, 3), "u1")
    expected[:, 1, ::2] = 7
    np.testing.assert_array_equal(tall.download(), expected)
    np.testing.assert_array_equal(tall.sum(axis=1).download(), expected.sum(axis=1))


@pytest.mark.parametrize("dtype", ["f4", "i4", "u1"])
def test_reductions_of_long_axes(ctx: Context, dtype: str) -> None:
    """A loop of lavapipe ends after 65,535 turns."""
    data = (np.random.default_rng(1).random((2, 70_000, 3)) * 100).astype(dtype)
    x = ctx.alloc_upload(data)
    for op in ("sum", "max", "mean"):
        for axis in (1, None):
            expected = getattr(data.astype("f8"), op)(axis=axis)
            np.testing.assert_allclose(getattr(x, op)(axis=axis).download(), expected, rtol=1e-6)


def test_products_of_long_rows(ctx: Context) -> None:
    a, b = (np.random.default_rng(seed).random((5, 70_000), np.float32) for seed in (1, 2))
    x, y = ctx.alloc_upload(a), ctx.alloc_upload(b)
    np.testing.assert_allclose((x @ y.T).download(), a.astype("f8") @ b.T.astype("f8"), rtol=1e-4)


def test_streams_and_events(ctx: Context) -> None:
    copies, work = ctx.create_stream(), ctx.create_stream()
    pinned = ctx.alloc_pinned(1 << 16, "i32")
    pinned.numpy()[:] = np.arange(1 << 16)
    for _ in range(10):
        with copies:
            x = ctx.alloc(1 << 16, "i32").upload(pinned, non_blocking=True)
        uploaded = copies.record()
        work.wait_event(uploaded)
        with work:
            start = work.record()
            ctx.launch(kernels.step, x.shape, [x])
            end = work.record()
            found = x.download()
        np.testing.assert_array_equal(found, np.arange(1 << 16) * 3 + 1)
        assert start.elapsed_time(end) >= 0 and work.query()
        del x
    assert ctx.memory_statistics().device_allocations < 10  # the memory is used again


def test_threads_and_a_closed_context(ctx: Context) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            stream = ctx.create_stream()
            for turn in range(10):
                x = ctx.alloc_upload(np.full(300, number + turn, np.int32), stream=stream)
                ctx.launch(kernels.step, 300, [x], stream=stream)
                assert set(x.tolist(stream=stream)) == {(number + turn) * 3 + 1}
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(100 * number,)) for number in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failures == []
    left = ctx.alloc_zeros(10, "i32")
    ctx.launch(kernels.slow, 10, [left, 100_000])
    ctx.close()
    with pytest.raises(ValueError, match="was closed"):
        left.tolist()
    with Context("vulkan") as again:
        assert again.alloc_zeros(2).tolist() == [0, 0]


def test_what_is_not_there(ctx: Context) -> None:
    x = ctx.alloc_zeros(8)
    with pytest.raises(NotImplementedError, match="no operations on bf16"):
        x.cast("bf16")
    with pytest.raises(KernelCompileError, match="CUDA C, which Vulkan does not compile; write it in Python"):
        ctx.launch(Kernel.from_source('extern "C" __global__ void f(float *x) {}', "f"), 1, [x])
    with pytest.raises(MixedContextsError, match=r"copy it over: ctx.alloc_upload"):
        ctx.from_dlpack(np.zeros(3, "f4"))
    with pytest.raises(KernelSourceError, match="Vulkan has no erf for f64"):
        ctx.launch(kernels.needs_erf, 8, [ctx.alloc_zeros(8, "f64")])


NOT_SEEN = """
import numpy as np
from unified_gpu import Context
with Context("vulkan") as ctx:
    array = ctx.alloc_upload([1.0, 2.0])
    assert array.__dlpack_device__() == (7, 0) and not hasattr(array, "__array_interface__")
    assert np.asarray(array).tolist() == [1, 2]
    for use in (array.__dlpack__, array.host_view):
        try:
            use()
        except BufferError as error:
            print(error)
"""


def test_memory_that_only_the_device_sees_is_not_exported(settings: dict[str, str]) -> None:
    """As on a GPU with memory of its own: copies are staged here."""
    done = processes.run([sys.executable, "-c", NOT_SEEN], env={**os.environ, **settings, "VULKAN_FFI_STAGING": "1"})
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first.endswith("is not the host's, and no other library takes it; use download()")
    assert second.endswith("is not in the memory of the CPU; use download()")


def test_limits_of_the_device(ctx: Context) -> None:
    vk = pytest.importorskip("vulkan_ffi")
    x, limit = ctx.alloc_zeros(64), vk.DeviceLimit
    if vk.device_limit(limit.SHARED_BYTES) < 48000:
        with pytest.raises(KernelCompileError, match=r"48000 bytes of shared memory a block, and .* has at most"):
            ctx.launch(kernels.much_shared, 64, [x], local_size=64)
    if not vk.device_has(vk.DeviceFeature.F64_ATOMIC_ADD):
        with pytest.raises(KernelCompileError, match="needs atomic additions of f64"):
            ctx.launch(kernels.sum_of_halves, 8, [ctx.alloc_zeros(1, "f64")])
    if vk.device_limit(limit.GRID_X) == 65535:
        with pytest.raises(vk.VulkanUnsupported, match=r"blocks along axis 0: .* has at most 65535"):
            ctx.launch(kernels.step, 1 << 25, [ctx.alloc_zeros(8, "i32")])


def test_an_array_whose_places_do_not_fit_is_refused(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    """The place of an element with several indices is an i32; llvmpipe has no memory for more, other drivers have."""
    monkeypatch.setattr(reader, "_MOST_PUSHED", 99)
    wide, long = ctx.alloc_zeros((10, 11)), ctx.alloc_zeros(110, "i32")
    with pytest.raises(ValueError, match="`x` of count_each: an array with several axes has at most 99 elements"):
        ctx.launch(kernels.count_each, (10, 11), [wide])
    with pytest.raises(TypeError, match="`y` of add_each is an array of this library, and a ndarray was given"):
        ctx.launch(kernels.add_each, (10, 10), [wide[:, :10], np.zeros((10, 10), np.float32)])
    ctx.launch(kernels.count_each, (10, 10), [wide[:, :10]])  # its strides are i64
    ctx.launch(kernels.step, 110, [long])
    assert np.asarray(wide.download()).sum() == 100 and np.asarray(long.download()).sum() == 110


def test_it_is_used_only_where_one_asks_for_it(settings: dict[str, str]) -> None:
    code = """
import sys
from unified_gpu import Context, preferred_backend
assert preferred_backend() != "vulkan" and "vulkan_ffi" not in sys.modules
try:
    Context("vulkan")
except Exception as error:
    print(type(error).__name__, error)
"""
    chosen = {"VULKAN_FFI_LIBRARY": "/nowhere", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "-c", code]
    done = processes.run(command, env={**os.environ, **settings, **chosen})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("BackendUnavailable backend vulkan cannot be used here: ")
    assert "libvulkan-dev" in done.stdout or "VULKAN_FFI_LIBRARY" in done.stdout
