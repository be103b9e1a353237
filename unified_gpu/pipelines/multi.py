"""Several devices at once: each takes the next batch when it has room; arrays are reduced over devices or processes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextvars import copy_context
from typing import Any, Literal, Self

from unified_gpu.arrays import operations as ops
from unified_gpu.arrays.array import GpuArray
from unified_gpu.backends import Gpu, choose_device, load_backend
from unified_gpu.context import Context
from unified_gpu.errors import MixedContextsError

from .distributed import Processes
from .pipeline import Pipeline

__all__ = ["MultiContext"]

Compute = Callable[[Any], Any]
Combination = Literal["sum", "mean", "max", "min"]

_COMBINE = {"sum": ops.add, "mean": ops.add, "max": ops.maximum, "min": ops.minimum}
_AHEAD = 4
"""For how many batches a device there is room among the results that wait for an earlier one."""


class MultiContext:
    """A context on each of several devices of one backend: `with MultiContext() as multi:`.

    Args:
        devices: numbers, names like `cuda:1`, or what `diagnose()` lists; all of the backend's by default, and with
            `processes` on GPUs the one that LOCAL_RANK names. A device may be named twice.
        backend: as for `Context`.
        dtype: as for `Context`.
        depth: batches in flight on each device, see `Pipeline`.
        processes: those whose arrays `all_reduce` combines: None for none; "env" for the processes that the environment
            names, as torchrun sets it; or a group of `torch.distributed`.

    Raises:
        BackendUnavailable, DeviceNotFound, ValueError, TypeError: as `Context` does; when `processes` are asked for
            without torch; and for devices that are no list, or an empty one.

    Attributes:
        contexts: one a device, in order.
    """

    def __init__(
        self,
        devices: Sequence[int | str | Gpu] | None = None,
        *,
        backend: str | None = None,
        dtype: object = "f32",
        depth: int = 3,
        processes: object = None,
    ) -> None:
        if devices is None:
            chosen = _all_devices(backend, processes)
        elif isinstance(devices, str) or not isinstance(devices, Sequence):
            raise TypeError(f"devices is a list, as [0, 1] or ['cuda:0', 'cuda:1'], not {devices!r}")
        elif not devices:
            raise ValueError("there are no devices in this list; leave it out for all of the backend")
        else:
            chosen = [choose_device(backend, device) for device in devices]
        if len({name for name, _ in chosen}) > 1:
            raise ValueError(f"the devices are of several backends: {', '.join(f'{n}:{i}' for n, i in chosen)}")
        opened: list[Context] = []
        try:
            for name, index in chosen:
                opened.append(Context(name, index, dtype=dtype))
            self.contexts = tuple(opened)
            self._pipelines = tuple(Pipeline(context, depth, traced=0) for context in opened)
            self._processes = Processes(processes, self.contexts) if processes is not None else None
        except BaseException:
            for context in opened:
                context.close()
            raise
        self._batch_counts = [0] * len(chosen)
        self._busy = threading.Lock()

    def __len__(self) -> int:
        """How many devices there are in this process."""
        return len(self.contexts)

    @property
    def batch_counts(self) -> tuple[int, ...]:
        """How many batches each device has computed."""
        return tuple(self._batch_counts)

    @property
    def rank(self) -> int:
        """The number of this process among those that work together."""
        return self._processes.rank if self._processes else 0

    @property
    def process_count(self) -> int:
        """How many processes work together."""
        return self._processes.count if self._processes else 1

    def replicate(self, data: Any, dtype: object = None) -> list[GpuArray]:
        """The same data on every device: one array for each context; see `Context.alloc_upload`."""
        return [context.alloc_upload(data, dtype) for context in self.contexts]

    def map(self, batches: Iterable[Any], compute: Compute | Sequence[Compute]) -> Generator[Any, None, None]:
        """The results of all batches, in their order; each device takes the next batch when it has room for it.

        Args:
            batches: read by the devices' threads, one at a time; see `Pipeline` for what a batch is.
            compute: gets a batch's arrays and returns the results, see `Pipeline`; `array.context` is the device. Or
                one function for each device.

        Yields:
            For each batch what `compute` returned, on the host; see `Pipeline.map`.

        Raises:
            Exception: whatever a batch raised, with its number in a note, after the results of all batches before it,
                when nothing is queued any more.
            RuntimeError: when another `map` is not finished yet.
            ClosedError: after `close()`.
        """
        computes = list(compute) if isinstance(compute, Sequence) else [compute] * len(self.contexts)
        if len(computes) != len(self.contexts):
            raise ValueError(f"there are {len(computes)} functions for {len(self.contexts)} devices")
        return self._results(batches, computes)

    def _results(self, batches: Iterable[Any], computes: list[Compute]) -> Generator[Any, None, None]:
        self._check_open()
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("another map of these devices is not finished: close it, or make a second MultiContext")
        queue = _BatchQueue(iter(batches), room=_AHEAD * len(self.contexts))
        threads = [
            threading.Thread(target=copy_context().run, args=(self._work, queue, device, compute), daemon=True)
            for device, compute in enumerate(computes)
        ]
        queue.workers = len(threads)
        try:
            for thread in threads:
                thread.start()
            while True:
                found, result = queue.next_result()
                if not found:
                    return
                yield result
        finally:
            queue.stop()
            for pipeline in self._pipelines:
                pipeline.cancel()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()
            self._busy.release()

    def _work(self, queue: _BatchQueue, device: int, compute: Compute) -> None:
        """Compute batches on one device until there are no more."""
        numbers: list[int] = []
        done = 0
        results = self._pipelines[device].map(queue.take(numbers), compute)
        try:
            for result in results:
                self._batch_counts[device] += 1
                if not queue.deliver(numbers[done], result):
                    break
                done += 1
        except BaseException as error:
            number = numbers[done] if done < len(numbers) else queue.read
            error.add_note(f"unified_gpu.MultiContext: batch {number} of all, on {self.contexts[device]}")
            queue.fail(number, error)
        finally:
            results.close()
            queue.leave()

    def all_reduce(self, arrays: Sequence[GpuArray], op: Combination = "mean") -> None:
        """Combine one array of each device, in place: afterwards all have the same elements.

        It is queued on the current stream of each context, and comes after what is queued there. With `processes`, the
        arrays of all processes are combined, by torch.distributed; all of them must call it, with the same shapes, in
        the same order. On the CPU that waits.

        Args:
            arrays: one of each context, in order; of one shape and dtype, contiguous.
            op: `mean` and floats, or `sum`, `max`, `min`.

        Raises:
            MixedContextsError: when the arrays are not one of each context.
            ValueError: for different shapes, an array that is not contiguous, or another `op`.
            TypeError: for different dtypes, or the mean of integers.
            ProcessGroupError: when another process has ended or cannot be reached.
        """
        self._check_open()
        self._check_arrays(arrays, op)
        root = self.contexts[0]
        first, rest = arrays[0], arrays[1:]
        streams = [context.current_stream for context in self.contexts]
        root_stream = streams[0]
        if not first.size:
            return
        for stream in streams[1:]:
            stream._make_wait(root_stream.handle)
        if rest:
            incoming = root.alloc(first.shape, first.dtype, stream=root_stream)
            for array in rest:
                _copy(incoming, array, root_stream)
                _COMBINE[op](first, incoming, out=first, stream=root_stream)
        total = len(arrays)
        if self._processes is not None:
            self._processes.all_reduce(first, op, root_stream)
            total = self._processes.arrays
        if op == "mean":
            ops.mul(first, 1 / total, out=first, stream=root_stream)
        for array in rest:
            _copy(array, first, root_stream)
        for array, stream in zip(arrays, streams, strict=True):
            array._record_stream(stream)
            if stream is not root_stream:
                root_stream._make_wait(stream.handle)

    def _check_arrays(self, arrays: Sequence[GpuArray], op: str) -> None:
        if op not in _COMBINE:
            raise ValueError(f"arrays are combined by {', '.join(_COMBINE)}, not by {op!r}")
        if [getattr(array, "context", None) for array in arrays] != list(self.contexts):
            raise MixedContextsError(f"give one array of each of the {len(self)} contexts, in their order")
        first = arrays[0]
        for array in arrays:
            if array.dtype is not first.dtype:
                raise TypeError(f"the arrays are of {first.dtype} and {array.dtype}; cast one of them")
            if array.shape != first.shape:
                raise ValueError(f"the arrays have the shapes {list(first.shape)} and {list(array.shape)}")
            if not array.is_contiguous:
                raise ValueError("an array is transposed; use its contiguous() copy")
        if op == "mean" and not first.dtype.is_float:
            raise TypeError(f"the mean is for floats, not for {first.dtype}; cast the arrays to f32")

    def sync(self) -> None:
        """Wait for all work of all devices; raises what queued work has raised."""
        self._check_open()
        for context in self.contexts:
            context.sync()

    def close(self) -> None:
        """Wait for all work and give everything back; closing it again does nothing."""
        for pipeline in self._pipelines:
            pipeline.close()
        for context in self.contexts:
            context.close()
        if self._processes is not None:
            self._processes.close()
            self._processes = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<MultiContext {', '.join(f'{c.backend_name}:{c.device_id}' for c in self.contexts)}>"

    def _check_open(self) -> None:
        for context in self.contexts:
            context.check_open()


class _BatchQueue:
    """A queue of batches: each device takes the next one; results are delivered in the order of the batches.

    A device that is ahead waits before it delivers a result for which there is no room. The one that has the next
    result never waits, so that all go on.
    """

    def __init__(self, source: Iterator[Any], room: int) -> None:
        self.workers = 0
        self.read = 0
        self._source = source
        self._room = room
        self._reading = threading.Lock()
        self._changed = threading.Condition()
        self._results: dict[int, Any] = {}
        self._next = 0
        self._stopped = False
        self._failure: tuple[int, BaseException] | None = None

    def take(self, numbers: list[int]) -> Iterator[Any]:
        """Batches for one device, whose numbers are put into `numbers`."""
        while True:
            with self._reading:
                if self._stopped or self._failure:
                    return
                try:
                    batch = next(self._source)
                except StopIteration:
                    return
                numbers.append(self.read)
                self.read += 1
            yield batch

    def deliver(self, number: int, result: Any) -> bool:
        """Deliver a result; False when it is no longer wanted."""
        with self._changed:
            self._changed.wait_for(lambda: number < self._next + self._room or self._is_unwanted(number))
            if self._is_unwanted(number):
                return False
            self._results[number] = result
            self._changed.notify_all()
            return True

    def fail(self, number: int, error: BaseException) -> None:
        """Remember the failure of the earliest batch."""
        with self._changed:
            if self._failure is None or number < self._failure[0]:
                self._failure = number, error
            self._changed.notify_all()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def leave(self) -> None:
        with self._changed:
            self.workers -= 1
            self._changed.notify_all()

    def next_result(self) -> tuple[bool, Any]:
        """The next result when it is there; (False, None) after the last, and the failure of a batch in its turn."""
        with self._changed:
            self._changed.wait_for(lambda: self._next in self._results or not self.workers)
            if self._next in self._results:
                result = self._results.pop(self._next)
                self._next += 1
                self._changed.notify_all()
                return True, result
            if self._failure is not None:
                raise self._failure[1]
            return False, None

    def _is_unwanted(self, number: int) -> bool:
        return self._stopped or (self._failure is not None and number > self._failure[0])


def _all_devices(backend: str | None, processes: object) -> list[tuple[str, int]]:
    name, _ = choose_device(backend, None)
    found = load_backend(name)
    if processes is not None and found.accelerator:
        return [(name, Processes.local_rank() % found.device_count())]
    return [(name, index) for index in range(found.device_count())]


def _copy(out: GpuArray, source: GpuArray, stream: Any) -> None:
    """Queue a copy between devices."""
    stream.context.device.copy(
        out._allocation.memory, out._offset, source._allocation.memory, source._offset, out.size_bytes, stream.handle
    )
