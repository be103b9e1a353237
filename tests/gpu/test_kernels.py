"""Kernels: launched over arrays and numbers, with what does not fit their signature refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from unified_gpu import BackendUnavailable, ClosedError, Context, Kernel, KernelCompileError, MixedContextsError
from unified_gpu.dtypes import DTYPES

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
    assert str(kernel.compile(ctx)) == "scale(f32 *out, f32 factor, i64 n, u8 times, bool again, f64 more)"
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
    assert stream in whole._allocation.stream_uses()


@pytest.mark.quick(12)
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


@pytest.mark.parametrize("backend_name", ["cpu", pytest.param("torch", marks=pytest.mark.torch)])
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
        (scale, [a, 1e300, 1, 1, True, 1], OverflowError, r"`f32 factor` of scale: 1e\+300 does not fit in f32"),
    ]
    for which, args, error, message in cases:
        with pytest.raises(error, match=message):
            ctx.launch(which, 4, args)  # type: ignore[arg-type]
    with Context(backend) as other, pytest.raises(MixedContextsError, match=r"cannot be used in <Context"):
        ctx.launch(kernel, 4, [a, a, other.alloc(4)])
    with Context(backend) as other, pytest.raises(MixedContextsError, match="a stream of"):
        ctx.launch(kernel, 4, [a, a, a], stream=other.default_stream)
    assert a.tolist() == [0] * 4


def test_half_numbers(ctx: Context) -> None:
    """Of these two only f16 is a type that `struct` has."""
    source = """
        #include <cuda_bf16.h>
        #include <cuda_fp16.h>
        extern "C" __global__ void fill(float *x, __nv_bfloat16 a, half b) {
            x[0] = __bfloat162float(a);
            x[1] = __half2float(b);
        }
    """
    fill, x = Kernel.from_source(source, "fill"), ctx.alloc(2)
    for number in (1.5, 3, True, math.inf):
        ctx.launch(fill, 1, [x, number, number])
        assert x.tolist() == [number, number]
    with pytest.raises(OverflowError, match=r"`bf16 a` of fill: 1e\+300 does not fit in bf16"):
        ctx.launch(fill, 1, [x, 1e300, 1])
    with pytest.raises(OverflowError, match=r"`f16 b` of fill: 70000\.0 does not fit in f16"):
        ctx.launch(fill, 1, [x, 1, 70000])


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


SIGNATURES = [
    ("", ""),
    ("void", ""),
    ("const unsigned long long int n, size_t m", "u64 n, u64 m"),
    ("unsigned a, signed b, unsigned int c, signed char d, char e", "u32 a, i32 b, u32 c, i8 d, i8 e"),
    ("short int a, long b, unsigned short *c, int64_t d", "i16 a, i64 b, u16 *c, i64 d"),
    ("float const * const __restrict__ a,\n /* b, c */ double* b // the last\n", "f32 *a, f64 *b"),
    ("__half *a, __nv_bfloat16 *b, half c", "f16 *a, bf16 *b, f16 c"),
    ("const void *__restrict__ anything, uint8_t", "void *anything, u8 argument 1"),
    ("real x[], const real *y, real factor, int z[4], volatile int *w", "f32 *x, f32 *y, f32 factor, i32 *z, i32 *w"),
    ("float4 *a, const double2 *b, uchar3 *c, __half2 *d, int1 *e", "f32x4 *a, f64x2 *b, u8x3 *c, f16x2 *d, i32 *e"),
    ("NUMBERS(values), COUNT", "f64 *argument 0, u32 argument 1"),
]

MANY_KERNELS = """
#include <cuda_fp16.h>
#include <cuda_bf16.h>
// extern "C" __global__ void k0(int not_this) {{ }}
/* __global__ void k0(int nor_this) {{ }} */
#if 0
extern "C" __global__ void k0(double *neither_this) {{ }}
#endif
typedef float real;
#define NUMBERS(name) const double *name
#define COUNT unsigned count
template <class T> struct Like {{ T x; }};
extern Like<int> x;
__device__ float f(float k) {{ return k; }}
{kernels}
"""


@pytest.mark.quick(1)
def test_signatures(ctx: Context) -> None:
    texts = [
        f'extern "C" __global__ __launch_bounds__(256) void k{number}({parameters}) {{ }}'
        for number, (parameters, _) in enumerate(SIGNATURES)
    ]
    source = MANY_KERNELS.format(kernels="\n".join(texts))
    for number, (_, expected) in enumerate(SIGNATURES):
        compiled = Kernel.from_source(source, f"k{number}").compile(ctx)
        assert str(compiled) == f"k{number}({expected})"


HIDDEN = """
#if 0
extern "C" __global__ void put(double *out, double value) { out[0] = value; }
#endif
#define KERNEL(name) extern "C" __global__ void name
typedef int number;
KERNEL(put)(number *out, number value) { out[0] = value; }
"""


def test_the_compiler_reads_the_signature(ctx: Context) -> None:
    out = ctx.alloc(1, "i32")
    kernel = Kernel.from_source(HIDDEN, "put")
    ctx.launch(kernel, 1, [out, 7])
    assert out.item() == 7
    with pytest.raises(OverflowError, match="4294967296 does not fit in i32"):
        ctx.launch(kernel, 1, [out, 2**32])


SCALES = """
namespace mine {
template <class T>
__global__ void scale(T *x, T factor) { x[threadIdx.x] *= factor; }
__global__ void twice(float x[]) { x[threadIdx.x] *= 2; }
}
"""


def test_kernels_of_namespaces_and_templates(ctx: Context) -> None:
    floats, whole = ctx.alloc_upload([1.0, 2.0]), ctx.alloc_upload([1, 2], "i32")
    ctx.launch(Kernel.from_source(SCALES, "mine::scale<float>"), 2, [floats, 1.5])
    ctx.launch(Kernel.from_source(SCALES, "mine::scale<int>"), 2, [whole, 3])
    ctx.launch(Kernel.from_source(SCALES, "mine::twice"), 2, [floats])
    assert (floats.tolist(), whole.tolist()) == ([3, 6], [3, 6])
    with pytest.raises(ValueError, match=r"mine::scale is a template; name an instance of it: mine::scale<float>"):
        Kernel.from_source(SCALES, "mine::scale").compile(ctx)


VECTORS = """
extern "C" __global__ void dots(const float4 *a, const float4 *b, float *out) {
    int i = threadIdx.x;
    out[i] = a[i].x * b[i].x + a[i].y * b[i].y + a[i].z * b[i].z + a[i].w * b[i].w;
}
extern "C" __global__ void by_value(float4 a) { }
"""


def test_pointers_to_vectors(ctx: Context) -> None:
    data = np.arange(16, dtype="f4").reshape(4, 4)
    a, out, kernel = ctx.alloc_upload(data), ctx.alloc(4), Kernel.from_source(VECTORS, "dots")
    ctx.launch(kernel, 4, [a, a, out])
    assert out.tolist() == (data * data).sum(1).tolist()
    wrong = [
        (ctx.alloc(6), ValueError, r"`f32x4 \*a` of dots takes 4 elements at once, and the array has 6 elements"),
        (a.reshape(-1)[2:14], ValueError, "begins in the middle of one"),
        (a.cast("f64"), TypeError, "takes f32, and the array is f64"),
        (a.T, ValueError, "the array is transposed"),
    ]
    for array, error, message in wrong:
        with pytest.raises(error, match=message):
            ctx.launch(kernel, 1, [array, a, out])
    with pytest.raises(ValueError, match=r"`float4 a` of kernel by_value cannot be passed from here"):
        Kernel.from_source(VECTORS, "by_value").compile(ctx)


@pytest.mark.parametrize(
    "parameter",
    ["float4 a", "Box<int> v", "float **p", "struct S *s", "int (*a)[4]", "int &a", "Tone c", "void (*f)()"],
)
def test_parameters_that_cannot_be_passed(cpu: Context, parameter: str) -> None:
    before = "struct S { int x; }; template <class T> struct Box { T x; }; enum class Tone { red };"
    source = f'{before}\nextern "C" __global__ void k({parameter}) {{ }}'
    with pytest.raises(ValueError, match=r"of kernel k cannot be passed from here; parameters are numbers"):
        Kernel.from_source(source, "k").compile(cpu)


def test_kernels_that_are_not_there(ctx: Context) -> None:
    with pytest.raises(ValueError, match=r'the source has no `extern "C" __global__ void add\(…\)`; it has vector_add'):
        Kernel.from_source(ADD, "add")
    with pytest.raises(ValueError, match="kernel k is a template"):
        Kernel.from_source("template <typename T> __global__ void k(T *out) { }", "k").compile(ctx)
    with pytest.raises(KernelCompileError, match="hidden"):
        Kernel.from_source('#if 0\nextern "C" __global__ void hidden() { }\n#endif\n', "hidden").compile(ctx)


WARPS = """
__device__ float warp_sum(float x) {
    for (int offset = 16; offset > 0; offset /= 2) x += __shfl_down_sync(0xffffffff, x, offset);
    return x;
}
extern "C" __global__ void sum(const float *in, float *out) {
    __shared__ float part[32];
    float x = warp_sum(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) {  // the other warps wait at the next barrier meanwhile
        x = warp_sum(threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0);
        if (threadIdx.x == 0) part[0] = x;
    }
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) out[blockIdx.x] = part[0];
}
extern "C" __global__ void exchange(int *out) {
    int i = threadIdx.x;
    out[i] = __shfl_sync(0xffffffff, i, 5);
    out[64 + i] = __shfl_up_sync(0xffffffff, i, 3);
    out[128 + i] = __shfl_down_sync(0xffffffff, i, 3, 16);
    out[192 + i] = __shfl_xor_sync(0xffffffff, i, 1);
    out[256 + i] = __shfl_sync(0xffffffff, i, 9, 8);
    out[320 + i] = __popc(__ballot_sync(0xffffffff, i % 3 == 0));
    out[384 + i] = __any_sync(0xffffffff, i == 40);
    out[448 + i] = __all_sync(0xffffffff, i < 32);
    if (i < 16) out[512 + i] = __shfl_xor_sync(0x0000ffff, i, 8);
    __syncwarp();
    out[576 + i] = (int)__shfl_down_sync(0xffffffff, (double)i, 1);
}
"""


def test_threads_of_a_warp_exchange_values(ctx: Context) -> None:
    data = np.random.default_rng(0).integers(0, 9, 2048).astype("f4")
    out = ctx.alloc(8)
    ctx.launch(Kernel.from_source(WARPS, "sum"), 2048, [ctx.alloc_upload(data), out], local_size=256)
    assert out.tolist() == data.reshape(8, 256).sum(1).tolist()
    found = ctx.alloc_zeros((10, 64), "i32")
    ctx.launch(Kernel.from_source(WARPS, "exchange"), 64, [found], local_size=64)
    i = np.arange(64)
    lane, first = i % 32, i - i % 32
    expected = [
        first + 5, np.where(lane < 3, i, i - 3), np.where(i % 16 + 3 > 15, i, i + 3), i ^ 1, i - i % 8 + 1,
        np.full(64, 11), np.repeat([0, 1], 32), np.repeat([1, 0], 32), np.where(i < 16, i ^ 8, 0),
        np.where(lane == 31, i, i + 1),
    ]  # fmt: skip
    for row, (ours, theirs) in enumerate(zip(found.tolist(), expected, strict=True)):
        assert ours == theirs.tolist(), row


HALVES = """
#include <cuda_fp16.h>
extern "C" __global__ void axpy(const __half *a, const half *x, half *y) {
    int i = threadIdx.x;
    y[i] = __hadd(__hmul(a[0], x[i]), y[i]);
    if (__hgt(y[i], __float2half(100.0f))) y[i] = __float2half(100.0f);
}
extern "C" __global__ void pairs(const __half2 *x, __half2 *out) {
    out[threadIdx.x] = __hadd2(x[threadIdx.x], __floats2half2_rn(1.0f, 2.0f));
}
"""


def test_halves_of_cuda(ctx: Context) -> None:
    x, y = ctx.alloc_upload([1, 2, 3, 400], "f16"), ctx.alloc_upload([0.5] * 4, "f16")
    ctx.launch(Kernel.from_source(HALVES, "axpy"), 4, [ctx.alloc_upload([2.0], "f16"), x, y])
    assert y.tolist() == [2.5, 4.5, 6.5, 100]
    ctx.launch(Kernel.from_source(HALVES, "pairs"), 2, [x, y])
    assert y.tolist() == [2, 4, 4, 402]


FAULTS = """
extern "C" __global__ void copy(const float *in, float *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= count)
        out[i] = in[i];
}
extern "C" __global__ void before(float *out) {
    out[(int)threadIdx.x - 1] = 1;
}
extern "C" __global__ void divide(int *x, int by) {
    x[threadIdx.x] =
        x[threadIdx.x] / by;
}
extern "C" __global__ void shared(float *out, int skip) {
    __shared__ float part[64];
    part[threadIdx.x + skip] = 1;
    __syncthreads();
    out[threadIdx.x] = part[63 - threadIdx.x];
}
"""


@pytest.fixture
def checked(backend: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    """A context of the CPU in the checked mode."""
    if backend == "cuda":
        pytest.skip("kernels on a GPU are not checked")
    monkeypatch.setenv("DL_CHECK", "1")
    with Context(backend) as context:
        yield context


@pytest.mark.quick(6)
@pytest.mark.parametrize(
    ("name", "size", "more", "message"),
    [
        (
            "copy",
            1001,
            [1000],
            r"kernel\.cu:5: 4 bytes read at byte 4000 of argument 1, which has 4000, in thread \(",
        ),
        (
            "before",
            8,
            [],
            r"kernel\.cu:8: 4 bytes written at byte -4 of argument 1, which has 4000, in thread \(0,",
        ),
        (
            "shared",
            64,
            [1],
            r"kernel\.cu:16: index 64 is not in the array, in thread \(63, 0, 0\) of block \(0,",
        ),
        ("divide", 8, [0], r"kernel\.cu:12: a division by 0, in thread \(0, 0, 0\) of block \(0, 0, 0\)"),
    ],
)
def test_faults_are_exceptions_in_the_checked_mode(
    checked: Context, name: str, size: int, more: list[int], message: str
) -> None:
    kernel, arrays = Kernel.from_source(FAULTS, name), [checked.alloc_zeros(1000) for _ in range(3)]
    args: list[Any] = [arrays[1], arrays[2], *more] if name == "copy" else [arrays[1], *more]
    if name == "divide":
        args[0] = checked.alloc_zeros(8, "i32")
    for _ in range(2):
        checked.launch(kernel, size, args)
        with pytest.raises(RuntimeError, match=f"kernel {name} failed at {message}"):
            checked.sync()
    right = {"copy": [999], "divide": [2], "shared": [0], "before": []}[name]
    if name != "before":
        checked.launch(kernel, size - 1, [*args[: len(args) - 1], *right])
        checked.sync()


def test_a_fault_of_a_kernel_that_stands_alone(checked: Context) -> None:
    """The compiler sees all of it at once, and must not drop what only the checks read."""
    source = 'extern "C" __global__ void set(float *x, int n) {\n  if (threadIdx.x <= n)\n    x[threadIdx.x] = 2;\n}'
    x = checked.alloc_zeros(100)
    checked.launch(Kernel.from_source(source, "set"), 101, [x, 100], local_size=128)
    with pytest.raises(
        RuntimeError, match=r"kernel\.cu:3: 4 bytes written at byte 400 of argument 1, .* \(100, 0, 0\)"
    ):
        checked.sync()


def test_what_is_right_is_right_in_the_checked_mode(checked: Context) -> None:
    data = np.arange(2048, dtype="f4")
    out = checked.alloc(8)
    checked.launch(Kernel.from_source(WARPS, "sum"), 2048, [checked.alloc_upload(data), out], local_size=256)
    assert out.tolist() == data.reshape(8, 256).sum(1).tolist()
    half, whole = checked.alloc_upload(data)[512:1024], checked.alloc(512)
    checked.launch(Kernel.from_source(FAULTS, "copy"), 512, [half, whole, 511])
    assert whole.tolist() == data[512:1024].tolist()
    checked.launch(Kernel.from_source(FAULTS, "copy"), 513, [half, whole, 512])
    with pytest.raises(RuntimeError, match="at byte 2048 of argument 1, which has 2048"):
        checked.sync()
