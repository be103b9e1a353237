"""How a result of each type crosses each border: one row a type, holding finished texts for C++, C and Python.

As in `parameters`, the texts name only what they are given, and the fixed vocabulary of the support files.
"""

from __future__ import annotations

from functools import lru_cache
from typing import assert_never

from wrapper_gen import names
from wrapper_gen.frozen import replace
from wrapper_gen.quoting import python_string
from wrapper_gen.types.around import ITSELF, Around, in_call, lambda_of
from wrapper_gen.types.hints import Import, Way, hint
from wrapper_gen.types.memory import has_arrays
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
from wrapper_gen.types.queries import is_compound
from wrapper_gen.types.rows import ResultRow
from wrapper_gen.types.scalars import SCALARS
from wrapper_gen.types.spelling import descriptor

USED = Around("return wg_use(", ");")
"""What takes a value where it lies, before the call that gave it has ended."""
_USED_OF_BODY = Around("return wg_use(", ".take());")
_ARRAY = Around("return wg_array(", ");")
_IGNORED = Around("static_cast<void>(", ");")


@lru_cache(maxsize=8192)
def result(type_: Type, lib: str) -> ResultRow:
    """The row of a result in library `lib`."""
    if is_compound(type_):
        return _compound_result(type_, lib)
    match type_:
        case Void():
            return _void_result()
        case Scalar():
            return _scalar_result(type_)
        case Text():
            return _buffer_result("std::string", in_call("wg::cpython::text"), "_bridge.text_out(_result)", lib)
        case Bytes():
            return _buffer_result("std::string", in_call("wg::cpython::bytes"), "_bridge.bytes_out(_result)", lib)
        case Handle(name) if type_.of:
            return _used_result(name, lib)
        case Handle(name):
            return _handle_result(name, lib)
        case EnumRef(name):
            return _enum_result(name)
        case List(element):
            return _list_result(element, lib)
        case Iter(element):
            return _iterator_result(type_, element, lib)
        case ArrayOf():
            return _array_result(lib)
        case Exchange():
            return _exchange_result(lib)
        case Optional(of):
            return _optional_result(of, lib)
        case (
            Fn()
            | SpanOf()
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
            | Struct()
            | Recursive()
        ):
            raise ValueError(f"{type_} has no C result of its own")
        case _:
            assert_never(type_)


def _void_result() -> ResultRow:
    return ResultRow(
        cpp="void",
        cpython=None,
        c="int32_t ",
        c_value=None,
        failed="wg::failure().kind",
        python_failed="_result",
        python_result="",
        python_c="int",
        cpp_returned=_IGNORED,
        cpp_body_returned=_IGNORED,
        cpp_body="void",
    )


def looked_at(name: str, *checks: str) -> Around:
    """The call that gives what a handle is made of, which C++ functions of ours look at first."""
    call = lambda_of()
    for check in checks:
        call = call.within(f"wg::{check}<{name}>(", ")")
    return call


def handle_made(name: str, *checks: str) -> Around:
    """The statement that returns a handle made of what a call gives, looked at in the same way."""
    return looked_at(name, *checks).within(f"return wg::make<{name}>(", ");")


def _handle_result(name: str, lib: str) -> ResultRow:
    cell = names.c_handle(lib, name)
    made = handle_made(name)

    def give(class_: str) -> Around:
        return lambda_of().within(f"wg::cpython::give<{name}>({class_}, ", ")")

    return ResultRow(
        cpp=name,
        cpython=give(f"wg::cpython::Traits<{name}>::type"),
        cpython_of_class=give("reinterpret_cast<PyTypeObject *>(wg_self)"),
        c=f"{cell} *",
        c_value=lambda_of("[&]").within(f"wg::give<{cell}>(", ")"),
        c_constructed=lambda_of("[&]").within(f"wg::give_new<{cell}>(", ")"),
        failed="nullptr",
        python_failed="not _result and _failed()",
        python_made_of_class=(f"_made: {name} = {name}._own(_result)",),
        python_result=f"_own({name}, _result, {names.python_drop(name)})",
        cpp_returned=made,
        cpp_body_returned=made,
    )


def _used_result(name: str, lib: str) -> ResultRow:
    """A handle of another package, which makes it."""
    return replace(
        _handle_result(name, lib),
        python_made=(f"_made: {name} = {names.python_used(name)}.give(_result)",),
        python_made_of_class=(),
        python_result="_made",
    )


