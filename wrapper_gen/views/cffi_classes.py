"""Handle classes of the cffi engine: what they derive from, and how their objects are found."""

from __future__ import annotations

from wrapper_gen.model import HandleType, Module
from wrapper_gen.queries import Members, perishable, tracked


def base_of(handle: HandleType, own: Members, module: Module) -> str:
    """What a handle class of the cffi engine derives from."""
    if handle.name in perishable(module):
        base = "_Perishable"
    elif handle.name in tracked(module):
        base = "_Tracked"
    else:
        return "_Constructed" if own.constructors else "_Handle"
    return f"_Constructed, {base}" if own.constructors else base


def tracking_of(handle: HandleType, module: Module) -> str:
    """The statement that lets its objects be found, or find their owners; empty where there is no need."""
    lends, is_lent = tracked(module).get(handle.name, (False, False))
    if not lends and not is_lent and handle.name not in perishable(module):
        return ""
    given = ["_bridge"]
    given += [f"lender={handle.lent_by}"] if is_lent else []
    given += [] if lends else ["lends=False"]
    given += ["closes_lent=True"] if handle.invalidates else []
    return f"{handle.name}._track({', '.join(given)})"
