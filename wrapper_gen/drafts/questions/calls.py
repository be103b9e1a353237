"""How long callables are called, and which integers are the length of the address before them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import pairwise

from wrapper_gen.drafts.answers import OPEN, SKIP
from wrapper_gen.drafts.documentation import said_of
from wrapper_gen.drafts.macro_calls import wrapping_macros
from wrapper_gen.drafts.naming import snake
from wrapper_gen.drafts.questions.context import Context, comments, is_listed, listed
from wrapper_gen.drafts.uses import function_type, is_chars, pointee
from wrapper_gen.headers import CFunction, CKind, CParameter, Doc, Headers, Type

CALLABLES, LENGTHS, BUFFERS = "callables", "lengths", "buffers"
LENGTH = re.compile(r"(len|size|count|^cnt$|bytes|capacity|^n[A-Z]?$|^n[A-Z][A-Za-z]*|^l$|num|cb$|sz)", re.IGNORECASE)
"""What an integer is called that is a length."""
_BINARY = re.compile(r"(data|buf|blob|src|source|dst|in|input|sig|key|salt|iv|mem|raw|ptr|contents)$", re.IGNORECASE)
_KEPT = re.compile(r"(^|_)(set|on|register|hook|handler|add|install|trace)|(Set|Register|Handler|Hook|Callback)")
_WHILE_CALLED = re.compile(
    r"(^|_)(each|foreach|for_each|walk|visit|iter|iterate|list|exec|do_all|sort|scan|enum|map|filter|find|apply|diff)(_|$)",
    re.I,
)

_SCOPES = {
    "call": "callables that C calls only while the call runs that is given them",
    "once": "that it calls once, later",
    "object": "that it calls until the object is closed, or the same function is called again",
    "destroy": "that it calls until it calls the function that destroys their data",
    SKIP: "with which nothing is written",
    OPEN: "of which it is not known how long: move the names to a line `call`, `once`, `object`, `destroy` or `skip`",
}


def spelling_of(type_: Type) -> str:
    """By what name a type of callables is asked for: its typedef, or its whole type."""
    return type_.spelling.removeprefix("const ")


def ask_callables(context: Context) -> dict[str, str]:
    """How long callables of each type are called."""
    users: defaultdict[str, list[CFunction]] = defaultdict(list)
    types: dict[str, Type] = {}
    for function in context.functions:
        for each in function.parameters:
            called = function_type(each.type)
            if called is not None and not function.owner:
                users[spelling_of(each.type)].append(function)
                types[spelling_of(each.type)] = called
    proposed = {each: _scope([f.name for f in functions], types[each]) for each, functions in users.items()}
    decided = {
        str(each): str(scope)
        for scope, names in context.questions.said(CALLABLES).items()
        if context.questions.is_decided(CALLABLES, scope) and isinstance(names, list)
        for each in names
    }
    found = {each: decided.get(each, scope) for each, scope in proposed.items()}
    for scope, meaning in _SCOPES.items():
        names = [each for each, said in found.items() if said == scope]
        at_first = [each for each, said in proposed.items() if said == scope]
        if names or at_first:
            given = [f for each in names for f in users[each]]
            frees = len({f.key for f in given})
            context.questions.put(CALLABLES, scope, names, at_first, meaning, frees=frees, comment=comments(given))
    return found


def _scope(names: list[str], called: Type) -> str:
    if called.is_variadic or any(each.canonical.startswith("struct __va_list") for each in called.parameters):
        return SKIP
    if all(_WHILE_CALLED.search(each) for each in names):
        return "call"
    return "object" if all(_KEPT.search(each) for each in names) else OPEN


def ask_lengths(context: Context) -> dict[tuple[str, str], str]:
    """What an address and the integer after it are; asked where the names do not tell."""
    pairs: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    called: defaultdict[str, list[CFunction]] = defaultdict(list)
    given = wrapping_macros(context.headers, context.functions) if context.options.is_c else {}
    for function in context.functions:
        called[function.name].append(function)
        fixed = given[function.name].arguments if function.name in given else ()
        for at, text, number in _pairs(function, context.questions.said(LENGTHS)):
            if not fixed or None in fixed[at : at + 2]:  # else a macro gives both
                pairs[pair_of(function, text, number)].append(function.name)
    nameless = sorted({name for (name, number), _ in pairs.items() if not number})
    found = _ask_callables_lengths(context) | (_ask_nameless(context, nameless) if nameless else {})
    for (text_name, number_name), names in pairs.items():
        if number_name and tells(text_name, number_name):
            continue
        if not number_name:
            continue
        key = f"{text_name}, {number_name}"
        why = f"{listed(sorted(set(names)))}: text or bytes with its length, or apart"
        said = context.questions.ask(
            LENGTHS, key, OPEN, why, frees=len(set(names)), comment=comments(f for name in names for f in called[name])
        )
        found[text_name, number_name] = str(said)
    return found


def _ask_nameless(context: Context, names: list[str]) -> dict[tuple[str, str], str]:
    """The same for functions that have no name for the integer."""
    why = (
        "C has no name for the integer after a text: `text` or `bytes` with this length, `apart`, `ask` is not decided"
    )
    said = context.questions.ask(LENGTHS, "nameless", {"ask": names}, why, frees=len(names))
    given = said if isinstance(said, dict) else {str(said): names}  # one word for all of them
    return {
        (name, ""): word for name in names for word in ("text", "bytes", "apart") if is_listed(name, given.get(word))
    }


def parameters_of(called: Type, spelling: str, headers: Headers) -> tuple[CParameter, ...]:
    """What C calls a callable with, by the names that a typedef of its type has for them."""
    known = headers.typedefs.get(spelling)
    names = known.parameter_names if known is not None else ()
    if len(names) != len(called.parameters):
        names = ("",) * len(called.parameters)
    return tuple(CParameter(name, type_) for name, type_ in zip(names, called.parameters, strict=True))


def has_pairs(called: Type) -> bool:
    """Whether a callable is given a text and an integer, which may be its length."""
    return any(_is_text(each) and after.kind is CKind.INTEGER for each, after in pairwise(called.parameters))


def _is_text(type_: Type) -> bool:
    to = pointee(type_)
    return to is not None and to.canonical == "const char"


def is_open_pair(text: CParameter, number: CParameter) -> bool:
    """Whether only an answer tells what an integer is after a text that C gives a callable."""
    return _is_text(text.type) and may_be_length(number) and not tells(text.name, number.name)


def _ask_callables_lengths(context: Context) -> dict[tuple[str, str], str]:
    """The same for callables, by the name of their type: what C gives them."""
    users: defaultdict[str, list[str]] = defaultdict(list)
    for function in context.functions:
        for each in function.parameters:
            called = function_type(each.type)
            if called is None or not has_pairs(called):
                continue
            spelling = spelling_of(each.type)
            given = parameters_of(called, spelling, context.headers)
            if spelling in context.questions.said(LENGTHS) or any(is_open_pair(*pair) for pair in pairwise(given)):
                users[spelling].append(function.name)
    found: dict[tuple[str, str], str] = {}
    for spelling, names in users.items():
        why = f"it is given a text and an integer: bytes with their length, or apart; {listed(sorted(set(names)))}"
        found[spelling, ""] = str(context.questions.ask(LENGTHS, spelling, OPEN, why, frees=len(set(names))))
    return found


def ask_buffers(context: Context) -> dict[str, dict[str, str]]:
    """How large the memory is that functions fill and whose size they are not given, by their keys.

    An answer is for the functions whose names match its key: `{capacity: C++}`, with `length` where C++ tells how much
    is filled.
    """
    wanted = {each.name: each.key for each in context.functions if _fills_unsized(each)}
    found: dict[str, dict[str, str]] = {}
    for pattern, said in context.questions.said(BUFFERS).items():
        names = [each for each in wanted if pattern != OPEN and re.fullmatch(pattern, each)]
        if names and isinstance(said, dict) and "capacity" in said:
            context.questions.ask(BUFFERS, pattern, None, listed(names), frees=len(names))
            found |= {wanted[each]: {str(key): str(value) for key, value in said.items()} for each in names}
    left = [name for name, key in wanted.items() if key not in found]
    if left:
        why = "they fill memory whose size they are not given: add lines `NAME: {capacity: C++}`; NAME may be a pattern"
        open_ = comments(each for each in context.functions if each.name in left)
        context.questions.put(BUFFERS, OPEN, left, left, why, frees=len(left), comment=open_)
    return found


def _fills_unsized(function: CFunction) -> bool:
    for at, each in enumerate(function.parameters):
        to = pointee(each.type)
        after = function.parameters[at + 1] if at + 1 < len(function.parameters) else None
        is_memory = to is not None and not to.is_const and is_chars(to)
        number = pointee(after.type) if after is not None else None
        is_sized = is_length(after) or (
            number is not None and number.kind is CKind.INTEGER and "len" in (after or each).name
        )
        is_said = after is not None and number is not None and says_capacity(function.doc, after.name)
        if is_memory and (not is_sized or number is not None) and not is_said:
            return True
    return False


_CAPACITY = (
    r"\b(?:up)?on (?:entry|input|call)\b[^.;]{{0,60}}\b{0}\b"
    r"|\b{0}\b[^.;]{{0,60}}\b(?:(?:up)?on (?:entry|input)|capacity\b)"
    r"|\b{0}\b[^.;]{{0,20}}\b(?:must|should|has to)\b[^.;]{{0,30}}\b(?:size|length|capacity|set|initiali[sz]ed)\b"
    r"|param\s*\[\s*(?:in\s*,\s*out|out\s*,\s*in|inout)\s*\]\s*{0}\b"
)
"""What a comment says of a length that C reads as the capacity before it writes it, with its name."""


def says_capacity(doc: Doc, number: str) -> bool:
    """Whether a comment says that C reads the length that it writes, as how much the memory can have."""
    text = " ".join(doc.text.split())
    return bool(number) and re.search(_CAPACITY.format(re.escape(number)), text, re.IGNORECASE) is not None


def pair_of(function: CFunction, text: CParameter, number: CParameter) -> tuple[str, str]:
    """By which key a text and the integer after it are asked for: their names, or the function's where C has none."""
    return (text.name, number.name) if number.name else (function.name, "")


