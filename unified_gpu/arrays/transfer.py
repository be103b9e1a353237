"""Transfers: copies of an array to and from the host, and on the device."""

from __future__ import annotations

from typing import Any, Self

from unified_gpu.backends import StreamHandle
from unified_gpu.dtypes import DType, Number, as_dtype, bf16, f16, f32
from unified_gpu.errors import MixedContextsError, RecordingError
from unified_gpu.optional import load_numpy
from unified_gpu.runtime.pinned import PinnedArray, is_pinned
from unified_gpu.runtime.stream import Stream
from unified_gpu.shapes import typed

from . import operations as ops
from .broadcasting import check_overlap, is_same_view, may_overlap
from .host_data import host_buffer, host_data, writable_bytes
from .layout import Layout
from .methods import Methods

_STAGED_BYTES = 64 << 10
"""Bytes of ordinary memory that a copy takes along, so that it waits for nothing."""


class Transfers(Methods):
    """An array that can be copied; see `unified_gpu.GpuArray`."""

    __slots__ = ()

    # to and from the host

    def upload(self, data: Any, *, stream: Stream | None = None, non_blocking: bool = False) -> Self:
        """Fill it from the host.

        Args:
            data: as many elements of the same dtype, flat or in the same shape: an array, a buffer or lists of numbers.
            non_blocking: return when the copy is queued. Ordinary memory is read before that, pinned memory when
                the copy's turn comes: it is kept alive, and must not be changed before the stream has come so far.

        Returns:
            The array itself.

        Raises:
            ValueError: for another number of elements, ragged lists, or an array that is not contiguous.
            TypeError: for another dtype; convert on the host, or upload as it is and `cast`.
        """
        target = self._context.stream_for(stream)
        buffer, dtype, shape = self._host_data(data)
        if dtype is not self._dtype:
            raise TypeError(
                f"{dtype} data cannot be uploaded to a {self._dtype} array; convert it on the host first, "
                f"or make an array of it with ctx.alloc_upload(data).cast({self._dtype.name!r})"
            )
        if shape != self._shape and shape != (self.size,):
            raise ValueError(f"data of shape {list(shape)} cannot be uploaded to an array of shape {list(self._shape)}")
        self._put(buffer, target, non_blocking)
        return self

    def download(self, out: Any = None, *, stream: Stream | None = None, non_blocking: bool = False) -> Any:
        """Copy it to the host.

        Args:
            out: a writable contiguous buffer of the same size and dtype, or of bytes.
            non_blocking: return when the copy is queued, and do not read before the stream has come so far; that takes
                pinned memory, which is made when `out` is left out. Into ordinary memory the copy is waited for.

        Returns:
            `out`, or a NumPy array of the same shape; without NumPy a flat `array.array`, or a memoryview for bool.
            What they do not have comes as f32: bf16, and f16 without NumPy.

        Raises:
            ValueError: when `out` has another size, or gaps.
            TypeError: when `out` has another dtype or is read-only.
        """
        target = self._context.stream_for(stream)
        if (
            out.__class__ is PinnedArray
            and out._dtype is self._dtype
            and out._shape == self._shape
            and self.is_contiguous
        ):
            source, view = self, out.bytes
        else:
            source = self if self._strides is None else self.copy(stream=target)
            if out is not None:
                view = writable_bytes(out, source.dtype, source.shape)
            else:
                if self._dtype is bf16 or (self._dtype is f16 and load_numpy() is None):
                    source = source.cast(f32, stream=target)
                if non_blocking:
                    pinned = self._context.alloc_pinned(source.shape, source.dtype)
                    out, view = pinned if load_numpy() is None else pinned.numpy(), pinned.bytes
                else:
                    out, view = host_buffer(source.shape, source.dtype)
        if view.nbytes:
            source._download(view, target, non_blocking)
        return out

    def item(self, *, stream: Stream | None = None) -> Number:
        """The value of an array of one element; raises ValueError for any other."""
        if self.size != 1:
            raise ValueError(f"an array of shape {list(self._shape)} is not a single number")
        data = bytearray(self._dtype.size)
        self._download(data, self._context.stream_for(stream), non_blocking=False)
        return self._dtype.unpack(data)

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError("an array of several elements is neither true nor false; compare item() of a single one")
        return bool(self.item())

    def __float__(self) -> float:
        """The value of a single element as a float; as `item`, it waits for it."""
        return float(self.item())

    def __int__(self) -> int:
        """The value of a single element as an int, cut off towards 0; as `item`, it waits for it."""
        return int(self.item())

    def __complex__(self) -> complex:
        """The value of a single element as a complex number; as `item`, it waits for it."""
        return complex(self.item())

    def __index__(self) -> int:
        """The value of a single whole number, as where Python wants an index; as `item`, it waits for it."""
        if self._dtype.kind not in ("int", "uint") or self.size != 1:
            raise TypeError(f"an array of {self._dtype} and shape {list(self._shape)} is not a single whole number")
        return int(self.item())

    def __format__(self, spec: str) -> str:
        """A single element in a format of numbers, as in `f"{array:.2f}"`; without one, as `str` does."""
        if not spec:
            return str(self)
        if self.size != 1:
            raise TypeError(
                f"the format {spec!r} is for a single number, not for shape {list(self._shape)}; use tolist()"
            )
        return format(self.item(), spec)

    def tolist(self, *, stream: Stream | None = None) -> Any:
        """Its elements as Python numbers, in lists as deep as it has axes."""
        if not self._shape:
            return self.item(stream=stream)
        source = self.cast(f32, stream=stream) if self._dtype in (f16, bf16) else self
        data = bytearray(source.size_bytes)
        source.download(data, stream=stream)
        if 0 in self._shape:
            return [[] for _ in range(self._shape[0])] if self._shape[0] else []
        return typed(memoryview(data), source.dtype, self._shape).tolist()

    # on the device

    def copy_to(self, out: Self, *, stream: Stream | None = None) -> Self:
        """Copy it into another array of the same context, dtype and number of elements; returns that.

        Raises:
            MixedContextsError, TypeError, ValueError: when that one is of another context, dtype or size.
        """
        if not isinstance(out, Layout):
            raise TypeError(f"an array of a device is wanted, not a {type(out).__name__}; use array.download(out)")
        if out.context is not self._context:
            message = (
                f"an array of {self._context} cannot be copied to one of {out.context}; "
                "go through the host: out.upload(array.download())"
            )
            raise MixedContextsError.between(out.context, self._context, message)
        if out.dtype is not self._dtype:
            raise TypeError(
                f"{self._dtype} cannot be copied to {out.dtype}; use array.cast({out.dtype.name!r}, out=out)"
            )
        if out.shape != self._shape and out.size != self.size:
            raise ValueError(f"shape {list(self._shape)} cannot be copied to shape {list(out.shape)}")
        target = self._context.stream_for(stream)
        if out._strides is not None:
            same = self if out.shape == self._shape else self.contiguous(stream=target).reshape(out.shape)
            ops.assign(out, same, stream=target)
            return out
        if out._allocation is self._allocation:
            check_overlap(out, self.reshape(out.shape) if self.is_contiguous else self, in_place=True)
        if self._strides is not None:
            ops.cast(self, self._dtype, out=out.reshape(self._shape), stream=target)
            return out
        size_bytes = self.size_bytes
        if size_bytes:
            self._context.device.copy(
                out._allocation.memory, out._offset, self._allocation.memory, self._offset, size_bytes, target.handle
            )
            self._record_stream(target)
            out._record_stream(target)
        return out

    def copy(self, *, stream: Stream | None = None) -> Self:
        """A new array with the same elements, contiguous."""
        return self.copy_to(self._context.alloc(self._shape, self._dtype, stream=stream), stream=stream)

    def contiguous(self, *, stream: Stream | None = None) -> Self:
        """The array itself when its elements lie in order, else a copy."""
        return self if self._strides is None else self.copy(stream=stream)

    def fill(self, value: Number, *, stream: Stream | None = None) -> Self:
        """Set all elements to `value`; returns the array.

        Raises:
            OverflowError, TypeError: when the dtype cannot hold the value.
        """
        value = self._dtype.check(value)
        target = self._context.stream_for(stream)
        if self.size:
            device = self._context.device
            if self._strides is None:
                device.fill(self._operand(), value, target.handle)
            else:
                self._require_distinct("fill")
                device.assign(self._operand(), value, target.handle)
            self._record_stream(target)
        return self

    def cast(self, dtype: object, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """Its elements in another dtype; the array itself when it has it already. See `unified_gpu.cast`."""
        if out is None and as_dtype(dtype) is self._dtype:
            return self
        return ops.cast(self, dtype, out=out, stream=stream)

    def _set(self, value: Any) -> None:
        """Assign an array or data of the host, as `array[key] = value` does: repeated, and as it is before the call."""
        if not isinstance(value, Transfers):
            buffer, dtype, shape = self._host_data(value)
            target = self._context.stream_for(None)
            if dtype is self._dtype and shape in (self._shape, (self.size,)):
                self._put(buffer, target)
                return
            value = self._context.new_array(shape, dtype, target)
            value._put(buffer, target)
        elif value._allocation is self._allocation:
            if is_same_view(self, value):
                return
            if may_overlap(self, value):
                value = value.copy()
        if value.size == self.size and value.dtype is self._dtype:
            value.copy_to(self)
        else:
            ops.assign(self, value)

    def _put(self, buffer: Any, stream: Stream, non_blocking: bool = False) -> None:
        """Queue a copy of as many elements; where they do not lie in order here, by way of an array where they do."""
        if 0 in self._shape:
            return
        if self._strides is None:
            self._upload(buffer, stream, non_blocking)
        else:
            self._require_distinct("upload to")
            staged = self._context.new_array(self._shape, self._dtype, stream)
            staged._upload(buffer, stream, non_blocking)
            ops.assign(self, staged, stream=stream)

    def _host_data(self, data: Any) -> tuple[Any, DType, tuple[int, ...]]:
        """A contiguous buffer of elements, their dtype and their shape."""
        if isinstance(data, Layout):
            raise TypeError("this data is on a device already; use data.copy_to(array)")
        if data.__class__ is PinnedArray:
            return data.bytes, data.dtype, data.shape
        return host_data(data, self._dtype)

    def _download(self, buffer: Any, stream: Stream, non_blocking: bool) -> None:
        """Queue a copy of all elements, which lie in order, to as many bytes of the host."""
        allocation, handle = self._allocation, stream.handle
        if stream.recording is not None:
            _check_recorded(buffer, non_blocking, "download(pinned, non_blocking=True)")
        if not (non_blocking or handle.query()):  # a copy to ordinary memory waits where no interrupt comes through
            stream.synchronize()
        self._context.device.download(buffer, allocation.memory, self._offset, handle)
        if allocation.stream is not stream:
            allocation.record_stream(stream)
        _complete_copy(stream, handle, buffer, non_blocking)

    def _upload(self, buffer: Any, stream: Stream, non_blocking: bool) -> None:
        """Queue a copy of data that fits."""
        allocation, handle = self._allocation, stream.handle
        if stream.recording is not None:
            _check_recorded(buffer, non_blocking, "upload(pinned, non_blocking=True)")
        if not (non_blocking or handle.query()) and self.size_bytes > _STAGED_BYTES:  # as `_download` does
            stream.synchronize()
        self._context.device.upload(allocation.memory, self._offset, buffer, handle)
        if allocation.stream is not stream:
            allocation.record_stream(stream)
        _complete_copy(stream, handle, buffer, non_blocking)


def _check_recorded(buffer: Any, non_blocking: bool, how: str) -> None:
    """Raises RecordingError for a copy that no graph can have."""
    if not (non_blocking and is_pinned(buffer)):
        raise RecordingError(
            "ctx.record() records copies with pinned memory of the host alone, and waits for none: copy before or "
            f"after the recording, or make pinned = ctx.alloc_pinned(shape), and record array.{how}"
        )


def _complete_copy(stream: Stream, handle: StreamHandle, buffer: Any, non_blocking: bool) -> None:
    """Wait for a copy, or keep its memory of the host until it is done; also when an interrupt ends the wait."""
    if non_blocking:
        stream.keep_alive(buffer)
        return
    try:
        if not handle.query():
            stream.synchronize()
    except BaseException:
        stream.keep_alive(buffer)
        raise
    if stream.context.check_results is not None:
        stream.context.check_results()
