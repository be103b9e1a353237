"""What calls do with texts and containers of C++ that they may change: `std::string *`, `std::vector<int> &`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from wrapper_gen.drafts.answers import OPEN
from wrapper_gen.drafts.decisions import AnsweredWord
from wrapper_gen.drafts.questions.context import Context, comments, is_listed
from wrapper_gen.drafts.types import LISTS, STRINGS
from wrapper_gen.headers import Access, CFunction, CKind, CParameter, FunctionKind

GROUP = "writes"
OUT, IN, INOUT, ASK = "out", "in", "inout", "ask"
_CHANGES = r"(?:chang|modif|updat|shorten|normali[sz]|append|insert|replac)\w*\b[^.;]{{0,60}}(?:\*|\b){0}\b"
"""What a comment says of a parameter that a call reads as well as writes."""
_KNOWN = (*STRINGS, *LISTS, "std::map", "std::unordered_map", "std::set", "std::unordered_set")


def ask(context: Context) -> dict[tuple[str, str], AnsweredWord]:
    """What functions do with what they may change, by their key and the type."""
    proposed: defaultdict[str, dict[str, tuple[CFunction, str]]] = defaultdict(dict)
    shown: dict[str, str] = {}
    for function in context.functions:
        if function.kind is FunctionKind.CONSTRUCTOR or function.access is not Access.PUBLIC or function.template:
            continue
        for at, each in enumerate(function.parameters):
            if each.type.target is not None and may_be_written(each):
                type_ = each.type.target.canonical
                shown.setdefault(type_, each.type.target.spelling)
                word = _word(function, at)
                before = proposed[type_].get(function.key, (function, word))[1]
                proposed[type_][function.key] = (function, word if word == before else ASK)
    found: dict[tuple[str, str], AnsweredWord] = {}
    for type_, functions in proposed.items():
        given = _ask(context, shown[type_], list(functions.values()))
        for key, (function, word) in functions.items():
            found[key, type_] = given(function, word)
    return found


def may_be_written(parameter: CParameter) -> bool:
    """Whether a call may change a text or a container through a parameter."""
    to = parameter.type.target
    is_through = parameter.type.kind in (CKind.POINTER, CKind.REFERENCE)
    return to is not None and is_through and not to.is_const and (to.template or to.name) in _KNOWN


def says_it_changes(function: CFunction, parameter: CParameter) -> bool:
    """Whether the comment says that a call reads a parameter as well as writing it."""
    doc = " ".join(function.doc.text.split())
    return re.search(_CHANGES.format(re.escape(parameter.name)), doc, re.IGNORECASE) is not None


def _word(function: CFunction, at: int) -> str:
    """`out` for what is written behind all that is read, unless the comment says more."""
    each, rest = function.parameters[at], function.parameters[at + 1 :]
    is_last = all(after.type.kind is CKind.POINTER and not _points_to_const(after) for after in rest)
    is_pointer = each.type.kind is CKind.POINTER
    return OUT if is_last and is_pointer and not says_it_changes(function, each) else ASK


def _points_to_const(parameter: CParameter) -> bool:
    return parameter.type.target is not None and parameter.type.target.is_const


class _WordOf:
    """The word of a function: as the answer has it, else as it is proposed."""

    def __init__(self, said: object, question: str, *, is_decided: bool) -> None:
        self._said: Mapping[str, object] = said if isinstance(said, Mapping) else {}
        self._is_open = said == OPEN
        self._question = question
        self._is_decided = is_decided

    def __call__(self, function: CFunction, proposed: str) -> AnsweredWord:
        if self._is_open:
            return AnsweredWord(ASK, True, self._question)
        word = next((each for each in (ASK, OUT, IN, INOUT) if is_listed(function.name, self._said.get(each))), "")
        return AnsweredWord(word or proposed, self._is_decided and bool(word), self._question)


def _ask(context: Context, type_: str, functions: list[tuple[CFunction, str]]) -> _WordOf:
    names = {word: sorted({f.name for f, own in functions if own == word}) for word in (OUT, ASK)}
    proposal = {word: found for word, found in names.items() if found}
    why = "what calls do with one that they may change: `out` writes it, `in` reads it, `inout` both, `ask`"
    said = context.questions.ask(
        GROUP,
        type_,
        proposal,
        why,
        is_sure=ASK not in proposal,
        frees=len(functions),
        comment=comments(f for f, _ in functions),
    )
    return _WordOf(said, f"{GROUP}/{type_}", is_decided=context.questions.is_decided(GROUP, type_))
