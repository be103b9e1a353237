"""What a call ends of what objects lend: before it, and after it of what was lent meanwhile. Both engines have it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from wrapper_gen import names
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import frozen
from wrapper_gen.lifetimes.ended import conditions, ended_entries, ends_loans
from wrapper_gen.lifetimes.running import checks_running, ends_made_in_call
from wrapper_gen.model import Code, Function, Mode, Module, Parameter
from wrapper_gen.model.ending import ending_lender
from wrapper_gen.model.inheritance import bases
from wrapper_gen.quoting import c_bool
from wrapper_gen.types.queries import handles_in
from wrapper_gen.views.exports import exporting


@frozen
class Cpp:
    """How the C++ of an engine writes it."""

    own: str
    """The object of a method, as a `wg::Held`."""
    owners: Callable[[Sequence[str]], str]
    """What makes a `wg::Owners` of parameters."""
    cells: str
    """The class that says where the engine's cells have their types and values."""
    value: Callable[[str], str]
    """A parameter, or `h`, as the library gets it."""
    scope: str
    """What goes before names of handle types, and of functions for the spec's expressions."""


@frozen
class _Ending:
    """Some of what one object lends."""

    lender: str
    """The object."""
    chosen: str
    """What tells of a loan whether it is among it, where no condition is tested."""
    meanwhile: str
    """The name of what knows what the object lends while the call runs."""


_BORROWED = "wg_borrowed_meanwhile"


def ended(function: Function, module: Module, cpp: Cpp) -> Iterator[str]:
    """What ends what objects lend: last before the call, which may use what it is given all the same."""
    if not ends_loans(function, module):
        return
    used = cpp.owners([p.name for p in function.parameters if handles_in(p.type) and p.mode is not Mode.TAKE])
    if ends_made_in_call(function, module):
        for each in _endings(function, module, cpp):
            yield f"const wg::LoansInCall {each.meanwhile}({each.lender});"
    if function.lifetime.ends:
        lenders = _lenders(function, module, cpp)
        for lender, kept in lenders:
            if exporting(module):
                yield f"wg::check_no_exports({lender}, {cpp.own if function.handle else kept});"
            if checks_running(module):
                yield f"wg::check_not_running({lender});"
        if found := conditions(function, module):
            yield _ended_where(found, f"{', '.join(lenders[0])}, {used}", function, cpp)
        elif len(lenders) == 1 and not _is_on_success(function):
            yield f"wg::end_lent({', '.join(lenders[0])}, {used}, wg::AnyLoan());"
        else:
            several = ", ".join(f"wg::held_list({', '.join(each)})" for each in zip(*lenders, strict=True))
            yield f"const wg::EndedBy<{c_bool(_is_on_success(function))}> wg_ended({several}, {used});"
    if entries := ended_entries(function, module):
        yield f"wg::end_lent({cpp.own}, wg::Held(), {used}, {_of_entries(entries)});"


def ending_after(call: str, function: Function, module: Module, cpp: Cpp) -> str:
    """The call, after which what was lent while it ran is ended too."""
    if not ends_made_in_call(function, module):
        return call
    for each in _endings(function, module, cpp):
        when = "<true>" * (_is_on_success(function) and each.meanwhile != _BORROWED)
        call = f"{each.meanwhile}.end_after{when}({each.chosen}, [&]() -> decltype(auto) {{ return {call}; }})"
    return call


def _endings(function: Function, module: Module, cpp: Cpp) -> Iterator[_Ending]:
    if function.lifetime.ends:
        found = conditions(function, module)
        others = ", ".join(cpp.scope + name for name, code in found.items() if not code)
        chosen = f"wg::LoansBut<{cpp.cells}, wg::Types<{others}>>()" if others else "wg::AnyLoan()"
        for number, (lender, _) in enumerate(_lenders(function, module, cpp)):
            yield _Ending(lender, chosen, f"wg_lent_meanwhile{number or ''}")
    if entries := ended_entries(function, module):
        yield _Ending(cpp.own, _of_entries(entries), _BORROWED)


def _is_on_success(function: Function) -> bool:
    return function.lifetime.ends is not None and function.lifetime.ends.on_success


def _lenders(function: Function, module: Module, cpp: Cpp) -> list[tuple[str, str]]:
    """What lends what a call with `ends` ends, each with what stays open of that."""
    if not function.lifetime.ends or not function.lifetime.ends.lenders:
        return [_lender(function, module, cpp)]
    found = []
    for name, _, owner in (each.partition(".") for each in function.lifetime.ends.lenders):
        held = cpp.own if name == "h" else f"wg::only_of({cpp.owners([name])})"
        found.append((f"wg::owner_of({held})", held) if owner else (held, "wg::Held()"))
    return found


def _lender(function: Function, module: Module, cpp: Cpp) -> tuple[str, str]:
    """What lends what a call with `ends` ends, and what stays open."""
    lent_by = {h.name: h.lent_by for h in module.known_handles}
    handle = function.handle or ""
    if handle in (lent_by[handle], *bases(lent_by[handle], module.extends)):  # the object may be the lender itself
        return f"wg::owner_or_self({cpp.own})", cpp.own
    if ending_lender(handle, function.lifetime.ends, lent_by) != handle:
        return f"wg::owner_of(*{cpp.own}.cell)", cpp.own
    return cpp.own, "wg::Held()"


def _of_entries(entries: list[int]) -> str:
    return f"wg::LoansOf<{', '.join(map(str, entries))}>()"


def _ended_where(found: Mapping[str, Code | None], given: str, function: Function, cpp: Cpp) -> str:
    """The statement that ends those for which the spec's condition holds."""
    chosen = ", ".join(cpp.scope + name for name, code in found.items() if code)
    others = ", ".join(cpp.scope + name for name, code in found.items() if not code)
    arguments = ", ".join(["wg_lent", cpp.value("h"), *(cpp.value(p.name) for p in asked_of(function))])
    asked = f"[&](auto &wg_lent) {{ return {cpp.scope}{names.said_of('ends', function)}({arguments}); }}"
    return f"wg::end_lent_where<{cpp.cells}, wg::Types<{chosen}>, wg::Types<{others}>>({given}, {asked});"


def asked_of(function: Function) -> tuple[Parameter, ...]:
    """The parameters that a condition of `ends` speaks of."""
    said = [code.text for _, code in function.lifetime.ends.conditions] if function.lifetime.ends else []
    return tuple(p for p in function.parameters if any(mentions(text, p.name) for text in said))
