"""Statements before a call that say what it does to what its object holds or lends; both engines have them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from wrapper_gen.lifetimes import checks_running
from wrapper_gen.model import ALL, Function, Mode, Module
from wrapper_gen.model.inheritance import bases
from wrapper_gen.queries import ended_entries, entry_number
from wrapper_gen.quoting import c_bool
from wrapper_gen.types.queries import handles_in
from wrapper_gen.views.exports import exporting


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
        given = f"{own}, {owners(function.holds)}, {entry_number(function, module)}, {c_bool(function.replaces)}"
        lines.append(f"const wg::Holds wg_holds({given});")
    if function.releases:
        given = own if ALL in function.releases else f"{own}, {owners(function.releases)}"
        lines.append(f"const wg::Releases wg_releases({given});")
    lines += _ended(function, module, own, owners)
    return tuple(lines)


def _ended(function: Function, module: Module, own: str, owners: Callable[[Sequence[str]], str]) -> Iterator[str]:
    """What ends what objects lend: last before the call, which may use what it is given all the same."""
    used = owners([p.name for p in function.parameters if handles_in(p.type) and p.mode is not Mode.TAKE])
    if function.invalidates:
        lent_by = {h.name: h.lent_by for h in module.handles}
        handle = function.handle or ""
        lender, kept = own, "wg::Held()"
        if handle in (lent_by[handle], *bases(lent_by[handle], module.extends)):  # the object may be the lender itself
            lender, kept = f"wg::owner_or_self({own})", own
        elif lent_by[handle] and handle not in lent_by.values():
            lender, kept = f"wg::owner_of(*{own}.cell)", own
        if exporting(module):
            yield f"wg::check_no_exports({lender}, {own});"
        if checks_running(module):
            yield f"wg::check_not_running({lender});"
        yield f"wg::end_lent({lender}, {kept}, {used}, wg::AnyLoan());"
    if entries := ended_entries(function, module):
        chosen = f"wg::LoansOf<{', '.join(map(str, entries))}>()"
        yield f"wg::end_lent({own}, wg::Held(), {used}, {chosen});"


def borrowed(function: Function, module: Module, own: str) -> str:
    """What else is said of the owners of a result: that its object lends it until some call, or that it is not ours."""
    return borrowed_until(function, module, own) + ".not_ours()" * (not function.is_ours)


def borrowed_until(function: Function, module: Module, own: str) -> str:
    """That its object lends it until some call."""
    return f".borrow({own}, {entry_number(function, module)})" if function.until else ""
