"""Several GPUs, or two devices of the CPU: batches on all of them, a model trained on them, and two processes.

python examples/multi_gpu.py [--backend cpu] [--batches 64] [--steps 200]

Without a GPU the CPU plays two devices, which share its cores: it shows that the program is right, not that it is fast.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

os.environ.setdefault("CPU_FFI_DEVICES", "2")  # read when the CPU is first used

import numpy as np

from unified_gpu import BackendUnavailable, Context, GpuArray, MultiContext, Pipeline, preferred_backend, relu
from unified_gpu.backends import load_backend

FEATURES, HIDDEN, ROWS = 16, 32, 256
TRUE_NOISE = 0.05


def main() -> None:
    parser = argparse.ArgumentParser(description="Work on several devices at once.")
    parser.add_argument("--backend", help="cuda, torch, vulkan or cpu; the best one here by default")
    parser.add_argument("--batches", type=int, default=64, help="how many batches the devices compute")
    parser.add_argument("--steps", type=int, default=200, help="of the training")
    parser.add_argument("--process", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    backend = options.backend or preferred_backend()
    if options.process:
        train(backend, options.steps, processes="env")
        return
    deal(backend, options.batches)
    train(backend, options.steps)
    two_processes(backend, options.steps)


def open_devices(backend: str, processes: str | None = None) -> MultiContext:
    """All devices; one that is alone plays two, and with several processes each has a GPU of its own."""
    found = load_backend(backend)
    alone = found.device_count() == 1 and not (processes and found.accelerator)
    return MultiContext([0, 0] if alone else None, backend=backend, processes=processes)


# --- batches for the next free device ---------------------------------------------------------------------------------


def deal(backend: str, count: int) -> None:
    """The same batches by one device and by all; the results come in order."""
    batches = [np.full((512, 512), number, np.float32) for number in range(count)]
    weights = np.eye(512, dtype=np.float32) * 2
    with Context(backend) as ctx, Pipeline(ctx) as pipe:
        matrix = ctx.alloc_upload(weights)
        list(pipe.map(batches[:4], lambda x: x @ matrix))  # whatever is set up at first use is
        start = time.perf_counter()
        alone = [result[0, 0] for result in pipe.map(batches, lambda x: x @ matrix)]
        one = time.perf_counter() - start
    with open_devices(backend) as multi:
        matrices: dict[object, GpuArray] = dict(zip(multi.contexts, multi.replicate(weights), strict=True))

        def compute(x: GpuArray) -> GpuArray:
            return x @ matrices[x.context]

        list(multi.map(batches[:4], compute))
        before = multi.batch_counts
        start = time.perf_counter()
        together = [result[0, 0] for result in multi.map(batches, compute)]
        all_of_them = time.perf_counter() - start
        counts = [after - first for after, first in zip(multi.batch_counts, before, strict=True)]
        if together != alone or together != [2.0 * number for number in range(count)]:
            raise SystemExit("the results are wrong or out of order")
        print(f"devices: {multi}, batches of each: {counts}")
        print(f"{count} batches: one device {one * 1e3:.0f} ms, {len(multi)} devices {all_of_them * 1e3:.0f} ms")


# --- one model, its gradients averaged over devices and processes ----------------------------------------------------


class Replica:
    """A network of two layers on one device, and its share of the data."""

    def __init__(self, context: Context, seed: int) -> None:
        weights = np.random.default_rng(0)  # the same in every replica
        self.context = context
        self.first = context.alloc_upload(weights.normal(0, 0.3, (FEATURES, HIDDEN)).astype(np.float32))
        self.second = context.alloc_upload(weights.normal(0, 0.3, (HIDDEN, 1)).astype(np.float32))
        self.batches = self._batches(seed)

    def _batches(self, seed: int) -> Iterator[tuple[GpuArray, GpuArray]]:
        """Samples of a function to learn; every replica draws others."""
        random = np.random.default_rng(seed)
        while True:
            x = random.normal(size=(ROWS, FEATURES)).astype(np.float32)
            y = np.maximum(x[:, :1] - x[:, 1:2], 0) + random.normal(0, TRUE_NOISE, (ROWS, 1)).astype(np.float32)
            yield self.context.alloc_upload(x), self.context.alloc_upload(y)

    def gradients(self) -> tuple[GpuArray, GpuArray, GpuArray]:
        """Of the mean squared error of the next batch: for both layers, and the error itself."""
        x, y = next(self.batches)
        hidden = x @ self.first
        active = relu(hidden)
        error = active @ self.second - y
        slope = error * (2 / ROWS)
        second = active.T @ slope
        passed = (slope @ self.second.T) * (hidden > 0).cast("f32")
        return x.T @ passed, second, (error * error).mean().reshape(1)

    def step(self, first: GpuArray, second: GpuArray, rate: float) -> None:
        self.first = self.first - first * rate
        self.second = self.second - second * rate


def train(backend: str, steps: int, processes: str | None = None) -> None:
    """Each device has its own batches; the gradients are averaged, so all replicas stay the same."""
    with open_devices(backend, processes) as multi:
        replicas = [
            Replica(context, 1 + multi.rank * len(multi) + number) for number, context in enumerate(multi.contexts)
        ]
        losses = []
        start = time.perf_counter()
        for _ in range(steps):
            found = [replica.gradients() for replica in replicas]
            for arrays in zip(*found, strict=True):
                multi.all_reduce(arrays, "mean")
            for replica, (first, second, _) in zip(replicas, found, strict=True):
                replica.step(first, second, rate=0.05)
            losses.append(found[0][2].item())
        seconds = time.perf_counter() - start
        weights = [replica.first.download() for replica in replicas]
        if any(not np.array_equal(weights[0], other) for other in weights[1:]):
            raise SystemExit("the replicas have drifted apart")
        where = (
            f"{multi.process_count} processes with {len(multi)} devices each" if processes else f"{len(multi)} devices"
        )
        if multi.rank == 0:
            print(
                f"training on {where}: loss {losses[0]:.3f} to {losses[-1]:.3f} in {steps} steps, "
                f"{seconds / steps * 1e3:.2f} ms each; weights {weights[0].sum():.6f}"
            )


def two_processes(backend: str, steps: int) -> None:
    """The same with two processes on this machine, as torchrun would start them."""
    try:
        import torch
    except ImportError:
        print("two processes: left out, torch is not installed")
        return
    if backend != "cpu" and torch.cuda.is_available() and torch.cuda.device_count() < 2:
        print("two processes: left out, NCCL wants a GPU for each")
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, __file__, "--process", "--backend", backend, "--steps", str(steps)]
    places = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    running = [
        subprocess.Popen(command, env={**os.environ, **places, "RANK": str(rank), "LOCAL_RANK": str(rank)})
        for rank in range(2)
    ]
    if [process.wait(timeout=300) for process in running] != [0, 0]:
        raise SystemExit("one of the two processes has failed")


if __name__ == "__main__":
    try:
        main()
    except BackendUnavailable as error:
        raise SystemExit(str(error)) from None
