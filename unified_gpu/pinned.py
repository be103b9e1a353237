"""Pinned memory: memory of the host that copies run to and from beside Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

from .backends import PinnedMemory
from .dtypes import DType, bf16
from .hostdata import item_size, load_numpy, typed

if TYPE_CHECKING:
    from .context import Context


class PinnedArray:
    """An array in pinned memory, made by `ctx.alloc_pinned`; for `upload`, and as `out` of `download`.

    NumPy sees it as it is: `numpy()` and `numpy.asarray` copy nothing. After `close`, or that of its context, it can
    still be read and written, but is ordinary memory.

    Attributes:
        dtype: of its elements.
        shape: elements along each axis.
        bytes: all of it, as a writable memoryview of bytes.
        view: the same with its dtype and shape; bf16 as its bits.
    """

    __slots__ = ("__weakref__", "_memory", "bytes", "dtype", "shape", "view")

    def __init__(self, context: Context, shape: tuple[int, ...], dtype: DType) -> None:
        self.dtype = dtype
        self.shape = shape
        self._memory: PinnedMemory = context.device.allocate_pinned(max(1, item_size(shape) * dtype.size))
        self.bytes = self._memory.buffer[: item_size(shape) * dtype.size]
        self.view = typed(self.bytes, dtype, shape)
        context.register(self)

    @property
    def size_bytes(self) -> int:
        return self.bytes.nbytes

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """Lend it to NumPy."""
        return {"version": 3, "shape": self.shape, "typestr": self.dtype.numpy_typestr, "data": self.bytes}

    def numpy(self) -> Any:
        """A NumPy array over the same memory, which it keeps alive; bf16 as u16, its bits.

        Raises:
            ImportError: when NumPy is not installed.
        """
        numpy = load_numpy()
        if numpy is None:
            raise ImportError("NumPy is not installed; use `view`, or pip install numpy")
        return numpy.frombuffer(self.bytes, "uint16" if self.dtype is bf16 else self.dtype.numpy).reshape(self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array of shape () has no length")
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        return self.view[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.view[key] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.view)

    def tolist(self) -> Any:
        return self.view.tolist()

    def close(self) -> None:
        """Unpin it when no copy uses it any more; closing it again does nothing."""
        self._memory.close()

    def abandon(self) -> object:
        """Leave it behind in a forked process; returns what must never be released there."""
        return self._memory

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<PinnedArray {self.dtype} {list(self.shape)}>"
