"""What objects have to do with the callables that their methods are passed, in the C++ of either engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wrapper_gen import names
from wrapper_gen.interfaces import passes_overridable
from wrapper_gen.lifetimes.ended import entry_number
from wrapper_gen.lifetimes.running import is_recorded, recorded
from wrapper_gen.model import Function, Lasting, Module, Parameter
from wrapper_gen.queries import callbacks
from wrapper_gen.quoting import c_bool
from wrapper_gen.types.model import Type

_FIRST = 1_000_000
"""Entries of objects from here on are callables: others are the numbers of methods."""
_WITHIN = 1_000_000_000
"""And from here on those within the arguments of methods."""


def brings_callables_within(module: Module) -> bool:
    """Whether there are callables in containers, or in fields of records."""
    of_fields = any(f.callback for s in module.structs for f in s.fields)
    return of_fields or any(p.within for f in module.callables for p in f.parameters)


def types_alone(module: Module) -> tuple[Type, ...]:
    """The types of callables that are passed by themselves, or override functions, each once."""
    alone = [p.callback for f in module.callables for p in f.parameters if p.callback]
    alone += [f.virtual.callback for f in module.methods if f.virtual]
    return tuple({str(each.type): each.type for each in alone}.values())


def kept_callables(
    function: Function, module: Module, own: str, value: Callable[[str], str], within: Callable[[str], str]
) -> tuple[str, ...]:
    """The statements before the call of a method.

    Args:
        function: the method.
        module: its spec.
        own: the object, as C++ that makes a `wg::Held`.
        value: C++ that is the `wg::Callable` of a parameter.
        within: C++ that is the `wg::PassedWithin` of a parameter that has callables in it.
    """
    lines = []
    for p in function.parameters:
        if function.handle is None:
            break
        passed = value(p.name) if p.callback else within(p.name)
        of_object = [each for each in p.callbacks if each.scope is Lasting.OBJECT]
        if of_object:
            entry = _entry(function, p, module)
            variable = names.extra(p.name, "kept" if p.callback else "held")
            lines.append(f"const wg::Holds<wg::AfterCalls> {variable}({own}, wg::as_owners({passed}), {entry}, true);")
        if any(each.scope not in (Lasting.CALL, Lasting.OBJECT) for each in p.callbacks):
            kind = "Kept" if p.callback else "KeptWithin"
            lines.append(f"const wg::{kind} {names.extra(p.name, 'kept')}({own}, {passed});")
    return tuple(lines)


def _entry(function: Function, p: Parameter, module: Module) -> int:
    if p.callback:
        return _FIRST + callbacks(module).index(p.callback)
    return _WITHIN + 100 * entry_number(function, module) + function.parameters.index(p)


def recorded_call(
    function: Function,
    module: Module,
    own: str,
    owners: Callable[[Sequence[str]], str],
    value: Callable[[str], str],
    within: Callable[[str], str],
) -> tuple[str, ...]:
    """What says, while a call runs, what it uses and which callables it was passed: last before the call.

    Args:
        function: the function or method.
        module: its spec.
        own: the object, as C++ that makes a `wg::Held`.
        owners: C++ that makes a `wg::Owners` of parameters.
        value: C++ that is the `wg::Callable` of a parameter.
        within: C++ that is the `wg::PassedWithin` of a parameter that has callables in it.
    """
    if not is_recorded(function, module):
        return ()
    others = recorded(function, module)
    passed = [value(p.name) if p.callback else within(p.name) for p in function.parameters if p.callbacks]
    given = [own if function.handle else "wg::Held()"]
    given += [owners(others) if others else "wg::Owners()"] if others or passed else []
    is_passed_objects = passes_overridable(function, module)
    if any(p.within for p in function.parameters):
        given.append(c_bool(is_passed_objects))
        return (f"const wg::RunningCallWithin wg_running({', '.join([*given, *passed])});",)
    kind = f"{len(passed)}, true" if is_passed_objects else f"{len(passed)}"
    return (f"const wg::RunningCall<{kind}> wg_running({', '.join([*given, *passed])});",)