def tells(text: str, number: str) -> bool:
    """Whether an integer's name contains the name of a text, and so is its length."""
    bare = re.sub(r"^(z|p|sz)(?=[A-Z])", "", text).lower().strip("_")
    return len(bare) > 1 and bare in number.lower() and LENGTH.search(number) is not None


def is_binary(name: str, to: Type) -> bool:
    """Whether an address of characters with a length is bytes and no text."""
    return to.canonical.removeprefix("const ") != "char" or _BINARY.search(name) is not None


def is_length(parameter: CParameter | None) -> bool:
    """Whether a parameter is an integer that is called as a length is."""
    return parameter is not None and parameter.type.kind is CKind.INTEGER and bool(LENGTH.search(parameter.name))


_COUNTS = re.compile(r"n|n[A-Z_]\w*|num\w*|\w*count|\w*_n|\w+_(len|length|size)")


def counts(parameter: CParameter | None) -> bool:
    """Whether a parameter is an integer that says how many values an address is of."""
    return parameter is not None and parameter.type.kind is CKind.INTEGER and bool(_COUNTS.fullmatch(parameter.name))


_SETTING = re.compile(r"(^|_)(flags?|flg|mode|options?)$")
"""What integers are called that choose what a call does."""


def may_count(function: CFunction, at: int, *, is_any: bool) -> str:
    """The integer that may say how many values an address is of; empty where there is none.

    Its name or the comment says so; `is_any`: also the integer behind the address, whatever its name.
    """
    parameters, each = function.parameters, function.parameters[at]
    integers = [one for one in parameters if one.type.kind is CKind.INTEGER]
    if said := said_of(function.doc, each.name):
        for one in integers:
            if one.name and re.search(_ARRAY_OF.format(re.escape(one.name)), said, re.IGNORECASE):
                return one.name
    before = parameters[at - 1] if at else None
    after = parameters[at + 1] if at + 1 < len(parameters) else None
    is_array = each.type.kind is CKind.ARRAY
    if after is not None and (counts(after) or ((is_any or is_array) and _is_number_of(after))):
        return after.name or "the integer after it"
    is_sized = counts(before) or (is_length(before) and not LENGTH.search(each.name))
    if before is not None and (is_sized if is_any else is_array and _is_number_of(before)):
        return before.name or "the integer before it"
    return ""


