"""`static: true` of a method: Python calls it on the class, and C++ gets no object."""

from __future__ import annotations

from wrapper_gen.frozen import replace
from wrapper_gen.resolve import protocols
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope


def with_static(entry: Map, scope: Scope, signature: Signature, labelled: Signature) -> tuple[Signature, Signature]:
    """The signature, and the one with its name in C: without a handle where the entry is static."""
    if entry.get("static") is not True or signature.handle is None:
        if signature.static:  # of a struct
            return signature, labelled
        if entry.get("static") is True:
            _error(scope, entry, "a constructor is called on its class already", "drop `static`")
        return signature, labelled
    owner = signature.handle
    if signature.is_property:
        _error(scope, entry, "a property is one of an object", f'write it as a method: def: "{signature.name}() -> T"')
    elif protocols.protocol_of(signature):
        _error(scope, entry, f"Python calls {signature.name} on an object", "drop `static`")
    elif scope.code(entry, "cpp_method"):
        hint = f"a static member is a function by name: cpp_fn: {owner}::{signature.name}"
        _error(scope, entry, "`cpp_method` needs an object, which a static method has none of", hint)
    else:
        in_c = replace(labelled, handle=None, static=owner, name=f"{owner.lower()}_{labelled.name}")
        return replace(signature, handle=None, static=owner), in_c
    return signature, labelled


def _error(scope: Scope, entry: Map, message: str, hint: str) -> None:
    scope.error("WG190", message, scope.document.key_span(entry, "static"), hint)
