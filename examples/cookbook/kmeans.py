"""K-means: each thread assigns a point to its nearest centre, and adds it to the sum of that by atomics."""

import argparse

import numpy as np

from unified_gpu import Array, Context, atomic_add, f32, global_id, i32, kernel


@kernel
def assign(points: Array[f32, 2], centres: Array[f32, 2], label: Array[i32, 1], sums: Array[f32, 2], counts):
    point, best, nearest = points[global_id(0)], f32(1e30), 0
    for k in range(len(centres)):
        distance, centre = f32(0), centres[k]
        for axis in range(len(point)):
            distance += (point[axis] - centre[axis]) ** 2
        if distance < best:
            best, nearest = distance, k
    label[global_id(0)] = nearest
    atomic_add(counts, nearest, 1)
    for axis in range(len(point)):
        atomic_add(sums[nearest], axis, point[axis])


def kmeans(ctx, points, centres, rounds=10):
    points, centres = ctx.alloc_upload(points), ctx.alloc_upload(centres)
    label, sums, counts = ctx.alloc(len(points), "i32"), ctx.zeros(centres.shape), ctx.zeros(len(centres), "i32")
    for _ in range(rounds):
        ctx.launch(assign, len(points), [points, centres, label, sums.fill(0), counts.fill(0)])
        centres = sums / counts.cast("f32")[:, None]
    return centres, label


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", help="cpu, vulkan, cuda or torch")
    with Context.default(parser.parse_args().backend) as ctx:
        points = np.random.default_rng(1).normal(size=(10_000, 2)).astype("f4")
        print(*kmeans(ctx, points, points[:4]), sep="\n")
