"""The torch backend: on the CPU, on a device of ours that is asynchronous, and on a GPU of torch's."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.gpu.places import ROOT, environment
from tests.limits import HANGS
from unified_gpu import BackendUnavailable, Context, Kernel, KernelCompileError
from unified_gpu.backends import load_backend

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")

pytestmark = pytest.mark.torch

DOUBLE = """
extern "C" __global__ void twice(float* x, const float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 2 * y[i];
}
"""


@pytest.fixture
def ctx() -> Iterator[Context]:
    try:
        context = Context("torch")
    except BackendUnavailable as reason:
        pytest.skip(str(reason))
    with context:
        yield context


def test_it_says_what_it_is(ctx: Context) -> None:
    backend = load_backend("torch")
    assert backend.accelerator is torch.cuda.is_available()
    assert backend.device_count() == max(1, torch.cuda.device_count())
    assert backend.versions().startswith(f"torch {torch.__version__.split('+')[0]}, ")
    assert ctx.device.dlpack_type == (2 if backend.accelerator else 1)
    assert ctx.device_name == (torch.cuda.get_device_name(0) if backend.accelerator else "CPU")
    free, total = ctx.memory_info()
    assert 0 < free <= total


def test_tensors_and_arrays_share_memory(ctx: Context) -> None:
    array = ctx.alloc_upload(np.arange(6, dtype="f4").reshape(2, 3))
    tensor = torch.from_dlpack(array)
    assert tensor.data_ptr() == array.pointer
    tensor += 1
    if tensor.is_cuda:
        torch.cuda.synchronize()
    assert array.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    back = ctx.from_dlpack(tensor)
    assert back.pointer == array.pointer
    assert (back * 2).tolist() == [[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]]
    held = torch.from_dlpack(ctx.alloc_upload([7.0, 8.0]))
    ctx.close()
    assert held.tolist() == [7.0, 8.0]


def test_operations_are_torchs(ctx: Context) -> None:
    """To the last bit, whatever the strides."""
    random = np.random.default_rng(1)
    a, b = random.normal(size=(17, 5)).astype("f4"), random.normal(size=(5, 17)).astype("f4")
    where = f"cuda:{ctx.device_id}" if ctx.device.dlpack_type == 2 else "cpu"
    x, y = torch.from_numpy(a).to(where), torch.from_numpy(b).to(where)
    ours, other = ctx.alloc_upload(a), ctx.alloc_upload(b)
    for found, expected in (
        (ours @ other, x @ y),
        (ours + other.T, x + y.T),
        ((ours * 3 - 1) / other.T, (x * 3 - 1) / y.T),
        (ours.sum(axis=0), x.sum(0)),
        (ours.mean(), x.mean()),
        (ours.max(axis=1), x.amax(1)),
        (ours.cast("f16"), x.half()),
    ):
        np.testing.assert_array_equal(found.download(), expected.cpu().numpy())


def test_views_of_pinned_memory_outlive_the_context(ctx: Context) -> None:
    pinned = ctx.alloc_pinned(1000, "f32")
    pinned.numpy()[:] = 3
    array = ctx.alloc_upload(pinned, non_blocking=True)
    assert array.sum().item() == 3000
    view = pinned.numpy()
    ctx.close()
    del pinned, array
    assert view.sum() == 3000


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
def test_kernels(ctx: Context, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("UNIFIED_GPU_CACHE", str(tmp_path))
    kernel = Kernel.from_source(DOUBLE, "twice")
    x, y = ctx.alloc_zeros(1000), ctx.alloc_upload(np.arange(1000, dtype="f4"))
    stream = ctx.create_stream()
    with stream:
        stream.wait_stream(ctx.default_stream)
        y = y + 1
        ctx.launch(kernel, 1000, [x, y, 1000])
        found = (x + 0).download()
    np.testing.assert_array_equal(found, 2 * (np.arange(1000, dtype="f4") + 1))
    with pytest.raises(KernelCompileError, match="nonsense"):
        ctx.launch(Kernel.from_source(DOUBLE.replace("2 *", "nonsense *"), "twice"), 1000, [x, y, 1000])


def test_a_stub_is_no_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch_ffi

    from unified_gpu.backends import torch as module

    monkeypatch.setattr(torch_ffi, "STUB", True)
    with pytest.raises(BackendUnavailable, match=r"torch_ffi is a stub; .*build the package with: wrapper-gen build"):
        module.load()


def test_without_the_package_it_is_left_out() -> None:
    code = """
import sys
sys.modules["torch_ffi"] = None
from unified_gpu import BackendUnavailable, detect_backends
from unified_gpu.backends import load_backend
assert "torch" not in detect_backends()
try:
    load_backend("torch")
except BackendUnavailable as error:
    print(error)
