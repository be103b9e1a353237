"""The CUDA backend: every operation against NumPy, kernels, two devices, and a failure of every call in turn.

`cuda` is a GPU where there is one, otherwise the stand-in; what needs the stand-in runs in a process of its own.
One command runs all of it on a GPU: `make test ARGS="-m gpu tests/gpu/test_cuda_backend.py"`.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.gpu.places import environment
from tests.limits import HANGS
from unified_gpu import KernelCompileError
from unified_gpu.backends import BackendUnavailable, kernel_cache, load_backend, open_device
from unified_gpu.backends.protocols import Operand
from unified_gpu.dtypes import DTYPES, DType, as_dtype

NVRTC = os.environ.get("NVRTC_FFI_LIBRARY", "")
"""What whoever runs the tests has chosen; the stand-in is chosen later."""
FAULTS = Path(__file__).with_name("cuda_faults.py")
NUMPY = [name for name, dtype in DTYPES.items() if dtype.numpy]
FLOATS = ["f16", "f32", "f64"]
NUMBERS = [name for name in NUMPY if name != "bool"]
TOLERANCE = {"f16": 2e-3, "f32": 2e-6, "f64": 1e-14}


@pytest.fixture(scope="module", params=["standin", pytest.param("gpu", marks=pytest.mark.gpu)])
def cuda(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The first device and a stream of it, with what puts arrays there and brings them back."""
    has_gpu = _has_gpu()
    if request.param == "gpu" and not has_gpu:
        pytest.skip("no GPU here")
    if request.param == "standin" and has_gpu:
        pytest.skip("this process uses the GPU; -m gpu runs these tests on it")
    if not has_gpu:
        place = environment("standin")
        os.environ.update({name: place[name] for name in ("CUDA_FFI_LIBRARY", "NVRTC_FFI_LIBRARY")})
    try:
        load_backend("cuda")
    except BackendUnavailable as reason:
        pytest.skip(str(reason))
    yield Bench()


def _has_gpu() -> bool:
    """Whether the real runtime finds a device; asked elsewhere, because it is loaded once a process."""
    code = "import cuda_ffi; print(cuda_ffi.available())"
    ours = {name: value for name, value in os.environ.items() if name != "CUDA_FFI_LIBRARY"}
    done = subprocess.run([sys.executable, "-c", code], env=ours, capture_output=True, text=True, timeout=HANGS)
    return done.stdout == "True\n"


class Bench:
    """A device under test."""

    def __init__(self) -> None:
        self.device: Any = open_device("cuda", 0)
        self.stream = self.device.create_stream()

    def put(self, values: Any) -> Operand:
        """The array on the device, in its order and with its gaps."""
        base = values
        while isinstance(base.base, np.ndarray):
            base = base.base
        flat = np.ascontiguousarray(base)
        memory = self.device.allocate(max(1, flat.nbytes))
        self.device.upload(memory, 0, flat.reshape(-1).view("u1"), self.stream)
        offset = values.ctypes.data - base.ctypes.data
        strides = tuple(step // values.itemsize for step in values.strides)
        return Operand(memory, offset, as_dtype(values.dtype), values.shape, strides)

    def room(self, dtype: DType, shape: tuple[int, ...]) -> Operand:
        memory = self.device.allocate(max(1, math.prod(shape) * dtype.size))
        strides = tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
        return Operand(memory, 0, dtype, shape, strides)

    def get(self, operand: Operand) -> Any:
        result = np.empty(operand.shape, operand.dtype.numpy or "u2")
        self.device.download(result.reshape(-1).view("u1"), operand.memory, operand.offset, self.stream)
        self.stream.synchronize()
        return result

    def run(self, operation: str, *arguments: Any, to: str, shape: tuple[int, ...]) -> Any:
        """What an operation writes; arrays among its arguments go to the device first."""
        out = self.room(DTYPES[to], shape)
        names = [x for x in arguments if isinstance(x, str)]
        others = [self.put(x) if isinstance(x, np.ndarray) else x for x in arguments if not isinstance(x, str)]
        getattr(self.device, operation)(*names, out, *others, self.stream)
        return self.get(out)


def some(name: str, *shape: int, seed: int = 0) -> Any:
    """Numbers of a dtype, its extremes among them."""
    dtype, random = DTYPES[name], np.random.default_rng(seed)
    if name == "bool":
        return random.random(shape) < 0.5
    if dtype.is_float:
        return (4 * random.standard_normal(shape)).astype(dtype.numpy)
    low, high = dtype.limits
    result = random.integers(low, high, shape, dtype.numpy, endpoint=True)
    for place, extreme in enumerate((low, high, 0, 1)):
        result.reshape(-1)[place % result.size] = extreme
    return result


def near(name: str, found: Any, expected: Any) -> None:
    """Equal, but for what a float of that dtype is rounded by."""
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=TOLERANCE.get(name, 0), atol=TOLERANCE.get(name, 0))


