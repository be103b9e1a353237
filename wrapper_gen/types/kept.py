"""Parameters beside handles that results keep alive: texts, which C++ gets at an address that lasts, and memory."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.frozen import replace
from wrapper_gen.types.model import Bytes, SpanOf, Text, Type
from wrapper_gen.types.parameters import parameter
from wrapper_gen.types.rows import ParameterRow


def can_be_kept(type_: Type) -> bool:
    """Whether a result can keep such an argument alive, which is no handle."""
    return isinstance(type_, Text | Bytes | SpanOf)


def is_kept_text(type_: Type) -> bool:
    """Whether what is kept is a copy, and not what the caller has."""
    return isinstance(type_, Text)


def kept_parameter(type_: Type, name: str, lib: str) -> ParameterRow:
    """The row of an argument called `name` in library `lib`, of which C++ may keep the address."""
    kept = names.extra(name, "kept")
    row = replace(parameter(type_, name, lib), cpp_owners=f"{kept}.held()")
    if is_kept_text(type_):
        return replace(
            row,
            cpython="wg::cpython::KeptText",
            cpp_prepare=f"const wg::KeptText {kept}({row.cpp_argument});",
            cpp_argument=f"{kept}.value()",
        )
    number, given = names.extra(name, "number"), f"_memory.given({row.python_convert})"
    return replace(
        row,
        cpython=f"wg::cpython::KeptMemory<{row.cpython}>",
        cpp_prepare=f"const wg::KeptMemory {kept}({number});",
        c=(*row.c, f"size_t {number}"),
        python_convert=given,
        python_prepare=given,
    )
