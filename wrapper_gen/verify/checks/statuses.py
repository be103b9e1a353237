"""Statuses that nothing tests, and errors that count as fine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from wrapper_gen.diagnostics import Span
from wrapper_gen.headers import CKind, Headers
from wrapper_gen.model import ErrorType, Module
from wrapper_gen.model.errors import may_be_status
from wrapper_gen.types.queries import is_bool
from wrapper_gen.verify.checks.subject import ComparedEntry, Doubt, words_of

_SAYS_STATUS = re.compile(
    r"(?:returns?\b|@return\b|\\return\b|@?result *:)[^.]{0,120}?"
    r"\b(?:on success|if successful|(?:an |the )?error code|a status\b|"
    r"status code|on (?:failure|error)|if (?:it )?fail)",
    re.IGNORECASE,
)
_BAD = re.compile(
    r"(?:^|_)(?:E?ERR(?:OR)?|FAIL(?:ED|URE)?|INVALID|BAD|NO_?MEM(?:ORY)?|CORRUPT(?:ED)?|DENIED|ABORT(?:ED)?|"
    r"NOT_?FOUND|BUSY|LOCKED|OVERFLOW|UNSUPPORTED|DAMAGED|BROKEN|TOO_\w+|FULL|IO|CLOSED|MISSING|TIMEOUT)(?:_|\d|$)"
)
_FINE = re.compile(r"(?:^|_)(?:OK|SUCCESS|FINE|NONE|NO_?ERROR)(?:_|$)")
_SAYS_FINE = re.compile(r"\bnot (?:actually |really )?an error", re.I)
_WORDS_OF_ERRORS = frozenset("error err failed failure invalid bad corrupt corrupted denied".split())
_SAYS_BAD = re.compile(
    r"(?<!not )(?<!no )(?<!not an )(?<!not actually an )\b(?:error|fail(?:ed|s|ure)?|invalid)\b", re.I
)
_IS_BAD = re.compile(r"\W*(?:an? )?(?:error|fail(?:ed|s|ure)?|invalid)\b", re.I)
"""How a comment of a status begins that is an error."""
_COMPARED = re.compile(r"^\s*value\s*(==|!=|<=|>=|<|>)\s*(-?\w+)\s*$")


def of_entry(subject: ComparedEntry) -> Iterator[Doubt]:
    """A status of C that an entry drops, or gives Python as a number."""
    explained, result = subject.explained, subject.declared.result
    if explained.outcome.status:
        return
    if result.kind is CKind.RECORD and subject.function.reported.is_ignored and _is_error(result.name, subject.module):
        yield subject.doubt(f"nothing tests its status, {result.spelling}", "say `raises` with the error that it is of")
    if result.kind not in (CKind.INTEGER, CKind.ENUM, CKind.BOOL):
        return
    if result.kind is CKind.BOOL or is_bool(subject.function.returns):
        return
    evidence = _evidence(subject)
    uses = "call's value" in explained.outcome.source
    if not evidence:
        if not uses and "warn_unused_result" in subject.declared.attributes:
            yield subject.doubt("nothing looks at what it returns, and the header wants that", "say `raises`")
        return
    is_status_type = any(each.cpp_type == result.spelling for each in subject.module.errors if each.ok)
    if uses and not is_status_type and not subject.says(_SAYS_STATUS):
        return
    what = "its status is the result" if uses else "nothing tests its status"
    yield subject.doubt(f"{what}: {evidence}", "say `raises` with the error that it is of")


def _is_error(record: str, module: Module) -> bool:
    """Whether a class is one of the spec's errors."""
    return any(each.ok and f"::{record}".endswith(f"::{each.cpp_type.removeprefix('::')}") for each in module.errors)


def _evidence(subject: ComparedEntry) -> str:
    for error in subject.module.errors:
        for fine in error.ok:
            if fine.isidentifier() and subject.says(re.compile(rf"[Rr]eturns?\b[^.]{{0,60}}\b{fine}\b")):
                return f"its comment speaks of {fine}"
    if said := subject.says(_SAYS_STATUS):
        return f"its comment says {' '.join(said[0].split())!r}"
    spelled = subject.declared.result.spelling
    types = {each.cpp_type.removeprefix("enum ") for each in subject.module.errors if each.ok}
    is_status = spelled.removeprefix("enum ") in types and may_be_status(spelled)
    return f"it returns {spelled}, which other entries test" if is_status else ""


