"""Tier 1, the bridge: C++ with a C ABI. Decides every line of `bridge.h` and `bridge.cpp`; places none."""

from __future__ import annotations

import re

from wrapper_gen import names
from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen
from wrapper_gen.model import (
    Body,
    Code,
    EnumType,
    ErrorType,
    Function,
    HandleType,
    Lambda,
    Mode,
    Module,
    Named,
)
from wrapper_gen.queries import caught, derives, enum_array, exception_names, mapped_errors, owners
from wrapper_gen.quoting import c_comment, c_string
from wrapper_gen.tiers.user_code import call_of, implementation, parameter_names, spaced
from wrapper_gen.types.parameters import Care, ParameterRow, parameter
from wrapper_gen.types.queries import is_void
from wrapper_gen.types.results import ResultRow, result
from wrapper_gen.views import records
from wrapper_gen.views.documentation import not_implemented, unavailable
from wrapper_gen.views.fingerprints import fingerprint, fingerprints
from wrapper_gen.views.placement import placed, placed_lines
from wrapper_gen.views.records import RecordView
from wrapper_gen.views.units import groups

NUMBER = 1
TEMPLATES = (("bridge/bridge.h.jinja", "bridge.h"), ("bridge/bridge.cpp.jinja", "bridge.cpp"))
STATIC = tuple(
    (f"bridge/{name}", names.runtime(name))
    for name in (
        "wg_support.hpp",
        "wg_failures.hpp",
        "wg_ownership.hpp",
        "wg_handles.hpp",
        "wg_calls.hpp",
        "wg_types.hpp",
        "wg_arguments.hpp",
        "wg_results.hpp",
        "wg_containers.hpp",
        "wg_wire.hpp",
        "wg_wire_containers.hpp",
        "wg_structs.hpp",
        "wg_dynamic.hpp",
        "wg_dlpack.hpp",
        "wg_cffi.hpp",
    )
)


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


@frozen
class FunctionView:
    """One function: the user's code, the typed C++ function that calls it, the C function that calls that."""

    where: str
    comment: str
    symbol: str
    c_result: str
    c_parameters: str
    code: str
    cpp_name: str
    cpp_head: str
    cpp_statements: str
    prepare: tuple[str, ...]
    c_statements: tuple[str, ...]
    failed: str
    not_implemented: str


@frozen
class GroupView:
    """Functions that are compiled in the same unit."""

    number: int
    functions: tuple[FunctionView, ...]
    implemented: tuple[FunctionView, ...]
    coded: tuple[FunctionView, ...]
    """Those whose code does not stand in the typed function."""


@frozen
class View:
    """Everything that the bridge's templates place."""

    lib: str
    macro: str
    namespace: str
    guard: str
    includes: tuple[str, ...]
    is_c: bool
    prelude: str
    buffer: str
    unavailable: str
    variable: str
    sonames: tuple[str, ...]
    symbols: tuple[str, ...]
    is_dynamic: bool
    handles: tuple[HandleView, ...]
    enums: tuple[EnumView, ...]
    records: tuple[RecordView, ...]
    statuses: tuple[StatusView, ...]
    caught: tuple[CaughtView, ...]
    derives: str
    """The array that says which of them derive from which; empty where there are fewer than two."""
    derives_size: int
    derives_values: str
    """A row for each; then, as after the values of an enum, how many bits there are of an unsigned number."""
    fingerprint: str
    fingerprints: tuple[str, ...]
    functions: tuple[FunctionView, ...]
    groups: tuple[GroupView, ...]
    blocking: tuple[str, ...]
    """Symbols of what runs without the GIL."""


