"""What an entry says that its header contradicts: each module of this package asks one kind of question.

A comment of a header is evidence, too, where it speaks of the one function that it stands at. None of this is proof:
what is found is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen.diagnostics import Diagnostic, Severity, Span
from wrapper_gen.explain import Explanation
from wrapper_gen.headers import Headers
from wrapper_gen.model import Module
from wrapper_gen.verify.checks import (
    answers,
    callables,
    enums,
    exceptions,
    expressions,
    fills,
    fine_statuses,
    numbers,
    ownership,
    places,
    statuses,
    texts,
)
from wrapper_gen.verify.checks.subject import ComparedEntry, Doubt
from wrapper_gen.verify.uses import FunctionIndex

_OF_ENTRIES = (numbers, fills, texts, places, statuses, fine_statuses, ownership, callables, expressions)


def doubts(
    module: Module, entries: Sequence[Explanation], headers: Headers, said: answers.SaidOwnership
) -> list[Diagnostic]:
    """Everything that the headers contradict, or the answers about them, at the spec's lines; warnings."""
    found = [*_of_module(module, headers), *answers.of_handles(module, headers, said)]
    for subject in subjects(module, entries, headers):
        if subject.call.kind == "constructor":
            found += [*places.of_entry(subject), *ownership.of_taken(subject)]
            continue
        for check in _OF_ENTRIES:
            found += check.of_entry(subject)
        found += answers.of_entry(subject, said)
    return list(dict.fromkeys(_diagnostic(each) for each in found))


def _of_module(module: Module, headers: Headers) -> Iterator[Doubt]:
    yield from numbers.of_structs(module, headers)
    yield from statuses.of_errors(module, headers)
    yield from exceptions.of_errors(module, headers)
    yield from ownership.of_handles(module, headers)
    yield from enums.of_enums(module, headers)
    yield from expressions.of_messages(module, headers)
    yield from expressions.of_constants(module, headers)
    yield from expressions.of_unused(module)


def subjects(module: Module, entries: Sequence[Explanation], headers: Headers) -> Iterator[ComparedEntry]:
    """Each entry with a call of which there is just one declaration."""
    index = FunctionIndex(headers)
    by_symbol = {each.symbol: each for each in entries}
    from wrapper_gen import names

    for function in module.callables:
        explained = by_symbol.get(names.c_symbol(module.name, function))
        for call in explained.calls if explained else ():
            declared = index.called(call)
            if explained and len(declared) == 1 and call.kind in ("function", "member", "constructor"):
                yield ComparedEntry(function, explained, call, declared[0], module, headers)


def _diagnostic(doubt: Doubt) -> Diagnostic:
    return Diagnostic("WG332", f"{doubt.entry}: {doubt.what}", Span(*doubt.span), doubt.hint, severity=Severity.WARNING)
