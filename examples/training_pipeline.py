"""A small network learns handwritten digits; its batches are prepared and uploaded while the one before is learnt.

python examples/training_pipeline.py [--backend cuda|torch|vulkan|cpu] [--epochs 15]

The digits ship with scikit-learn (1,797 pictures of 8 by 8). Without it the example says so and draws its own.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from unified_gpu import Context, GpuArray, Pipeline, exp, log, relu, where

Floats = np.ndarray[Any, np.dtype[np.float32]]
BATCH, CLASSES, RATE = 64, 10, 0.3


@dataclass
class Digits:
    """Pictures, a row each with values of 0 to 1, and what they show."""

    pictures: Floats
    labels: np.ndarray[Any, np.dtype[np.int64]]

    def batches(self, random: np.random.Generator) -> Iterator[tuple[Floats, Floats]]:
        """All of them once, mixed; each a little noisier every time, so that it is not learnt by heart."""
        order = random.permutation(len(self.pictures))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            chosen = order[start : start + BATCH]
            noise = random.normal(0, 0.05, (BATCH, self.pictures.shape[1]))
            yield (
                (self.pictures[chosen] + noise).astype(np.float32),
                np.eye(CLASSES, dtype=np.float32)[self.labels[chosen]],
            )


def load_digits() -> tuple[Digits, Digits]:
    """What is learnt, and what is only asked."""
    try:
        from sklearn.datasets import load_digits as digits_of_sklearn
    except ImportError:
        print("scikit-learn is not installed (pip install scikit-learn): the digits are drawn by this example")
        pictures, labels = drawn_digits(1797)
    else:
        data: Any = digits_of_sklearn()  # for type checkers it is a pair, or it is not
        pictures, labels = (data.data / 16).astype(np.float32), data.target.astype(np.int64)
    split = len(pictures) * 4 // 5
    return Digits(pictures[:split], labels[:split]), Digits(pictures[split:], labels[split:])


def drawn_digits(count: int) -> tuple[Floats, np.ndarray[Any, np.dtype[np.int64]]]:
    """Ten patterns of 8 by 8, with noise."""
    random = np.random.default_rng(1)
    patterns = random.random((CLASSES, 64)) > 0.5
    labels = random.integers(0, CLASSES, count)
    pictures = patterns[labels] * 0.8 + random.normal(0, 0.25, (count, 64))
    return pictures.clip(0, 1).astype(np.float32), labels


class Network:
    """64 inputs, a hidden layer, ten classes; its weights stay on the device."""

    def __init__(self, ctx: Context, hidden: int = 128) -> None:
        random = np.random.default_rng(0)
        self.w1 = ctx.alloc_upload(random.normal(0, np.sqrt(2 / 64), (64, hidden)).astype(np.float32))
        self.b1 = ctx.alloc_zeros(hidden)
        self.w2 = ctx.alloc_upload(random.normal(0, np.sqrt(2 / hidden), (hidden, CLASSES)).astype(np.float32))
        self.b2 = ctx.alloc_zeros(CLASSES)

    def learn(self, batch: tuple[GpuArray, GpuArray]) -> GpuArray:
        """One step down the gradient; gives back the mean cross entropy before it, still to be computed."""
        x, wanted = batch
        hidden, chances = self.forward(x)
        loss = -(wanted * log(chances + 1e-9)).sum() / BATCH
        error = (chances - wanted) / BATCH
        back = error @ self.w2.T
        back = where(hidden > 0, back, back * 0.0)
        self.w2 -= (hidden.T @ error) * RATE
        self.b2 -= error.sum(axis=0) * RATE
        self.w1 -= (x.T @ back) * RATE
        self.b1 -= back.sum(axis=0) * RATE
        return loss

    def forward(self, x: GpuArray) -> tuple[GpuArray, GpuArray]:
        hidden = relu(x @ self.w1 + self.b1)
        scores = hidden @ self.w2 + self.b2
        powers = exp(scores - scores.max(axis=1).reshape(-1, 1))
        return hidden, powers / powers.sum(axis=1).reshape(-1, 1)

    def classes(self, pictures: GpuArray) -> GpuArray:
        return self.forward(pictures)[1]


def train(ctx: Context, data: Digits, epochs: int, depth: int) -> tuple[Network, list[float], float]:
    """A network that has learnt for so many epochs, the mean loss of each, and the seconds it took."""
    network = Network(ctx)
    random = np.random.default_rng(2)
    losses = []
    start = time.perf_counter()
    with Pipeline(ctx, depth) as pipe:
        for _ in range(epochs):
            results = pipe.map(data.batches(random), network.learn)
            losses.append(float(np.mean([float(loss) for loss in results])))
    return network, losses, time.perf_counter() - start


def accuracy(ctx: Context, network: Network, data: Digits) -> float:
    chances = np.asarray(network.classes(ctx.alloc_upload(data.pictures)).download()).reshape(-1, CLASSES)
    return float((chances.argmax(axis=1) == data.labels).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description="A small network learns handwritten digits.")
    parser.add_argument("--backend", help="cuda, torch, vulkan or cpu")
    parser.add_argument("--epochs", type=int, default=15)
    options = parser.parse_args()
    known, asked = load_digits()
    with Context(options.backend) if options.backend else Context.default() as ctx:
        print(f"on {ctx.backend_name}:{ctx.device_id}, {ctx.device_name}: {len(known.pictures)} digits to learn from")
        train(ctx, known, 1, depth=1)  # compiles and warms up
        network, losses, prefetched = train(ctx, known, options.epochs, depth=3)
        for epoch, loss in enumerate(losses, start=1):
            print(f"epoch {epoch:2}: loss {loss:.4f}")
        print(f"accuracy on {len(asked.pictures)} others: {accuracy(ctx, network, asked):.1%}")
        *_, one_by_one = train(ctx, known, options.epochs, depth=1)
        print(f"one batch at a time {one_by_one:.2f} s, prefetched {prefetched:.2f} s: {one_by_one / prefetched:.2f}x")


if __name__ == "__main__":
    main()
