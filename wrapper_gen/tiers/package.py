"""Tier 3, the package: decides every line of its `__init__.py`, and of the modules below it."""

from __future__ import annotations

from collections.abc import Iterable

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.model import (
    NO_DEFAULT,
    ErrorType,
    Function,
    Library,
    Module,
    PythonPackage,
    PythonSource,
    Submodule,
    Uses,
)
from wrapper_gen.queries import caught, derives, members, named_tuples
from wrapper_gen.quoting import python_string
from wrapper_gen.runtime_files import Runtime, abi
from wrapper_gen.submodules import homes, part
from wrapper_gen.types.hints import Import, Way
from wrapper_gen.types.queries import enums_in
from wrapper_gen.views import aliases, awaitables, records
from wrapper_gen.views.aliases import UNION, AliasView
from wrapper_gen.views.declarations import (
    NAMED_TUPLE,
    DeclaredEnumView,
    ExceptionView,
    TupleView,
    declared_names,
    enum_bases,
    enums,
    exceptions,
    shared_names,
    tuples,
)
from wrapper_gen.views.deprecations import deprecated_classes, imports_of_types
from wrapper_gen.views.documentation import docstring, exception_doc, submodule_doc
from wrapper_gen.views.fingerprints import fingerprint, fingerprints_of_used
from wrapper_gen.views.formatting import block, bracketed, import_of_several, package_imports, strings, tuple_of
from wrapper_gen.views.formatting import imports as import_lines
from wrapper_gen.views.formatting import names as listed
from wrapper_gen.views.imported import homes_of_used, imports_of_defaults, shares
from wrapper_gen.views.records import RecordView

NUMBER = 3
TEMPLATES = (("python/__init__.py.jinja", "__init__.py"), ("python/submodule.py.jinja", "{submodule}.py"))
STATIC = (("python/py.typed", "py.typed"),)

_SUPPORT = (
    Import(names.runtime_module("_support"), "ClosedHandleError", ""),
    Import(names.runtime_module("_support"), "Extension", "_Extension"),
    Import(names.runtime_module("_support"), "LibraryError", "_LibraryError"),
    Import(names.runtime_module("_support"), "LibraryUnavailable", ""),
)
_SUBMODULES = {
    Import(names.runtime_module("_submodules"), "import_submodules", "_import_submodules"),
    Import(names.runtime_module("_submodules"), "populate", "_populate"),
}
_EXTEND = Import(names.runtime_module("_extend"), "extend", "_extend")
_COMPLETE = Import(names.runtime_module("_records"), "complete", "_complete")
_HOLD = Import(names.runtime_module("_holding_records"), "hold", "_hold")


@frozen
class SubmoduleView:
    """A module below the package: it defines what the extension needs, and gets the rest from that."""

    name: str
    docstring: str
    imports: tuple[str, ...]
    package_imports: tuple[str, ...]
    exceptions: tuple[ExceptionView, ...]
    enums: tuple[DeclaredEnumView, ...]
    tuples: tuple[TupleView, ...]
    completed: tuple[str, ...]
    """Statements that run once it has all its classes and functions."""
    shared: str
    """The names that it defines itself."""


