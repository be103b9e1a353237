"""How a value of each type crosses each border: one row a type, holding finished texts for C, C++ and Python.

A row is written for one parameter or one result. Its texts name only what it is given, and the fixed vocabulary of the
support files (`wg::…` in C++, `_bridge.…` in Python). Nothing here knows about functions or templates.
"""

from __future__ import annotations

from functools import lru_cache
from typing import assert_never

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.quoting import python_string
from wrapper_gen.types.hints import Import, Way, hint
from wrapper_gen.types.model import (
    Bytes,
    EnumRef,
    Handle,
    Kind,
    List,
    Map,
    Optional,
    Scalar,
    Set,
    SpanOf,
    Struct,
    Text,
    Tuple,
    Type,
    Union,
    Void,
)
from wrapper_gen.types.queries import is_compound
from wrapper_gen.types.spelling import descriptor, number

# --- scalars ---------------------------------------------------------------------------------------------------------


@frozen
class ScalarRow:
    """A scalar's names, and the value that says "look for an error" when a C function returns it."""

    c: str
    python: str
    sentinel: str
    """As C++ writes it."""
    python_sentinel: str
    """As Python compares it; empty for floats, whose sentinel is NaN."""


def _integer(c: str, sentinel: int, suffix: str = "") -> ScalarRow:
    return ScalarRow(c, "int", f"{sentinel}{suffix}", str(sentinel))


# Sentinels are values that are unlikely as results; one that does occur costs one look at the error, nothing else.
SCALARS: dict[Scalar, ScalarRow] = {
    Scalar.BOOL: ScalarRow("bool", "bool", "-1", "-1"),
    Scalar.I8: _integer("int8_t", -113),
    Scalar.I16: _integer("int16_t", -21113),
    Scalar.I32: _integer("int32_t", -20210113),
    Scalar.I64: _integer("int64_t", -20210113),
    Scalar.U8: _integer("uint8_t", 141),
    Scalar.U16: _integer("uint16_t", 44423),
    Scalar.U32: _integer("uint32_t", 4274757183, "u"),
    Scalar.U64: _integer("uint64_t", 18446744073689341503, "u"),
    Scalar.USIZE: _integer("size_t", 18446744073689341503, "u"),
    Scalar.F32: ScalarRow("float", "float", "NAN", ""),
    Scalar.F64: ScalarRow("double", "float", "NAN", ""),
}

# --- parameters ------------------------------------------------------------------------------------------------------


@frozen
class ParameterRow:
    """One parameter at every border, in the order in which a call crosses them: Python, C, C++."""

    python_arguments: tuple[str, ...]
    """cffi engine: arguments of the C call, one for each of `c`; one with a star stands for an address and a size.

    They run no code of the caller's: a handle is looked at after all of that has run, which may have closed it.
    """
    python_convert: str
    """cffi engine: the thorough conversion, which says what is wrong with an argument. What it makes is of exactly the
    type that the call wants, so that no code of the caller's runs twice."""
    cpython: str
    """cpython engine: the C++ class that takes the Python object."""
    c: tuple[str, ...]
    """C declarations."""
    cpp: str
    """C++ type of the typed function's parameter."""
    cpp_argument: str
    """C++ expression of type `cpp`, over the C parameters."""
    cpp_value: str = ""
    """`cpp` without reference: what `std::optional` wants."""
    cpp_prepare: str = ""
    """C++ statement before the call, or empty."""
    python_prepare: str = ""
    """cffi engine: what a local holds for the time of the call; empty when the argument itself is replaced."""
    python_unless: tuple[str, ...] = ()
    """cffi engine: the conditions under which an argument needs the thorough conversion, if not all do."""
    python_imports: frozenset[Import] = frozenset()
    """cffi engine: what these need."""
    python_range: str = ""
    """cffi engine: what has to hold too, but is left to the call where nothing else can be refused before that."""
    python_strict: bool = False
    """cffi engine: whether the call itself refuses what `python_unless` finds, and runs none of the caller's code."""
    is_lent: bool = False
    """cffi engine: whether the local holds memory that the caller lends, and has to forget it when the call is over."""
    python_empty: str = "0"
    """cffi engine: what the local holds when an optional parameter is None."""


