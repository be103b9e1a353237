"""Statements before a call that say what it does to what its object holds or lends; both engines have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wrapper_gen.model import ALL, Function, Module


def effects(function: Function, module: Module, own: str, owners: Callable[[Sequence[str]], str]) -> tuple[str, ...]:
    """The statements of one method.

    Args:
        function: the method.
        module: its spec.
        own: the object, as C++ that makes a `wg::Held`.
        owners: C++ that makes a `wg::Owners` of parameters.
    """
    lines = []
    if function.holds:
        given = f"{own}, {owners(function.holds)}, {_entry(function, module)}, {str(function.replaces).lower()}"
        lines.append(f"const wg::Holds wg_holds({given});")
    if function.releases:
        given = own if ALL in function.releases else f"{own}, {owners(function.releases)}"
        lines.append(f"const wg::Releases wg_releases({given});")
    return tuple(lines)


def _entry(function: Function, module: Module) -> int:
    """The number of a method, from 1 on."""
    return module.methods.index(function) + 1
