"""Offsets in bytes of texts, which Python counts in characters: which text those of a call belong to."""

from __future__ import annotations

from wrapper_gen.diagnostics import did_you_mean
from wrapper_gen.frozen import replace
from wrapper_gen.model import Counted, Parameter
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Scope
from wrapper_gen.types.keys import are_offsets
from wrapper_gen.types.queries import is_integer, is_text, walk


def with_byte_offsets(scope: Scope, signature: Signature) -> Signature:
    """The signature with the offsets among its parameters."""
    if not any(p.counted and p.counted.text for p in signature.parameters):
        return signature
    found = tuple(_with_offset(p, scope, signature) for p in signature.parameters)
    return replace(signature, parameters=found)


def read_byte_offset(scope: Scope, signature: Signature) -> str:
    """The text that the result has offsets into; empty where it has none."""
    if not signature.counted:
        return ""
    first, *others = signature.counted
    other = next((each for each in signature.counted if not each.text), None)
    if other:
        hint = "write position[subject], of a text of the call; or the integer that it is: i64"
        scope.error("WG157", "a result counts in nothing but a text", other.span, hint)
        return ""
    other = next((each for each in others if each.text != first.text), None)
    if other:
        hint = "return them as i64, in bytes, and let another call convert them"
        message = f"the result counts in two texts, {first.text!r} and {other.text!r}"
        scope.error("WG157", message, other.span, hint)
    elif signature.is_whole and not are_offsets(signature.returns):
        hint = "return one, or a tuple or a list of them: position[{0}], (position[{0}], position[{0}])?"
        message = f"the integers of {signature.returns} cannot be offsets into {first.text!r}"
        scope.error("WG157", message, first.span, hint.format(first.text))
    elif signature.is_whole and sum(map(is_integer, walk(signature.returns))) > len(signature.counted):
        hint = f"write position[{first.text}] for each, or wrap the call so that it returns them apart"
        scope.error("WG157", f"only some integers of the result are offsets into {first.text!r}", first.span, hint)
    return _text(first, scope, signature)


def _with_offset(p: Parameter, scope: Scope, signature: Signature) -> Parameter:
    if not p.counted or not p.counted.text:
        return p
    if isinstance(p.default, int) and p.default < 0:
        hint = f"write `{p.name}: position[{p.counted.text}]? = None`, and let the C++ code say what that means"
        scope.error("WG157", f"the default of {p.name!r} is no index: {p.default}", p.counted.span, hint)
    return replace(p, byte_offset=_text(p.counted, scope, signature))


def _text(counted: Counted, scope: Scope, signature: Signature) -> str:
    texts = [p.name for p in signature.parameters if is_text(p.type)]
    if counted.text in texts:
        return counted.text
    hint = did_you_mean(counted.text, texts) or "name a parameter of this call whose type is text; C++ is self.size()"
    scope.error("WG157", f"{counted.text!r} is no text of this call", counted.span, hint)
    return ""


def refuse_offsets(signature: Signature, scope: Scope) -> None:
    """Report offsets in the result of a virtual function: what a method of Python returns is not converted."""
    for each in signature.counted:
        message = f"{signature.name!r} is a virtual function, whose numbers are not converted"
        scope.error("WG157", message, each.span, "write i64: the method returns offsets in bytes")
