"""Callables in the fields of structs: how long C++ calls them, and which member has their user data."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import replace
from wrapper_gen.model import Callback, Lasting, Parameter, StructField
from wrapper_gen.resolve.blocking import is_blocking
from wrapper_gen.resolve.said_of_callables import check_said, code_of, place_of, word_of
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.callables import calling_structs_in, with_callables
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import callable_of, has_callables, is_void

KEYS = ("scope", "user_data", "thread", "on_exception")
"""What a struct says of its callables."""
_SCOPES = ("call", "held", "once", "object")
_THREADS = ("caller", "any")


def check_callables(struct: Map, fields: Sequence[StructField], scope: Scope) -> None:
    """What the struct says of callables is said of some that it has."""
    own = [f.name for f in fields if has_callables(f.type)]
    for key in KEYS:
        check_said(struct, key, own, (), repr(scope.text(struct, "name")), scope)


def with_callback(field: StructField, struct: Map, scope: Scope, *, is_made: bool) -> StructField:
    """The field, with what its struct says of it where it is a callable; `is_made`: C++ makes it of its fields."""
    fn = callable_of(field.type)
    if fn is None:
        return field
    owner, name = scope.text(struct, "name"), field.name
    if field.functions or is_made:
        hint = "let `cpp` name its member, and drop `make`; or pass the callable to a function by itself"
        scope.error("WG073", f"{name!r} is a callable, which functions cannot set", field.span, hint)
        return field
    own = replace(fn, label=f"{owner}_{name}")
    callback = Callback(
        parameter=f"{owner}.{name}",
        type=own,
        span=field.span,
        scope=Lasting(_lasting(struct, name, scope) or Lasting.UNSAID),
        on_exception=code_of(struct, "on_exception", name, scope),
        any_thread=word_of(struct, "thread", name, _THREADS, scope) == "any",
    )
    if _is_c(scope) and place_of(struct, "scope", name) is None:
        hint = "say how long C keeps it: scope: call, once or object, on the struct"
        scope.error("WG094", f"the spec does not say how long C keeps {name!r}", field.span, hint)
    type_ = with_callables(field.type, lambda _: own)
    return replace(field, type=type_, callback=callback)


def _lasting(struct: Map, name: str, scope: Scope) -> str:
    place = place_of(struct, "scope", name)
    if place and place[0][place[1]] == "destroy":
        hint = "say call, held, once or object; or pass the callable to a function by itself, which can release it"
        scope.error("WG094", "'scope' of a field cannot be 'destroy'", scope.span(*place), hint)
        return ""
    return word_of(struct, "scope", name, _SCOPES, scope)


def _is_c(scope: Scope) -> bool:
    lib = scope.document.data.get("wrapper_lib")
    return isinstance(lib, dict) and lib.get("lang") == "c"


def in_places(fields: Sequence[StructField]) -> tuple[StructField, ...]:
    """The fields, with each callable's place among those whose user data is in the same member."""
    found: dict[str, int] = {}
    placed = []
    for field in fields:
        if field.callback and field.user_data:
            place = found.setdefault(field.user_data, 0)
            found[field.user_data] += 1
            field = replace(field, callback=replace(field.callback, data_place=place))
        placed.append(field)
    return tuple(placed)


def is_called(fields: Sequence[StructField]) -> bool:
    """Whether a struct has callables."""
    return any(field.callback for field in fields)


def callbacks_of(type_: Type, scope: Scope) -> tuple[Callback, ...]:
    """The callables in the fields of the structs in a type."""
    records = scope.findings.records
    return tuple(f.callback for name in calling_structs_in(type_) for f in records[name].fields if f.callback)


def check_fields_of(p: Parameter, callbacks: Sequence[Callback], handle: str | None, entry: Map, scope: Scope) -> None:
    """Whether a call can be given such a struct."""
    if handle is None and any(each.scope is Lasting.OBJECT for each in callbacks):
        hint = "make it a method of the handle; or give the fields another scope: call, held or once"
        scope.error("WG094", f"a function has no object that {p.name!r} could last as long as", p.span, hint)
    others = any(each.any_thread and each.scope is Lasting.CALL for each in callbacks)
    if others and not is_blocking(entry, scope, handle):
        hint = "say blocking: true, which lets other threads run meanwhile"
        scope.error("WG094", f"other threads cannot call {p.name!r} while this call has the GIL", p.span, hint)
    for each in callbacks:
        check_exceptions(each, each.parameter, is_waiting=is_blocking(entry, scope, handle), span=p.span, scope=scope)


def check_exceptions(callback: Callback, name: str, *, is_waiting: bool, span: Span, scope: Scope) -> None:
    """Of what threads call for which no call waits, C++ gets a result that the spec says, where Python raises."""
    lasting, listed = callback.scope, callback.listed
    is_raised = lasting is Lasting.CALL or (lasting is Lasting.UNSAID and is_waiting)
    if not callback.any_thread or is_raised or callback.on_exception or (listed and listed.raises):
        return
    if is_void(callback.type.returns) and not (listed and listed.result):
        return
    message = f"C++ gets 0 from {name!r} where it raises in a thread, and only sys.unraisablehook is told"
    hint = "say what C++ gets then, best what it takes for a failure: on_exception: -1; or let it want no result; "
    hint += "or, where this call waits for these threads: scope: call, blocking: true"
    scope.warn("WG115", message, span, hint)


def can_be_field(type_: Type) -> bool:
    """Whether a field of a type with callables is just one, or one that may be missing."""
    return callable_of(type_) is not None or not has_callables(type_)
