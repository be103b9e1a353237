"""How C spells values of a type of the language."""

from __future__ import annotations

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen
from wrapper_gen.model.code import Code
from wrapper_gen.types.model import Type


@frozen
class Representation:
    """One C++ type that stands for values of `type`; `data`, `length` and `free` are expressions over `value`."""

    name: str
    type: Type
    cpp_type: Code
    data: str
    span: Span
    length: str = ""
    """Empty where `data` tells by itself."""
    free: str = ""
