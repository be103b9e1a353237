"""Which handle types extend which, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set


def bases(name: str, extends: Mapping[str, str]) -> tuple[str, ...]:
    """What a handle type extends, the nearest first; a circle is gone round once."""
    found: list[str] = []
    while (name := extends.get(name, "")) and name not in found:
        found.append(name)
    return tuple(found)


def subtypes(name: str, extends: Mapping[str, str]) -> tuple[str, ...]:
    """What extends a handle type, each before those that it extends."""
    found = [(len(above), each) for each in extends if name in (above := bases(each, extends)) and each != name]
    return tuple(each for _, each in sorted(found, key=lambda one: -one[0]))


def with_relatives(some: Iterable[str], extends: Mapping[str, str]) -> Set[str]:
    """These handle types, and all that have a base in common with one of them."""
    own = set(some)
    if not extends:
        return own
    wanted = {_root(name, extends) for name in own}
    named = {*extends, *extends.values(), *own}
    return {name for name in named if _root(name, extends) in wanted}


def _root(name: str, extends: Mapping[str, str]) -> str:
    return (name, *bases(name, extends))[-1]
