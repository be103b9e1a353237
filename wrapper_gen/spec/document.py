"""A spec as plain data, with the place of every key and value; knows YAML, and not what any key means."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Set
from dataclasses import field
from pathlib import Path
from typing import Any

from wrapper_gen.diagnostics import Diagnostic, Span, SpecError
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import Code
from wrapper_gen.spec.offsets import Offsets, block_header, offsets
from wrapper_gen.spec.source import SourceOfRow, SpecText, read_source
from wrapper_gen.spec.yaml_reader import Container, Entry, Place, read_yaml

_ANCHOR = re.compile(r"&\w*\s*")
_CONTAINER = (dict, list)
_HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx", ".cuh"})

DataPath = tuple[str | int, ...]
"""Where something stands in the data: keys and indices, from the outside in."""


@frozen
class Repeated:
    """What copies of entries are: which row each is for, and what its text was before `$T` was replaced in it."""

    rows: dict[int, Mapping[str, str]]
    """What the variables of the row stand for, by the id of the container."""
    originals: dict[tuple[int, str | int], tuple[str | None, Offsets]]
    """By the id of the container, and the key: the text, and where each character of the new one stands in it; without
    a text, where it stands in the source, of what is made of several scalars."""


NOT_REPEATED = Repeated({}, {})


@frozen
class Document:
    """One spec: its data, and where each part of it stands.

    A container is a dict or list inside `data`; a key is one of its keys or indices. An aliased value stands
    where its anchor is.
    """

    path: Path
    shown: str
    data: dict[str, object]
    source: SpecText = field(repr=False)
    places: dict[int, Place] = field(repr=False)
    """By the id of the container."""
    repeated: Repeated = field(repr=False, default=NOT_REPEATED)
    reasons: tuple[tuple[Span, str], ...] = field(repr=False, default=())
    """Of values that a person has to decide the place, and why."""
    original_entries: Set[int] = field(repr=False, default=frozenset())
    """Entries that had no `def`: the ids of the places of their keys, which what is made of an entry has, too."""

    def span(self, container: object, key: str | int) -> Span:
        """Where the value of this key stands; when nothing is written there, the key."""
        _, _, start, end, _, _ = self._entry(container, key)
        if start < 0:
            return self.start(_item(container, key))
        return self.source.span(start, end) if end > start else self.key_span(container, key)

    def key_span(self, container: object, key: str | int) -> Span:
        """Where this key stands; in a list, the item."""
        key_start, key_end, start, end, _, _ = self._entry(container, key)
        if isinstance(container, list):
            if start < 0:
                return self.start(_item(container, key))
            if start == end:  # nothing follows the dash
                return self.source.span(self.source.text.rfind("-", 0, start))
        return self.source.span(key_start, key_end)

    def part(self, container: object, key: str | int, start: int, end: int) -> Span:
        """Where a part of this scalar's text stands; what is after its end stands at its last character."""
        return self.parts(container, key)(start, end)

    def parts(self, container: object, key: str | int) -> Callable[[int, int], Span]:
        """Where each part of this scalar's text stands, of which many are asked for."""
        _, _, at, _, style, _ = self._entry(container, key)
        at += style in ("'", '"')
        source = self.source
        if source.text.startswith(self.text(container, key), at):  # written as it is read, as nearly always
            return lambda start, end: source.span(at + start, at + end)
        characters = self.characters(container, key)
        if not characters:
            return lambda start, end: self.span(container, key)
        after = len(characters) - 1

        def place(start: int, end: int) -> Span:
            first, last = characters[min(start, after)], characters[min(max(end - 1, start), after)]
            return source.span(first[0] if start <= after else first[1] - 1, last[1])

        return place

    def row(self, container: object) -> str:
        """For which row of a `for` this entry stands; empty where it was written out."""
        return ", ".join(f"{name}: {value}" for name, value in self.repeated.rows.get(id(container), {}).items())

    def variables(self, container: object) -> tuple[str, ...]:
        """The variables of that row."""
        return tuple(self.repeated.rows.get(id(container), ()))

    def within(self, row: str) -> Document:
        """The same document, read for this row: its places say so."""
        return replace(self, source=SourceOfRow(self.source, row))

    def is_original(self, entry: object) -> bool:
        """Whether an entry was written as in the original format, which had no `def`: some rules came with that."""
        return id(self.places[id(entry)][1]) in self.original_entries

    def mark_entries(self) -> None:
        """Let places say which entry they are of, where several begin on one line."""
        self.source.with_entries(_entries(self.places))

    def start(self, container: object) -> Span:
        """Where this dict or list stands."""
        _, _, start, end = self.places[id(container)]
        return self.source.span(start, end)

    def nothing(self, container: object, key: str | int) -> dict[str, object]:
        """A mapping without keys that stands where this value does: an entry of which the spec says nothing."""
        _, _, start, end, _, _ = self._entry(container, key)
        made: dict[str, object] = {}
        self.places[id(made)] = (made, {}, start, end)
        return made

    def without(self, container: Mapping[str, object], keys: Collection[str]) -> dict[str, object]:
        """This mapping without some keys, where it stands."""
        _, entries, start, end = self.places[id(container)]
        made = {key: value for key, value in container.items() if key not in keys}
        self.places[id(made)] = (made, entries, start, end)
        if (originals := self.repeated.originals) and (id(container), "def") in originals:
            originals[id(made), "def"] = originals[id(container), "def"]
        return made

    def keep_row(self, container: object, made: object) -> None:
        """Let what was made of an entry stand for the same row of a `for`."""
        if id(container) in self.repeated.rows:
            self.repeated.rows[id(made)] = self.repeated.rows[id(container)]

    def with_part(
        self, container: Mapping[str, object], key: str, part: str | int, without: Collection[str] = ()
    ) -> dict[str, object]:
        """This mapping with one item of the list or mapping at `key` in place of all of it, and without some keys."""
        made = self.without(container, without)
        listed: Any = container[key]
        made[key] = listed[part]
        _, entries, start, end = self.places[id(made)]
        assert isinstance(entries, dict)
        self.places[id(made)] = (made, {**entries, key: self._entry(listed, part)}, start, end)
        if (id(listed), part) in self.repeated.originals:  # of a row of a `for`
            self.repeated.originals[id(made), key] = self.repeated.originals[id(listed), part]
        return made

    def text(self, container: object, key: str | int) -> str:
        """The scalar as it is written, without quotes: an unquoted `0.10` stays "0.10"."""
        value = _item(container, key)
        if isinstance(value, str):
            return value
        raw = self._entry(container, key)[5]
        if raw is None:
            raise TypeError(f"not a scalar: {key!r}")
        return raw

    def type_text(self, container: Mapping[str, Any], key: str) -> str:
        """A type as text: without quotes, `[i64]` is a list to YAML and `{text: i64}` a map, in either style."""
        value = container.get(key)
        if not isinstance(value, _CONTAINER):
            return "" if value is None else self.text(container, key)
        _, _, start, end = self.places[id(value)]
        anchor = _ANCHOR.match(self.source.text, start, end)  # `&mut [f64]`: to YAML, a list with an anchor
        return (anchor[0] if anchor else "") + _spelled(value)

    def characters(self, container: Any, key: str | int) -> Offsets:
        """Where each character of a scalar's text, or of a type's, stands in the source."""
        value, (_, _, start, _, style, _) = _item(container, key), self._entry(container, key)
        if isinstance(value, _CONTAINER):
            assert isinstance(key, str)
            _, _, start, end = self.places[id(value)]
            text = self.type_text(container, key)
            is_same = self.source.text[start:end] == text
            return [(i, i + 1) for i in range(start, end)] if is_same else [(start, end)] * len(text)
        original = self.repeated.originals.get((id(container), key))
        if original is None:
            return offsets(self.text(container, key), self.source.text, start, style)
        before, characters = original
        if before is None:
            return characters
        written = offsets(before, self.source.text, start, style)
        return [(written[first][0], written[end - 1][1]) for first, end in characters]

    def code(self, container: object, key: str | int) -> Code:
        """The string as code, without leading blank lines; its span is where the code starts."""
        _, _, start, end, style, _ = self._entry(container, key)
        text = self.text(container, key)
        if style == "|":
            return self._block(text, start, end)
        span = self.source.span(start, end)
        one_line = "\n" not in text and self.source.line_number(max(start, end - 1)) == span.line
        return Code(text, span, literal=one_line and style != ">")

    def _block(self, text: str, start: int, end: int) -> Code:
        lines = text.split("\n")
        blank = next((n for n, line in enumerate(lines) if line.strip()), 0)
        first = self.source.line_number(block_header(self.source.text, start) - 1) + 1 + blank
        line = self.source.line(first)
        offset = self.source.line_start(first) + len(line) - len(line.lstrip(" "))
        return Code("\n".join(lines[blank:]), self.source.span(offset, end), literal=True)

    def _entry(self, container: object, key: str | int) -> Entry:
        entries: Any = self.places[id(container)][1]  # a dict or a list, as the container is
        entry: Entry = entries[key]
        return entry


