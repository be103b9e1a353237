"""What a package tells others of its handle types, and what it has of the types of other packages."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import NO_DEFAULT, HandleType, Module, Uses
from wrapper_gen.queries import once
from wrapper_gen.quoting import c_string, python_string
from wrapper_gen.runtime_files import Runtime
from wrapper_gen.submodules import path
from wrapper_gen.types.hints import Import
from wrapper_gen.types.queries import enums_in
from wrapper_gen.views.fingerprints import shared_key


@frozen
class SharedView:
    """One handle type that two packages know: its C++ struct, and the name that it goes by between them."""

    name: str
    qualified: str
    shown: str
    key: str
    """With a digest of what both have to know alike."""


@frozen
class LentView:
    """A handle type whose owners are another package's."""

    qualified: str
    lender: str


@frozen
class UsesView:
    """What is used of another package."""

    number: int
    types: tuple[SharedView, ...]
    lent: tuple[LentView, ...]


def shares(module: Module) -> bool:
    """Whether the package shares objects with others."""
    return module.runtime is not Runtime.VENDORED and bool(module.known_handles)


def shared(module: Module) -> tuple[SharedView, ...]:
    """Its own handle types, which others may use."""
    if module.runtime is Runtime.VENDORED:
        return ()
    return tuple(_shared(h, module, module.name) for h in module.handles)


def used(module: Module) -> tuple[UsesView, ...]:
    """What it uses, package by package."""
    space = names.namespace(module.name)
    return tuple(
        UsesView(
            number=i,
            types=tuple(_shared(h, each.module, module.name) for h in each.handles),
            lent=tuple(
                LentView(f"{space}::{h.name}", f"{space}::{h.lent_by}")
                for h in module.handles
                if h.lent_by in {owner.name for owner in each.handles}
            ),
        )
        for i, each in enumerate(module.uses)
    )


@once
def adopted(module: Module) -> tuple[tuple[Uses, Module], ...]:
    """Each module that it uses, as if that had its name: C++ has the types in one namespace."""
    return tuple((each, replace(each.module, name=module.name, is_used=True)) for each in module.uses)


def homes_of_used(uses: Uses) -> dict[str, list[str]]:
    """The names of the classes that are used, by the module that has them."""
    found: dict[str, list[str]] = {}
    for each in sorted(uses.types, key=lambda each: each.name):
        found.setdefault(path(uses.module, each.module), []).append(each.name)
    return dict(sorted(found.items()))


def _shared(handle: HandleType, module: Module, lib: str) -> SharedView:
    return SharedView(
        name=handle.name,
        qualified=f"{names.namespace(lib)}::{handle.name}",
        shown=c_string(handle.name),
        key=c_string(shared_key(handle, module)),
    )


# --- the cffi engine -------------------------------------------------------------------------------------------------


def used_types(module: Module) -> tuple[str, ...]:
    """The statements that let cells and records of other packages cross."""
    lenders = {h.lent_by for h in module.handles}
    found = []
    for handle in (h for each in module.uses for h in each.handles):
        lends = ", lends=True" if handle.name in lenders else ""
        given = f'_bridge, {handle.name}, "{names.c_handle(module.name, handle.name)} *"{lends}'
        found.append(f"{names.python_used(handle.name)} = _UsedType({given})")
    for uses, struct in ((each, s) for each in module.uses for s in each.structs):
        codec = names.python_struct_codec(struct.name)
        given = f"_bridge, {struct.name}, {python_string(uses.module.package)}, {python_string(codec)}"
        found.append(f"{codec} = _used_codec({given})")
    return tuple(found)


def imports_of_lenders(module: Module) -> set[Import]:
    """The classes of other packages that its own classes have as owners."""
    lenders = {h.lent_by for h in module.handles}
    used_handles = ((each.module, h) for each in module.uses for h in each.handles)
    return {Import(path(of, h.module), h.name, "", is_installed=True) for of, h in used_handles if h.name in lenders}


def imports_of_defaults(module: Module) -> set[Import]:
    """The enums of other packages that defaults are of, which are evaluated in the package."""
    having = [p.type for f in module.callables for p in f.parameters if p.default is not NO_DEFAULT]
    having += [f.type for s in module.structs for f in s.fields if f.default is not NO_DEFAULT]
    wanted = frozenset[str]().union(*map(enums_in, having))
    return {
        Import(path(each.module, e.module), e.name, "", is_installed=True)
        for each in module.uses
        for e in each.enums
        if e.name in wanted
    }


def imports_of_used(module: Module) -> set[Import]:
    """The classes of other packages that the cffi engine names."""
    found = set[Import]()
    for each in module.uses:
        found |= {Import(path(each.module, c.module), c.name, "", is_installed=True) for c in each.types}
    return found