@lru_cache(maxsize=8192)
def parameter(type_: Type, name: str, lib: str) -> ParameterRow:
    """The row of a parameter called `name` (an identifier of the spec) in library `lib`."""
    if is_compound(type_):
        return _compound_parameter(type_, name, lib)
    match type_:
        case Scalar():
            return _scalar_parameter(type_, name)
        case Text() | Bytes():
            return _text_parameter(type_, name)
        case Handle():
            return _handle_parameter(type_, name, lib)
        case EnumRef():
            return _enum_parameter(type_, name)
        case List(element):
            return _list_parameter(element, name, lib)
        case SpanOf(element, mutable):
            return _span_parameter(element, mutable, name)
        case Optional(of):
            return _optional_parameter(of, name, lib)
        case Void() | Map() | Set() | Tuple() | Union() | Struct():
            raise ValueError(f"{type_} has no parameters of its own")
        case _:
            assert_never(type_)


def _compound_parameter(type_: Type, name: str, lib: str) -> ParameterRow:
    py, c, local = names.python(name), names.cpp(name), names.python_local(name)
    size, value = names.extra(name, "size"), names.extra(name, "value")
    described = descriptor(type_, Way.ARGUMENT, lib)
    convert = f"_types[{python_string(str(type_))}].encode({py}, {python_string(py)})"
    return ParameterRow(
        python_convert=convert,
        python_prepare=convert,
        python_arguments=(f"{local}.data", f"len({local}.data)"),
        cpython=f"wg::cpython::Compound<{described}>",
        c=(f"const char *{c}", f"size_t {size}"),
        cpp=f"wg::Value<{described}> &",
        cpp_prepare=f"wg::Decoded<{described}> {value}({c}, {size});",
        cpp_argument=f"{value}.get()",
    )


def _scalar_parameter(scalar: Scalar, name: str) -> ParameterRow:
    row, py, c = SCALARS[scalar], names.python(name), names.cpp(name)
    crosses_wide = scalar is Scalar.F32  # so that a value too large for it is an error and not infinity
    return ParameterRow(
        python_arguments=(py,),
        python_convert=_number_in(scalar, py),
        python_unless=(f"_type({py}) is not _{row.python}", *_unfit(scalar, py)),
        python_imports=frozenset({_MOST_F32} if scalar is Scalar.F32 else ()),
        python_range=_range(scalar, py),
        python_strict=scalar is Scalar.F64,
        cpython=f"wg::cpython::Number<{number(scalar)}>",
        c=(f"{'double' if crosses_wide else row.c} {c}",),
        cpp=str(scalar),
        cpp_argument=f"wg::narrow({c})" if crosses_wide else c,
        cpp_value=str(scalar),
    )


_MOST_F32 = Import("._cffi_support", "MOST_F32", "_MOST_F32")


def _unfit(scalar: Scalar, py: str) -> tuple[str, ...]:
    """What to ask where the exact type is not enough."""
    return (f"not -_MOST_F32 <= {py} <= _MOST_F32",) if scalar is Scalar.F32 else ()


def _range(scalar: Scalar, py: str) -> str:
    """What an int has to be to fit, which cffi looks at too."""
    if scalar.kind is Kind.SIGNED:
        return f"{-(1 << scalar.bits - 1)} <= {py} <= {(1 << scalar.bits - 1) - 1}"
    return f"0 <= {py} <= {(1 << scalar.bits) - 1}" if scalar.kind is Kind.UNSIGNED else ""


def _number_in(scalar: Scalar, py: str, many: str = "") -> str:
    """The cffi engine's thorough conversion of one number or many."""
    if scalar is Scalar.USIZE:
        return f'_bridge.int{many}_in({py}, "{py}", "usize")'
    match scalar.kind:
        case Kind.BOOL:
            return f'_bridge.bool{many}_in({py}, "{py}")'
        case Kind.FLOAT:
            return f'_bridge.float{many}_in({py}, "{py}", "f{scalar.bits}")'
        case kind:
            return f'_bridge.int{many}_in({py}, "{py}", "{"i" if kind is Kind.SIGNED else "u"}{scalar.bits}")'


def _text_parameter(type_: Text | Bytes, name: str) -> ParameterRow:
    py, c, local, size = names.python(name), names.cpp(name), names.python_local(name), names.extra(name, "size")
    is_text = isinstance(type_, Text)
    convert = f'_bridge.{type_}_in({py}, "{py}")'
    value = "std::string" if is_text else "std::string_view"
    return ParameterRow(
        python_convert=convert,
        python_prepare=f"_encode({py}) if _type({py}) is _str else {convert}" if is_text else convert,
        python_empty='b""' if is_text else '(b"", 0)',
        python_arguments=(local, f"_len({local})") if is_text else (f"*{local}",),
        is_lent=not is_text,
        cpython="wg::cpython::Text" if is_text else "wg::cpython::Bytes",
        c=(f"const char *{c}", f"size_t {size}"),
        cpp="const std::string &" if is_text else value,
        cpp_argument=f"{value}({c}, {size})",
        cpp_value=value,
    )


