"""Functions that no other line decides: a person writes their entries, or leaves them out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from wrapper_gen.drafts.answers import SKIP, Question, Questions, State
from wrapper_gen.drafts.questions.context import is_listed
from wrapper_gen.drafts.report import Became, Row
from wrapper_gen.drafts.spec_entries import SpecEntries
from wrapper_gen.frozen import replace
from wrapper_gen.headers import CFunction, Headers

GROUP = "entries"
ASK = "ask"
UNFIT = "an entry that does not fit"
"""The key of functions whose entries are comments in the spec."""
_WHY = "write their entries into the spec, which settles them; or move the names to `skip`, which leaves them out"
_WHY_UNFIT = "the spec has them as comments, with what is wrong: mend these; or move the names to `skip`"


def ask(
    questions: Questions, headers: Headers, rows: Sequence[Row], unfit: Collection[str], spec: SpecEntries | None
) -> list[Row]:
    """Ask by reason; the rows with the line that each waits for, and with what was answered.

    `unfit` are the keys of declarations whose entries are comments, and `spec` is what a person has written.
    """
    lines = {f"{each.group}/{each.key}" for each in questions.asked}
    skipped = [str(name) for said in questions.said(GROUP).values() for name in _words(said).get(SKIP) or ()]
    asked: defaultdict[str, list[str]] = defaultdict(list)
    found = []
    for row in rows:
        function, line = row.declaration, _line_of(row.question, lines, headers)
        if row.word is not Became.ASKED or line or not isinstance(function, CFunction):
            found.append(replace(row, question=line) if row.question else row)
            continue
        name, key = _pattern(function), UNFIT if function.key in unfit else row.why
        if name in skipped or is_listed(_name(function), skipped):
            found.append(Row(function, Became.LEFT_OUT, f"by the answer {GROUP}/{key}"))
        elif spec is not None and spec.of(function.name, function.owner if function.owner in spec.records else ""):
            found.append(Row(function, Became.FOLLOWS, "of an entry that a person has written"))
        else:
            asked[key].append(name)
            found.append(replace(row, question=f"{GROUP}/{key}"))
    questions.asked += _questions(questions, asked)
    return found


def _questions(questions: Questions, asked: Mapping[str, list[str]]) -> Iterator[Question]:
    said = questions.said(GROUP)
    for key, names in asked.items():
        listed = list(dict.fromkeys(names))
        why, proposal = _WHY_UNFIT if key == UNFIT else _WHY, {ASK: listed}
        is_decided = questions.is_decided(GROUP, key) and bool(_words(said[key]).get(SKIP))
        value = {**_words(said[key]), ASK: listed} if is_decided else proposal
        yield Question(GROUP, key, value, why, State.OPEN, len(names), "", proposal)
    for key in said:
        if key not in asked:
            has_words = bool(_words(said[key]).get(SKIP))
            left: object = said[key] if has_words else {ASK: []}
            state = State.DECIDED if has_words else State.SURE
            yield Question(GROUP, key, left, "all are written, or left out", state, 0, "", {ASK: []})


def _words(said: object) -> Mapping[str, list[object]]:
    return said if isinstance(said, dict) else {}


def _line_of(question: str, lines: Collection[str], headers: Headers) -> str:
    """The line that decides a question, which may stand under another name of a struct; empty where there is none."""
    if question in lines or not question:
        return question
    group, _, key = question.partition("/")
    if group == "lengths" and f"{group}/nameless" in lines:
        return f"{group}/nameless"
    record = headers.records.get(key)
    names = [each.removesuffix(" *") for each in record.typedefs] if record else []
    return next((f"{group}/{each}" for each in names if f"{group}/{each}" in lines), "")


def _name(function: CFunction) -> str:
    return function.qualified or function.name


def _pattern(function: CFunction) -> str:
    """The name as a pattern, which `operator[]` is none."""
    name = _name(function)
    return name if re.fullmatch(r"[\w:]+", name) else re.escape(name)
