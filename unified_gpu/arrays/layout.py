"""Layout: where the elements of an array lie in an allocation, and the views that share it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar

from unified_gpu.backends import Operand
from unified_gpu.dtypes import DType
from unified_gpu.errors import refuse_to_set
from unified_gpu.runtime.lifetime import ProcessLocal
from unified_gpu.runtime.memory_pool import Allocation
from unified_gpu.runtime.stream import Stream
from unified_gpu.shapes import contiguous_strides, element_count, whole_numbers

from .context import ArrayContext
from .indexing import Index, goes_backwards, has_arrays, select, strides_or_none

_RESHAPED = "x.reshape(…) is a view in another shape"
"""What to do where a length would be set."""


class Layout(ProcessLocal):
    """The part of GpuArray that has a shape: it knows where its elements lie, and moves none of them.

    What makes arrays, and what runs for each call, reads the slots: they are quicker than the properties over them.
    """

    _alternative = "use copy() for another one here, download() to send it elsewhere"
    __slots__ = ("__weakref__", "_allocation", "_context", "_dtype", "_offset", "_shape", "_strides")

    def __init__(
        self,
        context: ArrayContext[Any],
        allocation: Allocation,
        dtype: DType,
        shape: tuple[int, ...],
        offset: int | None = None,
        strides: tuple[int, ...] | None = None,
    ) -> None:
        self._context = context
        self._dtype = dtype
        self._shape = shape
        self._allocation = allocation
        self._offset = allocation.block.offset if offset is None else offset
        self._strides = strides

    # what it is

    @property
    def context(self) -> ArrayContext[Any]:
        """The context whose memory it is."""
        return self._context

    @property
    def dtype(self) -> DType:
        """The dtype of its elements."""
        return self._dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements along each axis; () is a single element."""
        return self._shape

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """How many elements it has."""
        return element_count(self._shape)

    @property
    def size_bytes(self) -> int:
        """Bytes that its elements take."""
        return element_count(self._shape) * self._dtype.size

    @property
    def strides(self) -> tuple[int, ...]:
        """From one element to the next along each axis, in elements."""
        return contiguous_strides(self._shape) if self._strides is None else self._strides

    @property
    def is_contiguous(self) -> bool:
        """Whether its elements lie in order and without gaps; transposed arrays and views of columns do not."""
        return self._strides is None

    @property
    def pointer(self) -> int:
        """The address of its first element on the device, for other libraries; valid while the array is."""
        self._context.check_open()
        return self._allocation.memory.pointer() + self._offset

    if not TYPE_CHECKING:  # to type checkers, what cannot be set has no setter
        shape = shape.setter(refuse_to_set("shape", _RESHAPED))
        ndim = ndim.setter(refuse_to_set("ndim", _RESHAPED))
        size = size.setter(refuse_to_set("size", _RESHAPED))
        size_bytes = size_bytes.setter(refuse_to_set("size_bytes", _RESHAPED))
        strides = strides.setter(refuse_to_set("strides", "x.T, x.permute_dims(…) and x[::2] are views with others"))
        dtype = dtype.setter(refuse_to_set("dtype", "x.cast(dtype) is an array of another dtype"))
        context = context.setter(refuse_to_set("context", "ctx.alloc_upload(x.download()) is an array of another one"))

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("an array of shape () has no length")
        return self._shape[0]

    # views

    def __getitem__(self, key: Index) -> Self:
        """The elements that integers, slices, `...` and None (a new axis) select, as a view.

        Arrays, masks and slices with a negative step select a copy, as NumPy selects; of a mask their number is
        waited for.

        Raises:
            IndexError: for an index that is not there, or more indices than axes.
            TypeError: for what is no index.
        """
        if key.__class__ is int and self._shape:  # the usual case, quicker than `select`
            length = self._shape[0]
            if not -length <= key < length:
                raise IndexError(f"row {key} of an array of shape {list(self._shape)}")
            offset = self._offset + key % length * self.strides[0] * self._dtype.size
            return self._view(self._shape[1:], offset, None if self._strides is None else self._strides[1:])
        if key.__class__ is slice and self._strides is None and self._shape:  # the same for rows of a contiguous array
            try:
                start, stop, step = key.indices(self._shape[0])
            except TypeError:  # `select` raises it with a message
                step = 0
            if step == 1 and start < stop:
                offset = self._offset + start * contiguous_strides(self._shape)[0] * self._dtype.size
                return self._view((stop - start, *self._shape[1:]), offset, None)
        if goes_backwards(key) or has_arrays(key):
            return self._items(key)
        shape, first, strides = select(key, self._shape, self.strides)
        return self._view(shape, self._offset + first * self._dtype.size, strides)

    def __iter__(self) -> Iterator[Self]:
        return (self[row] for row in range(len(self)))

    def reshape(self, *shape: int | Sequence[int]) -> Self:
        """A view in another shape with as many elements; one length may be -1.

        Raises:
            ValueError: when the number of elements differs, or the array is not contiguous.
            TypeError: for lengths that are no whole numbers.
        """
        lengths = [length for part in shape for length in whole_numbers(part)]
        if lengths.count(-1) == 1:
            known = element_count([length for length in lengths if length != -1])
            lengths[lengths.index(-1)] = self.size // known if known else 0
        if any(length < 0 for length in lengths) or element_count(lengths) != self.size:
            raise ValueError(f"an array of shape {list(self._shape)} cannot be reshaped to {list(shape)}")
        self._require_contiguous("reshape")
        return self._view(tuple(lengths), self._offset, None)

    @property
    def T(self) -> Self:
        """The transpose of a matrix, as a view; made for `matmul`, which takes it as it is."""
        if len(self._shape) != 2:
            raise ValueError(f"only a matrix has a transpose, not an array of shape {list(self._shape)}")
        shape, strides = self._shape[::-1], self.strides[::-1]
        return self._view(shape, self._offset, strides_or_none(shape, strides))

    @property
    def device(self) -> str:
        """The device that has it, as in `Context(device="cpu:0")`."""
        return f"{self._context.device.backend}:{self._context.device.index}"

    @property
    def mT(self) -> Self:
        """The array with its last two axes exchanged, as a view."""
        if len(self._shape) < 2:
            raise ValueError(
                f"only what has two axes or more has a transpose, not an array of shape {list(self._shape)}"
            )
        last = len(self._shape)
        return self.permute_dims(*range(last - 2), last - 1, last - 2)

    def permute_dims(self, *axes: int | Sequence[int]) -> Self:
        """A view with the axes in another order, each named once.

        Raises:
            ValueError: when they are not all axes.
        """
        named = [number for part in axes for number in whole_numbers(part, "an axis")]
        order = [number % max(self.ndim, 1) if -self.ndim <= number < self.ndim else -1 for number in named]
        if sorted(order) != list(range(self.ndim)):
            raise ValueError(f"the axes of an array of shape {list(self._shape)} are not {named}")
        shape, strides = tuple(self._shape[at] for at in order), tuple(self.strides[at] for at in order)
        return self._view(shape, self._offset, strides_or_none(shape, strides))

    # what operations and other modules of the package need

    def _operand(self) -> Operand:
        shape, strides = self._shape, self._strides
        return Operand(self._allocation.memory, self._offset, self._dtype, shape, strides or contiguous_strides(shape))

    def _record_stream(self, stream: Stream) -> None:
        """Record that work on `stream` uses the memory, as `record_stream` of torch does."""
        allocation = self._allocation
        if allocation.stream is not stream:
            allocation.record_stream(stream)

    def _view(self, shape: tuple[int, ...], offset: int, strides: tuple[int, ...] | None) -> Self:
        return type(self)(self._context, self._allocation, self._dtype, shape, offset, strides)

    def _require_contiguous(self, action: str) -> None:
        if self._strides is not None:
            raise ValueError(f"cannot {action} {self._describe_layout()}; use its contiguous() copy")

    def _require_distinct(self, action: str) -> None:
        if any(step == 0 and length > 1 for step, length in zip(self.strides, self._shape, strict=True)):
            raise ValueError(f"cannot {action} an array whose elements share memory; use its contiguous() copy")

    def _items(self, key: Index) -> Self:
        """What a key selects that gives no view."""
        raise NotImplementedError

    def _summary(self) -> str:
        """What it is, in messages, which do not wait for its values."""
        return f"<{type(self).__name__} {self._dtype.name} {list(self._shape)} on {self._context}>"

    def _describe_layout(self) -> str:
        """How its elements lie, when they are not contiguous."""
        steps = zip(self.strides, self._shape, strict=True)
        last = sum(stride * (length - 1) for stride, length in steps)
        return "a transposed array" if last < self.size else "an array with gaps between its elements"


Array = TypeVar("Array", bound=Layout)
"""An array, of the same class from operand to result."""
