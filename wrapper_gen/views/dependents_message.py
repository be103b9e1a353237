"""What a call says that would end a handle that something else needs: the handle's type, and what may keep it alive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from wrapper_gen.diagnostics import a
from wrapper_gen.iterators import iterates, kept_by_iterator
from wrapper_gen.lifetimes.ended import ends_loans, perishable
from wrapper_gen.lifetimes.kept import owners
from wrapper_gen.model import Function, Mode, Module
from wrapper_gen.model.inheritance import bases
from wrapper_gen.queries import once
from wrapper_gen.types.memory import is_array
from wrapper_gen.types.queries import handles_in


def dependents_message(handle: str, module: Module) -> str:
    """The message about handles of one type; empty where no call ends such a handle."""
    if handle not in perishable(module) or not any(ends_loans(f, module) for f in module.callables):
        return ""
    lent_by = {h.name: h.lent_by for h in module.known_handles}
    known = _keepers(module)
    found = dict.fromkeys(each for kept in (handle, *bases(handle, module.extends)) for each in known.get(kept, ()))
    keepers = [each for each in found if handle not in _above(each, lent_by)]  # else it is ended with the handle
    keeps = f"{' or '.join(map(a, keepers))} keeps it alive, or " if keepers else ""
    return f"this call ends {a(handle)} that is still needed: {keeps}another call uses it"


def _above(name: str, lent_by: Mapping[str, str]) -> Iterator[str]:
    """What lends a handle, what lends that, and so on."""
    seen = {name}
    while (name := lent_by.get(name, "")) and name not in seen:
        seen.add(name)
        yield name


@once
def _keepers(module: Module) -> Mapping[str, list[str]]:
    """What may keep handles of a type alive."""
    found: dict[str, list[str]] = {}
    for function in module.callables:
        made = _made(function)
        kept = kept_by_iterator(function) if iterates(function) else owners(function)
        for name in _types(kept, function):
            found.setdefault(name, []).extend(made)
        for name in _types(function.lifetime.held.holds, function):
            found.setdefault(name, []).append(function.handle or "")
    return found


def _made(function: Function) -> Iterable[str]:
    if iterates(function):
        return ["iterator"]
    return ["array"] if is_array(function.returns) else sorted(handles_in(function.returns))


def _types(kept: Iterable[str], function: Function) -> Iterator[str]:
    """The handle types of these parameters, and of `h`."""
    given = {p.name: handles_in(p.type) for p in function.parameters if p.mode is not Mode.TAKE}
    for name in kept:
        yield from [function.handle or ""] if name == "h" else given.get(name, ())
