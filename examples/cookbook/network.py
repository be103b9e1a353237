"""A small network learns: the step is recorded once as a graph, and launched as often as it is wanted."""

import argparse

import numpy as np

from unified_gpu import Context, elementwise, matmul, mul, sub


@elementwise
def backwards(gradient: float, hidden: float) -> float:
    return gradient * (1 - hidden * hidden)


def train(ctx, x, y, weights, rounds, rate=0.1):
    x, y = ctx.alloc_upload(x), ctx.alloc_upload(y)
    first, second = (ctx.alloc_upload(each) for each in weights)
    hidden, made = ctx.empty((len(x), first.shape[1])), ctx.empty(y.shape)
    at_hidden, at_first, at_second = ctx.empty_like(hidden), ctx.empty_like(first), ctx.empty_like(second)
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
    return first, second, (made * made).mean()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", help="cpu, vulkan, cuda or torch")
    with Context.default(parser.parse_args().backend) as ctx:
        rng = np.random.default_rng(1)
        x = rng.uniform(-1, 1, (256, 2)).astype("f4")
        weights = rng.normal(size=(2, 16)).astype("f4"), rng.normal(size=(16, 1)).astype("f4")
        print(f"error {train(ctx, x, x[:, :1] * x[:, 1:], weights, 2000)[2].item():.5f}")
