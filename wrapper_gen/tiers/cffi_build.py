"""Tier 2, the build script: `ffi_build.py` says what the library is; runtime files find it and compile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from wrapper_gen.frozen import frozen
from wrapper_gen.inputs import digests
from wrapper_gen.model import Folders, Module, Named, PkgConfig, PythonPackage, Requirement
from wrapper_gen.quoting import python_string
from wrapper_gen.runtime_files import FOLDER, Runtime, abi
from wrapper_gen.views.units import group_names, most_units

NUMBER = 2
TEMPLATES = (("cffi/ffi_build.py.jinja", "ffi_build.py"),)
STATIC: tuple[tuple[str, str], ...] = ()

SOURCES = "sources"
"""The folder of the package where the user's own sources lie."""


@frozen
class DescribedValue:
    """One line of the description: key and value as Python literals."""

    key: str
    value: str


@frozen
class CffiBuildView:
    """What the template places."""

    package: str
    entries: tuple[DescribedValue, ...]
    main: tuple[str, ...]
    """The statements that find the runtime, and build."""
    has_modules: bool
    """Whether modules of the package lie beside it, which may have names of Python's own."""


def view(module: Module) -> CffiBuildView:
    """The description of the library, in the order in which `_toolchain.py` declares its fields."""
    library = module.library
    described: dict[str, object] = {
        "package": module.package,
        "spec": module.spec,
        "guard": module.guard,
        "optional": library.optional,
        "headers": tuple(
            dict.fromkeys((*(i for u in module.uses for i in u.module.library.includes), *library.includes))
        ),
        "sources": [f"{SOURCES}/{source.name}" for source in library.sources if source.compiled],
        "link": library.link,
        "requires": [_requirement(each) for each in library.requires],
        "dynamic": bool(library.dynamic),
        "cpp_std": library.cpp_std,
        "units": most_units(module),
        "compile_args": library.compile_args,
        "link_args": library.link_args,
        "made_from": digests(module),
    }
    if len(by_group := group_names(module)) > 1:
        described["groups"] = [*by_group]
    if functions := _linked_functions(module):
        described["functions"] = functions
    entries = (DescribedValue(python_string(key), python_literal(value, 1)) for key, value in described.items())
    has_modules = bool(module.submodules or library.python_sources)
    return CffiBuildView(module.package, tuple(entries), _main(module, has_modules), has_modules)


def _headers(module: Module) -> tuple[str, ...]:
    """The headers of the library, and of those whose types it uses."""
    used = (header for each in module.uses for header in each.module.library.includes)
    return tuple(dict.fromkeys((*used, *module.library.includes)))


def _main(module: Module, has_modules: bool) -> tuple[str, ...]:
    """The statements that find the runtime, and build."""
    build = f'import_module("{module.runtime.module("_build").removeprefix(".")}")'
    own = "str(Path(__file__).resolve().parent)"
    match module.runtime:
        case Runtime.VENDORED if has_modules:
            return (f"sys.path.append({own})", f"{build}.main(EXTENSION)")
        case Runtime.VENDORED:
            before = f"sys.path.insert(0, {own})  # not the package itself, which is yet to be built"
            return (before, f"{build}.main(EXTENSION)")
        case Runtime.SHARED:
            return ("sys.path.insert(0, str(Path(__file__).resolve().parents[1]))", *_elsewhere(module, build))
        case Runtime.PACKAGE:
            return _elsewhere(module, build)
        case _:
            assert_never(module.runtime)


def _elsewhere(module: Module, build: str) -> tuple[str, ...]:
    """The statements that build with a runtime that may not be there, or be one that cannot read this description."""
    return (
        "try:",
        f"    build = {build}",
        f"    if build.ABI != {abi()}:",
        '        raise ImportError(f"the one in {build.__file__} is version {build.ABI}")',
        "except ImportError as error:",
        f'    print(f"{module.package}: it needs version {abi()} of {FOLDER} to be built: {{error}}", file=sys.stderr)',
        f'    print("{module.package}: hint: {module.runtime.remedy}", file=sys.stderr)',
        "    sys.exit(3)",
        f"build.main(EXTENSION, abi={abi()})",
    )


def _linked_functions(module: Module) -> list[str]:
    """Functions of C by name, of a library that is linked."""
    library = module.library
    if module.language != "c" or library.dynamic or not (library.link or library.requires):
        return []
    named = (f.implementation for f in module.callables if isinstance(f.implementation, Named))
    return sorted({each.name.text for each in named if not each.is_member and each.name.text.isidentifier()})


def python_literal(value: object, depth: int = 0) -> str:
    """A Python literal as a formatter leaves it, one element a line; `depth` is how far it is indented."""
    match value:
        case str():
            return python_string(value)
        case Mapping():
            items = [f"{python_string(key)}: {python_literal(each, depth + 1)}" for key, each in value.items()]
            return _bracketed("{", items, "}", depth)
        case Sequence():
            return _bracketed("[", [python_literal(each, depth + 1) for each in value], "]", depth)
    return repr(value)


def _bracketed(opening: str, items: Sequence[str], closing: str, depth: int) -> str:
    if not items:
        return opening + closing
    inner = "".join(f"{'    ' * (depth + 1)}{item},\n" for item in items)
    return f"{opening}\n{inner}{'    ' * depth}{closing}"


def _requirement(requirement: Requirement) -> dict[str, object]:
    match requirement:
        case PkgConfig(name):
            return {"pkg_config": name}
        case PythonPackage(name, dirs):
            return {"python": name, "dirs": dirs}
        case Folders(dirs):
            return {"dirs": dirs}
        case _:
            assert_never(requirement)
