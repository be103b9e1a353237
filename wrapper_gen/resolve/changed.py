"""Parameters that a call changes: an item of the result has their name, and is what the call leaves there."""

from __future__ import annotations

from wrapper_gen.frozen import replace
from wrapper_gen.model import Implementation, Named, Parameter
from wrapper_gen.resolve.calls import separately_written
from wrapper_gen.resolve.cpp import written_call
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.queries import can_be_changed, has_length
from wrapper_gen.types.tuples import named_tuple, with_tuple


def with_changed(entry: Map, scope: Scope, signature: Signature, implementation: Implementation) -> Signature:
    """The signature with the parameters that the call changes.

    A lambda, a body and a stream give back all that they return. Where C's order has a place of its own for the item,
    the parameter is only read.
    """
    found = named_tuple(signature.returns)
    if found is None or not isinstance(implementation, Named) or implementation.streaming or implementation.accessor:
        return signature
    changed = frozenset(found.names) - separately_written(entry)
    if written_call(entry, scope):
        changed = frozenset(p.name for p in signature.parameters if p.is_inout)
    parameters = tuple(_changed(p, scope) if p.name in changed else p for p in signature.parameters)
    if len(found.items) > 1:
        return replace(signature, parameters=parameters)
    returns = with_tuple(signature.returns, found.items[0])  # what has no other item beside it is no tuple
    return replace(signature, parameters=parameters, returns=returns, item=found.names[0])


def _changed(p: Parameter, scope: Scope) -> Parameter:
    """The parameter whose new value an item of the result is."""
    renamed = "or, where it is another value, rename the item"
    if p.cpp_default:
        message = f"{p.name!r} has a default of C++, and the call changes it"
        scope.error("WG087", message, p.span, f"give it a default in the signature; {renamed}")
        return p
    if not can_be_changed(p.type):
        hint = "a lambda gives back what it returns"
        if has_length(p.type):
            hint = "memory that the call changes is `&mut [T]`"
        message = f"a call cannot change {p.type} where it lies: {p.name!r}"
        scope.error("WG086", message, p.span, f"{hint}; {renamed}")
        return p
    if p.byte_offset:
        hint = f"wrap the call in a lambda that returns the offset, with byte_offset of the result; {renamed}"
        message = f"{p.name!r} is an offset into {p.byte_offset!r} that the call changes"
        scope.error("WG157", message, p.span, hint)
    return replace(p, is_inout=True)
