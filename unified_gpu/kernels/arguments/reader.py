"""Reads the arguments of a launch: their types, whether the kernel takes them, and the bytes that it is given."""

from __future__ import annotations

import struct
import sys
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from unified_gpu import dtypes
from unified_gpu.arrays.array import GpuArray
from unified_gpu.arrays.structs import StructArray
from unified_gpu.dtypes import DType, as_dtype
from unified_gpu.errors import MixedContextsError, count_of, with_article
from unified_gpu.kernels.language import ArrayType
from unified_gpu.runtime.context import StreamContext
from unified_gpu.runtime.stream import Stream
from unified_gpu.structs import described_fields, record_fields

from .layout import MOST, ArgumentLayout, Parameter

_MOST_PUSHED = 2**31 - 1
"""Elements of an array with several axes over Vulkan, where the place of one is an i32."""
_ANY = object()


class LaunchArguments:
    """Reads the arguments of each launch of one compiled kernel.

    Attributes:
        parameters: what the kernel takes.
        layout: of what is passed for them, and of the sizes of a launch behind that, where it is passed those too.
    """

    def __init__(
        self,
        kernel: str,
        parameters: Sequence[Parameter],
        layout: ArgumentLayout,
        *,
        in_python: bool = False,
        is_checked: bool = False,
    ) -> None:
        """The arguments of a kernel.

        Args:
            kernel: what messages call it.
            in_python: whether it is written in Python: then an array's lengths are passed behind its address.
            is_checked: whether it reports accesses beyond its arrays, whose sizes are passed behind all else.
        """
        self.parameters = parameters
        self.layout = layout
        self._kernel = kernel
        self._in_python = in_python
        self._is_checked = is_checked
        self._wanted = [(_wanted(parameter), parameter) for parameter in parameters]
        counts = [len(parameter.fields) for parameter in parameters]
        self._numbers = [(sum(counts[:at]), each) for at, each in enumerate(parameters) if not each.pointer]
        """With the place of each among the values."""
        self._sizes = len(layout.offsets) - sum(counts)
        self._pack = layout.packer.pack
        self._is_converted = layout.is_widened or any(each.dtype is dtypes.bf16 for _, each in self._numbers)
        """Whether numbers are looked at before they are packed: a bf16 is passed as its bits."""

    def __str__(self) -> str:
        return f"{self._kernel}({', '.join(map(str, self.parameters))})"

    def pack(self, context: StreamContext, args: Sequence[Any], stream: Stream, sizes: Sequence[int] = ()) -> bytes:
        """What is passed, each value at its place in the layout; the arrays count as used by the stream.

        Args:
            sizes: threads of the launch along its axes.

        Raises:
            TypeError: for another number of arguments, or one of another kind or dtype.
            OverflowError: for a number that its parameter cannot hold.
            ValueError: for an array that is laid out in another way.
            MixedContextsError: for an array of another context.
        """
        wanted, in_python = self._wanted, self._in_python
        if args.__class__ is not list:
            check_list(self, args)
        if len(args) != len(wanted):
            raise TypeError(f"{self} takes {count_of(len(wanted), 'argument')}, not {len(args)}")
        values: list[Any] = []
        for (dtype, parameter), value in zip(wanted, args):  # noqa: B905 -- they are as many; a keyword makes it slow
            if dtype is None and (in_python or value.__class__ is not GpuArray):
                values.append(value)  # in Python an array of no axes is a number, too
            elif (
                value.__class__ is GpuArray
                and (value._dtype is dtype or dtype is _ANY)
                and value._context is context
                and (self._is_within(value) if in_python else value._strides is None)
            ):
                allocation = value._allocation
                if allocation.stream is not stream and (
                    allocation.uses is None or stream not in allocation.uses.streams
                ):
                    allocation.record_stream(stream)
                values.append(allocation.memory.pointer() + value._offset)
                if in_python:
                    values += value._shape
                    if value._strides is not None:
                        values += value._strides
            else:
                values.append(self._vectors(parameter, value, context, stream))
        if self._sizes:
            values += sizes
        try:
            packed = self._pack(*(self._checked(values) if self._is_converted else values))
        except (struct.error, OverflowError, TypeError):
            packed = self._pack(*self._checked(values))
        return packed + self._array_bytes(args) if self._is_checked else packed

    def _is_within(self, array: GpuArray) -> bool:
        """Whether the lengths of an array, and the places of its elements, can be passed."""
        shape = array._shape
        if max(shape) > MOST:
            return False
        in_order = len(shape) > 1 and array._strides is None
        return not (in_order and self.layout.is_pushed and array.size > _MOST_PUSHED)

    def _vectors(self, parameter: Parameter, value: Any, context: StreamContext, stream: Stream) -> int:
        """The address of an array that is passed as one of several elements at once, as by `float4 *`."""
        is_one = parameter.lanes > 1 and isinstance(value, GpuArray) and value.dtype is parameter.dtype
        if not is_one or value.context is not context or not value.is_contiguous:
            raise self._refusal(parameter, value, context)
        lanes, address = parameter.lanes, int(value.pointer)
        vector_bytes = lanes * value.dtype.size
        if value.size % lanes or address % min(16, vector_bytes & -vector_bytes):
            wanted = (
                f"the array has {value.size} elements"
                if value.size % lanes
                else "the array begins in the middle of one"
            )
            raise ValueError(f"{self._where(parameter)} takes {lanes} elements at once, and {wanted}")
        value._record_stream(stream)
        return address

    def _where(self, parameter: Parameter) -> str:
        return f"`{parameter.name if self._in_python else parameter}` of {self._kernel}"

    def _refusal(self, parameter: Parameter, value: Any, context: StreamContext) -> Exception:
        """Why a value cannot be passed."""
        where = self._where(parameter)
        if not parameter.pointer:
            return _no_number(where)
        if isinstance(value, StructArray):
            return _whole_structs(where, value)
        if not isinstance(value, GpuArray):
            return _no_array(where, value, "an array of this library" if self._in_python else "an array")
        if value.context is not context:
            return MixedContextsError.between(
                value.context, context, f"{where}: {value._summary()} cannot be used in {context}"
            )
        if parameter.dtype is not None and value.dtype is not parameter.dtype:
            return _other_dtype(where, parameter.dtype, value.dtype)
        if not self._in_python:
            how = "transposed" if value._describe_layout() == "a transposed array" else "not contiguous"
            return ValueError(f"{where}: the array is {how}; use its contiguous() copy")
        if max(value.shape) > MOST:
            return ValueError(f"{where}: an axis has at most {MOST} elements in a kernel")
        what = f"an array with several axes has at most {_MOST_PUSHED} elements in a kernel over Vulkan"
        return ValueError(f"{where}: {what}; pass parts of it")

    def _checked(self, values: Sequence[Any]) -> list[Any]:
        """The same, with an error that names the number that does not fit."""
        checked = [*values]
        for at, parameter in self._numbers:
            assert parameter.dtype is not None
            name = parameter.name if self._in_python else ""
            number = checked_number(self._where(parameter), parameter.dtype, values[at], name)
            is_bits = parameter.dtype is dtypes.bf16
            checked[at] = int.from_bytes(dtypes.bf16.pack(number), sys.byteorder) if is_bits else number
        return checked

    def _array_bytes(self, args: Sequence[Any]) -> bytes:
        """For each value that is passed, the bytes from the first element of its array to behind the last; or 0."""
        sizes: list[int] = []
        for parameter, arg in zip(self.parameters, args, strict=True):
            sizes += [_extent(arg) if parameter.pointer else 0, *[0] * (len(parameter.fields) - 1)]
        return struct.pack(f"={len(self.layout.offsets)}Q", *sizes, *[0] * self._sizes)


