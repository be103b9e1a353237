"""Text where C has bytes, and bytes where C has text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wrapper_gen.explain.sources import SourceKind
from wrapper_gen.headers import CKind, Type
from wrapper_gen.types.queries import if_given, is_bytes, is_text_or_none
from wrapper_gen.types.tuples import item_names, written_items
from wrapper_gen.verify.checks.subject import ComparedEntry, Doubt, plain, to_of

_RAW = frozenset(("void", "unsigned char", "signed char", "std::byte"))
_AS_TEXT = "Python decodes it as UTF-8 text: say bytes, with its length"


def of_entry(subject: ComparedEntry) -> Iterator[Doubt]:
    """Results, parameters and what a call writes."""
    texts = {each.name for each in subject.function.parameters if is_text_or_none(each.type)}
    raw = {each.name for each in subject.function.parameters if is_bytes(if_given(each.type))}
    gives_text = is_text_or_none(subject.function.returns)
    source = subject.explained.outcome.source
    is_returned = "call's value" in source or "address the call returns" in source
    if gives_text and is_returned and _is_raw_range(subject.declared.result):
        yield subject.doubt(f"the result is text, and C++ has {subject.declared.result.spelling}", _AS_TEXT)
    if gives_text and is_returned and _is_raw(subject.declared.result):
        yield subject.doubt(f"the result is text, and C has {subject.declared.result.spelling}", _AS_TEXT)
    items = dict(zip(item_names(subject.function.returns), written_items(subject.function.returns), strict=False))
    for number, (argument, parameter) in enumerate(subject.places):
        name = next(iter(argument.source.parameters), "")
        kind = argument.source.kind
        if kind is SourceKind.PARAMETER and name in texts and _is_raw(parameter.type):
            yield subject.doubt(f"`{name}` is text, and C has {parameter.type.spelling}", "say bytes")
        if (
            kind is SourceKind.BUFFER
            and _is_raw(parameter.type)
            and is_text_or_none(items.get(argument.source.text.removeprefix("&"), subject.function.returns))
        ):
            yield subject.doubt(f"the result is text, and C fills {parameter.type.spelling}", _AS_TEXT)
        takes_bytes = kind is SourceKind.PARAMETER and name in raw
        if takes_bytes and _is_text(parameter.type) and not _has_length(subject, name, number):
            what = f"`{name}` is bytes, and C has {parameter.type.spelling} without its length"
            yield subject.doubt(what, "C reads to the first NUL: say text")


def _is_raw(type_: Type) -> bool:
    target = to_of(type_)
    return target is not None and plain(target.canonical) in _RAW


def _is_raw_range(type_: Type) -> bool:
    """Whether it is a range of bytes that are no characters, such as `std::vector<unsigned char>`."""
    return any(plain(each.canonical) in _RAW for each in type_.arguments[:1])


def _is_text(type_: Type) -> bool:
    target = to_of(type_)
    return target is not None and target.canonical == "const char"


def _has_length(subject: ComparedEntry, name: str, number: int) -> bool:
    """Whether a call is told how long an argument is."""
    measured = re.compile(rf"\b{re.escape(name)}\b\s*(?:\.|->)\s*(?:size|length|data)\b")
    return any(
        each.source.kind is SourceKind.LENGTH
        or (name in each.source.parameters and at != number)
        or measured.search(each.source.text)
        for at, (each, parameter) in enumerate(subject.places)
        if parameter.type.kind in (CKind.INTEGER, CKind.POINTER) and at != number
    )
