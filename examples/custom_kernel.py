"""Kernels of one's own: the same CUDA C on a GPU and on the CPU, checked arguments, the compiler's log.

python examples/custom_kernel.py [--backend cuda|vulkan|cpu]

Vulkan has no CUDA C: there it runs the two kernels as they are in Python, which all backends have.
"""

from __future__ import annotations

import argparse

from unified_gpu import (
    Array,
    Context,
    Kernel,
    KernelCompileError,
    barrier,
    f32,
    global_id,
    group_id,
    kernel,
    local_id,
    shared,
)

SAXPY = """
extern "C" __global__ void saxpy(float factor, const float *x, float *y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) y[i] += factor * x[i];
}
"""

BLOCK_SUMS = """
extern "C" __global__ void block_sums(const float *x, float *sums, int count) {
    __shared__ float part[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < count ? x[i] : 0.0f;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
"""


@kernel
def saxpy_in_python(factor: f32, x: Array[f32, 1], y: Array[f32, 1]):
    i = global_id(0)
    y[i] += factor * x[i]


@kernel
def block_sums_in_python(x: Array[f32, 1], sums: Array[f32, 1]):
    part = shared(f32, 128)
    i, t, half = global_id(0), local_id(0), 64
    part[t] = x[i] if i < x.shape[0] else 0.0
    while half > 0:
        barrier()
        if t < half:
            part[t] += part[t + half]
        half //= 2
    if t == 0:
        sums[group_id(0)] = part[0]


WRONG = """
extern "C" __global__ void wrong(float *x) {
    x[0] = y;
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Kernels of one's own.")
    parser.add_argument("--backend", help="cuda, vulkan or cpu")
    options = parser.parse_args()
    with Context(options.backend) if options.backend else Context.default() as ctx:
        print(f"on {ctx.backend_name}:{ctx.device_id}, {ctx.device_name}")
        try:
            (in_python if ctx.backend_name == "vulkan" else in_cuda_c)(ctx)
        except NotImplementedError as reason:
            print(f"no kernels here: {reason}")


def in_python(ctx: Context) -> None:
    count = 1000
    x = ctx.alloc_upload([float(i) for i in range(count)])
    y = ctx.alloc_zeros(count).fill(1.0)
    ctx.launch(saxpy_in_python, global_size=count, local_size=128, args=[2.0, x, y])
    print(f"saxpy: {y[:4].tolist()} ...")
    sums = ctx.alloc(8)
    ctx.launch(block_sums_in_python, global_size=1024, local_size=128, args=[y, sums])
    print(f"block sums: {sums.sum().item():.0f}, by the operation: {y.sum().item():.0f}")
    try:
        ctx.launch(saxpy_in_python, global_size=count, args=[2.0, x])
    except (TypeError, ValueError) as error:
        print(f"an argument too few: {error}")
    try:
        ctx.launch(Kernel.from_source(SAXPY, "saxpy"), global_size=count, args=[2.0, x, y, count])
    except KernelCompileError as error:
        print(f"does not compile: {error}")


def in_cuda_c(ctx: Context) -> None:
    count = 1000
    x = ctx.alloc_upload([float(i) for i in range(count)])
    y = ctx.alloc_zeros(count).fill(1.0)

    saxpy = Kernel.from_source(SAXPY, "saxpy")
    ctx.launch(saxpy, global_size=count, local_size=128, args=[2.0, x, y, count])
    print(f"saxpy: {y[:4].tolist()} ...")

    sums = ctx.alloc(8)
    block_sums = Kernel.from_source(BLOCK_SUMS, "block_sums")
    ctx.launch(block_sums, global_size=1024, local_size=128, args=[y, sums, count])
    print(f"block sums: {sums.sum().item():.0f}, by the operation: {y.sum().item():.0f}")

    try:
        ctx.launch(saxpy, global_size=count, args=[2.0, x, y])
    except (TypeError, ValueError) as error:
        print(f"an argument too few: {error}")
    try:
        ctx.launch(Kernel.from_source(WRONG, "wrong"), global_size=1, args=[x])
    except KernelCompileError as error:
        line = next(line for line in error.log.splitlines() if "error" in line)
        print(f"does not compile: {line.strip()}")


if __name__ == "__main__":
    main()
