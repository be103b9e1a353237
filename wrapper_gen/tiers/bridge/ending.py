"""The conditions of `ends`, under which a call ends a handle: a C++ function for each handle type."""

from __future__ import annotations

import re

from wrapper_gen import names
from wrapper_gen.expressions import mentions
from wrapper_gen.lifetimes.ended import conditions
from wrapper_gen.model import Code, Function, Module
from wrapper_gen.types.queries import handle_of
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
    handles = [p for p in asked if handle_of(p.type) and not _reaches_inner(code.text, p.name)]
    own = [f"wg_given{i}" if p in handles else names.body(p.name) for i, p in enumerate(asked)]
    parameters += [f"[[maybe_unused]] wg_Type{i} &&{name}" for i, name in enumerate(own)]
    head = f"inline bool {names.said_of('ends', function)}({', '.join(parameters)})"
    template = f"template <{types}> " if types else ""
    value = "[[maybe_unused]] auto &value = wg_lent.inner;"
    if mentions(code.text, "self"):
        value += " [[maybe_unused]] auto &&self = h.inner;"
    for p, name in zip(asked, own, strict=True):
        if p in handles:
            value += f" [[maybe_unused]] auto &&{names.body(p.name)} = {name}.inner;"
    return placed_in(f"{template}{head} {{ {value} return static_cast<bool>(", code, module, "); }")


def _reaches_inner(text: str, name: str) -> bool:
    """Whether code asks a handle for what it holds, as all conditions once had to."""
    return re.search(rf"\b{re.escape(name)}\s*\.\s*inner\b", text) is not None
