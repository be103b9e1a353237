"""Counts what specs are written with: lines an entry, and entries that need the keys of the first page alone.

python benchmarks/keys.py [SPEC …] [--json FILE]

Without specs: those of the project, the examples that wrap a library, and those of `benchmarks/real`. They are read in
the present language, whatever they are written in. An entry is a function, a method, or a field of a class. Its lines
are those on which it stands, without comments, documentation (`doc`, `params`), and the lines of C++ in it. The keys of
the first page are those of docs/language.md; an entry that has only these is plain. `keys` are all that a spec uses.
Below the table stand all specs together; those of the kinds that the language was tried with (a database of C, an XML
library, an index of vectors, zlib, CUDA); and how many keys the language has.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from common import REPOSITORY, table

from wrapper_gen.resources import SCHEMA
from wrapper_gen.spec import modern, read_document
from wrapper_gen.spec.document import Document

SPECS = (
    *sorted((REPOSITORY / "specs").glob("*.wrapper_spec")),
    *sorted((REPOSITORY / "examples/libraries").rglob("*.wrapper_spec")),
    *sorted((REPOSITORY / "benchmarks/real").rglob("*.wrapper_spec")),
)
PLAIN = frozenset({"def", "cpp", "cpp_body", "params", "raises", "doc", "type", "for", "name", "set"}) | {
    *("capacity", "length", "release", "belongs_to", "holds", "blocking", "scope"),
}
"""Keys of an entry that the first page teaches."""
DOCUMENTATION = frozenset({"doc", "params"})
OF_TRIAL = frozenset({"rows", "nodes", "vectors", "zlib", "cuda"})
"""Specs of the kinds of library that the language was tried with, before there was any of it."""
MOST_LINES, LEAST_PLAIN, MOST_KEYS = 1.6, 0.9, 87
OWN_WORDS = frozenset({"cpp_body", "self"})
"""Not counted: the statements that stand for `cpp`, and a word for the object in `holds`."""


@dataclass(frozen=True)
class Counted:
    """One spec."""

    spec: str
    entries: int
    lines: int
    """Of all entries together."""
    plain: int
    """Entries with keys of the first page alone."""
    keys: int
    """Different ones in the whole spec."""


def count(path: Path) -> Counted:
    """What this spec is written with."""
    document, _ = modern(read_document(path, str(path)))
    entries = list(_entries(document))
    lines = {line for each in entries for line in _lines(document, *each)}
    plain = sum(isinstance(box[key], str) or set(box[key]) <= PLAIN for box, key in entries)
    return Counted(path.stem, len(entries), len(lines), plain, len(_keys(document.data)))


def _entries(document: Document) -> Iterator[tuple[Any, Any]]:
    """Each entry: what it stands in, and its key or index there."""
    for section in ("functions", "methods"):
        yield from _items(document.data.get(section))
    for each in _values(document.data.get("handle_types")):
        yield from _items(each.get("methods"))
        yield from _items(each.get("fields"))
    for each in _values(document.data.get("structs")):
        yield from _items(each.get("methods"))


def _items(listed: Any) -> Iterator[tuple[Any, Any]]:
    """The entries of a list, and of its groups; those of a mapping."""
    for key in listed if isinstance(listed, dict) else range(len(listed or ())):
        if isinstance(listed[key], dict) and "entries" in listed[key]:
            yield from _items(listed[key]["entries"])
        else:
            yield listed, key


def _values(listed: Any) -> Iterator[dict[str, Any]]:
    for box, key in _items(listed):
        if isinstance(box[key], dict):
            yield box[key]


def _lines(document: Document, box: Any, key: Any) -> Iterator[int]:
    """The lines on which an entry stands."""
    value, source = box[key], document.source
    yield document.key_span(box, key).line
    if not isinstance(value, dict):
        return
    for name in value:
        if name in DOCUMENTATION:
            continue
        yield document.key_span(value, name).line
        if name != "cpp_body":
            yield from _lines_of(document, value, name, source)


def _lines_of(document: Document, box: Any, key: Any, source: Any) -> Iterator[int]:
    """The lines of a value, of whatever is in it."""
    inner = box[key]
    if isinstance(inner, dict | list):
        for each in inner if isinstance(inner, dict) else range(len(inner)):
            yield document.key_span(inner, each).line
            yield from _lines_of(document, inner, each, source)
    elif id(box) in document.places:
        start, end = document.places[id(box)][1][key][2:4]  # type: ignore[index]  # a dict or a list, as the box is
        if 0 <= start < end:
            yield from range(source.line_number(start), source.line_number(end - 1) + 1)


def keys_of_schema(schema: Any) -> set[str]:
    """Every key that the schema has, wherever it may stand."""
    found: set[str] = set()
    if isinstance(schema, dict):
        found.update(schema.get("properties", {}))
    for each in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        found |= keys_of_schema(each)
    return found


def summary(counted: Sequence[Counted]) -> str:
    """All specs together, those of the trial, and the keys of the language."""
    keys = keys_of_schema(json.loads(SCHEMA.read_text(encoding="utf-8"))) - OWN_WORDS
    tried = [each for each in counted if each.spec in OF_TRIAL]
    lines = [_together(counted, ""), *([_together(tried, " of the trial's kinds")] if tried else [])]
    return "\n".join([*lines, f"the language has {len(keys)} keys ({MOST_KEYS})"])


def _together(counted: Sequence[Counted], which: str) -> str:
    entries = sum(each.entries for each in counted) or 1
    lines, plain = sum(each.lines for each in counted), sum(each.plain for each in counted)
    of_all = f"{lines / entries:.2f} lines an entry, {plain / entries:.0%} plain"
    return f"{entries} entries of {len(counted)} specs{which}: {of_all}"


def _keys(data: Any) -> set[str]:
    """Keys of the language: not the names that a spec gives to fields, values and parameters."""
    named = {"fields", "values", "params", "constants", "for", "cases", "message", "cpp_prelude", "result"}
    found: set[str] = set()
    if isinstance(data, list):
        found.update(*map(_keys, data)) if data else None
    elif isinstance(data, dict):
        found.update(data)
        for key, value in data.items():
            if key in named and isinstance(value, dict):
                found.update(*map(_keys, value.values())) if value else None
            else:
                found |= _keys(value)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("specs", nargs="*", type=Path, default=SPECS)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    counted = [count(each) for each in options.specs]
    rows = [
        (
            *(each.spec, str(each.entries), f"{each.lines / each.entries:.2f}"),
            *(f"{each.plain / each.entries:.0%}", str(each.keys)),
        )
        for each in counted
        if each.entries
    ]
    print(table(("spec", "entries", f"lines an entry ({MOST_LINES})", f"plain ({LEAST_PLAIN:.0%})", "keys"), rows))
    print(summary(counted))
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in counted], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
