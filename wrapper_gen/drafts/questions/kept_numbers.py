"""Which pointers to numbers a call may keep, to write the number later: no result of the call has those."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from wrapper_gen.drafts.decisions import Decisions
from wrapper_gen.drafts.naming import snake
from wrapper_gen.drafts.questions.calls import counts, is_length
from wrapper_gen.drafts.questions.context import Context, tells_of
from wrapper_gen.drafts.types import Asked
from wrapper_gen.drafts.uses import pointee, record_of
from wrapper_gen.headers import CFunction, CKind, CParameter, FunctionKind, Record, Type

_NUMBERS = (CKind.BOOL, CKind.INTEGER, CKind.FLOAT, CKind.ENUM)
_SETS = re.compile(
    r"(^|_)(define|set|add|attach|use|ref|register|install|insert|push|append|connect|assign|bind|put|link|watch|track"
    r"|store|bound|expose|export)n?\d*(_|$)"
)
"""What functions are called that may keep an address in their object."""
_REGISTERS = re.compile(r"(^|_)(define|register|attach|bind|install|connect|watch|track|expose)n?\d*(_|$)")
"""What functions are called that may keep one without an object: `add_ints(a, b, &sum)` does not."""
_GETS = re.compile(r"(^|_)(get|find|look_?up|query|fetch|read|try|test|compute|calc|calculate)(_|$)")
_WRITTEN = re.compile(r"(^|_)(out|outp|p?result|ret|retval|old|prev|previous|before|was)(_|$)")
"""What parameters are called that a call writes before it returns: `set_level(level, old)`."""


def is_number_by_address(parameter: CParameter) -> bool:
    """Whether a parameter is a pointer to a number that is no character and not const."""
    to = pointee(parameter.type)
    return to is not None and to.kind in _NUMBERS and to.size > 1 and not to.is_const


def may_be_kept(context: Context, function: CFunction, parameter: CParameter) -> bool:
    """Whether a call may keep the pointer to a number that it is given, by its name or the members of its object."""
    name = snake(function.name)
    if not is_number_by_address(parameter) or function.kind is FunctionKind.CONSTRUCTOR:
        return False
    if _is_one_of_several(function, parameter) or _GETS.search(name) or _WRITTEN.search(snake(parameter.name)):
        return False
    if not _has_object(context, function):
        return not _is_method(function) and _REGISTERS.search(name) is not None
    if _SETS.search(name):
        return True
    to = pointee(parameter.type)
    assert to is not None
    has_addresses = bool(function.owner) and _keeps_addresses(context.headers.records, function.owner, to.canonical)
    return has_addresses and not tells_of(function.name)


def written_word(decisions: Decisions, function: CFunction, parameter: CParameter) -> str:
    """What an answer says of a pointer to a number: `out` or `inout`; empty where a call cannot keep it.

    Raises:
        Asked: it may be kept, and nothing says what the call does with it.
    """
    word = decisions.writes.get((function.key, parameter.name))
    if word is None:
        return ""
    memory = decisions.kept_memory.get(function.key, {}).get(parameter.name)
    if memory is not None and memory.is_decided and memory.word in ("holds", "holds_last"):
        raise Asked("what keeps the number that C is given alive, as `holds` with an array `&mut [T]` in an entry", "")
    if word.word == "in":
        raise Asked("how C is given the address of a number that it only reads, as by an array `&mut [T]`", "")
    if word.word != "ask":
        return word.word
    if memory is not None and memory.is_decided and memory.word == "uses":
        return "out"
    raise Asked(f"whether the number that {parameter.name} points to is written in the call, or later", word.question)


def _is_one_of_several(function: CFunction, parameter: CParameter) -> bool:
    """Whether an argument beside it may say how many numbers there are, which is asked by itself."""
    at = next(at for at, each in enumerate(function.parameters) if each is parameter)
    before = function.parameters[at - 1] if at else None
    after = function.parameters[at + 1] if at + 1 < len(function.parameters) else None
    return counts(before) or counts(after) or is_length(after)


def _is_method(function: CFunction) -> bool:
    return bool(function.owner) and not function.is_static


def _has_object(context: Context, function: CFunction) -> bool:
    """Whether the call has an object that it may change."""
    if not context.options.is_c:
        return _is_method(function) and not function.is_const
    of = [record_of(each.type) for each in function.parameters]
    return any(each.record and each.depth == 1 and not each.is_const for each in of)


def _keeps_addresses(records: Mapping[str, Record], owner: str, number: str) -> bool:
    """Whether a member of a class or of its bases has pointers to such numbers, also in a container."""
    members = (type_ for each in _with_bases(records, owner) for _, type_ in each.member_types)
    return any(_has_address(each, number) for each in members)


def _with_bases(records: Mapping[str, Record], name: str, walked: Collection[str] = ()) -> Iterator[Record]:
    known = records.get(name)
    if known is not None and name not in walked:
        yield known
        for base in known.bases:
            yield from _with_bases(records, base.name, {*walked, name})


def _has_address(type_: Type, number: str) -> bool:
    to = type_.target
    if type_.kind is CKind.POINTER and to is not None and to.canonical.removeprefix("const ") == number:
        return True
    inner = [to] if type_.kind is CKind.ARRAY and to is not None else type_.arguments
    return any(_has_address(each, number) for each in inner)