@frozen
class PackageView:
    """Everything that the template places."""

    docstring: str
    package: str
    name: str
    version: str
    extension_name: str
    command: str
    fingerprint: str
    abi: str
    """The runtime's, where it lies elsewhere; empty where the package carries it."""
    imports: tuple[str, ...]
    """Import statements, finished and sorted."""
    preloaded: str
    """Packages to import first: they load what the extension's libraries need."""
    is_dynamic: bool
    has_lifetime: bool
    shares: bool
    """Whether it shares objects with other packages."""
    uses: str
    """The packages whose types it uses, a list; empty where there are none."""
    """Whether something starts or ends the library."""
    packages: str
    folders: str
    """Where a library that is loaded at first use may lie."""
    error: str
    error_docstring: str
    exceptions: tuple[ExceptionView, ...]
    caught: str
    """The exceptions that stand for C++ classes, in order; empty where there are no two."""
    enums: tuple[DeclaredEnumView, ...]
    aliases: tuple[AliasView, ...]
    tuples: tuple[TupleView, ...]
    records: tuple[RecordView, ...]
    holding: bool
    """Whether some of them have handles."""
    definition_imports: tuple[str, ...]
    """What the definitions import, all of it the runtime's."""
    runtime_hint: str
    """What to do where the runtime is not there; empty where the package carries it."""
    definitions: tuple[str, ...]
    """Statements that define coroutine functions, and that mark deprecated classes."""
    renamed: str
    """What functions are called now by their former names, a dict; empty when none was renamed."""
    renamed_members: str
    """The same for each class that has class methods that were renamed."""
    shared: str
    """The names that the package defines itself."""
    submodules: tuple[SubmoduleView, ...]
    submodule_names: str
    constants: str
    """The names of those, a tuple; empty where there are none."""
    extended: tuple[str, ...]
    """Statements that add the names of the author's own modules."""
    borrowed: tuple[str, ...]
    """Statements that get the enums of submodules that defaults of its own records are of."""


def view(whole: Module) -> PackageView:
    """The package of one module."""
    module = part(whole, "")
    library, error = module.library, names.library_error(module.name)
    of_tuples = {NAMED_TUPLE} if named_tuples(module) else set()
    of_aliases = {UNION} if aliases.aliases(module) else set()
    required = [r for r in library.requires if isinstance(r, PythonPackage)]
    return PackageView(
        docstring=docstring([module.doc or f"Bindings of {module.name}."]),
        package=module.package,
        name=python_string(module.name),
        version=python_string(module.version),
        extension_name=python_string(names.extension(module.package)),
        command=python_string(f"wrapper-gen build {module.spec}"),
        fingerprint=python_string(fingerprint(whole)),
        abi="" if module.runtime is Runtime.VENDORED else str(abi()),
        imports=_imports(of_tuples | of_aliases | enum_bases(module) | aliases.imports(module), module),
        preloaded=_preloaded(library),
        is_dynamic=bool(library.dynamic),
        has_lifetime=library.init is not None,
        shares=shares(whole),
        uses=block("[", [_used(each) for each in whole.uses], "]") if whole.uses else "",
        packages=block("[", [_package(r) for r in required], "]"),
        folders=strings(library.dirs),
        error=error,
        error_docstring=docstring([exception_doc(error, module)]),
        exceptions=exceptions(module),
        caught=tuple_of([_reached(e) for e in caught(whole)]) if derives(whole) else "",
        enums=enums(module),
        aliases=aliases.aliases(module),
        tuples=tuples(module),
        records=records.views(module),
        holding=any(each.is_holding for each in records.views(module)),
        definition_imports=package_imports(
            _of_definitions(module), module.runtime, installed=import_lines(imports_of_defaults(whole))
        ),
        runtime_hint=python_string(module.runtime.remedy) if module.runtime.remedy else "",
        definitions=(*awaitables.definitions(module), *deprecated_classes(module)),
        renamed=_former_names(module.functions),
        renamed_members=_former_members(whole, module),
        shared=listed(shared_names(module)),
        submodules=tuple(_submodule(each, whole) for each in whole.submodules),
        submodule_names=tuple_of([python_string(each.name) for each in whole.submodules]),
        constants=tuple_of([python_string(f.name) for f in module.functions if f.is_constant])
        if any(f.is_constant for f in module.functions)
        else "",
        extended=tuple(_extended(each) for each in library.python_sources if each.exports),
        borrowed=tuple(f"{name} = _submodules.{home}.{name}" for name, home in _defaults(whole, module).items()),
    )


def _of_definitions(module: Module) -> set[Import]:
    """What its statements call of the runtime."""
    found = {*_SUPPORT, *awaitables.imports(module), *imports_of_types(module)}
    found |= {_EXTEND} if any(each.exports for each in module.library.python_sources) else set()
    found |= {_HOLD} if any(each.is_holding for each in records.views(module)) else set()
    found |= {_COMPLETE} if records.views(module) else set()
    return found | (_SUBMODULES if module.submodules else set())


