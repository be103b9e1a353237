"""How a value of each type crosses each border: one row a type, holding finished texts for C, C++ and Python.

A row is written for one parameter or one result. Its texts name only what it is given, and the fixed vocabulary of the
support files (`wg::…` in C++, `_bridge.…` in Python). Nothing here knows about functions or templates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import assert_never

from wrapper_gen import names
from wrapper_gen.model import Bytes, EnumRef, Handle, Kind, List, Optional, Scalar, SpanOf, Text, Type, Void

# --- scalars ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScalarRow:
    """A scalar's names, and the value that says "look for an error" when a C function returns it."""

    c: str
    python: str
    sentinel: str
    """As C++ writes it."""
    python_sentinel: str
    """As Python compares it; empty for floats, whose sentinel is NaN."""
    formats: str = ""
    """Buffer format characters that can mean this type (size is checked too)."""


def _integer(c: str, sentinel: int, suffix: str, formats: str) -> ScalarRow:
    return ScalarRow(c, "int", f"{sentinel}{suffix}", str(sentinel), formats)


_SIGNED, _UNSIGNED = "bhilqn", "BHILQN"

# Sentinels are values that are unlikely as results; one that does occur costs one look at the error, nothing else.
SCALARS: dict[Scalar, ScalarRow] = {
    Scalar.BOOL: ScalarRow("bool", "bool", "-1", "-1", "?"),
    Scalar.I8: _integer("int8_t", -113, "", _SIGNED),
    Scalar.I16: _integer("int16_t", -21113, "", _SIGNED),
    Scalar.I32: _integer("int32_t", -20210113, "", _SIGNED),
    Scalar.I64: _integer("int64_t", -20210113, "", _SIGNED),
    Scalar.U8: _integer("uint8_t", 141, "", _UNSIGNED),
    Scalar.U16: _integer("uint16_t", 44423, "", _UNSIGNED),
    Scalar.U32: _integer("uint32_t", 4274757183, "u", _UNSIGNED),
    Scalar.U64: _integer("uint64_t", 18446744073689341503, "u", _UNSIGNED),
    Scalar.USIZE: _integer("size_t", 18446744073689341503, "u", _UNSIGNED),
    Scalar.F32: ScalarRow("float", "float", "NAN", "", "f"),
    Scalar.F64: ScalarRow("double", "float", "NAN", "", "d"),
}

# --- parameters ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ParameterRow:
    """One parameter at every border, in the order in which a call crosses them: Python, C, C++."""

    annotation: str
    """Python type hint."""
    python_prepare: str
    """Expression whose value is kept in a local for the time of the call; empty when the arguments need none."""
    python_empty: str
    """What the local holds when an optional parameter is None."""
    python_arguments: tuple[str, ...]
    """Arguments of the C call, one for each of `c`."""
    c: tuple[str, ...]
    """C declarations."""
    cpp_prepare: str
    """C++ statement before the call, or empty."""
    cpp_argument: str
    """C++ expression of type `cpp`."""
    cpp: str
    """C++ type of the typed function's parameter."""
    cpp_value: str
    """The same without reference: what `std::optional` or a template argument wants."""


