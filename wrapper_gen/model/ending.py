"""Which of the handles that an object has lent a call ends."""

from __future__ import annotations

from collections.abc import Mapping

from wrapper_gen.frozen import frozen
from wrapper_gen.model.code import Code


@frozen
class Ends:
    """What `ends` says; without more, that a call ends all of them."""

    of_owner: bool | None = None
    """Whether the owner of the object has lent them, or the object itself; None where the types tell."""
    conditions: tuple[tuple[str, Code], ...] = ()
    """By handle type, over `value`: whether the call ends one; a type that is empty stands for all of them."""
    lenders: tuple[str, ...] = ()
    """Where arguments are among them, what has lent those: `h` or a parameter, with `.owner` what owns that."""
    on_success: bool = False
    """Whether a call that fails ends nothing."""
    is_explicit: bool = False
    """Whether it says what has lent them."""


def ending_lenders(handle: str, ends: Ends | None, lent_by: Mapping[str, str], types: Mapping[str, str]) -> set[str]:
    """The handle types whose objects have lent what a call ends; `types` says what handle type each parameter is of."""
    if ends is None or not ends.lenders:
        return {ending_lender(handle, ends, lent_by)}
    named = [each.partition(".") for each in ends.lenders]
    known = {**types, "h": handle}
    return {lent_by.get(known[name], "") if owner else known[name] for name, _, owner in named}


def ending_lender(handle: str, ends: Ends | None, lent_by: Mapping[str, str]) -> str:
    """The handle type whose objects have lent what a method of `handle` ends; `lent_by` says what lends each type."""
    lender = lent_by.get(handle, "")
    if ends and ends.of_owner is not None:
        return lender if ends.of_owner else handle
    return handle if handle in lent_by.values() or not lender else lender
