"""How C spells values of a type of the language."""

from __future__ import annotations

import re

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen
from wrapper_gen.model.code import Code
from wrapper_gen.types.model import Type

_MEMBER = re.compile(r"value(\.[A-Za-z_]\w*)+\Z")


def spelled_alike(cpp_type: str) -> str:
    """A C++ type without what makes no difference."""
    return re.sub(r"\s*([*&<>,:])\s*", r"\1", " ".join(cpp_type.split()))


@frozen
class RepresentedCase:
    """One kind of values: what the tag is then, the alternative of the union, and what gives it; -1 for no value."""

    tag: str
    alternative: int
    value: str
    span: Span
    length: str = ""
    """How many elements there are at the address that `value` is; empty where `value` tells by itself."""
    make: str = ""
    """What makes the C++ value of Python's, over `value`, where that is no matter of setting members."""

    def is_set(self, tag: str) -> bool:
        """Whether a C++ value becomes one of this kind by setting its members."""
        members = [tag, *([] if self.alternative < 0 else [self.value]), *([self.length] if self.length else [])]
        return all(map(is_member, members))


def is_member(expression: str) -> bool:
    """Whether an expression over `value` is a member of it, which can be set."""
    return bool(_MEMBER.match(expression))


@frozen
class Representation:
    """One C++ type that stands for values of `type`; what is said of it are expressions over `value`."""

    name: str
    type: Type
    """What the name means where a type is wanted."""
    of: Type
    """What a value is made of; the same as `type`, but for a type that is a part of itself."""
    cpp_type: Code
    data: str
    span: Span
    length: str = ""
    """Empty where `data` tells by itself."""
    free: str = ""
    tag: str = ""
    """What tells the cases from each other; empty where there are none."""
    cases: tuple[RepresentedCase, ...] = ()
    make: str = ""
    """What makes one of a value of Python's, over `value`, where that is no matter of setting members."""
    kinds: int = 0
    """How many alternatives the cases have; with `is_optional`, there may be none too."""
    is_optional: bool = False
    is_by_name: bool = False
    """Whether only what has this name is read so: its C++ type is another's too, or what the language has as it is."""

    @property
    def is_recursive(self) -> bool:
        """Whether it is a type of its own: a value may have others of it in it, or the name says how it is read."""
        return self.of != self.type

    @property
    def can_be_made(self) -> bool:
        """Whether a C++ value can be made of Python's."""
        if self.cases:
            wanted = {*range(self.kinds), *([-1] if self.is_optional else [])}
            return {each.alternative for each in self.makers} == wanted
        set_up = [self.data, *([self.length] if self.length else [])]
        return bool(self.make) or self.data == "value" or all(map(is_member, set_up))

    @property
    def makers(self) -> tuple[RepresentedCase, ...]:
        """Of the cases, the first that can be made of each alternative."""
        found: dict[int, RepresentedCase] = {}
        for each in self.cases:
            if each.make or each.is_set(self.tag):
                found.setdefault(each.alternative, each)
        return tuple(found.values())
