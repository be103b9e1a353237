"""StructArray: structs of numbers in the memory of a device, one behind the other as in an array of C."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, Self

from unified_gpu import dtypes
from unified_gpu.errors import with_article
from unified_gpu.optional import load_numpy
from unified_gpu.runtime.stream import Stream
from unified_gpu.shapes import contiguous_strides, element_count
from unified_gpu.structs import S, described_fields, is_struct, packed, record_fields, unpacked

from .array import GpuArray
from .context import ArrayContext
from .indexing import strides_or_none


class StructArray(Generic[S]):
    """An array of structs on a device, made by `ctx.alloc_structs` and `ctx.upload_structs`.

    Kernels take it as `Array[Line, 1]`. `lines["slope"]` is the array of one field: a view, which can do what an array
    can.
    """

    def __init__(
        self, context: ArrayContext[GpuArray], shape: tuple[int, ...], struct: type[S], *, stream: Stream | None = None
    ) -> None:
        if not is_struct(struct) or not struct.fields:
            raise TypeError(f"the elements are of a class of Struct, not {struct!r}")
        self._context, self._shape, self._struct = context, shape, struct
        self._bytes = context.alloc(element_count(shape) * struct.byte_size, dtypes.u8, stream=stream)
        self._fields: dict[str, GpuArray] = {}
        for name, dtype in struct.fields.items():
            strides = tuple(step * (struct.byte_size // dtype.size) for step in contiguous_strides(shape))
            offset = self._bytes._offset + struct.byte_offsets[name]
            self._fields[name] = GpuArray(
                context, self._bytes._allocation, dtype, shape, offset, strides_or_none(shape, strides)
            )

    @property
    def context(self) -> ArrayContext[GpuArray]:
        """The context whose memory it is."""
        return self._context

    @property
    def struct(self) -> type[S]:
        """The class of its elements."""
        return self._struct

    @property
    def shape(self) -> tuple[int, ...]:
        """Structs along each axis."""
        return self._shape

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many structs it has."""
        return element_count(self.shape)

    @property
    def device(self) -> str:
        """The device that has it, as in `Context(device="cpu:0")`."""
        return self._bytes.device

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array of shape () has no length")
        return self.shape[0]

    def __getitem__(self, field: str) -> GpuArray:
        """The array of one field, as a view.

        Raises:
            KeyError: when the struct has no such field.
            TypeError: for an index: only kernels take single structs.
        """
        if not isinstance(field, str):
            raise TypeError(f"an array of structs is asked for a field: array[{next(iter(self._fields))!r}][…]")
        if field not in self._fields:
            raise KeyError(f"{self.struct.__name__} has no field {field!r}; it has {', '.join(self._fields)}")
        return self._fields[field]

    def __setitem__(self, field: str, value: Any) -> None:
        """Assign to all elements of one field, as `array[field][...] = value` does."""
        self[field][...] = value

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("a loop goes over structs of the host: array.tolist(), or array.download() with NumPy")

    def __repr__(self) -> str:
        """Its fields, each as an array shows its values: it waits for them."""
        fields = "".join(f"\n  {name}: {array!r}" for name, array in self._fields.items())
        return f"StructArray of {self.struct.__name__}, shape={self.shape}, device={self.device}{fields}"

    def upload(self, data: Any, *, stream: Stream | None = None) -> Self:
        """Fill it from the host; see `Context.upload_structs` for what `data` is.

        Raises:
            TypeError: for other data.
            ValueError: for another number of structs.
        """
        buffer, shape = self._host_data(data)
        if shape not in (self.shape, (self.size,)):
            raise ValueError(f"data of shape {list(shape)} cannot be uploaded to structs of shape {list(self.shape)}")
        if self.size:
            self._bytes.upload(buffer, stream=stream)
        return self

    def _host_data(self, data: Any) -> tuple[Any, tuple[int, ...]]:
        """The bytes of data of the host, and its shape."""
        struct, found = self.struct, record_fields(data)
        if found == struct.fields:
            laid_out = load_numpy().zeros(data.shape, self._numpy())
            for name in struct.fields:  # astype would go by the order of the fields
                laid_out[name] = data[name]
            return laid_out.reshape(-1).view("u1"), data.shape
        if isinstance(data, Sequence) and all(isinstance(each, struct) for each in data):
            return packed(struct, data), (len(data),)
        wanted = f"an array of NumPy's with {described_fields(struct)}, or a list of {struct.__name__}"
        given = f"an array of {data.dtype}" if hasattr(data, "dtype") else with_article(type(data).__name__)
        raise TypeError(f"structs are uploaded from {wanted}; {given} was given")

    def _numpy(self) -> Any:
        """NumPy's dtype, in which it lies as it does here."""
        struct = self.struct
        return {
            "names": [*struct.fields], "formats": [each.numpy for each in struct.fields.values()],
            "offsets": [*struct.byte_offsets.values()], "itemsize": struct.byte_size,
        }  # fmt: skip

    def download(self, *, stream: Stream | None = None) -> Any:
        """Copy it to the host, as an array of NumPy's of the same shape with fields.

        Raises:
            ImportError: without NumPy; `tolist` works without it.
        """
        if load_numpy() is None:
            raise ImportError("an array with fields is NumPy's, which is not installed; tolist() gives structs")
        return self._bytes.download(stream=stream).view(self._numpy()).reshape(self.shape)

    def tolist(self) -> list[S]:
        """Copies of all structs, in order."""
        return unpacked(self.struct, memoryview(self._bytes.download()).cast("B")) if self.size else []
