"""Inclusive prefix sums: blocks scan their part in shared memory, then add the sums of the blocks before."""

import argparse

from unified_gpu import Array, Context, barrier, f32, global_id, group_id, kernel, local_id, shared

BLOCK = 256


@kernel
def scan_blocks(x: Array[f32, 1], result: Array[f32, 1], sums: Array[f32, 1]):
    i, t = global_id(0), local_id(0)
    part = shared(f32, BLOCK)
    part[t] = x[i] if i < len(x) else 0
    for power in range(8):
        barrier()
        before = part[t - (1 << power)] if t >= 1 << power else 0
        barrier()
        part[t] += before
    if i < len(x):
        result[i] = part[t]
    if t == BLOCK - 1:
        sums[group_id(0)] = part[t]


@kernel
def add_before(result: Array[f32, 1], before: Array[f32, 1]):
    result[global_id(0) + BLOCK] += before[global_id(0) // BLOCK]


def scan(ctx, x):
    result, sums = ctx.empty_like(x), ctx.empty(-(-len(x) // BLOCK))
    ctx.launch(scan_blocks, len(x), [x, result, sums], local_size=BLOCK)
    if len(sums) > 1:
        ctx.launch(add_before, len(x) - BLOCK, [result, scan(ctx, sums)])
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", help="cpu, vulkan, cuda or torch")
    with Context.default(parser.parse_args().backend) as ctx:
        print(scan(ctx, ctx.arange(1, 100_001, dtype="f32")))