# --- elementwise -----------------------------------------------------------------------------------------------------

UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": lambda x: np.zeros((), x.dtype) - x,
    "abs": np.abs,
    "relu": lambda x: np.where(x < 0, np.zeros((), x.dtype), x),
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "sqrt": np.sqrt,
    "sigmoid": lambda x: (1 / (1 + np.exp(-x.astype("f8")))).astype(x.dtype),
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_unary_operations_are_numpys(cuda: Bench, name: str) -> None:
    ops = UNARY if DTYPES[name].is_float else ("neg", "abs", "relu")
    x = some(name, 7, 41)
    if DTYPES[name].is_float:
        x[0, :4] = [np.nan, np.inf, -np.inf, 0]
    for op in ops:
        for part in (x, x[::2, 1::3], x.T):
            near(name, cuda.run("unary", op, part, to=name, shape=part.shape), UNARY[op](part))


@pytest.mark.parametrize("name", NUMPY)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_binary_operations_are_numpys(cuda: Bench, name: str) -> None:
    a, b = some(name, 6, 33), some(name, 6, 33, seed=1)
    b[1] = a[1]
    if DTYPES[name].is_float:
        a[0, :3], b[0, 1:4] = np.nan, np.nan
    number = a[1, 1].item()
    for op in BINARY if name != "bool" else (*COMPARISONS, "maximum", "minimum"):
        to = "bool" if op in COMPARISONS else name
        function = BINARY[op]
        for left, right in ((a, b), (a.T, b.T), (a[:, 1::2], b[:, :32:2]), (a, np.broadcast_to(b[2], a.shape))):
            near(name, cuda.run("binary", op, left, right, to=to, shape=left.shape), function(left, right))
        typed = np.asarray(number, a.dtype)
        near(name, cuda.run("binary", op, a, number, to=to, shape=a.shape), function(a, typed))
        near(name, cuda.run("binary", op, number, a.T, to=to, shape=a.T.shape), function(typed, a.T))


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_division_never_traps(cuda: Bench, name: str) -> None:
    a, b = some(name, 500), some(name, 500, seed=1)
    b[:3], b[3:6] = 0, np.asarray(-1).astype(b.dtype)
    a[3] = DTYPES[name].limits[0] if not DTYPES[name].is_float else a[3]
    found = cuda.run("binary", "div", a, b, to=name, shape=a.shape)
    if DTYPES[name].is_float:
        near(name, found, a / b)
        return
    low, high = DTYPES[name].limits
    for x, y, quotient in zip(a.tolist(), b.tolist(), found.tolist(), strict=True):
        exact = 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        assert quotient == (exact - low) % (high - low + 1) + low, (x, y)


@pytest.mark.parametrize("source", NUMPY)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_casts_are_cs_and_stay_in_range(cuda: Bench, source: str) -> None:
    x = some(source, 5, 19)
    if DTYPES[source].is_float:
        x[0, :5] = [np.nan, np.inf, -np.inf, -0.75, 200.5]
    for to in NUMPY:
        dtype = DTYPES[to]
        if DTYPES[source].is_float and dtype.kind in ("int", "uint"):
            low, high = dtype.limits
            whole = [0 if math.isnan(v) else high if v >= high else low if v <= low else int(v) for v in x.flat]
            expected = np.array(whole, dtype.numpy).reshape(x.shape)
        else:
            expected = x.astype(dtype.numpy)
        for part, wanted in ((x, expected), (x.T, expected.T)):
            found = cuda.run("cast", part, to=to, shape=part.shape)
            np.testing.assert_array_equal(found, wanted)


