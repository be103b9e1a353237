"""Which of the handles that an object has lent a call ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from wrapper_gen.frozen import frozen
from wrapper_gen.model.code import Code

if TYPE_CHECKING:
    from wrapper_gen.model import Function


@frozen
class Ends:
    """What the mapping of `invalidates` says."""

    of_owner: bool | None
    """Whether the owner of the object has lent them, or the object itself; None where the types tell."""
    conditions: tuple[tuple[str, Code], ...]
    """By handle type, over `value`: whether the call ends one; a type that is empty stands for all of them."""


def ending_lender(function: Function, lent_by: Mapping[str, str]) -> str:
    """The handle type whose objects have lent what a call ends; `lent_by` says what lends each type."""
    handle = function.handle or ""
    lender = lent_by.get(handle, "")
    if function.ends and function.ends.of_owner is not None:
        return lender if function.ends.of_owner else handle
    return handle if handle in lent_by.values() or not lender else lender