def _array_result(lib: str) -> ResultRow:
    """Memory that stays where it is. `wg_array` of the typed function knows the dimensions."""
    array = names.support(lib, "array")
    return ResultRow(
        cpp="wg::Array",
        cpython=in_call("wg::cpython::array"),
        c=f"{array} *",
        c_value=in_call(f"wg::give_array<{array}>"),
        c_kept=in_call(f"wg::give_array<{array}>", "wg_owners"),
        failed="nullptr",
        python_failed="not _result and _failed()",
        python_result=f"_array_out(_extension, _result, _extension.lib.{array}_free)",
        python_imports=frozenset({Import(names.runtime_module("_cffi_arrays"), "array_out", "_array_out")}),
        cpp_returned=_ARRAY,
        cpp_body_returned=_ARRAY,
        cpp_body="decltype(auto)",
        is_array=True,
    )


def _exchange_result(lib: str) -> ResultRow:
    """Memory that whoever takes it owns."""
    exchange = names.support(lib, "dlpack")
    return ResultRow(
        cpp="wg::Exchange",
        cpython=in_call("wg::cpython::capsule"),
        c=f"{exchange} *",
        c_value=in_call(f"wg::give_exchange<{exchange}>"),
        failed="nullptr",
        python_failed="not _result and _failed()",
        python_result=f"_capsule_out(_extension, _result, _extension.lib.{exchange}_free)",
        python_imports=frozenset({Import(names.runtime_module("_cffi_exchanges"), "capsule_out", "_capsule_out")}),
    )


def _enum_result(name: str) -> ResultRow:
    return ResultRow(
        cpp=names.enum_alias(name),
        cpython=in_call(f"wg::cpython::member<{names.enum_tag(name)}>"),
        c="int64_t ",
        c_value=in_call("static_cast<int64_t>"),
        failed=SCALARS[Scalar.I64].sentinel,
        python_failed=f"_result == {SCALARS[Scalar.I64].python_sentinel} and _failed()",
        python_result=f"{name}(_result & {names.python_enum_mask(name)})",
        python_c="int",
    )


def _scalar_result(scalar: Scalar) -> ResultRow:
    row = SCALARS[scalar]
    is_bool = scalar is Scalar.BOOL
    unusual = "_result != _result" if scalar.kind is Kind.FLOAT else f"_result == {row.python_sentinel}"
    return ResultRow(
        cpp=str(scalar),
        cpython=in_call("wg::cpython::number"),
        c="int32_t " if is_bool else f"{row.c} ",
        c_value=ITSELF,
        failed=row.sentinel,
        python_failed=f"{unusual} and _failed()",
        python_result="_result == 1" if is_bool else "_result",
        python_c="float" if scalar.kind is Kind.FLOAT else "int",
    )


def _buffer_result(cpp: str, cpython: Around, python: str, lib: str, to_c: str = "wg::buffer") -> ResultRow:
    """A result that crosses C in a buffer of its own, which `to_c` makes."""
    buffer = names.support(lib, "buffer")
    c_value = in_call(f"{to_c}<{buffer}>")
    return ResultRow(cpp, cpython, f"{buffer} *", c_value, "nullptr", "not _result and _failed()", python)


_ARRAYS = frozenset({Import(names.runtime_module("_cffi_arrays"), "Arrays", "_Arrays")})
_LONGEST = 112
"""Columns that a statement of a method may have: a formatter would break a longer one."""


def _compound_result(type_: Type, lib: str) -> ResultRow:
    described, annotation = descriptor(type_, Way.RESULT, lib), hint(type_, Way.RESULT).code
    buffer = names.support(lib, "buffer")
    codec = f"_types[{python_string(str(type_))}]"
    made: tuple[str, ...] = (f"_value: {annotation} = {codec}.decode(_bridge, _result)",)
    if len(made[0]) > _LONGEST:
        made = (f"_codec = {codec}", f"_value: {annotation} = _codec.decode(_bridge, _result)")
    return ResultRow(
        cpp=f"wg::Value<{described}>",
        cpython=in_call(f"wg::cpython::made<{described}>"),
        c=f"{buffer} *",
        c_value=in_call(f"wg::encoded<{described}, {buffer}>"),
        c_kept=in_call(f"wg::encoded<{described}, {buffer}>", "wg_owners"),
        cpp_returned=USED,
        cpp_body_returned=_USED_OF_BODY,
        cpp_use=f"wg::AsDeclared<{described}>()",
        failed="nullptr",
        python_failed="not _result and _failed()",
        python_made=made,
        python_result="_value",
        python_imports=_ARRAYS if has_arrays(type_) else frozenset(),
        is_checked_in_python=True,
    )


