"""Methods of records over the cffi engine: functions of the package, as members of the classes.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def attach(cls: Any, name: str, function: Any, kind: str) -> None:
    """Give a class of records a member, as `kind` says that Python calls it."""
    function.__name__, function.__qualname__ = name, f"{cls.__qualname__}.{name}"
    setattr(cls, name, _KINDS[kind](function))


def _item(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A position counts from the end where it is negative."""

    @wraps(function)
    def item(self: Any, key: Any) -> Any:
        if isinstance(key, int):
            length = len(self)
            at = key + length if key < 0 else key
            if not 0 <= at < length:
                raise IndexError(f"{type(self).__name__} index out of range")
            return function(self, at)
        return function(self, key)

    return item


def _lookup(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A key that is not there is a KeyError."""

    @wraps(function)
    def item(self: Any, key: Any) -> Any:
        try:
            return function(self, key)
        except IndexError:
            raise KeyError(key) from None

    return item


def _item_or_lookup(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A position or a key, as what it is called with says."""
    at, of = _item(function), _lookup(function)

    @wraps(function)
    def item(self: Any, key: Any) -> Any:
        return at(self, key) if isinstance(key, int) else of(self, key)

    return item


def _method(function: Any) -> Any:
    return function


_KINDS: dict[str, Callable[[Any], Any]] = {
    "method": _method,
    "property": property,
    "static": staticmethod,
    "operator": _method,
    "item": _item,
    "lookup": _lookup,
    "item_or_lookup": _item_or_lookup,
}
