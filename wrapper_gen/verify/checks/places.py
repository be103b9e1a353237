"""Arguments that stand where the header has another one of the same type, and lengths of something else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wrapper_gen.explain.calls import ChosenArgument
from wrapper_gen.explain.sources import SourceKind
from wrapper_gen.headers import CKind, CParameter
from wrapper_gen.verify.checks.subject import ComparedEntry, Doubt, words_of

_NAMED = (SourceKind.PARAMETER, SourceKind.OUT, SourceKind.INOUT, SourceKind.VALUE)
_CAST = re.compile(r"\(\s*(?:unsigned |signed )?[A-Za-z_][\w:]*\s*\)\s*(?=[\w(])|static_cast<[^<>]*>")
_SIZE = re.compile(r"\b(\w+)\s*(?:\.|->)\s*(?:size|length)\s*\(\s*\)")
_SAME = 2
_LENGTH = frozenset("len length size count num n bytes nbytes cnt".split())


def of_entry(subject: ComparedEntry) -> Iterator[Doubt]:
    """The arguments of a call."""
    yield from _swapped(subject)
    yield from _lengths(subject)


def _swapped(subject: ComparedEntry) -> Iterator[Doubt]:
    for at, (argument, parameter) in enumerate(subject.places):
        own = _name(argument)
        fits_here = _likeness(own, parameter.name)
        if not own or not words_of(parameter.name) or fits_here == _SAME:
            continue
        for other, (stands, there) in enumerate(subject.places):
            is_exact = argument.source.kind is SourceKind.OUT and own == there.name
            alike = there.type.canonical == parameter.type.canonical or (is_exact and there.type.kind is CKind.POINTER)
            fits_there = _likeness(own, there.name)
            # What stands there by its own name leaves no doubt: then this argument is like it by chance.
            if other != at and alike and fits_here < fits_there > _likeness(_name(stands), there.name):
                what = f"`{own}` stands where C has {parameter.name}, and has {there.name} elsewhere"
                yield subject.doubt(what, "write the call with C's order, or give it the name that C has")
                break


def _likeness(own: str, name: str) -> int:
    """How far a name of the spec is one of C's: not at all, by a word, or by all of it."""
    if own.replace("_", "").lower() == name.replace("_", "").lower():
        return _SAME
    words, others = words_of(own), words_of(name)
    if {each for each in words if not each.isdigit()}.isdisjoint(others):
        # A number alone does not tell `lat1` from `lon1`.
        return int(not words.isdisjoint(others) and all(map(str.isdigit, words)))
    return 1


def _name(argument: ChosenArgument) -> str:
    source = argument.source
    if source.kind not in _NAMED or (source.kind is SourceKind.VALUE and not source.text.isidentifier()):
        return ""
    text = source.text.removeprefix("&")
    return text if text.isidentifier() and text != "result" else ""


def _lengths(subject: ComparedEntry) -> Iterator[Doubt]:
    """What is said of how long an argument is, in the place after it."""
    for (argument, pointer), (after, size) in zip(subject.places, subject.places[1:], strict=False):
        given = next(iter(argument.source.parameters), "")
        if argument.source.kind is SourceKind.BUFFER and size.type.kind is CKind.INTEGER:
            yield from _capacity(subject, after, size)
        if pointer.type.kind is not CKind.POINTER or size.type.kind is not CKind.INTEGER or not given:
            continue
        if not words_of(size.name) & _LENGTH and size.name not in _LENGTH:
            continue
        text = after.source.text
        is_length = after.source.kind is SourceKind.LENGTH
        measured = _SIZE.findall(text) or (list(after.source.parameters) if is_length else [])
        if after.source.kind is SourceKind.CAPACITY or argument.source.kind is SourceKind.OUT:
            continue
        if measured and given not in measured and after.source.kind in (SourceKind.VALUE, SourceKind.LENGTH):
            yield subject.doubt(
                f"{size.name} is the length of `{measured[0]}`, and stands after `{given}`", f"write {given}.size()"
            )
        elif given in _SIZE.findall(text) and re.sub(r"\s", "", text) not in (f"{given}.size()", f"{given}.length()"):
            if re.search(r"[-+*/]", _CAST.sub("", text).replace("->", "")):
                what = f"{size.name} is `{text}`, which is not how long `{given}` is"
                yield subject.doubt(what, f"write {given}.size(), or `data` in place of the pair")
        elif after.source.kind is SourceKind.VALUE and re.fullmatch(r"\d+", text) and int(text) > 0:
            yield subject.doubt(f"{size.name} is always {text}, whatever `{given}` is", f"write {given}.size()")


def _capacity(subject: ComparedEntry, after: ChosenArgument, size: CParameter) -> Iterator[Doubt]:
    """The number after a buffer that the call fills, where it is the length of an argument."""
    text = after.source.text
    measured = _SIZE.findall(text) or (list(after.source.parameters) if after.source.kind is SourceKind.LENGTH else [])
    if measured and after.source.kind in (SourceKind.VALUE, SourceKind.LENGTH):
        what = f"{size.name} is the length of `{measured[0]}`, and stands after the buffer that the call fills"
        yield subject.doubt(what, "write `capacity` there")