"""
    assert "wrapper-gen build specs/torch.wrapper_spec" in run(code)


def test_on_the_cpu_it_comes_after_the_cpu_backend() -> None:
    found = run("from unified_gpu import detect_backends; print(*detect_backends())").split()
    assert [each for each in found if each != "vulkan"] == ["cpu", "torch"], "Vulkan may run on this processor, too"
    assert found[0] == "cpu"


def run(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment("cpu") | {"CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# --- an accelerator --------------------------------------------------------------------------------------------------

ON_A_DEVICE = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
library.bytes_in_use.restype = ctypes.c_size_t

import numpy as np
from unified_gpu import Context, Kernel, KernelCompileError, detect_backends, relu
from unified_gpu.backends import load_backend
from unified_gpu import MultiContext
from unified_gpu import Pipeline

assert detect_backends()[0] == "torch", detect_backends()
backend = load_backend("torch")
assert (backend.accelerator, backend.device_count()) == (True, 2)

def check(context):
    a = np.arange(12, dtype="f4").reshape(3, 4)
    x = context.alloc_upload(a)
    assert np.array_equal((x @ x.T).download(), a @ a.T)
    assert np.array_equal(relu(1 - x * 2).download(), np.maximum(1 - a * 2, 0))
    assert x.sum(axis=1).tolist() == a.sum(1).tolist() and x.mean().item() == a.mean()
    one, two = context.create_stream(), context.create_stream(-1)
    for number in range(50):  # the other stream's memory is used again and again
        with one:
            y = context.alloc_zeros(1000) + number
        two.wait_stream(one)
        with two:
            z = y * 2
        del y
        assert set(z.download(stream=two).tolist()) == {2.0 * number}
    begin = one.record()
    one.wait_event(begin)
    end = one.record()
    assert begin.elapsed_time(end) >= 0
    with Pipeline(context) as pipe:
        results = pipe.map([np.full((64, 64), n, "f4") for n in range(30)], lambda x: x @ x)
        assert [result[0, 0] for result in results] == [64.0 * n * n for n in range(30)]
    try:
        context.launch(Kernel.from_source("__global__ void none(int n) {}", "none"), 1, [1])
    except KernelCompileError as error:
        assert "this device is gated" in str(error)
    else:
        raise AssertionError("no device of ours has kernels")

for index in range(2):
    with Context("torch", index) as context:
        assert context.device_name == f"gated:{index}"
        check(context)
with MultiContext(backend="torch") as multi:
    arrays = [c.alloc_zeros(100) + n for n, c in enumerate(multi.contexts)]
    for _ in range(20):
        multi.all_reduce(arrays, "sum")
    assert [a.tolist() for a in arrays] == [[2.0**19] * 100] * 2
    results = multi.map([np.full((64, 64), n, "f4") for n in range(30)], lambda x: x @ x)
    assert [result[0, 0] for result in results] == [64.0 * n * n for n in range(30)]
del arrays, context, multi, results
assert library.bytes_in_use() == 0, library.bytes_in_use()
print("done")
"""


@pytest.mark.skipif(torch.backends.cuda.is_built(), reason="this torch has CUDA")
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
def test_everything_on_an_accelerator_that_is_asynchronous() -> None:
    from tests.behaviour.torch_agreement import torch_device

    assert run(ON_A_DEVICE, str(torch_device())) == "done\n"


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no GPU here")
class TestOnGpu:
    def test_streams_are_shared_with_torch(self, ctx: Context) -> None:
        array = ctx.alloc_zeros(1 << 20)
        stream = ctx.create_stream()
        stream.wait_stream(ctx.default_stream)
        theirs = torch.cuda.ExternalStream(stream.pointer())
        tensor = torch.from_dlpack(array)
        with torch.cuda.stream(theirs):
            for _ in range(50):
                tensor += 1
        with stream:
            assert (array + 1).max().item() == 51
        assert stream.__cuda_stream__() == (0, theirs.cuda_stream)

    def test_memory_is_given_back(self, ctx: Context) -> None:
        before = torch.cuda.memory_allocated()
        array = ctx.alloc(64 << 20, "u8")
        assert torch.cuda.memory_allocated() - before >= 64 << 20
        del array
        ctx.trim()
        assert torch.cuda.memory_allocated() == before

    def test_out_of_memory_has_the_numbers(self, ctx: Context) -> None:
        with pytest.raises(MemoryError, match=r"of .* are free"):
            ctx.alloc(1 << 50, "u8")

    def test_nothing_waits_that_need_not(self, ctx: Context) -> None:
        big = ctx.alloc_upload(np.ones((4096, 4096), "f4"))
        pinned = ctx.alloc_pinned(1 << 20, "f32")
        other = ctx.create_stream()
        ctx.sync()
        for _ in range(50):
            big @ big
        small = ctx.alloc_upload(pinned, stream=other, non_blocking=True)
        other.synchronize()
        assert not ctx.default_stream.query()
        assert small.size == 1 << 20


def test_no_module_is_long() -> None:
    text = (ROOT / "unified_gpu" / "backends" / "torch.py").read_text()
    assert len(text.splitlines()) < 300
