"""Bitonic sort: each launch compares all pairs at one distance. The function `sort` does it for any length."""

import argparse

from unified_gpu import Array, Context, f32, global_id, i32, kernel, sort


@kernel
def compare(x: Array[f32, 1], distance: i32, run: i32):
    i = global_id(0)
    other = i ^ distance
    ascending = i & run == 0
    if i < other and (x[i] > x[other]) == ascending:
        x[i], x[other] = x[other], x[i]


def bitonic_sort(ctx, data):
    x = ctx.alloc_upload(data)
    if len(x) & (len(x) - 1):
        raise ValueError(f"a bitonic sort takes a power of two of elements, not {len(x)}")
    run = 2
    while run <= len(x):
        distance = run // 2
        while distance > 0:
            ctx.launch(compare, len(x), [x, distance, run])
            distance //= 2
        run *= 2
    return x


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", help="cpu, vulkan, cuda or torch")
    with Context.default(parser.parse_args().backend) as ctx:
        numbers = ctx.random.uniform(1 << 16).download()
        found = bitonic_sort(ctx, numbers)
        print(found, (found == sort(ctx.alloc_upload(numbers))).all().item())
