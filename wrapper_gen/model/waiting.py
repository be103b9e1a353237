"""How a task waits for a call, without its event loop waiting."""

from __future__ import annotations

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen
from wrapper_gen.types.model import Tuple, Type, Void


@frozen
class Awaited:
    """The call runs in a thread; or, with `done`, it lasts until the library calls that parameter."""

    span: Span
    done: str = ""
    cancel: str = ""
    """The method that a cancelled task calls."""
    cancels_result: bool = False
    """Whether it is a method of the handle that the call returned, and not of the call's own."""
    result: str = ""
    """The function that makes the result of what `done` is called with."""
    values: tuple[Type, ...] = ()
    """What `done` is called with."""
    made: Type | None = None
    """What `result` makes of that."""

    @property
    def returns(self) -> Type:
        """What the task gets, where there is `done`."""
        if self.made is not None:
            return self.made
        return Tuple(self.values) if len(self.values) > 1 else self.values[0] if self.values else Void()