def _submodule(submodule: Submodule, whole: Module) -> SubmoduleView:
    """One module below the package."""
    module = part(whole, submodule.name)
    views = exceptions(module)
    of_tuples = {NAMED_TUPLE} if named_tuples(module) else set()
    error = names.library_error(whole.name)
    shared = [error] * any(error in each.derives_from for each in views) + ["_extension"] * bool(module.enums)
    hidden = "  # pyright: ignore[reportAttributeAccessIssue] - the type stub leaves it out" * bool(module.enums)
    views_of_records = records.views(module)
    used = {_COMPLETE} if module.structs else set()
    used |= {_HOLD} if any(each.is_holding for each in views_of_records) else set()
    completed = (
        *(f"from .{home} import {name}\n" for name, home in _defaults(whole, module).items()),
        *(record.completed for record in views_of_records),
        *awaitables.definitions(module),
        *deprecated_classes(module),
    )
    return SubmoduleView(
        name=submodule.name,
        docstring=docstring([submodule_doc(submodule, whole)]),
        imports=_imports(of_tuples | enum_bases(module), module),
        package_imports=package_imports(
            used.union(awaitables.imports(module), imports_of_types(module)),
            module.runtime,
            before=[import_of_several(".", shared) + hidden] if shared else [],
        ),
        exceptions=views,
        enums=enums(module),
        tuples=tuples(module),
        completed=completed,
        shared=listed(declared_names(module)),
    )


def _defaults(whole: Module, module: Module) -> dict[str, str]:
    """The enums of other modules that defaults of its records are of, with the submodule of each."""
    classes = homes(whole)
    own = {each.name for each in module.enums}
    spoken = {
        name for s in module.structs for f in s.fields if f.default is not NO_DEFAULT for name in enums_in(f.type)
    }
    return {name: classes[name] for name in sorted(spoken - own)}


def _extended(source: PythonSource) -> str:
    listed = [python_string(each.name) for each in source.exports]
    head = f"_extend(globals(), {python_string(source.name)}, "
    return f"{head}{bracketed('(', listed, ')', len(head) + 1)})"


def _reached(error: ErrorType) -> str:
    """The exception of an error type, as the package itself reaches it."""
    return f"_submodules.{error.module}.{error.exception}" if error.module else error.exception


def _used(uses: Uses) -> str:
    """A package, its library, its classes by the modules that have them, and the fingerprints of those."""
    classes = [f"{python_string(home)}: {strings(found)}" for home, found in homes_of_used(uses).items()]
    package, library = python_string(uses.module.package), python_string(uses.module.name)
    return block("(", [package, library, block("{", classes, "}"), strings(fingerprints_of_used(uses))], ")")


def _package(requirement: PythonPackage) -> str:
    return block("(", [python_string(requirement.name), strings(requirement.dirs)], ")")


def _imports(used: set[Import], module: Module) -> tuple[str, ...]:
    """What a module imports: of what only type hints of fields need, which are text, checkers see no use."""
    of_fields = records.imports(module, Way.RESULT)
    unseen = set(import_lines(of_fields - used))
    return tuple(
        f"{line}  # noqa: F401 - type hints of fields, as text" * (line in unseen) or line
        for line in import_lines(used | of_fields)
    )


def _preloaded(library: Library) -> str:
    """The package that the libraries are loaded from, where nothing else may have been linked in its place."""
    first = next(iter(library.requires), None)
    if not isinstance(first, PythonPackage) or not library.link or library.dynamic:
        return ""
    return block("(", [python_string(first.name), strings(first.dirs), strings(library.link)], ")")


def _former_names(functions: Iterable[Function]) -> str:
    """A dict of former names and present ones."""
    former = {names.former_function(f): names.of_function(f) for f in functions if names.former_function(f)}
    items = [f"{python_string(old)}: {python_string(now)}" for old, now in former.items()]
    return block("{", items, "}") if items else ""


def _former_members(whole: Module, module: Module) -> str:
    """A dict of such dicts, by class."""
    own_classes = {h.name for h in module.handles}
    former = {handle: _former_names(own.makers) for handle, own in members(whole).items() if handle in own_classes}
    return block("{", [f"{python_string(handle)}: {each}" for handle, each in former.items() if each], "}")
