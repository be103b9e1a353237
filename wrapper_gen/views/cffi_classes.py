"""Handle classes of the cffi engine: how their objects are found."""

from __future__ import annotations

from wrapper_gen.model import HandleType, Module
from wrapper_gen.queries import perishable, tracked


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
