"""Types that the library's spec calls deprecated, over both engines.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

import sys
from enum import EnumMeta
from typing import Any

from ._deprecations import is_own, package_of, warn


def deprecate(cls: Any, instead: str) -> None:
    """Mark a class, and warn where another one is derived from it. The engines warn where one of it is made."""
    own = vars(cls).get("__init_subclass__")

    def __init_subclass__(derived: Any, /, **keywords: Any) -> None:
        warn(f"{cls.__name__} is deprecated: {instead}", package_of(cls))
        if own is None:
            super(cls, derived).__init_subclass__(**keywords)
        else:
            own.__get__(None, derived)(**keywords)

    cls.__deprecated__ = instead
    cls.__init_subclass__ = classmethod(__init_subclass__)


class DeprecatedEnum(EnumMeta):
    """The class of enums that warn where one of their members is named. Results do not: no one has named them."""

    def __getattribute__(cls, name: str) -> Any:
        value: Any = super().__getattribute__(name)
        if type(value) is cls:
            _warn_of(cls)
        return value

    def __getitem__(cls, name: str) -> Any:
        value: Any = super().__getitem__(name)
        _warn_of(cls)
        return value


def _warn_of(cls: Any) -> None:
    """Warn, unless the package itself or `enum` asks, which makes the members and defaults."""
    asking = sys._getframe(2).f_globals.get("__name__")
    if asking != "enum" and not is_own(asking, package_of(cls)):
        warn(f"{cls.__name__} is deprecated: {cls.__deprecated__}", package_of(cls))
