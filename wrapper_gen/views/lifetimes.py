"""Statements before a call that say what it does to what its object holds or lends; both engines have them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from wrapper_gen import names
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import frozen
from wrapper_gen.lifetimes import checks_running, conditions
from wrapper_gen.model import ALL, Code, Function, Mode, Module, Parameter
from wrapper_gen.model.ending import ending_lender
from wrapper_gen.model.inheritance import bases
from wrapper_gen.queries import callbacks, ended_entries, entry_number
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


def effects(function: Function, module: Module, cpp: Cpp) -> tuple[str, ...]:
    """The statements of one method.

    Args:
        function: the method.
        module: its spec.
        cpp: how its engine writes them.
    """
    lines, own, owners = [], cpp.own, cpp.owners
    end = "<wg::AfterCalls>" if callbacks(module) else ""
    if function.holds:
        given = f"{own}, {owners(function.holds)}, {entry_number(function, module)}, {c_bool(function.replaces)}"
        lines.append(f"const wg::Holds{end} wg_holds({given});")
    if function.releases:
        given = own if ALL in function.releases else f"{own}, {owners(function.releases)}"
        lines.append(f"const wg::Releases{end} wg_releases({given});")
    lines += _ended(function, module, cpp)
    return tuple(lines)


def _ended(function: Function, module: Module, cpp: Cpp) -> Iterator[str]:
    """What ends what objects lend: last before the call, which may use what it is given all the same."""
    own = cpp.own
    used = cpp.owners([p.name for p in function.parameters if handles_in(p.type) and p.mode is not Mode.TAKE])
    if function.invalidates:
        lent_by = {h.name: h.lent_by for h in module.handles}
        handle = function.handle or ""
        lender, kept = own, "wg::Held()"
        if handle in (lent_by[handle], *bases(lent_by[handle], module.extends)):  # the object may be the lender itself
            lender, kept = f"wg::owner_or_self({own})", own
        elif ending_lender(handle, function.ends, lent_by) != handle:
            lender, kept = f"wg::owner_of(*{own}.cell)", own
        if exporting(module):
            yield f"wg::check_no_exports({lender}, {own});"
        if checks_running(module):
            yield f"wg::check_not_running({lender});"
        if found := conditions(function, module):
            yield _ended_where(found, f"{lender}, {kept}, {used}", function, cpp)
        else:
            yield f"wg::end_lent({lender}, {kept}, {used}, wg::AnyLoan());"
    if entries := ended_entries(function, module):
        chosen = f"wg::LoansOf<{', '.join(map(str, entries))}>()"
        yield f"wg::end_lent({own}, wg::Held(), {used}, {chosen});"


def _ended_where(found: Mapping[str, Code | None], given: str, function: Function, cpp: Cpp) -> str:
    """The statement that ends those for which the spec's condition holds."""
    chosen = ", ".join(cpp.scope + name for name, code in found.items() if code)
    others = ", ".join(cpp.scope + name for name, code in found.items() if not code)
    arguments = ", ".join(["wg_lent", cpp.value("h"), *(cpp.value(p.name) for p in asked_of(function))])
    asked = f"[&](auto &wg_lent) {{ return {cpp.scope}{names.said_of('ends', function)}({arguments}); }}"
    return f"wg::end_lent_where<{cpp.cells}, wg::Types<{chosen}>, wg::Types<{others}>>({given}, {asked});"


def asked_of(function: Function) -> tuple[Parameter, ...]:
    """The parameters that a condition of `invalidates` speaks of."""
    said = [code.text for _, code in function.ends.conditions] if function.ends else []
    return tuple(p for p in function.parameters if any(mentions(text, p.name) for text in said))


def borrowed(function: Function, module: Module, own: str) -> str:
    """What else is said of the owners of a result: that its object lends it until some call, or that it is not ours."""
    return borrowed_until(function, module, own) + ".not_ours()" * (not function.is_ours)


def borrowed_until(function: Function, module: Module, own: str) -> str:
    """That its object lends it until some call."""
    return f".borrow({own}, {entry_number(function, module)})" if function.until else ""
