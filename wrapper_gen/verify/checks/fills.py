"""How much of a buffer a call has filled, where it returns that and nothing looks at it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wrapper_gen.explain.sources import SourceKind
from wrapper_gen.headers import CKind
from wrapper_gen.model.code import Buffer, Written
from wrapper_gen.tiers.bridge.ways import buffer_of
from wrapper_gen.verify.checks.subject import ComparedEntry, Doubt, to_of

_COUNTS = re.compile(
    r"(?:returns?\b|@return\b|\\return\b)[^.]{0,60}?\b(?:how (?:many|much)|(?:number|amount|count|length|size) of|"
    r"(?:bytes|characters|items)[^.]{0,20} (?:read|written|copied|stored|filled|received|produced))\b[^.;]{0,30}",
    re.IGNORECASE,
)
_SIZES = ("size_t", "ssize_t")


def of_entry(subject: ComparedEntry) -> Iterator[Doubt]:
    """A call that returns a count, which the entry drops: its result has all of the capacity."""
    buffer, result = buffer_of(subject.function), subject.declared.result
    if not isinstance(buffer, Buffer) or buffer.length not in (Written.ALL, Written.FOUND):
        return
    if result.kind is not CKind.INTEGER:
        return
    is_told = any(
        argument.source.kind is SourceKind.CAPACITY and to_of(parameter.type) is not None
        for argument, parameter in subject.places
    )
    said = subject.says(_COUNTS)
    is_size = not subject.explained.outcome.status and result.spelling.rpartition("::")[2] in _SIZES
    if is_told or not (said or is_size):
        return
    why = f"its comment says {' '.join(said[0].split())!r}" if said else f"it returns {result.spelling}"
    yield subject.doubt(f"nothing looks at how much of the buffer is filled: {why}", "say `length: value`")
