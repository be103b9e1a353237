"""Calls whose arguments C++ puts in order (`wg_deduced_calls.hpp`): handles of methods, out-parameters, lengths."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen.frozen import frozen
from wrapper_gen.model import Function, Module, Named
from wrapper_gen.names import python
from wrapper_gen.quoting import c_string
from wrapper_gen.types.hints import Way
from wrapper_gen.types.queries import is_void, items_of
from wrapper_gen.types.rows import Care, ParameterRow
from wrapper_gen.types.spelling import descriptor


@frozen
class Deduced:
    """How the typed function finds out how to call, and calls."""

    asked: tuple[str, ...]
    """First: what there is to call, and which readings compile."""
    is_plain: str
    """The condition under which the call stands in generated code, with the arguments in their order."""
    call: str
    """The call otherwise."""


def is_deduced(function: Function) -> bool:
    """Whether C++ finds out how to call: where the handle stands, and what of the result the call writes."""
    match function.implementation:
        case Named(is_member=False):
            gives = len(items_of(function.returns)) > 1 or bool(function.raises) or bool(function.parameters)
            return function.handle is not None or (gives and not is_void(function.returns))
        case _:
            return False


def deduced(function: Function, own: Sequence[str], rows: Sequence[ParameterRow], module: Module) -> Deduced:
    """The call of a function that `is_deduced`; `own` is what the typed function calls its parameters."""
    assert isinstance(function.implementation, Named)
    name = function.implementation.name.text.strip()
    arguments = ["WG_PLAIN(wg_h.inner)"] if function.handle else []
    for p, row, each in zip(function.parameters, rows, own, strict=True):
        arguments.append(_argument(row, each, python(p.name)))
    items = [descriptor(each, Way.RESULT, module.name) for each in items_of(function.returns)]
    declared = f"wg::Gives<{', '.join([str(bool(function.raises)).lower(), *items])}>"
    handles = 1 if function.handle else 0
    made = f"wg::deduced<{handles}, {declared}>({', '.join(['wg_call', *arguments])})"
    check = f"[&](const auto &wg_value) {{ wg_check(wg::status<{function.raises}>(wg_value)); }}"
    return Deduced(
        (
            f"[[maybe_unused]] const auto wg_call = WG_CALLABLE({name});",
            f"using wg_found = decltype({made});",
            *_decided(function, module),
        ),
        "wg_found::is_plain",
        f"{made}.call({check if function.raises else ''})",
    )


def _argument(row: ParameterRow, own: str, shown: str) -> str:
    """One argument, as what C++ may want of it."""
    length = c_string(f"len({shown})")
    match row.care:
        case Care.NUMBER:
            return f"wg::number_in({own}, {c_string(shown)})"
        case Care.TEXT:
            return f"wg::TextIn{{{own}, {c_string(shown)}, {length}}}"
        case Care.BYTES:
            return f"wg::BytesIn{{{own}, {length}}}"
        case Care.TAKEN:
            return f"wg::taken_in({own})"
        case _:
            plain = f"WG_PLAIN({row.form.inner.replace('$', own)})"
            return f"wg::array_in({own}, {length})" if row.brings_length else plain


def _decided(function: Function, module: Module) -> tuple[str, ...]:
    """Errors where it is not clear how to call, with the orders that compile."""
    name = f"{function.handle}.{function.name}" if function.handle else function.name
    where = f"wrapper-gen: {module.spec}:{function.span.line}: {name}:"
    parameters = [p.name for p in function.parameters]
    way_out = f"say C's order: cpp_params: [{', '.join(['h'] * bool(function.handle) + parameters)}]"
    several = c_string(f"{where} its arguments can stand in several orders; {way_out}")
    lines = [f"static_assert(!wg_found::is_undecided, {several});"]
    if function.handle and parameters:
        untyped = c_string(f"{where} a handle that is a void * could stand anywhere; {way_out}")
        lines.append(f"static_assert(!wg::is_untyped<decltype(wg_h.inner)>, {untyped});")
        for place in range(len(parameters) + 1):
            order = ", ".join([*parameters[:place], "h", *parameters[place:]])
            shown = c_string(f"{where} this order compiles: {order}")
            lines.append(f"static_assert(!wg_found::has_handle_at({place}), {shown});")
    return tuple(lines)
