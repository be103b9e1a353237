"""Objects that one of their own class makes, while the class belongs to another one: they may need both."""

from __future__ import annotations

import re

from wrapper_gen.diagnostics import a
from wrapper_gen.model import Mode, ResultLifetime
from wrapper_gen.model.inheritance import with_relatives
from wrapper_gen.resolve.fixes import with_key
from wrapper_gen.resolve.inheritance import inherited
from wrapper_gen.resolve.lifetime_words import NOTHING, says_nothing
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.queries import handle_of, if_given

_ALONE = re.compile(r"(^|_)(copy|copied|clone|dup|duplicate|ref|retain|share)(_|$)")
"""What calls are named that give another object for the same, or a copy, which needs the owner alone."""


def may_need_maker(signature: Signature, scope: Scope) -> bool:
    """Whether a method gives an object of its own class, which has a release, and belongs to another class."""
    own, made = signature.handle, handle_of(if_given(signature.returns))
    if not own or not made or signature.is_constructor or signature.is_property:
        return False
    alike, lender = with_relatives({own}, scope.names.extends), scope.names.lent.get(made, "")
    entry = scope.names.handle_entries.get(made, {})
    release = inherited(entry, "release", scope, made).get("release")
    is_released = release not in (None, NOTHING) and not inherited(entry, "identity", scope, made).get("identity")
    return made in alike and bool(lender) and lender not in alike and is_released


def warn_of_maker(entry: Map, signature: Signature, result: ResultLifetime, scope: Scope) -> None:
    """A result that keeps its owner alone, of a method that says nothing of the object: a nested transaction."""
    has_operands = any(handle_of(if_given(each.type)) == signature.handle for each in signature.parameters)
    takes_own = any(each.mode is Mode.TAKE for each in signature.parameters) or "takes" in entry
    is_said = result.keeps or result.is_static or not result.is_owned or says_nothing(entry, "holds") or takes_own
    if is_said or has_operands or _ALONE.search(signature.name) or signature.name.startswith("__"):
        return
    if not may_need_maker(signature, scope):
        return
    made = handle_of(if_given(signature.returns)) or ""
    owner = scope.names.lent[made]
    message = f"the {made} that this gives keeps {a(owner)} alive, and not the {made} that makes it"
    hint = "if it must not outlive that, as one that is nested: holds: {result: self}; if it may: holds: nothing"
    fixes = (
        with_key(entry, "it must not outlive its object", "holds: {result: self}", scope),
        with_key(entry, "it may outlive its object", "holds: nothing", scope),
    )
    scope.warn("WG089", message, signature.returns_span, hint, fixes)
