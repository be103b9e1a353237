"""Document → Module: names, types, defaults, meaning. Knows nothing of any target language's text."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from wrapper_gen import names
from wrapper_gen.diagnostics import Diagnostic, Span, in_order
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Function, HandleType, Module
from wrapper_gen.model.inheritance import bases
from wrapper_gen.resolve.aliasing import check_second_owners
from wrapper_gen.resolve.clashes import check_clashes
from wrapper_gen.resolve.copies import implied_copies
from wrapper_gen.resolve.cursor_types import resolve_cursor
from wrapper_gen.resolve.deprecations import deprecated_types, with_deprecated_types
from wrapper_gen.resolve.entities import borrows, resolve_enum, resolve_handle
from wrapper_gen.resolve.errors import resolve_errors
from wrapper_gen.resolve.functions import resolve_function, resolve_method
from wrapper_gen.resolve.held_types import declare_classes
from wrapper_gen.resolve.implied import read_naming
from wrapper_gen.resolve.inheritance import bases_first, declare_bases
from wrapper_gen.resolve.interfaces import implied_constructors, refuse_elsewhere, resolve_member
from wrapper_gen.resolve.library import resolve_library
from wrapper_gen.resolve.lifetimes import check_modes, check_until, declare_lent
from wrapper_gen.resolve.named_callbacks import declare_callbacks
from wrapper_gen.resolve.options import records_and_options
from wrapper_gen.resolve.overloads import declare_overloads, grouped
from wrapper_gen.resolve.owner_checks import check_ended_owners
from wrapper_gen.resolve.parameters import NoSignature
from wrapper_gen.resolve.pointers import declare_pointers
from wrapper_gen.resolve.properties import resolve_properties
from wrapper_gen.resolve.protocol_results import keeping, kept_types
from wrapper_gen.resolve.protocols import declare_protocols
from wrapper_gen.resolve.python_sources import resolve_python_sources
from wrapper_gen.resolve.representations import resolve_representations
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.streams import resolve_streams
from wrapper_gen.resolve.struct_methods import resolve_struct_methods
from wrapper_gen.resolve.structs import declare_fields, resolve_structs
from wrapper_gen.resolve.submodules import declare_submodules, found_submodules
from wrapper_gen.resolve.unsaid_endings import check_unsaid_endings
from wrapper_gen.resolve.uses import Read, add_known, built_with, nothing_read, read_uses, resolve_uses
from wrapper_gen.resolve.waiting import check_waiting, with_awaited
from wrapper_gen.spec import DataPath, Document
from wrapper_gen.types.parse import WORDS

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
    scope = Scope(document, broken=broken)
    lib, name = _library(data, scope)
    scope.lib = name
    scope.is_thread_safe = lib.get("thread_safe") is True
    scope.blocking_drop = lib.get("blocking_drop") is True
    used = read_uses(lib, scope, read)
    _declare(scope)
    declare_classes(scope)
    declare_pointers(scope, is_c=lib.get("lang") == "c")
    add_known(scope, used)
    declare_overloads(scope)
    scope.naming = read_naming(lib, scope)
    declare_submodules(lib, scope)
    package, guard = _check_names(lib, scope) if lib else ("", "")
    declare_fields(scope)
    representations = resolve_representations(scope)
    enums = _all("enums", resolve_enum, scope)
    handles = bases_first(_all("handle_types", resolve_handle, scope))
    structs = resolve_structs(scope)
    errors = resolve_errors(scope)
    declare_callbacks(scope, errors)
    scope.streams = resolve_streams(scope)
    scope.borrowing |= {h.name for h in handles if borrows(h)}
    scope.leaking |= {h.name for h in handles if borrows(h) and h.drop is None}
    found = _callables(scope, handles)
    sources = resolve_python_sources(lib, package, scope)
    of_classes = (*found.statics, *found.constructors)
    check_clashes(scope, sources, handles, enums, structs, errors, found.functions, of_classes, found.methods)
    check_until(scope, found.methods)
    check_ended_owners(scope, handles, (*found.functions, *of_classes, *found.methods))
    check_second_owners(scope, handles, (*found.functions, *of_classes, *found.methods))
    check_unsaid_endings(scope, handles, (*found.functions, *of_classes, *found.methods))
    check_modes(scope, handles, (*found.functions, *of_classes, *found.methods))
    old = deprecated_types((*handles, *structs))
    record_methods = with_deprecated_types(resolve_struct_methods(scope), old)
    every = (*found.functions, *of_classes, *found.methods, *record_methods)
    records, options = records_and_options(structs, every, scope)
    uses = resolve_uses(scope, used, handles, structs, every)
    module = Module(
        name=scope.lib,
        version=scope.text(lib, "version", "0"),
        doc=scope.text(lib, "doc"),
        language=scope.text(lib, "lang", "cpp"),
        package=package,
        guard=guard,
        spec=document.shown,
        library=built_with(resolve_library(lib, scope, sources), uses),
        prelude=(scope.code(data, "cpp_prelude") if ("cpp_prelude",) not in broken else None)
        or scope.code(lib, "cpp_prelude"),
        errors=errors,
        enums=enums,
        structs=records,
        handles=handles,
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
    return module, in_order(scope.findings), scope


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
    methods = (*methods, *implied_constructors(methods, handles))
    methods = (*methods, *implied_copies(methods, scope))
    methods = keeping(methods, kept_types((*functions, *methods), scope))
    constructors = [f for f in (*functions, *methods) if f.constructs]
    statics = [m for m in methods if m.static]
    plain, own = with_awaited(
        scope,
        handles,
        grouped([f for f in functions if not f.constructs]),
        grouped([m for m in methods if not m.constructs and not m.static]),
    )
    return _Callables(plain, grouped(statics), grouped(constructors), own)


def _all(section: str, resolve: Callable[[Map, Scope], _Entity], scope: Scope) -> tuple[_Entity, ...]:
    """Every entry of a section, resolved."""
    return tuple(found for entry in scope.entries(section) for found in _one(entry, resolve, scope))


def _own_methods(scope: Scope) -> Iterator[Function]:
    """Methods and properties that stand in their handle type, and what it has without an entry."""
    for handle in scope.entries("handle_types"):
        owner = scope.text(handle, "name")
        for entry in scope.items(handle, "methods"):
            resolve = resolve_member if owner in scope.interfaces else _resolve_method
            yield from _one(entry, partial(resolve, owner=owner), scope)
        yield from scope.of_row(handle, partial(_implied, handle, scope, owner))


def _resolve_method(entry: Map, scope: Scope, owner: str = "") -> Function:
    refuse_elsewhere(entry, scope)
    return resolve_method(entry, scope, owner)


def _implied(handle: Map, scope: Scope, owner: str) -> tuple[Function, ...]:
    return (*resolve_properties(handle, scope, owner), *resolve_cursor(handle, scope, owner))


def _one(entry: Map, resolve: Callable[[Map, Scope], _Entity], scope: Scope) -> Iterator[_Entity]:
    """One entry, unless there is no telling what it is."""
    variables = scope.document.variables(entry)
    try:
        found = scope.of_row(entry, partial(resolve, entry, scope))
    except NoSignature:
        return
    if variables:
        scope.repeated[found.span] = variables
    yield found


def _library(data: Map, scope: Scope) -> tuple[Map, str]:
    """What the spec says of its library, and its name; nothing, and a stand-in, where that has the wrong shape."""
    lib = data.get("wrapper_lib")
    if ("wrapper_lib",) not in scope.broken and isinstance(lib, dict):
        return lib, scope.document.text(lib, "name")
    name = lib.get("name") if isinstance(lib, dict) else None
    return {}, name if isinstance(name, str) else "library"


def _declare(scope: Scope) -> None:
    """Every name that an entry may refer to."""
    scope.handles = frozenset(name for name, _ in scope.named("handle_types", "name"))
    for name, enum in scope.named("enums", "name"):
        values = enum.get("values")
        scope.enums[name] = frozenset(map(str, values)) if isinstance(values, dict | list) else None
    declare_bases(scope)
    declare_lent(scope)
    scope.iterates = any(_shows_parts(entry) for entry in _entries_with_results(scope))
    declare_protocols(scope)
    scope.flags = frozenset(name for name, enum in scope.named("enums", "name") if enum.get("flags"))
    in_place = {name for name, handle in scope.named("handle_types", "name") if handle.get("in_place")}
    scope.in_place = frozenset(n for n in scope.handles if in_place & {n, *bases(n, scope.extends)})
    scope.interfaces = frozenset(name for name, _ in scope.named("interfaces", "name"))
    scope.types = WORDS | scope.handles | scope.enums.keys()
    scope.structs = frozenset(name for name, _ in scope.named("structs", "name"))
    scope.types |= scope.structs | {
        name for section in ("types", "callbacks") for name, _ in scope.named(section, "name")
    }
    declared = list(scope.named("errors", "type"))
    scope.errors = frozenset(name for name, error in declared if error.get("ok") is not None)
    scope.exceptions = frozenset(name for name, _ in declared) - scope.errors


def _entries_with_results(scope: Scope) -> Iterator[Mapping[str, object]]:
    """Functions, methods, properties and fields, as the spec has them; a short form as a mapping with its `type`."""
    owners = [entry for section in ("handle_types", "structs") for _, entry in scope.named(section, "name")]
    for section in ("functions", "methods"):
        yield from scope.items(scope.document.data, section)
    for owner in owners:
        yield from scope.items(owner, "methods")
        for key in ("properties", "fields"):
            listed = owner.get(key)
            for about in listed.values() if isinstance(listed, dict) else ():
                yield about if isinstance(about, dict) else {"type": about}


def _shows_parts(entry: Mapping[str, object]) -> bool:
    """Whether the result of an entry may lie in an object: one of an iterator, or memory."""
    signature = entry.get("def")
    result = signature.rpartition("->")[2] if isinstance(signature, str) else entry.get("return", entry.get("type"))
    return "each" in entry or any(each in str(result) for each in ("iter[", "array["))


def _check_names(lib: Map, scope: Scope) -> tuple[str, str]:
    """The package's name and the guard, checked like the library's own name."""
    if not names.LIBRARY.match(scope.lib) or scope.lib in names.PYTHON_WORDS or scope.lib in names.CPP_WORDS:
        usable = re.sub(r"\W+", "_", re.sub(r"\A[\W\d_]+", "", scope.lib, flags=re.ASCII), flags=re.ASCII).lower()
        ways = [usable, f"{usable}_lib"]
        way = next((each for each in ways if names.LIBRARY.match(each) and each not in names.PYTHON_WORDS), "")
        scope.error(
            "WG020",
            f"{scope.lib!r} cannot be the name of a library",
            scope.span(lib, "name"),
            (f"write {way}: " if way and way not in names.CPP_WORDS else "")
            + "lower case letters, digits and underscores, starting with a letter, and no word of Python or C++",
        )
        if not {"python_package", "guard"} & lib.keys():
            return names.package("library"), names.guard("library")  # what is made of that name is no other mistake
    package = scope.text(lib, "python_package") or names.package(scope.lib)
    if not package.isidentifier() or not package.isascii() or package in names.PYTHON_WORDS or package.startswith("_"):
        example = names.package(scope.lib if names.LIBRARY.match(scope.lib) else "name")
        hint = f"a name that Python can import, such as {example}"
        scope.error("WG020", f"{package!r} cannot be the name of a package", scope.span(lib, "python_package"), hint)
    elif package in sys.stdlib_module_names | names.BUILD_PACKAGES:
        hint = f"choose another, such as {names.package(scope.lib)}"
        scope.error("WG026", f"a package named {package!r} would hide another", scope.span(lib, "python_package"), hint)
    guard = scope.text(lib, "guard") or names.guard(scope.lib)
    scope.check_identifier(guard, scope.span(lib, "guard"), "a guard")
    return package, guard
