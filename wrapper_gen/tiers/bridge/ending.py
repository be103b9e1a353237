"""The conditions of `ends`, under which a call ends a handle: a C++ function for each handle type."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.expressions import mentions
from wrapper_gen.lifetimes.ended import conditions
from wrapper_gen.model import Code, Function, Module
from wrapper_gen.views.ending import asked_of
from wrapper_gen.views.placement import placed_in


def ends_code(function: Function, module: Module) -> str:
    """The functions of one method; empty without conditions."""
    found = conditions(function, module)
    return "\n\n".join(_asked(name, code, function, module) for name, code in found.items() if code)


def _asked(handle: str, code: Code, function: Function, module: Module) -> str:
    asked = asked_of(function)
    types = "".join(f", class wg_Type{i}" for i, _ in enumerate(asked)).removeprefix(", ")
    parameters = [f"{handle} &wg_lent", f"[[maybe_unused]] {function.handle} &h"]
    parameters += [f"[[maybe_unused]] wg_Type{i} &&{names.body(p.name)}" for i, p in enumerate(asked)]
    head = f"inline bool {names.said_of('ends', function)}({', '.join(parameters)})"
    template = f"template <{types}> " if types else ""
    value = "[[maybe_unused]] auto &value = wg_lent.inner;"
    if mentions(code.text, "self"):
        value += " [[maybe_unused]] auto &&self = h.inner;"
    return placed_in(f"{template}{head} {{ {value} return static_cast<bool>(", code, module, "); }")
