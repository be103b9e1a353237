"""Properties in the bridge: the ways in which C++ may read or set one (`wg/callbacks/accessors.hpp`)."""

from __future__ import annotations

from wrapper_gen.model import Accessor


def accessed(accessor: Accessor) -> str:
    """The C++ that takes the first way that there is."""
    members = ("WG_ASSIGNED",) if accessor.sets else ("WG_MEMBER", "WG_BITS")
    ways = [f"WG_METHOD({name})" for name in accessor.methods]
    ways += [f"{kind}({name})" for name in accessor.members for kind in members]
    ways += [f"WG_FUNCTION({name})" for name in accessor.functions]
    ways += [f"WG_METHOD({name})" for name in accessor.verbs]
    return f"wg::accessor({', '.join(['wg_h.inner', *ways])})"


def tried(accessor: Accessor) -> str:
    """The same in words."""
    value = "value" if accessor.sets else ""
    ways = [f"{name}({value})" for name in accessor.methods]
    ways += [f"{name} = value" if accessor.sets else name for name in accessor.members]
    ways += [f"{name}(handle{', value' if accessor.sets else ''})" for name in accessor.functions]
    ways += [f"{name}({value})" for name in accessor.verbs]
    return ", ".join(ways)
