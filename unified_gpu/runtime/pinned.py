"""Pinned memory: page-locked memory of the host, with which copies are asynchronous."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

from unified_gpu.backends import Device, PinnedMemory
from unified_gpu.dtypes import DType, bf16, f32
from unified_gpu.errors import refuse_to_set
from unified_gpu.optional import load_numpy
from unified_gpu.shapes import element_count, typed

from .lifetime import ProcessLocal, interrupt_later

_REFUSALS = (TypeError, ValueError, NotImplementedError)
"""What a memoryview raises for what NumPy can do."""


class Pin:
    """Keeps memory pinned as long as anyone has it: every view of the memory holds its pin."""

    __slots__ = ("__weakref__", "_memory")

    def __init__(self, memory: PinnedMemory) -> None:
        self._memory: PinnedMemory | None = memory

    def close(self) -> None:
        if self._memory is not None:
            memory, self._memory = self._memory, None
            memory.close()

    def abandon(self) -> object:
        """Leave it behind in a forked process; returns what must never be released there."""
        left, self._memory = self._memory, None
        return left

    def __del__(self) -> None:
        try:
            self.close()
        except KeyboardInterrupt:
            self.close()
            interrupt_later()


class PinnedArray(ProcessLocal):
    """An array in pinned memory, made by `ctx.alloc_pinned`; for `upload`, and as `out` of `download`.

    NumPy sees it as it is: `numpy()` and `numpy.asarray` copy nothing, and keep it pinned. After `close`, or that of
    its context, it can still be read and written, but is ordinary memory.

    Attributes:
        pin: keeps it pinned; its context's, to be closed with it.
        bytes: all of it, as a writable memoryview of bytes.
        view: the same with its dtype and shape; bf16 as its bits, and f16 before Python 3.12.
    """

    __slots__ = ("__weakref__", "_dtype", "_shape", "bytes", "pin", "view")
    _alternative = "use numpy(), or numpy().copy()"

    def __init__(self, device: Device, shape: tuple[int, ...], dtype: DType) -> None:
        self._dtype = dtype
        self._shape = shape
        size = element_count(shape) * dtype.size
        try:
            memory = device.allocate_pinned(max(1, size))
        except (MemoryError, OverflowError, OSError) as error:
            raise MemoryError(f"{size} bytes of the host cannot be pinned: {error}") from None
        self.pin = Pin(memory)
        exported = (ctypes.c_char * size).from_buffer(memory.buffer)
        exported.pin = self.pin  # type: ignore[attr-defined]
        self.bytes = memoryview(exported).cast("B")
        self.view = typed(self.bytes, dtype, shape)

    @property
    def dtype(self) -> DType:
        """The dtype of its elements."""
        return self._dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements along each axis."""
        return self._shape

    if not TYPE_CHECKING:  # to type checkers, what cannot be set has no setter
        dtype = dtype.setter(refuse_to_set("dtype", "x.numpy().astype(dtype) is an array of another one"))
        shape = shape.setter(refuse_to_set("shape", "x.numpy().reshape(…) is the same memory in another shape"))

    @property
    def size_bytes(self) -> int:
        """Bytes that its elements take."""
        return self.bytes.nbytes

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """The array interface of NumPy, without a copy."""
        return {"version": 3, "shape": self._shape, "typestr": self._dtype.numpy_typestr, "data": self.bytes}

    def numpy(self) -> Any:
        """A NumPy array over the same memory, which it keeps pinned; bf16 as u16, its bits.

        Raises:
            ImportError: when NumPy is not installed.
        """
        numpy = load_numpy()
        if numpy is None:
            raise ImportError("NumPy is not installed; use `view`, or pip install numpy")
        return numpy.frombuffer(self.bytes, "uint16" if self._dtype is bf16 else self._dtype.numpy).reshape(self._shape)

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("an array of shape () has no length")
        return self._shape[0]

    def __getitem__(self, key: Any) -> Any:
        try:
            return self.view[key]
        except _REFUSALS as error:
            raise _in_words(error) from None

    def __setitem__(self, key: Any, value: Any) -> None:
        """Set one element; `numpy()` sets rows and whole arrays.

        Raises:
            OverflowError: for a number that its dtype cannot hold.
        """
        try:
            if self._dtype is f32:  # of which the view makes a number that is too large infinite
                f32.pack(value)
            self.view[key] = value
        except _REFUSALS as error:
            if isinstance(value, int):
                self._dtype.check(value)  # its message names the value that does not fit
            raise _in_words(error) from None

    def __iter__(self) -> Iterator[Any]:
        return (self[row] for row in range(len(self)))

    def tolist(self) -> Any:
        """Its elements as Python numbers, in lists as deep as it has axes."""
        return self.view.tolist()

    def close(self) -> None:
        """Unpin it when no copy uses it any more; closing it again does nothing."""
        self.pin.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<PinnedArray {self._dtype} {list(self._shape)}>"


def is_pinned(buffer: object) -> bool:
    """Whether it is all of a PinnedArray, as its `bytes` are."""
    return isinstance(buffer, memoryview) and isinstance(getattr(buffer.obj, "pin", None), Pin)


def _in_words(error: Exception) -> TypeError:
    return TypeError(f"{error}; single numbers are read and set like this, rows and whole arrays by numpy()")
