"""What a package's engines check before they trust an extension: digests of all that both rely on."""

from __future__ import annotations

import hashlib

from wrapper_gen import names, runtime_files
from wrapper_gen.attributes import attributed
from wrapper_gen.lifetimes.ended import said_by_owner
from wrapper_gen.lifetimes.running import locked_by_calls
from wrapper_gen.model import Function, HandleType, Module, StructType, Uses
from wrapper_gen.model.inheritance import bases, subtypes
from wrapper_gen.queries import caught, derives, enum_array, exception_names, members, once
from wrapper_gen.views.interfaces import overriding_symbol, virtual_methods
from wrapper_gen.views.records import make_symbols

_SHARED = "2"
"""Counts how `wg::SharedType` is laid out and called: packages with other numbers do not share objects."""


@once
def fingerprints(module: Module) -> tuple[str, ...]:
    """What a caller relies on, thing by thing: the symbol of each, and a short digest of all that it stands for."""
    lib = module.name
    relied_on = [(enum_array(e, module), [str(e.flags), *(m.name for m in e.members)]) for e in module.enums]
    if array := derives(module):
        relied_on.append((array, [e.exception for e in caught(module)]))
    if raised := exception_names(module):
        own = (each.field for found in attributed(module) for each in found.own)
        of_cases = [f"{f.name}:{f.type}:{f.value.is_total}" for f in own]
        relied_on.append((names.support(lib, "error_kind"), [*raised, *of_cases]))
    relied_on += [
        (names.support(lib, s.name), [*(f"{f.name}:{f.type}" for f in s.fields), *_home(s)]) for s in module.structs
    ]
    relied_on += [(symbol, []) for symbol in make_symbols(module)]
    relied_on += [(names.support(lib, "start"), [])] * (module.library.init is not None)
    relied_on += [(h.drop_symbol, [h.name, *_home(h)]) for h in module.handles]
    found = members(module)
    for h in module.handles:
        if h.is_interface:
            virtual = virtual_methods(found[h.name].methods)
            relied_on.append((overriding_symbol(h, module), [str(each.callback.type) for _, each in virtual]))
    relied_on += [(names.support(lib, f"use_{u.module.name}"), relied_on_of(u)) for u in module.uses]
    for f in module.callables:
        parameters = [f"{p.name}:{p.type}:{p.mode}" for p in f.parameters]
        relied_on.append((names.c_symbol(lib, f), [str(f.returns), *parameters, *_home(f)]))
    return tuple(f"{symbol} {_digest(symbol, *parts)}" for symbol, parts in relied_on)


def relied_on_of(uses: Uses) -> list[str]:
    """What a package relies on of another one: the fingerprints of enums and structs, then those of handle types."""
    return [*fingerprints_of_used(uses), *(shared_key(h, uses.module) for h in uses.handles)]


def fingerprints_of_used(uses: Uses) -> list[str]:
    """Those of what is used besides handles, as the extension of the other package has them."""
    lib = uses.module.name
    wanted = {enum_array(e, uses.module) for e in uses.enums} | {names.support(lib, s.name) for s in uses.structs}
    return [line for line in fingerprints(uses.module) if line.split()[0] in wanted]


def shared_key(handle: HandleType, module: Module) -> str:
    """A handle type's name, with a digest of what C++ has to know to take one from another package, and to give one."""
    is_one = bool(bases(handle.name, module.extends) or subtypes(handle.name, module.extends))
    facts = [is_one, handle.in_place, handle.has_identity, handle.is_interface, handle.name in locked_by_calls(module)]
    facts += [handle.name in said_by_owner(module)]
    held = " ".join(handle.cpp_type.text.split())
    return f"{handle.name} {_digest(_SHARED, handle.name, held, handle.thread.value, *map(str, facts))}"


def _home(entry: Function | HandleType | StructType) -> list[str]:
    """The submodule that has it."""
    return [f"module:{entry.module}"] if entry.module else []


def fingerprint(module: Module) -> str:
    """One digest of all of them, and of the runtime's ABI, which every package declares alike."""
    return _digest(str(runtime_files.abi()), *fingerprints(module))


def _digest(*parts: str) -> str:
    return hashlib.blake2s("|".join(parts).encode(), digest_size=4).hexdigest()
