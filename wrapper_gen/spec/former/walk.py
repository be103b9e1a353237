"""Where in a document a rule for an earlier spelling applies, and the walk that finds these places; knows no rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum, auto
from typing import Any, NamedTuple

from wrapper_gen.spec.document import Document
from wrapper_gen.spec.former.rewriter import Piece, Rewriter


class Where(Enum):
    """A kind of mapping."""

    SPEC = auto()
    """The whole file, before anything in it."""
    LIBRARY = auto()
    ERROR = auto()
    EXCEPTION = auto()
    ENUM = auto()
    STRUCT = auto()
    FIELD = auto()
    """A field of a struct, of an error or of an exception that is a mapping."""
    TYPE = auto()
    """An entry of `types`."""
    CALLBACK = auto()
    CALLBACK_PARAMETER = auto()
    CLASS = auto()
    """An entry of `handle_types`."""
    INTERFACE = auto()
    STREAM = auto()
    PROPERTY = auto()
    """A property of a class that is a mapping."""
    ACCESSOR = auto()
    """`get` or `set` of a property."""
    ENTRY = auto()
    """A function, or a method of whatever has some."""
    PARAMETER = auto()
    """A parameter that is a mapping."""
    RESULT = auto()
    """`return` as a mapping: a named tuple in an earlier form."""
    OUT = auto()
    END = auto()
    """The whole file, after everything in it."""


_EACH, _OWN = True, False
_FIELDS = {"fields": (Where.FIELD, _EACH)}
_ERROR = {"exceptions": (Where.EXCEPTION, _EACH), **_FIELDS}
_METHODS = {"methods": (Where.ENTRY, _EACH)}
_CALL = {"params": (Where.PARAMETER, _EACH), "out": (Where.OUT, _OWN)}
_ACCESSORS = {"get": (Where.ACCESSOR, _OWN), "set": (Where.ACCESSOR, _OWN)}
_PARTS: Mapping[Where, Mapping[str, tuple[Where, bool]]] = {
    Where.SPEC: {
        "wrapper_lib": (Where.LIBRARY, _OWN),
        "errors": (Where.ERROR, _EACH),
        "enums": (Where.ENUM, _EACH),
        "structs": (Where.STRUCT, _EACH),
        "types": (Where.TYPE, _EACH),
        "callbacks": (Where.CALLBACK, _EACH),
        "handle_types": (Where.CLASS, _EACH),
        "interfaces": (Where.INTERFACE, _EACH),
        "streams": (Where.STREAM, _EACH),
        "functions": (Where.ENTRY, _EACH),
        "methods": (Where.ENTRY, _EACH),
    },
    Where.ERROR: _ERROR,
    Where.EXCEPTION: _ERROR,
    Where.STRUCT: {**_FIELDS, **_METHODS},
    Where.CALLBACK: {"params": (Where.CALLBACK_PARAMETER, _EACH), "out": (Where.OUT, _OWN)},
    Where.CLASS: {**_METHODS, "properties": (Where.PROPERTY, _EACH), "fields": (Where.PROPERTY, _EACH)},
    Where.INTERFACE: _METHODS,
    Where.PROPERTY: {**_CALL, **_ACCESSORS},
    Where.ACCESSOR: _CALL,
    Where.ENTRY: {**_CALL, "return": (Where.RESULT, _OWN)},
}
"""The mappings below each kind: by key, each of a list or of a mapping's values, or one of its own."""


