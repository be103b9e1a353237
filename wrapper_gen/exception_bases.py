"""What a class derives from that is two exceptions at once."""

from __future__ import annotations

import builtins


def can_be_both(exception: str, builtin: str) -> bool:
    """Whether a class can derive from both: CPython has no such class where both have memory of their own."""
    one, other = getattr(builtins, exception, RuntimeError), getattr(builtins, builtin)
    if issubclass(one, other) or issubclass(other, one):
        return True
    try:
        type("Both", (one, other), {})
    except TypeError:
        return False
    return True


def bases_of_both(exception: str, builtin: str) -> tuple[str, ...]:
    """What a class derives from that is both: one of them where it is the other too."""
    one, other = getattr(builtins, exception, None), getattr(builtins, builtin, None)
    if one is None or other is None:
        return (exception, builtin)
    if issubclass(one, other):
        return (exception,)
    return (builtin,) if issubclass(other, one) else (exception, builtin)
