"""How an argument of each type crosses each border: one row a type, holding finished texts for C, C++ and Python.

A row is written for one parameter. Its texts name only what it is given, and the fixed vocabulary of the support files
(`wg::…` in C++, `_bridge.…` in Python). Nothing here knows about functions or templates.
"""

from __future__ import annotations

from functools import lru_cache
from typing import assert_never

from wrapper_gen import names
from wrapper_gen.frozen import replace
from wrapper_gen.quoting import c_bool, python_string
from wrapper_gen.types.around import INNER, Around, in_call
from wrapper_gen.types.callable_parameters import callable_parameter, with_callables_within
from wrapper_gen.types.hints import Import, Way
from wrapper_gen.types.memory import has_strides
from wrapper_gen.types.model import (
    AnyObject,
    ArrayOf,
    Bytes,
    Complex,
    DateTime,
    DeviceStream,
    Duration,
    EnumRef,
    Exchange,
    Fn,
    Handle,
    Index,
    Iter,
    Kind,
    List,
    Map,
    Optional,
    Path,
    Recursive,
    Scalar,
    Set,
    Slice,
    SpanOf,
    Struct,
    Text,
    Tuple,
    TupleOf,
    Type,
    Union,
    Void,
)
from wrapper_gen.types.queries import goes_by_address, handles_in, has_callables, if_given, is_compound
from wrapper_gen.types.rows import HELD_OR_NULL, INNERS, Care, Form, ParameterRow
from wrapper_gen.types.scalars import SCALARS, limits
from wrapper_gen.types.spelling import descriptor, element_type, number

_MOVED = Form(*[in_call("std::move")] * 3)
"""Of a value that is the call's own: nobody else needs it."""
_STRUCTS = Around("", ".structs()")
"""The handle structs of a list."""


@lru_cache(maxsize=8192)
def parameter(type_: Type, name: str, lib: str, *, is_taken: bool = False) -> ParameterRow:
    """The row of a parameter called `name` (an identifier of the spec) in library `lib`; `is_taken`: by the call."""
    if is_compound(type_):
        row = _compound_parameter(type_, name, lib)
        return with_callables_within(row, type_, name, lib) if has_callables(type_) else row
    match type_:
        case Scalar():
            return _scalar_parameter(type_, name)
        case Text():
            return _text_parameter(name)
        case Bytes():
            return _bytes_parameter(name)
        case Handle():
            return _taken_handle(type_, name, lib) if is_taken else _handle_parameter(type_, name, lib)
        case EnumRef():
            return _enum_parameter(type_, name)
        case List(element):
            return _list_parameter(element, name, lib)
        case SpanOf(element, mutable):
            return _view_parameter(type_, name) if has_strides(type_) else _span_parameter(element, mutable, name)
        case Fn() | Optional(Fn()):
            return callable_parameter(type_, name, lib)
        case Optional(of, is_default):
            return _optional_parameter(of, name, lib, is_default=is_default)
        case (
            Void()
            | Complex()
            | Duration()
            | DateTime()
            | Path()
            | AnyObject()
            | DeviceStream()
            | Slice()
            | Index()
            | Map()
            | Set()
            | Tuple()
            | TupleOf()
            | Union()
        ):
            raise ValueError(f"{type_} has no parameters of its own")
        case Iter() | ArrayOf() | Exchange() | Struct() | Recursive():
            raise ValueError(f"{type_} has no parameters of its own")
        case _:
            assert_never(type_)


def _compound_parameter(type_: Type, name: str, lib: str) -> ParameterRow:
    py, c, local = names.python(name), names.cpp(name), names.python_local(name)
    size, value = names.extra(name, "size"), names.extra(name, "value")
    described = descriptor(type_, Way.ARGUMENT, lib)
    given, taken, imported = py, f"wg::cpython::Compound<{described}>", frozenset[Import]()
    if isinstance(type_, DeviceStream) and type_.memory:
        given = f"_current({', '.join(map(names.python, (name, *type_.memory)))})"
        taken = "wg::cpython::StreamArgument"
        imported = frozenset({Import(names.runtime_module("_device_streams"), "current", "_current")})
    convert = f"_types[{python_string(str(type_))}].encode({given}, {python_string(py)})"
    return ParameterRow(
        python_convert=convert,
        python_prepare=convert,
        python_imports=imported,
        python_arguments=(f"{local}.data", f"len({local}.data)"),
        is_lent=bool(handles_in(type_)),
        cpython=taken,
        c=(f"const char *{c}", f"size_t {size}"),
        cpp=f"wg::Value<{described}> &",
        cpp_prepare=f"wg::Decoded<{described}> {value}({c}, {size});",
        cpp_argument=f"{value}.get()",
        form=_MOVED,
        care=Care.COMPOUND if isinstance(if_given(type_), List | Map | Set | Tuple | TupleOf) else Care.NONE,
        goes_by_address=goes_by_address(type_),
        cpp_owners=f"{value}.pinned()",
    )


