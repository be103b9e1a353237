"""Keys: positions are checked against the length, and count from the end where they are negative; null is not there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen import names
from wrapper_gen.model import Function, Module, Position
from wrapper_gen.model.protocols import Shape
from wrapper_gen.quoting import c_string
from wrapper_gen.views.placement import placed_in, placed_lines
from wrapper_gen.views.protocols import asked_length, counted_key

KEY = "wg_key"
"""What the only key is called until it is counted."""
_NOTHING_THERE = """\
    } catch (const wg::Null &) {
        throw wg::Own<std::out_of_range>("there is no such item");
    }"""


def with_key(statements: str, function: Function, own: Sequence[str], module: Module) -> str:
    """The statements of a typed function; `own` is what its parameters are called."""
    if function.protocol is not None and function.protocol.shape is Shape.GET_ITEM:
        statements = f"    try {{\n{statements}\n{_NOTHING_THERE}"
    return "\n".join([*_counted(function, own, module), statements])


def _counted(function: Function, own: Sequence[str], module: Module) -> Iterator[str]:
    """The statements that make positions of the keys, before the call; `own` is what the parameters are called."""
    called = {p.name: each for p, each in zip(function.parameters, own, strict=True)}
    handle = function.handle or ""
    for each in function.positions:
        key = called[each.parameter]
        is_lone = len(function.positions) == 1 and function.protocol is not None and function.protocol.has_key
        shown = c_string(handle if is_lone else f"{handle}: {each.parameter}")
        if counted_key(function):
            length = asked_length(function, module, "wg_h")
            yield f"    [[maybe_unused]] i64 {key} = {KEY}.at([&] {{ return {length}; }}, {shown});"
        elif each.extent is None:
            length = asked_length(function, module, "wg_h")
            yield f"    {key} = wg::operators::position({key}, {length}, {shown});"
        else:
            extent = f"{_extent_name(each, function)}(wg_h)"
            statement = f"    {key} = wg::operators::position({key}, {extent}, {shown});"
            yield placed_lines([(each.extent.span, statement)], module)


def extents(function: Function, module: Module) -> str:
    """Functions for what the spec says that there is, which stand where no typed function can hide the names in it."""
    said = [(_extent_name(each, function), each.extent) for each in function.positions if each.extent]
    return "\n\n".join(
        placed_in(
            f"inline auto {name}({function.handle} &h) {{ [[maybe_unused]] auto &&self = h.inner; return",
            extent,
            module,
            "; }",
        )
        for name, extent in said
    )


def _extent_name(position: Position, function: Function) -> str:
    return names.said_of(f"extent_{position.parameter}", function)
