"""The entries of a spec by what Python, the spec and C call them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wrapper_gen import names
from wrapper_gen.frozen import replace
from wrapper_gen.model import Function, Module, Named
from wrapper_gen.model.protocols import Shape
from wrapper_gen.queries import class_of, options_of
from wrapper_gen.submodules import home_of, homes
from wrapper_gen.types.queries import without_default
from wrapper_gen.views.literals import default_of
from wrapper_gen.views.signatures import with_mark


class UnknownEntry(Exception):
    """No entry has this name; `known` are those that some have."""

    def __init__(self, name: str, known: frozenset[str]) -> None:
        super().__init__(name)
        self.name = name
        self.known = known


def shown_name(function: Function, module: Module) -> str:
    """What Python calls an entry: `Db.put`, or `submodule.Db.put`."""
    home = home_of(function, homes(module))
    return ".".join(filter(None, [home, *_parts(function)]))


def _parts(function: Function) -> tuple[str, ...]:
    """Its class, if it has one, and its name."""
    if function.constructs:
        return (function.constructs,)
    if function.member:
        return (
            (function.member.record,)
            if function.member.is_constructor
            else (function.member.record, function.member.name)
        )
    own = function.sets or (function.name if function.protocol else names.of_function(function))
    return tuple(filter(None, [class_of(function), own]))


def kind_of(function: Function) -> str:
    """What it is in Python."""
    is_property = function.property or (function.member is not None and function.member.is_property)
    if function.constructs or (function.member and function.member.is_constructor):
        return "constructor"
    if function.sets:
        return "setter"
    if is_property:
        return "property"
    if function.protocol:
        return "operator" if function.protocol.shape is not Shape.CALL else "method"
    if function.static or (function.member and function.member.is_static):
        return "static method"
    return "method" if function.handle or function.member else "function"


def selected(module: Module, wanted: Sequence[str]) -> list[int]:
    """The numbers, among the callables of the module, of the entries with these names; all, without any.

    The name of a class stands for what it has.

    Raises:
        UnknownEntry: there is none.
    """
    known = _by_name(module)
    for name in wanted:
        if name not in known:
            raise UnknownEntry(name, frozenset(known))
    chosen = {number for name in wanted for number in known[name]}
    numbers = chosen if wanted else set(range(len(module.callables)))
    return sorted(numbers, key=lambda number: (module.callables[number].span, number))


def _by_name(module: Module) -> Mapping[str, list[int]]:
    """The numbers of entries by each of their names."""
    found: dict[str, list[int]] = {}
    for number, function in enumerate(module.callables):
        shown, parts = shown_name(function, module), _parts(function)
        named = {shown, ".".join(parts), ".".join([*parts[:-1], function.name]), names.c_symbol(module.name, function)}
        named |= {shown.rpartition(".")[0], *parts[:-1]} - {""}
        if isinstance(function.implementation, Named):
            named.add(function.implementation.name.text.strip())
        for name in named:
            found.setdefault(name, []).append(number)
    return found


def signature(function: Function) -> str:
    """How it is called, with the types of the spec; a struct of options stands for its fields, as the spec has it."""
    shown = [f"{names.python(p.name)}: {without_default(p.type)}{default_of(p.default)}" for p in function.parameters]
    options = options_of(function)
    if options is None:
        return f"({', '.join(with_mark(function, shown))})"
    own = [p for p in function.parameters if not p.is_option]
    declared = [each for each, p in zip(shown, function.parameters, strict=True) if not p.is_option]
    marked = with_mark(replace(function, parameters=tuple(own)), declared)
    return f"({', '.join([*marked, f'**{options.name}: {options.struct}'])})"
