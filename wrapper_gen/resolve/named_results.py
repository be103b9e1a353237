"""Names of the items of a result: a tuple with names is a class of its own in Python."""

from __future__ import annotations

import keyword

from wrapper_gen import names
from wrapper_gen.frozen import replace
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.model import Type
from wrapper_gen.types.tuples import has_names_within, items_of, named_tuple, nameless_tuple, with_tuple


def with_names(entry: Map, scope: Scope, signature: Signature) -> Type:
    """The declared result, with the names that it or the key `names` has."""
    returns = signature.returns
    if has_names_within(returns):
        message = "only the result itself can have names for its items"
        scope.error("WG084", message, signature.returns_span, "write the types alone: (i64, text)")
        return returns
    named = returns
    if entry.get("names"):
        named = _given(entry, scope, returns)
    found = named_tuple(named)
    if found is None:
        return returns
    for name in found.names:
        if not names.is_identifier(name) or keyword.iskeyword(name) or name in _TAKEN:
            where = scope.span(entry, "names") if "names" in entry else signature.returns_span
            hint = "letters, digits and underscores, starting with a letter; no word of Python, nor count or index"
            scope.error("WG084", f"{name!r} cannot be the name of an item", where, hint)
            return returns
    base = signature.base(scope.lib)
    return with_tuple(named, replace(found, label=names.named_result(base, signature.handle)))


_TAKEN = frozenset({"count", "index"})
"""Methods that every tuple has."""


def _given(entry: Map, scope: Scope, returns: Type) -> Type:
    given, span = scope.texts(entry, "names"), scope.span(entry, "names")
    nameless = nameless_tuple(returns)
    if nameless is None:
        scope.error("WG084", "`names` are for a tuple without names", span, "return a tuple: (usize, usize)")
        return returns
    items = items_of(nameless)
    if len(given) != len(items) or len(set(given)) != len(given):
        scope.error("WG084", f"the result has {len(items)} items", span, "name each, and each differently")
        return returns
    return with_tuple(returns, replace(nameless, names=given))
