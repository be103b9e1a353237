"""CUDA C runs on the CPU: compiled once per content, launched over the pool."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cpu.arrays import Session
from tests.cpu.build import COMMON, ROOT
from tests.limits import HANGS
from unified_gpu.backends.cpu_kernels import compile_kernel
from unified_gpu.errors import KernelCompileError

Compile = Callable[..., Any]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture
def compiled(cpu: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Compile:
    monkeypatch.setenv("UNIFIED_GPU_CACHE", str(folder))

    def compile_(source: str, name: str, *options: str) -> Any:
        path = compile_kernel(source, name, options, COMMON, cpu.instruction_level())
        return cpu.library_load(str(path)).kernel(name)

    return compile_


def launch(
    on: Session, kernel: Any, grid: tuple[int, ...], block: tuple[int, ...], *values: Any, shared: int = 0
) -> None:
    """Launch with memories, by address, and NumPy scalars."""
    packed, offsets = b"", []
    for value in values:
        data = value.tobytes() if isinstance(value, np.generic) else np.uint64(value.pointer()).tobytes()
        packed += bytes(-len(packed) % len(data))
        offsets.append(len(packed))
        packed += data
    on.cpu.launch(kernel, grid, block, shared, packed, offsets, on.stream)


INDICES = """
extern "C" __global__ void indices(unsigned* out, const unsigned step) {
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = step * (block * 1000 + thread);
}
"""


def test_every_thread_of_every_block_runs_once(cpu: Any, compiled: Compile) -> None:
    on = Session(cpu)
    grid, block = (3, 4, 5), (2, 3, 4)
    out = cpu.malloc(4 * 60 * 24)
    launch(on, compiled(INDICES, "indices"), grid, block, out, np.uint32(2))
    found = on.read(out, np.dtype("u4"), (60, 24))
    np.testing.assert_array_equal(found, 2 * (np.arange(60)[:, None] * 1000 + np.arange(24)))


PRODUCT = """
#define TILE 16
extern "C" __global__ void product(const float* a, const float* b, float* c, int n) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        left[y][x] = a[row * n + k + x];
        right[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int j = 0; j < TILE; ++j) sum += left[y][j] * right[j][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
"""


def test_barriers(cpu: Any, compiled: Compile) -> None:
    on = Session(cpu)
    generator = np.random.default_rng(0)
    a, b = generator.random((64, 64), "f4"), generator.random((64, 64), "f4")
    out = cpu.malloc(a.nbytes)
    memories = on.place(a)[0], on.place(b)[0]
    launch(on, compiled(PRODUCT, "product"), (4, 4, 1), (16, 16, 1), *memories, out, np.int32(64))
    np.testing.assert_allclose(on.read(out, a.dtype, a.shape), a @ b, rtol=1e-5)


REDUCTION = """
extern "C" __global__ void total(const float* x, float* out, int n) {
    extern __shared__ float part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, part[0]);
}
"""


def test_shared_memory_of_the_launch_and_atomics_between_blocks(cpu: Any, compiled: Compile) -> None:
    on = Session(cpu)
    x = np.ones(10_000, "f4")
    out = on.place(np.zeros(1, "f4"))[0]
    kernel = compiled(REDUCTION, "total")
    for _ in range(5):
        launch(on, kernel, (40, 1, 1), (256, 1, 1), on.place(x)[0], out, np.int32(x.size), shared=1024)
    assert on.read(out, np.dtype("f4"), (1,))[0] == 5 * x.size


EARLY = """
extern "C" __global__ void early(int* out) {
    if (threadIdx.x >= 3) return;
    out[threadIdx.x] = 1;
    __syncthreads();
    out[3 + threadIdx.x] = out[(threadIdx.x + 1) % 3] + 1;
}
"""


def test_threads_that_are_done_hold_nobody_up(cpu: Any, compiled: Compile) -> None:
    on = Session(cpu)
    out = on.place(np.zeros(6, "i4"))[0]
    launch(on, compiled(EARLY, "early"), (1, 1, 1), (8, 1, 1), out)
    np.testing.assert_array_equal(on.read(out, np.dtype("i4"), (6,)), [1, 1, 1, 2, 2, 2])


ATOMICS = """
extern "C" __global__ void atomics(int* i, unsigned long long* u, double* d, unsigned* c) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(i, 1);
    atomicSub(i + 1, 2);
    atomicMax(i + 2, t);
    atomicMin(i + 3, -t);
    atomicOr(i + 4, 1 << (t % 8));
    atomicAnd(i + 5, ~(1 << (t % 8)));
    atomicXor(i + 6, 1);
    if (atomicCAS(i + 7, 0, 1) == 0) atomicExch(i + 8, 5);
    atomicAdd(u, 3);
    atomicAdd(d, 0.5);
    atomicInc(c, 9);
}
"""


def test_atomics(cpu: Any, compiled: Compile) -> None:
    on = Session(cpu)
    start = np.array([0, 0, 0, 0, 0, 255, 0, 0, 0], "i4")
    memories = [on.place(each)[0] for each in (start, np.zeros(1, "u8"), np.zeros(1, "f8"), np.zeros(1, "u4"))]
    launch(on, compiled(ATOMICS, "atomics"), (100, 1, 1), (100, 1, 1), *memories)
    found = on.read(memories[0], np.dtype("i4"), (9,))
    np.testing.assert_array_equal(found, [10_000, -20_000, 9_999, -9_999, 255, 0, 0, 1, 5])
    assert on.read(memories[1], np.dtype("u8"), (1,))[0] == 30_000
    assert on.read(memories[2], np.dtype("f8"), (1,))[0] == 5_000
    assert on.read(memories[3], np.dtype("u4"), (1,))[0] == 0


SMALL_FLOATS = """
__device__ __forceinline__ float twice(float x) { return 2 * x; }
__global__ void __launch_bounds__(256) small(const __half* __restrict__ h, bfloat16* b, half* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        b[i] = __half2float(h[i]);
        out[i] = twice(h[i]) + max(1, 2.0f) * rsqrtf(4.0f) - min(1.0f, 2);
    }
}
"""


def test_floats_of_16_bits(cpu: Any, compiled: Compile) -> None:
    on = Session(cpu)
    x = np.arange(1 << 16, dtype="u2").view("f2")
    wide, out = cpu.malloc(2 * x.size), cpu.malloc(2 * x.size)
    launch(on, compiled(SMALL_FLOATS, "small"), (256, 1, 1), (256, 1, 1), on.place(x)[0], wide, out, np.int32(x.size))
    with np.errstate(over="ignore", invalid="ignore"):
        np.testing.assert_array_equal(on.read(out, x.dtype, x.shape), (2 * x.astype("f4")).astype("f2"))
    bits = x.astype("f4").view("u4")
    known = ~np.isnan(x)
    rounded = ((bits.astype("u8") + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("u2")
    np.testing.assert_array_equal(on.read(wide, np.dtype("u2"), x.shape)[known], rounded[known])


def test_launches_that_are_not_possible(cpu: Any, compiled: Compile) -> None:
    on = Session(cpu)
    kernel = compiled(INDICES, "indices")
    assert kernel.argument_sizes() == [8, 4]
    good = {"grid": [1, 1, 1], "block": [1, 1, 1], "shared_bytes": 0, "arguments": bytes(12), "offsets": [0, 8]}
    for change, message in [
        ({"grid": [1, 1]}, "grid has 3"),
        ({"grid": [1, 0, 1]}, "grid has 3"),
        ({"grid": [2**31, 2**31, 2**31]}, "too large"),
        ({"block": [33, 32, 1]}, "1024 threads, not 1056"),
        ({"shared_bytes": 50_000}, "49152"),
        ({"offsets": [0]}, "2 parameters, and there are 1"),
        ({"offsets": [0, 9]}, "argument 1"),
        ({"arguments": b""}, "argument 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            cpu.launch(kernel, **(good | change), stream=on.stream)


def test_kernels_outlive_what_they_came_from(cpu: Any, compiled: Compile) -> None:
    on = Session(cpu)
    kernel = compiled(INDICES, "indices")
    out = cpu.malloc(4)
    cpu.stream_delay(on.stream, 20_000)
    launch(on, kernel, (1, 1, 1), (1, 1, 1), out, np.uint32(1))
    kernel.close()
    assert on.read(out, np.dtype("u4"), (1,))[0] == 0


STRETCHES = """
extern "C" __global__ void stretches(int* who, unsigned* started, int* done) {
    static thread_local int number = -1, mine = 0;
    if (threadIdx.x != 0) return;
    if (number < 0) number = (int)atomicAdd(started, 1u);
    who[blockIdx.x] = number;
    __atomic_store_n(&done[number], ++mine, __ATOMIC_RELAXED);
    // at first the two threads of the CPU wait for each other after each few blocks
    while (mine <= 256 && mine % 8 == 0 && __atomic_load_n(&done[1 - number], __ATOMIC_RELAXED) < mine) {}
}
"""


def test_a_thread_of_the_cpu_goes_on_where_it_has_been() -> None:
    program = f"""
