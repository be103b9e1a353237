"""What objects have to do with the callables that their methods are passed, in the C++ of either engine."""

from __future__ import annotations

from collections.abc import Callable

from wrapper_gen import names
from wrapper_gen.model import Function, Lasting, Module
from wrapper_gen.queries import callbacks

_FIRST = 1_000_000
"""Entries of objects from here on are callables: others are the numbers of methods."""


def kept_callables(function: Function, module: Module, own: str, value: Callable[[str], str]) -> tuple[str, ...]:
    """The statements before the call of a method.

    Args:
        function: the method.
        module: its spec.
        own: the object, as C++ that makes a `wg::Held`.
        value: C++ that is the `wg::Callable` of a parameter.
    """
    lines = []
    for p in function.parameters:
        if p.callback is None or function.handle is None or p.callback.scope is Lasting.CALL:
            continue
        variable = names.extra(p.name, "kept")
        if p.callback.scope is Lasting.OBJECT:
            entry = _FIRST + callbacks(module).index(p.callback)
            lines.append(f"const wg::Holds {variable}({own}, wg::as_owners({value(p.name)}), {entry}, true);")
        else:
            lines.append(f"const wg::Kept {variable}({own}, {value(p.name)});")
    return tuple(lines)
