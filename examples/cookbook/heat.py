"""Heat in a plate: each thread looks at four neighbours; two steps, there and back, are one graph."""

import argparse

from unified_gpu import Array, Context, f32, global_id, kernel

AROUND = ((-1, 0), (1, 0), (0, -1), (0, 1))


@kernel
def step(old: Array[f32, 2], new: Array[f32, 2], rate: f32 = f32(0.2)):
    i, j, change = global_id(0), global_id(1), f32(0)
    if 0 < i < old.shape[0] - 1 and 0 < j < old.shape[1] - 1:
        for down, right in AROUND:
            change += old[i + down, j + right] - old[i, j]
    new[i, j] = old[i, j] + rate * change


def heat(ctx, plate, pairs):
    plate = ctx.alloc_upload(plate)
    other = ctx.empty_like(plate)
    with ctx.record() as two_steps:
        ctx.launch(step, plate.shape, [plate, other])
        ctx.launch(step, plate.shape, [other, plate])
    for _ in range(pairs):
        two_steps.launch()
    return plate


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", help="cpu, vulkan, cuda or torch")
    with Context.default(parser.parse_args().backend) as ctx:
        plate = ctx.zeros((64, 64))
        plate[0] = 100.0
        print(heat(ctx, plate.download(), 50)[:, 32])
