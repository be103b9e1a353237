"""What may mend calls that C++ refuses: what the compiler's words about one of them are put together with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wrapper_gen.diagnostics import Span, SpanOfRow
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Allocated, Argument, Buffer, Function, Module, Named, Place, Returned
from wrapper_gen.queries import declared
from wrapper_gen.types.tuples import item_names, written_items


@frozen
class Given:
    """One argument of a call: what the spec calls it and declares, and where."""

    name: str
    declared: str
    span: Span
    is_written: bool = False


@frozen
class Mend:
    """Of one call: what to do where it has other arguments, and its arguments as `wg_refused_calls.hpp` counts them."""

    hint: str
    way_out: str
    arguments: tuple[Given | None, ...]


Mends = Mapping[tuple[int, str], Mend]
"""By line of the spec, and row of a `for`."""


def mends_of(module: Module) -> Mends:
    """What may mend the calls of functions by their names that do not compile."""
    found = {}
    for function in module.callables:
        match function.implementation:
            case Named(name, arguments=None) as named:
                order = _order(function, named)
                outs = ["out"] * (len(written_items(function.returns)) if not function.raises else 0)
                hint = (
                    "say all that C takes, in its order, with `out` for what the call writes, and values that Python "
                    f"does not see: cpp_params: [{', '.join([*order, *outs])}]"
                )
                way_out = f"say C's order: cpp_params: [{', '.join(order)}]"
                found[_at(name.span)] = Mend(hint, way_out, tuple(_deduced(function, named)))
            case Named(name, arguments=tuple() as arguments) as named:
                given = tuple(_stated(function, named, arguments))
                found[_at(name.span)] = Mend("", "mend the order in `cpp_params`", given)
            case _:
                pass
    return found


def _at(span: Span) -> tuple[int, str]:
    return span.line, SpanOfRow.row_of(span)


def _order(function: Function, named: Named) -> list[str]:
    return ["h"] * (function.handle is not None and not named.is_member) + declared(function)


def _deduced(function: Function, named: Named) -> list[Given | None]:
    """The arguments as C++ is given them to put them in order; none of a stream's call."""
    if named.streaming:
        return []
    buffer = named.buffer
    handles = function.handle is not None and not named.is_member
    found = [_handle(function)] * handles
    found += [None, None] * (isinstance(buffer, Buffer) and buffer.is_computed)
    for name in declared(function):
        found += [None] * (isinstance(buffer, Buffer) and name == buffer.capacity)
        found.append(_parameter(function, name))
    if buffer is None:
        found += [_written(function, item, function.span) for item in range(len(written_items(function.returns)))]
    return found


def _stated(function: Function, named: Named, arguments: Sequence[Argument]) -> list[Given | None]:
    """The same in the order of the spec, where what the call writes and gives back follows the rest."""
    is_ours = isinstance(named.buffer, Buffer | Allocated | Returned) or named.streaming is not None
    outs = [] if is_ours else [each for each in arguments if each.place is Place.OUT]
    ins = [each for each in arguments if each not in outs and each.place is not Place.DISCARD]
    found: list[Given | None] = []
    for each in ins:
        match each.place:
            case Place.HANDLE:
                found.append(_handle(function))
            case Place.VALUE:
                found.append(Given(each.name or each.value, "", each.span))
            case Place.PARAMETER | Place.INOUT | Place.ADDRESS:
                found.append(_parameter(function, each.name))
            case _:
                found.append(None)
    outs.sort(key=lambda each: each.item)
    return [*found, *(_written(function, each.item, each.span) for each in outs)]


def _handle(function: Function) -> Given | None:
    return Given("h", function.handle or "", function.span)


def _parameter(function: Function, name: str) -> Given | None:
    return next((Given(name, str(p.type), p.span) for p in function.parameters if p.name == name), None)


def _written(function: Function, item: int, span: Span) -> Given:
    named = item_names(function.returns)[item]
    only = "the result" if len(written_items(function.returns)) == 1 else f"item {item + 1} of the result"
    return Given(only if named == "out" else named, str(written_items(function.returns)[item]), span, is_written=True)
