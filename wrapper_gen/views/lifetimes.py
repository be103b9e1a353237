"""Statements before a call that say what it does to what its object holds or lends; both engines have them."""

from __future__ import annotations

from wrapper_gen.lifetimes.ended import entry_number
from wrapper_gen.lifetimes.kept import may_copy_held
from wrapper_gen.model import ALL, Function, Module
from wrapper_gen.queries import callbacks
from wrapper_gen.quoting import c_bool
from wrapper_gen.views.ending import Cpp, ended


def effects(function: Function, module: Module, cpp: Cpp) -> tuple[str, ...]:
    """The statements of one method.

    Args:
        function: the method.
        module: its spec.
        cpp: how its engine writes them.
    """
    lines, own, owners, held = [], cpp.own, cpp.owners, function.lifetime.held
    end = "<wg::AfterCalls>" if callbacks(module) else ""
    if held.holds:
        given = f"{own}, {owners(held.holds)}, {entry_number(function, module)}, {c_bool(held.replaces)}"
        lines.append(f"const wg::Holds{end} wg_holds({given});")
    if held.releases:
        given = own if ALL in held.releases else f"{own}, {owners(held.releases)}"
        lines.append(f"const wg::Releases{end} wg_releases({given});")
    lines += ended(function, module, cpp)
    return tuple(lines)


def borrowed(function: Function, module: Module, own: str) -> str:
    """What else is said of the owners of a result: that its object lends it until some call, that it is not ours, or
    that it holds what they do.
    """
    held = ".with_held()" * may_copy_held(function, module)
    return borrowed_until(function, module, own) + held + ".not_ours()" * (not function.lifetime.result.is_owned)


def borrowed_until(function: Function, module: Module, own: str) -> str:
    """That its object lends it until some call."""
    return f".borrow({own}, {entry_number(function, module)})" if function.lifetime.result.until else ""