def _scalar_parameter(scalar: Scalar, name: str) -> ParameterRow:
    row, py, c = SCALARS[scalar], names.python(name), names.cpp(name)
    crosses_wide = scalar is Scalar.F32  # so that a value too large for it is an error and not infinity
    return ParameterRow(
        python_arguments=(py,),
        python_convert=_number_in(scalar, py),
        python_unless=(f"_type({py}) is not _{row.python}", *([_UNFIT.format(py)] if crosses_wide else [])),
        python_imports=frozenset({_MOST_F32} if crosses_wide else ()),
        python_range=_range(scalar, py),
        python_strict=scalar is Scalar.F64,
        cpython=f"wg::cpython::Number<{number(scalar)}>",
        c=(f"{'double' if crosses_wide else row.c} {c}",),
        cpp=str(scalar),
        cpp_argument=f"wg::narrow({c})" if crosses_wide else c,
        cpp_value=str(scalar),
        care=Care.NONE if scalar.kind is Kind.BOOL else Care.NUMBER,  # a bool is a number of any type
    )


_MOST_F32 = Import(names.runtime_module("_cffi_numbers"), "MOST_F32", "_MOST_F32")
_UNFIT = "not -_MOST_F32 <= {0} <= _MOST_F32"
"""What to ask of a float where its exact type is not enough."""


def _range(scalar: Scalar, py: str) -> str:
    """What an int has to be to fit, which cffi looks at too."""
    fits = limits(scalar)
    return f"{fits[0]} <= {py} <= {fits[1]}" if fits else ""


def _number_in(scalar: Scalar, py: str, many: str = "") -> str:
    """The cffi engine's thorough conversion of one number or many."""
    if scalar.kind is Kind.BOOL:
        return f'_bridge.bool{many}_in({py}, "{py}")'
    kind = "float" if scalar.kind is Kind.FLOAT else "int"
    return f'_bridge.{kind}{many}_in({py}, "{py}", "{scalar}")'


def _text_parameter(name: str) -> ParameterRow:
    py, c, local, size = names.python(name), names.cpp(name), names.python_local(name), names.extra(name, "size")
    convert = f'_bridge.text_in({py}, "{py}")'
    return ParameterRow(
        python_convert=convert,
        python_prepare=f"_encode({py}) if _type({py}) is _str and {py}.isascii() else {convert}",
        python_empty='b""',
        python_arguments=(local, f"_len({local})"),
        cpython="wg::cpython::Text",
        c=(f"const char *{c}", f"size_t {size}"),
        cpp="const std::string &",
        cpp_argument=f"std::string({c}, {size})",
        cpp_value="std::string",
        care=Care.TEXT,
    )


def _bytes_parameter(name: str) -> ParameterRow:
    py, c, local, size = names.python(name), names.cpp(name), names.python_local(name), names.extra(name, "size")
    convert = f'_bridge.bytes_in({py}, "{py}")'
    return ParameterRow(
        python_convert=convert,
        python_prepare=convert,
        python_empty='(b"", 0)',
        python_arguments=(f"*{local}",),
        is_lent=True,
        cpython="wg::cpython::Bytes",
        c=(f"const char *{c}", f"size_t {size}"),
        cpp="std::string_view",
        cpp_argument=f"std::string_view({c}, {size})",
        cpp_value="std::string_view",
        care=Care.BYTES,
    )


