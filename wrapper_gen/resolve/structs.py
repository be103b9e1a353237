"""Structs: records by value, each made of fields of types that stand before it."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import partial
from typing import Any

from wrapper_gen import names
from wrapper_gen.diagnostics import Nearest, Span, a, did_you_mean
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import replace
from wrapper_gen.model import NO_DEFAULT, Code, FieldFunctions, NoDefault, StructField, StructType
from wrapper_gen.model.inheritance import bases
from wrapper_gen.resolve import accessor_names
from wrapper_gen.resolve.callable_fields import can_be_field, check_callables, in_places, with_callback
from wrapper_gen.resolve.deprecations import read_deprecated
from wrapper_gen.resolve.entities import class_name
from wrapper_gen.resolve.represented import check_field
from wrapper_gen.resolve.said_of_callables import place_of
from wrapper_gen.resolve.scope import Map, Scope, SpecReader
from wrapper_gen.resolve.signatures import BadSignature, parse_typed
from wrapper_gen.resolve.submodules import read_submodule
from wrapper_gen.resolve.types import parse_type
from wrapper_gen.resolve.values import parse_literal, parse_value
from wrapper_gen.types.memory import is_memory_result
from wrapper_gen.types.model import Handle, Text, Type
from wrapper_gen.types.queries import (
    borrows_memory,
    can_have_length,
    handle_of,
    handles_in,
    has_callables,
    is_bool,
    is_optional_handle,
    is_void,
    struct_of,
)
from wrapper_gen.values import Value

_MEMBER = re.compile(r"[A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*)*\Z")
_WORD = re.compile(r"\w+")
_CALLABLE = re.compile(r"\bfn\s*\(")
_CALLED = re.compile(r"([A-Za-z_]\w*)\(\s*\)\Z")
"""A member function."""
_IN_BRACKETS = re.compile(r"\(\s*([A-Za-z_][\w.>-]*)\s*\)\Z")
_KEYS = ("type", "cpp", "set", "length", "default", "doc")


def declared_fields(spec: SpecReader, handles: Set[str]) -> tuple[frozenset[str], dict[str, tuple[Handle, ...]]]:
    """Which structs have callables in fields, and which of them handles, before any type is read."""
    calling: set[str] = set()
    holding: dict[str, tuple[Handle, ...]] = {}
    for entry in spec.entries("structs"):
        fields: Map = entry.get("fields") or {}
        texts = [_text_of_type(fields, key, spec) for key in fields]
        values = [text for text in texts if not _CALLABLE.search(text)]  # a callable is only called with handles
        if len(values) < len(texts):
            calling.add(spec.text(entry, "name"))
        words = {word for text in values for word in _WORD.findall(text)}
        inner = (each.name for word in words for each in holding.get(word, ()))
        found = {word for word in words if word in handles}.union(inner)
        if found:
            holding[spec.text(entry, "name")] = tuple(map(Handle, sorted(found)))
    return frozenset(calling), holding


def _text_of_type(fields: Map, key: str, spec: SpecReader) -> str:
    about: Any = fields[key]
    is_detailed = isinstance(about, dict) and "type" in about
    text = spec.type_text(about, "type") if is_detailed else spec.type_text(fields, key)
    return text.partition("=")[0]


def resolve_structs(scope: Scope) -> tuple[StructType, ...]:
    """All entries of `structs`; a field may be of a struct that stands before."""
    found, before = [], frozenset[str]()
    for entry in scope.entries("structs"):
        names_before = replace(scope.names, structs=before)
        struct = replace(scope, names=names_before).of_row(entry, partial(_struct, entry))
        found.append(struct)
        before |= {struct.name}
        scope.findings.records[struct.name] = struct
    extended = {struct.extends for struct in found}
    return tuple(replace(each, is_extended=True) if each.name in extended else each for each in found)


def _struct(entry: Map, scope: Scope) -> StructType:
    name = class_name(entry, scope, "a struct")
    span = scope.span(entry, "name")
    code = scope.code(entry, "cpp_type")
    if code is None:
        scope.error("WG012", f"the struct {name!r} has no cpp_type", span, "say which C++ type it is")
    own = in_places([_field(entry, key, scope) for key in entry.get("fields") or ()])
    base = read_base(entry, scope, name, own)
    fields = (*(base.fields if base else ()), *own)
    check_callables(entry, own, scope)
    if not fields:
        scope.error("WG012", f"the struct {name!r} has no fields", scope.span(entry, "fields"), "list them: {x: f64}")
    first = next((i for i, f in enumerate(fields) if f.default is not NO_DEFAULT), len(fields))
    for each in fields[first:]:
        if each.default is NO_DEFAULT:
            hint = "give it a default too, or move it before those that have one"
            scope.error("WG036", f"the field {each.name!r} has no default, but one before it has", each.span, hint)
    _check_lengths(fields, scope)
    _check_handles(fields, entry, scope)
    code_of_make = scope.code(entry, "make")
    start, make = (None, code_of_make) if _is_made_of_fields(entry, scope) else (code_of_make, None)
    module = read_submodule(entry, scope)
    doc, deprecated = scope.text(entry, "doc"), read_deprecated(entry, scope)
    struct = StructType(name, code or Code("int", span), fields, span, doc, start, make, module, deprecated)
    return replace(struct, extends=base.name, inherited=len(base.fields)) if base else struct


def _field(struct: Map, key: str, scope: Scope) -> StructField:
    fields: Map = struct["fields"]
    span = scope.document.key_span(fields, key)
    scope.check_identifier(key, span, "a field")
    if names.python(key) != key:
        hint = "name the field otherwise, and the member with `cpp`"
        scope.error("WG021", f"{key!r} is a word of Python", span, hint)
    detailed = fields[key] if isinstance(fields[key], dict) and "type" in fields[key] else None
    if detailed is None:
        type_, default = _typed(fields, key, key, scope)
        return _with_callback(StructField(key, type_, key, span, default), struct, scope)
    for other in detailed:
        if other not in _KEYS:
            where = scope.document.key_span(detailed, other)
            scope.error("WG010", f"unknown key {other!r} of a field", where, did_you_mean(other, _KEYS))
    type_, default = _typed(detailed, "type", key, scope)
    if "default" in detailed:
        if default is not NO_DEFAULT:
            where = scope.document.key_span(detailed, "default")
            scope.error("WG075", f"the field {key!r} has two defaults", where, "drop one of them")
        default = parse_value(detailed, "default", type_, f"the default of {key!r}", scope)
    length = _member(detailed, "length", scope)
    if length and not can_have_length(type_):
        hint = "drop `length`: text, bytes and lists have one"
        scope.error("WG120", f"a field that is {type_} has no length", scope.span(detailed, "length"), hint)
    functions = field_functions(detailed, key, type_, scope)
    member = key if functions else _member(detailed, "cpp", scope) or key
    doc = _text(detailed, "doc", scope)
    return _with_callback(StructField(key, type_, member, span, default, doc, length, functions), struct, scope)


def _with_callback(field: StructField, struct: Map, scope: Scope) -> StructField:
    field = with_callback(field, struct, scope, is_made=_is_made_of_fields(struct, scope))
    place = place_of(struct, "user_data", field.name) if field.callback else None
    return replace(field, user_data=_member(*place, scope)) if place else field


def _member(field: Map, key: str, scope: Scope) -> str:
    """The member that a key names; empty without the key."""
    member = _text(field, key, scope)
    if member and not _MEMBER.match(member):
        hint = "write the name of a member, or info.name for one within a member"
        scope.error("WG020", f"{member!r} is no member of a struct", scope.span(field, key), hint)
    return member


def _is_made_of_fields(struct: Map, scope: Scope) -> bool:
    """Whether `make` is C++ over the names of the fields; else it is what options start as."""
    base = scope.findings.records.get(str(struct.get("extends")))
    fields = (*(struct.get("fields") or ()), *(f.name for f in (base.fields if base else ())))
    return struct.get("make") is not None and mentions(scope.expression(struct, "make"), *fields)


def _check_handles(fields: tuple[StructField, ...], entry: Map, scope: Scope) -> None:
    """A handle is in a member: no function makes a struct of handles, or gives one."""
    is_made = _is_made_of_fields(entry, scope)
    found = next((f for f in fields if handles_in(f.type) and (f.functions or is_made)), None)
    if found:
        hint = "name the member that has it, `cpp: NAME`, and drop `make` and `set`"
        scope.error("WG073", f"functions cannot give or take {found.name!r}, which is {found.type}", found.span, hint)
    called = next((f for f in fields if has_callables(f.type)), None)
    if called and any(handles_in(f.type) for f in fields):
        hint = "take one of them as a parameter of its own"
        scope.error("WG073", f"a struct with handles cannot have {called.name!r}, a callable, too", called.span, hint)


def _check_lengths(fields: tuple[StructField, ...], scope: Scope) -> None:
    """A member that is the length of one field is nothing else: making a record sets it."""
    for i, each in enumerate(fields):
        if each.length and any(each.length in (f.member, f.length) for f in (*fields[:i], *fields[i + 1 :])):
            hint = "keep one of them: the length of what a field has is known in Python"
            scope.error(
                "WG121", f"{each.length!r} is the length of {each.name!r}, and another field too", each.span, hint
            )


def _text(field: Map, key: str, scope: Scope) -> str:
    """An optional text; the schema leaves the keys of a field to us, since a field may be a map, `{K: V}`."""
    if isinstance(field.get(key), list | dict):
        scope.error("WG011", f"{key!r} of a field is text", scope.span(field, key), "write it as text, in quotes")
        return ""
    return scope.text(field, key)


def _typed(container: Map, key: str, field: str, scope: Scope) -> tuple[Type, Value | NoDefault]:
    """The type of a field, and the default behind it: `f64 = 1.5`."""
    text, span = scope.type_text(container, key), scope.document.span(container, key)
    if "=" not in text or not isinstance(container[key], str):
        return _type(text, span, scope) or Text(), NO_DEFAULT

    def place(start: int, end: int) -> Span:
        return scope.document.part(container, key, start, end)

    try:
        found = parse_typed(text)
    except BadSignature as bad:
        scope.error("WG074", bad.message, place(bad.start, bad.end), bad.hint)
        return Text(), NO_DEFAULT
    type_ = _type(found.type.text, place(found.type.start, found.type.end), scope)
    if found.default is None or type_ is None:
        return type_ or Text(), NO_DEFAULT
    return type_, parse_literal(found.literals, found.default, type_, f"the default of {field!r}", place, scope)


def _type(text: str, span: Span, scope: Scope) -> Type | None:
    type_ = parse_type(text, span, scope)
    if type_ is None:
        return None
    check_field(type_, text, span, scope)
    is_handle = handle_of(type_) or is_optional_handle(type_) or struct_of(type_)
    has_handles = bool(handles_in(type_)) and not is_handle
    if is_void(type_) or borrows_memory(type_) or is_memory_result(type_) or has_handles:
        hint = "a field is a number, text, an enum, a record, a container of them, a handle, or one that may be missing"
        scope.error("WG073", f"a field cannot be {type_}", span, hint)
    elif not can_be_field(type_):
        hint = "a field is one callable, fn(i64) or (fn(i64))?; pass several as a parameter: [fn(i64)]"
        scope.error("WG073", f"a field cannot be {type_}, which has callables in it", span, hint)
    return type_


# --- functions of fields ----------------------------------------------------------------------------------------------


def field_functions(about: Map, field: str, type_: Type, scope: Scope) -> FieldFunctions | None:
    """What reads and writes a field: None for one that is a member, or part of one."""
    getters, get = _getter(about, field, type_, scope)
    if about.get("length") is not None or (about.get("cpp") is not None and not getters and get is None):
        if "set" in about:
            hint = "`cpp` and `length` are members; keep them, or the functions"
            where = scope.document.span(about, "set")
            scope.error("WG075", f"the field {field!r} is a member, and a function too", where, hint)
        return None
    if about.get("cpp") is None and "set" not in about:
        return None
    case = scope.names.naming.case
    setters, put, mutables, changed = _setter(about, field, scope)
    if not any((setters, put, mutables, changed)):
        setters = accessor_names.field_setters(field, case)
        mutables = accessor_names.field_references(field, case)
    return FieldFunctions(getters, get, setters, put, mutables, changed)


def _getter(about: Map, field: str, type_: Type, scope: Scope) -> tuple[tuple[str, ...], Code | None]:
    """The names of member functions that read a field, `x()`; or an expression over the struct. Neither of a member."""
    usual = accessor_names.field_getters(field, scope.names.naming.case, is_bool=is_bool(type_))
    text = _text(about, "cpp", scope).strip()
    if not text:
        return usual, None
    if called := _CALLED.match(text):
        return (usual if called[1] == field else (called[1],)), None
    if _MEMBER.match(text):
        return (), None
    _check_mentions(about, "cpp", "value", field, scope)
    code = scope.code(about, "cpp")
    if code and (inner := _IN_BRACKETS.match(text)):  # what is in brackets would be a reference, which no bit-field has
        code = replace(code, text=inner[1])
    return (), code


def _setter(about: Map, field: str, scope: Scope) -> tuple[tuple[str, ...], Code | None, tuple[str, ...], Code | None]:
    """What sets a field: the name of a member function, or statements over `value` and the field's name. Or what gives
    a reference or a pointer to it: a member function, `x()`, or an expression over `value` alone."""
    if "set" not in about:
        return (), None, (), None
    code = None if isinstance(about["set"], list | dict) else scope.code(about, "set")
    if code is None:
        hint = "write the name of a member function, or an expression over `value`; or leave it out for the usual names"
        scope.error("WG181", f"`set` of the field {field!r} says nothing", scope.document.span(about, "set"), hint)
        return (), None, (), None
    text = code.text.strip()
    if names.is_identifier(text):
        return (text,), None, (), None
    if called := _CALLED.match(text):
        return (), None, (called[1],), None
    _check_mentions(about, "set", "value", field, scope)
    return ((), code, (), None) if mentions(text, field) else ((), None, (), code)


def _check_mentions(about: Map, key: str, wanted: str, field: str, scope: Scope) -> None:
    """An expression speaks of the struct."""
    if not mentions(scope.expression(about, key), wanted):
        message = f"`{key}` of the field {field!r} does not mention `{wanted}`"
        hint = f"`{wanted}` is the struct" + (f", and `{field}` what it is given" if key == "set" else "")
        scope.error("WG181", message, scope.document.span(about, key), hint)


# --- bases of structs -------------------------------------------------------------------------------------------------


def read_base(entry: Map, scope: Scope, name: str, own: Sequence[StructField]) -> StructType | None:
    """The struct that an entry extends, which stands before it; None where it extends none."""
    wanted, span = entry.get("extends"), scope.span(entry, "extends")
    if not wanted:
        return None
    base = scope.findings.records.get(str(wanted))
    if base is None or base.name == name:
        message, hint = _unknown(str(wanted), scope, name)
        scope.error("WG140", message, span, hint)
        return None
    _check_base(entry, scope, name, base, own)
    known = {f.name for f in base.fields}
    for each in own:
        if each.name in known:
            hint = f"drop it: {a(name)} has what {a(base.name)} has; or name it otherwise, with `cpp` for the member"
            scope.error("WG022", f"{base.name}, which {name} extends, has the field {each.name!r}", each.span, hint)
    return base


def _unknown(wanted: str, scope: Scope, name: str) -> tuple[str, str | Nearest]:
    """Why a struct cannot extend this, and what to do."""
    extends = {n: str(e["extends"]) for n, e in scope.named("structs", "name") if e.get("extends")}
    above = bases(name, extends)
    if name in above:
        circle = ", which extends ".join(above[: above.index(name) + 1])
        return f"{name} extends {circle}", "drop `extends` from the one that has no base in C++"
    if any(wanted == n for n, _ in scope.named("structs", "name")):
        return f"{name} extends {wanted}, which stands after it", f"move {wanted} before {name}"
    if wanted in scope.names.handles:
        return f"{name} extends {wanted}, which is a handle type", f"declare {name} under `handle_types`, too"
    known = did_you_mean(wanted, scope.findings.records) or "declare it under `structs`, before this one"
    return f"no struct {wanted!r} that {a(name)} could extend", known


def _check_base(entry: Map, scope: Scope, name: str, base: StructType, own: Sequence[StructField]) -> None:
    """Whether what makes the one can make the other, and whether a part of it is a value."""
    span = scope.span(entry, "extends")
    if base.make and not _is_made_of_fields(entry, scope):
        hint = f"say `make` for {a(name)} too: it has the fields of both by their names"
        scope.error("WG141", f"{base.name} has `make`, and {name} has none", span, hint)
    for owner, fields in ((base.name, base.fields), (name, own)):
        found = next((f for f in fields if handles_in(f.type) or has_callables(f.type)), None)
        if found:
            hint = f"drop `extends`, and list the fields of {a(base.name)} here"
            what = "a handle" if handles_in(found.type) else "a callable"
            message = f"{name} cannot extend {base.name}: the field {found.name!r} of {owner} is {what}"
            scope.error("WG141", message, span, hint)
            return