def of_errors(module: Module, headers: Headers) -> Iterator[Doubt]:
    """Statuses that are fine, and whose names or comments say that they are errors."""
    values = _values(headers)
    for error in module.errors:
        for text, span in _fine(error, module):
            for name in _accepted(text, error, headers, values):
                doc = "" if _FINE.search(name.upper()) else _comment(name, headers)
                if _is_bad(name, doc):
                    said = f", of which the header says {doc!r}" if doc else ""
                    hint = "list the statuses that are fine"
                    yield Doubt(error.exception, span, f"`ok` counts {name} as fine{said}", hint)
        for name in (each.rpartition("::")[2] for each in error.none):
            doc = _comment(name, headers)
            if name in values and _IS_BAD.match(doc) and not _SAYS_FINE.search(doc):
                what = f"`none` counts {name} as no result, and the header says {doc!r}"
                yield Doubt(error.exception, error.span, what, "list statuses that are no errors")


def _is_bad(name: str, doc: str) -> bool:
    """Whether a status is an error, by its name or its comment."""
    if _FINE.search(name.upper()) or _SAYS_FINE.search(doc):
        return False
    words = words_of(name)
    return bool(_BAD.search(name.upper()) or words & _WORDS_OF_ERRORS or _SAYS_BAD.search(doc))


def _fine(error: ErrorType, module: Module) -> Iterator[tuple[str, Span]]:
    yield from ((each, error.span) for each in error.ok)
    for function in module.callables:
        if function.reported.ok and function.raises == error.type:
            yield from ((each, function.span) for each in function.reported.ok)


def _values(headers: Headers) -> Mapping[str, int]:
    found = {each.name: each.value for each in headers.constants.values() if isinstance(each.value, int)}
    return found | {value.name: value.value for enum in headers.enums.values() for value in enum.values}


def _accepted(text: str, error: ErrorType, headers: Headers, values: Mapping[str, int]) -> Iterator[str]:
    """The statuses, by name, that a condition or a value of `ok` accepts."""
    if text.rpartition("::")[2] in values:
        yield text.rpartition("::")[2]
        return
    compared = [_COMPARED.match(each.strip(" ()")) for each in re.split(r"&&|\|\|", text)]
    if not all(compared):
        return
    is_any = "||" in text
    for name, value in _possible(error, headers).items():
        tests = [_test(value, each[1], _number(each[2], values)) for each in compared if each]
        if any(tests) if is_any else all(tests):
            yield name


def _possible(error: ErrorType, headers: Headers) -> Mapping[str, int]:
    """The values of the enum that statuses are of."""
    wanted = error.cpp_type.removeprefix("enum ").removeprefix("::")
    for enum in headers.enums.values():
        if wanted in (enum.qualified, *enum.typedefs) or enum.qualified.endswith(f"::{wanted}"):
            return {each.name: each.value for each in enum.values}
    named = [
        v for each in (*error.ok, *(w for c in error.cases for w in c.when)) for v in re.findall(r"[A-Z]\w+", each)
    ]
    for enum in headers.enums.values():
        if {each.name for each in enum.values} & set(named):
            return {each.name: each.value for each in enum.values}
    return _group(named, error.cpp_type, headers)


def _group(named: Sequence[str], cpp_type: str, headers: Headers) -> Mapping[str, int]:
    """The macros of a type that are errors by their names, and begin as these do."""
    prefixes = {name.partition("_")[0] + "_" for name in named if name in headers.constants}
    found = {}
    for each in headers.constants.values():
        is_alike = any(each.name.startswith(prefix) for prefix in prefixes)
        if (
            isinstance(each.value, int)
            and each.type == cpp_type
            and is_alike
            and re.search(r"_E(?:RR(?:OR)?)?_|ERROR", each.name)
        ):
            found[each.name] = each.value
    return found


def _number(text: str, values: Mapping[str, int]) -> int | None:
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return values.get(text)


def _test(value: int, how: str, other: int | None) -> bool:
    if other is None:
        return False
    return {
        "==": value == other,
        "!=": value != other,
        "<": value < other,
        ">": value > other,
        "<=": value <= other,
        ">=": value >= other,
    }[how]


def _comment(name: str, headers: Headers) -> str:
    for enum in headers.enums.values():
        for value in enum.values:
            if value.name == name and not value.doc.of_group:
                return " ".join(value.doc.text.split())
    constant = headers.constants.get(name)
    return " ".join(constant.doc.text.split()) if constant and not constant.doc.of_group else ""
