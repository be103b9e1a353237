"""Objects of which one stands for each pointer, and what holds them, as the cffi engine says it in Python.

The cpython engine does it in C++.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from wrapper_gen import names
from wrapper_gen.lifetimes.ended import entry_number
from wrapper_gen.lifetimes.identity import found_by_cells, identified
from wrapper_gen.model import ALL, Function, Mode, Module
from wrapper_gen.queries import once
from wrapper_gen.types.hints import Import
from wrapper_gen.types.queries import handle_in_forms, handles_in
from wrapper_gen.views.formatting import tuple_of

_MODULE = names.runtime_module("_held_objects")


@once
def holders(module: Module) -> Set[str]:
    """The handle types whose objects hold such objects."""
    found = {f.handle for f in module.methods if f.handle and _held(f.lifetime.held.holds, f, module)}
    made = {handle_in_forms(f.returns) for f in module.callables if _held(f.lifetime.result.keeps, f, module)}
    return {name for name in found | made if name}


@once
def tracked_classes(module: Module) -> Set[str]:
    """The handle types whose classes know of other objects, or whose objects are found by their cells."""
    return found_by_cells(module).keys() | holders(module)


def imports_of_held(module: Module) -> tuple[Import, ...]:
    """What the statements need."""
    lets_go = any(f.lifetime.held.releases for f in module.methods if f.handle in holders(module))
    wanted = [("hold", bool(holders(module))), ("let_go", lets_go)]
    return tuple(Import(_MODULE, name, f"_{name}") for name, is_used in wanted if is_used)


def held_objects(function: Function, module: Module) -> tuple[str, ...]:
    """The statements after a call that say what its object, or what it makes, holds now."""
    lines = []
    if held := _held(function.lifetime.held.holds, function, module):
        replaces = ", replaces=True" * function.lifetime.held.replaces
        lines.append(f"_hold(self, {entry_number(function, module)}, {tuple_of(held)}{replaces})")
    if function.handle in holders(module) and ALL in function.lifetime.held.releases:
        lines.append("_let_go(self)")
    elif function.handle in holders(module) and function.lifetime.held.releases:
        lines.append(f"_let_go(self, {tuple_of([names.python(name) for name in function.lifetime.held.releases])})")
    if function.constructs and (held := _held(function.lifetime.result.keeps, function, module)):
        lines.append(f"_hold(self, 0, {tuple_of(held)})")
    return tuple(lines)


def with_held(function: Function, result: str, module: Module) -> str:
    """The result, which holds what it keeps alive."""
    held = _held(function.lifetime.result.keeps, function, module) if handle_in_forms(function.returns) else ()
    return f"_hold({result}, 0, {tuple_of(held)})" if held and not function.constructs else result


def _held(several: Iterable[str], function: Function, module: Module) -> tuple[str, ...]:
    """Those of these parameters, or the object, that have such objects; all of `releases` are known by name."""
    wanted = set(several)
    if not wanted or not identified(module):
        return ()
    own = ("self",) if "h" in wanted and function.handle in identified(module) else ()
    found = (p for p in function.parameters if p.name in wanted and p.mode is not Mode.TAKE)
    return (*own, *(names.python(p.name) for p in found if handles_in(p.type) & identified(module)))