def view(module: Module) -> View:
    """The bridge of one module."""
    functions = tuple(_function(f, module) for f in module.callables)
    exceptions = exception_names(module)
    classes = caught(module)
    dynamic = module.library.dynamic
    return View(
        lib=module.name,
        macro=f"WG_{module.name.upper()}",
        namespace=names.namespace(module.name),
        guard=module.guard,
        includes=tuple(i if i[:1] in '<"' else f"<{i}>" for i in module.library.includes),
        is_c=module.language == "c",
        prelude=placed(module.prelude, module) if module.prelude else "",
        buffer=names.support(module.name, "buffer"),
        unavailable=c_string(unavailable(module)),
        variable=c_string(names.library_variable(module.package)),
        sonames=tuple(c_string(s) for s in dynamic.sonames) if dynamic else (),
        symbols=dynamic.symbols if dynamic else (),
        is_dynamic=dynamic is not None,
        handles=tuple(_handle(h, module) for h in module.handles),
        enums=tuple(_enum(e, module) for e in module.enums),
        records=records.views(module),
        statuses=tuple(_status(e, exceptions, module) for e in module.errors if e.ok),
        caught=tuple(_caught(e, exceptions, module) for e in classes),
        derives=derives(module),
        derives_size=len(classes) ** 2 + 1,
        derives_values=_derives_values([_alias(e, module) for e in classes], module),
        fingerprint=c_string(fingerprint(module)),
        fingerprints=fingerprints(module),
        functions=functions,
        groups=tuple(
            GroupView(i, group, tuple(f for f in group if not f.not_implemented), tuple(f for f in group if f.code))
            for i, group in enumerate(groups(module, functions))
        ),
        blocking=tuple(names.c_symbol(module.name, f.base, f.handle) for f in module.callables if f.blocking),
    )


# --- functions -------------------------------------------------------------------------------------------------------


def _function(function: Function, module: Module) -> FunctionView:
    lib = module.name
    rows = [parameter(p.type, p.name, lib, is_taken=p.mode is Mode.TAKE) for p in function.parameters]
    out = result(function.returns, lib)
    code, statements = _code(function, rows, out, module)
    handle = names.c_handle(lib, function.handle) if function.handle else ""
    c_parameters = [f"{handle} *wg_h"] if handle else []
    c_parameters += [declaration for row in rows for declaration in row.c]
    c_declared = ", ".join(c_parameters) or "void"
    symbol = names.c_symbol(lib, function.base, function.handle)
    missing = not_implemented(function, module)
    return FunctionView(
        where=f"{function.name}: {module.spec}:{function.span.line}",
        comment=c_comment(function.doc),
        symbol=symbol,
        c_result=out.c,
        c_parameters=c_declared,
        code=code,
        cpp_name=names.cpp_function(lib, function.base, function.handle),
        cpp_head=_cpp_head(function, names.cpp_function(lib, function.base, function.handle), rows, out),
        cpp_statements=statements,
        prepare=_prepare(function, rows),
        c_statements=_c_statements(function, rows, out, module),
        failed=out.failed,
        not_implemented=c_string(missing) if missing else "",
    )


def _code_span(function: Function) -> Span:
    """Where the user's code stands: a result that cannot be converted is its matter."""
    match function.implementation:
        case Named(code) | Lambda(code) | Body(code):
            return code.span
        case _:
            return function.span


def _code(function: Function, rows: list[ParameterRow], out: ResultRow, module: Module) -> tuple[str, str]:
    """The user's code, and what the typed function does.

    A name of the library stands in the typed function, but for one that the typed functions could hide.
    """
    statements = placed(Code(_cpp_statements(function, rows, out), _code_span(function)), module)
    match function.implementation:
        case Named(code) if code.text.startswith(f"{module.name}_"):
            pass
        case _:
            return implementation(function, rows, out, module), statements
    name = names.user_code(function.base, function.handle)
    given = ["wg_h"] * bool(function.handle) + parameter_names(function) + ["wg_use"] * bool(out.cpp_use)
    return f"{_cpp_head(function, name, rows, out)} {{\n{statements}\n}}", f"    return {name}({', '.join(given)});"


def _cpp_head(function: Function, name: str, rows: list[ParameterRow], out: ResultRow) -> str:
    """The typed function's declaration: a template where there is a choice, so that the other way need not compile."""
    has_choice = bool(call_of(function, rows).is_whole)
    parameters = [f"[[maybe_unused]] {function.handle} &wg_h"] if function.handle else []
    for row, own in zip(rows, parameter_names(function), strict=True):
        cpp = "const wg_Bytes &" if has_choice and row.care is Care.BYTES else row.cpp
        parameters.append(f"{spaced(cpp)}{own}")
    types = ["class wg_Bytes"] * has_choice
    if out.cpp_use:
        types.append("class wg_Use")
        parameters.append("wg_Use &&wg_use")
    template = f"template <{', '.join(types)}>\n" if types else ""
    return f"{template}inline {'auto ' if out.cpp_use else spaced(out.cpp)}{name}({', '.join(parameters)})"


