"""Iteration that C++ has no range for: a cursor that is moved, or a linked list."""

from __future__ import annotations

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen


@frozen
class Each:
    """How to go over what a call returns: expressions over `value`, which is that.

    Without `valid` it is a linked list: `next` is the next node, and null is the end.
    """

    item: tuple[str, ...]
    next: str
    valid: str
    """Whether there is an element; empty for a linked list."""
    first: str
    """What goes to the first element; empty where the cursor is there already."""
    error: str
    """The status at the end; empty where there is none."""
    free: str
    """What releases a cursor that is a pointer; empty where that is somebody else's."""
    span: Span
