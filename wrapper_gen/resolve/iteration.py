"""Iteration over cursors and linked lists: the key `each` of an entry."""

from __future__ import annotations

from wrapper_gen.model.iteration import Each
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.queries import is_iterator, parts
from wrapper_gen.types.tuples import items_of


def read_each(entry: Map, scope: Scope, signature: Signature) -> Each | None:
    """The key `each`: how to go over what the call returns, where that is no range."""
    said = entry.get("each")
    if not isinstance(said, dict):
        return None
    span = scope.document.key_span(entry, "each")
    if not is_iterator(signature.returns):
        if signature.is_whole:
            hint = "write the type of its elements: -> iter[text]"
            scope.error("WG151", "`each` is for calls that give an iterator", span, hint)
        return None
    items = scope.expressions(said, "item")
    (element,) = parts(signature.returns)
    wanted = len(items_of(element))
    if len(items) > 1 and len(items) != wanted:
        hint = "write an expression for each item of the tuple, or one for all of it"
        message = f"{len(items)} expressions for elements of {wanted} item{'' if wanted == 1 else 's'}"
        scope.error("WG151", message, scope.span(said, "item"), hint)
    if "first" in said and "valid" not in said:
        hint = "drop `first`; or say when a cursor has an element: valid: Valid()"
        scope.error("WG151", "a linked list starts with what the call returns", scope.span(said, "first"), hint)
    if said.get("error") and not scope.errors:
        hint = "declare its type under `errors`, with what is `ok`"
        scope.error("WG152", "no status type tells when the iteration has failed", scope.span(said, "error"), hint)

    def text(key: str) -> str:
        return scope.expression(said, key) if said.get(key) is not None else ""

    return Each(items or ("value",), text("next"), text("valid"), text("first"), text("error"), text("free"), span)
