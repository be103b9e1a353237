"""What properties show of lists, dicts and sets: nobody can change it, since it is a copy of what the library has."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any


def fixed(made: Any) -> Any:
    """The same as a tuple, a read-only mapping or a frozenset, and so all that lies in it."""
    if type(made) is list or type(made) is tuple:
        return tuple(map(fixed, made))
    if type(made) is dict:
        return MappingProxyType({key: fixed(value) for key, value in made.items()})
    return frozenset(made) if type(made) is set else made
