"""Functions and methods: parameters, result, and what implements them."""

from __future__ import annotations

import re

from wrapper_gen import names
from wrapper_gen.diagnostics import Span, a, did_you_mean
from wrapper_gen.model import (
    NO_DEFAULT,
    Body,
    Code,
    Function,
    Implementation,
    Lambda,
    Mode,
    Named,
    NoDefault,
    NotImplementedYet,
    Parameter,
    Passing,
)
from wrapper_gen.resolve.calls import resolve_call
from wrapper_gen.resolve.lambdas import BadLambda, is_lambda, passing, read_lambda
from wrapper_gen.resolve.named_results import with_names
from wrapper_gen.resolve.reports import resolve_reported
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.types import parse_type
from wrapper_gen.resolve.values import parse_value
from wrapper_gen.types.model import Handle, Optional, Type, Void
from wrapper_gen.types.queries import (
    borrows_memory,
    handle_in_forms,
    handle_of,
    handles_in,
    has_names_within,
    is_bool,
    is_bytes,
    is_optional,
    is_void,
    named_tuple,
)
from wrapper_gen.values import Value

_PROBE = re.compile(r"(?:\w+_)?(?:is_)?available")
_MEMBER_OF = r"(?:::(?:template\s+)?~?[A-Za-z_]\w*)*"
_PATH = re.compile(r"(?:::)?[A-Za-z_]\w*" + _MEMBER_OF + r"\s*")
_REST = re.compile(_MEMBER_OF)


def resolve_function(entry: Map, scope: Scope) -> Function:
    """One entry of `functions`."""
    return _resolve(entry, scope, handle=None)


def resolve_method(entry: Map, scope: Scope) -> Function:
    """One entry of `methods`."""
    handle = scope.text(entry, "handle")
    if handle not in scope.handles:
        scope.error(
            "WG031",
            f"unknown handle {handle!r}",
            scope.span(entry, "handle"),
            did_you_mean(handle, scope.handles) or "declare it under `handle_types`",
        )
    return _resolve(entry, scope, handle)


def _resolve(entry: Map, scope: Scope, handle: str | None) -> Function:
    name = scope.identifier(entry, "name", "a method" if handle else "a function")
    span = scope.span(entry, "name")
    parameters = _parameters(entry, scope, handle)
    returns = with_names(entry, scope, handle, _returns(entry, scope))
    raises, reported = resolve_reported(entry, returns, scope)
    if handle is None and is_bool(returns) and not parameters and _PROBE.fullmatch(name) and "stub" not in entry:
        message = f"{name!r} raises where the library is missing, which is what it should tell"
        scope.warn("WG027", message, span, "add stub: false")
    is_property = bool(entry.get("property"))
    if is_property and parameters:
        scope.error(
            "WG047", f"the property {name!r} has parameters", parameters[0].span, "drop `property`, or the parameters"
        )
    py_name = scope.text(entry, "py_name")
    if py_name:
        scope.check_identifier(py_name, scope.span(entry, "py_name"), "a Python function")
        free = names.python_method(py_name) if handle else names.python_function(py_name)
        if free != py_name:
            scope.error("WG021", f"{py_name!r} is taken in Python", scope.span(entry, "py_name"), f"{free} is free")
    elif handle and name in names.HANDLE_MEMBERS:
        hint = "give it another name with `py_name`"
        scope.warn("WG024", f"every handle has a `{name}` of its own; this one is `{name}_` in Python", span, hint)
    return Function(
        name=name,
        base=name if handle else names.base(scope.lib, name),
        parameters=parameters,
        returns=returns,
        implementation=resolve_call(
            entry, scope, handle, parameters, returns, _implementation(entry, scope, handle, parameters, span)
        ),
        span=span,
        doc=scope.text(entry, "doc"),
        return_doc=scope.text(entry, "return_doc"),
        handle=handle,
        raises=raises,
        blocking=bool(entry.get("blocking")),
        stub=_stub(entry, scope, returns),
        keep_alive=_keep_alive(entry, scope, handle, parameters, returns),
        property=is_property,
        py_name=py_name,
        reported=reported,
    )


# --- parameters and result -------------------------------------------------------------------------------------------


