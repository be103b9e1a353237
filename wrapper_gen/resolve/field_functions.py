"""Fields of structs that C++ reads and writes by functions: those that the spec names, or that are usual."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.expressions import mentions
from wrapper_gen.model import Code, FieldFunctions
from wrapper_gen.resolve import accessor_names
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import is_bool

KEYS = ("get", "set", "mut")


def field_functions(about: Map, field: str, type_: Type, scope: Scope, *, by_functions: bool) -> FieldFunctions | None:
    """What reads and writes a field; None for one that is a member, or part of one."""
    said = [key for key in KEYS if key in about]
    if about.get("cpp") is not None or about.get("length") is not None:
        for key in said:
            hint = "`cpp` and `length` are members; keep them, or the functions"
            scope.error(
                "WG075", f"the field {field!r} is a member, and a function too", scope.document.span(about, key), hint
            )
        return None
    if not said and not by_functions:
        return None
    case = scope.naming.case
    getters, get = _named(about, "get", field, scope)
    setters, put = _named(about, "set", field, scope)
    mutables, changed = _named(about, "mut", field, scope)
    if get is None and not getters:
        getters = accessor_names.field_getters(field, case, is_bool=is_bool(type_))
    if not any((setters, put, mutables, changed)):
        setters = accessor_names.field_setters(field, case)
        mutables = accessor_names.field_references(field, case)
    return FieldFunctions(getters, get, setters, put, mutables, changed)


def _named(about: Map, key: str, field: str, scope: Scope) -> tuple[tuple[str, ...], Code | None]:
    """The name of a member function; or an expression, which speaks of the struct."""
    if key not in about:
        return (), None
    code = None if isinstance(about[key], list | dict) else scope.code(about, key)
    if code is None:
        hint = "write the name of a member function, or an expression over `value`; or leave it out for the usual names"
        scope.error("WG181", f"`{key}` of the field {field!r} says nothing", scope.document.span(about, key), hint)
        return (), None
    text = code.text.strip()
    if names.is_identifier(text):
        return (text,), None
    wanted = ("value", field) if key == "set" else ("value",)
    if missing := [each for each in wanted if not mentions(text, each)]:
        hint = "`value` is the struct" + (f", and `{field}` what it is given" if key == "set" else "")
        message = f"`{key}` of the field {field!r} does not mention `{missing[0]}`"
        scope.error("WG181", message, scope.document.span(about, key), hint)
    return (), code
