"""Parts of answers, as they are typed at a terminal: `takes: [f]` moves `f` there, and keeps the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wrapper_gen.diagnostics import SpecError
from wrapper_gen.drafts.answer_rules import SKIP, WORDS
from wrapper_gen.drafts.answers import Question
from wrapper_gen.spec import read_document
from wrapper_gen.spec.former.scalars import flow

_ASK = "ask"
_PART = re.compile(r"\w+\s*:(\s|$)")
_LISTS: Mapping[str, frozenset[str]] = {
    "records": frozenset({"in", "out", "inout", _ASK}),
    "results": frozenset({"owned", "borrowed", _ASK}),
    "memory": frozenset({"of", "kept"}),
    "keeps": frozenset({"holds", "holds_last", "takes", "uses", _ASK}),
    "ends": frozenset({"all", "on_success", "nothing", _ASK}),
    "writes": frozenset({"out", "in", "inout", _ASK}),
    "constants": frozenset({"takes", _ASK}),
    "entries": frozenset({SKIP, _ASK}),
}
"""The words of answers that have lists, in each of which a function can stand once."""


def completed(question: Question, typed: str) -> str:
    """The whole answer that a typed one comes to.

    `owned: [f]` without braces is a part of the answer that is proposed. A word of a list alone takes all that `ask`
    has. Anything else is a whole answer already, also if it is a wrong one.
    """
    value = question.value if isinstance(question.value, dict) else {}
    words = _LISTS.get(question.group, frozenset())
    if typed in words - {_ASK} and value.get(_ASK):
        return flow(_moved(value, typed, value[_ASK]))
    if not (_PART.match(typed) and question.group in WORDS and WORDS[question.group]):
        return typed
    try:
        said: Any = read_document(Path("answer"), "answer", f"answer: {{{typed}}}\n").data["answer"]
    except SpecError:
        return f"{{{typed}}}"  # whose mistake is told there
    whole: dict[str, Any] = dict(value)
    for word, part in said.items():
        if word in words and part is not None:
            whole = _moved(whole, word, part if isinstance(part, list) else [part])
        else:
            whole[word] = part
    return flow(whole)


def _moved(value: Mapping[str, Any], word: str, names: list[Any]) -> dict[str, Any]:
    """The same with functions in one of the lists; a pattern stands for those that other lists have of it."""
    lists = {key: each for key, each in value.items() if isinstance(each, list) and key != word}
    known = [each for listed in lists.values() for each in listed]
    found = list[Any]()
    for name in names:
        found += [each for each in known if each == name or _matches(name, each)] or [name]
    whole = dict(value)
    for key, listed in lists.items():
        whole[key] = [each for each in listed if each not in found]
    whole[word] = list(dict.fromkeys([*value.get(word, []), *found]))
    return {key: each for key, each in whole.items() if key != _ASK or each}


def _matches(pattern: object, name: object) -> bool:
    try:
        return re.fullmatch(str(pattern), str(name)) is not None
    except re.error:
        return False
