"""Arguments that a call takes away."""

from __future__ import annotations

from collections.abc import Sequence, Set

from wrapper_gen.diagnostics import did_you_mean
from wrapper_gen.frozen import replace
from wrapper_gen.model import Mode, Parameter
from wrapper_gen.resolve.lifetime_words import NOTHING, SELF, says_nothing, words
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.queries import handle_of

UNCHANGED, GARBAGE = "unchanged", "garbage"
ENDS, RESULT = "ends", "result"
"""Of what `on_failure` may speak beside parameters: what the call ends, and what it writes."""


def with_taken(
    entry: Map, parameters: Sequence[Parameter], scope: Scope, unusable: Set[str], *, has_object: bool
) -> tuple[Parameter, ...]:
    """The parameters, with what `takes` and `on_failure` say of them; the types of `unusable` ones were reported."""
    if entry.get("takes") is None:
        return tuple(parameters)
    known = {p.name: p for p in parameters}
    if says_nothing(entry, "takes"):
        scope.error("WG049", f"`takes: {NOTHING}` says nothing", scope.span(entry, "takes"), "drop `takes`")
    listed = words(entry, "takes", scope)
    for word in listed:
        p = known.get(word.text)
        if has_object and word.text == SELF:
            continue
        if p is None:
            handles = [each.name for each in parameters if handle_of(each.type)] + [SELF] * has_object
            hint = did_you_mean(word.text, handles) or "name parameters that are handles; self is for methods"
            scope.error("WG049", f"the signature has no parameter {word.text!r}", word.span, hint)
        elif handle_of(p.type) is None and p.name not in unusable:
            scope.error("WG049", f"{p.name!r} is no handle, so it cannot be taken", word.span, "drop it from `takes`")
    taken = {word.text for word in listed}
    return tuple(_taken(p, entry) if p.name in taken else p for p in parameters)


def _taken(p: Parameter, entry: Map) -> Parameter:
    return replace(p, mode=Mode.TAKE, owned_on_failure=left(entry, p.name, UNCHANGED))


def left(entry: Map, of: str, word: str) -> bool:
    """Whether `on_failure`, of whatever shape, says this of a parameter, of what ends, or of the result."""
    said = entry.get("on_failure")
    if isinstance(said, dict):
        return bool(said.get(of) == word)
    return word in (said if isinstance(said, list) else [said])


def ends_on_success(entry: Map) -> bool:
    """Whether what a call ends can still be used if it fails."""
    return left(entry, ENDS, UNCHANGED)
