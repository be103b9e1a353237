"""Several processes that combine arrays, by torch.distributed: NCCL between GPUs, gloo between CPUs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from unified_gpu.arrays.array import GpuArray
from unified_gpu.backends import DLPACK_CPU, DLPACK_CUDA
from unified_gpu.context import Context
from unified_gpu.errors import BackendUnavailable, ProcessGroupError
from unified_gpu.runtime.context import StreamContext
from unified_gpu.runtime.stream import Stream


class Processes:
    """A group of processes.

    Args:
        group: "env" for the one that the environment names (RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT), or a group of
            torch.distributed.
        contexts: this process's own.

    Raises:
        BackendUnavailable: when torch is not installed, or has no such thing.
        ValueError: when `group` is something else, or the environment names none.

    Attributes:
        rank: the number of this process.
        count: of all processes.
        arrays: that are combined: one of each context of each process.
    """

    def __init__(self, group: object, contexts: Sequence[Context]) -> None:
        self._torch, self._dist = _import()
        kind = contexts[0].device.dlpack_type
        self._on_gpu = kind == DLPACK_CUDA
        self._is_copied = kind not in (DLPACK_CPU, DLPACK_CUDA)  # torch has no tensors in such memory
        self._made = group == "env" and not self._dist.is_initialized()
        if self._made:
            self._join()
        elif isinstance(group, str) and group != "env":
            raise ValueError(f"processes={group!r} is not understood; use 'env', or a group of torch.distributed")
        self._group = None if isinstance(group, str) else group
        try:
            self.rank: int = self._dist.get_rank(self._group)
            self.count: int = self._dist.get_world_size(self._group)
            ours = self._torch.tensor(
                [len(contexts)], device=f"cuda:{contexts[0].device_id}" if self._on_gpu else "cpu"
            )
            self._dist.all_reduce(ours, group=self._group)
            self.arrays = int(ours.item())
        except BaseException:
            self.close()
            raise

    @staticmethod
    def local_rank() -> int:
        """The number of this process on its machine."""
        return int(os.environ.get("LOCAL_RANK", 0))

    def all_reduce(self, array: GpuArray, op: str, stream: Stream) -> None:
        """Combine an array with those of the other processes, after the stream's work and before what comes later.

        Raises:
            ProcessGroupError: when one of them is not there any more.
        """
        if not self._on_gpu:
            stream.synchronize()
        combine = {"max": self._dist.ReduceOp.MAX, "min": self._dist.ReduceOp.MIN}.get(op, self._dist.ReduceOp.SUM)
        held = array.download(stream=stream) if self._is_copied else None
        tensor = self._torch.from_dlpack(array) if held is None else self._torch.from_numpy(held)
        try:
            with self._current(array.context, stream):
                self._dist.all_reduce(tensor, combine, group=self._group)
        except RuntimeError as error:
            raise ProcessGroupError(
                f"process {self.rank} of {self.count} could not combine its array with the others': one has ended, or "
                "they called all_reduce with different arrays. The group is of no more use: look at what the others "
                "printed, and start all processes again"
            ) from error
        if held is not None:
            array.upload(held, stream=stream)

    def close(self) -> None:
        """Leave the group, if it was joined here."""
        if self._made and self._dist.is_initialized():
            self._dist.destroy_process_group()

    def _join(self) -> None:
        missing = [name for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT") if name not in os.environ]
        if missing:
            raise ValueError(f"the environment names no processes: {', '.join(missing)} missing; start it by torchrun")
        self._dist.init_process_group("nccl" if self._on_gpu else "gloo")

    def _current(self, context: StreamContext, stream: Stream) -> AbstractContextManager[object]:
        """NCCL queues its work on torch's current stream."""
        if not self._on_gpu:
            return nullcontext()
        theirs = self._torch.cuda.ExternalStream(stream.pointer(), device=context.device_id)
        made: AbstractContextManager[object] = self._torch.cuda.stream(theirs)
        return made


def _import() -> tuple[Any, Any]:
    try:
        import torch
        import torch.distributed as dist
    except ImportError as error:
        raise BackendUnavailable(
            f"several processes work together by torch.distributed ({error}); pip install torch"
        ) from error
    if not dist.is_available():
        raise BackendUnavailable("this torch was built without torch.distributed")
    return torch, dist
