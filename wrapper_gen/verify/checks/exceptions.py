"""Exceptions that are raised for a status, while the header has another one of their name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from wrapper_gen.headers import Headers
from wrapper_gen.model import ExceptionCase, Module
from wrapper_gen.verify.checks.subject import Doubt, words_of

_OF_ALL = frozenset("error exception err status code failure warning e is was".split())
"""What names of exceptions and of statuses have that says nothing of which one is meant."""


def of_errors(module: Module, headers: Headers) -> Iterator[Doubt]:
    """The exceptions of all errors."""
    for error in module.errors:
        for case in error.cases:
            yield from _of_case(case, headers)


def _of_case(case: ExceptionCase, headers: Headers) -> Iterator[Doubt]:
    own = words_of(case.name) - _OF_ALL
    meant = [each.rpartition("::")[2] for each in case.when]
    others = _statuses_like(meant, headers)
    if not own or not meant or not set(meant) <= set(others):
        return
    if any(own <= others[each] or _joined(case.name) in _joined(each) for each in meant):
        return
    named = [each for each, words in others.items() if own and own <= words and each not in meant]
    if len(named) == 1:
        what = f"it is raised for {', '.join(meant)}, and C has {named[0]}"
        yield Doubt(case.name, case.span, what, f"say `when: [{named[0]}]`, or give it the name of its status")


def _joined(name: str) -> str:
    """The letters of a name, without what all exceptions are called: `MapFullError` → `mapfull`."""
    return re.sub(r"(error|exception|warning)$", "", name.replace("_", "").lower())


def _statuses_like(names: list[str], headers: Headers) -> Mapping[str, frozenset[str]]:
    """The words of the statuses among which these are: of one enum, or macros that begin in the same way."""
    for enum in headers.enums.values():
        values = [each.name for each in enum.values]
        if names and names[0] in values:
            return {each: words_of(each) for each in values}
    prefix = names[0].partition("_")[0] + "_" if names else ""
    return {each: words_of(each) for each in headers.constants if prefix != "_" and each.startswith(prefix)}