def _parameters(entry: Map, scope: Scope, handle: str | None) -> tuple[Parameter, ...]:
    found: list[Parameter] = []
    taken: dict[str, Parameter] = {}
    first: Parameter | None = None
    """The first that has a default."""
    for item in scope.items(entry, "params"):
        p = _parameter(item, scope)
        clash = taken.setdefault(names.python(p.name), p)
        clash = clash if clash is not p else taken.setdefault(names.body(p.name), p)
        if clash is not p:
            same = f"two parameters are named {p.name!r}"
            message = same if p.name == clash.name else f"{p.name!r} and {clash.name!r} come to the same name"
            scope.error("WG022", message, p.span, "rename one", (clash.span, "the other one"))
        if handle and p.name == "h" and "cpp_body" in entry:
            scope.error("WG021", "in a method's cpp_body `h` is the handle", p.span, "give the parameter another name")
        if p.name in names.CPP_NUMBERS or p.name in scope.handles or p.name in scope.enums or p.name in scope.structs:
            scope.error("WG021", f"{p.name!r} is the name of a type", p.span, "give the parameter another name")
        if p.default is NO_DEFAULT and first:
            hint = "give it a default too, or move it before those that have one"
            message = f"{p.name!r} has no default, but {first.name!r} before it has one"
            scope.error("WG036", message, p.span, hint)
        first = first or (p if p.default is not NO_DEFAULT else None)
        found.append(p)
    return tuple(found)


def _parameter(item: Map, scope: Scope) -> Parameter:
    name = scope.identifier(item, "name", "a parameter")
    span = scope.span(item, "type")
    type_ = parse_type(scope.type_text(item, "type"), span, scope)
    usable = type_
    if type_ is not None and is_void(type_):
        scope.error("WG032", "a parameter cannot be void", span, "leave the parameter out")
        usable = None
    default: Value | NoDefault = NO_DEFAULT
    if "default" in item:
        default = parse_value(item, "default", usable, f"the default of {name!r}", scope) if usable else None
    mode = Mode(scope.text(item, "mode", Mode.BORROW))
    if mode is Mode.TAKE and usable is not None and handle_of(usable) is None:
        scope.error("WG049", f"{name!r} is no handle, so it cannot be taken", scope.span(item, "mode"), "drop `mode`")
    if usable is not None and (named_tuple(usable) or has_names_within(usable)):
        scope.error("WG084", "an argument is a plain tuple", span, "write the types alone: (i64, text)")
    stand_in = Optional(Handle("?"))
    return Parameter(name, usable or stand_in, scope.span(item, "name"), scope.text(item, "doc"), default, mode)


def _returns(entry: Map, scope: Scope) -> Type:
    text = scope.type_text(entry, "return")
    if not text.strip():
        return Void()
    span = scope.span(entry, "return")
    type_ = parse_type(text, span, scope)
    if type_ is not None and borrows_memory(type_):
        scope.error("WG032", "a result cannot be the caller's memory", span, "return a list: [T]")
        return Void()
    return type_ if type_ is not None else Void()


def _stub(entry: Map, scope: Scope, returns: Type) -> Value | NoDefault:
    if "stub" not in entry:
        return NO_DEFAULT
    unknown = is_void(returns) and scope.type_text(entry, "return").strip() not in ("", "void")
    if unknown or (is_void(returns) and entry["stub"] is None):
        return None
    return parse_value(entry, "stub", returns, "the stub value", scope)


def _keep_alive(
    entry: Map, scope: Scope, handle: str | None, parameters: tuple[Parameter, ...], returns: Type
) -> tuple[str, ...]:
    kept = scope.texts(entry, "keep_alive")
    if not kept:
        _warn_of_borrowing(entry, scope, handle, parameters, returns)
        return ()
    listed = entry["keep_alive"]
    span = scope.span(entry, "keep_alive")
    owners = {p.name for p in parameters if handles_in(p.type) and p.mode is Mode.BORROW}
    known = owners | ({"h"} if handle else set())
    for i, name in enumerate(kept):
        if name not in known:
            hint = did_you_mean(name, known) or "only handles can be kept alive"
            where = scope.document.span(listed, i) if isinstance(listed, list) else span
            scope.error("WG048", f"{name!r} is no handle of this call", where, hint)
    if not handles_in(returns):
        scope.error("WG048", "only a handle can keep another alive", span, "return a handle, or drop `keep_alive`")
    return kept


