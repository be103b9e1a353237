"""The text of a spec in the present language, which is proven to mean what the former one does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wrapper_gen.diagnostics import Diagnostic, Span, SpecError, raise_errors
from wrapper_gen.frozen import frozen
from wrapper_gen.spec.document import Document, read_document
from wrapper_gen.spec.former import rewrite
from wrapper_gen.spec.former.rewriter import Rewriter
from wrapper_gen.spec.former.text import CannotWrite, is_mutable, rewritten
from wrapper_gen.spec.source import SpecText
from wrapper_gen.spec.yaml_reader import read_yaml


@frozen
class Migrated:
    """A spec before and after, and the places that are left to a person."""

    before: str
    after: str
    undecided: tuple[str, ...]
    """The reason for each `TODO`."""


def migrate(path: Path, shown: str) -> Migrated:
    """Read a spec and write it in the present language; nothing is written to the file.

    Args:
        path: the file.
        shown: its path as diagnostics show it.

    Raises:
        SpecError: it cannot be read (WG001 to WG007, WG011), says something twice (WG075), or cannot be rewritten
            without a change of meaning (WG291).
    """
    document = read_document(path, shown)
    before = document.source.text
    rewriter = Rewriter(document, is_written=True)
    rewrite(rewriter)
    raise_errors(rewriter.findings)
    if not rewriter.has_changed:
        return Migrated(before, before, ())
    try:
        after = rewritten(document, rewriter.changes)
    except CannotWrite:
        raise _unwritten(document, "what has changed cannot be written here") from None
    _prove(after, document)
    return Migrated(before, after, tuple(rewriter.reasons.values()))


def _prove(text: str, document: Document) -> None:
    """The text is that of the document, and nothing in it is an earlier spelling.

    Raises:
        SpecError: it is not (WG291).
    """
    source = SpecText(text, document.shown)
    try:
        data, places = read_yaml(source)
    except SpecError as error:
        raise _unwritten(document, f"it would be no YAML: {error}") from None
    if not isinstance(data, dict):
        raise _unwritten(document, "nothing would be left")
    again = Document(document.path, document.shown, data, source, places)
    if not is_same(data, again, document.data, document):
        raise _unwritten(document, "it would not say the same")
    rewriter = Rewriter(again, is_written=True)
    rewrite(rewriter)
    if rewriter.has_changed or rewriter.findings:
        raise _unwritten(document, "it would have earlier spellings still")


def is_same(one: Any, of: Document, other: Any, of_other: Document) -> bool:
    """Whether two values are written alike, their layout aside."""
    waiting = [(one, other)]
    seen: set[tuple[int, int]] = set()
    while waiting:
        left, right = waiting.pop()
        if type(left) is not type(right) or (isinstance(left, dict) and list(left) != list(right)):
            return False
        if len(left) != len(right):
            return False
        if (id(left), id(right)) in seen:
            continue
        seen.add((id(left), id(right)))
        if _is_mutable(left, of) != _is_mutable(right, of_other):
            return False
        for key in left if isinstance(left, dict) else range(len(left)):
            if isinstance(left[key], dict | list):
                waiting.append((left[key], right[key]))
            elif not _is_same_scalar(left, of, right, of_other, key):
                return False
    return True


def _is_same_scalar(left: Any, of: Document, right: Any, of_other: Document, key: str | int) -> bool:
    if type(left[key]) is not type(right[key]):
        return False
    return left[key] is None or of.text(left, key) == of_other.text(right, key)


def _is_mutable(value: Any, of: Document) -> bool:
    return isinstance(value, list) and is_mutable(of.source.text, of.places[id(value)][2])


def _unwritten(document: Document, why: str) -> SpecError:
    span = Span(document.shown, 1, 1)
    hint = "nothing is written: change the spec by hand, and report this as a bug of wrapper-gen"
    return SpecError([Diagnostic("WG291", f"this spec cannot be migrated: {why}", span, hint)])
