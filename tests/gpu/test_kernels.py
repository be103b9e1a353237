"""Kernels: launched over arrays and numbers, with what does not fit their signature refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from unified_gpu import BackendUnavailable, ClosedError, Context, Kernel, KernelCompileError, MixedContextsError
from unified_gpu.dtypes import DTYPES
from unified_gpu.signature import parse_signature

ADD = """
extern "C" __global__ void vector_add(const float *a, const float *__restrict__ b, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] + b[i];
}
"""

SCALE = """
extern "C" __global__ void scale(float *out, float factor, long long n, unsigned char times, bool again, double more) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < times; ++k) out[i] *= factor;
    if (again) out[i] += (float)more;
}
"""

WHERE_AM_I = """
extern "C" __global__ void where_am_i(int *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    out[(z * height + y) * width + x] += 1 + x + 100 * y + 10000 * z;
}
"""

BLOCK_SUM = """
extern "C" __global__ void block_sum(const int *in, int *out) {
    extern __shared__ int part[];
    part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
"""


def test_as_in_the_first_example(ctx: Context) -> None:
    a, b, out = ctx.alloc_upload([1.0, 2.0, 3.0, 4.0]), ctx.alloc_upload(np.full(4, 10, "f4")), ctx.alloc(4)
    ctx.launch(Kernel.from_source(ADD, "vector_add"), global_size=[4], args=[a, b, out])
    assert out.tolist() == [11, 12, 13, 14]


@pytest.mark.parametrize("count", [1, 7, 256, 1009, 4096])
def test_exactly_so_many_threads_run(ctx: Context, count: int) -> None:
    out = ctx.alloc_zeros(count + 64)
    ones = ctx.alloc(count + 64).fill(1)
    ctx.launch(Kernel.from_source(ADD, "vector_add"), count, [ones, ones, out])
    assert out.tolist() == [2] * count + [0] * 64


@pytest.mark.parametrize("shape", [(6,), (6, 4), (6, 4, 5), (33, 7, 2)])
def test_up_to_three_axes(ctx: Context, shape: tuple[int, ...]) -> None:
    kernel = Kernel.from_source(WHERE_AM_I, "where_am_i")
    width, height, depth = (*shape, 1, 1)[:3]
    z, y, x = np.indices((depth, height, width))
    for local in (None, (3, 2, 1)[: len(shape)] if shape[0] == 6 else None):
        out = ctx.alloc_zeros((depth, height, width), "i32")
        ctx.launch(kernel, shape, [out, width, height], local_size=local)
        np.testing.assert_array_equal(out.download(), 1 + x + 100 * y + 10000 * z)


def test_numbers_of_every_kind(ctx: Context) -> None:
    kernel = Kernel.from_source(SCALE, "scale")
    assert str(kernel) == "scale(f32 *out, f32 factor, i64 n, u8 times, bool again, f64 more)"
    out = ctx.alloc(1000).fill(1)
    ctx.launch(kernel, 1000, [out, 2, np.int64(900), np.uint8(3), True, np.float32(0.5)], local_size=128)
    assert out.tolist() == [8.5] * 900 + [1] * 100


def test_shared_memory(ctx: Context) -> None:
    data = np.arange(1024, dtype="i4")
    up, out = ctx.alloc_upload(data), ctx.alloc(8, "i32")
    kernel = Kernel.from_source(BLOCK_SUM, "block_sum")
    ctx.launch(kernel, 1024, [up, out], local_size=128, shared_bytes=512)
    assert out.tolist() == data.reshape(8, 128).sum(1).tolist()


def test_views_and_streams(ctx: Context) -> None:
    kernel, stream = Kernel.from_source(ADD, "vector_add"), ctx.create_stream()
    whole = ctx.alloc_upload(np.arange(10, dtype="f4"))
    stream.wait_stream(ctx.default_stream)
    ctx.launch(kernel, 4, [whole[:4], whole[4:8], whole[2:6]], stream=stream)
    assert whole.download(stream=stream)[2:4].tolist() == [4, 6]
    assert stream in whole._block.users()


@pytest.mark.parametrize("name", [name for name in DTYPES if name not in ("f16", "bf16")])
def test_pointers_to_every_dtype(ctx: Context, name: str) -> None:
    kind = DTYPES[name].c_name
    source = f'extern "C" __global__ void copy({kind} *out, const {kind} *in) {{ out[0] = in[1]; }}'
    out = ctx.alloc_zeros(1, name)
    ctx.launch(Kernel.from_source(source, "copy"), 1, [out, ctx.alloc_upload([0, 1], name)])
    assert out.item() == 1


def test_a_pointer_to_anything(ctx: Context) -> None:
    source = 'extern "C" __global__ void zero(void *out) { ((char *)out)[threadIdx.x] = 0; }'
    for name in ("u8", "f32", "bool"):
        out = ctx.alloc(4, name).fill(1)
        ctx.launch(Kernel.from_source(source, "zero"), 4 * out.dtype.size, [out])
        assert not any(out.tolist())


def test_what_is_no_kernel(cpu: Context) -> None:
    wrong: Any = None
    uses: list[Callable[[], object]] = [
        lambda: Kernel.from_source(wrong, "k"), lambda: Kernel.from_source(ADD, wrong),
        lambda: Kernel.from_source(ADD, "vector_add", options="-DN=4"), lambda: cpu.launch(wrong, 1, []),
        lambda: Kernel.from_source(ADD, "vector_add").compile(wrong),
        lambda: cpu.launch(Kernel.from_source(ADD, "vector_add"), 1, wrong),
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(TypeError, match=r"as text|list of|a kernel is"):
            use()


def test_the_same_source_is_the_same_kernel(ctx: Context) -> None:
    kernel = Kernel.from_source(ADD, "vector_add")
    assert Kernel.from_source(ADD, "vector_add") is kernel
    assert Kernel.from_source(ADD, "vector_add", ["-DX"]) is not kernel
    assert kernel.compile(ctx) is kernel.compile(ctx)
    assert len(ctx.kernels) == 1


def test_options_reach_the_compiler(ctx: Context) -> None:
    source = 'extern "C" __global__ void put(int *out) { out[0] = VALUE; }'
    out = ctx.alloc(1, "i32")
    for value in (3, 4):
        ctx.launch(Kernel.from_source(source, "put", [f"-DVALUE={value}"]), 1, [out])
        assert out.item() == value


def test_a_kernel_that_does_not_compile(ctx: Context) -> None:
    source = 'extern "C" __global__ void broken(int *out) {\n    int x = 1;\n    out[0] = nonsense;\n}\n'
    kernel = Kernel.from_source(source, "broken")
    for _ in range(2):
        with pytest.raises(KernelCompileError, match="nonsense") as caught:
            ctx.launch(kernel, 1, [ctx.alloc(1, "i32")])
        assert "3" in caught.value.log
        assert "nonsense" in caught.value.log
    assert ctx.alloc_upload([1.0]).item() == 1


@pytest.mark.parametrize("backend_name", ["cpu", "torch"])
def test_a_kernel_that_calls_what_is_nowhere(backend_name: str) -> None:
    source = 'float helper(float);\nextern "C" __global__ void caller(float *x) { x[0] = helper(1.0f); }\n'
    try:
        opened = Context(backend_name)
    except BackendUnavailable as reason:
        pytest.skip(str(reason))
    with opened as ctx, pytest.raises(KernelCompileError, match=r"undefined (reference|symbol).*helper"):
        Kernel.from_source(source, "caller").compile(ctx)


def test_wrong_arguments(ctx: Context, backend: str) -> None:
    kernel, scale = Kernel.from_source(ADD, "vector_add"), Kernel.from_source(SCALE, "scale")
    a = ctx.alloc_zeros(4)
    cases = [
        (kernel, [a, a], TypeError, r"vector_add\(f32 \*a, f32 \*b, f32 \*out\) takes 3 arguments, not 2"),
        (kernel, [a, a, 1.0], TypeError, r"`f32 \*out` of vector_add is an array, and a float was given; bring it to"),
        (kernel, [a, np.zeros(4), a], TypeError, r"`f32 \*b` of vector_add is an array, and a ndarray was given"),
        (
            kernel,
            [a, ctx.alloc(4, "f64"), a],
            TypeError,
            r"takes f32, and the array is f64; convert it: array.cast",
        ),
        (
            kernel,
            [a, ctx.alloc((2, 3)).T, a],
            ValueError,
            r"`f32 \*b` of vector_add: the array is transposed; use",
        ),
        (
            scale,
            [a, a, 1, 1, True, 1],
            TypeError,
            "`f32 factor` of scale is a number, and an array was given",
        ),
        (scale, [a, 1, 2**63, 1, True, 1], OverflowError, "`i64 n` of scale: 9223372036854775808 does not fit in i64"),
        (scale, [a, 1, 1, 256, True, 1], OverflowError, "`u8 times` of scale: 256 does not fit in u8"),
        (scale, [a, 1, 1.5, 1, True, 1], TypeError, r"`i64 n` of scale: 1\.5 is not a whole number"),
        (scale, [a, "x", 1, 1, True, 1], TypeError, "`f32 factor` of scale: 'x' is no number"),
        (scale, [a, None, 1, 1, True, 1], TypeError, "`f32 factor` of scale: None is no number"),
    ]
    for which, args, error, message in cases:
        with pytest.raises(error, match=message):
            ctx.launch(which, 4, args)  # type: ignore[arg-type]
    with Context(backend) as other, pytest.raises(MixedContextsError, match=r"cannot be used in <Context"):
        ctx.launch(kernel, 4, [a, a, other.alloc(4)])
    with Context(backend) as other, pytest.raises(MixedContextsError, match="a stream of"):
        ctx.launch(kernel, 4, [a, a, a], stream=other.default_stream)
    assert a.tolist() == [0] * 4


@pytest.mark.parametrize(
    ("global_size", "local_size", "message"),
    [
        (0, None, "it has 1 to 3 axes of at least one thread"),
        ([], None, "it has 1 to 3 axes"),
        ([1, 1, 1, 1], None, "it has 1 to 3 axes"),
        (4, 0, "local_size .* does not go with global_size"),
        ([4, 4], 4, "local_size .* does not go with global_size"),
        (4096, 2048, "a block has at most 1024 threads"),
        ([64, 64], [64, 32], "a block has at most 1024 threads"),
        ([1, 1, 128], [1, 1, 128], "a block has at most 1024 threads"),
        ([1, 70000], [1, 1], "blocks, and .* are the most"),
    ],
)
def test_wrong_sizes(cpu: Context, global_size: object, local_size: object, message: str) -> None:
    a = cpu.alloc(4)
    with pytest.raises(ValueError, match=message):
        cpu.launch(Kernel.from_source(ADD, "vector_add"), global_size, [a, a, a], local_size=local_size)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [1.0, "4", None, [1.5], (2.0,), [None]])
def test_sizes_that_are_no_whole_numbers(cpu: Context, size: object) -> None:
    a = cpu.alloc(4)
    kernel = Kernel.from_source(ADD, "vector_add")
    cpu.launch(kernel, 1, [a, a, a])
    with pytest.raises(TypeError, match="global_size is a whole number, or one for each of up to 3 axes, not "):
        cpu.launch(kernel, size, [a, a, a])  # type: ignore[arg-type]
    if size is not None:
        with pytest.raises(TypeError, match="local_size is a whole number"):
            cpu.launch(kernel, 1, [a, a, a], local_size=size)  # type: ignore[arg-type]


@pytest.mark.parametrize(("global_size", "local_size"), [(np.int64(4), np.int32(2)), (np.array([4]), [np.uint8(2)])])
def test_sizes_of_numpy(cpu: Context, global_size: object, local_size: object) -> None:
    a, out = cpu.alloc(4).fill(1), cpu.alloc(4)
    cpu.launch(Kernel.from_source(ADD, "vector_add"), global_size, [a, a, out], local_size=local_size)  # type: ignore[arg-type]
    assert out.tolist() == [2] * 4


def test_after_close(backend: str) -> None:
    kernel = Kernel.from_source(ADD, "vector_add")
    with Context(backend) as ctx:
        a = ctx.alloc_zeros(4)
        ctx.launch(kernel, 4, [a, a, a])
    with pytest.raises(ClosedError, match="was closed"):
        ctx.launch(kernel, 4, [a, a, a])
    with Context(backend) as again:
        b = again.alloc(4).fill(2)
        again.launch(kernel, 4, [b, b, b])
        assert b.tolist() == [4] * 4


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("", ""),
        ("void", ""),
        ("const unsigned long long int n, size_t m", "u64 n, u64 m"),
        ("unsigned a, signed b, unsigned int c, signed char d, char e", "u32 a, i32 b, u32 c, i8 d, i8 e"),
        ("short int a, long b, unsigned short *c, int64_t d", "i16 a, i64 b, u16 *c, i64 d"),
        ("float const * const __restrict__ a,\n /* b, c */ double* b // the last\n", "f32 *a, f64 *b"),
        ("__half *a, __nv_bfloat16 *b, half c", "f16 *a, bf16 *b, f16 c"),
        ("const void *__restrict anything, uint8_t", "void *anything, u8 argument 1"),
    ],
)
def test_signatures(parameters: str, expected: str) -> None:
    for before in (
        "",
        "template_like<int> x; ",
        "__device__ float f(float k) { return k; }\n// __global__ void k(int)\n",
    ):
        source = f'{before}extern "C" __global__ __launch_bounds__(256) void k({parameters}) {{ }}'
        assert ", ".join(map(str, parse_signature(source, "k"))) == expected


@pytest.mark.parametrize(
    "parameter", ["float4 a", "std::vector<int> v", "float **p", "struct S s", "int a[4]", "int &a"]
)
def test_parameters_that_cannot_be_passed(parameter: str) -> None:
    with pytest.raises(ValueError, match=r"of kernel k cannot be passed from here; parameters are numbers"):
        Kernel.from_source(f'extern "C" __global__ void k({parameter}) {{ }}', "k")


def test_kernels_that_are_not_there() -> None:
    with pytest.raises(ValueError, match=r'the source has no `extern "C" __global__ void add\(…\)`; it has vector_add'):
        Kernel.from_source(ADD, "add")
    with pytest.raises(ValueError, match="kernel k is a template"):
        Kernel.from_source("template <typename T> __global__ void k(T *out) { }", "k")
