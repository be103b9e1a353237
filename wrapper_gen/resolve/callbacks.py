"""Callables among the parameters: what the spec says of each, and what it has to say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen import names
from wrapper_gen.diagnostics import Nearest, Span, did_you_mean
from wrapper_gen.frozen import replace
from wrapper_gen.model import Argument, Callback, Code, Lasting, NamedCallback, Parameter, Place, UserData
from wrapper_gen.resolve.blocking import is_blocking
from wrapper_gen.resolve.callable_fields import callbacks_of, check_fields_of
from wrapper_gen.resolve.cpp import calls_by_name, written_calls
from wrapper_gen.resolve.fixes import HOW_LONG, place_of_key, with_value
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.written_arguments import ended_names
from wrapper_gen.types.callables import callables_in, with_callables
from wrapper_gen.types.model import Fn
from wrapper_gen.types.queries import callable_of, has_callables, is_optional

_KEYS = ("user_data", "called_on", "on_exception")
"""What `params` says of a callable."""
_WORDS = tuple(each.value for each in Lasting if each is not Lasting.UNSAID)
"""How long C keeps one."""


def with_callbacks(entry: Map, scope: Scope, signature: Signature) -> Signature:
    """The signature, with each callable under the name that its C++ type has."""
    if has_callables(signature.returns):
        hint = "return a handle of a type that holds it"
        scope.error("WG093", "a callable cannot be a result", signature.returns_span, hint)
    about = dict(_about(entry, scope))
    _check_scope(entry, scope, signature)
    base = signature.base(scope.names.lib)
    label = f"{signature.handle.lower()}_{base}" if signature.handle else base
    return replace(
        signature, parameters=tuple(_parameter(p, label, about, entry, scope, signature) for p in signature.parameters)
    )


def _about(entry: Map, scope: Scope) -> Iterator[tuple[str, Map]]:
    """What is said of each parameter beside its type."""
    given = entry.get("params") or {}
    yield from ((name, each) for name, each in given.items() if isinstance(each, dict))


def _parameter(
    p: Parameter, label: str, about: dict[str, Map], entry: Map, scope: Scope, signature: Signature
) -> Parameter:
    said = about.get(p.name, {})
    found, of_fields = callables_in(p.type), callbacks_of(p.type, scope)
    if not found and not of_fields and said.keys().isdisjoint(_KEYS):
        return p
    lasting = _lasting(entry, p.name)
    made = []
    for i, fn in enumerate(found):
        own = replace(fn, label=f"{label}_{p.name}" + f"_{i + 1}" * bool(i))
        made.append((fn, _callback(own, scope.findings.callbacks.get(fn.label), p, said, entry, lasting, scope)))
    for _, callback in made:
        _check(callback, p, said, entry, scope, signature)
    check_fields_of(p, of_fields, signature.handle, entry, scope)
    if not made:
        for key in _KEYS:
            if said.get(key) is not None:
                where = scope.document.key_span(said, key)
                hint = "say it of the fields of the struct" if of_fields else f"drop {key!r}"
                scope.error("WG093", f"{key!r} is for callables, which {p.name!r} is not", where, hint)
        return replace(p, within=of_fields)
    by_type = {fn: callback.type for fn, callback in made}
    type_ = with_callables(p.type, by_type.__getitem__)
    if callable_of(p.type) is None:
        return replace(p, type=type_, within=(*(callback for _, callback in made), *of_fields))
    (fn, callback), *_ = made
    named = scope.findings.callbacks.get(fn.label)
    return replace(p, type=type_, callback=callback, doc=p.doc or (named.doc if named else ""))


def _lasting(entry: Map, parameter: str) -> str:
    """How long C keeps the callables of a parameter, where the entry says it."""
    said = entry.get("scope")
    found = said.get(parameter) if isinstance(said, dict) else said
    return found if found in _WORDS else ""


def _check_scope(entry: Map, scope: Scope, signature: Signature) -> None:
    """It is said of callables."""
    said = entry.get("scope")
    known = [p.name for p in signature.parameters if callables_in(p.type)]
    if isinstance(said, str):
        _check_word(entry, "scope", scope)
        if not known:
            hint = "drop `scope`; of the callables in a struct, the struct says it"
            scope.error("WG093", "`scope` of a call without callables", scope.document.key_span(entry, "scope"), hint)
    elif isinstance(said, dict):
        for name in said:
            _check_word(said, name, scope)
            if name not in known:
                way: str | Nearest = did_you_mean(name, known) if known else "drop it"
                where = scope.document.key_span(said, name)
                scope.error("WG093", f"`scope` is for callables, which {name!r} is not", where, way)


def _check_word(container: Map, key: str, scope: Scope) -> None:
    if container[key] not in _WORDS:
        shown = container[key] if isinstance(container[key], str) else "such a value"
        span = scope.document.span(container, key)
        scope.error("WG013", f"scope {shown!r} is not supported", span, did_you_mean(str(shown), _WORDS))


def _callback(
    own: Fn, named: NamedCallback | None, p: Parameter, said: Map, entry: Map, lasting: str, scope: Scope
) -> Callback:
    """What the spec says of one callable; `named` is the entry that it is of."""
    called_on = scope.text(said, "called_on")
    if not lasting and any(p.name in ended_names(call) for call in written_calls(entry, scope)):
        lasting = Lasting.DESTROY.value
    return Callback(
        parameter=names.python(p.name),
        type=own,
        span=p.span,
        scope=Lasting(lasting) if lasting else named.scope if named else Lasting.UNSAID,
        is_optional=is_optional(p.type),
        user_data=_user_data(said, named, scope),
        on_exception=_on_exception(said, scope) or (named.on_exception if named else None),
        any_thread=called_on == "any" or (not called_on and named is not None and named.any_thread),
        listed=named.listed if named else None,
        place=None if scope.is_in_row or "scope" in entry else place_of_key(entry, scope),
        data_place=_data_place(entry, p.name),
    )


def _data_place(entry: Map, name: str) -> int:
    """Which it is of the callables that share their user data."""
    listed = entry.get("cpp_params") or ()
    shared = [each["of"] for each in listed if isinstance(each, dict) and isinstance(each.get("of"), list)]
    return next((of.index(name) for of in shared if name in of), 0)


def _user_data(said: Map, named: NamedCallback | None, scope: Scope) -> UserData:
    if not said.get("user_data"):
        return named.user_data if named else UserData.DEDUCED
    if named and named.user_data in (UserData.LISTED, UserData.COMPUTED):
        where = scope.document.key_span(said, "user_data")
        message = f"{named.type.label} says itself where its user data is"
        scope.error("WG075", message, where, "drop `user_data`")
    return UserData(scope.text(said, "user_data"))


def _on_exception(said: Map, scope: Scope) -> Code | None:
    if said.get("on_exception") is None:
        return None
    text = scope.expression(said, "on_exception")
    return Code(text, scope.span(said, "on_exception"))


def _check(callback: Callback, p: Parameter, said: Map, entry: Map, scope: Scope, signature: Signature) -> None:
    lasting = callback.scope
    if callable_of(p.type) is None:
        _check_within(callback, p, said, entry, scope)
    if lasting is Lasting.UNSAID and _calls_c(entry, scope):
        hint = "say how long C keeps it: scope: call; or once, destroy, object"
        ways = ("call", "once", *(["object"] if signature.handle else []))
        fixes = [callback.place.fix(HOW_LONG[way], f"scope: {way}") for way in ways] if callback.place else []
        scope.error("WG094", f"the spec does not say how long C keeps {p.name!r}", p.span, hint, fixes=tuple(fixes))
    if lasting is Lasting.OBJECT and signature.handle is None:
        where = scope.span(entry, "scope") if "scope" in entry else p.span
        hint = "say scope: call, held, once or destroy; or make it a method of the handle"
        scope.error("WG094", f"a function has no object that {p.name!r} could last as long as", where, hint)
    if callback.any_thread and lasting is Lasting.CALL and not is_blocking(entry, scope, signature.handle):
        where = scope.document.key_span(said, "called_on") if "called_on" in said else p.span
        hint = "say blocking: true, which lets other threads run meanwhile"
        fix = with_value(entry, "blocking", "true", "the call lets other threads run", scope)
        message = f"other threads cannot call {p.name!r} while this call has the GIL"
        scope.error("WG094", message, where, hint, fixes=(fix,))


def check_destroyed(
    signature: Signature, arguments: Sequence[Argument], scope: Scope, span: Span | None = None
) -> None:
    """C gets what ends the use of each callable that lasts until then; `span` is C's order, where said."""
    ended = {each.name for each in arguments if each.place is Place.DESTROY}
    ended |= {name for each in arguments for name in each.sharing}  # refused elsewhere
    for p in signature.parameters:
        if p.callback and p.callback.scope is Lasting.DESTROY and p.name not in ended:
            hint = f"write {p.name}.destroy in the call, where C takes it; without one in C, say how long C keeps it: "
            hint += "scope: call, once or object"
            message = f"C gets nothing that ends the use of {p.name!r}, scope: destroy"
            scope.error("WG094", message, span or p.span, hint)


def _check_within(callback: Callback, p: Parameter, said: Map, entry: Map, scope: Scope) -> None:
    """A callable within a container goes alone: nothing of the call stands beside it."""
    if callback.scope is Lasting.DESTROY:
        where = scope.span(entry, "scope") if "scope" in entry else p.span
        hint = "say scope: call, held, once or object; or pass each callable by itself"
        scope.error("WG094", f"nothing tells C to release the callables of {p.name!r} one by one", where, hint)
    if said.get("user_data") is not None:
        hint = "drop it, where C++ has std::function; else pass each by itself, or an object whose methods it calls"
        where = scope.document.key_span(said, "user_data")
        scope.error("WG093", f"the callables of {p.name!r} have no user data beside them", where, hint)


def _calls_c(entry: Map, scope: Scope) -> bool:
    """Whether a C function is called by its name."""
    code = scope.document.data.get("wrapper_lib")
    is_c = isinstance(code, dict) and code.get("lang") == "c"
    if str(entry.get("cpp") or "").strip():
        return is_c and calls_by_name(entry, scope)
    return is_c and "cpp_body" not in entry