@lru_cache(maxsize=8192)
def parameter(type_: Type, name: str, lib: str) -> ParameterRow:
    """The row of a parameter called `name` (an identifier of the spec) in library `lib`."""
    local = names.python_local(name)
    py, c = names.python(name), names.cpp(name)
    size = names.extra(name, "size")
    match type_:
        case Scalar():
            row = SCALARS[type_]
            narrow = type_ is Scalar.F32  # crosses as double, so that a value too large is an error and not infinity
            return ParameterRow(
                row.python, "", "0", (py,), (f"{'double' if narrow else row.c} {c}",),
                "", f"wg::narrow({c})" if narrow else c, str(type_), str(type_),
            )  # fmt: skip
        case Text():
            return ParameterRow(
                "str", f'_bridge.text_in({py}, "{py}")', 'b""', (local, f"len({local})"),
                (f"const char *{c}", f"size_t {size}"),
                "", f"std::string({c}, {size})", "const std::string &", "std::string",
            )  # fmt: skip
        case Bytes():
            return ParameterRow(
                "_Buffer", f'_bridge.bytes_in({py}, "{py}")', 'b""', (local, f"len({local})"),
                (f"const char *{c}", f"size_t {size}"),
                "", f"std::string_view({c}, {size})", "std::string_view", "std::string_view",
            )  # fmt: skip
        case Handle():
            struct = type_.name
            return ParameterRow(
                type_.name, "", "_NULL", (f'_bridge.handle_in({py}, {type_.name}, "{py}")',),
                (f"{names.c_handle(lib, type_.name)} *{c}",),
                f'wg::Pin {names.extra(name, "pin")}({c}, "{c}");', f"*{names.extra(name, 'pin')}",
                f"{struct} &", struct,
            )  # fmt: skip
        case EnumRef():
            return ParameterRow(
                type_.name, "", "0", (f'_bridge.enum_in({py}, {type_.name}, "{py}")',),
                (f"int64_t {c}",),
                "", f"static_cast<wg_enum_{type_.name}>({c})", f"wg_enum_{type_.name}", f"wg_enum_{type_.name}",
            )  # fmt: skip
        case List(element):
            return _list_parameter(element, name, lib)
        case SpanOf(element, mutable):
            row = SCALARS[element]
            const = "" if mutable else "const "
            ask = f'_bridge.span_in({py}, "{py}", "{row.c}", "{row.formats}", {mutable})'
            span = f"wg::Span<{const}{element}>"
            return ParameterRow(
                "_Array", ask, "()", (local, f"len({local})"),
                (f"{const}{row.c} *{c}", f"size_t {size}"),
                "", f"{span}({c}, {size})", span, span,
            )  # fmt: skip
        case Optional(of):
            return _optional_parameter(of, name, lib)
        case Void():
            raise ValueError("void is no parameter type")
        case _:
            assert_never(type_)


def _list_parameter(element: Scalar | Text | Handle, name: str, lib: str) -> ParameterRow:
    local, py, c = names.python_local(name), names.python(name), names.cpp(name)
    size, sizes = names.extra(name, "size"), names.extra(name, "sizes")
    match element:
        case Scalar():
            row = SCALARS[element]
            wide = "double" if element is Scalar.F32 else row.c
            return ParameterRow(
                f"_Sequence[{row.python}]", f'_bridge.list_in({py}, "{py}")', "()", (local, f"len({local})"),
                (f"const {wide} *{c}", f"size_t {size}"),
                "", f"wg::values<{element}>({c}, {size})",
                f"const std::vector<{element}> &", f"std::vector<{element}>",
            )  # fmt: skip
        case Text():
            return ParameterRow(
                "_Sequence[str]", f'_bridge.texts_in({py}, "{py}")', '(b"", ())',
                (f"{local}[0]", f"{local}[1]", f"len({local}[1])"),
                (f"const char *{c}", f"const size_t *{sizes}", f"size_t {size}"),
                "", f"wg::texts({c}, {sizes}, {size})",
                "const std::vector<std::string> &", "std::vector<std::string>",
            )  # fmt: skip
        case Handle():
            pins = names.extra(name, "pins")
            return ParameterRow(
                f"_Sequence[{element.name}]", f'_bridge.handles_in({py}, {element.name}, "{py}")', "()",
                (local, f"len({local})"),
                (f"{names.c_handle(lib, element.name)} *const *{c}", f"size_t {size}"),
                f'wg::Pins {pins}({c}, {size}, "{c}");', f"{pins}.handles()",
                f"const wg::Handles<{element.name}> &", "",
            )  # fmt: skip
        case _:
            assert_never(element)


def _optional_parameter(of: Type, name: str, lib: str) -> ParameterRow:
    row = parameter(of, name, lib)
    local, py, present = names.python_local(name), names.python(name), names.extra(name, "present")
    if isinstance(of, Handle):  # a null handle is None: nothing else has to cross
        pin = names.extra(name, "pin")
        return ParameterRow(
            f"{row.annotation} | None", "", "", (f"_NULL if {py} is None else {row.python_arguments[0]}",), row.c,
            f'wg::OptionalPin {pin}({names.cpp(name)}, "{names.cpp(name)}");', f"{pin}.pointer()",
            f"{of.name} *", f"{of.name} *",
        )  # fmt: skip
    argument = row.python_prepare or row.python_arguments[0]
    inner = row.python_arguments if row.python_prepare else (local,)
    value = f"std::optional<{row.cpp_value}>"
    return ParameterRow(
        f"{row.annotation} | None", f"{row.python_empty} if {py} is None else {argument}", "",
        (f"{py} is not None", *inner), (f"bool {present}", *row.c),
        "", f"{present} ? {value}({row.cpp_argument}) : std::nullopt", f"const {value} &", value,
    )  # fmt: skip


