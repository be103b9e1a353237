"""Calls whose arguments were found by their types, which do not tell two of them apart: `--strict` has them written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from wrapper_gen.diagnostics import Diagnostic
from wrapper_gen.fixes import writes_of
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Buffer, Function, Module, Named
from wrapper_gen.queries import declared
from wrapper_gen.tiers.bridge.ways import is_deduced
from wrapper_gen.types.queries import has_length, is_text
from wrapper_gen.written_calls import call_of


@frozen
class _Argument:
    """An argument of a call: its name, its type in the spec, and what `cpp` has for it."""

    name: str
    type: str
    written: str


def unwritten(module: Module) -> Iterator[Diagnostic]:
    """A finding for each call that compiles with two of its arguments the other way around, too."""
    for function in module.callables:
        named = function.implementation
        if not isinstance(named, Named) or not _is_found(function, named):
            continue
        arguments = _arguments(function, named)
        alike = next((pair for pair in combinations(range(len(arguments)), 2) if _are_alike(arguments, *pair)), None)
        if alike is not None:
            yield _finding(function, named, arguments, *alike)


def _is_found(function: Function, named: Named) -> bool:
    is_other = named.accessor or named.streaming or named.names_class or function.virtual
    return named.arguments is None and not is_other and is_deduced(function)


def _arguments(function: Function, named: Named) -> list[_Argument]:
    own = function.handle if function.handle and not named.is_member else None
    found = [_Argument("self", own, "self")] if own else []
    parameters = {p.name: p for p in function.parameters}
    for name in declared(function):
        parameter = parameters.get(name)
        if isinstance(named.buffer, Buffer) and name == named.buffer.capacity:
            found.append(_Argument(name, "", "out, capacity"))
        elif parameter is None:
            found.append(_Argument(name, "", name))
        else:
            type_ = parameter.type
            brings = has_length(type_) and not is_text(type_) and not parameter.is_represented
            found.append(_Argument(name, str(type_), f"{name}, {name}.size()" if brings else name))
    return found


def _are_alike(arguments: Sequence[_Argument], one: int, other: int) -> bool:
    """Whether C++ takes one where it takes the other."""
    first, second = arguments[one].type.removesuffix("?"), arguments[other].type.removesuffix("?")
    return bool(first) and first == second


def _finding(function: Function, named: Named, arguments: Sequence[_Argument], one: int, other: int) -> Diagnostic:
    first, second = arguments[one], arguments[other]
    turned = list(arguments)
    turned[one], turned[other] = second, first
    writes = writes_of(function)
    calls = [
        call_of(named.name.text, [*(each.written for each in order), *writes], is_member=named.is_member)
        for order in (arguments, turned)
    ]
    return Diagnostic(
        "WG295",
        f"nothing tells {first.name} and {second.name} of this call apart: it compiles with either first",
        function.span,
        f"write the call, as C has it: {', or '.join(calls)}",
        fixes=tuple(named.place.fix("C's order", each) for each in calls) if named.place else (),
    )
