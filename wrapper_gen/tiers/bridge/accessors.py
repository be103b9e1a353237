"""Properties in the bridge: the ways in which C++ may read or set one (`wg/callbacks/accessors.hpp`)."""

from __future__ import annotations

from wrapper_gen.model import Accessor


def accessed(accessor: Accessor, *, is_pointed: bool, is_bound: bool) -> str:
    """The C++ that takes the first way that there is.

    Args:
        accessor: what may read or set it.
        is_pointed: whether functions may take a plain pointer where the handle holds a smart one.
        is_bound: whether they may take what a plain pointer points to.
    """
    others = ["wg_object"] * is_bound + ["std::addressof(wg_object)"] * is_pointed
    members = ("WG_ASSIGNED",) if accessor.sets else ("WG_MEMBER", "WG_BITS")
    ways = [f"WG_METHOD({name})" for name in accessor.methods]
    for name in accessor.functions:
        ways += [f"WG_FUNCTION({name})", *(f"WG_FUNCTION_OF({name}, {other})" for other in others)]
    ways += [f"{kind}({name})" for name in accessor.members for kind in members]
    ways += [f"WG_METHOD({name})" for name in accessor.verbs]
    return f"wg::accessor({', '.join(['wg_h.inner', *ways])})"


def tried(accessor: Accessor) -> str:
    """The same in words."""
    value = "value" if accessor.sets else ""
    ways = [f"{name}({value})" for name in accessor.methods]
    ways += [f"{name}(handle{', value' if accessor.sets else ''})" for name in accessor.functions]
    ways += [f"{name} = value" if accessor.sets else name for name in accessor.members]
    ways += [f"{name}({value})" for name in accessor.verbs]
    return ", ".join(ways)