def _handle_parameter(handle: Handle, name: str, lib: str) -> ParameterRow:
    py, c, pin = names.python(name), names.cpp(name), names.extra(name, "pin")
    used = names.python_used(handle.name) if handle.of else ""
    return ParameterRow(
        python_arguments=(f"{used}.cell({py})" if used else f"{py}._h",),
        python_convert=f'{used}.take({py}, "{py}")' if used else f'_bridge.handle_in({py}, {handle.name}, "{py}")',
        python_unless=(f"_type({py}) is not {handle.name}", f"{py}.closed" if used else f"not {py}._h"),
        cpython=f"wg::cpython::Handle<{handle.name}>",
        c=(f"{names.c_handle(lib, handle.name)} *{c}",),
        cpp=f"{handle.name} &",
        cpp_prepare=f'wg::Pin {pin}({c}, "{py}", "{handle.name}");',
        cpp_argument=f"*{pin}",
        cpp_owners=f"wg::held({c})",
        form=Form(inner=INNER, held=INNER),
        cpython_is_handle=True,
    )


def _taken_handle(handle: Handle, name: str, lib: str) -> ParameterRow:
    """It stays in its cell until the user's code is called."""
    take = names.extra(name, "take")
    return replace(
        _handle_parameter(handle, name, lib),
        cpython=f"wg::cpython::TakenHandle<{handle.name}>",
        cpp=f"wg::Taken<{handle.name}> &",
        cpp_prepare=f'wg::Take {take}({names.cpp(name)}, "{names.python(name)}", "{handle.name}");',
        cpp_argument=take,
        care=Care.TAKEN,
        form=Form(
            inner=Around("std::move(", ".consume().inner)"),
            struct=Around("std::move(", ".consume())"),
            held=Around("std::move(", ".consume().inner)"),
        ),
        cpp_body=f"{handle.name} &",
        cpp_body_argument=Around("", ".consume()"),
        cpp_owners=f"{take}.kept()",
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
        care=Care.NUMBER,
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
                brings_length=element is not Scalar.BOOL,  # std::vector<bool> has no address
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
                brings_length=True,
                is_gathered=True,
            )
        case Handle():
            convert = f'_bridge.handles_in({py}, {element.name}, "{py}")'
            cells = f"[each._h for each in {local}]"
            if element.of:
                used = names.python_used(element.name)
                convert, cells = f'{used}.take_all({py}, "{py}")', f"[{used}.cell(each) for each in {local}]"
            return ParameterRow(
                python_convert=convert,
                python_prepare=convert,
                python_arguments=(cells, f"_len({local})"),
                cpython=f"wg::cpython::HandleList<{element.name}>",
                c=(f"{names.c_handle(lib, element.name)} *const *{c}", f"size_t {size}"),
                cpp=f"const wg::Handles<{element.name}> &",
                cpp_prepare=f'wg::Pins {pins}({c}, {size}, "{py}", "{element.name}");',
                cpp_argument=f"{pins}.handles()",
                brings_length=True,
                is_gathered=True,
                form=Form(INNERS, _STRUCTS, Around("", ".pointers()"), held=INNERS),
                cpp_body=f"const std::vector<{element.name}> &",
                cpp_body_argument=_STRUCTS,
                cpp_owners=f"wg::held({c}, {size})",
                cpython_is_handle=True,
            )
        case _:
            raise ValueError(f"a list of {element} is compound")


def _span_parameter(element: Scalar | Complex, mutable: bool, name: str) -> ParameterRow:
    py, c, local, size = names.python(name), names.cpp(name), names.python_local(name), names.extra(name, "size")
    const = "" if mutable else "const "
    span, parts = f"wg::Span<{const}{element_type(element)}>", _parts(element)
    convert = f'_bridge.span_in({py}, "{py}", "{element}", {mutable})'
    return ParameterRow(
        python_convert=convert,
        python_prepare=convert,
        python_empty="((), 0)",
        python_arguments=(f"*{local}",),
        is_lent=True,
        cpython=f"wg::cpython::Memory<{const}{element_type(element)}>",
        c=(f"{const}{SCALARS[parts].c} *{c}", f"size_t {size}"),
        cpp=span,
        cpp_argument=f"{span}({c}, {size})" if parts is element else f"wg::of_parts<{span}>({c}, {size} / 2)",
        cpp_value=span,
        brings_length=True,
    )


def _parts(element: Scalar | Complex) -> Scalar:
    """What C has of elements in memory: of complex numbers their parts, one after the other."""
    if isinstance(element, Complex):
        return Scalar.F64 if element.bits == 128 else Scalar.F32
    return element


