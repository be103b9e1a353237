"""What became of each declaration, in five words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from wrapper_gen.drafts.answers import Question, State
from wrapper_gen.drafts.questions.context import listed
from wrapper_gen.frozen import frozen
from wrapper_gen.headers import CFunction, Declaration


class Became(StrEnum):
    """What became of a declaration."""

    WRITTEN = "written"
    GUESSED = "guessed"
    """Written; `why` says what was taken for granted."""
    FOLLOWS = "follows"
    """Nothing of its own: it is a part of something else."""
    LEFT_OUT = "left out"
    ASKED = "asked"
    """Not written before a question is answered."""


@frozen
class Row:
    """What became of one declaration; `question` is that which it waits for, as `records/NAME`."""

    declaration: Declaration
    word: Became
    why: str = ""
    question: str = ""


def counts(rows: Iterable[Row]) -> Mapping[str, int]:
    """How many functions each word has."""
    found = Counter(each.word.value for each in rows if isinstance(each.declaration, CFunction))
    return {word.value: found[word.value] for word in Became}


def as_text(rows: Sequence[Row], asked: Sequence[Question], *, lists_all: bool) -> str:
    """A few lines: the counts, the open questions, and with `lists_all` a line for each declaration."""
    numbers = ", ".join(f"{count} {word}" for word, count in counts(rows).items() if count)
    lines = [f"functions: {numbers or 'none'}", _questions(asked)]
    for each in sorted((each for each in asked if each.state is State.OPEN), key=lambda each: -each.frees):
        lines.append(f"  open: {each.group}: {each.key} ({each.frees} functions wait)")
    lines += _unanswered(rows, asked)
    lines += [_line(each) for each in rows] if lists_all else _left_out(rows, asked)
    return "\n".join(lines)


def _unanswered(rows: Sequence[Row], asked: Sequence[Question]) -> list[str]:
    """A line for each function that waits, though no open question tells of it."""
    open_ = {f"{each.group}/{each.key}" for each in asked if each.state is State.OPEN}
    waiting = [each for each in rows if each.word is Became.ASKED and isinstance(each.declaration, CFunction)]
    left = [each for each in waiting if each.question not in open_]
    lines = [(each.declaration.qualified or each.declaration.key, each.why, each.question) for each in left]
    return [f"  asked: {name}: {why}" + (f" ({line})" if line else "") for name, why, line in lines]


def _left_out(rows: Sequence[Row], asked: Sequence[Question]) -> list[str]:
    """A line for each reason why functions are left out, with their names; answers list those that they leave."""
    leave = [each for each in asked if each.group == "leave"]
    by_answer = {each.key for each in leave} | {str(each.value) for each in leave}
    names: dict[str, list[str]] = {}
    for each in rows:
        if each.word is Became.LEFT_OUT and isinstance(each.declaration, CFunction):
            names.setdefault(each.why, []).append(each.declaration.qualified or each.declaration.key)
    return [
        f"  left out: {listed(found) if why in by_answer else ', '.join(found)}: {why}" for why, found in names.items()
    ]


def _questions(asked: Sequence[Question]) -> str:
    found = Counter(each.state.value for each in asked)
    counts_ = ", ".join(f"{found[each.value]} {each.value}" for each in State if found[each.value])
    return f"questions: {counts_ or 'none'}"


def _line(row: Row) -> str:
    words = f"{row.declaration.place}: {row.declaration.qualified or row.declaration.key}: {row.word.value}"
    why = row.why + (f" ({row.question})" if row.question else "")
    return f"{words}: {why}" if why else words


def as_data(rows: Sequence[Row], asked: Sequence[Question]) -> Mapping[str, object]:
    """The same as data."""
    return {
        "functions": counts(rows),
        "questions": [
            {
                "group": each.group,
                "key": each.key,
                "value": each.value,
                "state": each.state.value,
                "evidence": each.evidence,
                "frees": each.frees,
            }
            for each in asked
        ],
        "declarations": [
            {
                "name": each.declaration.qualified,
                "key": each.declaration.key,
                "at": str(each.declaration.place),
                "word": each.word.value,
                **({"why": each.why} if each.why else {}),
                **({"question": each.question} if each.question else {}),
            }
            for each in rows
        ],
    }