def test_bf16_rounds_to_the_nearest_even(cuda: Bench) -> None:
    x = np.array([1, 1 + 2**-8, 1 + 3 * 2**-8, np.pi, -1e-40, 3.4e38, np.inf, np.nan, 1e-45], "f4")
    bits = cuda.run("cast", x, to="bf16", shape=x.shape)
    assert bits.tolist()[:5] == [0x3F80, 0x3F80, 0x3F82, 0x4049, 0x8001]
    assert bits.tolist()[5:7] == [0x7F80, 0x7F80]
    assert bits[7] & 0x7F80 == 0x7F80 and bits[7] & 0x7F
    there = cuda.put(bits[:7])
    there.dtype = DTYPES["bf16"]
    back = cuda.room(DTYPES["f32"], (7,))
    cuda.device.cast(back, there, cuda.stream)
    assert cuda.get(back).tolist()[:4] == [1, 1, 1.015625, 3.140625]
    double = cuda.room(DTYPES["bf16"], (7,))
    cuda.device.binary("add", double, there, 1.0, cuda.stream)
    assert cuda.get(double).tolist()[:2] == [0x4000, 0x4000]


@pytest.mark.parametrize("name", NUMPY)
def test_where_and_fill_move_every_dtype(cuda: Bench, name: str) -> None:
    condition, a, b = some("bool", 9, 21), some(name, 9, 21), some(name, 9, 21, seed=1)
    number = b[0, 0].item()
    shape, typed = a.shape, np.asarray(number, a.dtype)
    near(name, cuda.run("where", condition, a, b, to=name, shape=shape), np.where(condition, a, b))
    near(name, cuda.run("where", condition, a, number, to=name, shape=shape), np.where(condition, a, typed))
    near(name, cuda.run("where", condition, number, b, to=name, shape=shape), np.where(condition, typed, b))
    turned = cuda.run("where", condition.T, a.T, number, to=name, shape=a.T.shape)
    near(name, turned, np.where(condition.T, a.T, typed))
    out = cuda.room(DTYPES[name], (777,))
    cuda.device.fill(out, number, cuda.stream)
    near(name, cuda.get(out), np.full(777, typed))


def test_arrays_of_many_axes_are_used_in_any_order(cuda: Bench) -> None:
    x = np.arange(2 * 3 * 4 * 5 * 2 * 3, dtype="i4").reshape(2, 3, 4, 5, 2, 3)
    for order in ((5, 4, 3, 2, 1, 0), (1, 0, 3, 2, 5, 4), (0, 1, 2, 3, 5, 4)):
        part = x.transpose(order)
        np.testing.assert_array_equal(cuda.run("unary", "neg", part, to="i32", shape=part.shape), -part)
    np.testing.assert_array_equal(cuda.run("unary", "neg", x[:, ::-1], to="i32", shape=x.shape), -x[:, ::-1])
    wide = np.zeros((2,) * 9, "i4").T
    with pytest.raises(ValueError, match="9 axes"):
        cuda.run("unary", "neg", wide, to="i32", shape=wide.shape)


def test_nothing_is_done_with_nothing(cuda: Bench) -> None:
    empty = np.empty((0, 5), "f4")
    assert cuda.run("unary", "neg", empty, to="f32", shape=(0, 5)).shape == (0, 5)
    assert cuda.run("reduce", "sum", empty, 0, to="f32", shape=(5,)).tolist() == [0] * 5
    assert cuda.run("reduce", "sum", empty, 1, to="f32", shape=(0,)).shape == (0,)
    assert cuda.run("reduce", "sum", empty, None, to="f32", shape=()) == 0
    assert np.isnan(cuda.run("reduce", "mean", empty, None, to="f32", shape=()))
    product = cuda.run("matmul", np.empty((3, 0), "f4"), np.empty((0, 2), "f4"), to="f32", shape=(3, 2))
    assert product.tolist() == [[0, 0]] * 3
    assert cuda.run("matmul", empty, np.ones((5, 2), "f4"), to="f32", shape=(0, 2)).shape == (0, 2)


def test_long_arrays_are_done_whole(cuda: Bench) -> None:
    x = np.arange(3_000_001, dtype="f4")
    np.testing.assert_array_equal(cuda.run("binary", "mul", x, 2.0, to="f32", shape=x.shape), 2 * x)
    np.testing.assert_array_equal(cuda.run("unary", "neg", x[::3], to="f32", shape=x[::3].shape), -x[::3])


# --- reductions and products -----------------------------------------------------------------------------------------

REDUCE = {"sum": np.sum, "max": np.max, "min": np.min, "mean": np.mean}


def reduced_dtype(op: str, name: str) -> str:
    kind = DTYPES[name].kind
    if op == "sum" and kind != "float":
        return "u64" if kind == "uint" else "i64"
    return "f32" if op == "mean" and kind != "float" else name


