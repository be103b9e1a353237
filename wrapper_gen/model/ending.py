"""Which of the handles that an object has lent a call ends."""

from __future__ import annotations

from collections.abc import Mapping

from wrapper_gen.frozen import frozen
from wrapper_gen.model.code import Code


@frozen
class Ends:
    """What the mapping of `invalidates` says."""

    of_owner: bool | None
    """Whether the owner of the object has lent them, or the object itself; None where the types tell."""
    conditions: tuple[tuple[str, Code], ...]
    """By handle type, over `value`: whether the call ends one; a type that is empty stands for all of them."""


def ending_lender(handle: str, ends: Ends | None, lent_by: Mapping[str, str]) -> str:
    """The handle type whose objects have lent what a method of `handle` ends; `lent_by` says what lends each type."""
    lender = lent_by.get(handle, "")
    if ends and ends.of_owner is not None:
        return lender if ends.of_owner else handle
    return handle if handle in lent_by.values() or not lender else lender
