"""Which handle types extend which, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set


def bases(name: str, extends: Mapping[str, str]) -> tuple[str, ...]:
    """What a handle type extends, the nearest first; a circle is gone round once."""
    found: dict[str, None] = {}
    while (name := extends.get(name, "")) and name not in found:
        found[name] = None
    return tuple(found)


def subtypes(name: str, extends: Mapping[str, str]) -> tuple[str, ...]:
    """What extends a handle type, each before those that it extends."""
    below: dict[str, list[str]] = {}
    for each, base in extends.items():
        below.setdefault(base, []).append(each)
    levels = [[name]]
    seen = {name}
    while levels[-1]:
        level = [each for base in levels[-1] for each in below.get(base, ()) if each not in seen]
        levels.append(level)
        seen.update(level)
    order = {each: i for i, each in enumerate(extends)} if len(seen) > 2 else {}
    return tuple(each for level in reversed(levels[1:]) for each in sorted(level, key=lambda each: order.get(each, 0)))


def with_relatives(some: Iterable[str], extends: Mapping[str, str]) -> Set[str]:
    """These handle types, and all that have a base in common with one of them."""
    own = set(some)
    if not extends:
        return own
    roots: dict[str, str] = {}
    wanted = {_root(name, extends, roots) for name in own}
    named = {*extends, *extends.values(), *own}
    return {name for name in named if _root(name, extends, roots) in wanted}


def _root(name: str, extends: Mapping[str, str], known: dict[str, str]) -> str:
    """The last of the bases; `known` remembers it for all that are passed on the way."""
    passed: dict[str, None] = {}
    while name not in known and name not in passed and name in extends:
        passed[name] = None
        name = extends[name]
    root = known.get(name, name)
    if name in passed:  # a circle, which is an error elsewhere
        root = min(passed)
    known.update(dict.fromkeys(passed, root))
    return root
