"""Which handle types have memory that arrays use, and what the extension has for that."""

from __future__ import annotations

from collections.abc import Set

from wrapper_gen import names
from wrapper_gen.model import HandleType, Module
from wrapper_gen.model.inheritance import with_relatives
from wrapper_gen.queries import once
from wrapper_gen.types.hints import Import
from wrapper_gen.types.memory import is_array
from wrapper_gen.types.queries import handles_in
from wrapper_gen.types.results import result


@once
def exporting(module: Module) -> Set[str]:
    """The handle types that arrays keep alive, by name."""
    found = set[str]()
    for function in module.callables:
        if is_array(function.returns):
            types = {p.name: handles_in(p.type) for p in function.parameters} | {"h": {function.handle or ""}}
            found |= {name for kept in function.lifetime.result.keeps for name in types[kept]}
    return with_relatives(found - {""}, module.extends)


def is_used(handle: HandleType, module: Module) -> tuple[str, ...]:
    """What its class says of that in the cffi engine."""
    if handle.extends or handle.name not in exporting(module):
        return ()
    return (f"_is_used = staticmethod(_extension.lib.{names.support(module.name, 'array')}_uses)",)


def imports_of_arrays(module: Module) -> frozenset[Import]:
    """What the cffi engine imports for arrays, and for classes with memory that they use."""
    results = (result(f.returns, module.name).python_imports for f in module.callables)
    exporter = {Import(names.runtime_module("_cffi_exports"), "Exporter", "_Exporter")}
    return frozenset[Import]().union(*results, exporter if exporting(module) else ())
