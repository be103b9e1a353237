"""Statuses that are fine and more than that: counts, and those that say that nothing was written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wrapper_gen.diagnostics import Span
from wrapper_gen.explain.sources import SourceKind
from wrapper_gen.headers import CKind
from wrapper_gen.model import ErrorType
from wrapper_gen.verify.checks.subject import ComparedEntry, Doubt

_SAYS_COUNT = re.compile(
    r"\breturns?:? (?:(?:how (?:many|much)|the (?:number|amount|count|length|size) of)\b[^.;]{0,60}"
    r"|[^.;]{0,40}\b(?:positive|non-?negative) (?:number|value|count)\b[^.;]{0,30})",
    re.IGNORECASE,
)
_SAYS_VALUE = re.compile(
    r"(?<![\w.])(?P<value>-?\d+),? (?:on|if|for|when|upon|in case of|indicates|means)\b"
    r"(?: an?| it| the)?(?: (?!no\b|not\b)\w+)? ?"
    r"(?:(?P<good>success|succe\w+|no error\b|ok\b)|(?P<bad>error|fail\w*))",
    re.IGNORECASE,
)
"""Numbers of which comments say that they mean success, or an error."""
_NOTHING = r",? (?:at|if|when|once|where|after)\b[^.;,]*\b(?:end|none|no|nothing|not|empty|done|exhausted|last)\b"
"""What comments say after the name of a status with which nothing is written."""
_SAYS_NEGATIVE = re.compile(
    r"\b(?:an? )?(?:error(?: code)?|failure)s?,? (?:that (?:is|are) )?(?:below|less than|under|<) 0\b"
    r"|\b(?:a )?negative (?:error|status|code|value|number)[^.;]{0,30}\b(?:error|fail\w*)\b"
    r"|\bnegative (?:error|failure) codes?\b",
    re.IGNORECASE,
)
"""What comments say of numbers below 0 that are errors."""
_COMPARED = re.compile(r"value\s*(!=|<=|>=|<|>)\s*(-?\d+)")
_VALUE = re.compile(r"-?\d+|[A-Za-z_][\w:]*")


def of_entry(subject: ComparedEntry) -> Iterator[Doubt]:
    """The status of an entry."""
    error = _error_of(subject)
    if error is None:
        return
    own = subject.function.reported.ok
    fine = error.ok if own is None else own
    values = [each for each in fine if _VALUE.fullmatch(each)]
    yield from _of_condition(subject, fine)
    writes = any(argument.source.kind is SourceKind.OUT for argument, _ in subject.places)
    if not writes and values and len(values) == len(fine) and subject.declared.result.kind is CKind.INTEGER:
        yield from _of_count(subject, values)
    if values and len(values) == len(fine) and subject.declared.result.kind is CKind.INTEGER:
        yield from _of_value(subject, values)
    if writes:
        shown, span = (error.exception, error.span) if own is None else (subject.name, subject.explained.span)
        yield from _without_result(subject, values[1:], shown, Span(*span))


def _of_count(subject: ComparedEntry, values: Sequence[str]) -> Iterator[Doubt]:
    """A count, of which only some values are fine."""
    said, words = subject.says(_SAYS_COUNT), set(re.findall(r"\w+", subject.comment))
    if said is not None and not words & {each.rpartition("::")[2] for each in values}:
        what = f"only {', '.join(values)} counts as fine, and the comment says {' '.join(said[0].split())!r}"
        yield subject.doubt(what, "say `raises` with an error whose `ok` is a condition, as `value >= 0`")


def _of_condition(subject: ComparedEntry, fine: Sequence[str]) -> Iterator[Doubt]:
    """A condition that a number fulfils of which the comment says that it is an error."""
    said = subject.says(_SAYS_NEGATIVE)
    for each in fine:
        compared = _COMPARED.fullmatch(each.strip(" ()"))
        if said is not None and compared and _accepts_negative(compared[1], int(compared[2])):
            what = f"`ok` counts numbers below 0 as fine, by `{each}`, and the comment says {said[0]!r}"
            yield subject.doubt(what, "say `ok: value >= 0`")


def _accepts_negative(how: str, number: int) -> bool:
    """Whether numbers below 0 pass such a comparison."""
    return how in ("<", "<=") or (how == "!=" and number >= 0) or (how in (">", ">=") and number < 0)


def _of_value(subject: ComparedEntry, values: Sequence[str]) -> Iterator[Doubt]:
    """A number that counts as fine or as an error, and of which the comment says the contrary."""
    if not all(re.fullmatch(r"-?\d+", each) for each in values):
        return
    said = list(_SAYS_VALUE.finditer(subject.about))
    good, bad = ({each["value"] for each in said if each[word]} for word in ("good", "bad"))
    for each in said:
        is_fine = each["value"] in values
        if is_fine == bool(each["bad"]) and each["value"] not in (bad if each["good"] else good):
            counted = "as fine" if is_fine else "as an error"
            what = f"`ok` counts {each['value']} {counted}, and the comment says {each[0]!r}"
            yield subject.doubt(what, "say `ok` of the error as the comment has it, or of this entry alone")
            return


def _without_result(subject: ComparedEntry, values: Sequence[str], shown: str, span: Span) -> Iterator[Doubt]:
    """A status that is fine, and with which the call writes nothing."""
    for value in values:
        name = value.rpartition("::")[2]
        said = subject.says(re.compile(rf"\b{re.escape(name)}\b{_NOTHING}", re.IGNORECASE))
        if said is not None:
            what = f"`ok` counts {name} as fine, and {subject.name} has no result then: the comment says {said[0]!r}"
            yield Doubt(shown, span, what, f"say `none: [{value}]`; {subject.where}")


def _error_of(subject: ComparedEntry) -> ErrorType | None:
    """The error that the status of an entry is of."""
    outcome = subject.explained.outcome
    if not outcome.status or not outcome.raises:
        return None
    return next((e for e in subject.module.errors if e.ok and e.exception == outcome.raises[-1].exception), None)
