"""Pi by random points: each thread draws its own with Philox, a generator that needs no state; blocks add the hits."""

import argparse

from unified_gpu import Array, Context, atomic_add, f32, global_id, i32, kernel, philox, u64

DRAWS = 64


@kernel
def hits(total: Array[i32, 1], seed: u64):
    found = 0
    for draw in range(DRAWS):
        a, b, c, d = philox(u64(global_id(0)) * DRAWS + u64(draw), seed)
        for x, y in ((a, b), (c, d)):
            right, up = f32(x >> 8) * 2**-24, f32(y >> 8) * 2**-24
            found += 1 if right * right + up * up < 1 else 0
    atomic_add(total, 0, found)


def pi(ctx, threads, seed=1):
    total = ctx.zeros(1, "i32")
    ctx.launch(hits, threads, [total, seed])
    return 4 * total.item() / (2 * DRAWS * threads)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", help="cpu, vulkan, cuda or torch")
    with Context.default(parser.parse_args().backend) as ctx:
        print(pi(ctx, 100_000))
