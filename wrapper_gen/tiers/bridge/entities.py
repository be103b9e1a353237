"""What is in the bridge beside functions: handle types, enums, and the errors of the library."""

from __future__ import annotations

import re

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.model import (
    Code,
    EnumType,
    ErrorType,
    HandleType,
    Module,
)
from wrapper_gen.queries import caught, enum_array, mapped_errors
from wrapper_gen.quoting import c_comment, c_string
from wrapper_gen.views.placement import placed, placed_lines


@frozen
class HandleView:
    """One handle type."""

    name: str
    inner: str
    inner_code: str
    c_type: str
    drop_symbol: str
    drop_code: str
    comment: str


@frozen
class EnumView:
    """One enum: the alias of its C++ type, and its values as numbers; `size` counts how they cross as one more."""

    alias: str
    tag: str
    cpp_type: str
    array: str
    values: str
    stub_values: tuple[str, ...]
    size: int


@frozen
class StatusView:
    """One status type: what is fine, and what the rest becomes."""

    alias: str
    cpp_type: str
    check: str
    index: int
    mapped: str
    message: str
    name: str
    note: str
    """Empty where there is none."""


@frozen
class CaughtView:
    """One exception class of the library."""

    alias: str
    cpp_type: str
    function: str
    index: int
    message: str
    name: str
    note: str
    """Empty where there is none."""
    separator: str
    """What follows it in a list of them."""


def handle_view(handle: HandleType, module: Module) -> HandleView:
    drop = ""
    if handle.drop:
        text = handle.drop.text.strip()
        text = f"{text}(h.inner)" if names.is_identifier(text) else text
        ended = text if text.endswith((";", "}")) else text + ";"
        drop = placed(Code(ended, handle.drop.span, handle.drop.literal), module)
    return HandleView(
        name=handle.name,
        inner=names.inner(handle.name),
        inner_code=placed(handle.cpp_type, module),
        c_type=names.c_handle(module.name, handle.name),
        drop_symbol=handle.drop_symbol,
        drop_code=drop,
        comment=c_comment(handle.doc),
    )


def enum_view(enum: EnumType, module: Module) -> EnumView:
    return EnumView(
        alias=names.enum_alias(enum.name),
        tag=names.enum_tag(enum.name),
        cpp_type=placed_lines([(enum.span, enum.cpp_type)], module),
        array=enum_array(enum, module),
        values=placed_lines([(m.span, f"    static_cast<int64_t>({m.cpp}),") for m in enum.members], module),
        stub_values=(*(str(1 << i if enum.flags else i) for i in range(len(enum.members))), "-64"),
        size=len(enum.members) + 1,
    )


def _described(code: Code | None, value: str, module: Module) -> str:
    """The C++ expression that describes a failed `value`: a function of it, or an expression over `value`."""
    if code is None:
        return f"{c_string(value)}"
    text = code.text.strip()
    is_function = all(names.is_identifier(part) for part in text.split("::") if part)
    return f"\n{placed(Code(f'{text}(value)' if is_function else text, code.span, code.literal), module)}\n"


_MENTIONS_VALUE = re.compile(r"(?<!::)(?<!\.)(?<!->)\bvalue\b(?!\s*::)")


def _matches(text: str) -> str:
    """The C++ condition under which a status is meant: the text itself where it speaks of `value`, else equality."""
    return f"({text})" if _MENTIONS_VALUE.search(text) else f"value == ({text})"


def _alias(error: ErrorType, module: Module) -> str:
    return f"wg_error_{module.errors.index(error)}"


def status_view(error: ErrorType, exceptions: tuple[str, ...], module: Module) -> StatusView:
    fine = " || ".join(_matches(ok) for ok in error.ok)
    mapped = [
        (error.span, f"    if ({_matches(cpp)}) index = {exceptions.index(python)};")
        for (cpp, _), python in zip(error.mapped, mapped_errors(error), strict=True)
    ]
    return StatusView(
        alias=_alias(error, module),
        cpp_type=placed_lines([(error.span, error.cpp_type)], module),
        check=placed_lines([(error.span, f"    if (!({fine})) wg_fail(value);")], module),
        index=exceptions.index(error.exception),
        mapped=placed_lines(mapped, module) if mapped else "",
        message=_described(error.message, f"the call failed with a {error.cpp_type}", module),
        name=_described(error.name, "", module),
        note=_described(error.note, "", module) if error.note else "",
    )


def derives_values(module: Module) -> str:
    """Which of the declared exception classes derives from which: a row for each."""
    qualified = [f"{names.namespace(module.name)}::{_alias(error, module)}" for error in caught(module)]
    rows = [[f"wg::derives<{one}, {other}>" for other in qualified] for one in qualified]
    return "\n".join([*(f"    {', '.join(row)}," for row in rows), "    0,"])


def caught_view(error: ErrorType, exceptions: tuple[str, ...], module: Module) -> CaughtView:
    return CaughtView(
        alias=_alias(error, module),
        cpp_type=placed_lines([(error.span, error.cpp_type)], module),
        function=f"wg_caught_{module.errors.index(error)}",
        index=exceptions.index(error.exception),
        message=_described(error.message or Code("value.what()", error.span), "", module),
        name=_described(error.name, "", module),
        note=_described(error.note, "", module) if error.note else "",
        separator="" if error is caught(module)[-1] else ",",
    )
