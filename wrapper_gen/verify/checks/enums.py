"""Values of an enum under the name of another one."""

from __future__ import annotations

from collections.abc import Iterator

from wrapper_gen.model import Module
from wrapper_gen.verify.checks.subject import Doubt


def of_enums(module: Module) -> Iterator[Doubt]:
    """Values whose C++ name ends with the name that the spec gives another value."""
    for enum in module.enums:
        names = {each.name.upper(): each for each in enum.members}
        for member in enum.members:
            last = member.cpp.rpartition("::")[2].upper()
            if last.endswith(member.name.upper()):
                continue
            other = next((name for name in names if last == name or last.endswith(f"_{name}")), "")
            theirs = names[other].cpp.rpartition("::")[2].upper() if other else ""
            if other and names[other] is not member and (not theirs.endswith(other) or theirs == last):
                what = f"{member.name} is {member.cpp}, which is what {names[other].name} is called in C"
                yield Doubt(enum.name, member.span, what, "give each value the C++ name of its own")
