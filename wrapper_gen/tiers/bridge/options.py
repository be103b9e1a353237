"""Structs that calls take as options: made by one function each, of the keyword arguments that a call has."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Code, Module, StructType
from wrapper_gen.quoting import c_string
from wrapper_gen.views.placement import placed, placed_lines
from wrapper_gen.views.records import can_be_set


@frozen
class OptionsView:
    """The function that makes one: what it starts as, then each member that is given."""

    head: str
    cpp_type: str
    checks: str
    """That what a call gives can be set, each at its own line."""
    start: str
    members: str


def options_views(module: Module) -> tuple[OptionsView, ...]:
    """All structs of a module that are options."""
    return tuple(_view(struct, module) for struct in module.options)


def _view(struct: StructType, module: Module) -> OptionsView:
    given = [f"wg_{i}" for i, _ in enumerate(struct.fields, 1)]
    types = ", ".join(f"class wg_T{i}" for i, _ in enumerate(struct.fields, 1))
    parameters = ", ".join(f"wg_T{i} &{each}" for i, each in enumerate(given, 1))
    checks = [(f.span, f"    {can_be_set(f, 'wg_Options')}") for f in struct.fields]
    sets = [
        (f.span, f"    wg::set_option(value.{f.member}, {each}, {c_string(f.name)});")
        for f, each in zip(struct.fields, given, strict=True)
    ]
    return OptionsView(
        head=f"template <{types}>\ninline auto {names.options_start(struct.name)}({parameters})",
        cpp_type=placed(struct.cpp_type, module),
        start=_start(struct.start, module),
        checks=placed_lines(checks, module),
        members=placed_lines(sets, module),
    )


def _start(code: Code | None, module: Module) -> str:
    if code is None:
        return "    wg_Options value{};"
    shown = placed(Code(code.text.strip().rstrip(";"), code.span, code.literal), module)
    if mentions(code.text, "value"):
        return f"    wg_Options value{{}};\n    static_cast<void>(\n{shown}\n    );"
    return f"    wg_Options value =\n{shown}\n    ;"
