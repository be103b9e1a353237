"""Compound values on their way through the C ABI: what encodes and decodes them, one class a family of types.

Static: the same for all packages, and private to the one it lies in. docs/wire.md describes the encoding: every type
encodes a run of values, and a single value is a run of one.

A codec writes what is exactly of its type, all values of a run at once, and calls no method of a value. What it
refuses is converted one by one (`take`), which finds out what is wrong, or gives values that are exactly of the type.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain, pairwise
from operator import index
from struct import calcsize, pack, unpack
from typing import Any, NamedTuple

from ._cffi_support import real

_PADDING = tuple(bytes(-size % 8) for size in range(8))


class Refusal(Exception):
    """Why an argument was refused, and the path to it, from the inside out; where the reason is `value`, `wanted` says
    what is wrong with it."""

    def __init__(self, wanted: str, value: object, reason: str = "type") -> None:
        super().__init__(wanted)
        self.wanted = wanted
        self.value = value
        self.reason = reason
        self.path: list[Callable[[], str]] = []

    def at(self, step: Callable[[], str]) -> Refusal:
        self.path.append(step)
        return self

    def rank(self) -> int:
        """How far it came, and whether the value is of the right type: what a union goes by."""
        return 2 * len(self.path) + (self.reason != "type")

    def exception(self, what: str) -> Exception:
        where = what + "".join(step() for step in reversed(self.path))
        match self.reason:
            case "range":
                return OverflowError(f"{where}: {shown_number(self.value)} does not fit {self.wanted}")
            case "closed":
                from ._support import ClosedHandleError

                return ClosedHandleError(f"{where}: this {self.wanted} is closed")
            case "size":
                size = len(self.value)  # type: ignore[arg-type]  # a tuple
                return TypeError(f"{where}: {self.wanted} is wanted, not one of {size}")
            case "twice":
                return ValueError(f"{where}: two keys become the same: {_shown(self.value)}")
            case "value":
                return ValueError(f"{where}: {self.wanted}")
        return TypeError(f"{where}: {self.wanted} is wanted, not {kind_of(self.value)}")


def with_article(kind: type) -> str:
    """A class's name with its article."""
    return f"{'an' if kind.__name__[:1] in 'AEIOaeio' else 'a'} {kind.__name__}"


def kind_of(value: object) -> str:
    return "None" if value is None else type(value).__name__


def shown_number(number: object) -> str:
    """Python refuses to print very large ints."""
    if isinstance(number, int) and number.bit_length() > 128:
        return f"an int of {number.bit_length()} bits"
    return f"{number!r}"


def _shown(key: object) -> str:
    """A key as Python shows it, or, where it cannot or the text is long, part of it."""
    try:
        text = repr(key)
        text.encode()
    except Exception:
        return f"<{type(key).__name__}>"
    return text if len(text) <= 60 else text[:57] + "..."


class Call:
    """The conversion of one argument. `strict`: nothing but exact types, a union's first round. `choosing`: inside a
    union, whose alternatives are lenient with values, but not with what sort they are of."""

    __slots__ = ("choosing", "strict")

    def __init__(self) -> None:
        self.strict = False
        self.choosing = False


class Encoded:
    """An encoded value, and the handles in it, which it keeps alive."""

    __slots__ = ("data", "kept", "parts")

    data: bytes

    def __init__(self) -> None:
        self.parts: list[Any] = []
        self.kept: list[Any] = []

    def run(self, values: Any, size: int) -> None:
        """Add a run of so many bytes, up to the next multiple of 8."""
        self.parts.append(values)
        self.parts.append(_PADDING[size & 7])

    def end(self) -> Encoded:
        self.data = b"".join(self.parts)
        return self


class NotExactly(Exception):
    """A value is not exactly of a type."""


def _only(kinds: set[type], values: Iterable[object]) -> None:
    if not kinds.issuperset(map(type, values)):
        raise NotExactly


