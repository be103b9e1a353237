"""Data of the host on its way to a device: what it is made of, found without copying where that can be."""

from __future__ import annotations

import array
import struct
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from unified_gpu.dtypes import DTYPES, NO_COMPLEX, DType, bf16, bool_, f32, f64, i64, is_whole, u16
from unified_gpu.optional import load_numpy
from unified_gpu.shapes import element_count, typed

Casting = Literal["checked", "unsafe"]
"""Whether a number that a dtype cannot hold is refused, or converted as C does."""

HostData = tuple[Any, DType, tuple[int, ...]]
"""A contiguous buffer, what its elements are, and its shape."""

_SEQUENCES = (list, tuple)
_NUMBERS = (int, float)
_NATIVE = "<" if sys.byteorder == "little" else ">"
_OTHER_ORDERS = ("!", ">") if sys.byteorder == "little" else ("<",)
_ARRAY_CODES = "bBhHiIqQfd"
_FORMATS = {dtype.format: dtype for dtype in DTYPES.values() if dtype is not bf16}
_FORMATS |= {"l": i64, "L": DTYPES["u64"], "c": DTYPES["u8"]}
_FORMATS |= {order + code: d for code, d in _FORMATS.items() for order in ("@", "=", _NATIVE)}


def host_data(data: Any, dtype: DType | None = None, default: DType = f32, casting: Casting = "checked") -> HostData:
    """What `data` is made of; only lists, and arrays with gaps, are copied.

    Args:
        data: a buffer, a NumPy array, a tensor in the memory of the CPU, a number, or (nested) lists of numbers.
        dtype: what lists and numbers become; without it `default` for floats, i64 for ints and bool for bools.
        casting: "unsafe" leaves it to the caller to convert numbers to `dtype`: they become f64 or i64.

    Raises:
        TypeError: when it is none of these, or its elements have no dtype here.
        ValueError: when its rows are not equally long.
        OverflowError: when a number does not fit in `dtype`.
    """
    items: Sequence[Any]
    if isinstance(data, _SEQUENCES):
        items, shape = _flatten(data)
    elif isinstance(data, _NUMBERS):
        items, shape = [data], ()
    else:
        view, found = _view(data, "uploaded")
        if found is None:
            mend = f"convert to one of {' '.join(DTYPES)}"
            if view.format.startswith("Z"):
                mend = f"there are {' '.join(DTYPES)}; {NO_COMPLEX}"
            elif view.format[:1] in _OTHER_ORDERS:
                mend = "bring them into the machine's order of bytes: data.astype(data.dtype.newbyteorder('='))"
            elif view.format.startswith("T{"):
                mend = "records go to an array of structs, ctx.upload_structs(data, a class of Struct)"
            raise TypeError(f"elements of format {view.format!r} have no dtype; {mend}")
        return (view if view.c_contiguous else view.tobytes()), found, view.shape or ()
    if casting == "unsafe":
        dtype = _common_type(items, default if dtype is None else f64)
    dtype = dtype or _common_type(items, default)
    return _pack(items, dtype), dtype, shape


def writable_bytes(out: Any, wanted: DType, shape: tuple[int, ...]) -> memoryview:
    """The bytes of `out`, where elements of that dtype and shape are to be put.

    Raises:
        TypeError, ValueError: when it is no writable buffer, of another dtype, another size, or has gaps.
    """
    size_bytes = element_count(shape) * wanted.size
    if isinstance(getattr(out, "bytes", None), memoryview) and out.dtype is wanted:  # pinned memory
        pinned: memoryview = out.bytes
        if pinned.nbytes == size_bytes:
            return pinned
    view, dtype = _view(out, "downloaded to")
    if view.readonly:
        raise TypeError(f"a {type(out).__name__} that is read-only cannot be downloaded to")
    if dtype is not wanted and view.format not in ("B", "c", "b") and not (wanted is bf16 and dtype is u16):
        name = dtype.name if dtype else view.format
        raise TypeError(
            f"an array of {wanted} cannot be downloaded to {name}; cast it first, or give an `out` of that dtype"
        )
    if view.nbytes != size_bytes:
        raise ValueError(f"{size_bytes} bytes of shape {list(shape)} do not fit {view.nbytes} bytes")
    if not view.c_contiguous:
        raise ValueError("`out` has gaps between its elements; download to a new array, and copy it there")
    return view.cast("B") if view.nbytes else memoryview(bytearray())


def host_buffer(shape: tuple[int, ...], dtype: DType) -> tuple[Any, memoryview]:
    """New memory of the host for an array, and its bytes: NumPy's where it is installed."""
    numpy = load_numpy()
    if numpy is not None:
        made = numpy.empty(shape, dtype.numpy)
        return made, memoryview(made.reshape(-1).view("uint8")) if made.size else memoryview(bytearray())
    data = bytearray(element_count(shape) * dtype.size)
    if dtype.format not in _ARRAY_CODES:
        return typed(memoryview(data), dtype, shape), memoryview(data)
    plain = array.array(dtype.format, data)
    return plain, memoryview(plain).cast("B")


def _view(data: Any, use: str) -> tuple[memoryview, DType | None]:
    """The memory of `data`, and what its elements are, if arrays can have that; halves may be shown as their bits."""
    said = getattr(data, "dtype", None)
    dtype = said if isinstance(said, DType) else None
    try:
        view = memoryview(data)
        return view, dtype or _FORMATS.get(view.format)
    except ValueError as error:  # NumPy raises it for dates
        raise TypeError(f"{error}; convert to one of {' '.join(DTYPES)}") from None
    except (TypeError, BufferError):
        pass
    if isinstance(getattr(data, "view", None), memoryview):  # pinned memory
        return data.view, dtype
    if hasattr(data, "__dlpack_device__"):
        from unified_gpu.interop.dlpack import import_tensor  # with ctypes, which most programs never need

        tensor = import_tensor(data)
        return tensor.host_view(), tensor.dtype
    if hasattr(data, "__array__"):
        view = memoryview(data.__array__())
        return view, _FORMATS.get(view.format)
    if use != "uploaded":
        what = "give a writable buffer, such as a NumPy array"
    else:
        what = "make it a list or a NumPy array" if isinstance(data, Iterable) else "give an array or a list of numbers"
    raise TypeError(f"a {type(data).__name__} cannot be {use}; {what}")


def _flatten(data: Sequence[Any]) -> tuple[Sequence[Any], tuple[int, ...]]:
    """All numbers of nested lists in order, and the shape."""
    shape = [len(data)]
    while any(isinstance(row, list | tuple) for row in data):
        lengths = {len(row) if isinstance(row, list | tuple) else 1 for row in data}
        if len(lengths) > 1 or not all(isinstance(row, list | tuple) for row in data):
            raise ValueError(
                f"ragged data: rows along axis {len(shape)} have {min(lengths)} to {max(lengths)} elements"
            )
        shape.append(lengths.pop())
        data = [item for row in data for item in row]
    return data, tuple(shape)


def _common_type(items: Sequence[Any], default: DType) -> DType:
    if items and all(isinstance(item, bool) for item in items):
        return bool_
    return i64 if items and all(map(is_whole, items)) else default


def _pack(items: Sequence[Any], dtype: DType) -> Any:
    try:
        if dtype.format in _ARRAY_CODES and dtype not in (bf16, f32):  # which makes 1e300 an infinite f32
            return array.array(dtype.format, items)
        if dtype is not bf16:
            return struct.pack(f"={len(items)}{dtype.format}", *items)
    except (TypeError, OverflowError, struct.error):
        pass  # said better, item by item, below
    return b"".join(dtype.pack(dtype.check(item)) for item in items)