def to_wide(op: str, name: str) -> str:
    """What NumPy has to calculate with, to be exact."""
    if op in ("max", "min"):
        return str(DTYPES[name].numpy)
    return "f8" if op == "mean" or DTYPES[name].is_float else str(DTYPES[reduced_dtype(op, name)].numpy)


@pytest.mark.parametrize("name", NUMPY)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_reductions_are_numpys(cuda: Bench, name: str) -> None:
    shapes: list[Any] = [some(name, 3, 50, 7), some(name, 70, 90).T, some(name, 5000, 3), some(name, 3, 5000)]
    for x in shapes:
        for op, function in REDUCE.items():
            to = reduced_dtype(op, name)
            for axis in (None, *range(x.ndim)):
                exact = op in ("max", "min") or to in ("i64", "u64")
                wide = x.astype(to_wide(op, name))
                expected = np.asarray(function(wide, axis=axis)).astype(DTYPES[to].numpy)
                found = cuda.run("reduce", op, x, axis, to=to, shape=expected.shape)
                least = {"f16": 1e-3, "f32": 1e-5, "f64": 1e-13}.get(to, 0) if not exact else 0
                scale = float(np.abs(wide).sum(axis=axis).max()) if op == "sum" else float(np.abs(wide).max())
                np.testing.assert_allclose(found, expected, rtol=least, atol=least * scale)


def test_nan_is_the_greatest_and_the_least(cuda: Bench) -> None:
    x = np.ones((4, 3000), "f4")
    x[2, 1234] = np.nan
    for op in ("max", "min", "sum", "mean"):
        assert np.isnan(cuda.run("reduce", op, x, None, to="f32", shape=()))
        assert np.isnan(cuda.run("reduce", op, x, 1, to="f32", shape=(4,))).tolist() == [False, False, True, False]


def test_a_reduction_gives_the_same_bits_each_time(cuda: Bench) -> None:
    x = some("f32", 1_000_003)
    there, out = cuda.put(x), cuda.room(DTYPES["f32"], ())
    found = set()
    for _ in range(5):
        cuda.device.reduce("sum", out, there, None, cuda.stream)
        found.add(cuda.get(out).tobytes())
    assert len(found) == 1
    np.testing.assert_allclose(cuda.get(out), x.sum(dtype="f8"), rtol=1e-4)


@pytest.mark.parametrize("name", FLOATS)
def test_products_of_matrices_are_numpys(cuda: Bench, name: str) -> None:
    for rows, inner, columns in ((1, 1, 1), (65, 17, 130), (5, 200, 3), (128, 64, 64)):
        a, b = some(name, rows, inner), some(name, inner, columns, seed=1)
        expected = (a.astype("f8") @ b.astype("f8")).astype(a.dtype)
        tolerance = {"f16": 1e-2, "f32": 1e-5, "f64": 1e-13}[name]
        turned_a, turned_b = np.ascontiguousarray(a.T).T, np.ascontiguousarray(b.T).T
        for left, right in ((a, b), (turned_a, b), (a, turned_b), (turned_a, turned_b)):
            found = cuda.run("matmul", left, right, to=name, shape=(rows, columns))
            np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * math.sqrt(inner) * 16)


SOURCES = """
import nvrtc_ffi
from typing import get_args
from unified_gpu.backends.cuda_kernels import Family, source
from unified_gpu.dtypes import DTYPES
if nvrtc_ffi.version()[0] < 12:
    raise nvrtc_ffi.LibraryUnavailable("only the stand-in")
supported = nvrtc_ffi.supported_architectures()
architectures = [f"--gpu-architecture=sm_{number}" for number in (75, 90) if number in supported]
for number, name in enumerate(("f16", "bf16", "f64", "i8", "u64", "bool")):
    for family in get_args(Family):
        try:
            text = source(family, None if family == "select" else DTYPES[name])
        except ValueError:
            assert family == "matmul" and not DTYPES[name].is_float
            continue
        chosen = architectures[number % len(architectures)]
        program = nvrtc_ffi.compile_program(text, f"{family}_{name}.cu", [chosen])
        assert program.log() == "", program.log()
"""


