"""Callables among the parameters: what the spec says of each, and what it has to say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from wrapper_gen import names
from wrapper_gen.model import Callback, Code, Lasting, Parameter, UserData
from wrapper_gen.resolve.lambdas import is_lambda
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.model import Fn, Optional
from wrapper_gen.types.queries import callable_of, has_callables

_KEYS = ("scope", "user_data", "called_on", "on_exception")


def with_callbacks(entry: Map, scope: Scope, signature: Signature) -> Signature:
    """The signature, with each callable under the name that its C++ type has."""
    if has_callables(signature.returns):
        hint = "return a handle of a type that holds it"
        scope.error("WG093", "a callable cannot be a result", signature.returns_span, hint)
    about = dict(_about(entry, scope))
    base = signature.name if signature.handle else names.base(scope.lib, signature.name)
    label = f"{signature.handle.lower()}_{base}" if signature.handle else base
    return replace(
        signature, parameters=tuple(_parameter(p, label, about, entry, scope, signature) for p in signature.parameters)
    )


def _about(entry: Map, scope: Scope) -> Iterator[tuple[str, Map]]:
    """What is said of each parameter beside its type."""
    given = entry.get("params")
    if isinstance(given, dict):
        yield from ((name, each) for name, each in given.items() if isinstance(each, dict))
    elif isinstance(given, list):
        yield from ((scope.text(each, "name"), each) for each in given if isinstance(each, dict))


def _parameter(
    p: Parameter, label: str, about: dict[str, Map], entry: Map, scope: Scope, signature: Signature
) -> Parameter:
    fn, said = callable_of(p.type), about.get(p.name, {})
    if fn is None:
        for key in _KEYS:
            if said.get(key) is not None:
                where = scope.document.key_span(said, key)
                scope.error("WG093", f"{key!r} is for callables, which {p.name!r} is not", where, f"drop {key!r}")
        return p
    own = Fn(fn.parameters, fn.returns, f"{label}_{p.name}")
    callback = Callback(
        parameter=names.python(p.name),
        type=own,
        span=p.span,
        scope=Lasting(scope.text(said, "scope", Lasting.UNSAID)),
        user_data=UserData(scope.text(said, "user_data", UserData.DEDUCED)),
        on_exception=_on_exception(said, scope),
        any_thread=said.get("called_on") == "any",
    )
    _check(callback, p, said, entry, scope, signature)
    return replace(p, type=own if p.type == fn else Optional(own), callback=callback)


def _on_exception(said: Map, scope: Scope) -> Code | None:
    if said.get("on_exception") is None:
        return None
    text = scope.expression(said, "on_exception")
    return Code(text, scope.span(said, "on_exception"))


def _check(callback: Callback, p: Parameter, said: Map, entry: Map, scope: Scope, signature: Signature) -> None:
    lasting = callback.scope
    if lasting is Lasting.UNSAID and _calls_c(entry, scope):
        hint = f"say how long C keeps it: params: {{{p.name}: {{scope: call}}}}; or once, destroy, object"
        scope.error("WG094", f"C is given {p.name!r}, and nothing says for how long", p.span, hint)
    if lasting is Lasting.HELD and _calls_c(entry, scope):
        where = scope.span(said, "scope")
        hint = "say scope: call, once, destroy or object"
        scope.error("WG094", f"C keeps no copy of {p.name!r} that it could let go of", where, hint)
    if lasting is Lasting.OBJECT and signature.handle is None:
        where = scope.span(said, "scope")
        hint = "say scope: call, held, once or destroy; or make it a method of the handle"
        scope.error("WG094", f"a function has no object that {p.name!r} could last as long as", where, hint)
    if callback.any_thread and lasting is Lasting.CALL and not entry.get("blocking"):
        where = scope.document.key_span(said, "called_on")
        hint = "say blocking: true, which lets other threads run meanwhile"
        scope.error("WG094", f"other threads cannot call {p.name!r} while this call has the GIL", where, hint)


def _calls_c(entry: Map, scope: Scope) -> bool:
    """Whether a C function is called by its name."""
    code = scope.document.data.get("wrapper_lib")
    is_c = isinstance(code, dict) and code.get("lang") == "c"
    written = entry.get("cpp_fn") or entry.get("cpp_method") or ""
    return is_c and "cpp_body" not in entry and not is_lambda(str(written))
