"""Bodies that attract each other: blocks bring bodies into shared memory, tile by tile, for all of their threads."""

import argparse

import numpy as np

from unified_gpu import Array, Context, barrier, f32, global_id, kernel, local_id, rsqrt, shared

TILE, SOFTENING = 64, 0.01


@kernel(math="fast")
def accelerate(bodies: Array[f32, 2], acceleration: Array[f32, 2]):
    i, t, n = global_id(0), local_id(0), bodies.shape[0]
    tile = shared(f32, (TILE, 4))
    mine = i if i < n else n - 1
    x, y, z, ax, ay, az = bodies[mine, 0], bodies[mine, 1], bodies[mine, 2], f32(0), f32(0), f32(0)
    for first in range(0, n, TILE):
        for k in range(4):
            tile[t, k] = bodies[first + t, k] if first + t < n else 0
        barrier()
        for j in range(TILE):
            dx, dy, dz = tile[j, 0] - x, tile[j, 1] - y, tile[j, 2] - z
            pull = tile[j, 3] * rsqrt(dx * dx + dy * dy + dz * dz + SOFTENING) ** 3
            ax, ay, az = ax + pull * dx, ay + pull * dy, az + pull * dz
        barrier()
    if i < n:
        acceleration[i, 0], acceleration[i, 1], acceleration[i, 2] = ax, ay, az


def nbody(ctx, bodies):
    bodies, result = ctx.alloc_upload(bodies), ctx.empty((len(bodies), 3))
    ctx.launch(accelerate, len(bodies), [bodies, result], local_size=TILE)
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", help="cpu, vulkan, cuda or torch")
    with Context.default(parser.parse_args().backend) as ctx:
        print(nbody(ctx, np.random.default_rng(1).random((1000, 4), np.float32)))