_ARRAY_OF = r"\b(?:array|list|vector|table|buffer) of (?:(?:the|length|size|at least) )*`?{0}\b"
"""What a comment says of an address, with the name of the parameter that has the number."""


def _is_number_of(parameter: CParameter) -> bool:
    is_integer = parameter.type.kind is CKind.INTEGER and parameter.type.size > 1
    return is_integer and not _SETTING.search(snake(parameter.name))


def may_be_length(parameter: CParameter | None) -> bool:
    """Whether a parameter may be the length of a text: it is called so, or C has no name for it."""
    return is_length(parameter) or (
        parameter is not None and not parameter.name and parameter.type.kind is CKind.INTEGER
    )


def is_length_of(address: CParameter, number: CParameter | None) -> bool:
    """The same of bytes; also where its name begins as that of the address does: `in`, `inl`."""
    if number is None or number.type.kind is not CKind.INTEGER:
        return False
    return may_be_length(number) or (bool(address.name) and number.name.lower().startswith(address.name.lower()))


def _pairs(function: CFunction, said: Collection[str]) -> Iterator[tuple[int, CParameter, CParameter]]:
    """A text, or an address that an answer names, with its place, and the integer after it."""
    for at, (address, number) in enumerate(zip(function.parameters, function.parameters[1:], strict=False)):
        to = pointee(address.type)
        if to is None or not to.is_const or not (to.kind is CKind.VOID or is_chars(to)):
            continue
        is_named = f"{address.name}, {number.name}" in said and number.type.kind is CKind.INTEGER
        if is_named or (to.canonical == "const char" and may_be_length(number)):
            yield at, address, number
