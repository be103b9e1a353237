"""Conway's game of life on a torus, in bytes: `%` brings the neighbours of the border from the other side."""

import argparse

import numpy as np

from unified_gpu import Array, Context, global_id, i32, kernel, u8


@kernel
def step(old: Array[u8, 2], new: Array[u8, 2]):
    i, j, alive = global_id(0), global_id(1), i32(0)
    for di in range(-1, 2):
        for dj in range(-1, 2):
            alive += old[(i + di) % old.shape[0], (j + dj) % old.shape[1]]
    new[i, j] = u8(alive == 3 or (alive == 4 and old[i, j] == 1))


def life(ctx, cells, steps):
    old = ctx.alloc_upload(cells)
    new = ctx.empty_like(old)
    for _ in range(steps):
        ctx.launch(step, old.shape, [old, new])
        old, new = new, old
    return old


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", help="cpu, vulkan, cuda or torch")
    with Context.default(parser.parse_args().backend) as ctx:
        glider = np.zeros((8, 16), "u1")
        glider[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1
        for row in life(ctx, glider, 12).tolist():
            print("".join(".#"[cell] for cell in row))
