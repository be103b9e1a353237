"""Submodules in the cffi engine, which defines all that they have in one file."""

from __future__ import annotations

from collections.abc import Iterable

from wrapper_gen import names
from wrapper_gen.model import Module
from wrapper_gen.queries import exception_names
from wrapper_gen.quoting import python_string
from wrapper_gen.submodules import homes, part
from wrapper_gen.views.declarations import engine_names
from wrapper_gen.views.formatting import block, import_of_several
from wrapper_gen.views.signatures import defined_name


def of_engine(module: Module) -> str:
    """By submodule, what its classes and functions are called there, and what they are in the engine; or nothing."""
    found = []
    for submodule in module.submodules:
        own = part(module, submodule.name)
        here = {name: name for name in engine_names(own)} | {
            names.of_function(f): defined_name(f) for f in own.functions
        }
        items = [f"{python_string(name)}: {each}" for name, each in here.items()]
        found.append(f"{python_string(submodule.name)}: {block('{', items, '}')}")
    return block("{", found, "}") if found else ""


def imports_of_classes(listed: Iterable[str], module: Module) -> list[str]:
    """What imports these exceptions, enums and other classes from the modules that have them, the package first."""
    classes = dict(homes(module))
    for submodule in module.submodules:
        classes |= dict.fromkeys(exception_names(part(module, submodule.name)), submodule.name)
    by_home: dict[str, list[str]] = {"": []}
    classes[names.library_error(module.name)] = ""
    for each in listed:
        by_home.setdefault(classes.get(each, ""), []).append(each)
    return [import_of_several(f".{home}", found) for home, found in sorted(by_home.items())]
