"""The text of a spec that a program writes: data in, lines of YAML out; knows no header and no other language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from wrapper_gen.frozen import frozen
from wrapper_gen.spec.former.scalars import flow, scalar

WIDTH = 120


@frozen
class Entry:
    """An item of a list of a spec, with the comments above it.

    `key` is whatever its writer knows it by: the declaration of a header. Where `is_off` it is written as a comment.
    """

    data: Mapping[str, object]
    notes: tuple[str, ...] = ()
    key: str = ""
    is_off: bool = False


@frozen
class ClassDraft:
    """A class of `handle_types`: its keys but for `methods`, and these."""

    data: Mapping[str, object]
    methods: Sequence[Entry] = ()
    notes: tuple[str, ...] = ()


@frozen
class SpecDraft:
    """A whole spec, by its sections; those without entries are not written."""

    library: Mapping[str, object]
    prelude: str = ""
    errors: Sequence[Entry] = ()
    enums: Sequence[Entry] = ()
    structs: Sequence[Entry] = ()
    types: Sequence[Entry] = ()
    constants: Sequence[Entry] = ()
    """Each with the name of a constant as its only key."""
    classes: Sequence[ClassDraft] = ()
    functions: Sequence[Entry] = ()
    notes: tuple[str, ...] = ()


Line = tuple[str, str]
"""A line, and the key of the entry that it is of; empty of others."""


def spec_text(draft: SpecDraft) -> str:
    """The text of a spec; `notes` are its first lines."""
    return "\n".join(line for line, _ in spec_lines(draft)) + "\n"


def spec_lines(draft: SpecDraft) -> list[Line]:
    """The lines of a spec."""
    sections = [
        _of_none([*_comments(draft.notes, ""), *mapping_lines({"wrapper_lib": draft.library}, "", nested=True)]),
        _of_none(_prelude(draft.prelude)),
        _list("errors", draft.errors),
        _list("enums", draft.enums),
        _list("structs", draft.structs),
        _list("types", draft.types),
        _constants(draft.constants),
        _classes(draft.classes),
        _list("functions", draft.functions),
    ]
    lines: list[Line] = []
    for section in sections:
        lines += [*([("", "")] if lines and section else []), *section]
    return lines


def _prelude(text: str) -> list[str]:
    return ["cpp_prelude: |", *(f"  {line}" if line else "" for line in text.splitlines())] if text else []


def _constants(entries: Sequence[Entry]) -> list[Line]:
    lines: list[Line] = [("constants:", "")] if entries else []
    for each in entries:
        lines += [(line, each.key) for line in mapping_lines(each.data, "  ")]
    return lines


def _classes(classes: Sequence[ClassDraft]) -> list[Line]:
    lines: list[Line] = [("handle_types:", "")] if classes else []
    for each in classes:
        lines += class_lines(each, "  ")
    return lines


def _of_none(lines: Iterable[str]) -> list[Line]:
    return [(line, "") for line in lines]


def entry_lines(entry: Entry, indent: str) -> list[str]:
    """An entry as an item of a list: in braces where it fits on a line, else a key a line; or its comments alone."""
    lines = _item(entry.data, indent) if entry.data else []
    if entry.is_off:
        lines = [f"{indent}# {line.removeprefix(indent)}" for line in lines]
    return [*_comments(entry.notes, indent), *lines]


def class_lines(each: ClassDraft, indent: str) -> list[Line]:
    """A class with its methods."""
    inside = mapping_lines(each.data, f"{indent}  ")
    lines = _of_none([*_comments(each.notes, indent), f"{indent}- {inside[0].strip()}", *inside[1:]])
    if any(not method.is_off for method in each.methods):
        lines.append((f"{indent}  methods:", ""))
    for method in each.methods:
        lines += [(line, method.key) for line in entry_lines(method, f"{indent}    ")]
    return lines


def mapping_lines(data: Mapping[str, object], indent: str, *, nested: bool = False) -> list[str]:
    """A mapping, a key a line; what does not fit there is written below its key. `nested`: so is every mapping."""
    said = {key: value for key, value in data.items() if value is not None}
    return [line for key, value in said.items() for line in _pair(key, value, indent, nested=nested)]


def _pair(key: str, value: object, indent: str, *, nested: bool) -> Iterator[str]:
    name = scalar(key, is_flow=False)
    if isinstance(value, str) and "\n" in value:
        yield f"{indent}{name}: |"
        yield from (f"{indent}  {line}" if line else "" for line in value.splitlines())
        return
    plain = _plain(value)
    written = flow(plain) if isinstance(plain, dict | list) else scalar(plain, is_flow=False)
    is_container = isinstance(plain, dict | list) and bool(plain)
    if not is_container or (not (nested and isinstance(plain, dict)) and _fits(f"{indent}{name}: {written}")):
        yield f"{indent}{name}: {written}"
    elif isinstance(plain, dict):
        yield f"{indent}{name}:"
        yield from mapping_lines(plain, f"{indent}  ")
    elif all(not isinstance(each, dict | list) for each in plain):
        yield from _wrapped(f"{indent}{name}: [", [flow(each) for each in plain], f"{indent}    ")
    else:
        yield f"{indent}{name}:"
        for each in plain:
            yield from _item(each, f"{indent}  ")


def _item(value: object, indent: str) -> list[str]:
    plain = _plain(value)
    short = f"{indent}- {flow(plain)}"
    if not isinstance(plain, dict) or _fits(short):
        return [short]
    lines = mapping_lines(plain, f"{indent}  ")
    return [f"{indent}- {lines[0].lstrip()}", *lines[1:]]


def _wrapped(first: str, words: Iterable[str], indent: str) -> Iterator[str]:
    line, is_empty = first, True
    for word in words:
        if not _fits(f"{line}{word},,") and not is_empty:
            yield line.rstrip()
            line = indent
        line += f"{word}, "
        is_empty = False
    yield f"{line.rstrip(', ')}]"


def _list(name: str, entries: Sequence[Entry]) -> list[Line]:
    lines = [(line, each.key) for each in entries for line in entry_lines(each, "  ")]
    if lines and all(each.is_off for each in entries):
        return lines
    return [(f"{name}:", ""), *lines] if lines else []


def _comments(notes: Iterable[str], indent: str) -> list[str]:
    return [f"{indent}# {line}".rstrip() for note in notes for line in note.splitlines()]


def _fits(line: str) -> bool:
    return len(line) <= WIDTH and "\n" not in line


def _plain(value: object) -> Any:
    """The same of dicts and lists only, without what is not said (None)."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items() if each is not None}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
