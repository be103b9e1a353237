"""A small network learns: the step is recorded once as a graph, and launched as often as it is wanted."""

import argparse

import numpy as np

from unified_gpu import Context, elementwise, matmul, mul, sub


@elementwise
def backwards(gradient: float, hidden: float) -> float:
    return gradient * (1 - hidden * hidden)


def train(ctx, x, y, weights, rounds, rate=0.1):
    x, y, first, second = map(ctx.alloc_upload, (x, y, *weights))
    hidden, made = ctx.empty((len(x), first.shape[1])), ctx.empty_like(y)
    at_hidden, at_first, at_second = map(ctx.empty_like, (hidden, first, second))
    with ctx.record() as step:
        matmul(x, first, out=hidden).tanh(out=hidden)
        sub(matmul(hidden, second, out=made), y, out=made)
        matmul(hidden.T, made, out=at_second)
        backwards(matmul(made, second.T, out=at_hidden), hidden, out=at_hidden)
        matmul(x.T, at_hidden, out=at_first)
        for weight, gradient in ((first, at_first), (second, at_second)):
            sub(weight, mul(gradient, rate / len(x), out=gradient), out=weight)
    for _ in range(rounds):
        step.launch()
    return (made * made).mean().item()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", help="cpu, vulkan, cuda or torch")
    with Context.default(parser.parse_args().backend) as ctx:
        rng = np.random.default_rng(1)
        x = rng.uniform(-1, 1, (256, 2)).astype("f4")
        weights = [rng.normal(size=shape).astype("f4") for shape in ((2, 16), (16, 1))]
        print(f"error {train(ctx, x, np.sin(2 * x.sum(1, keepdims=True)), weights, 2000):.5f}")