def _wanted(parameter: Parameter) -> object:
    """What `pack` compares the dtype of an array with: None for a number, and for lanes what no array has."""
    if not parameter.pointer:
        return None
    return object() if parameter.lanes > 1 else parameter.dtype or _ANY


def _extent(array: GpuArray) -> int:
    """The bytes from its first element to behind its last."""
    last = sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True))
    return (last + 1) * array.dtype.size if array.size else 0


# --- types -----------------------------------------------------------------------------------------------------------


def kinds(args: Sequence[Any]) -> tuple[object, ...]:
    """What `types_of` depends on, but quicker."""
    return tuple([
        (arg._dtype, len(arg._shape), arg._strides is not None) if arg.__class__ is GpuArray else arg.__class__
        for arg in args
    ])  # fmt: skip


def types_of(kernel: str, annotations: Mapping[str, ArrayType | DType | None], args: Sequence[Any]) -> tuple[Any, ...]:
    """The type of each argument of a kernel in Python: a dtype, or (dtype, axes, whether it is strided) of an array.

    Args:
        annotations: what each parameter takes; None for what its argument is.
        args: arrays, also NumPy's, and numbers.

    Raises:
        TypeError: for another number of arguments, or one of another kind or dtype.
        ValueError: for an array with another number of axes.
    """
    check_list(kernel, args)
    if len(args) != len(annotations):
        wanted = count_of(len(annotations), "argument")
        raise TypeError(f"{kernel} takes {wanted} ({', '.join(annotations)}), not {len(args)}")
    return tuple(
        _type_of(f"`{name}` of {kernel}", wanted, arg)
        for (name, wanted), arg in zip(annotations.items(), args, strict=True)
    )


