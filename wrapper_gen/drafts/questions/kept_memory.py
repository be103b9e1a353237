"""Which text, bytes and arrays C still uses after the call that is given them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from wrapper_gen.drafts import decisions as of
from wrapper_gen.drafts.answers import OPEN
from wrapper_gen.drafts.decisions import AnsweredWord, RecordRole
from wrapper_gen.drafts.naming import snake
from wrapper_gen.drafts.questions.context import Context, comments, is_listed
from wrapper_gen.drafts.questions.kept_numbers import is_number_by_address, may_be_kept
from wrapper_gen.drafts.questions.lifetimes import ASK, HOLDS, HOLDS_LAST, KEEPS, USES
from wrapper_gen.drafts.types import is_string
from wrapper_gen.drafts.uses import is_chars, pointee, record_of
from wrapper_gen.frozen import frozen
from wrapper_gen.headers import Access, CFunction, CKind, CParameter, FunctionKind

MEMORY = "memory"
"""The key of the question: there is one, whatever the types of the memory are."""
_SETS = re.compile(r"(^|_)set\d?(_|$)")
"""What functions are called of which each call replaces what the one before gave."""
_GIVES = re.compile(r"(^|_)(set|attach|register|assign|bind|use)\d?(_|$)")
"""What functions are called that keep what they are given, if they do not copy it."""
_COPIES = re.compile(r"(^|_)(set|add|put|push|get)1(_|$)")
"""What functions are called that copy, where others end with 0."""
_NOT_COPIED = re.compile(
    r"\b(not|never)\s+(be\s+|been\s+|being\s+|internally\s+)?(copied|duplicated)\b"
    r"|\b(doesn't|does not|don't|do not|won't|will not|never|without)\s+(\w+\s+)?(a\s+|any\s+)?cop(y|ies|ying)\b"
    r"|\bno\s+(\w+\s+)?cop(y|ies)\b(?!\s+(of|is left))"
    r"|\b(must|should|has to|have to|needs? to)\s+(\w+\s+)?(remain|stay|be kept|be)\s+"
    r"(valid|alive|accessible|available|in memory|around)"
    r"|\b(must|has to|have to|should)\s+(outlive|live\s|persist|not be (freed|modified|changed|deallocated))"
    r"|\b(is|are)\s+(only\s+)?(borrowed|referenced)\b"
    r"|\b(keeps?|stores?|saves?|retains?)\s+(only\s+)?(the|a|this|your)\s+(pointer|reference|address)"
    r"|\bonly\s+the\s+(pointer|address)\b|\bthe\s+pointer\s+is\s+(kept|stored|saved|retained)",
    re.IGNORECASE,
)
"""What a comment says of memory that C uses after the call."""
_IN_THE_CALL = re.compile(
    r"(until|for|during|while|throughout|before)\b[^.;]{0,30}\b(call|returns?|function|invocation)\b", re.IGNORECASE
)
"""What a comment says of memory that C uses in the call alone."""
_COPIED = re.compile(
    r"\b(is|are|be|been|gets?|being)\s+(\w+\s+)?(copied|duplicated|strdup)"
    r"|\b(makes?|takes?|keeps?|stores?|creates?|allocates?)\s+((an?|its|their|own|internal|private|deep|local)\s+)+cop(y|ies)\b"
    r"|\bcop(y|ies) (is|are) (made|kept|stored|taken)|\bcopies\s+(the|its|this|it)\b",
    re.IGNORECASE,
)
_IF = re.compile(r"\b(if|unless|when|whether|depending|otherwise|in (such|that|this) (a )?case)\b", re.IGNORECASE)
_MEMORY = re.compile(
    r"\b(text|string|buffer|data|memory|bytes|pointer|address|array|argument|parameter|copy|not copied)s?\b",
    re.IGNORECASE,
)
"""What a sentence calls memory that does not name its parameter."""
_RESULT = re.compile(r"\b(return(s|ed|ing)?|results?|owned by)\b", re.IGNORECASE)
_OF_RESULT = re.compile(r"\breturned\b|\bowned by\b", re.IGNORECASE)
"""What a sentence says that is about the result, though it names a parameter."""
_STATIC = re.compile(r"\bstatic (storage|memory|lifetime|text|string)|string literal|\bliterals?\b", re.IGNORECASE)
_TAKEN = re.compile(
    r"(takes?|assumes?|transfers?|passes) (the )?ownership|ownership (is|will be) (taken|transferred|passed)"
    r"|will be freed (by|with|when)",
    re.IGNORECASE,
)

Roles = Mapping[str, Sequence[RecordRole]]


@frozen
class _Given:
    """Memory that a function is given, and what is proposed; `is_said` is whether the header says so itself."""

    function: CFunction
    parameter: CParameter
    name: str
    """As the question lists it: the function's, with the parameter's where it is given several."""
    word: str
    is_said: bool
    is_only_number: bool = False
    """Whether the function is given one number by its address that it may keep, which its name then means too."""


def ask(context: Context, roles: Roles) -> dict[tuple[str, str], AnsweredWord]:
    """What calls do with memory that they are given, by the key of the function and the name of the parameter.

    It is asked where the header says of some that C keeps it; an answer is read in any case.
    """
    found = [each for function in context.functions for each in _all_given(context, function, roles)]
    proposed = [each for each in found if each.word]
    is_asked = any(each.word != USES for each in proposed) or MEMORY in context.questions.said(KEEPS)
    of_ = {name for each in found for name in (each.function.name, f"{each.function.name}.{each.parameter.name}")}
    said = _ask(context, proposed, of_) if is_asked else None
    is_decided = is_asked and context.questions.is_decided(KEEPS, MEMORY)
    question = f"{KEEPS}/{MEMORY}" if is_asked else ""
    words: dict[tuple[str, str], AnsweredWord] = {}
    for each in found:
        word = ASK if said == OPEN else _answer(each, said)
        if word or each.word:
            is_known = (is_decided and bool(word)) or (each.is_said and word in ("", each.word))
            words[each.function.key, each.parameter.name] = AnsweredWord(word or each.word, is_known, question)
    return words


def _ask(context: Context, found: Sequence[_Given], of_: Collection[str]) -> object:
    """Ask about these; an answer may also speak of `of_`, functions and their parameters."""
    names = {word: sorted({g.name for g in found if g.word == word}) for word in (HOLDS, HOLDS_LAST, USES, ASK)}
    proposal = {word: listed for word, listed in names.items() if listed}
    why = (
        "what calls do with text, bytes and arrays that they are given: the object `holds` all of them, `holds_last` "
        "those of the last call; a call that copies `uses` them; `ask`"
    )
    comment = comments(each.function for each in found)
    return context.questions.ask(KEEPS, MEMORY, proposal, why, of=of_, frees=len(found), comment=comment)


def _answer(given: _Given, said: object) -> str:
    """The word of an answer; empty where it says nothing of this."""
    for word in (HOLDS, HOLDS_LAST, USES, ASK):
        names = said.get(word) if isinstance(said, Mapping) else ()
        full = f"{given.function.name}.{given.parameter.name}"
        is_any = given.name == given.function.name or not is_number_by_address(given.parameter)
        is_meant = given.is_only_number and {given.function.name, given.function.qualified} & {*map(str, names or ())}
        if is_meant or (is_any and is_listed(given.function.name, names)) or is_listed(full, names):
            return word
    return ""


def _all_given(context: Context, function: CFunction, roles: Roles) -> Iterator[_Given]:
    """The memory that a call is given."""
    if function.access is not Access.PUBLIC or function.kind is FunctionKind.DESTRUCTOR or function.template:
        return
    memory = [each for each in function.parameters if each.name and _is_memory(each)]
    for each in memory:
        word, is_said = _proposed(context, function, each, roles)
        name = function.name if len(memory) == 1 else f"{function.name}.{each.name}"
        yield _Given(function, each, name, word, is_said)
    numbers = [each for each in function.parameters if each.name and may_be_kept(context, function, each)]
    for each in numbers:  # of which `writes` asks
        is_alone = len(memory) + len(numbers) == 1
        name = function.name if is_alone else f"{function.name}.{each.name}"
        yield _Given(function, each, name, "", False, is_only_number=len(numbers) == 1)


def _is_memory(parameter: CParameter) -> bool:
    """Whether a parameter is the address of memory that C only reads: of characters, bytes or numbers."""
    to = parameter.type.target
    if to is not None and parameter.type.kind is CKind.REFERENCE:
        return to.is_const and is_string(to)
    if is_string(parameter.type) and parameter.type.template.endswith("_view"):
        return True
    return to is not None and parameter.type.kind is CKind.POINTER and to.is_const and _is_plain(parameter)


def _is_plain(parameter: CParameter) -> bool:
    to = pointee(parameter.type)
    is_number = to is not None and to.kind in (CKind.INTEGER, CKind.FLOAT, CKind.BOOL)
    return is_chars(to) or is_number or (to is not None and to.kind is CKind.VOID and not record_of(to).record)


def _proposed(context: Context, function: CFunction, given: CParameter, roles: Roles) -> tuple[str, bool]:
    """What is proposed, and whether the header says so; empty of what nothing speaks for."""
    name = snake(function.name)
    word = HOLDS_LAST if _SETS.search(name) else HOLDS
    sentences = _about(function, given)
    kept = [each for each in sentences if _NOT_COPIED.search(each) and not _IN_THE_CALL.search(each)]
    copied = [each for each in sentences if _COPIED.search(each) and not _NOT_COPIED.search(each)]
    is_taken = any(_TAKEN.search(each) and _names(each, given) for each in sentences)
    if is_taken or any(_STATIC.search(each) for each in kept):
        return ASK, True
    always_kept, always_copied = (any(not _IF.search(each) for each in found) for found in (kept, copied))
    if always_copied and not always_kept:
        return USES, True
    if kept or copied:
        is_clear = always_kept and not copied and _has_keeper(context, function, roles)
        return word if is_clear else ASK, True
    if _is_field(context, function, given, roles):
        return (HOLDS_LAST if name == snake(given.name) else word), False
    if not _has_object(context, function, roles) or not _GIVES.search(name) or given.type.kind is CKind.REFERENCE:
        return "", False
    return USES, _COPIES.search(name) is not None


def _about(function: CFunction, given: CParameter) -> list[str]:
    """The sentences of a comment that are about a parameter: they name it, or speak of memory and name no other."""
    if function.doc.of_group:
        return []
    text = " ".join(function.doc.text.split())
    others = [each for each in function.parameters if each.name and each is not given]
    found, before = [], True
    for sentence in re.split(r"(?<=[.;])\s+|(?=[@\\]param\b)|(?=[@\\]return)", text):
        is_own = _names(sentence, given)
        if re.match(r"(it|this|they|these)\b", sentence, re.IGNORECASE):
            is_about = before
        else:
            is_about = is_own or not any(_names(sentence, each) for each in others)
        before = is_about
        speaks = (is_own and not _OF_RESULT.search(sentence)) or (
            _MEMORY.search(sentence) and not _RESULT.search(sentence)
        )
        found += [sentence] if is_about and (speaks or re.match(r"(it|they)\b", sentence, re.IGNORECASE)) else []
    return found


def _names(sentence: str, parameter: CParameter) -> bool:
    """Whether a sentence has the name of a parameter as a word."""
    return bool(parameter.name) and re.search(rf"\b{re.escape(parameter.name)}\b", sentence, re.I) is not None


def _is_field(context: Context, function: CFunction, given: CParameter, roles: Roles) -> bool:
    """Whether a call sets a member of its object that is a pointer to const, and so no copy that the object frees."""
    if not context.options.is_c:
        return _is_member_of_cpp(context, function, given, roles)
    own = _record_of_object(function, roles)
    known = context.headers.records.get(own)
    if known is None or not _GIVES.search(snake(function.name)):
        return False
    called = {given.name, snake(function.name).rpartition("set_")[2]}
    fields = [each for each in known.fields if each.name in called]
    return any(to is not None and to.is_const for to in (pointee(each.type) for each in fields))


def _is_member_of_cpp(context: Context, function: CFunction, given: CParameter, roles: Roles) -> bool:
    """The same in C++, where members are called `tag_` or `m_tag`, and may be views."""
    known = context.headers.records.get(function.owner)
    if known is None or given.type.kind is CKind.REFERENCE or not _has_object(context, function, roles):
        return False
    called = {snake(given.name), snake(function.name), snake(function.name).rpartition("set_")[2]}
    members = [type_ for name, type_ in known.member_types if snake(name).removeprefix("m_").strip("_") in called]
    is_view = (is_string(each) and each.template.endswith("_view") for each in members)
    return any(is_view) or any(to is not None and to.is_const for to in map(pointee, members))


def _record_of_object(function: CFunction, roles: Roles, *, is_changed: bool = True) -> str:
    """The record of the object that a call of C is given, or changes."""
    for each in function.parameters:
        record, depth, is_const = record_of(each.type)
        is_object = any(role.kind in (of.HANDLE, of.IN_PLACE) for role in roles.get(record, ()))
        if depth == 1 and is_object and not (is_changed and is_const):
            return record
    return ""


def _has_keeper(context: Context, function: CFunction, roles: Roles) -> bool:
    """Whether an object is there that can keep what a call is given: that of the method, or a new one."""
    if function.kind is FunctionKind.CONSTRUCTOR or _has_object(context, function, roles, is_changed=False):
        return True
    given = [record_of(function.result), *(each for p in function.parameters if (each := record_of(p.type)).depth == 2)]
    return any(role.is_class for each in given for role in roles.get(each.record, ()))


def _has_object(context: Context, function: CFunction, roles: Roles, *, is_changed: bool = True) -> bool:
    """Whether a call is a method, of an object that it may change."""
    if context.options.is_c:
        return bool(_record_of_object(function, roles, is_changed=is_changed))
    is_method = function.kind is FunctionKind.METHOD and not function.is_static
    is_class = any(role.is_class for role in roles.get(function.owner, ()))
    return is_method and is_class and not (is_changed and function.is_const)
