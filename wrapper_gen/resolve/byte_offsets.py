"""Offsets in bytes of texts, which Python counts in characters: which text those of a call belong to."""

from __future__ import annotations

from wrapper_gen.diagnostics import Span, did_you_mean
from wrapper_gen.frozen import replace
from wrapper_gen.model import Function, Parameter
from wrapper_gen.resolve.parameters import Signature, is_unusable
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.keys import are_offsets
from wrapper_gen.types.queries import if_given, is_integer, is_text

_KEY = "byte_offset"


def with_byte_offsets(entry: Map, scope: Scope, signature: Signature) -> Signature:
    """The signature with what `params` says of offsets among the parameters."""
    about = {name: said for name, said in _about(entry, scope).items() if _KEY in said}
    if not about:
        return signature
    found = tuple(_with_offset(p, about.get(p.name, {}), scope, signature) for p in signature.parameters)
    return replace(signature, parameters=found)


def read_byte_offset(entry: Map, scope: Scope, signature: Signature) -> str:
    """The text that the result has offsets into; empty where it has none."""
    name = scope.text(entry, _KEY)
    if not name:
        return ""
    if signature.is_whole and not are_offsets(signature.returns):
        hint = "return an integer, or a tuple or a list of them: i64, (i64, i64)?, [(i64, i64)]; or drop it"
        message = f"the result, {signature.returns}, has no integers that could be offsets into {name!r}"
        scope.error("WG157", message, scope.document.key_span(entry, _KEY), hint)
    return _text(name, scope.span(entry, _KEY), scope, signature)


def _with_offset(p: Parameter, about: Map, scope: Scope, signature: Signature) -> Parameter:
    name = scope.text(about, _KEY)
    if not name:
        return p
    where = scope.document.key_span(about, _KEY)
    if is_unusable(p):
        return p
    if not is_integer(if_given(p.type)):
        scope.error("WG157", f"{p.name!r} is no integer, so it is no offset into {name!r}", where, "drop it")
    elif isinstance(p.default, int) and p.default < 0:
        hint = f"write `{p.name}: {p.type}? = null`, and let the C++ code say what that means"
        scope.error("WG157", f"the default of {p.name!r} is no index: {p.default}", where, hint)
    return replace(p, byte_offset=_text(name, scope.span(about, _KEY), scope, signature))


def _text(name: str, span: Span, scope: Scope, signature: Signature) -> str:
    texts = [p.name for p in signature.parameters if is_text(p.type)]
    if name in texts:
        return name
    hint = did_you_mean(name, texts) or "name a parameter of this call whose type is text"
    scope.error("WG157", f"{name!r} is no text of this call", span, hint)
    return ""


def _about(entry: Map, scope: Scope) -> dict[str, Map]:
    """What the entry says of each parameter."""
    about = entry.get("params") or {}
    return {name: described for name, described in about.items() if isinstance(described, dict)}


def refuse_offsets(function: Function, entry: Map, scope: Scope) -> None:
    """Reports offsets of a virtual function: what C++ passes a method of Python is not converted."""
    said = _about(entry, scope)
    for each in (entry, *(said.get(p.name, {}) for p in function.parameters)):
        if each.get(_KEY):
            message = f"{function.name!r} is a virtual function, whose numbers are not converted"
            scope.error(
                "WG157",
                message,
                scope.document.key_span(each, _KEY),
                "drop it: the method gets and returns offsets in bytes",
            )