# --- results ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One result at every border, in the order in which it crosses them: C++, C, Python."""

    cpp: str
    """C++ type of the typed function's result."""
    cpp_to_c: str
    """Support function that turns it into the C result; empty when it is one already."""
    c: str
    """C result type, with the space that a declarator needs."""
    failed: str
    """C++ expression a failed call returns."""
    python_failed: str
    """Python condition over `_result` under which there may be an error."""
    python_result: str
    """Python expression over `_result`; empty for void."""
    annotation: str


@lru_cache(maxsize=8192)
def result(type_: Type, lib: str) -> ResultRow:
    """The row of a result in library `lib`."""
    buffer = f"{names.support(lib, 'buffer')} *"
    match type_:
        case Void():
            return ResultRow("void", "", "int32_t ", "wg::failure().kind", "_result", "", "None")
        case Scalar():
            return _scalar_result(type_)
        case Text():
            return _buffer_result(buffer, "std::string", "_bridge.text_out(_result)", "str")
        case Bytes():
            return _buffer_result(buffer, "std::string", "_bridge.bytes_out(_result)", "bytes")
        case Handle():
            return ResultRow(
                type_.name, f"wg::give<{names.c_handle(lib, type_.name)}>", f"{names.c_handle(lib, type_.name)} *",
                "nullptr", "not _result", f"{type_.name}._own(_result)", type_.name,
            )  # fmt: skip
        case EnumRef():
            return ResultRow(
                f"wg_enum_{type_.name}", "static_cast<int64_t>", "int64_t ", "-20210113", "_result == -20210113",
                f"_bridge.enum_out({type_.name}, _result)", type_.name,
            )  # fmt: skip
        case List(element):
            return _list_result(element, buffer, lib)
        case Optional(of):
            return _optional_result(of, buffer, lib)
        case SpanOf():
            raise ValueError("a span is no result type")
        case _:
            assert_never(type_)


def _scalar_result(scalar: Scalar) -> ResultRow:
    row = SCALARS[scalar]
    if scalar is Scalar.BOOL:
        return ResultRow(
            "bool", "", "int32_t ", row.sentinel, f"_result == {row.python_sentinel}", "bool(_result)", "bool"
        )
    failed = f"_result == {row.python_sentinel}" if scalar.kind is not Kind.FLOAT else "_result != _result"
    return ResultRow(str(scalar), "", f"{row.c} ", row.sentinel, failed, "_result", row.python)


def _buffer_result(buffer: str, cpp: str, python: str, annotation: str) -> ResultRow:
    return ResultRow(
        cpp, f"wg::buffer<{buffer.removesuffix(' *')}>", buffer, "nullptr", "not _result", python, annotation
    )


def _list_result(element: Scalar | Text | Handle, buffer: str, lib: str) -> ResultRow:
    match element:
        case Scalar():
            row = SCALARS[element]
            take = f'_bridge.list_out(_result, "{row.c} *")'
            return _buffer_result(buffer, f"std::vector<{element}>", take, f"list[{row.python}]")
        case Text():
            return _buffer_result(buffer, "std::vector<std::string>", "_bridge.texts_out(_result)", "list[str]")
        case Handle():
            c = names.c_handle(lib, element.name)
            row_ = _buffer_result(
                buffer, f"std::vector<{element.name}>", f'_bridge.handles_out(_result, {element.name}, "{c} **")',
                f"list[{element.name}]",
            )  # fmt: skip
            return ResultRow(
                row_.cpp, f"wg::give_all<{c}, {buffer.removesuffix(' *')}>", row_.c, row_.failed,
                row_.python_failed, row_.python_result, row_.annotation,
            )  # fmt: skip
        case _:
            assert_never(element)


def _optional_result(of: Type, buffer: str, lib: str) -> ResultRow:
    row = result(of, lib)
    annotation = f"{row.annotation} | None"
    if isinstance(of, Handle):  # null is None, or an error: the one look at the error tells
        return ResultRow(
            f"std::optional<{row.cpp}>", f"wg::give_optional<{names.c_handle(lib, of.name)}>", row.c, row.failed,
            row.python_failed, f"{row.python_result} if _result else None", annotation,
        )  # fmt: skip
    match of:
        case Scalar():
            python = f'_bridge.optional_out(_result, {SCALARS[of].python}, "{SCALARS[of].c} *")'
        case EnumRef():
            python = f"_bridge.optional_enum_out(_result, {of.name})"
        case _:
            python = f"{row.python_result} if _bridge.present(_result) else None"
    give = f"wg::optional_buffer<{buffer.removesuffix(' *')}>"
    return ResultRow(f"std::optional<{row.cpp}>", give, buffer, "nullptr", "not _result", python, annotation)
