"""Kernels in Python: a simulation of bodies that attract each other, on whichever device there is.

python examples/python_kernels.py [--backend cuda|vulkan|cpu] [--bodies 500] [--steps 20]
"""

from __future__ import annotations

import argparse

import numpy as np

from unified_gpu import Array, Context, atomic_add, barrier, device, f32, global_id, kernel, local_id, rsqrt, shared

GRAVITY, SOFTENING = 1.0, 0.05


@device
def attraction(dx, dy, dz, mass):
    """How strongly a body pulls, over the distance."""
    near = rsqrt(dx * dx + dy * dy + dz * dz + SOFTENING)
    return GRAVITY * mass * near * near * near


@kernel
def push(places: Array[f32, 2], speeds: Array[f32, 2], mass: Array[f32, 1], step: f32):
    i = global_id(0)
    x, y, z = places[0, i], places[1, i], places[2, i]
    ax, ay, az = 0.0, 0.0, 0.0
    for j in range(mass.shape[0]):
        dx, dy, dz = places[0, j] - x, places[1, j] - y, places[2, j] - z
        pull = attraction(dx, dy, dz, mass[j])
        ax += pull * dx
        ay += pull * dy
        az += pull * dz
    speeds[0, i] += step * ax
    speeds[1, i] += step * ay
    speeds[2, i] += step * az


@kernel
def move(places: Array[f32, 2], speeds: Array[f32, 2], step: f32):
    axis, i = global_id(0), global_id(1)
    places[axis, i] += step * speeds[axis, i]


@kernel
def momentum(speeds: Array[f32, 2], mass: Array[f32, 1], total: Array[f32, 1]):
    part = shared(f32, 128)
    axis, i, t = global_id(0), global_id(1), local_id(1)
    part[t] = speeds[axis, i] * mass[i] if i < mass.shape[0] else 0
    barrier()
    if t == 0:
        found = 0.0
        for k in range(128):
            found += part[k]
        atomic_add(total, axis, found)


def main() -> None:
    parser = argparse.ArgumentParser(description="Bodies that attract each other.")
    parser.add_argument("--backend")
    parser.add_argument("--bodies", type=int, default=500)
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    count = options.bodies
    with Context(options.backend) if options.backend else Context.default() as ctx:
        places = ctx.alloc_upload(rng.standard_normal((3, count)).astype(np.float32))
        speeds = ctx.alloc_zeros((3, count))
        mass = ctx.alloc(count).fill(1 / count)
        for _ in range(options.steps):
            ctx.launch(push, count, [places, speeds, mass, 0.01])
            ctx.launch(move, (3, count), [places, speeds, 0.01])
        total = ctx.alloc_zeros(3)
        ctx.launch(momentum, (3, count), [speeds, mass, total], local_size=(1, 128))
        speed = (speeds * speeds).sum(axis=0).sqrt().mean().item()
        print(f"{count} bodies, {options.steps} steps on {ctx}: mean speed {speed:.3f}")
        print(f"momentum: {max(map(abs, total.tolist())):.1e}, which should be 0 but for rounding")


if __name__ == "__main__":
    main()
