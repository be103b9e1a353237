"""Which module of a package has what, and what is in each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wrapper_gen.attributes import attributed
from wrapper_gen.frozen import replace
from wrapper_gen.model import Function, Module
from wrapper_gen.queries import class_of, once
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import (
    called_with,
    enums_in,
    handles_in,
    structs_in,
    walk,
)
from wrapper_gen.types.recursion import recursive_in
from wrapper_gen.types.tuples import named_tuple


@once
def homes(module: Module) -> Mapping[str, str]:
    """The submodule of each class; empty where the package itself has it."""
    found = {each.name: each.module for each in module.handles}
    found |= {each.name: each.module for each in module.enums} | {each.name: each.module for each in module.structs}
    for function in module.callables:
        if named := named_tuple(function.returns):
            found[named.label] = home_of(function, found)
    return found | {each.name: "" for each in module.representations if each.is_recursive}


def home_of(function: Function, classes: Mapping[str, str]) -> str:
    """The submodule of a function, or of the class that it is a member of."""
    owner = class_of(function)
    return classes.get(owner, "") if owner else function.module


def part(module: Module, name: str) -> Module:
    """What one of its modules has, and nothing else; `name` is empty for the package itself."""
    if not module.submodules:
        return module
    classes = homes(module)

    def own(functions: tuple[Function, ...]) -> tuple[Function, ...]:
        return tuple(f for f in functions if home_of(f, classes) == name)

    return replace(
        module,
        errors=tuple(each for each in module.errors if each.module == name),
        enums=tuple(each for each in module.enums if each.module == name),
        structs=tuple(each for each in module.structs if each.module == name),
        handles=tuple(each for each in module.handles if each.module == name),
        functions=own(module.functions),
        statics=own(module.statics),
        constructors=own(module.constructors),
        methods=own(module.methods),
        record_methods=own(module.record_methods),
        representations=() if name else module.representations,
    )


def elsewhere(module: Module, name: str) -> Mapping[str, list[str]]:
    """The classes of other modules that the type hints of this one speak of, by module."""
    if not module.submodules:
        return {}
    own, classes = part(module, name), homes(module)
    spoken = frozenset[str]().union(*map(_classes_in, _types_of(own)))
    spoken |= {each for h in own.handles for each in (h.extends, h.lent_by) if each}
    spoken |= {each.extends for each in own.structs if each.extends}
    found: dict[str, list[str]] = {}
    for each in sorted(spoken):
        if classes.get(each, name) != name:  # one of another package is nowhere here
            found.setdefault(classes[each], []).append(each)
    return dict(sorted(found.items()))


def _types_of(module: Module) -> Iterator[Type]:
    """All types that stand in type hints, and what callables among them are called with."""
    found = [t for f in module.callables for t in (*(p.type for p in f.parameters), f.returns)]
    found += [f.type for s in module.structs for f in s.fields]
    found += [each.type for each in attributed(module)]
    found += [each.of for each in module.representations if each.is_recursive]
    for type_ in found:
        yield type_
        for inner in walk(type_):
            yield from called_with(inner)


def _classes_in(type_: Type) -> frozenset[str]:
    return handles_in(type_) | enums_in(type_) | structs_in(type_) | recursive_in(type_)


def path(module: Module, home: str) -> str:
    """What Python imports a module by."""
    return f"{module.package}.{home}" if home else module.package


def qualified(name: str, module: Module) -> str:
    """A class by the module that has it, which may be another package's."""
    for uses in module.uses:
        if name in uses.names:
            return qualified(name, uses.module)
    return f"{path(module, homes(module).get(name, ''))}.{name}"


def namespace_of(submodule: str) -> str:
    """What the cpython engine calls the dict of what a module defines."""
    return f"wg_in_{submodule}" if submodule else "out"
