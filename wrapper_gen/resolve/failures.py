"""What a call leaves that fails: arguments that it takes, what it ends, and what it has written."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen.diagnostics import did_you_mean
from wrapper_gen.model import Implementation, Mode, Named
from wrapper_gen.model.ending import Ends
from wrapper_gen.resolve.held_types import is_smart_pointer, spelling_of
from wrapper_gen.resolve.lifetime_words import SELF
from wrapper_gen.resolve.own_taken import takes_own
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.taken import ENDS, GARBAGE, RESULT, UNCHANGED, left
from wrapper_gen.types.queries import handle_in_forms, handle_of
from wrapper_gen.types.tuples import written_items


def read_is_owned(
    entry: Map,
    scope: Scope,
    signature: Signature,
    implementation: Implementation,
    ends: Ends | None,
    *,
    is_status: bool,
) -> bool:
    """Whether the handle that a failing call leaves in its out-parameter is ours; reports mistakes of `on_failure`."""
    if entry.get("on_failure") is None:
        return True
    _check_words(entry, scope, signature, ends)
    _check_types(entry, scope, signature)
    if not left(entry, RESULT, GARBAGE):
        return True
    makes = any(handle_in_forms(each) for each in written_items(signature.returns))
    if not (makes and is_status and isinstance(implementation, Named)):
        hint = "it is for a function by name that returns a status, and a handle through a pointer; drop it"
        where = scope.document.key_span(entry, "on_failure")
        scope.error("WG101", f"`on_failure: {GARBAGE}` of an entry that cannot leave a handle", where, hint)
    return False


def _check_words(entry: Map, scope: Scope, signature: Signature, ends: Ends | None) -> None:
    """Whether there is something of which each word can be said."""
    said = entry["on_failure"]
    taken = [p.name for p in signature.parameters if p.mode is Mode.TAKE] + [SELF] * takes_own(entry)
    if isinstance(said, dict):
        _check_each(said, scope, signature, [*taken, *[ENDS] * (ends is not None), RESULT])
        return
    given = said if isinstance(said, list) else [said]
    for i, word in enumerate(given):
        where = scope.document.span(said, i) if isinstance(said, list) else scope.span(entry, "on_failure")
        if word not in (UNCHANGED, GARBAGE):
            near = did_you_mean(str(word), (UNCHANGED, GARBAGE)) or f"write {UNCHANGED}, or {GARBAGE}"
            scope.error("WG013", f"`on_failure` cannot be {str(word)!r}", where, near)
        elif word == UNCHANGED and not taken and ends is None:
            hint = "drop it: what a call only uses stays as it is; or say what it `takes`, or `ends`"
            scope.error("WG101", "this call takes nothing and ends nothing that could stay unchanged", where, hint)


def _check_each(said: Map, scope: Scope, signature: Signature, known: Sequence[str]) -> None:
    given = {p.name for p in signature.parameters}
    for name in said:
        where = scope.document.key_span(said, name)
        right = GARBAGE if name == RESULT else UNCHANGED
        if name in given and name not in known:
            hint = f"a handle that the call only uses stays open in any case: drop it, or say takes: {name}"
            scope.error("WG101", f"{name!r} is not taken, so a failing call leaves it as it is", where, hint)
        elif name not in known:
            near = did_you_mean(str(name), known) or "name parameters that the call takes"
            scope.error("WG101", f"nothing called {str(name)!r} is left by a call that fails", where, near)
        elif said[name] != right:
            at = scope.span(said, name)
            scope.error("WG101", f"{name!r} cannot be {str(said[name])!r} then", at, f"write {name}: {right}")


def _check_types(entry: Map, scope: Scope, signature: Signature) -> None:
    """What is moved into a call cannot come back."""
    taken = [(p.name, handle_of(p.type)) for p in signature.parameters if p.mode is Mode.TAKE and p.owned_on_failure]
    taken += [(SELF, signature.handle)] * (takes_own(entry) and left(entry, SELF, UNCHANGED))
    for name, handle in taken:
        spelling = spelling_of(scope.names.handle_entries.get(handle or "", {}))
        if is_smart_pointer(spelling):
            message = f"{name!r} is a {spelling}, which is moved into the call: a call that fails cannot leave it"
            hint = "drop it: where the call throws before it has it, it stays open in any case"
            scope.error("WG101", message, scope.document.key_span(entry, "on_failure"), hint)
