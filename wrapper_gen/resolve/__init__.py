"""Document → Module: names, types, defaults, meaning. Knows nothing of any target language's text."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from wrapper_gen import names
from wrapper_gen.diagnostics import Diagnostic, Span, in_order
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import Function, HandleType, Module
from wrapper_gen.resolve.aliasing import check_second_owners
from wrapper_gen.resolve.callable_types import declare_callables
from wrapper_gen.resolve.clashes import check_clashes
from wrapper_gen.resolve.constants import resolve_constants
from wrapper_gen.resolve.copies import implied_copies
from wrapper_gen.resolve.declarations import declared_names
from wrapper_gen.resolve.deprecations import deprecated_types, with_deprecated_types
from wrapper_gen.resolve.ended_results import with_ended_results
from wrapper_gen.resolve.entities import borrows, perhaps_leaks, resolve_enum, resolve_handle
from wrapper_gen.resolve.errors import resolve_errors
from wrapper_gen.resolve.examples import check_examples
from wrapper_gen.resolve.functions import resolve_function, resolve_method
from wrapper_gen.resolve.gathered import check_gathered
from wrapper_gen.resolve.inheritance import bases_first
from wrapper_gen.resolve.interfaces import (
    implied_constructors,
    inherited_overrides,
    refuse_elsewhere,
    resolve_member,
)
from wrapper_gen.resolve.iteration import declare_cursors
from wrapper_gen.resolve.library import read_prelude, resolve_library
from wrapper_gen.resolve.lifetimes import check_modes
from wrapper_gen.resolve.options import records_and_options
from wrapper_gen.resolve.overloads import grouped
from wrapper_gen.resolve.owner_checks import check_ended_owners, check_freed_of_owners
from wrapper_gen.resolve.parameters import NoSignature
from wrapper_gen.resolve.properties import resolve_properties
from wrapper_gen.resolve.protocol_results import keeping, kept_types
from wrapper_gen.resolve.python_sources import resolve_python_sources
from wrapper_gen.resolve.reports import check_inherited, check_untested
from wrapper_gen.resolve.representations import resolve_representations
from wrapper_gen.resolve.scope import Findings, Map, Scope, SpecReader
from wrapper_gen.resolve.struct_methods import resolve_struct_methods
from wrapper_gen.resolve.structs import resolve_structs
from wrapper_gen.resolve.submodules import found_submodules
from wrapper_gen.resolve.unsaid_endings import check_unsaid_endings
from wrapper_gen.resolve.uses import Read, built_with, nothing_read, read_uses, resolve_uses
from wrapper_gen.resolve.waiting import check_waiting, with_awaited
from wrapper_gen.spec import DataPath, Document

__all__ = ["resolve"]


class _Placed(Protocol):
    @property
    def span(self) -> Span: ...


_Entity = TypeVar("_Entity", bound=_Placed)


def resolve(
    document: Document, broken: frozenset[DataPath] = frozenset(), read: Read = nothing_read
) -> tuple[Module, list[Diagnostic], Scope]:
    """The meaning of a document, and everything found on the way, in order of position; and the names that it knows.

    When a finding is an error the module is not fit for use: stand-ins take the place of what is wrong in it. So it is
    when the schema found mistakes, in the entries `broken`, which are left out. `read` gives the specs that it uses.
    """
    data: dict[str, Any] = document.data
    findings = Findings()
    spec = SpecReader(document, broken, findings, row="")
    lib, name = _library(data, spec)
    used = read_uses(lib, spec, read)
    findings.borrowing.update(*(each.other.scope.findings.borrowing for each in used))
    findings.leaking.update(*(each.other.scope.findings.leaking for each in used))
    scope = Scope(document, broken, findings, row="", names=declared_names(lib, name, spec, used))
    package, guard = _check_names(lib, scope) if lib else ("", "")
    representations = resolve_representations(scope)
    declare_cursors(scope)
    enums = _all("enums", resolve_enum, scope)
    handles = bases_first(_all("handle_types", resolve_handle, scope))
    structs = resolve_structs(scope)
    errors = resolve_errors(scope)
    declare_callables(scope, errors)
    findings.borrowing.update(h.name for h in handles if borrows(h))
    findings.leaking.update(h.name for h in handles if borrows(h) and h.drop is None)
    findings.perhaps_leaking.update(h.name for h in handles if perhaps_leaks(h))
    found = _callables(scope, handles)
    sources = resolve_python_sources(lib, package, scope)
    of_classes = (*found.statics, *found.constructors)
    check_clashes(scope, sources, handles, enums, structs, errors, found.functions, of_classes, found.methods)
    check_ended_owners(scope, handles, (*found.functions, *of_classes, *found.methods))
    check_freed_of_owners(scope, handles, (*found.functions, *of_classes, *found.methods))
    check_second_owners(scope, handles, (*found.functions, *of_classes, *found.methods))
    check_unsaid_endings(scope, handles, (*found.functions, *of_classes, *found.methods))
    check_modes(scope, handles, (*found.functions, *of_classes, *found.methods))
    old = deprecated_types((*handles, *structs))
    record_methods = with_deprecated_types(resolve_struct_methods(scope), old)
    every = (*found.functions, *of_classes, *found.methods, *record_methods)
    check_inherited(lib, every, scope)
    check_untested(lib, errors, every, scope)
    check_gathered(every, scope)
    records, options = records_and_options(structs, every, scope)
    uses = resolve_uses(scope, used, handles, structs, every)
    module = Module(
        name=scope.names.lib,
        version=scope.text(lib, "version", "0"),
        doc=scope.text(lib, "doc"),
        language=scope.text(lib, "lang", "cpp"),
        package=package,
        guard=guard,
        spec=document.shown,
        library=built_with(resolve_library(lib, scope, sources), uses),
        prelude=(read_prelude(data, scope) if ("cpp_prelude",) not in broken else None) or read_prelude(lib, scope),
        errors=errors,
        enums=enums,
        structs=records,
        handles=tuple(_with_checks(h, findings) for h in handles),
        functions=with_deprecated_types(found.functions, old),
        methods=found.methods,
        span=document.start(lib) if lib else Span(document.shown, 1, 1),
        representations=representations,
        options=options,
        constructors=with_deprecated_types(found.constructors, old),
        record_methods=record_methods,
        statics=with_deprecated_types(found.statics, old),
        submodules=found_submodules(scope, (*errors, *enums, *structs, *handles, *found.functions), errors),
        uses=uses,
    )
    check_waiting(scope, module)
    check_examples(scope)
    return module, in_order(findings.diagnostics), scope


def _with_checks(handle: HandleType, findings: Findings) -> HandleType:
    """The same, with what C++ checks of it."""
    return replace(handle, unsaid_owner=findings.unsaid.get(handle.name), not_ours=findings.not_ours.get(handle.name))


@frozen
class _Callables:
    """What a spec declares beside the methods of structs; forms of one name stand side by side."""

    functions: tuple[Function, ...]
    statics: tuple[Function, ...]
    constructors: tuple[Function, ...]
    methods: tuple[Function, ...]


def _callables(scope: Scope, handles: Sequence[HandleType]) -> _Callables:
    functions = _all("functions", resolve_function, scope)
    methods = (*_own_methods(scope), *_all("methods", _resolve_method, scope))
    methods = (*methods, *implied_constructors(methods, handles), *inherited_overrides(methods, scope))
    methods = (*methods, *implied_copies(methods, scope))
    methods = keeping(methods, kept_types((*functions, *methods), scope))
    methods = with_ended_results(methods, scope)
    constructors = [f for f in (*functions, *methods) if f.constructs]
    statics = [m for m in methods if m.static]
    plain, own = with_awaited(
        scope,
        handles,
        grouped([f for f in functions if not f.constructs]),
        grouped([m for m in methods if not m.constructs and not m.static]),
    )
    return _Callables((*plain, *resolve_constants(scope)), grouped(statics), grouped(constructors), own)


def _all(section: str, resolve: Callable[[Map, Scope], _Entity], scope: Scope) -> tuple[_Entity, ...]:
    """Every entry of a section, resolved."""
    return tuple(found for entry in scope.entries(section) for found in _one(entry, resolve, scope))


def _own_methods(scope: Scope) -> Iterator[Function]:
    """Methods and properties that stand in their handle type, and what it has without an entry."""
    for handle in scope.entries("handle_types"):
        owner = scope.text(handle, "name")
        for entry in scope.items(handle, "methods"):
            resolve = resolve_member if owner in scope.names.interfaces else _resolve_method
            yield from _one(entry, partial(resolve, owner=owner), scope)
        yield from scope.of_row(handle, partial(_implied, handle, owner=owner))


def _resolve_method(entry: Map, scope: Scope, owner: str = "") -> Function:
    refuse_elsewhere(entry, scope)
    return resolve_method(entry, scope, owner)


def _implied(handle: Map, scope: Scope, owner: str) -> tuple[Function, ...]:
    return tuple(resolve_properties(handle, scope, owner))


def _one(entry: Map, resolve: Callable[[Map, Scope], _Entity], scope: Scope) -> Iterator[_Entity]:
    """One entry, unless there is no telling what it is."""
    variables = scope.document.variables(entry)
    try:
        found = scope.of_row(entry, partial(resolve, entry))
    except NoSignature:
        return
    if variables:
        scope.findings.repeated[found.span] = variables
    yield found


def _library(data: Map, spec: SpecReader) -> tuple[Map, str]:
    """What the spec says of its library, and its name; nothing, and a stand-in, where that has the wrong shape."""
    lib = data.get("wrapper_lib")
    if ("wrapper_lib",) not in spec.broken and isinstance(lib, dict):
        return lib, spec.document.text(lib, "name")
    name = lib.get("name") if isinstance(lib, dict) else None
    return {}, name if isinstance(name, str) else "library"


def _check_names(lib: Map, scope: Scope) -> tuple[str, str]:
    """The package's name, checked like the library's own, and the macro that is defined where the library is there."""
    lib_name = scope.names.lib
    if not names.LIBRARY.match(lib_name) or lib_name in names.PYTHON_WORDS or lib_name in names.CPP_WORDS:
        usable = re.sub(r"\W+", "_", re.sub(r"\A[\W\d_]+", "", lib_name, flags=re.ASCII), flags=re.ASCII).lower()
        ways = [usable, f"{usable}_lib"]
        way = next((each for each in ways if names.LIBRARY.match(each) and each not in names.PYTHON_WORDS), "")
        scope.error(
            "WG020",
            f"{lib_name!r} cannot be the name of a library",
            scope.span(lib, "name"),
            (f"write {way}: " if way and way not in names.CPP_WORDS else "")
            + "lower case letters, digits and underscores, starting with a letter, and no word of Python or C++",
        )
        if "package" not in lib:
            return names.package("library"), names.guard("library")  # what is made of that name is no other mistake
    package = scope.text(lib, "package") or names.package(lib_name)
    if not package.isidentifier() or not package.isascii() or package in names.PYTHON_WORDS or package.startswith("_"):
        example = names.package(lib_name if names.LIBRARY.match(lib_name) else "name")
        hint = f"a name that Python can import, such as {example}"
        scope.error("WG020", f"{package!r} cannot be the name of a package", scope.span(lib, "package"), hint)
    elif package in sys.stdlib_module_names | names.BUILD_PACKAGES:
        hint = f"choose another, such as {names.package(lib_name)}"
        scope.error("WG026", f"a package named {package!r} would hide another", scope.span(lib, "package"), hint)
    return package, names.guard(lib_name)