class Codec:
    """What encodes and decodes the values of one type."""

    wanted: str
    exact: frozenset[type]
    """The classes whose instances are exactly of the type."""
    may_collide = False
    """Whether different keys of a dict can come to the same one even if they are exactly of the type."""

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        """Encode a run; raises whatever it likes where a value is not exactly of the type."""
        raise NotImplementedError

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        """Decode a run: its values, and where the next one starts."""
        raise NotImplementedError

    def take(self, value: Any, call: Call) -> Any:
        """The value as `write` wants it; raises Refusal, or what the value's own code raises."""
        raise NotImplementedError

    def encode(self, value: Any, what: str) -> Encoded:
        """An argument, encoded; `what` is its name."""
        out = Encoded()
        try:
            self.write((value,), out)
            return out.end()
        except Exception:  # what is wrong, if anything, the thorough conversion says
            out = Encoded()
        try:
            taken = self.take(value, Call())
        except Refusal as refusal:
            failure = refusal.exception(what)
        else:
            self.write((taken,), out)
            return out.end()
        try:
            raise failure
        finally:
            del failure  # its traceback has this frame

    def copy(self, value: Any, what: str) -> Any:
        """The value as it comes back from C++."""
        ((own,), _) = self.read(memoryview(self.encode(value, what).data), 0, 1)
        return own

    def decode(self, bridge: Any, buffer: Any) -> Any:
        """A result, whose buffer is freed."""
        ((value,), _) = self.read(memoryview(bridge.bytes_out(buffer)), 0, 1)
        return value


# --- leaves ---


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
        _only({int}, values)
        super().write(values, out)

    def take(self, value: Any, call: Call) -> int:
        if call.strict and type(value) is not int:
            raise Refusal(self.wanted, value)
        try:
            number = index(value)
        except TypeError:
            raise Refusal(self.wanted, value) from None
        if self.low <= number <= self.high:
            return int.__add__(number, 0)
        raise Refusal(self.kind, number, "range")


class Float(_Number):
    wanted = "a float"
    exact = frozenset({float})

    def __init__(self, kind: str) -> None:
        super().__init__(kind, (kind == "f32" and "f") or "d")
        self.may_collide = kind == "f32"

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        _only({float, int}, values)
        if self.code == "f":  # checks that each fits
            out.run(pack(f"={len(values)}f", *values), 4 * len(values))
        else:
            super().write(values, out)

    def take(self, value: Any, call: Call) -> float:
        if call.strict and type(value) is not float:
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


class Bool(_Number):
    wanted = "a bool"
    exact = frozenset({bool})

    def __init__(self) -> None:
        super().__init__("bool", "B")

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        _only({bool}, values)
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


def _write_sizes(sizes: Iterable[int], out: Encoded) -> int:
    run = array("Q", sizes)
    out.parts.append(run)
    return sum(run)


def _read_ends(view: memoryview, at: int, count: int) -> tuple[list[int], int]:
    """Where each of a run of sizes ends, from 0 on, and where the next run starts."""
    end = at + 8 * count
    return [0, *accumulate(view[at:end].cast("Q"))], end


