"""Arguments that C++ may want as values of its own, which are made of Python's (`from_python_arguments.hpp`)."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.frozen import replace
from wrapper_gen.lifetimes.kept import keeps_value
from wrapper_gen.model import Function, Mode, Module, Parameter
from wrapper_gen.quoting import c_string
from wrapper_gen.types.around import in_call
from wrapper_gen.types.hints import Way
from wrapper_gen.types.kept import kept_parameter
from wrapper_gen.types.parameters import parameter
from wrapper_gen.types.recursion import recursive_in
from wrapper_gen.types.rows import ParameterRow
from wrapper_gen.types.spelling import descriptor


def rows_of(function: Function, module: Module) -> list[ParameterRow]:
    """How each parameter of a function crosses, in order."""
    return [
        kept_parameter(p.type, p.name, module.name) if keeps_value(function, p) else _row(p, module)
        for p in function.parameters
    ]


def _row(p: Parameter, module: Module) -> ParameterRow:
    row = parameter(p.type, p.name, module.name, is_taken=p.mode is Mode.TAKE)
    if not p.is_represented:
        return row
    value, shown = f"wg::Value<{descriptor(p.type, Way.ARGUMENT, module.name)}>", c_string(names.python(p.name))
    type_, made = f"wg::AlsoMade<{value}>", in_call("wg::also_made", shown)
    if recursive_in(p.type):  # code gets what the spec's C++ type is
        type_, made = f"wg::InCpp<{value}>::type", in_call("wg::in_body", shown)
    return replace(row, cpp_body=f"const {type_} &", cpp_body_argument=made, is_represented=True)


def memory_for(function: Function) -> list[str]:
    """The statement before all others that has memory for what is made for the call."""
    return ["const wg::CallMemory wg_memory;"] * any(p.is_represented for p in function.parameters)
