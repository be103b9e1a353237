"""Parameters beside handles that results keep alive: texts and lists, at an address that lasts, and memory."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.frozen import replace
from wrapper_gen.types.hints import Way
from wrapper_gen.types.model import Bytes, List, Optional, SpanOf, Text, TupleOf, Type
from wrapper_gen.types.parameters import parameter
from wrapper_gen.types.queries import borrows_memory, handles_in, has_callables, has_objects, is_compound, is_path
from wrapper_gen.types.rows import ParameterRow
from wrapper_gen.types.spelling import descriptor


def can_be_kept(type_: Type) -> bool:
    """Whether a result can keep such an argument alive, which is no handle."""
    match type_:
        case Optional(of):
            return can_be_kept(of)
        case List() | TupleOf():
            keeps_itself = handles_in(type_) or has_callables(type_) or has_objects(type_)
            return not (keeps_itself or borrows_memory(type_))
        case _:
            return isinstance(type_, Text | Bytes | SpanOf) or is_path(type_)


def is_kept_text(type_: Type) -> bool:
    """Whether it is a text, of which both engines keep a copy."""
    return isinstance(type_, Text)


def is_kept_memory(type_: Type) -> bool:
    """Whether what is kept is what the caller has, and not a copy."""
    return isinstance(type_, Bytes | SpanOf) or (isinstance(type_, Optional) and is_kept_memory(type_.of))


def kept_parameter(type_: Type, name: str, lib: str) -> ParameterRow:
    """The row of an argument called `name` in library `lib`, of which C++ may keep the address."""
    kept = names.extra(name, "kept")
    row = replace(parameter(type_, name, lib), cpp_owners=f"{kept}.held()")
    taken = "wg::cpython::KeptText" if is_kept_text(type_) else f"wg::cpython::KeptArgument<{row.cpython}>"
    row = replace(row, cpython=taken)
    if is_kept_memory(type_):
        number, given = names.extra(name, "number"), f"_memory.given({row.python_convert})"
        return replace(
            row,
            cpp_prepare=f"const wg::KeptMemory {kept}({number});",
            c=(*row.c, f"size_t {number}"),
            python_convert=given,
            python_prepare=given,
        )
    if is_compound(type_):
        decoded = f"wg::Decoded<{descriptor(type_, Way.ARGUMENT, lib)}>"
        made = f"const wg::KeptValue<{decoded}> {kept}({names.cpp(name)}, {names.extra(name, 'size')});"
        return replace(row, cpp_prepare=made, cpp_argument=f"{kept}.value().get()")
    made = f"const wg::KeptValue<{row.cpp_value}> {kept}({row.cpp_argument});"
    return replace(row, cpp_prepare=made, cpp_argument=f"{kept}.value()")
