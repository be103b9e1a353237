"""An endless pipeline for someone to interrupt by Ctrl-C; says "begun", and at the end whether the pipeline can go on.

python -m tests.gpu.interrupt_process
"""

from __future__ import annotations

import itertools
import os

import numpy as np

from unified_gpu import Context, GpuArray, Pipeline


def compute(x: GpuArray) -> GpuArray:
    for _ in range(20):
        x *= 1.0
    return x


def main() -> None:
    done = 0
    with Context(os.environ["DL_BACKEND"]) as ctx, Pipeline(ctx) as pipe:
        try:
            for number, result in enumerate(
                pipe.map((np.full(100_000, i % 7, "f4") for i in itertools.count()), compute)
            ):
                assert (result == number % 7).all()
                done += 1
                if done == 3:
                    print("begun", flush=True)
        finally:
            again = [float(result[0]) for result in pipe.map([np.ones(3, np.float32)] * 4, compute)]
            print(f"goes on: {again == [1.0] * 4}", flush=True)


if __name__ == "__main__":
    main()
