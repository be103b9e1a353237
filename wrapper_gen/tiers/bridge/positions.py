"""Keys: positions are checked against the length, and count from the end where they are negative; null is not there."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.model import Function, Module
from wrapper_gen.model.protocols import Shape
from wrapper_gen.quoting import c_string
from wrapper_gen.views.protocols import length_of

_NOTHING_THERE = """\
    } catch (const wg::Null &) {
        throw wg::Own<std::out_of_range>("there is no such item");
    }"""


def with_key(statements: str, function: Function, own: Sequence[str], module: Module) -> str:
    """The statements of a typed function; `own` is what its parameters are called."""
    if function.protocol is not None and function.protocol.shape is Shape.GET_ITEM:
        statements = f"    try {{\n{statements}\n{_NOTHING_THERE}"
    before = _counted(function, own, module)
    return f"{before}\n{statements}" if before else statements


def _counted(function: Function, own: Sequence[str], module: Module) -> str:
    """The statement that makes a position of the key, before the call; `own` is what the parameters are called."""
    if not function.counts_from_end:
        return ""
    counted = length_of(function, module)
    assert counted is not None
    length = names.cpp_function(module.name, counted)
    called = f"{length}(wg_h)"
    if counted.handle != function.handle:
        called = f"wg::as_base<{counted.handle}>(wg_h, []({counted.handle} &wg_base) {{ return {length}(wg_base); }})"
    return f"    {own[0]} = wg::operators::position({own[0]}, {called}, {c_string(function.handle or '')});"
