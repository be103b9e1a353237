"""Codecs of types that are made of no others: numbers, text, bytes, enums, times, paths, handles."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from enum import EnumType
from itertools import pairwise
from operator import index
from struct import calcsize, pack, unpack
from typing import Any

from ._cffi_numbers import has_length, is_numpy_bool, is_numpy_complex, real
from ._support import with_article
from ._wire_codec import (
    Call,
    Codec,
    Encoded,
    NotExactly,
    Refusal,
    only,
    read_ends,
    write_sizes,
)


class _Number(Codec):
    def __init__(self, kind: str, code: Any) -> None:
        self.kind = kind
        self.code = code
        self.width = calcsize(f"={code}")

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        out.run(array(self.code, values), self.width * len(values))

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        end = at + count * self.width
        return view[at:end].cast(self.code).tolist(), end + 7 & -8


_INTS = {"i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q"}
_INTS["usize"] = "Q" if calcsize("N") == 8 else "I"


class Int(_Number):
    wanted = "an int"
    exact = frozenset({int})

    def __init__(self, kind: str) -> None:
        super().__init__(kind, _INTS[kind])
        bits = 8 * self.width
        self.low, self.high = (0, (1 << bits) - 1) if kind[0] == "u" else (-1 << bits - 1, (1 << bits - 1) - 1)

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({int}, values)
        super().write(values, out)

    def take(self, value: Any, call: Call) -> int:
        if type(value) is not int and (call.strict or (call.worst_fit < 4 and has_length(value))):
            raise Refusal(self.wanted, value)
        try:
            number = index(value)
        except TypeError:
            raise Refusal(self.wanted, value) from None
        if self.low <= number <= self.high:
            return int.__add__(number, 0)
        call.misfit = True
        raise Refusal(self.kind, number, "range")


class Float(_Number):
    wanted = "a float"
    exact = frozenset({float})

    def __init__(self, kind: str) -> None:
        super().__init__(kind, (kind == "f32" and "f") or "d")
        self.may_collide = kind == "f32"

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({float, int}, values)
        if self.code == "f":  # checks that each fits
            out.run(pack(f"={len(values)}f", *values), 4 * len(values))
        else:
            super().write(values, out)

    def take(self, value: Any, call: Call) -> float:
        if type(value) is not float and (call.strict or (call.misfit and hasattr(type(value), "__index__"))):
            raise Refusal(self.wanted, value)
        if is_numpy_complex(value) or (call.worst_fit < 4 and not self._fits_within(value, call.worst_fit)):
            raise Refusal(self.wanted, value)
        try:
            number = value if type(value) is float else real(value)
        except TypeError:
            raise Refusal(self.wanted, value) from None
        except OverflowError:
            if not issubclass(type(value), int):
                raise  # in words of its own
            raise Refusal(self.kind, value, "range") from None
        if self.code == "d":
            return number
        try:
            return float(unpack("=f", pack("=f", number))[0])
        except OverflowError:
            raise Refusal(self.kind, value, "range") from None

    @staticmethod
    def _fits_within(value: Any, worst: int) -> bool:
        if is_numpy_bool(value) or has_length(value):
            return False
        return worst >= 3 or not hasattr(type(value), "__index__")


class Complex(Codec):
    wanted = "a complex number"
    exact = frozenset({complex})

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.parts = Float({"c64": "f32", "c128": "f64"}[kind])

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({complex}, values)
        self.parts.write([part for value in values for part in (value.real, value.imag)], out)

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        parts, end = self.parts.read(view, at, 2 * count)
        return list(map(complex, parts[::2], parts[1::2])), end

    def take(self, value: Any, call: Call) -> complex:
        kind = type(value)
        if kind is not complex and (call.strict or (call.misfit and hasattr(kind, "__index__"))):
            raise Refusal(self.wanted, value)
        if call.worst_fit < 4 and not self._is_of_its_sort(value):
            raise Refusal(self.wanted, value)
        try:
            number = value if issubclass(kind, complex) else self._made(value)
        except TypeError:
            raise Refusal(self.wanted, value) from None
        except OverflowError:
            if not issubclass(kind, int):
                raise  # in words of its own
            raise Refusal(self.kind, value, "range") from None
        try:
            return complex(self.parts.take(number.real, call), self.parts.take(number.imag, call))
        except Refusal:
            raise Refusal(self.kind, number, "range") from None

    @staticmethod
    def _is_of_its_sort(value: Any) -> bool:
        kind = type(value)
        if issubclass(kind, complex) or is_numpy_complex(value):
            return True
        is_other = hasattr(kind, "__index__") or hasattr(kind, "__float__")
        return not (is_other or is_numpy_bool(value) or has_length(value))

    @staticmethod
    def _made(value: Any) -> complex:
        """What `complex` makes of a number; no str is one."""
        if hasattr(type(value), "__complex__"):
            return complex(value)
        return complex(real(value))


class Bool(_Number):
    wanted = "a bool"
    exact = frozenset({bool})

    def __init__(self) -> None:
        super().__init__("bool", "B")

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({bool}, values)
        super().write(values, out)

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        values, at = super().read(view, at, count)
        return list(map(bool, values)), at

    def take(self, value: Any, call: Call) -> bool:
        if value is True or value is False:
            return value
        if not call.strict and type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
            return bool(value)
        raise Refusal(self.wanted, value)


class Bytes(Codec):
    wanted = "a contiguous bytes-like object"
    exact = frozenset({bytes})

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({bytes}, values)
        out.run(b"".join(values), write_sizes(map(len, values), out))

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        ends, at = read_ends(view, at, count)
        return [bytes(view[at + a : at + b]) for a, b in pairwise(ends)], at + ends[-1] + 7 & -8

    def take(self, value: Any, call: Call) -> bytes:
        if call.strict and type(value) is not bytes:
            raise Refusal(self.wanted, value)
        try:
            view = memoryview(value)
        except (TypeError, BufferError, ValueError):
            raise Refusal(self.wanted, value) from None
        with view:
            if not view.c_contiguous:
                raise Refusal(self.wanted, value)
            return view.tobytes()


class _Native(str):
    """A path that was converted."""


class Path(Codec):
    wanted = "a str or os.PathLike"
    exact = frozenset({str})
    may_collide = True  # an escaped byte is equal to what it decodes to

    def __init__(self) -> None:
        import os
        import pathlib
        import sys

        self.fspath = os.fspath
        self.fsdecode = os.fsdecode
        self.made = pathlib.Path
        self.encoding = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({str, _Native}, values)
        encoded = [str.encode(value, *self.encoding) for value in values]
        joined = b"".join(encoded)
        if b"\0" in joined:
            raise NotExactly
        out.run(joined, write_sizes(map(len, encoded), out))

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        ends, at = read_ends(view, at, count)
        texts = [self.fsdecode(bytes(view[at + a : at + b])) for a, b in pairwise(ends)]
        return list(map(self.made, texts)), at + ends[-1] + 7 & -8

    def take(self, value: Any, call: Call) -> _Native:
        if issubclass(type(value), str):
            if call.strict and type(value) is not str:
                raise Refusal(self.wanted, value)
        elif not hasattr(type(value), "__fspath__"):
            raise Refusal(self.wanted, value)
        else:
            value = self.fspath(value)
            if not issubclass(type(value), str):
                raise Refusal(self.wanted, value)
        native = str.encode(value, *self.encoding)
        if b"\0" in native:
            raise Refusal("embedded null character", value, "value")
        return _Native(self.fsdecode(native))


class Text(Codec):
    wanted = "a str"
    exact = frozenset({str})

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({str}, values)
        encoded = list(map(str.encode, values))
        out.run(b"".join(encoded), write_sizes(map(len, encoded), out))

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        ends, at = read_ends(view, at, count)
        joined = bytes(view[at : at + ends[-1]])
        at = at + ends[-1] + 7 & -8
        if joined.isascii():  # decoded once for all
            text = joined.decode()
            return [text[a:b] for a, b in pairwise(ends)], at
        return [joined[a:b].decode() for a, b in pairwise(ends)], at

    def take(self, value: Any, call: Call) -> str:
        if not issubclass(type(value), str) or (call.strict and type(value) is not str):
            raise Refusal(self.wanted, value)
        text = str.__str__(value)
        try:
            text.encode()
        except UnicodeEncodeError as failure:
            from ._cffi_texts import lone_surrogate

            raise Refusal(lone_surrogate(failure), value, "value") from None
        return text


class Enum(_Number):
    """`bits`: those of its integer type, negative where it is signed; on the wire it has 64."""

    def __init__(self, kind: type, bits: int) -> None:
        super().__init__(f"u{bits}" if bits > 0 else f"i{-bits}", "Q" if bits == 64 else "q")
        self.enum = kind
        self.wanted = with_article(kind)
        self.exact = frozenset({kind})
        self.low, self.high = (0, (1 << bits) - 1) if bits > 0 else (-1 << -bits - 1, (1 << -bits - 1) - 1)

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({self.enum}, values)
        if values and not self.low <= min(values) <= max(values) <= self.high:
            raise NotExactly
        super().write(values, out)

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        values, at = super().read(view, at, count)
        return list(map(self.enum, values)), at

    def take(self, value: Any, call: Call) -> Any:
        if not issubclass(type(value), self.enum):
            given = type(value)
            if call.strict or not issubclass(given, int) or given is bool or isinstance(given, EnumType):
                raise Refusal(self.wanted, value)
            value = self.enum(value)
        if self.low <= value <= self.high:
            return value
        raise Refusal(self.kind, int(value), "range")


class _Microseconds(int):
    """A timedelta that was converted."""


class Duration(Codec):
    wanted = "a timedelta"

    def __init__(self) -> None:
        from datetime import timedelta

        self.kind = timedelta
        self.exact = frozenset({timedelta})
        self.unit = timedelta(microseconds=1)

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({self.kind, _Microseconds}, values)
        unit = self.unit
        out.run(array("q", [v if type(v) is _Microseconds else v // unit for v in values]), 8 * len(values))

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        end = at + 8 * count
        return list(map(self.unit.__mul__, view[at:end].cast("q"))), end

    def take(self, value: Any, call: Call) -> _Microseconds:
        if not issubclass(type(value), self.kind) or (call.strict and type(value) is not self.kind):
            raise Refusal(self.wanted, value)
        count = self.kind.__floordiv__(value, self.unit)  # timedelta's own, whatever a subclass has
        if not -1 << 63 <= count < 1 << 63:
            raise Refusal("duration", self.unit * count, "range")
        return _Microseconds(count)


class _Moment(int):
    """A datetime that was converted."""


NAIVE = "a datetime without a time zone is no point in time: give it a tzinfo, such as datetime.timezone.utc"


class DateTime(Codec):
    wanted = "a datetime"
    may_collide = True  # of a time zone whose clocks are set back, some are equal to none of another

    def __init__(self) -> None:
        from datetime import UTC, datetime, timedelta, timezone

        self.kind = datetime
        self.exact = frozenset({datetime})
        self.fixed_zone = timezone
        self.epoch = datetime(1970, 1, 1, tzinfo=UTC)
        self.unit = timedelta(microseconds=1)
        self.low, self.high = (self._count(each.replace(tzinfo=UTC)) for each in (datetime.min, datetime.max))

    def _count(self, value: Any) -> int:
        """Microseconds since the epoch, by datetime's own methods, whatever a subclass has."""
        since: int = self.kind.__sub__(value, self.epoch) // self.unit
        return since

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({self.kind, _Moment}, values)
        zones = [value.tzinfo for value in values if type(value) is not _Moment]
        only({self.fixed_zone}, zones)  # others may have Python code
        counts = [v if type(v) is _Moment else self._count(v) for v in values]
        if counts and not self.low <= min(counts) <= max(counts) <= self.high:
            raise NotExactly
        out.run(array("q", counts), 8 * len(values))

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        end = at + 8 * count
        return [self.epoch + self.unit * each for each in view[at:end].cast("q")], end

    def take(self, value: Any, call: Call) -> _Moment:
        if not issubclass(type(value), self.kind) or (call.strict and type(value) is not self.kind):
            raise Refusal(self.wanted, value)
        if self.kind.utcoffset(value) is None:
            raise Refusal(NAIVE, value, "value")
        count = self._count(value)
        if not self.low <= count <= self.high:
            raise Refusal("datetime", value, "range")
        return _Moment(count)


class _Held:
    """What a handle held when its turn came: usable for the call, even if another element closes the handle."""

    __slots__ = ("_h",)

    def __init__(self, held: Any) -> None:
        self._h = held


class Handles(Codec):
    def __init__(self, kind: Any) -> None:
        self.kind = kind
        self.wanted = with_article(kind)
        self.exact = frozenset({kind})

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({self.kind, _Held}, values)
        held = [value._h for value in values]
        if not all(held):
            raise NotExactly
        uses = self.kind._uses
        out.keep(held, uses)
        if uses is not None and not all(value._h for value in values):
            raise NotExactly
        out.parts.append(array("Q", map(self.kind._address, held)))

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        end = at + 8 * count
        return list(map(self.kind._own_address, view[at:end].cast("Q"))), end

    def take(self, value: Any, call: Call) -> _Held:
        if not issubclass(type(value), self.kind):
            raise Refusal(self.wanted, value)
        held, uses = _Held(value._h), self.kind._uses
        if uses is not None:
            call.out.keep([held._h], uses)
        if not value._h:
            raise Refusal(self.kind.__name__, value, "closed")
        return held


BOOL = Bool()
BYTES = Bytes()
TEXT = Text()