def _handle_parameter(handle: Handle, name: str, lib: str) -> ParameterRow:
    py, c, pin = names.python(name), names.cpp(name), names.extra(name, "pin")
    return ParameterRow(
        python_arguments=(f"{py}._h",),
        python_convert=f'_bridge.handle_in({py}, {handle.name}, "{py}")',
        python_unless=(f"_type({py}) is not {handle.name}", f"not {py}._h"),
        cpython=f"wg::cpython::Handle<{handle.name}>",
        c=(f"{names.c_handle(lib, handle.name)} *{c}",),
        cpp=f"{handle.name} &",
        cpp_prepare=f'wg::Pin {pin}({c}, "{py}", "{handle.name}");',
        cpp_argument=f"*{pin}",
    )


def _enum_parameter(enum: EnumRef, name: str) -> ParameterRow:
    py, c, alias = names.python(name), names.cpp(name), names.enum_alias(enum.name)
    return ParameterRow(
        python_arguments=(py,),
        python_convert=f'_bridge.enum_in({py}, {enum.name}, "{py}")',
        python_unless=(f"_type({py}) is not {enum.name}", f"{names.python_enum_mask(enum.name)} > 0"),
        python_range=_range(Scalar.I64, py),
        cpython=f"wg::cpython::Enum<{alias}, {names.enum_tag(enum.name)}>",
        c=(f"int64_t {c}",),
        cpp=alias,
        cpp_argument=f'wg::enumerator<{alias}>({c}, "{py}")',
        cpp_value=alias,
    )


def _list_parameter(element: Type, name: str, lib: str) -> ParameterRow:
    py, c, local = names.python(name), names.cpp(name), names.python_local(name)
    size, sizes, pins = (names.extra(name, what) for what in ("size", "sizes", "pins"))
    match element:
        case Scalar():
            row = SCALARS[element]
            values = f"std::vector<{element}>"
            convert = _number_in(element, py, many="s")
            return ParameterRow(
                python_convert=convert,
                python_prepare=convert,
                python_empty="()",
                python_arguments=(local, f"_len({local})"),
                cpython=f"wg::cpython::Compound<wg::types::List<{number(element)}>>",
                c=(f"const {row.c} *{c}", f"size_t {size}"),
                cpp=f"const {values} &",
                cpp_argument=f"wg::values<{element}>({c}, {size})",
                cpp_value=values,
            )
        case Text():
            convert = f'_bridge.texts_in({py}, "{py}")'
            return ParameterRow(
                python_convert=convert,
                python_prepare=convert,
                python_empty='(b"", ())',
                python_arguments=(f"{local}[0]", f"{local}[1]", f"_len({local}[1])"),
                cpython="wg::cpython::Compound<wg::types::List<wg::types::Text>>",
                c=(f"const char *{c}", f"const size_t *{sizes}", f"size_t {size}"),
                cpp="const std::vector<std::string> &",
                cpp_argument=f"wg::texts({c}, {sizes}, {size})",
                cpp_value="std::vector<std::string>",
            )
        case Handle():
            convert = f'_bridge.handles_in({py}, {element.name}, "{py}")'
            return ParameterRow(
                python_convert=convert,
                python_prepare=convert,
                python_arguments=(f"[each._h for each in {local}]", f"_len({local})"),
                cpython=f"wg::cpython::HandleList<{element.name}>",
                c=(f"{names.c_handle(lib, element.name)} *const *{c}", f"size_t {size}"),
                cpp=f"const wg::Handles<{element.name}> &",
                cpp_prepare=f'wg::Pins {pins}({c}, {size}, "{py}", "{element.name}");',
                cpp_argument=f"{pins}.handles()",
            )
        case _:
            raise ValueError(f"a list of {element} is compound")


def _span_parameter(element: Scalar, mutable: bool, name: str) -> ParameterRow:
    py, c, local, size = names.python(name), names.cpp(name), names.python_local(name), names.extra(name, "size")
    const = "" if mutable else "const "
    span = f"wg::Span<{const}{element}>"
    convert = f'_bridge.span_in({py}, "{py}", "{element}", {mutable})'
    return ParameterRow(
        python_convert=convert,
        python_prepare=convert,
        python_empty="((), 0)",
        python_arguments=(f"*{local}",),
        is_lent=True,
        cpython=f"wg::cpython::Memory<{const}{element}>",
        c=(f"{const}{SCALARS[element].c} *{c}", f"size_t {size}"),
        cpp=span,
        cpp_argument=f"{span}({c}, {size})",
        cpp_value=span,
    )


