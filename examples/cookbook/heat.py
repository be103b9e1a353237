"""Heat in a plate: each thread takes the mean of four neighbours; two arrays change places after each step."""

import argparse

from unified_gpu import Array, Context, f32, global_id, kernel


@kernel
def step(old: Array[f32, 2], new: Array[f32, 2], rate: f32):
    i, j = global_id(0), global_id(1)
    if 0 < i < old.shape[0] - 1 and 0 < j < old.shape[1] - 1:
        around = old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1]
        new[i, j] = old[i, j] + rate * (around - 4 * old[i, j])
    else:
        new[i, j] = old[i, j]


def heat(ctx, plate, steps, rate=0.2):
    old = ctx.alloc_upload(plate)
    new = ctx.empty_like(old)
    for _ in range(steps):
        ctx.launch(step, old.shape, [old, new, rate])
        old, new = new, old
    return old


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", help="cpu, vulkan, cuda or torch")
    with Context.default(parser.parse_args().backend) as ctx:
        plate = ctx.zeros((64, 64))
        plate[0] = 100.0
        print(heat(ctx, plate.download(), 100)[:, 32])
