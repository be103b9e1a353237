"""Text that has no UTF-8, in the words of both engines.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

NOT_TEXT = TypeError, UnicodeEncodeError
"""What Python raises for what is no text, without the name of the argument."""


def lone_surrogate(failure: UnicodeEncodeError) -> str:
    """What is wrong with a text that has no UTF-8."""
    return f"half of a surrogate pair is no character: {failure.object[failure.start]!r} at index {failure.start}"
