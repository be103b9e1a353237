"""Types of other specs: `uses` of the library names these, and `geo.Shape` is a type of one of them."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from wrapper_gen import names
from wrapper_gen.diagnostics import Nearest, Span, SpecError, a, raise_errors
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.lifetimes.running import locked_by_calls
from wrapper_gen.model import Folders, Function, HandleType, Library, Module, Requirement, StructType, Thread, Uses
from wrapper_gen.resolve.scope import Map, Names, Scope, SpecReader
from wrapper_gen.submodules import path
from wrapper_gen.types.model import EnumRef, Handle, Struct, Type
from wrapper_gen.types.queries import called_with, classes_in, walk

_T = TypeVar("_T")


class CannotUse(Exception):
    """Why a spec cannot be used; `hint` says what to do."""

    def __init__(self, message: str, hint: str | Nearest) -> None:
        super().__init__(message)
        self.hint = hint


@frozen
class Other:
    """Another spec, resolved, with the names that it knows."""

    module: Module
    scope: Scope


Read = Callable[[str], Other]
"""Reads the spec at a path that this one names; raises CannotUse."""


def nothing_read(path: str) -> Other:
    """Reads no spec: for those that stand alone."""
    raise CannotUse(f"cannot read {path!r}", "the path is relative to the spec")


@frozen
class Used:
    """One entry of `uses`: the name that goes before the types of the other spec."""

    name: str
    path: str
    span: Span
    other: Other

    def qualified(self, name: str) -> str:
        return f"{self.name}.{name}"


def read_uses(lib: Map, spec: SpecReader, read: Read) -> tuple[Used, ...]:
    """The specs that the library uses.

    Raises:
        SpecError: with what is wrong about them: without them, most of the spec would be wrong, too.
    """
    found: dict[str, Used] = {}
    diagnostics = spec.findings.diagnostics
    before_them = len(diagnostics)
    for name, file, span in _listed(lib.get("uses"), spec):
        try:
            other = read(file)
        except CannotUse as cannot:
            spec.error("WG280", str(cannot), span, cannot.hint)
            continue
        used = Used(name, file, span, other)
        if not names.is_identifier(used.name):
            spec.check_identifier(used.name, span, "a spec that is used")
        elif (before := found.setdefault(used.name, used)) is not used:
            hint = "give each another name: uses: {shapes: shapes.wrapper_spec}"
            spec.error("WG280", f"two specs are called {used.name!r}", span, hint, (before.span, "the other one"))
        elif other.module.package in {each.other.module.package for each in found.values() if each is not used}:
            spec.error("WG280", f"{file!r} is there twice", span, "drop one of them")
    raise_errors(diagnostics[before_them:])
    return tuple(found.values())


def types_of_others(used: Iterable[Used]) -> dict[str, Type]:
    """The types of these specs, by their qualified names."""
    return {each.qualified(name): type_ for each in used for name, type_ in _types(each.other)}


def _listed(uses: Any, spec: SpecReader) -> Iterator[tuple[str, str, Span]]:
    """Name, path and place of each."""
    for name, file in uses.items() if isinstance(uses, dict) else ():
        if isinstance(file, str):
            yield str(name), file, spec.document.span(uses, name)


def _types(other: Other) -> Iterator[tuple[str, Type]]:
    module = other.module
    yield from ((h.name, Handle(h.name, path(module, h.module))) for h in module.handles)
    yield from ((e.name, EnumRef(e.name, path(module, e.module))) for e in module.enums)
    yield from ((s.name, _struct(s, other)) for s in module.structs)


def _struct(struct: StructType, other: Other) -> Struct:
    name, known = struct.name, other.scope.names
    return Struct(name, name in known.calling, known.holding.get(name, ()), path(other.module, struct.module))


def with_known(own: Names, used: Iterable[Used]) -> Names:
    """These names with those of other specs, of whose types a spec knows what it knows of its own."""
    for other in (each.other.scope.names for each in used):
        own = replace(
            own,
            handles=own.handles | other.handles,
            extends={**other.extends, **own.extends},
            handle_entries={**other.handle_entries, **own.handle_entries},
            lent={**other.lent, **own.lent},
            in_place=own.in_place | other.in_place,
            interfaces=own.interfaces | other.interfaces,
            classes=own.classes | other.classes,
            pointing=own.pointing | other.pointing,
            plain_pointers=own.plain_pointers | other.plain_pointers,
            enums={**other.enums, **own.enums},
            flags=own.flags | other.flags,
            foreign=own.foreign | other.handles | other.enums.keys() | other.structs,
        )
    return own


def resolve_uses(
    scope: Scope,
    used: Iterable[Used],
    handles: Iterable[HandleType],
    structs: Iterable[StructType],
    functions: Sequence[Function],
) -> tuple[Uses, ...]:
    """What is used of each spec; a name that another spec has, too, is reported."""
    spoken = [type_ for f in functions for type_ in (*(p.type for p in f.parameters), f.returns)]
    spoken += [f.type for s in structs for f in s.fields]
    said = frozenset[tuple[str, str]]().union(*map(classes_in, spoken))
    lenders = {h.lent_by for h in handles}
    found = []
    own = _own_names(scope)
    for each in used:
        module = each.other.module
        wanted = {name for name, of in said if of.partition(".")[0] == module.package}
        wanted |= lenders & {h.name for h in module.handles} - own.keys()
        wanted = _with_parts(wanted, module)
        _check_names(scope, each, wanted, own)
        _check_structs(scope, each, wanted)
        _check_blocking(module, functions, scope)
        _check_callables(module, functions, scope)
        own |= {name: (each.span, f"{each.qualified(name)}") for name in wanted}
        found.append(Uses(module, frozenset(wanted), each.span, each.path))
    return tuple(found)


def _with_parts(wanted: set[str], module: Module) -> set[str]:
    """These types with the structs that they extend, and the types of their fields."""
    structs = {s.name: s for s in module.structs}
    waiting, found = list(wanted), set[str]()
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        if struct := structs.get(name):
            waiting += [struct.extends] * bool(struct.extends)
            waiting += [each for field in struct.fields for each, _ in classes_in(field.type)]
    return found


def _own_names(scope: Scope) -> dict[str, tuple[Span, str]]:
    """The names of its own types: where each stands, and what it is called in messages."""
    sections = ("handle_types", "enums", "structs", "types")
    entries = ((name, entry) for section in sections for name, entry in scope.named(section, "name"))
    return {name: (scope.span(entry, "name"), name) for name, entry in entries}


def _check_names(scope: Scope, used: Used, wanted: set[str], own: dict[str, tuple[Span, str]]) -> None:
    for name in sorted(wanted & own.keys()):
        span, whose = own[name]
        message = f"{used.qualified(name)} and {whose} have one name, and Python would have two classes of it"
        scope.error("WG280", message, used.span, "rename one of them", (span, f"{whose}, here"))


def _check_structs(scope: Scope, used: Used, wanted: set[str]) -> None:
    for struct in used.other.module.structs:
        type_ = _struct(struct, used.other)
        if struct.name in wanted and (type_.is_calling or type_.handles):
            what = "callables" if type_.is_calling else "handles"
            message = f"{used.qualified(struct.name)} has {what}, so only its own package takes and gives it"
            scope.error("WG280", message, used.span, "pass its fields one by one")


def _check_blocking(module: Module, functions: Sequence[Function], scope: Scope) -> None:
    """Calls that let other threads run keep them off the objects that they use, if the calls of those do the same."""
    exclusive = {h.name for h in module.handles if h.thread is Thread.EXCLUSIVE} - locked_by_calls(module)
    for function in functions:
        parameters = function.parameters if function.blocking and not function.lifetime.concurrent else ()
        for type_ in (p.type for p in parameters):
            for name, _ in sorted(each for each in _used_in(type_, module) if each[0] in exclusive):
                message = f"this call is blocking, and no call of {module.name} waits until it is done with {a(name)}"
                hint = f"say blocking: true on a call of {module.name} that uses one; or thread: any on {name}, there"
                scope.error("WG280", message, function.span, hint)


def _check_callables(module: Module, functions: Sequence[Function], scope: Scope) -> None:
    identified = {h.name for h in module.handles if h.has_identity}
    for function in functions:
        called = [each for p in function.parameters for part in walk(p.type) for each in called_with(part)]
        found = {name for type_ in called for name, _ in _used_in(type_, module)} & identified
        for name in sorted(found):
            message = f"only {module.name} itself calls with {a(name)}, of which one object stands for each pointer"
            scope.error("WG280", message, function.span, "call with what tells which it is, such as a number")


def _used_in(type_: Type, module: Module) -> frozenset[tuple[str, str]]:
    """What a type has of another package."""
    return frozenset(each for each in classes_in(type_) if each[1].partition(".")[0] == module.package)


def refused(error: SpecError, path: str) -> CannotUse:
    """A spec with mistakes, of which the first is told."""
    first, *more = [each for each in error.diagnostics if each.is_error]
    count = f"{len(more) + 1} mistakes; the first" if more else "a mistake"
    message = f"{path!r} has {count}: {first.span}: {first.message} [{first.code}]"
    return CannotUse(message, f"mend that spec first: {first.hint}" if first.hint else "mend that spec first")


def built_with(library: Library, uses: Iterable[Uses]) -> Library:
    """How to compile against the library, and against those of other specs, whose types C++ has to know."""
    for each in uses:
        other, folder = each.module.library, posixpath.dirname(each.path)
        headers = (replace(s, path=_from_here(s.path, folder)) for s in other.sources if not s.compiled)
        own = {source.name for source in library.sources}
        library = replace(
            library,
            link=_joined(library.link, other.link),
            requires=_joined(library.requires, [_rebased(each, folder) for each in other.requires]),
            compile_args=_joined(library.compile_args, other.compile_args),
            link_args=_joined(library.link_args, other.link_args),
            sources=(*library.sources, *(s for s in headers if s.name not in own)),
            cpp_std=max(library.cpp_std, other.cpp_std),
        )
    return library


def _joined(own: tuple[_T, ...], others: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys((*own, *others)))


def _rebased(requirement: Requirement, folder: str) -> Requirement:
    if not isinstance(requirement, Folders):
        return requirement
    return Folders(tuple(_from_here(path, folder) for path in requirement.dirs))


def _from_here(path: str, folder: str) -> str:
    """A path that is relative to another spec."""
    if path.startswith(("$", "~")) or posixpath.isabs(path):
        return path
    return posixpath.normpath(posixpath.join(folder, path))