def _optional_parameter(of: Type, name: str, lib: str) -> ParameterRow:
    row = parameter(of, name, lib)
    py, c = names.python(name), names.cpp(name)
    local, present, pin = names.python_local(name), names.extra(name, "present"), names.extra(name, "pin")
    if isinstance(of, Handle):  # a null handle is None: nothing else has to cross
        optional = f"None if {py} is None else {row.python_convert}"
        cell = f'_NULL if {local} is None else {local}._h or _bridge.closed({local}, "{py}")'
        return ParameterRow(
            python_arguments=(cell,),
            python_convert=optional,
            python_prepare=optional,
            cpython=f"wg::cpython::OptionalHandle<{of.name}>",
            c=row.c,
            cpp=f"{of.name} *",
            cpp_prepare=f'wg::OptionalPin {pin}({c}, "{py}", "{of.name}");',
            cpp_argument=f"{pin}.pointer()",
        )
    value = f"std::optional<{row.cpp_value}>"
    optional = f"{row.python_empty} if {py} is None else {row.python_convert}"
    return ParameterRow(
        python_convert=optional,
        python_prepare=optional,
        python_arguments=(f"{py} is not None", *(row.python_arguments if row.python_prepare else (local,))),
        is_lent=row.is_lent,
        cpython=f"wg::cpython::Optional<{row.cpython}>",
        c=(f"bool {present}", *row.c),
        cpp=f"const {value} &",
        cpp_argument=f"{present} ? {value}({row.cpp_argument}) : std::nullopt",
        cpp_value=value,
    )


# --- results ---------------------------------------------------------------------------------------------------------


@frozen
class ResultRow:
    """One result at every border, in the order in which it crosses them: C++, C, Python."""

    cpp: str
    """C++ type of the typed function's result."""
    cpp_to_c: str
    """Support function that turns it into the C result; empty when it is one already."""
    cpython: str
    """cpython engine: C++ expression over `$`, the call, that makes the Python object; empty for void and handles."""
    c: str
    """C result type, with the space that a declarator needs."""
    failed: str
    """C++ expression a failed call returns."""
    python_failed: str
    """cffi engine: condition over `_result` under which the call has failed."""
    python_result: str
    """cffi engine: expression over `_result`; empty for void."""
    cpp_use: str = ""
    """What is done with the call's own result before it is gone, by default; empty where the function returns it."""
    python_made: tuple[str, ...] = ()
    """cffi engine: lines over `_result` that make what `python_result` is."""
    python_c: str = "Any"
    """cffi engine: what the C function returns, as the type stub of the extension has it."""


@lru_cache(maxsize=8192)
def result(type_: Type, lib: str) -> ResultRow:
    """The row of a result in library `lib`."""
    if is_compound(type_):
        return _compound_result(type_, lib)
    match type_:
        case Void():
            return ResultRow("void", "", "", "int32_t ", "wg::failure().kind", "_result", "", python_c="int")
        case Scalar():
            return _scalar_result(type_)
        case Text():
            return _buffer_result("std::string", "wg::cpython::text($)", "_bridge.text_out(_result)", lib)
        case Bytes():
            return _buffer_result("std::string", "wg::cpython::bytes($)", "_bridge.bytes_out(_result)", lib)
        case Handle(name):
            cell = names.c_handle(lib, name)
            return ResultRow(
                cpp=name,
                cpp_to_c=f"wg::give<{cell}>",
                cpython="",
                c=f"{cell} *",
                failed="nullptr",
                python_failed="not _result and _failed()",
                python_made=(f"_made: {name} = _own({name}, _result, {names.python_drop(name)})",),
                python_result="_made",
            )
        case EnumRef(name):
            return ResultRow(
                cpp=names.enum_alias(name),
                cpp_to_c="static_cast<int64_t>",
                cpython=f"wg::cpython::member<{names.enum_tag(name)}>($)",
                c="int64_t ",
                failed=SCALARS[Scalar.I64].sentinel,
                python_failed=f"_result == {SCALARS[Scalar.I64].python_sentinel} and _failed()",
                python_result=f"{name}(_result & {names.python_enum_mask(name)})",
                python_c="int",
            )
        case List(element):
            return _list_result(element, lib)
        case Optional(of):
            return _optional_result(of, lib)
        case SpanOf() | Map() | Set() | Tuple() | Union() | Struct():
            raise ValueError(f"{type_} has no C result of its own")
        case _:
            assert_never(type_)