class Bytes(Codec):
    wanted = "a contiguous bytes-like object"
    exact = frozenset({bytes})

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        _only({bytes}, values)
        out.run(b"".join(values), _write_sizes(map(len, values), out))

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        ends, at = _read_ends(view, at, count)
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
        _only({str, _Native}, values)
        encoded = [str.encode(value, *self.encoding) for value in values]
        joined = b"".join(encoded)
        if b"\0" in joined:
            raise NotExactly
        out.run(joined, _write_sizes(map(len, encoded), out))

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        ends, at = _read_ends(view, at, count)
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
        _only({str}, values)
        encoded = list(map(str.encode, values))
        out.run(b"".join(encoded), _write_sizes(map(len, encoded), out))

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        ends, at = _read_ends(view, at, count)
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
        text.encode()  # a surrogate by itself fails here
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
        _only({self.enum}, values)
        if values and not self.low <= min(values) <= max(values) <= self.high:
            raise NotExactly
        super().write(values, out)

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        values, at = super().read(view, at, count)
        return list(map(self.enum, values)), at

    def take(self, value: Any, call: Call) -> Any:
        if not issubclass(type(value), self.enum):
            if call.strict or not issubclass(type(value), int) or type(value) is bool:
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
        _only({self.kind, _Microseconds}, values)
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
        _only({self.kind, _Held}, values)
        held = [value._h for value in values]
        if not all(held):
            raise NotExactly
        out.kept += held
        out.parts.append(array("Q", map(self.kind._address, held)))

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        end = at + 8 * count
        return list(map(self.kind._own_address, view[at:end].cast("Q"))), end

    def take(self, value: Any, call: Call) -> _Held:
        if not issubclass(type(value), self.kind):
            raise Refusal(self.wanted, value)
        if not value._h:
            raise Refusal(self.kind.__name__, value, "closed")
        return _Held(value._h)


# --- containers ---


class Optional(Codec):
    def __init__(self, of: Codec) -> None:
        self.of = of
        self.wanted = of.wanted
        self.exact = of.exact | {type(None)}
        self.may_collide = of.may_collide

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        there = [value for value in values if value is not None]
        out.run(bytes(value is not None for value in values), len(values))
        self.of.write(there, out)

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        flags = view[at : at + count].tolist()
        there, at = self.of.read(view, at + count + 7 & -8, sum(flags))
        rest = iter(there)
        return [next(rest) if flag else None for flag in flags], at

    def take(self, value: Any, call: Call) -> Any:
        return None if value is None else self.of.take(value, call)


class List(Codec):
    wanted = "a sequence"
    exact = frozenset({list, tuple})

    def __init__(self, element: Codec) -> None:
        self.element = element

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        _only({list, tuple}, values)
        total = _write_sizes(map(len, values), out)
        elements = list(chain.from_iterable(values))
        if len(elements) != total:  # another thread changed one
            raise NotExactly
        self.element.write(elements, out)

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        ends, at = _read_ends(view, at, count)
        elements, at = self.element.read(view, at, ends[-1])
        return [elements] if count == 1 else [elements[a:b] for a, b in pairwise(ends)], at

    def take(self, value: Any, call: Call) -> list[Any]:
        is_exact = type(value) is list or type(value) is tuple
        if (
            issubclass(type(value), str)
            or (call.strict and not is_exact)
            or (call.choosing and not _is_sequence(value))
        ):
            raise Refusal(self.wanted, value)
        try:
            elements = list(iter(value))  # without asking for a length, which may be anything
        except TypeError:
            raise Refusal(self.wanted, value) from None
        return [self._element(i, each, call) for i, each in enumerate(elements)]

    def _element(self, i: int, value: Any, call: Call) -> Any:
        try:
            return self.element.take(value, call)
        except Refusal as refusal:
            raise refusal.at(lambda: f"[{i}]") from None


class _Elements(list[Any]):
    """Elements of a set that were compared after their conversion."""


class Set(Codec):
    wanted = "a set"
    exact = frozenset({set, frozenset})

    def __init__(self, element: Codec) -> None:
        self.element = element

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        _only({_Elements} if self.element.may_collide else {set, frozenset, _Elements}, values)
        total = _write_sizes(map(len, values), out)
        elements = list(chain.from_iterable(values))
        if len(elements) != total:  # another thread changed one
            raise NotExactly
        self.element.write(elements, out)

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        ends, at = _read_ends(view, at, count)
        elements, at = self.element.read(view, at, ends[-1])
        return [set(elements[a:b]) for a, b in pairwise(ends)], at

    def take(self, value: Any, call: Call) -> _Elements:
        is_set = (
            type(value) in self.exact if call.strict else issubclass(type(value), (set, frozenset, type({}.keys())))
        )
        if not is_set:
            raise Refusal(self.wanted, value)
        try:
            elements = list(iter(value))  # without asking for a length, which may be anything
        except TypeError:
            raise Refusal(self.wanted, value) from None
        return _Elements(dict.fromkeys([self._element(each, call) for each in elements]))

    def _element(self, value: Any, call: Call) -> Any:
        try:
            return self.element.take(value, call)
        except Refusal as refusal:
            raise refusal.at(lambda: f"{{{_shown(value)}}}") from None


