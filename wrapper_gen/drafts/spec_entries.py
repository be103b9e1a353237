"""Which entries of a spec speak of which declaration: by the name that C has for it, as the spec says or implies it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen
from wrapper_gen.spec import Document

_CALLS = ("cpp", "cpp_fn", "cpp_method")
_SECTIONS = ("enums", "structs", "handle_types", "interfaces", "functions", "methods")
_SAID_ELSEWHERE = ("def", "name", "doc", "params", "for", "deprecated")
_CALL = re.compile(r"(?<![\w.>:])([A-Za-z_]\w*)\s*\(")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_IN_BRACES = re.compile(r"(?:[&!]\S*\s+)*[\[{]")
_EMPTY = re.compile(r"(\s*:)\s*(?:\[\s*\]|~|[Nn]ull|NULL)?\s*(#.*)?")
"""What follows the key of a list without items."""
_DEF = re.compile(r"\s*(?:(?:static|abstract|virtual|optional|protected)\s+)*([\w$]+)")


@frozen
class EntryPlace:
    """An entry of a spec: its lines, from 0, the class that it is of, and the names of C and C++ in it."""

    start: int
    end: int
    """The line after its last one."""
    indent: int
    owner: str
    """Python's name of its class; empty of a function."""
    names: frozenset[str]
    python_name: str
    is_in_braces: bool = False
    """Whether it lies in braces or brackets; its lines are those at which the outermost of these begin."""
    called: frozenset[str] = frozenset()
    """The functions that C++ of it calls, or that its name implies; any one of them would do."""


@frozen
class Section:
    """Where an item can be added: a class's methods, or a list of the spec."""

    end: int
    """The line before which it goes."""
    indent: int
    has_list: bool
    """Whether there is a list; else its key has to be written, too."""
    emptied: tuple[int, str] | None = None
    """The line of the key of a list without items, and what it has to be before items are below it."""
    braces: Span | None = None
    """Where a list or a class in braces begins, to which no lines can be added."""


@frozen
class SpecEntries:
    """All that a merge asks of a spec."""

    lines: list[str]
    places: list[EntryPlace]
    words: frozenset[str]
    """Every word of the rest: preludes, fields, messages."""
    classes: Mapping[str, Section]
    """By Python's name."""
    records: Mapping[str, str]
    """The classes' names by the record that their `cpp_type` names."""
    sections: Mapping[str, Section]
    text_end: int
    """The line before which the spec ends: that of a closing `...`, or the one after the last."""
    includes: Sequence[str] = ()
    """The headers that it names."""

    def of(self, name: str, record: str) -> list[EntryPlace]:
        """The entries that speak of a function or a member of this class."""
        owner = self.records.get(record, "")
        return [
            each
            for each in self.places
            if any(_is_name(said, name) for said in each.names)
            and (not record or not each.owner or each.owner == owner)
        ]

    def speaks_of(self, name: str) -> bool:
        """Whether the name stands anywhere."""
        return name in self.words or any(_is_name(said, name) for each in self.places for said in each.names)


def spec_entries(document: Document) -> SpecEntries:
    """Read a spec, whoever wrote it, in any layout that YAML allows."""
    return _Reader(document).read()


def item_end(lines: list[str], start: int) -> int:
    """The line after the item that begins on this one: what follows is indented more."""
    depth = _indent(lines[start])
    end = last = start + 1
    while end < len(lines):
        text = lines[end]
        if text.strip() and _indent(text) <= depth:
            break
        end += 1
        if text.strip() and not text.lstrip().startswith("#"):
            last = end
    return last


