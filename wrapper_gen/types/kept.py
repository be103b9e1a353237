"""Parameters beside handles that results keep alive: texts, which C++ gets at an address that lasts."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.frozen import replace
from wrapper_gen.types.model import Text, Type
from wrapper_gen.types.parameters import parameter
from wrapper_gen.types.rows import ParameterRow


def can_be_kept(type_: Type) -> bool:
    """Whether a result can keep such an argument alive, which is no handle."""
    return isinstance(type_, Text)


def kept_parameter(name: str, lib: str) -> ParameterRow:
    """The row of a text called `name` in library `lib`, of which C++ may keep the address."""
    kept = names.extra(name, "kept")
    row = parameter(Text(), name, lib)
    return replace(
        row,
        cpython="wg::cpython::KeptText",
        cpp_prepare=f"const wg::KeptText {kept}({row.cpp_argument});",
        cpp_argument=f"{kept}.value()",
        cpp_owners=f"{kept}.held()",
    )