def _is_sequence(value: object) -> bool:
    """Whether it has elements by index: in a union an iterator or a mapping is no list."""
    return hasattr(type(value), "__getitem__") and not hasattr(type(value), "keys")


class Map(Codec):
    wanted = "a dict"
    exact = frozenset({dict})

    def __init__(self, key: Codec, value: Codec) -> None:
        self.key = key
        self.value = value

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        _only({dict, _Taken}, values)
        if self.key.may_collide:
            _only({_Taken}, values)
        total = _write_sizes(map(len, values), out)
        keys = list(chain.from_iterable(values))
        items = list(chain.from_iterable(value.values() for value in values))
        if not len(keys) == len(items) == total:  # another thread changed one
            raise NotExactly
        self.key.write(keys, out)
        self.value.write(items, out)

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        ends, at = _read_ends(view, at, count)
        keys, at = self.key.read(view, at, ends[-1])
        items, at = self.value.read(view, at, ends[-1])
        return [dict(zip(keys[a:b], items[a:b], strict=True)) for a, b in pairwise(ends)], at

    def take(self, value: Any, call: Call) -> _Taken:
        if type(value) is dict:
            copy = value.copy()
        elif call.strict or not _has(value, "keys"):
            raise Refusal(self.wanted, value)
        else:
            try:
                copy = dict(value)
            except TypeError:
                raise Refusal(self.wanted, value) from None
        out = _Taken()
        for key, item in copy.items():
            self._add(key, item, out, call)
        return out

    def _add(self, key: Any, item: Any, out: _Taken, call: Call) -> None:
        try:
            own = self.key.take(key, call)
        except Refusal as refusal:
            raise refusal.at(lambda: f"{{{_shown(key)}}}") from None
        if own in out:
            raise Refusal("", key, "twice")
        try:
            out[own] = self.value.take(item, call)
        except Refusal as refusal:
            raise refusal.at(lambda: f"[{_shown(key)}]") from None


class _Taken(dict[Any, Any]):
    """A dict whose keys were compared after their conversion."""


def _has(value: object, name: str) -> bool:
    try:
        return hasattr(value, name)
    except Exception:
        return False


class Tuple(Codec):
    exact = frozenset({tuple})

    def __init__(self, *items: Codec) -> None:
        self.items = items
        self.wanted = f"a tuple of {len(items)}"
        self.may_collide = any(item.may_collide for item in items)

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        _only({tuple}, values)
        if not {len(self.items)}.issuperset(map(len, values)):
            raise NotExactly
        for i, item in enumerate(self.items):
            item.write([value[i] for value in values], out)

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        columns = []
        for item in self.items:
            column, at = item.read(view, at, count)
            columns.append(column)
        return list(zip(*columns, strict=True)), at

    def take(self, value: Any, call: Call) -> tuple[Any, ...]:
        is_exact = type(value) is tuple
        if not is_exact and (call.strict or not issubclass(type(value), (tuple, list))):
            raise Refusal(self.wanted, value)
        try:
            values = tuple(value)
        except TypeError:
            raise Refusal(self.wanted, value) from None
        if len(values) != len(self.items):
            raise Refusal(self.wanted, values, "size")
        return tuple(self._item(i, each, call) for i, each in enumerate(values))

    def _item(self, i: int, value: Any, call: Call) -> Any:
        try:
            return self.items[i].take(value, call)
        except Refusal as refusal:
            raise refusal.at(lambda: f"[{i}]") from None


class _Chosen(NamedTuple):
    """A value that was found to be of this alternative."""

    alternative: int
    value: Any


