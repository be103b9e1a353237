"""What a batch in flight has: pinned memory to pass through, its arrays, and the events between its stages."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from unified_gpu.arrays.array import GpuArray
from unified_gpu.arrays.host_data import host_buffer, host_data
from unified_gpu.context import Context
from unified_gpu.dtypes import DTYPES, bf16, f32
from unified_gpu.errors import MixedContextsError
from unified_gpu.runtime.event import Event
from unified_gpu.runtime.pinned import PinnedArray
from unified_gpu.runtime.stream import Stream
from unified_gpu.trace import Span

STAGES = ("upload", "compute", "download")

_ALIGNMENT = 256  # what devices copy fastest from
_PAGE = 4096


class Staging:
    """Pinned memory that grows to the largest batch, and is used again for each.

    Attributes:
        size: bytes that it has now.
    """

    def __init__(self, context: Context) -> None:
        self.size = 0
        self._context = context
        self._pinned: PinnedArray | None = None

    def slices(self, sizes: Sequence[int]) -> list[memoryview]:
        """Room for so many bytes each. The contents of earlier slices are undefined, and no copy may still use them."""
        starts, needed = [], 0
        for size in sizes:
            starts.append(needed)
            needed += -(-size // _ALIGNMENT) * _ALIGNMENT
        if needed > self.size:
            self._grow(needed)
        if self._pinned is None:
            return [memoryview(bytearray()) for _ in sizes]
        whole = self._pinned.bytes
        return [whole[start : start + size] for start, size in zip(starts, sizes, strict=True)]

    def _grow(self, needed: int) -> None:
        """By a half at least, so that slowly growing batches do not make it grow each time."""
        size = -(-max(needed, self.size + self.size // 2) // _PAGE) * _PAGE
        self.close()
        self._pinned = self._context.alloc_pinned((size,), DTYPES["u8"])
        self.size = size

    def close(self) -> None:
        """Release the memory; more is taken when it is needed."""
        if self._pinned is not None:
            self._pinned.close()
        self._pinned, self.size = None, 0


class Slot:
    """What one batch in flight has; the batch `depth` later has it next."""

    def __init__(self, context: Context, *, timed: bool) -> None:
        self.number = 0
        self.begun = [context.create_event() for _ in STAGES] if timed else []
        self.ended = [context.create_event(timing=timed) for _ in STAGES]
        self.inputs = Staging(context)
        self.outputs = Staging(context)
        self._context = context
        self.forget()

    def begin_batch(self, number: int) -> None:
        """The batch of that number has the slot now."""
        self.forget()
        self.number = number

    def end_batch(self) -> None:
        """Release the batch's arrays, as its results are delivered, but for those that other code may return again."""
        shared = [self.results[number] for number in range(len(self.results)) if self._is_reachable(number)]
        self.forget()
        self._delivered.extend(shared)

    def forget(self) -> None:
        """Release the batch's arrays."""
        self.uploaded_bytes = 0
        self._delivered: list[GpuArray] = []
        self.results: list[GpuArray] = []
        self._views: list[memoryview] = []
        self._shaped: Callable[[list[Any]], Any] = _nothing

    def begin(self, stage: str, stream: Stream) -> None:
        """The stage's work begins where the stream is now."""
        if self.begun:
            stream.record(self.begun[STAGES.index(stage)])

    def upload(self, batch: Any, stream: Stream) -> Any:
        """Copy a batch to pinned memory and queue it from there to new arrays; those, alone or as a tuple."""
        parts = [host_data(part) for part in (batch if isinstance(batch, tuple) else (batch,))]
        views = [memoryview(buffer) for buffer, _, _ in parts]
        slices = self.inputs.slices([view.nbytes for view in views])
        arrays = []
        for (_, dtype, shape), view, target in zip(parts, views, slices, strict=True):
            array = self._context.alloc(shape, dtype, stream=stream)
            arrays.append(array)
            if view.nbytes:
                target[:] = view.cast("B")
                where = array._operand()
                self._context.device.upload(where.memory, where.offset, target, stream.handle)
        self.uploaded_bytes = sum(view.nbytes for view in views)
        return tuple(arrays) if isinstance(batch, tuple) else arrays[0]

    def take(self, given: Any, others: Iterable[Slot]) -> None:
        """Keep what `compute` returned, each array without gaps and of a dtype that the host has.

        `others` have the batches that may be in flight with this one.

        Raises:
            TypeError: when it is no array of the device, nor a tuple of them.
            MixedContextsError: when it is one of another context.
            ValueError: when it lies in memory that one of `others` has returned, whether or not that is delivered:
                how quick the device was does not decide.
        """
        self._shaped = _nothing if given is None else tuple if isinstance(given, tuple | list) else _only
        for array in given if isinstance(given, tuple | list) else () if given is None else (given,):
            self._check(array, others)
            self.results.append(array.cast(f32) if array.dtype is bf16 else array.contiguous())

    def _check(self, array: Any, others: Iterable[Slot]) -> None:
        if not isinstance(array, GpuArray):
            raise TypeError(f"compute returned a {type(array).__name__}; it returns an array, a tuple of them or None")
        if array.context is not self._context:
            message = f"compute returned an array of {array.context}, the pipeline is of {self._context}"
            raise MixedContextsError.between(array.context, self._context, message)
        for slot in others:
            if any(_overlap(array, other) for other in (*slot.results, *slot._delivered)):
                raise ValueError(
                    f"compute returned the memory of batch {slot.number} again, which may still be downloaded; "
                    "return an array of its own for each batch: array.copy()"
                )

    def results_are_reachable(self) -> bool:
        """Whether other code refers to the memory of the results, so that the next batch may write to it."""
        return any(self._is_reachable(number) for number in range(len(self.results)))

    def _is_reachable(self, number: int) -> bool:
        return _references(self.results, number) > _NO_OTHERS

    def download(self, stream: Stream) -> None:
        """Queue the results to pinned memory."""
        self._views = self.outputs.slices([array.size_bytes for array in self.results])
        for array, view in zip(self.results, self._views, strict=True):
            if view.nbytes:
                where = array._operand()
                self._context.device.download(view, where.memory, where.offset, stream.handle)

    def is_complete(self) -> bool:
        """Whether its results are there, or an error that `wait` raises."""
        try:
            return self.ended[-1].query()
        except Exception:
            return True

    def result(self) -> Any:
        """The results in memory of their own."""
        copies = []
        for array, view in zip(self.results, self._views, strict=True):
            copy, target = host_buffer(array.shape, array.dtype)
            target[:] = view
            copies.append(copy)
        return self._shaped(copies)

    @property
    def downloaded_bytes(self) -> int:
        return sum(array.size_bytes for array in self.results)

    def spans(self, origin: Event) -> list[Span]:
        """When its stages ran, in milliseconds from `origin`; nothing where that is not measured."""
        if not self.begun:
            return []
        return [
            Span(stage, f"{stage} {self.number}", origin.elapsed_time(begun), origin.elapsed_time(ended), self.number)
            for stage, begun, ended in zip(STAGES, self.begun, self.ended, strict=True)
        ]

    def close(self) -> None:
        """Release events and pinned memory."""
        self.forget()
        for event in (*self.begun, *self.ended):
            event.close()
        self.inputs.close()
        self.outputs.close()


def _nothing(copies: list[Any]) -> None:
    """What is delivered when `compute` returned nothing."""


def _only(copies: list[Any]) -> Any:
    return copies[0]


def _references(results: Sequence[Any], number: int) -> int:
    """How many references there are to an array, and to the block of memory that it lies in."""
    return sys.getrefcount(results[number]) + sys.getrefcount(results[number]._allocation)


class _Alone:
    """Looks like an array with no other reference."""

    def __init__(self) -> None:
        self._allocation = object()


_NO_OTHERS = _references([_Alone()], 0)


def _overlap(one: GpuArray, other: GpuArray) -> bool:
    return one.pointer < other.pointer + other.size_bytes and other.pointer < one.pointer + one.size_bytes
