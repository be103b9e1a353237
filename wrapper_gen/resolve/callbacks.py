"""Callables among the parameters: what the spec says of each, and what it has to say."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import replace
from wrapper_gen.model import Argument, Callback, Lasting, NamedCallback, Parameter, Place, UserData
from wrapper_gen.resolve.blocking import is_blocking
from wrapper_gen.resolve.callable_fields import callbacks_of, check_exceptions, check_fields_of
from wrapper_gen.resolve.cpp import calls_by_name, written_calls
from wrapper_gen.resolve.fixes import HOW_LONG, place_of_key, with_value
from wrapper_gen.resolve.lifetime_words import SELF
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.said_of_callables import check_said, code_of, span_of, word_of
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.signatures import OVERRIDDEN
from wrapper_gen.resolve.written_arguments import ended_names, sharing_names
from wrapper_gen.types.callables import callables_in, with_callables
from wrapper_gen.types.model import Fn
from wrapper_gen.types.queries import callable_of, has_callables, is_optional

_WORDS = tuple(each.value for each in Lasting if each is not Lasting.UNSAID)
"""How long C keeps one."""
_THREADS = ("caller", "any")
"""Which threads call one."""


def with_callbacks(entry: Map, scope: Scope, signature: Signature) -> Signature:
    """The signature, with each callable under the name that its C++ type has."""
    if has_callables(signature.returns):
        hint = "return a handle of a type that holds it"
        scope.error("WG093", "a callable cannot be a result", signature.returns_span, hint)
    if signature.kind not in OVERRIDDEN:  # else the entry says how C++ calls it
        _check_said(entry, scope, signature)
    base = signature.base(scope.names.lib)
    label = f"{signature.handle.lower()}_{base}" if signature.handle else base
    return replace(
        signature, parameters=tuple(_parameter(p, label, entry, scope, signature) for p in signature.parameters)
    )


def _check_said(entry: Map, scope: Scope, signature: Signature) -> None:
    known = [p.name for p in signature.parameters if callables_in(p.type)]
    what = "this call" if not any(callbacks_of(p.type, scope) for p in signature.parameters) else "this call itself"
    for key in ("scope", "on_exception"):
        check_said(entry, key, known, (), what, scope)
    if isinstance(entry.get("thread"), dict):  # a word is said of the object
        check_said(entry, "thread", known, (SELF,) if signature.handle else (), what, scope)


def _parameter(p: Parameter, label: str, entry: Map, scope: Scope, signature: Signature) -> Parameter:
    found, of_fields = callables_in(p.type), callbacks_of(p.type, scope)
    if not found and not of_fields:
        return p
    made = []
    for i, fn in enumerate(found):
        own = replace(fn, label=f"{label}_{p.name}" + f"_{i + 1}" * bool(i))
        made.append((fn, _callback(own, scope.findings.callbacks.get(fn.label), p, entry, scope)))
    for _, callback in made:
        _check(callback, p, entry, scope, signature)
    check_fields_of(p, of_fields, signature.handle, entry, scope)
    if not made:
        return replace(p, within=of_fields)
    by_type = {fn: callback.type for fn, callback in made}
    type_ = with_callables(p.type, by_type.__getitem__)
    if callable_of(p.type) is None:
        return replace(p, type=type_, within=(*(callback for _, callback in made), *of_fields))
    (fn, callback), *_ = made
    named = scope.findings.callbacks.get(fn.label)
    callback = replace(callback, data_place=_data_place(entry, p.name, scope, signature))
    return replace(p, type=type_, callback=callback, doc=p.doc or (named.doc if named else ""))


def _callback(own: Fn, named: NamedCallback | None, p: Parameter, entry: Map, scope: Scope) -> Callback:
    """What the spec says of one callable; `named` is the entry of `types` that it is of."""
    called_by = word_of(entry, "thread", p.name, _THREADS, scope) if isinstance(entry.get("thread"), dict) else ""
    lasting = word_of(entry, "scope", p.name, _WORDS, scope)
    if not lasting and any(p.name in ended_names(call) for call in written_calls(entry, scope)):
        lasting = Lasting.DESTROY.value
    return Callback(
        parameter=names.python(p.name),
        type=own,
        span=p.span,
        scope=Lasting(lasting) if lasting else named.scope if named else Lasting.UNSAID,
        is_optional=is_optional(p.type),
        user_data=named.user_data if named else UserData.DEDUCED,
        on_exception=code_of(entry, "on_exception", p.name, scope) or (named.on_exception if named else None),
        any_thread=called_by == "any" or (not called_by and named is not None and named.any_thread),
        listed=named.listed if named else None,
        place=None if scope.is_in_row or "scope" in entry else place_of_key(entry, scope),
    )


def _data_place(entry: Map, name: str, scope: Scope, signature: Signature) -> int:
    """Which it is of the callables that share their user data."""
    for of in (sharing_names(call, signature) for call in written_calls(entry, scope)):
        if name in of:
            return [p.name for p in signature.parameters if p.name in of].index(name)
    return 0


def _no_object(name: str, where: Span, *, is_constructor: bool) -> tuple[str, Span, str]:
    """The error of a callable that is to last as long as an object, where the call has none yet."""
    ways = "say scope: call, held, once or destroy"
    if is_constructor:
        message = f"a constructor has no object yet that {name!r} could last as long as"
        return message, where, f"{ways}; or set it by a method; or have C++ call a class that Python overrides"
    message = f"a function has no object that {name!r} could last as long as"
    return message, where, f"{ways}; or make it a method of the handle"


def _check(callback: Callback, p: Parameter, entry: Map, scope: Scope, signature: Signature) -> None:
    lasting = callback.scope
    if callable_of(p.type) is None:
        _check_within(callback, p, entry, scope)
    if lasting is Lasting.UNSAID and _calls_c(entry, scope):
        hint = "say how long C keeps it: scope: call; or once, destroy, object"
        ways = ("call", "once", *(["object"] if signature.handle else []))
        fixes = [callback.place.fix(HOW_LONG[way], f"scope: {way}") for way in ways] if callback.place else []
        scope.error("WG094", f"the spec does not say how long C keeps {p.name!r}", p.span, hint, fixes=tuple(fixes))
    if lasting is Lasting.OBJECT and signature.handle is None:
        where = scope.span(entry, "scope") if "scope" in entry else p.span
        scope.error("WG094", *_no_object(p.name, where, is_constructor=signature.is_constructor))
    is_waiting = is_blocking(entry, scope, signature.handle)
    check_exceptions(callback, p.name, is_waiting=is_waiting, span=p.span, scope=scope)
    if callback.any_thread and lasting is Lasting.CALL and not is_waiting:
        said = span_of(entry, "thread", p.name, scope) if isinstance(entry.get("thread"), dict) else None
        hint = "say blocking: true, which lets other threads run meanwhile"
        fix = with_value(entry, "blocking", "true", "the call lets other threads run", scope)
        message = f"other threads cannot call {p.name!r} while this call has the GIL"
        scope.error("WG094", message, said or p.span, hint, fixes=(fix,))


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


def _check_within(callback: Callback, p: Parameter, entry: Map, scope: Scope) -> None:
    """A callable within a container goes alone: nothing of the call stands beside it."""
    if callback.scope is Lasting.DESTROY:
        where = scope.span(entry, "scope") if "scope" in entry else p.span
        hint = "say scope: call, held, once or object; or pass each callable by itself"
        scope.error("WG094", f"nothing tells C to release the callables of {p.name!r} one by one", where, hint)


def _calls_c(entry: Map, scope: Scope) -> bool:
    """Whether a C function is called by its name."""
    code = scope.document.data.get("wrapper_lib")
    is_c = isinstance(code, dict) and code.get("lang") == "c"
    if str(entry.get("cpp") or "").strip():
        return is_c and calls_by_name(entry, scope)
    return is_c and "cpp_body" not in entry