class Union(Codec):
    def __init__(self, *alternatives: Codec) -> None:
        self.alternatives = alternatives
        *most, last = (each.wanted for each in alternatives)
        self.wanted = f"{', '.join(most)} or {last}"
        self.may_collide = any(each.may_collide for each in alternatives)
        kinds = [kind for each in alternatives for kind in each.exact]
        self.exact = frozenset(kinds)
        self._which = {
            kind: i for i, each in enumerate(alternatives) for kind in each.exact if kinds.count(kind) == 1
        }  # fmt: skip

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        which = self._which
        tags = [value[0] if type(value) is _Chosen else which[type(value)] for value in values]
        out.run(bytes(tags), len(tags))
        for i, alternative in enumerate(self.alternatives):
            own = [v.value if type(v) is _Chosen else v for v, tag in zip(values, tags, strict=True) if tag == i]
            alternative.write(own, out)

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        tags = view[at : at + count].tolist()
        at = at + count + 7 & -8
        runs = []
        for i, alternative in enumerate(self.alternatives):
            run, at = alternative.read(view, at, tags.count(i))
            runs.append(iter(run))
        return [next(runs[tag]) for tag in tags], at

    def take(self, value: Any, call: Call) -> _Chosen:
        """Exact types first, then whatever converts; the first alternative wins."""
        was = call.strict, call.choosing
        call.strict = call.choosing = True
        try:
            found = self._attempt(value, call)
            call.strict = was[0]
            # a number of the right type that does not fit is none of another type
            if isinstance(found, Refusal) and not was[0] and found.reason in ("type", "size"):
                found = self._attempt(value, call)
        finally:
            call.strict, call.choosing = was
        if isinstance(found, _Chosen):
            return found
        try:
            raise found if found.path or found.reason != "type" else Refusal(self.wanted, value)
        finally:
            del found  # its traceback has this frame

    def _attempt(self, value: Any, call: Call) -> _Chosen | Refusal:
        """The first alternative that takes the value, or the refusal of the one that came furthest."""
        worst: Refusal | None = None
        for i, alternative in enumerate(self.alternatives):
            try:
                return _Chosen(i, alternative.take(value, call))
            except Refusal as refusal:
                if worst is None or refusal.rank() > worst.rank():
                    worst = refusal.with_traceback(None)  # its traceback has this frame, and its context too
                    worst.__context__ = None
        assert worst is not None
        return worst


class _Fields:
    """What the fields of a record were converted to."""

    __slots__ = ("_values",)

    def __init__(self, values: tuple[Any, ...]) -> None:
        self._values = values


class Struct(Codec):
    def __init__(self, kind: Any, *fields: tuple[str, Codec]) -> None:
        self.kind = kind
        self.names = [name for name, _ in fields]
        self.codecs = [codec for _, codec in fields]
        self.wanted = with_article(kind)
        self.exact = frozenset({kind})

    def make(self, record: Any, *given: Any) -> None:
        """Fill a new record with copies of what it was given."""
        both = zip(self.names, self.codecs, given, strict=True)
        object.__setattr__(record, "_values", tuple(codec.copy(value, name) for name, codec, value in both))

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        _only({self.kind, _Fields}, values)
        rows = [value._values for value in values]
        for i, codec in enumerate(self.codecs):
            codec.write([row[i] for row in rows], out)

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        columns = []
        for codec in self.codecs:
            column, at = codec.read(view, at, count)
            columns.append(column)
        made = []
        for row in zip(*columns, strict=True):
            record = object.__new__(self.kind)
            object.__setattr__(record, "_values", row)
            made.append(record)
        return made, at

    def take(self, value: Any, call: Call) -> _Fields:
        if type(value) is not self.kind:
            raise Refusal(self.wanted, value)
        both = zip(self.codecs, value._values, strict=True)
        return _Fields(tuple(codec.take(field, call) for codec, field in both))


BOOL = Bool()
BYTES = Bytes()
TEXT = Text()