@pytest.mark.slow
def test_nvrtc_itself_compiles_the_sources_without_a_warning() -> None:
    library = {"NVRTC_FFI_LIBRARY": NVRTC} if NVRTC else {}
    settings = environment("cpu") | library
    done = subprocess.run([sys.executable, "-c", SOURCES], env=settings, capture_output=True, text=True, timeout=HANGS)
    if "LibraryUnavailable" in done.stderr:
        pytest.skip("no NVRTC here; pip install nvidia-cuda-nvrtc==13.0.88")
    assert done.returncode == 0, done.stderr


# --- kernels ---------------------------------------------------------------------------------------------------------

SCALE = """
template <class T>
__global__ void scale(T* xs, T by, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) xs[i] *= by;
}
"""


def test_a_kernel_is_compiled_and_launched(cuda: Bench) -> None:
    x = cuda.put(np.arange(1000, dtype="f4"))
    kernel = cuda.device.compile(SCALE, "scale<float>").handle
    arguments = np.array([x.memory.pointer()], "u8").tobytes() + np.float32(3).tobytes() + np.int32(999).tobytes()
    cuda.device.launch(kernel, (8, 1, 1), (128, 1, 1), 0, arguments, (0, 8, 12), cuda.stream)
    expected = np.arange(1000, dtype="f4") * 3
    expected[999] = 999
    np.testing.assert_array_equal(cuda.get(x), expected)
    kernel.close()


def test_much_shared_memory_is_allowed_by_itself(cuda: Bench) -> None:
    source = """
    extern "C" __global__ void turn(int* xs) {
        extern __shared__ int room[];
        room[threadIdx.x + 16000] = xs[threadIdx.x];
        __syncthreads();
        xs[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x + 16000];
    }
    """
    x = cuda.put(np.arange(256, dtype="i4"))
    kernel = cuda.device.compile(source, "turn").handle
    arguments = np.array([x.memory.pointer()], "u8").tobytes()
    for shared in (80_000, 66_000):
        cuda.device.launch(kernel, (1, 1, 1), (256, 1, 1), shared, arguments, (0,), cuda.stream)
    np.testing.assert_array_equal(cuda.get(x), np.arange(256))


def test_a_kernel_that_does_not_compile_says_where(cuda: Bench) -> None:
    with pytest.raises(KernelCompileError) as caught:
        cuda.device.compile('extern "C" __global__ void broken(float* x) {\n\n    *x = missing;\n}\n', "broken")
    assert "broken.cu" in caught.value.log and "missing" in caught.value.log
    assert any(f"{before}3" in caught.value.log for before in ("(", ":"))
    with pytest.raises(KernelCompileError, match="nowhere"):
        cuda.device.compile(SCALE, "nowhere")
    with pytest.raises(KernelCompileError, match="--nonsense"):
        cuda.device.compile(SCALE, "scale<int>", ["--nonsense"])


def test_a_header_of_cuda_is_found(cuda: Bench) -> None:
    if cuda.device.name == "CUDA stand-in":
        pytest.skip("the stand-in has these types without a header")
    source = """
    #include <cuda_fp16.h>
    extern "C" __global__ void half_of(__half* x) { *x = __hmul(*x, __float2half(0.5f)); }
    """
    x = cuda.put(np.array([3], "f2"))
    kernel = cuda.device.compile(source, "half_of").handle
    arguments = np.array([x.memory.pointer()], "u8").tobytes()
    cuda.device.launch(kernel, (1, 1, 1), (1, 1, 1), 0, arguments, (0,), cuda.stream)
    assert cuda.get(x).tolist() == [1.5]


def test_a_kernel_is_compiled_once(cuda: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kernel_cache.VARIABLE, str(tmp_path))
    cuda.device.compile(SCALE, "scale<int>")
    (stored,) = (path for path in tmp_path.rglob("*") if path.is_file())
    before = stored.stat().st_mtime_ns
    cuda.device.compile(SCALE, "scale<int>")
    assert stored.stat().st_mtime_ns == before
    stored.write_bytes(stored.read_bytes()[:-100])  # what a full disk leaves
    cuda.device.compile(SCALE, "scale<int>").handle.close()
    assert stored.stat().st_mtime_ns != before
    cuda.device.compile(SCALE, "scale<int>", ("-DOTHER",))
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 2
    monkeypatch.setenv(kernel_cache.VARIABLE, str(stored))  # no folder, and none can be made there
    cuda.device.compile(SCALE, "scale<int>").handle.close()


# --- memory, streams and devices -------------------------------------------------------------------------------------