def _view_parameter(span: SpanOf, name: str) -> ParameterRow:
    """Memory of several dimensions, or with strides: it crosses C as an address, and its extents and strides."""
    py, c, local, layout = names.python(name), names.cpp(name), names.python_local(name), names.extra(name, "layout")
    const, count = "" if span.mutable else "const ", len(span.dimensions)
    parts, of = _parts(span.element), f"{const}{element_type(span.element)}, {count}, wg::Order::{span.order}"
    made = f"wg::Span<{of}>" if parts is span.element else f"wg::of_parts<wg::Span<{of}>>"
    more = f', device="{span.device}"' if span.device else ""
    more += f", stream=_told({', '.join(map(names.python, span.stream))})" if span.stream else ""
    convert = f'_view_in(_extension, {py}, "{py}", "{span.element}", {span.mutable}, {count}, "{span.order}"{more})'
    imported = {Import(names.runtime_module("_cffi_spans"), "view_in", "_view_in")}
    if span.stream:
        imported.add(Import(names.runtime_module("_device_streams"), "told", "_told"))
    taken, value, given = f"wg::cpython::View<{of}>", f"wg::Span<{of}>", f"{made}({c}, {layout})"
    if span.device:
        of = f"{const}{element_type(span.element)}"
        value = f"wg::DeviceSpan<{of}, {count}>"
        may_be_cpu, is_told = c_bool("cpu" in span.device), c_bool(bool(span.stream))
        taken = f"wg::cpython::DeviceView<{of}, {count}, {may_be_cpu}, {is_told}>"
        given = f"{value}(reinterpret_cast<{of} *>({c}), {layout})"
    return ParameterRow(
        python_convert=convert,
        python_prepare=convert,
        python_imports=frozenset(imported),
        python_empty="((), ())",
        python_arguments=(f"*{local}",),
        is_lent=True,
        cpython=taken,
        c=(f"{const}{SCALARS[parts].c} *{c}", f"const int64_t *{layout}"),
        cpp=value,
        cpp_argument=given,
        cpp_value=value,
        brings_length=True,
        lengths=f"{py}.shape",
    )


_CARE_OF_OPTIONAL = {Care.NUMBER: Care.NUMBER, Care.TEXT: Care.MAYBE_TEXT}


def _optional_parameter(of: Type, name: str, lib: str, *, is_default: bool) -> ParameterRow:
    row = parameter(of, name, lib)
    py, c = names.python(name), names.cpp(name)
    local, present, pin = names.python_local(name), names.extra(name, "present"), names.extra(name, "pin")
    nothing, as_default = (names.LEFT_OUT, ", true") if is_default else ("None", "")
    if isinstance(of, Handle):  # a null handle is None: nothing else has to cross
        optional = f"None if {py} is {nothing} else {row.python_convert}"
        cell = f'_cell({local}, "{py}")'
        if of.of:
            cell = f'{names.python_used(of.name)}.cell_or_null({local}, "{py}")'
        return ParameterRow(
            python_arguments=(cell,),
            python_convert=optional,
            python_prepare=optional,
            cpython=f"wg::cpython::OptionalHandle<{of.name}{as_default}>",
            c=row.c,
            cpp=f"{of.name} *",
            cpp_prepare=f'wg::OptionalPin {pin}({c}, "{py}", "{of.name}");',
            cpp_argument=f"{pin}.pointer()",
            cpp_owners=row.cpp_owners,
            form=Form(in_call("wg::maybe_inner"), in_call("wg::maybe_struct"), held=HELD_OR_NULL),
            cpython_is_handle=True,
        )
    value = f"std::optional<{row.cpp_value}>"
    optional = f"{row.python_empty} if {py} is {nothing} else {row.python_convert}"
    return ParameterRow(
        python_convert=optional,
        python_prepare=optional,
        python_arguments=(f"{py} is not {nothing}", *(row.python_arguments if row.python_prepare else (local,))),
        is_lent=row.is_lent,
        cpython=f"wg::cpython::Optional<{row.cpython}{as_default}>",
        c=(f"bool {present}", *row.c),
        cpp=f"const {value} &",
        cpp_argument=f"{present} ? {value}({row.cpp_argument}) : std::nullopt",
        cpp_value=value,
        care=_CARE_OF_OPTIONAL.get(row.care, Care.NONE),
        can_be_null=row.care in (Care.TEXT, Care.BYTES),
    )


def wanted(type_: Type) -> str:
    """What the cffi engine's runtime converts an argument to: a number's type, by its name, or a class."""
    match type_:
        case Scalar():
            return python_string(str(type_))
        case EnumRef(of) | Handle(of):
            return of
    raise ValueError(f"{type_} is converted by its row")
