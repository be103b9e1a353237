"""The cpython engine: CPython types and functions over the bridge. Decides every line of `cpython.cpp`; places none."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.attributes import attributed
from wrapper_gen.frozen import frozen
from wrapper_gen.interfaces import interface_types
from wrapper_gen.lifetimes.identity import identified
from wrapper_gen.lifetimes.kept import keeping, kept_values
from wrapper_gen.lifetimes.running import waits
from wrapper_gen.model import Function, Module
from wrapper_gen.queries import callbacks, caught, derives, exception_names, families, fills_room, is_fixed, members
from wrapper_gen.quoting import c_string
from wrapper_gen.runtime_files import JoinedHeaders, header
from wrapper_gen.submodules import namespace_of, path
from wrapper_gen.tiers.cpython.forms import FormsView, forms_of_class, forms_of_records, forms_view, has_slot_forms
from wrapper_gen.tiers.cpython.functions import RowView, function_view
from wrapper_gen.tiers.cpython.imported import UsedTypesView, uses_views
from wrapper_gen.tiers.cpython.record_members import MembersView, members_views
from wrapper_gen.tiers.cpython.tables import (
    AttributesRowView,
    EnumRowView,
    TypeView,
    attributes_view,
    entry,
    enum_view,
    forms_entry,
    type_view,
)
from wrapper_gen.types.kept import is_kept_text
from wrapper_gen.types.memory import has_arrays
from wrapper_gen.views import records
from wrapper_gen.views.byte_offsets import has_offsets
from wrapper_gen.views.declarations import TupleView, tuples
from wrapper_gen.views.imported import SharedView
from wrapper_gen.views.imported import shared as shared_types
from wrapper_gen.views.imported import shares as shares_objects
from wrapper_gen.views.overloads import forms
from wrapper_gen.views.protocols import counted_key, is_buffer
from wrapper_gen.views.records import RecordView
from wrapper_gen.views.units import group_names, groups

NUMBER = 3
TEMPLATES = (("cpython/cpython.cpp.jinja", "cpython.cpp"),)
STATIC: tuple[tuple[str, str], ...] = ()


@frozen
class RowsView:
    """Functions that are compiled in the same unit."""

    name: str
    functions: tuple[RowView, ...]


@frozen
class SubmoduleRowsView:
    """The functions of a submodule, and the dict that all that it defines is put into."""

    name: str
    key: str
    path: str
    into: str
    table: tuple[str, ...]


@frozen
class CpythonView:
    """Everything that the template places."""

    lib: str
    buffer: str
    has_callables: bool
    starts_identity: bool
    """Whether there are types with `identity`, and no callables, whose start does the same."""
    keeps_memory: bool
    has_arrays: bool
    """Whether some results are memory that Python uses where it lies."""
    waits: bool
    """Whether something beside blocking calls gives up the GIL."""
    has_lifetime: bool
    """Whether something starts or ends the library."""
    has_units: bool
    """Whether its functions may be compiled in several units, so that the tables need declarations of them."""
    guard: str
    namespace: str
    package: str
    shown: str
    error: str
    exceptions: tuple[str, ...]
    attributes: tuple[AttributesRowView, ...]
    """Of exceptions that have some beside `code` and `name`."""
    caught: bool
    """Whether the spec declares exception classes."""
    derives: str
    """The array of what derives from what among them, if there is one, and its size."""
    derives_size: int
    enums: tuple[EnumRowView, ...]
    known_enums: tuple[EnumRowView, ...]
    """These, and those of other packages."""
    shares: bool
    """Whether it shares objects with other packages."""
    shared: tuple[SharedView, ...]
    """The handle types that others may use."""
    uses: tuple[UsedTypesView, ...]
    types: tuple[TypeView, ...]
    included: tuple[str, ...]
    """What includes the headers of the runtime that it stands on, beside the bridge's."""
    records: tuple[RecordView, ...]
    members: tuple[MembersView, ...]
    """Of records that have methods."""
    tuples: tuple[TupleView, ...]
    functions: tuple[RowView, ...]
    groups: tuple[RowsView, ...]
    forms: tuple[FormsView, ...]
    """Functions that several have one name with."""
    forms_of_records: tuple[FormsView, ...]
    table: tuple[str, ...]
    """The same for functions."""
    submodules: tuple[SubmoduleRowsView, ...]


