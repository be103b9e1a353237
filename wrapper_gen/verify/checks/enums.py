"""Values of an enum under the name of another one."""

from __future__ import annotations

from collections.abc import Iterator

from wrapper_gen.model import Module
from wrapper_gen.verify.checks.subject import Doubt


def of_enums(module: Module) -> Iterator[Doubt]:
    """Values whose C++ name ends with the name that the spec gives another value."""
    for enum in module.enums:
        names = {_plain(each.name): each for each in enum.members}
        for member in enum.members:
            shown = member.cpp.rpartition("::")[2]
            last = _plain(shown)
            if last.endswith(_plain(member.name)):
                continue
            other = next((name for name in names if last == name or _ends(shown, name)), "")
            theirs = _plain(names[other].cpp.rpartition("::")[2]) if other else ""
            if other and names[other] is not member and (not theirs.endswith(other) or theirs == last):
                what = f"{member.name} is {member.cpp}, which is what {names[other].name} is called in C"
                yield Doubt(enum.name, member.span, what, "give each value the C++ name of its own")


def _plain(name: str) -> str:
    """A name without what its spelling has of the language: `BreadthFirst` and `BREADTH_FIRST` are one."""
    return name.replace("_", "").lower()


def _ends(name: str, plain: str) -> bool:
    """Whether the last words of a name are these."""
    words = name.split("_")
    return any(_plain("_".join(words[at:])) == plain for at in range(1, len(words)))
