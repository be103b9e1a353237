"""What calls do with what they may change: texts, containers, numbers and enums of C++ by pointer or reference.

Of C as of C++, it is also asked about pointers to numbers that a call may keep.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wrapper_gen.drafts.answers import OPEN
from wrapper_gen.drafts.decisions import AnsweredWord
from wrapper_gen.drafts.questions.context import Context, comments, is_listed, is_named
from wrapper_gen.drafts.questions.kept_numbers import is_number_by_address, may_be_kept
from wrapper_gen.drafts.types import LISTS, STRINGS
from wrapper_gen.headers import Access, CFunction, CKind, CParameter, FunctionKind

GROUP = "writes"
OUT, IN, INOUT, ASK = "out", "in", "inout", "ask"
_CHANGES = r"(?:chang|modif|updat|shorten|normali[sz]|append|insert|replac)\w*\b[^.;]{{0,60}}(?:\*|\b){0}\b"
"""What a comment says of a parameter that a call reads as well as writes."""
_MARKED = re.compile(
    r"[\\@]param\s*\[\s*(in\s*,\s*out|out\s*,\s*in|inout|in|out)\s*\]\s*([\w,\s]*?\w)(?=\s+[^,\s]|\s*$)"
)
"""What doxygen has of parameters that are read, written, or both: `@param[out] x, y where it is`."""
_READS_SIZE = re.compile(r"\b(if|when|whose|of)\b[^.;]{0,40}\b(length|size|capacity)\b", re.IGNORECASE)
"""What a comment says of a container of which a call reads how long it is."""
_KNOWN = (
    *(*STRINGS, *LISTS, "std::map", "std::unordered_map", "std::set", "std::unordered_set"),
    *("std::pair", "std::tuple", "std::optional", "std::complex"),
)
_SCALARS = (CKind.BOOL, CKind.INTEGER, CKind.FLOAT, CKind.ENUM)


class _Written(NamedTuple):
    """A parameter that a call may write, with what is proposed; `is_said` is whether a comment says so."""

    function: CFunction
    parameter: CParameter
    word: str
    is_said: bool


def ask(context: Context) -> dict[tuple[str, str], AnsweredWord]:
    """What functions do with what they may change, by their key and the name of the parameter.

    It is asked by type, where no comment says it; an answer is read in any case.
    """
    by_type: defaultdict[str, list[_Written]] = defaultdict(list)
    overloads: defaultdict[str, list[CFunction]] = defaultdict(list)
    for function in context.functions:
        overloads[function.qualified].append(function)
    for function in context.functions:
        if function.kind is FunctionKind.CONSTRUCTOR or function.access is not Access.PUBLIC or function.template:
            continue
        for at, each in enumerate(function.parameters):
            is_asked = may_be_written(each) or may_be_kept(context, function, each)
            if each.type.target is not None and is_asked:
                said = _said_by_comments(each, [function, *overloads[function.qualified]])
                word = said or _word(function, at)
                by_type[each.type.target.canonical].append(_Written(function, each, word, bool(said)))
    found: dict[tuple[str, str], AnsweredWord] = {}
    for type_, all_ in by_type.items():
        spellings = [type_, *(each.parameter.type.target.spelling for each in all_ if each.parameter.type.target)]
        known = context.questions.said(GROUP)
        to = all_[0].parameter.type.target
        is_enum = to is not None and to.kind is CKind.ENUM  # of which a spelling may have no namespace
        key = next((each for each in spellings if each in known), spellings[not is_enum])
        asked = [each for each in all_ if not each.is_said]
        word_of = _ask(context, key, asked) if asked or key in known else None
        for written in all_:
            word_ = word_of(written) if word_of is not None else AnsweredWord(written.word, True, f"{GROUP}/{key}")
            found[written.function.key, written.parameter.name] = word_
    return found


def may_be_written(parameter: CParameter) -> bool:
    """Whether a call may change a text, a container, or by reference a number, through a parameter."""
    to = parameter.type.target
    if to is None or to.is_const:
        return False
    if to.kind in _SCALARS:
        return parameter.type.kind is CKind.REFERENCE
    return parameter.type.kind in (CKind.POINTER, CKind.REFERENCE) and (to.template or to.name) in _KNOWN


def says_it_changes(function: CFunction, parameter: CParameter) -> bool:
    """Whether the comment says that a call reads a parameter as well as writing it."""
    doc = " ".join(function.doc.text.split())
    return re.search(_CHANGES.format(re.escape(parameter.name)), doc, re.IGNORECASE) is not None


def _said_by_comments(parameter: CParameter, functions: Sequence[CFunction]) -> str:
    """What the comment of a call, or of an overload that has the parameter, too, says; empty where none does."""
    for function in functions:
        for mark, names in _MARKED.findall(function.doc.text) if parameter.name else ():
            if parameter.name in re.split(r"[,\s]+", names):
                is_number = parameter.type.target is not None and parameter.type.target.kind in _SCALARS
                if mark == OUT and not is_number and _reads_size(function, parameter):
                    return ""
                return mark if mark in (OUT, IN) else INOUT
    return ""


def _reads_size(function: CFunction, parameter: CParameter) -> bool:
    _, _, about = function.doc.text.partition(f"] {parameter.name} ")
    return _READS_SIZE.search(re.split(r"[\\@](?:param|return)", about)[0]) is not None


def _word(function: CFunction, at: int) -> str:
    """`out` for what is written behind all that is read, unless the comment says more."""
    each, rest = function.parameters[at], function.parameters[at + 1 :]
    if is_number_by_address(each):
        return ASK  # it may be kept, and written later
    is_last = all(after.type.kind is CKind.POINTER and not _points_to_const(after) for after in rest)
    is_pointer = each.type.kind is CKind.POINTER
    return OUT if is_last and is_pointer and not says_it_changes(function, each) else ASK


def _points_to_const(parameter: CParameter) -> bool:
    return parameter.type.target is not None and parameter.type.target.is_const


class _WordOf:
    """The word of a parameter: as the answer has it, else as it is proposed."""

    def __init__(self, said: object, question: str, *, is_decided: bool) -> None:
        self._said: Mapping[str, object] = said if isinstance(said, Mapping) else {}
        self._is_open = said == OPEN
        self._question = question
        self._is_decided = is_decided

    def __call__(self, written: _Written) -> AnsweredWord:
        if self._is_open and not written.is_said:
            return AnsweredWord(ASK, True, self._question)
        words = [each for each in (ASK, OUT, IN, INOUT) if _is_listed(written, self._said.get(each))]
        precise = (each for each in words if _is_listed_alone(written, self._said.get(each)))
        word = next(precise, next(iter(words), ""))  # `f.x` decides more than `f`
        is_known = (self._is_decided and bool(word)) or (written.is_said and word in ("", written.word))
        return AnsweredWord(word or written.word, is_known, self._question)


def _is_listed(written: _Written, names: object) -> bool:
    """Whether a list has a function, or this parameter of it: `find.value`."""
    function, parameter = written.function, written.parameter
    own = (f"{each}.{parameter.name}" for each in (function.name, function.qualified))
    return is_named(function, names) or any(is_listed(each, names) for each in own)


def _is_listed_alone(written: _Written, names: object) -> bool:
    """Whether an item of a list is of this parameter, and not of all that the function has."""
    given = names if isinstance(names, list) else []
    return any(_is_listed(written, [each]) and not is_named(written.function, [each]) for each in given)


def _ask(context: Context, key: str, asked: Sequence[_Written]) -> _WordOf:
    words: defaultdict[str, set[str]] = defaultdict(set)
    for each in asked:
        words[each.function.name].add(each.word)
    names = {
        word: sorted({_shown(each, words) for each in asked if each.word == word}) for word in (OUT, IN, INOUT, ASK)
    }
    proposal = {word: found for word, found in names.items() if found}
    why = (
        "what calls do with one that they may change: `out` writes it, `in` reads it, `inout` both, `ask`; "
        "also `function.parameter`"
    )
    if any(is_number_by_address(each.parameter) for each in asked):
        why += "; a pointer to a number may be kept, and written after the call"
    said = context.questions.ask(
        GROUP,
        key,
        proposal,
        why,
        is_sure=ASK not in proposal,
        frees=len({each.function.key for each in asked}),
        comment=comments(each.function for each in asked),
    )
    return _WordOf(said, f"{GROUP}/{key}", is_decided=context.questions.is_decided(GROUP, key))


def _shown(written: _Written, words: Mapping[str, set[str]]) -> str:
    """A function, with the parameter where others of it have another word."""
    name = written.function.name
    return name if len(words[name]) == 1 else f"{name}.{written.parameter.name}"