from unified_gpu import Context, Kernel
with Context("cpu") as ctx:
    who, started, done = ctx.alloc_zeros(2048, "i32"), ctx.alloc_zeros(1, "u32"), ctx.alloc_zeros(2, "i32")
    ctx.launch(Kernel.from_source({STRETCHES!r}, "stretches"), 2048 * 1024, [who, started, done], local_size=1024)
    print(*who.tolist())
"""
    environment = {**os.environ, "CPU_FFI_THREADS": "2", "PYTHONPATH": f"{ROOT}:{ROOT / 'generated'}"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True, timeout=HANGS, check=True
    )
    who = done.stdout.split()
    assert len(who) == 2048
    assert set(who) == {"0", "1"}
    # each does its own half from the front, and when it is done, what is left of the other's from the back
    assert sum(one != next_ for one, next_ in itertools.pairwise(who)) <= 3


def test_what_is_no_library_of_kernels(cpu: Any, compiled: Compile, tmp_path: Path) -> None:
    with pytest.raises(cpu.CpuError, match="cannot load"):
        cpu.library_load(str(tmp_path / "none.so"))
    compiled(INDICES, "indices")
    path = compile_kernel(INDICES, "indices", (), COMMON, cpu.instruction_level())
    with pytest.raises(ValueError, match="'other'"):
        cpu.library_load(str(path)).kernel("other")


# --- compiling


def test_errors_have_the_lines_of_the_source(compiled: Compile) -> None:
    with pytest.raises(KernelCompileError, match="'wrong' does not compile") as caught:
        compiled("\n\n__global__ void wrong(int* out) {\n    out[0] = missing;\n}\n", "wrong")
    assert caught.value.log.startswith("kernel.cu: In function")
    assert "kernel.cu:4:14: error: 'missing' was not declared" in caught.value.log


def test_a_kernel_that_is_not_there(compiled: Compile) -> None:
    source = f"{INDICES}\n// __global__ void other() {{}}\n{PRODUCT}"
    with pytest.raises(KernelCompileError, match="no kernel 'other' in the source; it has indices, product"):
        compiled(source, "other")


def test_options(compiled: Compile, cpu: Any) -> None:
    on = Session(cpu)
    source = 'extern "C" __global__ void value(int* out) { out[0] = VALUE; }'
    for value in (3, 4):
        out = cpu.malloc(4)
        kernel = compiled(source, "value", f"-DVALUE={value}", "--gpu-architecture=sm_90", "--use_fast_math")
        launch(on, kernel, (1, 1, 1), (1, 1, 1), out)
        assert on.read(out, np.dtype("i4"), (1,))[0] == value
    assert np.float32(1e-40) * np.float32(1) != 0  # fast mathematics of a kernel stay in it


def test_content_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNIFIED_GPU_CACHE", str(tmp_path))
    path = compile_kernel(INDICES, "indices", (), COMMON, "baseline")
    made = path.stat().st_mtime_ns
    assert compile_kernel(INDICES, "indices", (), COMMON, "baseline") == path
    assert path.stat().st_mtime_ns == made
    others = {compile_kernel(INDICES + "\n", "indices", (), COMMON, "baseline")}
    others.add(compile_kernel(INDICES, "indices", ("-DA",), COMMON, "baseline"))
    assert len(others | {path}) == 3
    assert sorted(each.name for each in (tmp_path / "cpu").iterdir()) == sorted(each.name for each in others | {path})


def test_processes_may_compile_the_same_at_once(tmp_path: Path) -> None:
    program = f"""
from pathlib import Path
from unified_gpu.backends.cpu_kernels import compile_kernel
print(compile_kernel({INDICES!r}, "indices", (), Path({str(COMMON)!r}), "baseline"))
"""
    environment = {**os.environ, "UNIFIED_GPU_CACHE": str(tmp_path), "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    paths = {process.communicate(timeout=HANGS)[0].strip() for process in running}
    assert [process.returncode for process in running] == [0, 0, 0]
    assert len(paths) == 1
    assert [str(each) for each in (tmp_path / "cpu").iterdir()] == list(paths)


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNIFIED_GPU_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(KernelCompileError, match="install g\\+\\+"):
        compile_kernel(INDICES, "indices", (), COMMON, "baseline")