def _scalar_result(scalar: Scalar) -> ResultRow:
    row = SCALARS[scalar]
    is_bool = scalar is Scalar.BOOL
    unusual = "_result != _result" if scalar.kind is Kind.FLOAT else f"_result == {row.python_sentinel}"
    return ResultRow(
        cpp=str(scalar),
        cpp_to_c="",
        cpython="wg::cpython::number($)",
        c="int32_t " if is_bool else f"{row.c} ",
        failed=row.sentinel,
        python_failed=f"{unusual} and _failed()",
        python_result="_result == 1" if is_bool else "_result",
        python_c="float" if scalar.kind is Kind.FLOAT else "int",
    )


def _buffer_result(cpp: str, cpython: str, python: str, lib: str, to_c: str = "") -> ResultRow:
    """A result that crosses C in a buffer of its own."""
    buffer = names.support(lib, "buffer")
    to_c = to_c or f"wg::buffer<{buffer}>"
    return ResultRow(cpp, to_c, cpython, f"{buffer} *", "nullptr", "not _result and _failed()", python)


def _compound_result(type_: Type, lib: str) -> ResultRow:
    described, annotation = descriptor(type_, Way.RESULT, lib), hint(type_, Way.RESULT).code
    decoded = f"_types[{python_string(str(type_))}].decode(_bridge, _result)"
    return ResultRow(
        cpp=f"wg::Value<{described}>",
        cpp_to_c=f"wg::encoded<{described}, {names.support(lib, 'buffer')}>",
        cpython=f"wg::cpython::made<{described}>($)",
        cpp_use=f"wg::AsDeclared<{described}>()",
        c=f"{names.support(lib, 'buffer')} *",
        failed="nullptr",
        python_failed="not _result and _failed()",
        python_made=(f"_value: {annotation} = {decoded}",),
        python_result="_value",
    )


def _list_result(element: Type, lib: str) -> ResultRow:
    match element:
        case Scalar():
            cpython = f"wg::cpython::list($, []({element} element) {{ return wg::cpython::number(element); }})"
            python = f'_bridge.list_out(_result, "{element}")'
            return _buffer_result(f"std::vector<{element}>", cpython, python, lib)
        case Text():
            cpython = "wg::cpython::list($, [](const std::string &element) { return wg::cpython::text(element); })"
            python = "_bridge.texts_out(_result)"
            return _buffer_result("std::vector<std::string>", cpython, python, lib)
        case Handle(name):
            cell = names.c_handle(lib, name)
            python = f'_bridge.handles_out(_result, {name}, "{cell} **")'
            to_c = f"wg::give_all<{cell}, {names.support(lib, 'buffer')}>"
            cpython = f"wg::cpython::list($, {_give(name)})"
            return _buffer_result(f"std::vector<{name}>", cpython, python, lib, to_c)
        case _:
            raise ValueError(f"a list of {element} is compound")


def _give(handle: str) -> str:
    return f"[]({handle} &&value) {{ return wg::cpython::give<{handle}>(std::move(value)); }}"


def _optional_result(of: Type, lib: str) -> ResultRow:
    row = result(of, lib)
    if isinstance(of, Handle):  # null is None, or an error: the one look at the error tells
        return ResultRow(
            cpp=f"std::optional<{row.cpp}>",
            cpp_to_c=f"wg::give_optional<{names.c_handle(lib, of.name)}>",
            cpython=f"wg::cpython::optional($, {_give(of.name)})",
            c=row.c,
            failed=row.failed,
            python_failed=row.python_failed,
            python_result=f"{of.name}._own(_result) if _result else None",
        )
    match of:
        case Scalar():
            python = f'_bridge.optional_out(_result, "{of}", {SCALARS[of].python})'
        case EnumRef(name):
            python = f"_bridge.optional_enum_out(_result, {name})"
        case _:
            python = f"{row.python_result} if _bridge.present(_result) else None"
    each = row.cpython.replace("$", "std::move(value)")
    cpython = f"wg::cpython::optional($, []({row.cpp} &&value) {{ return {each}; }})"
    to_c = f"wg::optional_buffer<{names.support(lib, 'buffer')}>"
    return _buffer_result(f"std::optional<{row.cpp}>", cpython, python, lib, to_c)
