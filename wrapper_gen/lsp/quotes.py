"""What the header says of an entry that is not decided: its declaration and its comment, beside the diagnostic."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from wrapper_gen.diagnostics import UNDECIDED, Diagnostic, Span, SpecError, ToolchainError
from wrapper_gen.frozen import replace
from wrapper_gen.headers import FunctionKind, lock
from wrapper_gen.headers.compilers import include_folders
from wrapper_gen.headers.shown import first_words, shown_function
from wrapper_gen.lsp.library_headers import read_as
from wrapper_gen.lsp.positions import UTF_32
from wrapper_gen.lsp.spec_document import SpecDocument
from wrapper_gen.lsp.spec_names import Declared, NameKind

_ENTRIES = (NameKind.CONSTRUCTOR, NameKind.METHOD, NameKind.FUNCTION, NameKind.FIELD)
_WORD = re.compile(r"(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*")
_DASH = re.compile(r" *- +(?=\{)")
_MOST = 2
"""How many declarations are quoted for one diagnostic: of overloads, the first ones."""


class Quote(NamedTuple):
    """A declaration: its place, C's words for it, and what its comment begins with."""

    place: Span
    shown: str
    doc: str

    @property
    def text(self) -> str:
        return f"declared as {self.shown}" + (f"; its comment: {self.doc}" if self.doc else "")


def quoted(diagnostics: Sequence[Diagnostic], specs: Sequence[str]) -> list[Diagnostic]:
    """These diagnostics, with what the lock of a spec, or else its headers, say of the entries that they are about.

    `specs` are the files; of others, and where neither a lock nor libclang is at hand, nothing changes.
    """
    found = list(diagnostics)
    for spec in {each.span.path for each in found if each.code in UNDECIDED}.intersection(specs):
        try:
            text = Path(spec).read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
        document = SpecDocument(text, Path(spec), UTF_32)
        entries = {at: _entry(document, each.span) for at, each in enumerate(found) if _is_about(each, spec)}
        if not any(entries.values()):
            continue
        known = _known(document)
        for at, entry in entries.items():
            quotes = _quotes(document, entry, known) if entry is not None else ()
            more = tuple((each.place, each.text) for each in quotes)
            found[at] = replace(found[at], related=(*found[at].related, *more))
    return found


def _is_about(diagnostic: Diagnostic, spec: str) -> bool:
    return diagnostic.code in UNDECIDED and diagnostic.span.path == spec


def _entry(document: SpecDocument, span: Span) -> Declared | None:
    """The innermost entry that a place is in."""
    start, _ = document.lines.offsets(span)
    if dash := _DASH.match(document.text, start):  # what is wrong is the whole line, which begins an item of a list
        start = dash.end()
    around = [each for each in document.names.all if each.kind in _ENTRIES and _start(document, each) <= start]
    around = [each for each in around if start <= max(each.entry.end, each.end)]
    return max(around, key=lambda each: each.start, default=None)


def _start(document: SpecDocument, entry: Declared) -> int:
    """Where the line of an entry begins: what is wrong with it may stand before its name."""
    start = min(entry.entry.start, entry.start)
    return start if entry.entry.is_flow else document.text.rfind("\n", 0, start) + 1


def _known(document: SpecDocument) -> Mapping[str, Sequence[Quote]]:
    """The functions by name: of the lock beside the spec, else of the headers, where they can be read.

    Headers that are not what they were when the lock was written come first.
    """
    beside = lock.lock_path(document.path)
    known: Mapping[str, Sequence[Quote]] = {}
    try:
        if beside.is_file():
            locked = lock.read_lock(beside)
            known = _by_name(_of_lock(locked))
            if not _has_changed(locked, document):
                return known
        return _by_name(_of_headers(document)) or known
    except (SpecError, ToolchainError):  # what the spec is told of comes first
        return known


def _has_changed(locked: lock.Lock, document: SpecDocument) -> bool:
    """Whether a header of a lock is here, and another one now."""
    source = document.headers.source
    folders = [*source.folders, *include_folders(source.language)] if locked.files else []
    for name, digest in locked.files.items():
        path = next((each for folder in folders if (each := Path(folder, name)).is_file()), None)
        if path is not None and lock.digest_of(path) not in ("", digest):
            return True
    return False


def _of_lock(known: lock.Lock) -> Iterator[tuple[str, Quote]]:
    for each in known.declarations.values():
        if each.kind in lock.FUNCTIONS:
            header, _, line = each.at.rpartition(":")
            name = lock.qualified(each)
            yield name, Quote(Span(header, int(line), 1), each.shown or _signature(name, each.signature), each.doc)


def _signature(name: str, signature: str) -> str:
    """A declaration of a lock that has no names of parameters."""
    result, taken, is_const = lock.parts_of(signature)
    return f"{result} {name}({', '.join(taken)}){' const' * is_const}"


def _of_headers(document: SpecDocument) -> Iterator[tuple[str, Quote]]:
    source = document.headers.source
    for each in read_as(source).all_functions() if source.headers else ():
        if each.kind is not FunctionKind.DESTRUCTOR:
            place = Span(_from_here(each.place.path), each.place.line, each.place.column)
            yield each.qualified, Quote(place, shown_function(each), first_words(each.doc))


def _from_here(path: str) -> str:
    """A header as it is reached from the working directory, where it is below that."""
    absolute = os.path.normpath(Path.cwd() / path)
    return os.path.relpath(absolute) if Path(absolute).is_relative_to(Path.cwd()) else absolute


def _by_name(quotes: Iterator[tuple[str, Quote]]) -> Mapping[str, Sequence[Quote]]:
    found: dict[str, list[Quote]] = {}
    for name, quote in quotes:
        found.setdefault(name, []).append(quote)
    return found


def _quotes(document: SpecDocument, entry: Declared, known: Mapping[str, Sequence[Quote]]) -> Sequence[Quote]:
    """The declarations of what an entry calls: by its name, else of each function that its C++ names."""
    for name in document.c_names.of(entry):
        if found := known.get(name.removeprefix("::")):
            return found[:_MOST]
    text = document.text[entry.entry.start : entry.entry.end]
    named = (each for word in dict.fromkeys(_WORD.findall(text)) for each in known.get(word, ()))
    return list(named)[:_MOST]