def test_pinned_memory_stays_readable(cuda: Bench) -> None:
    pinned = cuda.device.allocate_pinned(1000)
    assert (pinned.buffer.nbytes, pinned.buffer.format, pinned.buffer.readonly) == (1000, "B", False)
    pinned.buffer[:] = bytes(range(250)) * 4
    memory = cuda.device.allocate(1000)
    cuda.device.upload(memory, 0, pinned.buffer, cuda.stream)
    cuda.stream.synchronize()
    pinned.close()
    pinned.close()
    assert bytes(pinned.buffer[:3]) == b"\x00\x01\x02"
    result = cuda.device.allocate_pinned(1000)
    cuda.device.download(result.buffer, memory, 0, cuda.stream)
    cuda.stream.synchronize()
    assert result.buffer == pinned.buffer


def test_memory_runs_out_with_a_memory_error(cuda: Bench) -> None:
    free, total = cuda.device.memory_info()
    assert 0 < free <= total
    with pytest.raises(MemoryError):
        cuda.device.allocate(2 * total)
    cuda.device.allocate(1 << 20).close()


def test_priorities_are_cut_to_what_there_is(cuda: Bench) -> None:
    assert cuda.device.create_stream(-100).priority() <= cuda.device.create_stream(100).priority() == 0


def test_memory_and_streams_of_others(cuda: Bench) -> None:
    x = cuda.put(np.arange(8, dtype="i4"))
    lent = cuda.device.wrap(x.memory.pointer(), 32)
    queue = cuda.device.wrap_stream(cuda.stream.pointer())
    out = cuda.room(DTYPES["i32"], (8,))
    cuda.device.unary("neg", out, Operand(lent, 0, DTYPES["i32"], (8,), (1,)), queue)
    np.testing.assert_array_equal(cuda.get(out), -np.arange(8))
    lent.close()
    queue.close()
    np.testing.assert_array_equal(cuda.get(x), np.arange(8))


def test_events_measure(cuda: Bench) -> None:
    start, end = cuda.device.create_event(), cuda.device.create_event()
    cuda.stream.record(start)
    cuda.run("binary", "add", np.ones(1000, "f4"), 1.0, to="f32", shape=(1000,))
    cuda.stream.record(end)
    end.synchronize()
    assert start.elapsed_time(end) >= 0
    assert cuda.device.create_event(timing=False).query()
    cuda.device.synchronize()


# --- faults: on the stand-in, each case in a process of its own ----------------------------------------------------


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("case", "settings"),
    [
        ("every_call_fails_once", {}),
        ("the_driver_disappears", {}),
        ("two_devices", {"CUDA_STANDIN_DEVICES": "2"}),
        ("nothing_is_left", {}),
        ("no_device", {"CUDA_STANDIN_DEVICES": "0"}),
        ("memory_is_scarce", {"CUDA_STANDIN_MEMORY_MB": "1"}),
    ],
)
@pytest.mark.parametrize("engine", ["cpython", "cffi"])
def test_faults(case: str, settings: dict[str, str], engine: str) -> None:
    place = environment("standin") | {"WRAPPER_GEN_ENGINE": engine, "CUDA_STANDIN_LATENCY_US": "0"} | settings
    done = subprocess.run(
        [sys.executable, str(FAULTS), case], env=place, capture_output=True, text=True, timeout=HANGS, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


def test_without_a_driver_the_reason_is_said() -> None:
    if _has_gpu():
        pytest.skip("there is a GPU here")
    code = "from unified_gpu.backends import diagnose; print(diagnose()[0].reason)"
    ours = environment("cpu")
    done = subprocess.run(
        [sys.executable, "-c", code], env=ours, capture_output=True, text=True, timeout=HANGS, check=True
    )
    assert "the NVIDIA driver is not installed" in done.stdout or "CUDA runtime is missing" in done.stdout


def test_the_folders_of_compiled_kernels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv(kernel_cache.VARIABLE, "~/kernels")
    for kind in ("cpu", "cuda"):
        assert kernel_cache.folder(kind) == tmp_path / "kernels" / kind
    monkeypatch.setenv(kernel_cache.VARIABLE, str(file))
    with pytest.raises(OSError, match="file"):
        kernel_cache.folder("cuda")
    monkeypatch.delenv(kernel_cache.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    found = kernel_cache.folder("cuda")
    assert found.is_dir()
    assert found.is_relative_to(tmp_path / f"unified_gpu-{os.getuid()}")
