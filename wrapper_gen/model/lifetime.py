"""What one call does to the lifetimes of objects: those of its result, of its arguments, and those that it ends."""

from __future__ import annotations

from wrapper_gen.frozen import frozen
from wrapper_gen.model.ending import Ends

ALL = "all"
"""In place of what an object lets go of: whatever it holds."""
WITHIN = "return"
"""Among the lenders of a result: another part of it."""


@frozen
class ResultLifetime:
    """What the handles, arrays and iterators of a result rely on, and who releases them."""

    keeps: tuple[str, ...] = ()
    """What it keeps alive: parameters, and `h`."""
    keeps_implicitly: bool = False
    """Whether the spec does not say this: constructors keep their arguments, and methods of protocols their operands
    where other results of the type keep something."""
    is_static: bool = False
    """Whether the spec says that it points into nothing that ends."""
    only_holds: tuple[str, ...] = ()
    """Those that it uses and does not belong to, so that calls on them do not end it."""
    is_owned: bool = True
    """Whether releasing it drops it."""
    is_owned_on_failure: bool = True
    """Whether the handle that a failing call leaves in an out-parameter has to be released."""
    lenders: tuple[str, ...] = ()
    """What lends what it has: `h` or parameters; `return`, where another part of it does."""
    until: tuple[str, ...] = ()
    """It is lent by the object until one of these methods is called."""


@frozen
class HeldArguments:
    """What an object holds of the arguments of a call, from then on."""

    holds: tuple[str, ...] = ()
    """Parameters that the object keeps alive from the call on."""
    replaces: bool = False
    """Whether it then lets go of what the same method had it hold before."""
    releases: tuple[str, ...] = ()
    """Parameters that the object does not hold any longer; `all` for whatever it holds."""


@frozen
class OwnTaken:
    """That a call takes the object that it is called on."""

    owned_on_failure: bool = False
    """Whether a call that fails leaves it as it was."""


@frozen
class Lifetime:
    """The lifetimes of one function or method."""

    result: ResultLifetime = ResultLifetime()
    held: HeldArguments = HeldArguments()
    ends: Ends | None = None
    """Which of what its object, or the object's owner, lends the call ends; None where it ends nothing."""
    takes_own: OwnTaken | None = None
    """Whether the call takes its object; None where that stays."""
    ends_nothing: bool = False
    """Whether the spec says that it ends nothing."""
    concurrent: bool = False
    """Whether calls run beside others on the same handles, whatever their types allow."""
