"""Constructors of records over the cffi engine: functions of the package that return a record.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from ._overloads import overloaded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ._overloads import Taken


def construct(cls: Any, forms: Sequence[tuple[str, Callable[..., Any]]], taken: Callable[[], Sequence[Taken]]) -> None:
    """Give a class of records its constructors: the first form takes the fields, the others return a record."""
    (of_fields, fields), *others = forms
    made = [(of_fields, fields), *((shown, _into(function)) for shown, function in others)]
    cls.__init__ = overloaded(cls.__name__, made, taken, implied=1)


def _into(function: Callable[..., Any]) -> Callable[..., None]:
    """What gives a new record the values of the one that is returned."""

    @wraps(function)
    def initialize(self: Any, /, *args: Any, **kwargs: Any) -> None:
        object.__setattr__(self, "_values", function(*args, **kwargs)._values)

    return initialize
