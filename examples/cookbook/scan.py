"""Inclusive prefix sums: blocks scan their part in shared memory, then add the sums of the blocks before."""

import argparse

from unified_gpu import Array, Context, barrier, block_sum, f32, global_id, group_id, kernel, local_id, shared


@kernel
def scan_blocks(x: Array[f32, 1], result: Array[f32, 1], sums: Array[f32, 1]):
    i, t = global_id(0), local_id(0)
    part = shared(f32, 256)
    part[t] = mine = x[i] if i < len(x) else f32(0)
    for distance in (1, 2, 4, 8, 16, 32, 64, 128):
        barrier()
        before = part[t - distance] if t >= distance else 0
        barrier()
        part[t] += before
    result[i] = part[t]
    sums[group_id(0)] = block_sum(mine)


@kernel
def add_before(result: Array[f32, 1], before: Array[f32, 1]):
    result[global_id(0) + 256] += before[global_id(0) // 256]


def scan(ctx, x):
    result, sums = ctx.empty(len(x) + -len(x) % 256), ctx.empty(-(-len(x) // 256))
    ctx.launch(scan_blocks, len(x), [x, result, sums], local_size=256)
    if len(sums) > 1:
        ctx.launch(add_before, len(result) - 256, [result, scan(ctx, sums)])
    return result[: len(x)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", help="cpu, vulkan, cuda or torch")
    with Context.default(parser.parse_args().backend) as ctx:
        print(scan(ctx, ctx.arange(1, 100_001, dtype="f32")))
