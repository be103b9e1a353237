"""Bodies that attract each other: blocks bring bodies into shared memory, tile by tile, for all of their threads."""

import argparse

from unified_gpu import Array, Context, barrier, f32, global_id, kernel, local, local_id, rsqrt, shared


@kernel(math="fast")
def accelerate(bodies: Array[f32, 2], acceleration: Array[f32, 2], softening: f32 = f32(0.01)):
    i, t, n = global_id(0), local_id(0), bodies.shape[0]
    tile = shared(f32, (64, 4))
    pulled = local(f32, 3)
    for axis in (0, 1, 2):
        pulled[axis] = 0
    x, y, z = bodies[min(i, n - 1), 0], bodies[min(i, n - 1), 1], bodies[min(i, n - 1), 2]
    for first in range(0, n, 64):
        for k in (0, 1, 2, 3):
            tile[t, k] = bodies[first + t, k] if first + t < n else 0
        barrier()
        for j in range(64):
            d = tile[j, 0] - x, tile[j, 1] - y, tile[j, 2] - z
            pull = tile[j, 3] * rsqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening) ** 3
            for axis in (0, 1, 2):
                pulled[axis] += pull * d[axis]
        barrier()
    for axis in (0, 1, 2):
        if i < n:
            acceleration[i, axis] = pulled[axis]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", help="cpu, vulkan, cuda or torch")
    with Context.default(parser.parse_args().backend) as ctx:
        bodies = ctx.random.uniform((1000, 4))
        acceleration = ctx.empty((1000, 3))
        ctx.launch(accelerate, 1000, [bodies, acceleration], local_size=64)
        print(acceleration)