class _Reader:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.lines = document.source.text.split("\n")
        self.places: list[EntryPlace] = []
        self.words: set[str] = set()
        self.classes: dict[str, Section] = {}
        self.records: dict[str, str] = {}
        self.sections: dict[str, Section] = {}
        self.braces: Span | None = None
        """Where the outermost braces begin of what is read now."""
        library: Any = document.data.get("wrapper_lib") or {}
        included = library.get("cpp_include") or ()
        self.includes = [included] if isinstance(included, str) else [str(each) for each in included]
        self.prefix = str(library.get("prefix") or library.get("cpp_prefix") or "")
        self.case = str(library.get("case") or library.get("cpp_case") or "")

    def read(self) -> SpecEntries:
        self.braces = self._braces_of(self.document.data)
        outermost = self.braces
        for key, value in self.document.data.items():
            if key in _SECTIONS:
                self.sections[key] = self._section(self.document.data, key)
            if isinstance(value, list):
                self.braces = outermost or self._braces_of(value)
                for item in value:
                    self._item(key, item)
                self.braces = outermost
            else:
                self.words |= set(_words(value))
        if outermost is not None:
            missing = Section(0, 0, False, braces=outermost)
            self.sections = {**dict.fromkeys(_SECTIONS, missing), **self.sections}
        words = frozenset(self.words)
        ended = (at for at, line in enumerate(self.lines) if re.match(r"\.\.\.(\s|$)", line))
        end = next(ended, len(self.lines))
        return SpecEntries(
            self.lines, self.places, words, self.classes, self.records, self.sections, end, self.includes
        )

    def _braces_of(self, container: object) -> Span | None:
        """Where a list or mapping begins that is in brackets or braces."""
        start = self.document.places[id(container)][2]
        return self.document.start(container) if _IN_BRACES.match(self.document.source.text, start) else None

    def _section(self, container: dict[str, Any], key: str) -> Section:
        """Where an item can be added to the list at a key."""
        items, at = container[key], self.document.key_span(container, key)
        braces = self.braces or (self._braces_of(items) if isinstance(items, list) and items else None)
        mappings = [each for each in items or () if isinstance(each, dict)]
        if braces is not None or (items and not mappings):
            return Section(at.line, 0, True, braces=braces or at)
        if mappings:
            ends = [item_end(self.lines, self._line(each)) for each in mappings]
            return Section(max(ends), _indent(self.lines[self._line(items[0])]), True)
        line, end = self.lines[at.line - 1], (at.end_column or at.column) - 1
        match = _EMPTY.fullmatch(line, end)
        if match is None:
            return Section(at.line, 0, True, braces=self.document.span(container, key))
        comment = f"  {match[2]}" if match[2] else ""
        return Section(at.line, at.column + 1, True, (at.line - 1, f"{line[:end]}{match[1]}{comment}"))

    def _item(self, section: str, item: Any) -> None:
        if not isinstance(item, dict):
            return
        if section in ("functions", "methods"):
            self._entry(item, "", self.prefix)
        elif section in ("handle_types", "interfaces", "structs"):
            self._class(item)
            if section == "structs":
                self._record(item)
        elif section == "enums":
            self._enum(item)
            self._record(item)
        else:
            self.words |= set(_words(item))
            self._record(item)

    def _class(self, item: dict[str, Any]) -> None:
        name, start = str(item.get("name", "")), self._line(item)
        prefix = str(item.get("prefix") or item.get("cpp_prefix") or self.prefix)
        for word in re.findall(r"[\w:]+", str(item.get("cpp_type", ""))):
            self.records.setdefault(word, name)
        methods = item.get("methods")
        outer = self.braces
        self.braces = outer or self._braces_of(item)
        if "methods" in item:
            self.classes[name] = self._section(item, "methods")
        elif self.braces is not None:
            self.classes.setdefault(name, Section(start + 1, 0, False, braces=self.braces))
        else:
            self.classes.setdefault(name, Section(item_end(self.lines, start), _indent(self.lines[start]) + 2, False))
        within, self.braces = self.braces, self.braces or (self._braces_of(methods) if methods else None)
        for each in methods or ():
            if isinstance(each, dict):
                self._entry(each, name, prefix)
        self.braces = within
        self._fields(item.get("fields") or item.get("properties"), name, prefix)
        self.braces = outer
        self.words |= set(_words({key: value for key, value in item.items() if key not in ("methods", "doc")}))

    def _fields(self, fields: Any, owner: str, prefix: str) -> None:
        braces = self.braces or (self._braces_of(fields) if isinstance(fields, dict) else None)
        for key in fields if isinstance(fields, dict) else ():
            line = self.document.key_span(fields, key).line - 1
            cased = _cased(key, self.case)
            names = {prefix + key, prefix + cased, cased, f"get_{key}", f"set_{key}", *_words(fields[key])}
            names |= {f"{prefix}get_{key}", f"{prefix}set_{key}"}
            self._place(line, line + 1, owner, frozenset(names), key, braces)

    def _entry(self, item: dict[str, Any], owner: str, prefix: str) -> None:
        if isinstance(item.get("entries"), list):
            for each in item["entries"]:
                if isinstance(each, dict):
                    self._entry(each, owner, prefix)
            return
        match = _DEF.match(str(item.get("def") or item.get("name") or ""))
        name = match[1] if match else ""
        names = set(_words({key: value for key, value in item.items() if key not in _SAID_ELSEWHERE}))
        if not any(key in item for key in (*_CALLS, "cpp_body")):
            names |= {name} if name == owner else {prefix.rpartition("::")[2] + _cased(name, self.case)}
        names = {each for one in names for each in _for_each_row(one, item.get("for"))}
        start = self._line(item)
        called = self._called(item, name, owner, prefix)
        self._place(start, item_end(self.lines, start), owner, frozenset(names), name, self.braces, called)

    def _place(
        self,
        start: int,
        end: int,
        owner: str,
        names: frozenset[str],
        python_name: str,
        braces: Span | None,
        called: frozenset[str] = frozenset(),
    ) -> None:
        if braces is not None:  # a comment between its lines could become a part of a text
            start, end = braces.line - 1, braces.line
        indent = _indent(self.lines[start])
        self.places.append(EntryPlace(start, end, indent, owner, names, python_name, braces is not None, called))

    def _called(self, item: dict[str, Any], name: str, owner: str, prefix: str) -> frozenset[str]:
        """The functions of C and C++ that an entry calls; none where that is not said in one text."""
        if item.get("for") or "$" in name or name.startswith("__") or any(k in item for k in ("cpp_body", "stream")):
            return frozenset()
        text = next((item[key] for key in _CALLS if key in item), None)
        if text is None:
            bare = _cased(name, self.case)
            implied = {prefix.rpartition("::")[2] + bare, bare, f"get_{name}", f"set_{name}"}
            return frozenset() if name in ("", owner) else frozenset(implied)
        if not isinstance(text, str) or "[" in text.partition("(")[0] or "{" in text:
            return frozenset()
        bare = text.strip()
        return frozenset([bare] if _WORD.fullmatch(bare) else _CALL.findall(bare))

    def _enum(self, item: dict[str, Any]) -> None:
        values, prefix = item.get("values"), str(item.get("prefix") or item.get("cpp_prefix") or "")
        if isinstance(values, list):
            self.words |= {(prefix + str(each)).rpartition("::")[2] for each in values}
        self.words |= set(_words(item))

    def _record(self, item: dict[str, Any]) -> None:
        start = self._line(item)
        names = frozenset(re.findall(r"\w+", str(item.get("cpp_type", ""))))
        self._place(start, item_end(self.lines, start), "", names, str(item.get("name", "")), self.braces)

    def _line(self, item: Any) -> int:
        return self.document.start(item).line - 1


def _for_each_row(name: str, rows: Any) -> set[str]:
    """A name with the variables of a `for` replaced, for each of its rows."""
    found = {name}
    for row in rows if isinstance(rows, list) else [rows]:
        for variable, values in row.items() if isinstance(row, dict) else ():
            given = values if isinstance(values, list) else [values]
            pattern = re.compile(rf"\$\{{{variable}\}}|\${variable}")
            found = {pattern.sub(str(each), one) for one in found for each in given} | (
                found if isinstance(rows, list) else set()
            )
    return found


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            yield from _words(each)
    elif isinstance(value, list):
        for each in value:
            yield from _words(each)
    elif isinstance(value, str):
        yield from _WORD.findall(value)


def _is_name(said: str, name: str) -> bool:
    if "$" not in said:
        return said == name
    return re.fullmatch(re.sub(r"\\?\$(\\\{\w+\\\}|\w+)", r"\\w+", re.escape(said)), name) is not None


def _cased(name: str, case: str) -> str:
    first, *rest = name.split("_")
    if case == "pascal":
        first = first[:1].upper() + first[1:]
    return first + "".join(each[:1].upper() + each[1:] for each in rest) if case in ("pascal", "camel") else name


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
