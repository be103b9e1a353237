"""How C spells values of a type of the language."""

from __future__ import annotations

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen
from wrapper_gen.model.code import Code
from wrapper_gen.types.model import Type


@frozen
class RepresentedCase:
    """One kind of values: what the tag is then, the alternative of the union, and what gives it; -1 for no value."""

    tag: str
    alternative: int
    value: str
    span: Span


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

    @property
    def is_recursive(self) -> bool:
        """Whether a value may have values of this type in it."""
        return self.of != self.type
