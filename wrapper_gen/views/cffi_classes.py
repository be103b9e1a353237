"""Handle classes of the cffi engine: their class methods, and how their objects are found."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.lifetimes.ended import perishable
from wrapper_gen.lifetimes.identity import found_by_cells
from wrapper_gen.model import Function, HandleType, Module
from wrapper_gen.views.formatting import WIDTH, laid_out
from wrapper_gen.views.held_objects import tracked_classes
from wrapper_gen.views.signatures import engine_name, parts_of_factory, renamed


@frozen
class FactoryView:
    """A function that returns a handle, as a class method of the handle's class."""

    signature: str
    call: str
    renamed: str
    is_alone: bool
    """Whether no other has its name: it is a class method then, and else part of one."""


def factory_view(function: Function) -> FactoryView:
    """A function that returns a handle, as a class method."""
    name = engine_name(function)
    given = [
        p.gathers + f"{names.python(p.name)}=" * (p.is_keyword and not p.gathers) + names.python(p.name)
        for p in function.parameters
    ]
    called = laid_out(f'_globals()["{name}"]' if name in given else name, given, "", 12)
    head = parts_of_factory(function, name=name if function.is_form else "", left_out=names.LEFT_OUT)
    is_short = len(f"        return cls._adopt({called})") <= WIDTH and "\n" not in called
    indented = called.replace("\n", "\n    ")
    return FactoryView(
        signature=laid_out(*head, 4, is_definition=True),
        call=f"return cls._adopt({called})" if is_short else f"return cls._adopt(\n    {indented}\n)",
        renamed=renamed(function),
        is_alone=not function.is_form,
    )


def tracking_of(handle: HandleType, module: Module) -> str:
    """The statement that lets its objects be found, or find their owners; empty where there is no need."""
    lends, is_lent = found_by_cells(module).get(handle.name, (False, False))
    if handle.name not in tracked_classes(module) | perishable(module):
        return ""
    given = ["_bridge"]
    used = {h.name for each in module.uses for h in each.handles}
    lender = names.python_used(handle.lent_by) if handle.lent_by in used else handle.lent_by
    given += [f"lender={lender}"] if is_lent else []
    given += [] if lends else ["lends=False"]
    given += ["closes_lent=True"] if handle.closing_ends else []
    given += ["has_identity=True"] if handle.has_identity else []
    return f"{handle.name}._track({', '.join(given)})"
