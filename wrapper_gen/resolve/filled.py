"""How much of a buffer is filled: what `length` says of one that a call fills, or a callable."""

from __future__ import annotations

from wrapper_gen.model import Written
from wrapper_gen.resolve.scope import Map, Scope

_FILLED = {"": Written.ALL, "result": Written.RESULT, "nul": Written.NUL, "capacity": Written.CAPACITY}


def how_much_is_filled(about: Map, scope: Scope, code: str, result: str, capacity: str) -> Written:
    """What `length` of a buffer says, or a diagnostic with this code.

    Args:
        result: what `result` means there, in words.
        capacity: the parameter that has the capacity, which may be named as well.
    """
    length = scope.text(about, "length")
    if length not in (*_FILLED, capacity):
        hint = f"`result`, {result}; `capacity`, which C has a pointer to; `nul`, which ends it; or nothing"
        scope.error(code, f"{length!r} does not say how much is filled", scope.span(about, "length"), hint)
    return _FILLED.get(length, Written.CAPACITY)
