"""Iteration over cursors and linked lists: the key `each`."""

from __future__ import annotations

from wrapper_gen.diagnostics import Span
from wrapper_gen.model.iteration import Each
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.reports import check_error
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.model import Type
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
    if said.get("type") is not None:
        hint = "drop `type`; it is for `each` of a handle type"
        scope.error("WG151", f"the call returns {signature.returns}", scope.span(said, "type"), hint)
    return read_said(said, span, scope, signature.returns)


def read_said(said: Map, span: Span, scope: Scope, returns: Type) -> Each:
    """What `each` says of an iterator of this type."""
    items = scope.expressions(said, "item")
    (element,) = parts(returns)
    wanted = len(items_of(element))
    if len(items) > 1 and len(items) != wanted:
        hint = "write an expression for each item of the tuple, or one for all of it"
        message = f"{len(items)} expressions for elements of {wanted} item{'' if wanted == 1 else 's'}"
        scope.error("WG151", message, scope.span(said, "item"), hint)
    if "first" in said and "valid" not in said:
        hint = "drop `first`; or say when a cursor has an element: valid: Valid()"
        scope.error("WG151", "a linked list starts with what the call returns", scope.span(said, "first"), hint)
    for key in ("error", "free"):
        if said.get(key) is not None and "valid" not in said:
            hint = f"drop `{key}`; or say when a cursor has an element: valid: Valid()"
            message = f"`{key}` is for cursors: a linked list has no value at its end"
            scope.error("WG151", message, scope.span(said, key), hint)
    status_type, error = _error(said, scope)

    def text(key: str) -> str:
        return scope.expression(said, key) if said.get(key) is not None else ""

    return Each(items or ("value",), text("next"), text("valid"), text("first"), error, status_type, text("free"), span)


def _error(said: Map, scope: Scope) -> tuple[str, str]:
    """The status type that the spec names for the end of an iteration, if any, and the status."""
    given = said.get("error")
    if given and not scope.names.errors:
        hint = "declare its type under `errors`, with what is `ok`"
        scope.error("WG152", "no status type tells when the iteration has failed", scope.span(said, "error"), hint)
    elif isinstance(given, dict):
        type_ = scope.text(given, "type")
        check_error(type_, given, "type", scope)
        return type_, scope.expression(given, "from")
    return "", scope.expression(said, "error") if given and not isinstance(given, dict) else ""
