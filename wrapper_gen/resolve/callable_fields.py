"""Callables in the fields of structs: how long C++ calls them, and which member has their user data."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen.frozen import replace
from wrapper_gen.model import Callback, Code, Lasting, Parameter, StructField
from wrapper_gen.resolve.blocking import is_blocking
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.callables import calling_structs_in, with_callables
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import callable_of, has_callables

KEYS = ("scope", "user_data", "called_on", "on_exception")
"""What is said of a callable beside its type; `scope` and `user_data` also for all of a struct."""
_SCOPES = ("call", "held", "once", "object")
_THREADS = ("caller", "any")


def with_callback(field: StructField, struct: Map, about: Map, scope: Scope) -> StructField:
    """The field, with what the spec says of it where it is a callable: `about`, and the struct."""
    fn = callable_of(field.type)
    if fn is None:
        for key in KEYS:
            if key in about:
                where = scope.document.key_span(about, key)
                scope.error("WG093", f"{key!r} is for callables, which {field.name!r} is not", where, f"drop {key!r}")
        return field
    owner = scope.text(struct, "name")
    if field.functions or struct.get("make"):
        hint = "let `cpp` name its member, and drop `make`; or pass the callable to a function by itself"
        scope.error("WG073", f"{field.name!r} is a callable, which functions cannot set", field.span, hint)
        return field
    own = replace(fn, label=f"{owner}_{field.name}")
    lasting = Lasting(_word("scope", struct, about, scope, _SCOPES) or Lasting.UNSAID)
    is_said = about.get("scope") is not None or struct.get("scope") is not None
    callback = Callback(
        parameter=f"{owner}.{field.name}",
        type=own,
        span=field.span,
        scope=lasting,
        on_exception=_on_exception(about, scope),
        any_thread=_word("called_on", {}, about, scope, _THREADS) == "any",
    )
    if _is_c(scope) and not is_said:
        hint = "say how long C keeps it: scope: call, once or object, on the field or on the struct"
        scope.error("WG094", f"the spec does not say how long C keeps {field.name!r}", field.span, hint)
    type_ = with_callables(field.type, lambda _: own)
    return replace(field, type=type_, callback=callback)


def _word(key: str, struct: Map, about: Map, scope: Scope, known: Sequence[str]) -> str:
    """What is said of a field, or of all of its struct."""
    container = about if about.get(key) is not None else struct
    word = container.get(key)
    if word is None:
        return ""
    if word not in known:
        where = scope.span(container, key)
        hint = f"say {', '.join(known[:-1])} or {known[-1]}"
        if word == "destroy":
            hint += "; or pass the callable to a function by itself, which can release it"
        scope.error("WG094", f"{key!r} of a field cannot be {word!r}", where, hint)
        return ""
    return scope.text(container, key)


def _on_exception(about: Map, scope: Scope) -> Code | None:
    if about.get("on_exception") is None:
        return None
    if isinstance(about["on_exception"], list | dict):
        where = scope.span(about, "on_exception")
        scope.error("WG011", "'on_exception' of a field is an expression", where, "write it as text, in quotes")
        return None
    return Code(scope.expression(about, "on_exception"), scope.span(about, "on_exception"))


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


def can_be_field(type_: Type) -> bool:
    """Whether a field of a type with callables is just one, or one that may be missing."""
    return callable_of(type_) is not None or not has_callables(type_)
