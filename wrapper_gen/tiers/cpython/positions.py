"""Positions in the cpython engine: what is out of range is refused before the call."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.model import Function, Module, Parameter
from wrapper_gen.quoting import c_string
from wrapper_gen.tiers.cpython.slots import is_raw
from wrapper_gen.views.protocols import asked_length, counted_key


def counted(function: Function, module: Module) -> tuple[str, ...]:
    """A position out of range raises at once: to throw takes many times as long, and each loop over items ends so."""
    key = counted_key(function)
    if key is None or function.blocking:
        return ()
    length = asked_length(function, module, "self.value()", "wg_api::")
    made = f"wg::cpython::counted({_argument(key)}, {length}, {c_string(function.handle or '')})"
    return (f"const wg::i64 wg_at = {made};", f"if (wg_at < 0) return {'-1' if is_raw(function) else 'nullptr'};")


def passed(p: Parameter, function: Function) -> str:
    """What the typed function gets of an argument."""
    is_counted = p == counted_key(function) and not function.blocking
    return "wg::operators::Key::counted(wg_at)" if is_counted else _argument(p)


def _argument(p: Parameter) -> str:
    return f"{names.argument(p.name)}.value()"
