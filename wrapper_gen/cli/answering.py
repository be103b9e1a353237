"""The questions of `import --answers`: one after the other, at a terminal or from standard input."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from wrapper_gen.cli.session import Session

if TYPE_CHECKING:
    from wrapper_gen.drafts.answers import Question
    from wrapper_gen.drafts.imported import ImportOutcome

_HELP, _BACK = "?", "<"
_MOST_OF_COMMENT = 12
_ANSWERS = {
    "library": ("C++ that starts or stops the library", "skip"),
    "leave": ("why these functions are left out", "false: they are not"),
    "statuses": (
        "{name: StoreError, ok: [STORE_OK], message: store_strerror(value), of: comment}: a status, tested after calls",
        "of: comment, those whose comments say so; of: all; of: [store_.*], patterns of names",
        "skip: its values are results",
    ),
    "records": (
        "{handle: Store, release: store_close}: a class, whose objects `release` frees; `nothing`: the library does",
        "belongs_to: Other: what has to outlive it; its own name for nodes of a tree, whose root alone is released",
        "{struct: Point, out: […], in: […], inout: […]}: a value that is copied",
        "{in_place: Hash, init: […], release: f}: a class whose struct lies in the object; {options: Name, make: INIT}",
        "skip: it and what needs it are left out",
    ),
    "results": (
        "owned: functions whose results we release",
        "borrowed: functions whose results another object releases",
    ),
    "memory": (
        "{release: free}: what frees what all of them give; `of: […]` of some, `kept: […]` of those that C keeps",
    ),
    "keeps": (
        "uses: the call alone uses the object",
        "holds: the other object uses it after the call; holds_last: until the next call of the same function",
        "takes: the other object releases it from then on",
    ),
    "ends": (
        "all: nothing is left of what belongs to the object; on_success: only where the call succeeds",
        "nothing: all of it stays",
        "when: {lib_remove: C++ that says of which `value`}",
    ),
    "callables": (
        "call: C calls them within the call alone; once: later, one time",
        "object: as long as the object is there; destroy: until C calls a function that destroys their data",
        "skip: functions that take them are left out",
    ),
    "lengths": ("text, bytes: the integer is the length", "apart: it is not"),
    "buffers": ('{capacity: "C++", length: "C++"}: how large the memory is that they fill, and how much they fill',),
    "templates": ("the types for which it is written: [i64, text]", "skip"),
    "writes": ("out: the call writes it; in: it reads it; inout: both",),
    "constants": (
        "{enum: Name}: an enum of these; {enum: Name, flags: true}: of bits, which can be combined",
        "takes: [function.parameter]: what is given one",
        "skip: neither an enum nor constants",
    ),
    "entries": ("skip: they are left out", "Enter: you write their entries into the spec"),
}
"""By group, what answers mean; docs/import.md has more."""


def asked(session: Session, outcome: ImportOutcome) -> tuple[ImportOutcome, bool]:
    """Ask for each question that is not sure, also for those that only the answers bring up.

    Control-C and the end of the input stop it, and leave the answers so far; the second value says so. Where a pipe
    ends and no question is open any more, what is proposed answers the rest.
    """
    known = set[tuple[str, str]]()
    try:
        while questions := [each for each in outcome.pending if (each.group, each.key) not in known]:
            known |= {(each.group, each.key) for each in questions}
            _ask_all(session, outcome, questions)
            outcome = outcome.again()
    except click.Abort:
        _tell(session)
        outcome = outcome.again()
        return outcome, sys.stdin.isatty() or not outcome.is_settled
    return outcome, False


def _ask_all(session: Session, outcome: ImportOutcome, questions: list[Question]) -> None:
    """Ask them in order; `<` goes back to the one before, which then proposes what was typed."""
    typed = dict[int, str]()
    before = list[dict[tuple[str, str], str]]()
    at = 0
    while at < len(questions):
        del before[at:]
        before.append(dict(outcome.typed))
        _tell(session, f"\n[{at + 1} of {len(questions)}] {_head(questions[at])}")
        answer = _ask(session, outcome, questions[at], typed.get(at))
        if answer != _BACK:
            typed[at] = answer
            at += 1
        elif at == 0:
            _tell(session, "  this is the first question")
        else:
            at -= 1
            outcome.typed.clear()
            outcome.typed.update(before[at])


def _tell(session: Session, text: str = "") -> None:
    """A line between the answers; beside data, on standard error."""
    click.echo(text, err=not session.text)


def _head(question: Question) -> str:
    """What a question is about."""
    lines = [f"{question.group}: {question.key}" + (f" ({question.frees} wait for it)" if question.frees else "")]
    comment = question.comment.splitlines()
    lines += [question.evidence, *(f"| {line}" for line in comment[:_MOST_OF_COMMENT])]
    lines += [f"| … and {len(comment) - _MOST_OF_COMMENT} more"] if len(comment) > _MOST_OF_COMMENT else []
    return "\n  ".join(filter(None, lines))


def _ask(session: Session, outcome: ImportOutcome, question: Question, before: str | None) -> str:
    """Ask for one answer until it can be used; what was typed."""
    from wrapper_gen.drafts.partial_answers import completed

    proposed = before if before is not None else outcome.shown(question)
    _tell(session, f"  proposed: {proposed}" if proposed.strip('"') != _HELP else "  nothing is proposed")
    while True:
        prompt = "  answer (Enter keeps it, ? helps)"
        typed = click.prompt(prompt, default=proposed, show_default=False, err=not session.text)
        if typed == _HELP:
            _tell(session, "\n".join(f"    {line}" for line in (*_ANSWERS[question.group], *_KEYS)))
        elif typed == _BACK:
            return _BACK
        elif not (problem := outcome.answer(question, whole := completed(question, typed))):
            if whole != typed:
                _tell(session, f"  = {whole}")
            return whole
        else:
            _tell(session, f"  {problem}")


_KEYS = (
    "word: value without braces changes that part of what is proposed: `takes: [f]` moves f there, also by a pattern",
    "a word of a list alone, as `takes`, moves all that `ask` has",
    "Enter keeps what is proposed, or leaves the question open; < goes back; Control-C stops, and keeps the answers",
)
"""What can be typed at any question."""
