"""Integers that say where something is: what the type of a parameter says, and what they are checked against."""

from __future__ import annotations

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen
from wrapper_gen.model.code import Code


@frozen
class Counted:
    """`position`, `position[…]` or `key`: an integer, and what it counts in."""

    span: Span
    is_key: bool = False
    """Whether C++ looks it up, so that it counts nothing."""
    extent: Code | None = None
    """C++ over `self` that says how many there are."""
    text: str = ""
    """The text of the call that it is an offset into."""
    is_by_cpp: bool = False
    """Whether C++ itself checks and counts it: `position[...]`."""

    @property
    def is_of_length(self) -> bool:
        """Whether it counts in the length of the object."""
        return not (self.is_key or self.extent or self.text or self.is_by_cpp)


@frozen
class Position:
    """A key that is checked against how much there is, and counts from the end where it is negative."""

    parameter: str
    extent: Code | None = None
    """C++ that says how much that is, of the handle's object; None where `__len__` does."""
