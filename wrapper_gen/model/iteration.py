"""Iteration that C++ has no range for: a cursor that is moved, or a linked list."""

from __future__ import annotations

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen


@frozen
class Each:
    """How to go over what a call returns, or what its object holds: expressions over `value`, which is that.

    Without `valid` it is a linked list: `next` is the next node, and null is the end.
    """

    item: tuple[str, ...]
    next: str
    valid: str
    """Whether there is an element; empty for a linked list."""
    first: str
    """What goes to the first element; empty where the cursor is there already."""
    error: str
    """The status at the end, over `value` and `h`; empty where there is none."""
    status_type: str
    """The status type that `error` is of; empty where its C++ type tells."""
    free: str
    """What releases a cursor that is a pointer; empty where that is somebody else's."""
    span: Span
    of_object: bool = False
    """Whether `value` is what the object of the call holds, and not a result."""
