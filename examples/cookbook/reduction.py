"""The mean and variance of more data than a device need hold: parts are uploaded while others are reduced."""

import argparse

import numpy as np

from unified_gpu import Context, Pipeline


def moments(x):
    wide = x.cast("f64")
    return wide.sum(), (wide * wide).sum()


def mean_and_variance(ctx, parts):
    total = squares = 0.0
    with Pipeline(ctx, depth=3) as pipe:
        for added, squared in pipe.map(parts, moments):
            total, squares = total + float(added), squares + float(squared)
        count = pipe.statistics.uploaded_bytes // 4
    return total / count, squares / count - (total / count) ** 2


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", help="cpu, vulkan, cuda or torch")
    parser.add_argument("--megabytes", type=int, default=2048)
    options = parser.parse_args()
    with Context.default(options.backend) as ctx:
        rng = np.random.default_rng(1)
        parts = (rng.random(1 << 22, np.float32) for _ in range(options.megabytes // 16))
        print("mean {:.6f}, variance {:.6f}".format(*mean_and_variance(ctx, parts)))
