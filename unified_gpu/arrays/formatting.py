"""Text of arrays: their values as NumPy writes them, with or without NumPy; of large ones the ends of each axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from unified_gpu.dtypes import DType, bf16, bool_, f16, f32, f64
from unified_gpu.errors import GpuError

from .layout import Layout

THRESHOLD, EDGE, LINE, PRECISION = 1000, 3, 75, 8
"""NumPy's defaults: elements from which on an array is summarised, those shown of each end, width, and digits."""
_POSITIONAL = {f16: 1e3, f64: 1e8}
"""From which number on an exponent is written."""


class _Summary(list[Any]):
    """The elements of one axis, of which those in the middle are left out."""


def described(array: Layout) -> str:
    """`GpuArray([1., 2.], dtype=f32, device=cpu:0)`; where the values cannot be read, the reason stands instead."""
    try:
        values = ends(array)
    except Exception as error:
        if isinstance(error, RuntimeError) and not isinstance(error, (NotImplementedError, GpuError)):
            array.context.current_stream.unreported = error  # of queued work: the next `synchronize` raises it
        return f"{array._summary()[:-1]}; its values cannot be read: {error}>"
    dtype, device = array.dtype, array.context.device
    parts = [f"dtype={dtype}", f"device={device.backend}:{device.index}"]
    if array.size > THRESHOLD or (0 in array.shape and array.shape != (0,)):
        parts.insert(0, f"shape={array.shape}")
    begin, suffix = "GpuArray(", ", ".join(parts)
    body = text(values, dtype, array.shape, begin)
    last = body.rpartition("\n")[2]
    width = len(last) + (0 if "\n" in body else len(begin)) + len(suffix) + 3
    return f"{begin}{body},{' ' if width <= LINE else chr(10) + ' ' * len(begin)}{suffix})"


def ends(array: Any, axis: int = 0) -> Any:
    """The values of an array as lists; of one with more elements than `THRESHOLD`, three of each end of its axes."""
    if axis == array.ndim or (axis == 0 and array.size <= THRESHOLD):
        return array.tolist()
    if array.shape[axis] <= 2 * EDGE:
        return ends(array, axis + 1)
    before = (slice(None),) * axis
    first, last = array[(*before, slice(EDGE))], array[(*before, slice(-EDGE, None))]
    return _joined(ends(first, axis + 1), ends(last, axis + 1), axis)


def _joined(first: Any, last: Any, depth: int) -> Any:
    if depth == 0:
        return _Summary([*first, *last])
    pairs = (_joined(a, b, depth - 1) for a, b in zip(first, last, strict=True))
    return type(first)(pairs)


def text(values: Any, dtype: DType, shape: tuple[int, ...], begin: str = "") -> str:
    """Nested lists as NumPy writes an array of them, behind `begin` on the first line."""
    if 0 in shape:
        return "[]"
    flat = values
    for _ in shape[1:]:
        flat = chain.from_iterable(flat)
    word = _formatter([*flat] if shape else [values], dtype)
    return _rows(values, word, " " * len(begin), LINE) if shape else word(values).strip()


def _rows(values: Any, word: Callable[[Any], str], indent: str, width: int) -> str:
    """One axis in brackets; `indent` is what stands before each of its lines but the first."""
    inner, depth = indent + " ", _depth(values)
    parts = [word(each) if depth == 1 else _rows(each, word, inner, width - 1) for each in values]
    if isinstance(values, _Summary):
        parts.insert(EDGE, "...")
    if depth > 1:
        return "[" + ("," + "\n" * (depth - 1) + inner).join(parts) + "]"
    lines, line = [], inner
    for at, part in enumerate(parts):
        if len(line) > len(inner) and len(line) + len(part) > width - 1:
            lines.append(line.rstrip())
            line = inner
        line += part if at == len(parts) - 1 else f"{part}, "
    return "[" + "\n".join([*lines, line])[len(inner) :] + "]"


def _depth(values: Any) -> int:
    return 1 + _depth(values[0]) if isinstance(values, list) else 0


def _formatter(values: Sequence[Any], dtype: DType) -> Callable[[Any], str]:
    """What writes each value, all as wide as the widest."""
    if not dtype.is_float:
        width = 5 if dtype is bool_ else max(len(str(each)) for each in values)
        return lambda each: str(each).rjust(width)
    finite = [abs(each) for each in values if math.isfinite(each) and each != 0]
    low, high = min(finite, default=1.0), max(finite, default=1.0)
    scientific = bool(finite) and (high >= _POSITIONAL.get(dtype, 1e6) or low < 1e-4 or high / low > 1000)
    split = [_number(each, dtype, scientific).partition(".") for each in values if math.isfinite(each)]
    left = max((len(before) for before, _, _ in split), default=0)
    right = max((len(after.partition("e")[0]) for _, _, after in split), default=0)
    exponent = max((len(after.partition("e")[2]) for _, _, after in split), default=0)
    tail = exponent + 1 if scientific and split else 0
    others = max((len(_special(each)) for each in values if not math.isfinite(each)), default=0)
    left = max(left, others - right - 1 - tail)

    def written(value: float) -> str:
        if not math.isfinite(value):
            return _special(value).rjust(left + 1 + right + tail)
        before, _, after = _number(value, dtype, scientific).partition(".")
        digits, _, power = after.partition("e")
        if scientific and len(digits) < right:  # NumPy shows those of the number itself, not zeros
            before, _, after = f"{value:.{right}e}".partition(".")
            digits, _, power = after.partition("e")
        if scientific:
            sign, size = power[0], power[1:].rjust(exponent - 1, "0")
            return f"{before.rjust(left)}.{digits.ljust(right, '0')}e{sign}{size}"
        return f"{before.rjust(left)}.{digits.ljust(right)}"

    return written


def _special(value: float) -> str:
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def _number(value: float, dtype: DType, scientific: bool) -> str:
    """The fewest digits that tell a number from its neighbours, eight behind the point at most."""
    from decimal import Decimal

    shortest = Decimal(_shortest(value, dtype))
    if scientific:
        sign, digits, _ = shortest.as_tuple()
        if len(digits) > PRECISION + 1:
            shortest = Decimal(f"{value:.{PRECISION}e}")
            sign, digits, _ = shortest.as_tuple()
        fraction = "".join(map(str, digits[1:])).rstrip("0")
        return f"{'-' if sign else ''}{digits[0]}.{fraction}e{shortest.adjusted() if value else 0:+03d}"
    plain = f"{shortest:f}"
    if len(plain.partition(".")[2]) > PRECISION:
        plain = f"{value:.{PRECISION}f}"
    before, _, after = plain.partition(".")
    return f"{before}.{after.rstrip('0')}"


def _shortest(value: float, dtype: DType) -> str:
    narrow = f32 if dtype is bf16 else dtype
    if narrow in (f16, f32):
        for digits in range(10):
            found = f"{value:.{digits}e}"
            try:
                if narrow.unpack(narrow.pack(float(found))) == value:
                    return found
            except OverflowError:  # rounded up beyond the greatest
                continue
    return repr(value)