def _list_result(element: Type, lib: str) -> ResultRow:
    match element:
        case Scalar():
            return _leaves_result(element, str(element), f'_bridge.list_out(_result, "{element}")', lib)
        case Text():
            return _leaves_result(element, "std::string", "_bridge.texts_out(_result)", lib)
        case Handle(name) if element.of:
            used = f"{names.python_used(name)}.give_all(_result)"
            return replace(_handles_result(name, lib), python_result=used)
        case Handle(name):
            return _handles_result(name, lib)
        case _:
            raise ValueError(f"a list of {element} is compound")


def _leaves_result(element: Type, cpp: str, python: str, lib: str) -> ResultRow:
    """A list that crosses C in a buffer of its own; the cpython engine reads what the call gives where it lies."""
    described = descriptor(List(element), Way.RESULT, lib)
    row = _buffer_result(f"std::vector<{cpp}>", in_call(f"wg::cpython::made<{described}>"), python, lib)
    return replace(
        row,
        cpp_returned=USED,
        cpp_body_returned=_USED_OF_BODY,
        cpp_use=f"wg::AsDeclared<{described}>()",
    )


def _handles_result(name: str, lib: str) -> ResultRow:
    cell, buffer = names.c_handle(lib, name), names.support(lib, "buffer")
    return ResultRow(
        cpp=f"std::vector<{name}>",
        cpython=in_call("wg::cpython::list", _give(name)),
        c=f"{buffer} *",
        c_value=in_call(f"wg::give_all<{cell}, {buffer}>"),
        c_kept=in_call(f"wg::give_all<{cell}, {buffer}>", "wg_owners"),
        failed="nullptr",
        python_failed="not _result and _failed()",
        python_result=f'_bridge.handles_out(_result, {name}, "{cell} **")',
    )


def _iterator_result(type_: Type, element: Type, lib: str) -> ResultRow:
    keeping = Around("_iterators.give(_result, _codec, ", ")")
    described = descriptor(element, Way.RESULT, lib)
    return ResultRow(
        cpp=f"wg::CSteps<{described}>",
        cpython=in_call("wg::cpython::iterator"),
        cpython_use=f"wg::cpython::AsSteps<{described}>()",
        c="void *",
        c_value=in_call("wg::iterator"),
        c_kept=in_call("wg::iterator", "wg_owners"),
        cpp_returned=USED,
        cpp_body_returned=USED,
        cpp_body="auto",
        cpp_use=f"wg::AsCSteps<{described}>()",
        failed="nullptr",
        python_failed="not _result and _failed()",
        python_made=(f"_codec = _types[{python_string(str(type_))}]",),
        python_result=keeping.of("()"),
        python_keeping=keeping,
    )


def _give(handle: str) -> str:
    return f"[]({handle} &&value) {{ return wg::cpython::give<{handle}>(std::move(value)); }}"


def _optional_result(of: Type, lib: str) -> ResultRow:
    row = result(of, lib)
    if isinstance(of, Handle):  # null is None, or an error: the one look at the error tells
        made = f"{names.python_used(of.name)}.give(_result)" if of.of else f"{of.name}._own(_result)"
        return ResultRow(
            cpp=f"std::optional<{row.cpp}>",
            cpython=in_call("wg::cpython::optional", _give(of.name)),
            c=row.c,
            c_value=in_call(f"wg::give_optional<{names.c_handle(lib, of.name)}>"),
            failed=row.failed,
            python_failed=row.python_failed,
            python_result=f"{made} if _result else None",
        )
    match of:
        case Scalar():
            python = f'_bridge.optional_out(_result, "{of}", {SCALARS[of].python})'
        case EnumRef(name):
            python = f"_bridge.optional_enum_out(_result, {name})"
        case _:
            python = f"{row.python_result} if _bridge.present(_result) else None"
    assert row.cpython is not None, f"{of} has no value"
    each = row.cpython.of("std::move(value)")
    cpython = in_call("wg::cpython::optional", f"[]({row.cpp} &&value) {{ return {each}; }}")
    return _buffer_result(f"std::optional<{row.cpp}>", cpython, python, lib, "wg::optional_buffer")
