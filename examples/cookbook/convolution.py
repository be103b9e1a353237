"""A convolution of an image: the weights are compiled in, the loops over them unrolled, and the border is repeated."""

import argparse

import numpy as np

from unified_gpu import Array, Context, f32, global_id, kernel

SHARPEN = ((0.0, -1.0, 0.0), (-1.0, 5.0, -1.0), (0.0, -1.0, 0.0))


@kernel
def convolve(image: Array[f32, 2], result: Array[f32, 2]):
    i, j, total = global_id(0), global_id(1), f32(0)
    for di, row in enumerate(SHARPEN):
        for dj, weight in enumerate(row):
            if weight != 0:
                y = min(max(i + di - 1, 0), image.shape[0] - 1)
                x = min(max(j + dj - 1, 0), image.shape[1] - 1)
                total += weight * image[y, x]
    result[i, j] = total


def convolution(ctx, image):
    image = ctx.alloc_upload(image)
    result = ctx.empty_like(image)
    ctx.launch(convolve, image.shape, [image, result])
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", help="cpu, vulkan, cuda or torch")
    with Context.default(parser.parse_args().backend) as ctx:
        print(convolution(ctx, np.random.default_rng(1).random((6, 8), np.float32)))
