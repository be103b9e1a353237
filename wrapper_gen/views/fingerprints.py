"""What a package's engines check before they trust an extension: digests of all that both rely on."""

from __future__ import annotations

import hashlib

from wrapper_gen import names, runtime_files
from wrapper_gen.attributes import attributed
from wrapper_gen.model import Function, HandleType, Module, StructType
from wrapper_gen.queries import caught, derives, enum_array, exception_names, members, once
from wrapper_gen.views.interfaces import overriding_symbol, virtual_methods
from wrapper_gen.views.records import make_symbols


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
    for f in module.callables:
        parameters = [f"{p.name}:{p.type}:{p.mode}" for p in f.parameters]
        relied_on.append((names.c_symbol(lib, f), [str(f.returns), *parameters, *_home(f)]))
    return tuple(f"{symbol} {_digest(symbol, *parts)}" for symbol, parts in relied_on)


def _home(entry: Function | HandleType | StructType) -> list[str]:
    """The submodule that has it."""
    return [f"module:{entry.module}"] if entry.module else []


def fingerprint(module: Module) -> str:
    """One digest of all of them, and of the runtime's ABI, which every package declares alike."""
    return _digest(str(runtime_files.abi()), *fingerprints(module))


def _digest(*parts: str) -> str:
    return hashlib.blake2s("|".join(parts).encode(), digest_size=4).hexdigest()
