"""What a call does with the handles that it is given: borrows, takes or shares them, and whose they are if it fails."""

from __future__ import annotations

from wrapper_gen.frozen import replace
from wrapper_gen.model import Mode, Parameter
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.queries import handle_of


def with_mode(p: Parameter, about: Map, scope: Scope, *, is_usable: bool) -> Parameter:
    """The parameter with what `about` says of it; one whose type is not usable was reported already."""
    mode = Mode(scope.text(about, "mode", Mode.BORROW))
    if mode is not Mode.BORROW and is_usable and handle_of(p.type) is None:
        message = f"{p.name!r} is no handle, so it cannot be {'taken' if mode is Mode.TAKE else 'shared'}"
        scope.error("WG049", message, scope.span(about, "mode"), "drop `mode`")
    owned = about.get("owned_on_failure") is True
    if owned and mode is not Mode.TAKE:
        hint = "a handle that the call only uses stays open in any case: drop it, or write mode: take"
        where = scope.document.key_span(about, "owned_on_failure")
        scope.error("WG101", f"{p.name!r} is not taken, so a failing call leaves it as it is", where, hint)
    return replace(p, mode=mode, owned_on_failure=owned)
