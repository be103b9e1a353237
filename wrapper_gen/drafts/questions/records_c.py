"""What the records of a C library are: who releases them, what they belong to, or which values they stand for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from wrapper_gen.drafts import decisions as of
from wrapper_gen.drafts.answers import OPEN, SKIP
from wrapper_gen.drafts.decisions import RecordRole
from wrapper_gen.drafts.naming import class_name, snake
from wrapper_gen.drafts.questions.context import (
    Context,
    IsRelease,
    is_release,
    listed,
    makes,
    rank_of_release,
    releases,
    tells_of,
    words_of,
)
from wrapper_gen.drafts.text_ends import text_ends, what_ends_are
from wrapper_gen.drafts.uses import RecordUse, function_type, is_chars, pointee, record_of
from wrapper_gen.drafts.written_anew import makes_ready, may_write_anew
from wrapper_gen.frozen import replace
from wrapper_gen.headers import CFunction, CKind, Field, Record, Type
from wrapper_gen.headers.freed_arguments import freed_argument

GROUP = "records"
NOTHING = "nothing"
_OPTIONS = re.compile(r"(options|opts|params|config|settings)$", re.IGNORECASE)
_COUNT = re.compile(r"^(n|size|len|length|count|used)", re.IGNORECASE)
_READS = re.compile(r"(^|_)(get|read|stat|info|parse|from|query|lookup|default|current|status|header|usage)", re.I)
_FREES = re.compile(r"free|clear|close|destroy|cleanup|release|dispose|finalize|unref", re.IGNORECASE)
"""What functions are called that free the members of a struct: not those that delete what it stands for."""
_WALKS = re.compile(r"(^|_)(parent|child|children|sibling)(_|$)")
"""What functions are called that go from one node of a tree to another."""
_WRITES = "; `out`: calls that write one anew, `in`, `inout`: into an object that is ready, `ask`: not decided"
_MOST_FIELDS = 4  # of a struct that is an address and a number

Proposal = tuple[Any, str, bool]
"""The value, what speaks for it, and whether it is sure."""


def ask(context: Context) -> dict[str, list[RecordRole]]:
    """The roles of each record that functions name, the most used first."""
    found: dict[str, list[RecordRole]] = {}
    order = sorted(context.uses, key=lambda each: -context.uses[each].functions)
    for record in order:
        use, known = context.uses[record], context.headers.records.get(record)
        is_known = known is not None or bool(use.first) or record in context.questions.said(GROUP)
        is_named = "(" not in record and is_known
        if not is_named or (not use.functions and not (known and known.is_defined and use.fields_of)):
            continue
        value, evidence, is_sure = _proposal(context, record, use, known)
        comment = known.doc.text if known else ""
        said = context.questions.ask(
            GROUP, context.shown(record), value, evidence, is_sure=is_sure, frees=use.functions, comment=comment
        )
        found[record] = roles(said, class_name(context.shown(record), context.options.prefix))
        if not is_sure and said == value:
            found[record] = [replace(each, is_proposed=True) for each in found[record]]
    return found


def roles(said: Any, name: str) -> list[RecordRole]:
    """The roles that an answer gives a record; `name` is for those that say none."""
    return [_role(each, name) for each in (said if isinstance(said, list) else [said])]


def _role(said: Any, name: str) -> RecordRole:
    if isinstance(said, Mapping):
        for kind in of.ROLES:
            if kind in said:
                return RecordRole(kind, str(said[kind] if kind != of.TYPE else said.get("name", name)), said)
    if said in (SKIP, None):
        return RecordRole(of.SKIPPED, name, {})
    if said in ("bytes", "text"):
        return RecordRole(of.VIEW, str(said), {})
    return RecordRole(of.UNDECIDED, name, {})


def _proposal(context: Context, record: str, use: RecordUse, known: Record | None) -> Proposal:
    shown = context.shown(record)
    takers = {each.name for each in use.first}
    words = words_of(context.headers, record)
    found = {each.name: is_release(each, words, takers) for each in use.first}
    ends = [name for name, said in found.items() if said is not IsRelease.NO]
    ends = ends or [each.name for each in use.first if _hands_over(each)] or _said_to_free(context, use)
    shape = f"{len(use.first)} functions take it first, {len(use.made)} write T **, {len(use.returned)} return T *"
    name = class_name(shown, context.options.prefix)
    if known is None or not known.is_defined:
        tree = f"; nodes of a tree: with `belongs_to: {shown}`, the root alone is released"
        is_tree = any(_WALKS.search(snake(each.name)) and _is_of_same(each, record) for each in use.returned)
        certain = () if is_tree else [each for each in ends if found[each] is IsRelease.YES]
        return (
            _of_hidden(name, ends, shape + tree * is_tree, certain)
            if ends
            else _of_unreleased(context, name, use, record, shape)
        )
    return _of_known(context, known, use, name, sorted(ends, key=rank_of_release), shape)


def _hands_over(function: CFunction) -> bool:
    """Whether a function may release its object, and give memory that this has made: `str_finish`."""
    is_alone = len(function.parameters) == 1 and is_chars(pointee(function.result))
    return is_alone and releases(function.name) and not tells_of(function.name)


def _said_to_free(context: Context, use: RecordUse) -> list[str]:
    """The functions whose comments say that they free what they take alone, those that give nothing first."""
    alone = [each for each in use.first if len(each.parameters) == 1]
    found = [each for each in alone if freed_argument(each, context.headers) == 0]
    return [each.name for each in sorted(found, key=lambda each: each.result.kind is not CKind.VOID)]


def _is_of_same(function: CFunction, record: str) -> bool:
    """Whether a function gives an object of the kind of its first argument."""
    return bool(function.parameters) and record_of(function.parameters[0].type)[:2] == (record, 1)


def _of_hidden(name: str, ends: Sequence[str], shape: str, certain: Sequence[str]) -> Proposal:
    """A struct of which C shows no members."""
    is_named = any(releases(each) for each in ends)
    best = min(ends, key=rank_of_release) if is_named else ends[0]
    rank = rank_of_release(best)[0]
    alike = [each for each in ends if rank_of_release(each)[0] == rank]
    others = "" if is_named else f"; the comment of {best} says that it frees its object"
    others += f"; it could be {listed(list(ends))}" if len(ends) > 1 else ""
    return {of.HANDLE: name, "release": best}, shape + others, len(alike) == 1 and rank < 11 and best in certain


def _of_unreleased(context: Context, name: str, use: RecordUse, record: str, shape: str) -> Proposal:
    """A struct that no function releases: its owner does, or C, where it gives one to callables alone."""
    ways = f"{{handle: {name}, release: f}}, {{handle: {name}, release: nothing, belongs_to: …}}, or skip"
    gives, shown = [*use.returned, *use.made], context.shown
    if use.given or use.by_value or any(releases(each.name) for each in use.other):
        return OPEN, f"{shape}; nothing seems to release it: {ways}", False
    owners = {_owner(context, each, record) for each in gives}
    owner = next(iter(owners)) if len(owners) == 1 else ""
    if owner:
        value = {of.HANDLE: name, "release": NOTHING, "belongs_to": shown(owner)}
        why = f"{shape}; nothing releases it, and {listed([each.name for each in gives])} of {shown(owner)} gives it"
        return value, f"{why}: {ways}", False
    is_needed = any(makes(each.name) and _gives_object(each) for each in (*use.first, *use.other))
    if not gives and not is_needed and _is_given_to_callables(context, record):
        value = {of.HANDLE: name, "release": NOTHING}
        return value, f"{shape}; only callables are given one, while they are called: {ways}", False
    return OPEN, f"{shape}; nothing seems to release it: {ways}", False


def _owner(context: Context, function: CFunction, record: str) -> str:
    """The record of the object of which a function gives another one, if it has a release of its own; else empty."""
    if not function.parameters or makes(function.name):
        return ""
    owner, depth, is_const = record_of(function.parameters[0].type)
    others = [record_of(each.type).record for each in function.parameters[1:]]
    use = context.uses.get(owner)
    is_alone = owner != record and not {owner, record} & set(others)
    if use is None or depth != 1 or is_const or not is_alone:
        return ""
    words, takers = words_of(context.headers, owner), {each.name for each in use.first}
    is_released = any(is_release(each, words, takers) is IsRelease.YES for each in use.first)
    return owner if is_released else ""


def _gives_object(function: CFunction) -> bool:
    """Whether a function returns, or writes, the address of a struct."""
    result = record_of(function.result)
    return bool(result.record and result.depth) or any(record_of(each.type).depth == 2 for each in function.parameters)


def _is_given_to_callables(context: Context, record: str) -> bool:
    """Whether a callable has the address of such a struct as an argument."""
    types = [each.type for f in context.functions for each in f.parameters]
    types += [each.type for each in context.headers.typedefs.values()]
    called = [function_type(each) for each in types]
    return any(record_of(own).record == record for each in called if each is not None for own in each.parameters)


def _of_known(context: Context, known: Record, use: RecordUse, name: str, ends: Sequence[str], shape: str) -> Proposal:
    inits = [each.name for each in use.first if re.search(r"[iI]nit", each.name)]
    ends_of_text = text_ends(known.fields)
    unsayable = [each.name or "a nameless one" for each in known.fields if not _is_sayable(each, ends_of_text)]
    shown = context.shown(known.qualified)
    if _OPTIONS.search(re.sub(r"_(t|s)$", "", shown)):
        macro = f"{re.sub(r'_(t|s)$', '', shown).upper()}_INIT"
        make = {"make": macro} if macro in context.all_macros else {}
        why = f"{len(known.fields)} members, {len(unsayable)} of types that cannot be said"
        return {of.OPTIONS: name, **make}, why, bool(make)
    represented = _represented(known.fields)
    if represented and (ends or use.changed):
        type_, data, length = represented
        release = {"release": f"{ends[0]}(&value)"} if ends else {}
        value = {of.TYPE: type_, "name": name, "data": data, "length": length, **release}
        return value, f"{shape}; an address and a number: text, bytes or a list", False
    if inits and ends:
        why = f"{shape}; {listed(inits)}; {listed(list(ends))}"
        return _with_words(use, known.qualified, _in_place(name, inits, ends), why)
    if ends and (use.made or use.returned):
        why = f"{shape}; its {len(known.fields)} members are known"
        return {of.HANDLE: name, "release": ends[0]}, why, rank_of_release(ends[0])[0] < 3
    if frees := _frees_members(known, use, ends):
        made = [each.name for each in use.first if makes_ready(each)]
        why = f"{shape}; {frees} frees what its members refer to, if not the struct as well; "
        why += f"{listed(made)} may make one ready" if made else "`init`: what makes one ready"
        return _with_words(use, known.qualified, {of.IN_PLACE: name, "init": made, "release": frees}, why)
    if ends_of_text and len(known.fields) == len(unsayable):
        return OPEN, what_range_is(name, ends_of_text), False
    is_used = use.const or use.changed or use.given or use.by_value or use.returned or use.fields_of
    if not known.fields or len(unsayable) == len(known.fields) or not is_used:
        why = f"{shape}; members that cannot be said: {listed(unsayable)}" if unsayable else shape
        return SKIP, why, not use.functions
    return _of_value(known, use, name, unsayable)


def _in_place(name: str, inits: Sequence[str], ends: Sequence[str]) -> Any:
    """A struct that a function makes ready; one class for each release whose name begins as its own functions do."""
    stems = {re.sub(r"_?(end|free|close|destroy|cleanup|finish)$", "", each, flags=re.I): each for each in ends}
    own = {stem: [each for each in inits if stem and each.startswith(stem)] for stem in stems}
    found = [
        {of.IN_PLACE: class_name(stem, ""), "init": own[stem], "release": stems[stem], "match": f"^{stem}"}
        for stem in sorted(own, key=len)
        if own[stem]
    ]
    if len(found) > 1:
        return found
    return {of.IN_PLACE: name, "init": list(inits), "release": ends[0]}


def _frees_members(known: Record, use: RecordUse, ends: Sequence[str]) -> str:
    """The likeliest function that frees what the members refer to; empty where there is none.

    What clears numbers alone makes them zero.
    """
    owns = any(each.type.kind not in (CKind.BOOL, CKind.INTEGER, CKind.ENUM, CKind.FLOAT) for each in known.fields)
    found = [
        each.name
        for each in use.first
        if each.name in ends and _FREES.search(each.name) and record_of(each.result).record != known.qualified
        if owns or not re.search("clear", each.name, re.IGNORECASE)
    ]
    return min(found, key=rank_of_release, default="")


def _with_words(use: RecordUse, record: str, value: Any, why: str) -> Proposal:
    """The same with the functions that may write such a struct anew: an object would lose what it has."""
    names = {
        each.name
        for each in use.changed
        if any(record_of(own.type).record == record and may_write_anew(each, own) for own in each.parameters)
    }
    is_asked = False
    for role in value if isinstance(value, list) else [value]:
        own = {each for each in names if re.search(role.get("match", ""), each)} - {*role["init"], role["release"]}
        role |= {"ask": sorted(own)} if own else {}
        is_asked |= bool(own)
    return value, why + _WRITES * is_asked, False


def _of_value(known: Record, use: RecordUse, name: str, unsayable: Sequence[str]) -> Proposal:
    """A struct that is copied; by function, whether a call that takes `T *` reads it, writes it, or both."""
    value: dict[str, Any] = {of.STRUCT: name}
    why = f"{len(known.fields)} members, {len(use.const)} functions read it"
    if use.changed:
        names = sorted({each.name for each in use.changed})
        out = [each for each in names if _READS.search(each)]
        rest = [each for each in names if each not in out]
        value |= {"out": out} if out else {}
        value |= {"ask": rest} if rest else {}
        why += "; of those that take T *: `out` writes it, `in` reads it, `inout` both, `ask` is not decided"
    if unsayable:
        why += f"; without {listed(unsayable)}"
    return value, why, not use.changed and not unsayable


def _represented(fields: Sequence[Field]) -> tuple[str, str, str] | None:
    """What an address and a number of elements stand for, and the names of the two members."""
    data = [each for each in fields if each.type.kind is CKind.POINTER]
    size = [each for each in fields if each.type.kind is CKind.INTEGER and _COUNT.search(each.name)]
    if len(data) != 1 or not size or len(fields) > _MOST_FIELDS:
        return None
    to = data[0].type.target
    assert to is not None
    if to.kind is CKind.VOID or (is_chars(to) and to.canonical.removeprefix("const ") != "char"):
        return "bytes", data[0].name, size[0].name
    if is_chars(to):
        return "text", data[0].name, size[0].name
    return ("[text]", data[0].name, size[0].name) if is_chars(pointee(to)) else None


def _is_sayable(field: Field, ends_of_text: Collection[str] | None) -> bool:
    is_end = field.name in (ends_of_text or ())
    return bool(field.name) and not field.bits and not is_end and is_sayable(field.type)


def what_range_is(name: str, ends: tuple[str, str]) -> str:
    """What speaks against a struct of a begin and an end, and the answers for one."""
    length = f"value.{ends[1]} - value.{ends[0]}"
    return f"{what_ends_are(ends)}: {{type: text, name: {name}, data: {ends[0]}, length: {length}}}, or skip"


def is_sayable(type_: Type) -> bool:
    """Whether a member of this type can be a field."""
    if type_.kind in (CKind.BOOL, CKind.INTEGER, CKind.ENUM) or (type_.kind is CKind.FLOAT and type_.size <= 8):
        return True
    if type_.kind is CKind.ARRAY:
        return bool(type_.length) and type_.target is not None and type_.target.kind in (CKind.INTEGER, CKind.FLOAT)
    if is_chars(pointee(type_)):
        return True
    name, depth, _ = record_of(type_)
    return bool(name) and depth <= 1 and type_.kind in (CKind.RECORD, CKind.POINTER)


def lenders(context: Context, record: str) -> Iterator[str]:
    """The records whose functions return pointers to this one, and do not say that they make it."""
    for each in context.uses[record].returned:
        first = record_of(each.parameters[0].type) if each.parameters else None
        if first and first.record and first.record != record and not makes(each.name):
            yield first.record