def arrays_of(wanted: ArrayType, where: str, array: Any) -> list[Any]:
    """The arrays of the fields of an array of structs, which may be one of NumPy's.

    Raises:
        TypeError: for anything else, or other fields.
    """
    struct, is_ours = wanted.struct, isinstance(array, StructArray)
    assert struct is not None
    found = array.struct.fields if is_ours else record_fields(array)
    if struct.fields == found:
        return [array[name] for name in struct.fields]
    given = f"an array of {array.dtype}" if found and not is_ours else with_article(type(array).__name__)
    if is_ours:
        given = f"one of {array.struct.__name__}: {described_fields(array.struct)}"
    upload = f"ctx.upload_structs(data, {struct.__name__})"
    raise TypeError(
        f"{where} is an array of {struct.__name__}: {described_fields(struct)}; {given} was given; make one by {upload}"
    )


def _type_of(where: str, wanted: ArrayType | DType | None, value: Any) -> Any:
    if isinstance(value, StructArray):
        raise _whole_structs(where, value)
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and (shape or not hasattr(value, "item") or isinstance(wanted, ArrayType)):
        if isinstance(wanted, DType):
            raise _no_number(where)
        return _type_of_array(where, wanted or ArrayType(), value, shape)
    if isinstance(wanted, ArrayType):
        raise _no_array(where, value)
    if wanted is not None:
        return wanted
    if isinstance(value, bool):
        return dtypes.bool_
    if hasattr(value, "dtype"):
        return as_dtype(value.dtype)
    if isinstance(value, (int, float)):
        return dtypes.i32 if isinstance(value, int) else dtypes.f32
    raise TypeError(f"{where} is an array or a number, not a {type(value).__name__}")


def _type_of_array(where: str, wanted: ArrayType, array: Any, shape: tuple[int, ...]) -> tuple[DType, int, bool]:
    dtype = as_dtype(array.dtype)
    if wanted.dtype not in (None, dtype):
        raise _other_dtype(where, wanted.dtype, dtype)
    if wanted.ndim not in (None, len(shape)):
        axes = "1 axis" if wanted.ndim == 1 else f"{wanted.ndim} axes"
        raise ValueError(f"{where} has {axes}, and the shape of the array is {list(shape)}")
    if dtype is dtypes.bf16:
        raise TypeError(f"{where}: kernels written in Python cannot compute with bf16; cast the array to f32")
    if not shape:
        raise ValueError(f"{where}: an array of shape () has no axis; reshape it to (1,), or pass item()")
    contiguous = getattr(array, "is_contiguous", None)
    return dtype, len(shape), not (array.flags.c_contiguous if contiguous is None else contiguous)


# --- what is refused -------------------------------------------------------------------------------------------------


def check_list(kernel: object, args: Any) -> None:
    """Raises TypeError where `args` is one argument, or none."""
    if args.__class__ is list or args.__class__ is tuple:
        return
    if not hasattr(args, "__len__") or hasattr(args, "dtype") or isinstance(args, (str, bytes, dict)):
        one = "; write args=[x] for one array" if hasattr(args, "dtype") else ""
        raise TypeError(f"args is a list of what {kernel} takes, not {with_article(type(args).__name__)}{one}")


def checked_number(where: str, dtype: DType, value: Any, name: str = "") -> Any:
    """A number as its parameter has it, else an error that says `where` it is; `name` is of one declared in Python."""
    try:
        if name and dtype.kind in ("int", "uint") and _is_fraction(value):
            raise TypeError(f"{value!r} is no whole number, which {dtype} is; pass int(…), or declare {name}: f32")
        number = dtype.check(value)
        dtype.pack(number)  # which refuses a fraction that would become infinite
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(f"{where}: {error}") from None
    return number


def _is_fraction(value: Any) -> bool:
    """Whether it is a number that is not whole, and not one of the integer types."""
    return isinstance(value, Real) and not hasattr(value, "__index__") and value % 1 != 0


def _whole_structs(where: str, array: StructArray[Any]) -> TypeError:
    name, field = array.struct.__name__, next(iter(array.struct.fields))
    return TypeError(
        f"{where} is given an array of structs; annotate it as Array[{name}, {array.ndim}] in a kernel in Python, or "
        f"pass a field: array[{field!r}]"
    )


def _no_number(where: str) -> TypeError:
    return TypeError(f"{where} is a number, and an array was given; use item()")


def _no_array(where: str, value: object, what: str = "an array") -> TypeError:
    given = type(value).__name__
    return TypeError(f"{where} is {what}, and a {given} was given; bring it to the device by ctx.alloc_upload")


def _other_dtype(where: str, wanted: DType | None, found: DType) -> TypeError:
    mend = f"convert it: array.cast({str(wanted)!r})"
    return TypeError(f"{where} takes {wanted}, and the array is {found}; {mend}")
