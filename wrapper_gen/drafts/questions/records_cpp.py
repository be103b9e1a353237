"""What the classes of a C++ library are: objects, by value or pointer, values that are copied, statuses, interfaces."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from wrapper_gen.drafts import decisions as of
from wrapper_gen.drafts.answers import OPEN, SKIP
from wrapper_gen.drafts.decisions import RecordRole
from wrapper_gen.drafts.naming import class_name, snake
from wrapper_gen.drafts.questions.context import Context, is_internal, listed, makes
from wrapper_gen.drafts.questions.records_c import GROUP, Proposal, roles, what_range_is
from wrapper_gen.drafts.text_ends import text_ends
from wrapper_gen.drafts.types import is_string
from wrapper_gen.drafts.uses import RecordUse, record_of
from wrapper_gen.frozen import frozen
from wrapper_gen.headers import Access, CFunction, CKind, Field, FunctionKind, Record, Type

_OPTIONS = re.compile(r"(Options|Params|Config|Settings|Def)$")
_EXCEPTION = re.compile(r"(exception|error)$", re.IGNORECASE)
_OF_STANDARD = re.compile(
    r"std::(exception|(logic|runtime|range|overflow|underflow|domain|length|system)_error|invalid_argument|out_of_range"
    r"|bad_\w+)|std::ios_base::failure"
)
_MESSAGES = ("what", *(f"{get}{word}" for word in ("message", "msg", "text", "description") for get in ("get_", "")))
"""What methods are called that give the words for an exception."""
_NO_USE = RecordUse([], [], [], [], [], [], [], [], [])


@frozen
class _Relations:
    """How classes are passed and derived, by the names of their records."""

    holders: Mapping[str, Sequence[str]]
    """The smart pointers by which functions pass objects of a class."""
    derived: Mapping[str, Sequence[str]]
    order: Mapping[str, int]
    """The numbers of all records, as the headers have them."""


def _relations(context: Context) -> _Relations:
    holders: defaultdict[str, list[str]] = defaultdict(list)
    derived: defaultdict[str, list[str]] = defaultdict(list)
    for function in context.functions:
        for each in (function.result, *(parameter.type for parameter in function.parameters)):
            through: Type = each.target if each.kind in (CKind.REFERENCE, CKind.RVALUE) and each.target else each
            if through.template in ("std::shared_ptr", "std::unique_ptr") and through.arguments:
                holders[through.arguments[0].name].append(through.template)
    for name, known in context.headers.records.items():
        for base in known.bases:
            derived[base.name].append(name)
    return _Relations(holders, derived, {name: at for at, name in enumerate(context.headers.records)})


def ask(context: Context) -> dict[str, list[RecordRole]]:
    """The roles of each class that is defined."""
    found: dict[str, list[RecordRole]] = {}
    names: set[str] = set()
    relations = _relations(context)
    named = _declaring(context)
    for record, known in context.headers.records.items():
        if not known.is_defined or known.template or "<" in record or "(" in record or is_internal(record):
            continue
        use = context.uses.get(record, _NO_USE)
        name = class_name(record, "")
        if name in names and known.outer:
            name = class_name(known.outer, "") + name
        names.add(name)
        value, evidence, is_sure = _proposal(context, known, use, name, relations)
        if (
            isinstance(value, dict)
            and of.HANDLE in value
            and not use.functions
            and _is_only_included(context, known, named)
        ):
            value, evidence, is_sure = (
                SKIP,
                f"of {PurePath(known.place.header).name}, which is only included; {evidence}",
                False,
            )
        bases = [found[each.name][0] for each in known.bases if each.name in found]
        if isinstance(value, dict) and of.HANDLE in value and any(each.is_pointer for each in bases):
            value = {of.HANDLE: name, "pointer": True, **value}
        said = context.questions.ask(
            GROUP, record, value, evidence, is_sure=is_sure, frees=_frees(known, use), comment=known.doc.text
        )
        found[record] = roles(_held_by_pointer(said) if known.is_abstract else said, name)
    return found


def _held_by_pointer(said: Any) -> Any:
    """The answer for an abstract class, of which no object can hold a value."""
    if isinstance(said, dict) and of.HANDLE in said and not said.get("holds"):
        return {**said, "pointer": True}
    return said


def _declaring(context: Context) -> frozenset[str]:
    """The headers that the command names, if each of them declares something; none where one only includes others."""
    places = {each.place.header for each in (*context.functions, *context.headers.records.values())}
    named = frozenset(context.options.headers)
    return named if named <= places else frozenset()


def _is_only_included(context: Context, known: Record, named: frozenset[str]) -> bool:
    """Whether a class is of a header that is not named, and none that is named is derived from it."""
    if not named or known.place.header in named:
        return False
    derived = (each for each in context.headers.records.values() if each.place.header in named)
    return not any(base.name == known.qualified for each in derived for base in each.bases)


def _frees(known: Record, use: RecordUse) -> int:
    return use.functions + sum(each.kind is FunctionKind.METHOD for each in known.functions)


def _proposal(context: Context, known: Record, use: RecordUse, name: str, relations: _Relations) -> Proposal:
    methods = _public(known, FunctionKind.METHOD)
    constructors = _public(known, FunctionKind.CONSTRUCTOR)
    fields = [each for each in known.fields if each.access is Access.PUBLIC]
    has = {each.name for each in methods}
    texts = [each for each in ("ToString", "message", "what", "description") if each in has]
    if {"data", "size"} <= has and any(_takes_text(each) for each in constructors):
        return "bytes", "a view of characters: bytes or text", False
    if "ok" in has and texts:
        value = {of.STATUS: f"{name}Error", "ok": "value.ok()", "message": f"value.{texts[0]}()"}
        return value, "ok() and a text", True
    if _is_exception(context, known, is_named=_EXCEPTION.search(known.qualified) is not None):
        return {of.EXCEPTION: name}, "a class of exceptions", True
    if constructors and _EXCEPTION.search(known.qualified) and not known.is_abstract and not _is_passed(known, use):
        found = message_of(known)
        why = "named as an exception, and no function takes or returns one; message: the words for one"
        return {of.EXCEPTION: name, "message": f"value.{found}()" if found else OPEN}, why, False
    is_plain = not [each for each in methods if not each.name.startswith("operator")] and not known.is_polymorphic
    is_made_of_nothing = not constructors or any(
        all(each.default for each in constructor.parameters) for constructor in constructors
    )
    if fields and is_plain and is_made_of_nothing:
        return _of_value(use, name, fields)
    if not methods and not fields and not constructors:
        return SKIP, "nothing to call", True
    return _of_class(context, known, use, name, constructors, relations)


def _of_value(use: RecordUse, name: str, fields: Sequence[Field]) -> Proposal:
    ends = text_ends(fields)
    if ends and len(ends) == len(fields):
        return OPEN, what_range_is(name, ends), False
    why = f"{len(fields)} members" + (f"; without {', '.join(ends)}" if ends else "")
    if _OPTIONS.search(name):
        return {of.OPTIONS: name}, why, not use.changed and not ends
    value: dict[str, Any] = {of.STRUCT: name}
    if use.changed:
        names = sorted({each.name for each in use.changed})
        value["ask"] = names
        why += "; of those that take T * or T &: `out` writes it, `in` reads it, `inout` both, `ask` is not decided"
    return value, why, not use.changed and not ends


def _of_class(
    context: Context,
    known: Record,
    use: RecordUse,
    name: str,
    constructors: Sequence[CFunction],
    relations: _Relations,
) -> Proposal:
    record = known.qualified
    makers = [each for each in (*use.returned, *use.made) if each.owner != record or each.is_static]
    virtuals = [each for each in known.functions if each.is_virtual and each.kind is FunctionKind.METHOD]
    lenders = sorted({each.owner for each in use.returned if each.owner and each.owner != record})
    is_base = known.is_abstract and _is_base_of_objects(context, known, len(virtuals), relations)
    if known.is_abstract and not makers and not is_base:
        return {of.INTERFACE: name}, f"{len(virtuals)} virtual functions, and nothing returns one", False
    if _cannot_be_deleted(known):
        if len(lenders) == 1:
            value = {of.HANDLE: name, "pointer": True, "release": "nothing", "belongs_to": lenders[0]}
            return value, f"C++ may not delete it; only {lenders[0]} returns it", False
        ways = f"{{handle: {name}, pointer: true, release: nothing, belongs_to: …}}"
        return OPEN, f"C++ may not delete it: {ways}, or release: an expression", False
    holders = list(dict.fromkeys(relations.holders.get(record, ())))
    family = _family(context, record, relations)
    related = (holder for each in family for holder in relations.holders.get(each, ()))
    holder = (holders or [next(related, "")])[0]
    is_pointer = known.is_abstract or (bool(use.returned or _by_pointer(record, use)) and not use.given)
    value = {of.HANDLE: name}
    value |= {"holds": holder} if holder else {"pointer": True} if is_pointer else {}
    only_lent = is_pointer and use.returned and not any(makes(each.name) for each in makers) and not constructors
    if only_lent and len(lenders) == 1:
        value |= {"release": "nothing", "belongs_to": lenders[0]}
    made = [each.name for each in makers if makes(each.name)]
    why = f"{len(use.given)} functions return T, {len(use.returned)} T * or T &"
    why += f", made by {listed(made)}" if made else ""
    why += f"; {len(virtuals)} virtual functions" if virtuals else ""
    why += ", which a class of the library overrides" if is_base else ""
    if holder:
        others = [*holders[1:], *(["T * or T &"] if use.returned else [])]
        why += f"; passed by {holder}" if holders else f"; a class beside it is passed by {holder}"
        return value, why + "".join(f", and by {each}" for each in others), bool(holders) and not others
    return value, why, (not use.returned or not is_pointer) and not is_base


def _is_base_of_objects(context: Context, known: Record, virtuals: int, relations: _Relations) -> bool:
    """Whether an abstract class is rather called than overridden: most methods are plain, and the library derives one
    from it of which there are objects."""
    methods = _public(known, FunctionKind.METHOD)
    plain = [each for each in methods if not each.is_virtual and not each.is_static and each.name.isidentifier()]
    records, below, wanted = context.headers.records, set[str](), [known.qualified]
    while wanted:
        found = [each for each in relations.derived.get(wanted.pop(), ()) if each not in below]
        below.update(found)
        wanted += found
    return len(plain) > virtuals and any(not records[each].is_abstract for each in below)


def _public(known: Record, kind: FunctionKind) -> list[CFunction]:
    return [
        each for each in known.functions if each.kind is kind and each.access is Access.PUBLIC and not each.is_deleted
    ]


def _takes_text(constructor: CFunction) -> bool:
    return [each.type.canonical for each in constructor.parameters][:1] == ["const char *"]


def _is_exception(context: Context, known: Record, *, is_named: bool = False) -> bool:
    """Whether it is derived from an exception of the standard library; or is named so, and has `what`."""
    if is_named and any(each.name == "what" for each in known.functions):
        return True
    records = context.headers.records
    return any(
        _OF_STANDARD.fullmatch(each.name) or (each.name in records and _is_exception(context, records[each.name]))
        for each in known.bases
    )


def _is_passed(known: Record, use: RecordUse) -> bool:
    """Whether a function other than a member of the class takes or returns one."""
    lists = (use.first, use.other, use.by_value, use.made, use.const, use.changed, use.returned, use.given)
    return bool(use.fields_of) or any(each.owner != known.qualified for found in lists for each in found)


def getters(known: Record) -> list[CFunction]:
    """The public methods that only tell something of an object."""
    return [
        each
        for each in _public(known, FunctionKind.METHOD)
        if each.is_const and not each.is_static and not each.parameters and each.name.isidentifier()
    ]


def message_of(known: Record) -> str:
    """The method that gives the words for an exception; empty where no name says so."""
    texts = {snake(each.name): each.name for each in getters(known) if _is_text(each.result)}
    return next((texts[each] for each in _MESSAGES if each in texts), "")


def _is_text(type_: Type) -> bool:
    to = type_.target if type_.kind is CKind.REFERENCE and type_.target is not None else type_
    return is_string(to) or type_.canonical == "const char *"


def _cannot_be_deleted(known: Record) -> bool:
    return any(
        each.kind is FunctionKind.DESTRUCTOR and (each.access is not Access.PUBLIC or each.is_deleted)
        for each in known.functions
    )


def _by_pointer(record: str, use: RecordUse) -> bool:
    return any(
        each.type.kind is CKind.POINTER and record_of(each.type)[:2] == (record, 1)
        for function in (*use.first, *use.other)
        for each in function.parameters
    )


def _family(context: Context, record: str, relations: _Relations) -> Iterator[str]:
    """The classes above and below one, which hold their objects as it does."""
    records = context.headers.records
    above: dict[str, None] = {}
    wanted = [record]
    while wanted:
        each = wanted.pop()
        above[each] = None
        wanted += [base.name for base in (records[each].bases if each in records else ()) if base.name not in above]
    yield from (each for each in above if each != record)
    below: set[str] = set()
    wanted = list(above)
    while wanted:
        found = [each for each in relations.derived.get(wanted.pop(), ()) if each not in below]
        below.update(found)
        wanted += found
    yield from sorted(below, key=relations.order.__getitem__)
