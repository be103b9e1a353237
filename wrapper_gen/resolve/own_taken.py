"""`takes: self`: a call that takes the object that it is called on."""

from __future__ import annotations

from collections.abc import Iterator

from wrapper_gen.diagnostics import Span
from wrapper_gen.model import OwnTaken
from wrapper_gen.resolve import protocols
from wrapper_gen.resolve.lifetime_words import SELF, says_nothing, words
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.taken import UNCHANGED, left
from wrapper_gen.types.queries import is_iterator

_OF_OBJECT = ("ends", "holds_last", "lets_go")
"""Keys that say what becomes of things of the object."""
_REFUSED = "the call is refused as long as something belongs to the object, which is to be closed before"


def read_own_taken(entry: Map, scope: Scope, signature: Signature) -> OwnTaken | None:
    """What an entry says of its object, where its call takes that."""
    span = next((word.span for word in words(entry, "takes", scope) if word.text == SELF), None)
    if span is None or signature.handle is None or signature.is_constructor:  # there it is no object's, and an error
        return None
    for message, where, hint in _mistakes(entry, scope, signature, span):
        scope.error("WG049", message, where, hint)
    return OwnTaken(owned_on_failure=left(entry, SELF, UNCHANGED))


def takes_own(entry: Map) -> bool:
    """Whether an entry says that its call takes its object."""
    said = entry.get("takes")
    return said == SELF or (isinstance(said, list) and SELF in said)


def _mistakes(entry: Map, scope: Scope, signature: Signature, span: Span) -> Iterator[tuple[str, Span, str]]:
    """What is wrong, where, and what to do: no object is left after the call."""
    for key in _OF_OBJECT:
        if entry.get(key) is not None and not says_nothing(entry, key):
            at = scope.document.key_span(entry, key)
            yield f"the call takes its object, so `{key}` says nothing", at, f"drop `{key}`: {_REFUSED}"
    for word in words(entry, "belongs_to", scope):
        if word.text == SELF:
            hint = "drop one of the two; what the object itself belongs to, the result does too"
            yield "the call takes the object that the result belongs to", word.span, hint
    if signature.is_property or protocols.protocol_of(signature) or signature.kind:
        what = "a property" if signature.is_property else signature.kind or f"`{signature.name}`"
        yield f"{what} cannot take its object", span, "make it a plain method: def: finish()"
    elif is_iterator(signature.returns):
        yield "each step of an iterator needs the object", span, "return a list, such as [Node]; or drop `takes`"
