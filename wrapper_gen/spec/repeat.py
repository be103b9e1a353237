"""`for`: an entry, or a list of entries, once for each row of values; copies keep the places of what was written.

A method with a list of handle types is one for each of them, too. Fields in a list, where a `for` can stand, become the
mapping that everything else knows.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from wrapper_gen.diagnostics import Diagnostic, Nearest, Span, did_you_mean, raise_errors
from wrapper_gen.frozen import replace
from wrapper_gen.spec.document import Document, Repeated
from wrapper_gen.spec.offsets import Offsets, composed
from wrapper_gen.spec.yaml_reader import Container, Entry, Place
from wrapper_gen.spec.yaml_scalars import Scalar, plain_value

SECTIONS = ("types", "enums", "structs", "handle_types", "functions", "methods")
MOST_ROWS = 1000
"""Rows of one `for`."""
MOST_COPIED = 200_000
"""Values that all copies may have together."""

Row = Mapping[str, str]
"""The variables of one row, and what each stands for."""

_VARIABLE = re.compile(r"\$(?:(?P<dollar>\$)|(?P<name>[A-Za-z]\w*)|\{(?P<braced>[^{}]*)\})")
_NAME = re.compile(r"[A-Za-z]\w*")


def repeat(document: Document) -> Document:
    """The document with each entry that has a `for` as often as that says.

    Raises:
        SpecError: WG076 or WG077.
    """
    data: dict[str, Any] = document.data
    listed = [section for section in SECTIONS if isinstance(data.get(section), list)]
    if not any(_is_repeated(entry) for section in listed for entry in data[section]):
        return document
    return _Copier(document).whole(listed)


def _is_repeated(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    own = entry.get("methods")
    if isinstance(own, list) and any(_is_repeated(each) for each in own):
        return True
    if isinstance(entry.get("fields"), list):
        return True
    return "for" in entry or "entries" in entry


class _Copier:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._findings: list[Diagnostic] = []
        self._places: dict[int, Place] = dict(document.places)
        self._rows: dict[int, Row] = {}
        self._originals: dict[tuple[int, str | int], tuple[str | None, Offsets]] = dict(document.repeated.originals)
        self._original_entries = set(document.original_entries)
        self._copied = 0

    def whole(self, listed: list[str]) -> Document:
        before = self._document
        data: dict[str, Any] = dict(before.data)
        _, entries, start, end = before.places[id(before.data)]
        self._places[id(data)] = (data, entries, start, end)
        for section in listed:
            data[section] = self._entries(data[section], {})
        raise_errors(self._findings)
        repeated = Repeated(self._rows, self._originals)
        return replace(
            before, data=data, places=self._places, repeated=repeated, original_entries=self._original_entries
        )

    def _error(self, code: str, message: str, span: Span, hint: str | Nearest) -> None:
        self._findings.append(Diagnostic(code, message, span, hint))

    # --- entries ---

    def _entries(self, listed: list[Any], row: Row) -> list[object]:
        """The entries of a list, each as often as its `for` says."""
        _, _, start, end = self._document.places[id(listed)]
        made: list[object] = []
        made_places: list[Entry] = []
        for copy, place in self._each(listed, row):
            made.append(copy)
            made_places.append(place)
        self._places[id(made)] = (made, made_places, start, end)
        return made

    def _each(self, listed: list[Any], row: Row) -> Iterator[tuple[object, Entry]]:
        """The same, with the place of each."""
        _, places, _, _ = self._document.places[id(listed)]
        assert isinstance(places, list)
        for entry, place in zip(listed, places, strict=True):
            if isinstance(entry, dict):
                yield from self._copies(entry, place, row)
            else:
                yield entry, place

    def _copies(self, entry: dict[str, Any], place: Entry, outer: Row) -> Iterator[tuple[object, Entry]]:
        """An entry for each of its rows; or for each, all that stand in a list of entries."""
        for own in self._rows_of(entry, outer):
            row = {**outer, **own}
            if "entries" not in entry:
                yield self._entry(entry, row), place
            elif self._is_list_of_entries(entry):
                yield from self._each(entry["entries"], row)

    def _fields(self, listed: list[Any], row: Row) -> dict[str, object]:
        """The fields of a list, by name."""
        _, _, start, end = self._document.places[id(listed)]
        made: dict[str, object] = {}
        made_places: dict[str, Entry] = {}
        for field, place in self._each(listed, row):
            name = field.get("name") if isinstance(field, dict) else None
            if not isinstance(field, dict) or not isinstance(name, str):
                at = place[2:4] if place[2] >= 0 else self._places[id(field)][2:]
                hint = "for example {name: x, type: f64}"
                self._error("WG012", "a field in a list has a name", self._document.source.span(*at), hint)
                continue
            _, own, begin, finish = self._places[id(field)]
            assert isinstance(own, dict)
            _, _, first, last, *_ = own["name"]
            if name in made:
                message = f"{name!r} occurs twice among these fields"
                self._error("WG006", message, self._document.source.span(first, last), "rename or remove one of them")
            rest = {key: value for key, value in field.items() if key != "name"}
            self._places[id(rest)] = (rest, {key: at for key, at in own.items() if key != "name"}, begin, finish)
            if id(field) in self._rows:
                self._rows[id(rest)] = self._rows[id(field)]
            made[name], made_places[name] = rest, (first, last, -1, -1, "", None)
        self._places[id(made)] = (made, made_places, start, end)
        return made

    def _is_list_of_entries(self, entry: dict[str, Any]) -> bool:
        if not isinstance(entry["entries"], list):
            span = self._document.span(entry, "entries")
            self._error("WG076", "`entries` is no list", span, "write the entries below it, each after a dash")
            return False
        beside = next((key for key in entry if key not in ("for", "entries")), None)
        if beside is not None:
            span = self._document.key_span(entry, beside)
            self._error("WG076", f"{beside!r} beside a list of entries", span, "write it in each of these entries")
        return beside is None

    def _entry(self, entry: dict[str, Any], row: Row) -> dict[str, object]:
        copy = self._mapping(entry, row, is_entry=True)
        if row:
            self._rows[id(copy)] = row
        if self._document.is_original(entry):
            self._original_entries.add(id(self._places[id(copy)][1]))
        return copy

    # --- rows ---

    def _rows_of(self, entry: dict[str, Any], outer: Row) -> list[Row]:
        """What an entry is repeated for; one row without variables where it has no `for`."""
        if entry.get("for") is None:
            return [{}]
        rows = self._declared(entry, entry["for"], outer)
        if rows is None:
            return []
        span = self._document.span(entry, "for")
        if not rows:
            hint = "name a variable and what it stands for: for: {T: [f32, f64]}"
            self._error("WG076", "this `for` has nothing to repeat the entry for", span, hint)
        for name in rows[0] if rows else ():
            if not _NAME.fullmatch(name):
                hint = "a name starts with a letter and has only letters, digits and underscores"
                self._error("WG076", f"{name!r} cannot be the name of a variable", span, hint)
            elif name in outer:
                self._error("WG076", f"the `for` around this one has {name!r}, too", span, "give it another name")
        return rows

    def _declared(self, entry: dict[str, Any], declared: object, outer: Row) -> list[Row] | None:
        """The rows that a `for` spells; None after reporting why it spells none."""
        if isinstance(declared, dict) and all(isinstance(each, list) for each in declared.values()):
            counts = [len(each) for each in declared.values()]
            if not declared or not self._has_few(math.prod(counts), entry):
                return [] if not declared else None
            listed = [[self._meant(each, i, outer) for i in range(len(each))] for each in declared.values()]
            return [dict(zip(declared, values, strict=True)) for values in itertools.product(*listed)]
        if isinstance(declared, list) and all(isinstance(each, dict) for each in declared):
            odd = next((each for each in declared if each.keys() != declared[0].keys()), None)
            if odd is not None:
                hint = f"each of them has {', '.join(declared[0]) or 'variables'}"
                self._error("WG076", "rows with different variables", self._document.start(odd), hint)
                return None
            if not self._has_few(len(declared), entry) or not any(declared):
                return None if any(declared) else []
            return [{key: self._meant(each, key, outer) for key in each} for each in declared]
        hint = "write for: {T: [f32, f64]}, or a row at a time: for: [{T: f32, c: float}]"
        span = self._document.span(entry, "for")
        self._error("WG076", "this `for` has neither lists of values nor rows", span, hint)
        return None

    def _has_few(self, rows: int, entry: dict[str, Any]) -> bool:
        if rows > MOST_ROWS:
            span = self._document.span(entry, "for")
            hint = "write several specs, or the entries themselves"
            self._error("WG076", f"this `for` has {rows:,} rows, and may have {MOST_ROWS:,}", span, hint)
        return rows <= MOST_ROWS

    def _meant(self, container: Any, key: str | int, outer: Row) -> str:
        """What a variable stands for, as it is written."""
        span = self._document.span(container, key)
        if isinstance(container[key], dict | list) or container[key] is None:
            self._error(
                "WG076", "a variable stands for text", span, 'write what `$T` is replaced by: T: ["[i64]", f64]'
            )
            return ""
        text = self._document.text(container, key)
        if "\n" in text:
            self._error("WG076", "a variable stands for text on one line", span, "write it on one line")
        return self._replaced(text, container, key, outer)[0]

    # --- copies ---

    def _mapping(self, before: dict[str, Any], row: Row, *, is_entry: bool = False) -> dict[str, object]:
        _, places, start, end = self._document.places[id(before)]
        assert isinstance(places, dict)
        made: dict[str, object] = {}
        made_places: dict[str, Entry] = {}
        self._count(before)
        for key, place in places.items():
            if is_entry and key == "for":
                continue
            name = self._replaced(key, before, key, row, is_key=True)[0]
            if name in made:
                span = self._document.key_span(before, key)
                self._error("WG006", f"{name!r} occurs twice in this mapping", span, "rename or remove one of them")
            if is_entry and key == "methods" and isinstance(before[key], list):
                made[name], made_places[name] = self._entries(before[key], row), place
            elif is_entry and key == "fields" and isinstance(before[key], list):
                made[name], made_places[name] = self._fields(before[key], row), place
            else:
                made[name], made_places[name] = self._value(before, key, place, row, made, name)
        self._places[id(made)] = (made, made_places, start, end)
        return made

    def _list(self, before: list[Any], row: Row) -> list[object]:
        _, places, start, end = self._document.places[id(before)]
        assert isinstance(places, list)
        made: list[object] = []
        made_places: list[Entry] = []
        self._count(before)
        for i, place in enumerate(places):
            value, at = self._value(before, i, place, row, made, i)
            made.append(value)
            made_places.append(at)
        self._places[id(made)] = (made, made_places, start, end)
        return made

    def _count(self, before: Container) -> None:
        self._copied += len(before) + 1
        if self._copied > MOST_COPIED:
            hint = "write several specs, or the entries themselves"
            message = f"the entries of `for` here have more than {MOST_COPIED:,} values"
            raise_errors([*self._findings, Diagnostic("WG076", message, self._document.start(before), hint)])

    def _value(
        self, before: Any, key: str | int, place: Entry, row: Row, made: Container, name: str | int
    ) -> tuple[object, Entry]:
        """A copy of one value, and where it stands."""
        value = before[key]
        if isinstance(value, dict):
            return self._mapping(value, row), place
        if isinstance(value, list):
            return self._list(value, row), place
        key_start, key_end, start, end, style, raw = place
        written = raw if raw is not None else value
        earlier = self._document.repeated.originals.get((id(before), key))
        if not row or not isinstance(written, str) or "$" not in written:
            if earlier is not None:
                self._originals[id(made), name] = earlier
            return value, place
        text, characters = self._replaced(written, before, key, row)
        self._originals[id(made), name] = (written, characters) if earlier is None else composed(earlier, characters)
        read = _read(text) if not style else text
        return read, (key_start, key_end, start, end, style, None if isinstance(read, str) else text)

    def _replaced(
        self, text: str, container: Any, key: str | int, row: Row, *, is_key: bool = False
    ) -> tuple[str, Offsets]:
        """The text with the variables of `row` replaced, and where in it each character stood before."""
        if not row or "$" not in text:
            return text, []
        made: list[str] = []
        characters: Offsets = []
        at = 0
        for found in _VARIABLE.finditer(text):
            before = text[at : found.start()]
            meant = "$" if found["dollar"] else row.get(found["name"] or found["braced"] or "")
            if meant is None:
                span = self._document.key_span(container, key) if is_key else None
                self._unknown(found, row, span or self._document.part(container, key, *found.span()))
                meant = ""
            made += [before, meant]
            characters += [(i, i + 1) for i in range(at, found.start())] + [found.span()] * len(meant)
            at = found.end()
        characters += [(i, i + 1) for i in range(at, len(text))]
        return "".join(made) + text[at:], characters

    def _unknown(self, found: re.Match[str], row: Row, span: Span) -> None:
        name = found["name"] or found["braced"] or ""
        begun = next((each for each in row if name.startswith(each)), "")
        hint: str | Nearest = did_you_mean(name, row)
        if found["name"] and begun:
            hint = f"write ${{{begun}}}{name.removeprefix(begun)}; or `$$` for the character itself"
        self._error("WG077", f"no `for` around this has {name!r}", span, hint)


def _read(text: str) -> Scalar:
    """What a scalar without quotes stands for."""
    try:
        return plain_value(text)
    except ValueError:
        return text
