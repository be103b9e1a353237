"""ArrayContext: the arrays that a context makes, empty, from data of the host, and from other libraries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Generic, Protocol, Self, TypeVar

from unified_gpu.backends import DLPACK_CUDA
from unified_gpu.dtypes import DType, as_dtype
from unified_gpu.errors import MixedContextsError
from unified_gpu.interop.devices import dlpack_device
from unified_gpu.runtime.context import StreamContext, chosen_stream
from unified_gpu.runtime.stream import Stream
from unified_gpu.shapes import contiguous_strides, element_count, lengths_of

from .host_data import Casting, host_data
from .ranges import check_range


class NewArray(Protocol):
    """What a context does with an array that it has just made."""

    def fill(self, value: int, *, stream: Stream | None = None) -> Self: ...
    def cast(self, dtype: object, *, stream: Stream | None = None) -> Self: ...
    def _upload(self, buffer: Any, stream: Stream, non_blocking: bool) -> None: ...


Array = TypeVar("Array", bound=NewArray)


class ArrayContext(StreamContext, Generic[Array]):
    """A context as far as it makes arrays; see `unified_gpu.Context`.

    Attributes:
        array_type: the class of its arrays.
        functions: those that are written as kernels, by name, for the operators and methods of arrays.
        array_namespace: the names of the Python array API standard.
    """

    array_type: Callable[..., Array]
    functions: Any
    array_namespace: Any

    def alloc(self, shape: int | Sequence[int], dtype: object = None, *, stream: Stream | None = None) -> Array:
        """A new array; what it holds is not defined.

        Args:
            shape: how many elements, or how many along each axis.
            dtype: one of `f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool`, or NumPy's or torch's; by default the
                context's.
            stream: whose work uses it first; the current one by default.

        Raises:
            MemoryError: when the device has too little left, with the numbers.
            ValueError: for a negative length.
            ClosedError: after the context was closed.
        """
        found = self.dtype if dtype is None else as_dtype(dtype)
        if stream is None:
            stream = chosen_stream(self)
        elif stream.__class__ is not Stream or stream.context is not self:
            stream = self.stream_for(stream)
        if shape.__class__ is int and shape >= 0:
            return self.array_type(self, self.memory_pool.allocate(shape * found.size, stream), found, (shape,))
        return self.new_array(lengths_of(shape), found, stream)

    def new_array(self, shape: tuple[int, ...], dtype: DType, stream: Stream) -> Array:
        """The same for a shape, a dtype and a stream that were looked at already."""
        return self.array_type(self, self.memory_pool.allocate(prod(shape) * dtype.size, stream), dtype, shape)

    def alloc_zeros(self, shape: int | Sequence[int], dtype: object = None, *, stream: Stream | None = None) -> Array:
        """A new array of zeros; otherwise like `alloc`."""
        return self.alloc(shape, dtype, stream=stream).fill(0, stream=stream)

    def alloc_upload(
        self,
        data: Any,
        dtype: object = None,
        *,
        casting: Casting = "checked",
        stream: Stream | None = None,
        non_blocking: bool = False,
    ) -> Array:
        """A new array of the shape, dtype and elements of `data`.

        Args:
            data: a NumPy array, a buffer, a tensor in the memory of the CPU, or (nested) lists of numbers: floats
                become the context's dtype, ints i64 and bools bool, where `dtype` does not say otherwise.
            dtype: convert to this one, on the device.
            casting: "checked" looks at the data first when `dtype` may not hold it; "unsafe" converts as `cast` does,
                so that an integer wraps around, and a float that is too large becomes infinite.
            non_blocking: return when the copy is queued, see `GpuArray.upload`.

        Raises:
            ValueError: for empty or ragged data, or another casting.
            TypeError: for data of no dtype that arrays can have, or a fraction for whole numbers.
            OverflowError: for a number that `dtype` cannot hold.
            MemoryError, ClosedError: as `alloc` does.
        """
        wanted = None if dtype is None else as_dtype(dtype)
        if casting not in ("checked", "unsafe"):
            raise ValueError(f"casting is 'checked' or 'unsafe', not {casting!r}")
        buffer, found, shape = host_data(data, wanted, self.dtype, casting)
        if not element_count(shape):
            raise ValueError(f"there is no data in an array of shape {list(shape)}; ctx.alloc makes an empty array")
        if wanted is not None and found is not wanted and casting == "checked":
            try:
                check_range(buffer, found, wanted)
            except (OverflowError, TypeError) as error:
                raise type(error)(f"{error}; casting='unsafe' converts it nevertheless") from None
        array = self.alloc(shape, found, stream=stream)
        array._upload(buffer, self.stream_for(stream), non_blocking)
        return array if wanted is None else array.cast(wanted, stream=stream)

    def from_dlpack(self, source: Any) -> Array:
        """An array over the memory of another library's array, which both then read and write.

        Args:
            source: a NumPy, torch, CuPy or JAX array, or any with `__dlpack__`, on the context's own device.

        Raises:
            MixedContextsError: when it lies on another device; upload it instead.
            BufferError: when it is read-only, or has negative strides; copy it first.
            TypeError: when it has no `__dlpack__`, or elements of no dtype here.
        """
        from unified_gpu.interop.dlpack import import_tensor  # with much of ctypes, which most programs never need

        self.check_open()
        if not hasattr(source, "__dlpack__"):
            raise TypeError(f"a {type(source).__name__} has no __dlpack__; use ctx.alloc_upload(data) for a copy")
        ours, theirs = dlpack_device(self.device), tuple(map(int, source.__dlpack_device__()))
        if ours != theirs:
            raise MixedContextsError(
                f"this {type(source).__name__} lies on DLPack device {theirs}, and {self} is device {ours}; "
                "copy it over: ctx.alloc_upload(array in the memory of the CPU)"
            )
        stream = self.current_stream
        tensor = import_tensor(source, (stream.pointer() or 1) if ours[0] == DLPACK_CUDA else None)
        if tensor.read_only:
            raise BufferError("this array is read-only, and arrays here are not; use ctx.alloc_upload(data) for a copy")
        if any(stride < 0 for stride in tensor.strides):
            raise BufferError("this array has negative strides; make it contiguous first")
        allocation = self.memory_pool.wrap_external(
            self.device.wrap(tensor.pointer, tensor.span_bytes), tensor.span_bytes, stream, tensor.owner
        )
        strides = None if tensor.strides == contiguous_strides(tensor.shape) else tensor.strides
        return self.array_type(self, allocation, tensor.dtype, tensor.shape, 0, strides)
