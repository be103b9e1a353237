"""What a spec says of a callable that C++ is passed, beside its type."""

from __future__ import annotations

from enum import StrEnum

from wrapper_gen.diagnostics import KeyPlace, Span
from wrapper_gen.frozen import frozen
from wrapper_gen.model.code import Code, Written
from wrapper_gen.model.errors import ErrorType
from wrapper_gen.types.model import Fn, Type


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
    LISTED = "listed"  # one of the arguments that the spec lists
    COMPUTED = "computed"  # an expression over them


class Part(StrEnum):
    """What an argument that C calls with stands for."""

    SEEN = "seen"  # an argument of Python's
    SIZED = "sized"  # the same, whose length is another argument
    POINTED = "pointed"  # the same, to which C has a pointer
    LENGTH = "length"
    CONTEXT = "context"  # what Python does not see
    USER_DATA = "user_data"
    OUT = "out"  # an item of the result
    ROOM = "room"  # the result fills it
    CAPACITY = "capacity"  # how much room there is
    ERROR = "error"  # the text of an exception


@frozen
class CallbackArgument:
    """One argument of a C callback: `type` is what Python sees, `length` the number of the argument that is its length.

    `of` are the arguments that a length is the length of.
    """

    part: Part
    span: Span
    name: str = ""
    type: Type | None = None
    length: int = 0
    of: tuple[str, ...] = ()


@frozen
class Listed:
    """What a spec lists of a callback, with expressions over the names of its arguments."""

    arguments: tuple[CallbackArgument, ...]
    cpp_type: Code | None = None
    result: Code | None = None
    """What C gets, over `value`, which Python returned."""
    filled: Written | None = None
    """How C learns how much of its room is filled; None where it has none."""
    capacity: int = 0
    """The number of the argument that says how much room there is."""
    user_data: Code | None = None
    raises: ErrorType | None = None
    """The status type that C gets."""


@frozen
class Callback:
    """A callable parameter; `type.label` names the C++ type that says all this to C++."""

    parameter: str
    type: Fn
    span: Span
    scope: Lasting = Lasting.UNSAID
    is_optional: bool = False
    user_data: UserData = UserData.DEDUCED
    on_exception: Code | None = None
    """What C++ gets in place of a result."""
    any_thread: bool = False
    listed: Listed | None = None
    """Where the spec says with what C calls it."""
    place: KeyPlace | None = None
    """Where the spec can say `scope`, if it does not."""
    data_place: int = 0
    """Which it is of several that share their user data: callables of a call, or fields of a struct."""


@frozen
class NamedCallback:
    """A callable of `types`: its type, and what it says of each parameter of that type that says nothing else."""

    type: Fn
    listed: Listed | None = None
    """C's arguments, where they are more than the type says."""
    scope: Lasting = Lasting.UNSAID
    user_data: UserData = UserData.DEDUCED
    on_exception: Code | None = None
    any_thread: bool = False
    doc: str = ""
