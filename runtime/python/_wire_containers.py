"""Codecs of types that are made of others: optionals, lists, sets, maps, tuples, unions, structs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

from ._support import with_article
from ._wire_codec import (
    Call,
    Codec,
    Encoded,
    NotExactly,
    Refusal,
    only,
    read_ends,
    shown,
    write_sizes,
)


class Optional(Codec):
    nothing: Any = None

    def __init__(self, of: Codec) -> None:
        self.of = of
        self.wanted = of.wanted
        self.exact = of.exact | {type(self.nothing)}
        self.may_collide = of.may_collide

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        nothing = self.nothing
        there = [value for value in values if value is not nothing]
        out.run(bytes(value is not nothing for value in values), len(values))
        self.of.write(there, out)

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        flags = view[at : at + count].tolist()
        there, at = self.of.read(view, at + count + 7 & -8, sum(flags))
        rest = iter(there)
        return [next(rest) if flag else None for flag in flags], at

    def take(self, value: Any, call: Call) -> Any:
        return value if value is self.nothing else self.of.take(value, call)


class OrDefault(Optional):
    """An argument that may be left out, where only C++ knows what there is then."""

    nothing = ...


class List(Codec):
    wanted = "a sequence"
    exact = frozenset({list, tuple})

    def __init__(self, element: Codec) -> None:
        self.element = element

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({list, tuple}, values)
        total = write_sizes(map(len, values), out)
        elements = list(chain.from_iterable(values))
        if len(elements) != total:  # another thread changed one
            raise NotExactly
        self.element.write(elements, out)

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        ends, at = read_ends(view, at, count)
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


class TupleOf(List):
    """A list of C++ that is a tuple in Python."""

    wanted = "a tuple"
    exact = frozenset({tuple})

    def __init__(self, element: Codec) -> None:
        super().__init__(element)
        self.may_collide = element.may_collide

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({tuple}, values)
        super().write(values, out)

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        lists, at = super().read(view, at, count)
        return list(map(tuple, lists)), at

    def take(self, value: Any, call: Call) -> Any:
        if type(value) is not tuple and (call.strict or not issubclass(type(value), (tuple, list))):
            raise Refusal(self.wanted, value)
        return tuple(super().take(value, call))


class _Elements(list[Any]):
    """Elements of a set that were compared after their conversion."""


class Set(Codec):
    wanted = "a set"
    exact = frozenset({set, frozenset})

    def __init__(self, element: Codec) -> None:
        self.element = element

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({_Elements} if self.element.may_collide else {set, frozenset, _Elements}, values)
        total = write_sizes(map(len, values), out)
        elements = list(chain.from_iterable(values))
        if len(elements) != total:  # another thread changed one
            raise NotExactly
        self.element.write(elements, out)

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        ends, at = read_ends(view, at, count)
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
            raise refusal.at(lambda: f"{{{shown(value)}}}") from None


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
        only({dict, _Taken}, values)
        if self.key.may_collide:
            only({_Taken}, values)
        total = write_sizes(map(len, values), out)
        keys = list(chain.from_iterable(values))
        items = list(chain.from_iterable(value.values() for value in values))
        if not len(keys) == len(items) == total:  # another thread changed one
            raise NotExactly
        self.key.write(keys, out)
        self.value.write(items, out)

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        ends, at = read_ends(view, at, count)
        keys, at = self.key.read(view, at, ends[-1])
        items, at = self.value.read(view, at, ends[-1])
        made = [dict(zip(keys[a:b], items[a:b], strict=True)) for a, b in pairwise(ends)]
        if sum(map(len, made)) != ends[-1]:
            raise ValueError("the result has a key twice, and a dict has room for one; declare [(K, V)] to get both")
        return made, at

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
            raise refusal.at(lambda: f"{{{shown(key)}}}") from None
        if own in out:
            raise Refusal("", key, "twice")
        try:
            out[own] = self.value.take(item, call)
        except Refusal as refusal:
            raise refusal.at(lambda: f"[{shown(key)}]") from None


class _Taken(dict[Any, Any]):
    """A dict whose keys were compared after their conversion."""


def _has(value: object, name: str) -> bool:
    try:
        return hasattr(value, name)
    except Exception:
        return False


class Tuple(Codec):
    exact = frozenset({tuple})

    def __init__(self, *items: Codec, made: Callable[..., tuple[Any, ...]] | None = None) -> None:
        self.items = items
        self.made = made
        """The class of a result whose items have names."""
        self.wanted = f"a tuple of {len(items)}"
        self.may_collide = any(item.may_collide for item in items)

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({tuple}, values)
        if not {len(self.items)}.issuperset(map(len, values)):
            raise NotExactly
        for i, item in enumerate(self.items):
            item.write([value[i] for value in values], out)

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        columns = []
        for item in self.items:
            column, at = item.read(view, at, count)
            columns.append(column)
        rows = zip(*columns, strict=True)
        return list(rows) if self.made is None else [self.made(*row) for row in rows], at

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
        """What fits best, as of several functions of one name; of those that fit as well, the first."""
        was = call.strict, call.choosing, call.misfit, call.worst_fit
        call.choosing = True
        call.misfit = False
        found: _Chosen | Refusal = Refusal(self.wanted, value)
        try:
            for fit in range(1, was[-1] + 1):
                call.strict, call.worst_fit = fit == 1, fit
                found = self._attempt(value, call)
                # a number of the right type that does not fit is none of another type
                if isinstance(found, _Chosen) or found.reason not in ("type", "size"):
                    break
        finally:
            call.strict, call.choosing, call.misfit, call.worst_fit = was
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
        only({self.kind, _Fields}, values)
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
        both = zip(self.codecs, self._values(value, call), strict=True)
        return _Fields(tuple(codec.take(field, call) for codec, field in both))

    def _values(self, value: Any, call: Call) -> tuple[Any, ...]:
        """The fields of a record; of one whose class extends this one, the first ones."""
        if type(value) is not self.kind and (call.strict or not issubclass(type(value), self.kind)):
            raise Refusal(self.wanted, value)
        values: tuple[Any, ...] = value._values
        return values[: len(self.codecs)]
