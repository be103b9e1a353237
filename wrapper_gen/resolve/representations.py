"""The section `types`: names for types of the language, and how C spells their values."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial

from wrapper_gen import names
from wrapper_gen.model import Code, Representation, RepresentedCase, spelled_alike
from wrapper_gen.resolve.callable_types import KEYS as CALLABLE_KEYS
from wrapper_gen.resolve.entities import class_name
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.types import is_callable_entry, is_cursor_entry, parse_type
from wrapper_gen.types.memory import is_run
from wrapper_gen.types.model import Recursive, Text, Type
from wrapper_gen.types.queries import alternatives, is_representable
from wrapper_gen.types.recursion import has_kinds, is_within, recursive_in

_HAD_AS_IT_IS = re.compile(
    r"(?:const )?(?:(?:un)?signed )?char(?: const)?\*|(?:std::)?string(?:_view)?|bool|float|(?:long )?double"
    r"|(?:(?:un)?signed|char|short|int|long|(?:std::)?(?:u?int\d+_t|size_t|ptrdiff_t|time_t))"
    r"(?: (?:unsigned|char|short|int|long))*"
)
"""C++ types that results and parameters have without an entry of `types`."""
_KEYS = ("data", "length", "make")
"""What is said of a case beside its type."""


def resolve_representations(scope: Scope) -> tuple[Representation, ...]:
    """All entries of `types`; each may speak of those that stand before it."""
    found: list[Representation] = []
    entries = tuple(each for each in scope.entries("types") if not (is_callable_entry(each) or is_cursor_entry(each)))
    counts = Counter(spelled_alike(scope.text(entry, "cpp_type")) for entry in entries)
    for entry in entries:
        spelled = spelled_alike(scope.text(entry, "cpp_type"))
        is_by_name = counts[spelled] > 1 or _HAD_AS_IT_IS.fullmatch(spelled) is not None
        one = scope.of_row(entry, partial(_representation, entry, is_by_name=is_by_name))
        for other in found:
            if _says_the_same(one, other):
                message = f"{one.cpp_type.text.strip()!r} stands for two types"
                related = (other.cpp_type.span, "the other one")
                scope.error("WG105", message, one.cpp_type.span, "drop one of them", related)
                break
        scope.findings.named_types[one.name] = one.type
        scope.findings.representations[one.name] = one
        found.append(one)
    return tuple(found)


def _says_the_same(one: Representation, other: Representation) -> bool:
    both = (
        (each.of, spelled_alike(each.cpp_type.text), each.data, each.length, each.free, each.tag)
        for each in (one, other)
    )
    first, second = both
    return first == second and not one.cases


def _representation(entry: Map, scope: Scope, *, is_by_name: bool) -> Representation:
    name, span = class_name(entry, scope, "a type"), scope.span(entry, "name")
    if scope.names.has_type(name) or name in scope.findings.named_types:
        scope.error("WG022", f"two types are named {name!r}", span, "rename one")
    _check_keys(entry, name, scope)
    length = _expression(entry, "length", scope)
    itself = Recursive(name)
    scope.findings.named_types[name] = itself
    tagged = _cases(entry, scope) if "tag" in entry or "cases" in entry else None
    if not tagged and not ("type" in entry and "data" in entry):
        hint = 'say what it is: type: "[text]", data: …; or which kinds of values there are: tag: …, cases: {…}'
        scope.error("WG012", f"the spec does not say what {name!r} stands for", span, hint)
    of, cases = tagged or (_type(entry, scope, has_length=bool(length)), ())
    kinds = {each.alternative for each in cases}
    is_recursive = name in recursive_in(of)
    if is_recursive and (is_within(name, of) or not has_kinds(of)):
        hint = f'give it `cases` with lists or dicts of it: {{KIND_TEXT: text, KIND_LIST: ["[{name}]", list(value)]}}'
        scope.error("WG118", f"every {name} would have another one in it", span, hint)
    return Representation(
        name=name,
        type=itself if is_recursive or is_by_name else of,
        of=of,
        cpp_type=scope.code(entry, "cpp_type") or Code("int", span),
        data=_expression(entry, "data", scope),
        span=span,
        length=length,
        free=_expression(entry, "release", scope, is_call=True),
        tag=_expression(entry, "tag", scope),
        cases=cases,
        make=_make(entry, scope),
        kinds=len(kinds - {-1}),
        is_optional=-1 in kinds,
        is_by_name=is_by_name,
    )


def _check_keys(entry: Map, name: str, scope: Scope) -> None:
    """Nothing is said of it that is for callables, and its C++ type is there."""
    for key in CALLABLE_KEYS:
        if entry.get(key) is not None:
            where = scope.document.key_span(entry, key)
            scope.error("WG093", f"{key!r} is for callables, which {name!r} is not", where, f"drop {key!r}")
    if entry.get("status") is not None:
        where = scope.document.key_span(entry, "status")
        hint = "drop 'status'; or say what the step is: next: Next()"
        scope.error("WG151", f"'status' is for cursors, which {name!r} is not", where, hint)
    if entry.get("cpp_type") is None:
        message, hint = "missing key 'cpp_type'", "add cpp_type: name_array; of a callable the type is fn(…)"
        scope.error("WG012", message, scope.document.start(entry), hint)


def _cases(entry: Map, scope: Scope) -> tuple[Type, tuple[RepresentedCase, ...]]:
    """The type of a value that is of one of several kinds, and these."""
    for key in ("type", "data", "length"):
        if key in entry:
            where = scope.document.key_span(entry, key)
            scope.error("WG075", f"{key!r} stands beside `cases`, which say it", where, f"drop {key!r}, or the cases")
    for key in ("tag", "cases"):
        if not entry.get(key):
            hint = "tag: value.type(), cases: {KIND_INT: [i64, value.i]}"
            scope.error("WG012", f"{key!r} is missing", scope.document.start(entry), hint)
    found: list[Type] = []
    cases: list[RepresentedCase] = []
    is_optional = False
    listed: Map = entry.get("cases") or {}
    for tag in listed:
        span = scope.document.span(listed, tag)
        scope.check_code_key(listed, tag, "write a value of the tag on one line")
        found_parts = _parts(listed, tag, scope)
        if found_parts is None:
            hint = "for example [i64, value.i], or [bytes, value.data, value.size]"
            scope.error("WG011", "a case is a type, or a type and what gives it", span, hint)
            continue
        spelled, value, count, make = found_parts
        if spelled == "None":
            is_optional = True
            cases.append(RepresentedCase(tag, -1, "", span, make=make))
            continue
        type_ = parse_type(spelled, span, scope)
        if type_ is None:
            continue
        if not is_representable(type_):
            scope.error("WG104", f"no C++ value stands for {type_}", span, "numbers, text, bytes, enums and containers")
        if count and not is_run(type_):
            hint = "drop it: text, bytes, [T] and set[T] have one"
            scope.error("WG104", f"{type_} has no length", span, hint)
        if type_ not in found:
            found.append(type_)
        cases.append(RepresentedCase(tag, found.index(type_), value, span, count, make))
    return alternatives(found, is_optional=is_optional), tuple(cases)


def _parts(listed: Map, tag: str, scope: Scope) -> tuple[str, str, str, str] | None:
    """The type of a case, what gives a value, how many elements there are, and what makes one; None for no case."""
    written = listed[tag]
    if isinstance(written, dict):
        if written.get("type") is None or written.keys() - {"type", *_KEYS}:
            return None
        value, length, make = (scope.expression(written, key) if written.get(key) else "" for key in _KEYS)
        return scope.type_text(written, "type"), value or "value", length, make
    if isinstance(written, list):
        if len(written) not in (2, 3) or not all(isinstance(each, str) for each in written):
            return None
        value, *rest = (scope.expression(written, i) for i in range(1, len(written)))
        return scope.document.text(written, 0), value, rest[0] if rest else "", ""
    return scope.document.text(listed, tag), "value", "", ""


def _make(entry: Map, scope: Scope) -> str:
    """The expression that makes a C++ value, of which each case has its own where there are cases."""
    if entry.get("make") is None:
        return ""
    if entry.get("cases"):
        where = scope.document.key_span(entry, "make")
        hint = "say it of each case: KIND_INT: {type: i64, data: value.i, make: of_int(value)}"
        scope.error("WG075", "'make' stands beside `cases`, which are made each in its own way", where, hint)
    return scope.expression(entry, "make")


def _type(entry: Map, scope: Scope, *, has_length: bool) -> Type:
    span = scope.span(entry, "type")
    if "type" not in entry:
        return Text()
    found = parse_type(scope.type_text(entry, "type"), span, scope)
    if found is None:
        return Text()
    if not is_representable(found):
        hint = "it is made of numbers, text, bytes, enums, structs, and containers of them"
        scope.error("WG104", f"no C++ value stands for {found}", span, hint)
    elif has_length and not is_run(found):
        hint = "drop `length`: text, bytes, [T] and set[T] have one"
        scope.error("WG104", f"{found} has no length", scope.document.key_span(entry, "length"), hint)
    return found


def _expression(entry: Map, key: str, scope: Scope, *, is_call: bool = False) -> str:
    """An expression over `value`; a bare name is a member, or what is called with it."""
    if entry.get(key) is None:
        return ""
    if isinstance(entry[key], dict | list):
        found = "a list" if isinstance(entry[key], list) else "a mapping"
        scope.error("WG011", f"expected a string, found {found}", scope.span(entry, key), f"for example {key}: count")
        return ""
    text = scope.expression(entry, key)
    path = text.split(".")
    if path[0] == "value" or not all(map(names.is_identifier, path)):
        return text
    return f"{text}(value)" if is_call else f"value.{text}"