def _item(container: Any, key: str | int) -> object:
    found: object = container[key]
    return found


def _spelled(value: object) -> str:
    """A list or a map of YAML as the type that it stands for."""
    if isinstance(value, list):
        return f"[{', '.join(map(_spelled, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_spelled(key)}: {_spelled(each)}' for key, each in value.items())}}}"
    return "" if value is None else str(value)


_START = "wrapper_lib: {name: …}"


def read_document(
    path: Path, shown: str, text: str | None = None, *, kind: str = "spec", start: str = _START
) -> Document:
    """Read a spec, or another file of YAML.

    Args:
        path: the file.
        shown: its path as diagnostics show it.
        text: what stands for the text of the file.
        kind: what it is called.
        start: what its first line says.

    Raises:
        SpecError: WG001 to WG007; and WG011 when the whole spec is not a mapping.
    """
    source = read_source(path, shown, text)
    if path.suffix.lower() in _HEADERS:  # much of one is YAML, too, and errors about that would say nothing of use
        hint = f"write a spec about it, which starts with wrapper_lib: {{name: …, cpp_include: {path.name}}}"
        raise SpecError([Diagnostic("WG011", "expected a spec, found a C or C++ header", Span(shown, 1, 1), hint)])
    root, places = read_yaml(source)
    if root is None:
        hint = f"start it with {start}"
        raise SpecError([Diagnostic("WG005", f"the {kind} is empty", Span(shown, 1, 1), hint)])
    if not isinstance(root, dict):
        found = "a list" if isinstance(root, list) else "a single value"
        span = _start_of(root, places, source)
        hint = f"start it with {start}"
        raise SpecError([Diagnostic("WG011", f"expected a mapping at the top, found {found}", span, hint)])
    return Document(path, shown, root, source, places, Repeated({}, {}))


def _start_of(root: Container | object, places: dict[int, Place], source: SpecText) -> Span:
    if isinstance(root, list):
        _, _, start, end = places[id(root)]
        return source.span(start, end)
    return source.span(len(source.text) - len(source.text.lstrip()))


_LISTS = frozenset({"functions", "methods", "handle_types", "structs", "types", "enums"})
_MAPPING = "fields"
_ENTRIES = _LISTS | {_MAPPING}
"""Keys of which each item is an entry with C++ of its own."""


def _entries(by_id: Mapping[int, tuple[Any, Any, int, int]]) -> Iterator[tuple[int, int]]:
    """The start and the end of each entry."""
    for container, _, _, _ in by_id.values():
        if not isinstance(container, dict) or _ENTRIES.isdisjoint(container):
            continue
        for key in container.keys() & _ENTRIES:
            below, entries, _, _ = by_id.get(id(container[key]), (None, None, 0, 0))
            if key == _MAPPING and isinstance(below, dict):
                for name, (start, _, _, end, _, _) in entries.items():
                    yield start, end if end >= 0 else by_id[id(below[name])][3]
            elif key in _LISTS and isinstance(below, list):
                yield from (by_id[id(each)][2:] for each in below if isinstance(each, dict))
