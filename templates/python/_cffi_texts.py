"""Text that has no UTF-8, in the words of both engines.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

NoText = UnicodeEncodeError
"""What Python raises for it, which names no argument."""


def lone_surrogate(failure: UnicodeEncodeError) -> str:
    """What is wrong with the text."""
    return f"half of a surrogate pair is no character: {failure.object[failure.start]!r} at index {failure.start}"


def no_text(failure: UnicodeEncodeError, what: str) -> ValueError:
    """The failure of an argument."""
    return ValueError(f"{what}: {lone_surrogate(failure)}")
