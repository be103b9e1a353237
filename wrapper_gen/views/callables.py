"""What objects have to do with the callables that their methods are passed, in the C++ of either engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wrapper_gen import names
from wrapper_gen.interfaces import passes_overridable
from wrapper_gen.lifetimes import is_recorded, recorded
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


def recorded_call(
    function: Function,
    module: Module,
    own: str,
    owners: Callable[[Sequence[str]], str],
    value: Callable[[str], str],
) -> tuple[str, ...]:
    """What says, while a call runs, what it uses and which callables it was passed: last before the call.

    Args:
        function: the function or method.
        module: its spec.
        own: the object, as C++ that makes a `wg::Held`.
        owners: C++ that makes a `wg::Owners` of parameters.
        value: C++ that is the `wg::Callable` of a parameter.
    """
    if not is_recorded(function, module):
        return ()
    others = recorded(function, module)
    passed = [value(p.name) for p in function.parameters if p.callback]
    given = [own if function.handle else "wg::Held()"]
    given += [owners(others) if others else "wg::Owners()"] if others or passed else []
    kind = f"{len(passed)}, true" if passes_overridable(function, module) else f"{len(passed)}"
    return (f"const wg::RunningCall<{kind}> wg_running({', '.join([*given, *passed])});",)