def joined(module: Module) -> JoinedHeaders:
    """The headers of the cpython engine."""
    everywhere = ["rows", "records"] + ["slots"] * any(f.protocol or f.constructs for f in module.callables)
    first = [header(each, "cpython") for each in everywhere] + [header("gil")] * waits(module)
    some = (header(each, "cpython") for each in (*families(module), *_headers(module)))
    return JoinedHeaders((*first, *some), "WG_CPYTHON")


def _headers(module: Module) -> tuple[str, ...]:
    """The headers that this module needs and others do not, beside those of its types."""
    found = ["result_buffer"] * any(map(fills_room, module.callables))
    found += ["overloads"] * any(f.is_form for f in module.callables)
    found += ["slot_forms"] * has_slot_forms(module)
    found += ["record_methods"] * bool(module.record_methods)
    found += ["exports"] * any(map(is_buffer, module.methods))
    found += ["submodules"] * bool(module.submodules)
    found += ["positions"] * any(map(counted_key, module.methods))
    found += ["overrides"] * bool(interface_types(module)) + ["identity"] * bool(identified(module))
    found += ["kept_texts"] * any(map(is_kept_text, kept_values(module)))
    found += ["kept_arguments"] * _keeps_arguments(module)
    found += ["imported"] * shares_objects(module)
    found += ["byte_offsets"] * any(map(has_offsets, module.callables))
    found += ["fixed"] * any(map(is_fixed, module.callables))
    return (*found, *["setters"] * any(f.sets for f in module.methods))


def _keeps_arguments(module: Module) -> bool:
    """Whether something of Python's is kept alive, which ends with the interpreter: all but texts, which are copied."""
    return not all(map(is_kept_text, kept_values(module)))


def _table(functions: Sequence[Function]) -> tuple[str, ...]:
    """The lines of the table of a module's functions."""
    return (
        *(entry(f, names.python_code(f), names.doc(f)) for f in functions if not f.is_form),
        *(forms_entry(group, "") for group in forms(functions)),
    )


def _submodule(name: str, module: Module) -> SubmoduleRowsView:
    return SubmoduleRowsView(
        name=name,
        key=c_string(f".{name}"),
        path=c_string(path(module, name)),
        into=namespace_of(name),
        table=_table([f for f in module.functions if f.module == name]),
    )


def view(module: Module) -> CpythonView:
    """The cpython engine of one module."""
    found = members(module)
    classes = {f.base: h for h, own in found.items() for f in own.makers}
    keeps = keeping(module)
    functions = (
        *(function_view(f, module, classes.get(f.base)) for f in module.functions),
        *(function_view(f, module, classes.get(f.base)) for f in module.statics),
        *(function_view(f, module, None) for f in module.constructors),
        *(function_view(m, module, None) for m in (*module.methods, *module.record_methods)),
    )
    shares = groups(module, functions)
    return CpythonView(
        lib=module.name,
        buffer=names.support(module.name, "buffer"),
        keeps_memory=_keeps_arguments(module),
        has_callables=bool(callbacks(module)),
        starts_identity=bool(identified(module)) and not callbacks(module),
        has_arrays=any(has_arrays(f.returns) for f in module.callables),
        waits=waits(module),
        has_lifetime=module.library.init is not None,
        has_units=len(shares) > 1,
        guard=module.guard,
        namespace=names.namespace(module.name),
        package=module.package,
        shown=c_string(module.package),
        error=c_string(names.library_error(module.name)),
        exceptions=tuple(c_string(n) for n in exception_names(module)),
        attributes=tuple(attributes_view(each, module) for each in attributed(module)),
        caught=bool(caught(module)),
        derives=derives(module),
        derives_size=len(caught(module)) ** 2,
        enums=tuple(enum_view(e, module) for e in module.enums),
        known_enums=tuple(enum_view(e, module) for e in (*module.enums, *(e for u in module.uses for e in u.enums))),
        shares=shares_objects(module),
        shared=shared_types(module),
        uses=uses_views(module),
        types=tuple(type_view(h, found[h.name], h.name in keeps, module) for h in module.handles),
        included=joined(module).included(module.runtime),
        records=records.views(module),
        members=members_views(module),
        tuples=tuples(module),
        functions=functions,
        groups=tuple(map(RowsView, group_names(module), shares)),
        table=_table([f for f in module.functions if not f.module]),
        submodules=tuple(_submodule(each.name, module) for each in module.submodules),
        forms_of_records=tuple(forms_of_records(module)),
        forms=(
            *(forms_view(group, "") for group in forms(module.functions)),
            *(forms_view(group, h, in_class=True) for h, own in found.items() for group in forms(own.makers)),
            *(each for h, own in found.items() for each in forms_of_class(h, own)),
        ),
    )