def _warn_of_borrowing(
    entry: Map, scope: Scope, handle: str | None, parameters: tuple[Parameter, ...], returns: Type
) -> None:
    """A pointer into one of the call's handles dangles once that is closed."""
    dangling = next(iter(sorted(handles_in(returns) & scope.borrowing)), None)
    owners = ["h"] * bool(handle) + [p.name for p in parameters if handles_in(p.type) and p.mode is Mode.BORROW]
    if dangling and owners:
        hint = f"say what it points into: keep_alive: {owners[0]}"
        if len(owners) > 1:
            hint += f" (or {', '.join(owners[1:])})"
        message = f"{a(dangling)} only points to what something else owns, and nothing keeps that alive"
        scope.warn("WG037", message, scope.span(entry, "return"), hint)


# --- implementation --------------------------------------------------------------------------------------------------


def _implementation(
    entry: Map, scope: Scope, handle: str | None, parameters: tuple[Parameter, ...], span: Span
) -> Implementation:
    key = "cpp_method" if handle and not scope.code(entry, "cpp_fn") else "cpp_fn"
    if key == "cpp_fn" and scope.code(entry, "cpp_method"):
        other = (scope.document.key_span(entry, key), f"`{key}` is here")
        scope.error(
            "WG040", f"both {key} and cpp_method", scope.document.key_span(entry, "cpp_method"), "keep one", other
        )
    code, body = scope.code(entry, key), scope.code(entry, "cpp_body")
    if code and body:
        other = (scope.document.key_span(entry, key), f"`{key}` is here")
        scope.error("WG040", f"both {key} and cpp_body", scope.document.key_span(entry, "cpp_body"), "keep one", other)
    if body:
        return Body(body)
    if not code:
        where = scope.document.key_span(entry, key) if key in entry else span
        scope.warn("WG041", f"{scope.text(entry, 'name')!r} is not implemented", where, f"give it {key} or cpp_body")
        return NotImplementedYet(where)
    if is_lambda(code.text):
        return _lambda(code, scope, handle, parameters)
    name = code.text.strip()
    if not _is_cpp_name(name):
        hint = "write a function's name, a lambda `[](…) { … }`, or statements in cpp_body"
        scope.error("WG043", f"{key} is neither a name nor a lambda", code.span, hint)
    return Named(code, is_member=key == "cpp_method")


def _is_cpp_name(text: str) -> bool:
    """Whether C++ could call this by name; what stands between the first `<` and the last `>` is C++'s own matter."""
    before, opening, rest = text.partition("<")
    if not opening:
        return _PATH.fullmatch(text) is not None
    _, closing, after = rest.rpartition(">")
    return bool(closing) and _PATH.fullmatch(before) is not None and _REST.fullmatch(after) is not None


def _lambda(code: Code, scope: Scope, handle: str | None, parameters: tuple[Parameter, ...]) -> Implementation:
    try:
        found = read_lambda(code.text)
    except BadLambda as bad:
        scope.error(
            "WG042", f"this lambda cannot be read: {bad}", code.span, "write it as [](parameters) { statements }"
        )
        return NotImplementedYet(code.span)
    count = len(parameters)
    pairs = sum(is_bytes(p.type) for p in parameters)
    in_pairs = pairs > 0 and not found.accepts(count) and not (handle is not None and found.accepts(count + 1))
    count += pairs if in_pairs else 0
    takes_handle = handle is not None and found.accepts(count + 1)
    if not takes_handle and not found.accepts(count):
        _report_count(len(found.parameters), code, scope, handle, parameters)
        return NotImplementedYet(code.span)
    types: list[Type] = ([Handle(handle or "")] if takes_handle else []) + [p.type for p in parameters]
    at, how = 0, []
    for type_ in types:
        how.append(_passing(type_, found.tokens(at)))
        at += 2 if in_pairs and is_bytes(type_) else 1
    return Lambda(code, tuple(how), takes_handle, in_pairs)


def _report_count(given: int, code: Code, scope: Scope, handle: str | None, parameters: tuple[Parameter, ...]) -> None:
    wanted = ", ".join(p.name for p in parameters)
    listed = f"({f'{handle} h' if handle else ''}{', ' if handle and wanted else ''}{wanted})"
    scope.error(
        "WG042",
        f"the lambda takes {given} parameter{'' if given == 1 else 's'}, the spec gives it {len(parameters)}"
        + (" and the handle" if handle else ""),
        code.span,
        f"one for each of {listed}",
    )


def _passing(type_: Type, tokens: tuple[str, ...]) -> Passing:
    handle = handle_in_forms(type_)
    return passing(tokens, handle, is_optional=is_optional(type_)) if handle else Passing.INNER
