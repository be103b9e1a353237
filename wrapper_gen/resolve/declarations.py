"""What is known of a spec before any of its entries is resolved: every name that one may refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from wrapper_gen.model.inheritance import bases
from wrapper_gen.resolve.entry_names import entry_names
from wrapper_gen.resolve.errors import declared_errors, inherited_errors, may_tell_itself
from wrapper_gen.resolve.held_types import declared_classes
from wrapper_gen.resolve.implied import read_naming
from wrapper_gen.resolve.inheritance import declared_bases
from wrapper_gen.resolve.lifetimes import declared_lenders
from wrapper_gen.resolve.overloads import declared_overloads
from wrapper_gen.resolve.pointers import declared_pointers
from wrapper_gen.resolve.protocols import declared_protocols
from wrapper_gen.resolve.scope import Map, Names, SpecReader
from wrapper_gen.resolve.structs import declared_fields
from wrapper_gen.resolve.uses import Used, types_of_others, with_known


def declared_names(lib: Map, name: str, spec: SpecReader, used: Sequence[Used]) -> Names:
    """The names of a spec, and of those that it uses.

    Args:
        lib: what it says of its library.
        name: what the library is called.
    """
    entries = dict(spec.named("handle_types", "name"))
    handles = frozenset(entries).union(*(each.other.scope.names.handles for each in used))
    extends = declared_bases(entries)
    types = types_of_others(used)
    pointing, plain_pointers = declared_pointers(entries, is_c=lib.get("lang") == "c")
    in_place = {each for each, handle in entries.items() if handle.get("in_place")}
    structs = dict(spec.named("structs", "name"))
    calling, holding = declared_fields(spec, handles)
    enums = dict(spec.named("enums", "name"))
    statuses, exceptions = declared_errors(spec, name)
    called = tuple(entry_names(spec, handles))
    own = Names(
        lib=name,
        is_thread_safe=lib.get("thread") == "any",
        handles=frozenset(entries),
        extends=extends,
        handle_entries=entries,
        lent=declared_lenders(entries, extends, types),
        in_place=frozenset(each for each in entries if in_place & {each, *bases(each, extends)}),
        interfaces=frozenset(each.owner for each in called if each.is_overridden and each.owner in entries),
        classes=declared_classes(entries.values(), structs.values()),
        pointing=pointing,
        plain_pointers=plain_pointers,
        enums={each: _values(enum) for each, enum in enums.items()},
        flags=frozenset(each for each, enum in enums.items() if enum.get("flags")),
        structs=frozenset(structs),
        calling=calling,
        holding=holding,
        used=types,
        foreign=frozenset(),
        errors=statuses,
        exceptions=exceptions,
        told_by_type=any(map(may_tell_itself, spec.items(spec.document.data, "errors"))),
        raises=inherited_errors(lib, entries),
        naming=read_naming(lib, spec, handles),
        overloaded=declared_overloads(called),
        protocols=declared_protocols(called),
        iterates=any(_shows_parts(entry) for entry in (*_entries_with_results(spec), *spec.entries("types"))),
    )
    return with_known(own, used)


def _values(enum: Map) -> frozenset[str] | None:
    values = enum.get("values")
    return frozenset(map(str, values)) if isinstance(values, dict | list) else None


def _entries_with_results(spec: SpecReader) -> Iterator[Mapping[str, object]]:
    """Functions, methods, properties and fields, as the spec has them; a short form as a mapping with its `type`."""
    owners = [entry for section in ("handle_types", "structs") for _, entry in spec.named(section, "name")]
    for section in ("functions", "methods"):
        yield from spec.items(spec.document.data, section)
    for owner in owners:
        yield from spec.items(owner, "methods")
        listed = owner.get("fields")
        for about in listed.values() if isinstance(listed, dict) else ():
            yield about if isinstance(about, dict) else {"type": about}


def _shows_parts(entry: Mapping[str, object]) -> bool:
    """Whether the result of an entry may lie in an object: one of an iterator, or memory."""
    signature = entry.get("def")
    result = signature.rpartition("->")[2] if isinstance(signature, str) else entry.get("type")
    return any(each in str(result) for each in ("iter[", "array["))
