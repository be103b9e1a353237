"""Positions as keys: checked against the length, and counted from the end where they are negative."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.model import Function, Module
from wrapper_gen.quoting import c_string


def counted(function: Function, own: Sequence[str], module: Module) -> str:
    """The statement that makes a position of the key, before the call; `own` is what the parameters are called."""
    if not function.counts_from_end:
        return ""
    length = names.cpp_function(module.name, names.protocol("len"), function.handle)
    return f"    {own[0]} = wg::operators::position({own[0]}, {length}(wg_h), {c_string(function.handle or '')});"