class At:
    """A key that a rule is for; its changes are those of `Rewriter`, of this mapping unless they say another."""

    __slots__ = ("around", "container", "key", "rewriter", "section")

    def __init__(
        self, rewriter: Rewriter, container: dict[str, Any], key: str, around: Sequence[dict[str, Any]], section: str
    ) -> None:
        self.rewriter = rewriter
        self.container = container
        self.key = key
        self.around = around
        """The mappings that this one is in, from the outside: of a method's parameter the class and the method."""
        self.section = section
        """The key of the file that it is below; empty for the file itself."""

    @property
    def value(self) -> Any:
        return self.container[self.key]

    @property
    def spec(self) -> dict[str, Any]:
        """The whole file."""
        return self.rewriter.document.data

    @property
    def library(self) -> Mapping[str, Any]:
        """`wrapper_lib`; empty where it is no mapping."""
        found = self.spec.get("wrapper_lib")
        return found if isinstance(found, dict) else {}

    def rename(self, new: str) -> None:
        self.rewriter.rename(self.container, self.key, new)
        self.key = new

    def replace(self, value: object, pieces: Sequence[Piece] | None = None) -> None:
        self.rewriter.replace(self.container, self.key, value, pieces)

    def remove(self) -> None:
        self.rewriter.remove(self.container, self.key)

    def insert(self, key: str, value: object, after: str | None = None) -> None:
        """Write a new key behind this one, which must still be there (or `after` another one)."""
        self.rewriter.insert(self.container, key, value, because=self.key, after=after)

    def move(self, into: dict[str, Any], new: str, after: str | None = None) -> None:
        self.rewriter.move(self.container, self.key, into, new, after=after)

    def undecided(self, reason: str) -> None:
        self.rewriter.undecided(self.container, self.key, reason)


class Rule(NamedTuple):
    """What becomes of a key of an earlier spelling."""

    where: Where
    key: str
    rewrite: Callable[[At], None]
    is_silent: bool = False
    """Whether it is a spelling of the original format, which is read for good."""
    is_alone: bool = True
    """Whether it can be made without other rules, by a fix."""
    what: str = ""
    """What is told of; empty for the key."""


Rules = Mapping[Where, Mapping[str, Sequence[Rule]]]
"""By the kind of mapping and the key, in order."""


def by_place(rules: Sequence[Rule]) -> Rules:
    found: dict[Where, dict[str, list[Rule]]] = {}
    for rule in rules:
        found.setdefault(rule.where, {}).setdefault(rule.key, []).append(rule)
    return found


def places(document: Document, rules: Rules, rewriter: Rewriter) -> Iterator[tuple[Rule, At]]:
    """Each rule with each key that it is for; what follows sees what the rule has made of that."""
    return _Walk(rules, rewriter).of(document.data)


class _Walk:
    def __init__(self, rules: Rules, rewriter: Rewriter) -> None:
        self._rules = rules
        self._rewriter = rewriter
        self._seen: set[tuple[int, Where]] = set()
        """What a rule has put elsewhere is rewritten already."""
        self._section = ""

    def of(self, data: dict[str, Any]) -> Iterator[tuple[Rule, At]]:
        yield from self._mapping(data, Where.SPEC, ())
        self._section = ""
        yield from self._own(data, Where.END, ())

    def _mapping(
        self, container: dict[str, Any], where: Where, around: tuple[dict[str, Any], ...]
    ) -> Iterator[tuple[Rule, At]]:
        if (id(container), where) in self._seen:
            return
        self._seen.add((id(container), where))
        yield from self._own(container, where, around)
        if id(container) in self._rewriter.left:
            return
        entries = container.get("entries")
        if isinstance(entries, list):
            yield from self._each(entries, where, around)
        parts = _PARTS.get(where)
        if parts is None or parts.keys().isdisjoint(container):
            return
        inside = around if where is Where.SPEC else (*around, container)
        for key in [each for each in parts if each in container]:
            self._section = key if where is Where.SPEC else self._section
            below = container[key]
            part, each = parts[key]
            if each and isinstance(below, dict | list):
                yield from self._each(below, part, inside)
            elif isinstance(below, dict):
                yield from self._mapping(below, part, inside)

    def _each(
        self, listed: list[Any] | dict[str, Any], where: Where, around: tuple[dict[str, Any], ...]
    ) -> Iterator[tuple[Rule, At]]:
        for each in list(listed.values() if isinstance(listed, dict) else listed):
            if isinstance(each, dict):
                yield from self._mapping(each, where, around)

    def _own(
        self, container: dict[str, Any], where: Where, around: tuple[dict[str, Any], ...]
    ) -> Iterator[tuple[Rule, At]]:
        rules = self._rules.get(where)
        if rules is None or rules.keys().isdisjoint(container):
            return
        for key in rules:
            for rule in rules[key]:
                if key in container and id(container) not in self._rewriter.left:
                    yield rule, At(self._rewriter, container, key, around, self._section)
