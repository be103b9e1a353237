"""What a spec says of a callable that C++ is passed, beside its type."""

from __future__ import annotations

from enum import StrEnum

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen
from wrapper_gen.model.code import Code
from wrapper_gen.types.model import Fn


class Lasting(StrEnum):
    """How long C++ may call it."""

    UNSAID = "unsaid"  # while C++ keeps a copy of it; a function pointer of C cannot say that
    CALL = "call"
    HELD = "held"
    ONCE = "once"
    DESTROY = "destroy"
    OBJECT = "object"


class UserData(StrEnum):
    """Where among its parameters a C callback has its user data."""

    DEDUCED = "deduced"
    FIRST = "first"
    LAST = "last"


@frozen
class Callback:
    """A callable parameter; `type.label` names the C++ type that says all this to C++."""

    parameter: str
    type: Fn
    span: Span
    scope: Lasting = Lasting.UNSAID
    user_data: UserData = UserData.DEDUCED
    on_exception: Code | None = None
    """What C++ gets in place of a result."""
    any_thread: bool = False
