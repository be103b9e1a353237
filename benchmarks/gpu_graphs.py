"""A step of a small network, launch by launch and as a graph; prints figures as JSON for `gpu.py`.

python benchmarks/gpu_graphs.py ROUNDS [THREADS]

The step has 25 launches of kernels for arrays of a few thousand elements, forwards, backwards, and of the weights; the
backend is DL_BACKEND. `until done` waits for it, `thread` is the processor's time of the calling thread alone.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import numpy as np

from unified_gpu import Context, GpuArray, matmul, mul, relu, sub

LAUNCHES = 25
BATCH, WIDTH, LAYERS, REPEATS = 16, 16, 4, 20


def network(ctx: Context) -> Callable[[], None]:
    """A step of learning; 6 launches for each layer, and one for the error."""
    rng = np.random.default_rng(1)

    def random(*shape: int) -> GpuArray:
        return ctx.alloc_upload((rng.standard_normal(shape) / WIDTH).astype(np.float32))

    x, wanted = random(BATCH, WIDTH), random(BATCH, WIDTH)
    weights = [random(WIDTH, WIDTH) for _ in range(LAYERS)]
    sums, made, errors = ([ctx.zeros((BATCH, WIDTH)) for _ in range(LAYERS)] for _ in range(3))
    slopes = [ctx.zeros((WIDTH, WIDTH)) for _ in range(LAYERS)]

    def step() -> None:
        for layer, weight in enumerate(weights):
            matmul(made[layer - 1] if layer else x, weight, out=sums[layer])
            relu(sums[layer], out=made[layer])
        sub(made[-1], wanted, out=errors[-1])
        for layer in reversed(range(LAYERS)):
            matmul((made[layer - 1] if layer else x).T, errors[layer], out=slopes[layer])
            matmul(errors[layer], weights[layer].T, out=errors[layer - 1] if layer else sums[0])
            mul(slopes[layer], 0.01, out=slopes[layer])
            sub(weights[layer], slopes[layer], out=weights[layer])

    return step


def measured(ctx: Context, call: Callable[[], object]) -> tuple[float, float]:
    """Seconds until it is done, and of the calling thread's processor; the shortest of some runs each."""
    done, thread = [], []
    for _ in range(REPEATS):
        ctx.sync()
        start, own = time.perf_counter(), time.thread_time()
        call()
        thread.append(time.thread_time() - own)
        ctx.sync()
        done.append(time.perf_counter() - start)
    return min(done), min(thread)


def main() -> None:
    figures: dict[str, list[float]] = {}
    with Context.default() as ctx:
        step = network(ctx)
        with ctx.record() as graph:
            step()
        for call in (step, graph.launch):
            measured(ctx, call)
        for _ in range(int(sys.argv[1])):
            for name, call in (("launches", step), ("graph", graph.launch)):
                for what, seconds in zip(("until done", "thread"), measured(ctx, call), strict=True):
                    figures.setdefault(f"{what}: {name}", []).append(seconds)
        print(json.dumps({"figures": figures, "device": ctx.device.name}))


if __name__ == "__main__":
    main()