def _cpp_statements(function: Function, rows: list[ParameterRow], out: ResultRow) -> str:
    """What the typed function does: its arguments are checked and taken, the user's code is called."""
    call = call_of(function, rows)
    lines = [*call.statements, _converted(call.expression, function, out)]
    if not call.in_pairs:
        return "\n".join(lines)
    pairs = (*call.in_pairs.statements, _converted(call.in_pairs.expression, function, out))
    settled = next(i for i, line in enumerate(lines) if line.startswith("using wg_types")) + 1
    return "\n".join(
        [*lines[:settled], f"if constexpr ({call.is_whole}) {{", *lines[settled:], "} else {", *pairs, "}"]
    )


def _converted(call: str, function: Function, out: ResultRow) -> str:
    """The statement that calls the user's code, and converts or checks what that gives."""
    if function.raises and not is_void(function.returns):  # the value is the status and the result
        checked = f"auto &&wg_value = {call};\nwg_check(wg::status<{function.raises}>(wg_value));\n"
        return f"{checked}return wg::convert<{out.cpp}>(std::forward<decltype(wg_value)>(wg_value));"
    if function.raises:
        return f"wg_check(wg::status<{function.raises}>({call}));"
    if isinstance(function.implementation, Body):
        return out.cpp_body_returned.replace("$", call)
    return out.cpp_returned.replace("$", call) if out.cpp_returned else f"return wg::convert<{out.cpp}>({call});"


def _prepare(function: Function, rows: list[ParameterRow]) -> tuple[str, ...]:
    """Handles are pinned, the instance after the others; what is taken comes last: nothing else of the call may be it.

    The cpython engine has the same order, which decides what handle a message names.
    """
    is_taken = [p.mode is Mode.TAKE for p in function.parameters]
    both = [(row.cpp_prepare, taken) for row, taken in zip(rows, is_taken, strict=True) if row.cpp_prepare]
    own = [f'wg::Pin wg_pin(wg_h, "{function.handle}");'] if function.handle else []
    return (*(line for line, taken in both if not taken), *own, *(line for line, taken in both if taken))


def _c_statements(function: Function, rows: list[ParameterRow], out: ResultRow, module: Module) -> tuple[str, ...]:
    """What the C function does once its arguments are there: call the typed function, hand over the result."""
    arguments = (["*wg_pin"] if function.handle else []) + [row.cpp_argument for row in rows]
    arguments += [out.cpp_use] * bool(out.cpp_use)
    function_name = names.cpp_function(module.name, function.base, function.handle)
    call = f"{names.namespace(module.name)}::wg_api::{function_name}({', '.join(arguments)})"
    if not out.c_value:
        return (f"{call};", "return 0;")
    if not owners(function):
        return (f"return {out.c_value.replace('$', call)};",)
    by_name = {p.name: row for p, row in zip(function.parameters, rows, strict=True)}
    kept = ("wg::held(wg_h)" if n == "h" and function.handle else by_name[n].cpp_owners for n in owners(function))
    added = "".join(f".add({each})" for each in kept)
    given = (out.c_kept or f"wg::keep_alive({out.c_value}, wg_owners)").replace("$", call)
    return (f"const wg::Owners wg_owners = wg::Owners(){added};", f"return {given};")


# --- handles, enums, errors ------------------------------------------------------------------------------------------


def _handle(handle: HandleType, module: Module) -> HandleView:
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


def _enum(enum: EnumType, module: Module) -> EnumView:
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


def _status(error: ErrorType, exceptions: tuple[str, ...], module: Module) -> StatusView:
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


def _derives_values(aliases: list[str], module: Module) -> str:
    qualified = [f"{names.namespace(module.name)}::{alias}" for alias in aliases]
    rows = [[f"wg::derives<{one}, {other}>" for other in qualified] for one in qualified]
    return "\n".join([*(f"    {', '.join(row)}," for row in rows), "    0,"])


def _caught(error: ErrorType, exceptions: tuple[str, ...], module: Module) -> CaughtView:
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
