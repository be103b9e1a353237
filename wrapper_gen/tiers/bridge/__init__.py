"""Tier 1, the bridge: C++ with a C ABI. Decides every line of `bridge.h` and `bridge.cpp`; places none."""

from __future__ import annotations

from collections.abc import Mapping

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.interfaces import interface_types
from wrapper_gen.iterators import iterator_types
from wrapper_gen.lifetimes.ended import ends_loans
from wrapper_gen.lifetimes.identity import found_by_cells, identified
from wrapper_gen.lifetimes.kept import given_to_callables, holding, kept_values, memory_is_kept
from wrapper_gen.lifetimes.running import checks_running, ends_made_in_call, is_recorded, locked_by_calls, waits
from wrapper_gen.model import ErrorType, Function, Module, Named, Returned
from wrapper_gen.queries import (
    callbacks,
    caught,
    derives,
    exception_names,
    families,
    makes_values,
    once,
    streaming_of,
    takes_gathered,
    takes_struct,
)
from wrapper_gen.quoting import c_string
from wrapper_gen.runtime_files import JoinedHeaders, header
from wrapper_gen.tiers.bridge.c_legend import c_legend
from wrapper_gen.tiers.bridge.callables import CallbackView, callback_views
from wrapper_gen.tiers.bridge.dangling import may_be_view
from wrapper_gen.tiers.bridge.dimensions import dimensions
from wrapper_gen.tiers.bridge.entities import EnumView, HandleView, enum_view, handle_view
from wrapper_gen.tiers.bridge.functions import FunctionView, function_view
from wrapper_gen.tiers.bridge.handed_over import hands_over_handles
from wrapper_gen.tiers.bridge.imported import LibraryView, imported, imported_enums, imported_records, library_view
from wrapper_gen.tiers.bridge.interfaces import InterfaceView, interface_views
from wrapper_gen.tiers.bridge.lifetime import LifetimeView, lifetime_view
from wrapper_gen.tiers.bridge.options import OptionsView, options_views
from wrapper_gen.tiers.bridge.representations import (
    RepresentationView,
    WrittenView,
    representation_views,
    written_views,
)
from wrapper_gen.tiers.bridge.statuses import AttributesView, StatusView, status_view
from wrapper_gen.tiers.bridge.thrown import CaughtView, caught_view, derives_values
from wrapper_gen.tiers.bridge.unchanged import UnchangedView, unchanged
from wrapper_gen.tiers.bridge.ways import (
    accessor_of,
    buffer_of,
    fills_items,
    has_optional_items,
    is_bound,
    is_deduced,
    is_pointed,
    shares_user_data,
    takes_alternatives,
)
from wrapper_gen.types.kept import is_kept_memory
from wrapper_gen.types.memory import has_arrays, is_array, is_exchange, is_on_device
from wrapper_gen.types.queries import has_parts_in_c, is_void
from wrapper_gen.views import records
from wrapper_gen.views.callables import brings_callables_within
from wrapper_gen.views.declarations import TupleView, tuples
from wrapper_gen.views.documentation import unavailable
from wrapper_gen.views.fingerprints import fingerprint, fingerprints
from wrapper_gen.views.imported import SharedView, UsesView, adopted, shared, shares, used
from wrapper_gen.views.placement import BACK_TO_BRIDGE, placed
from wrapper_gen.views.protocols import lengths
from wrapper_gen.views.records import RecordView
from wrapper_gen.views.units import group_names, groups

NUMBER = 1
TEMPLATES = (("bridge/bridge.h.jinja", "bridge.h"), ("bridge/bridge.cpp.jinja", "bridge.cpp"))
STATIC: tuple[tuple[str, str], ...] = ()


@frozen
class GroupView:
    """Functions that are compiled in the same unit."""

    name: str
    number: str
    """Among the others, counted from the group before it: one that is added changes no other line."""
    functions: tuple[FunctionView, ...]
    implemented: tuple[FunctionView, ...]
    coded: tuple[FunctionView, ...]
    """Those whose code does not stand in the typed function."""


@frozen
class BridgeView:
    """Everything that the bridge's templates place."""

    lib: str
    macro: str
    namespace: str
    guard: str
    includes: tuple[str, ...]
    is_c: bool
    prelude: str
    buffer: str
    unavailable: str
    variable: str
    loaded: tuple[str, ...]
    """The file names of a library that is loaded at first use."""
    is_dynamic: bool
    deduces: bool
    """Whether C++ has to find out how to call a function."""
    lifetime: LifetimeView | None
    handles: tuple[HandleView, ...]
    extends: bool
    """Whether some of them extend others."""
    lends: bool
    """Whether some of them lend others, or are found by their cells."""
    waits: bool
    """Whether something beside blocking calls gives up the GIL."""
    calls_python: bool
    """Whether C++ may call Python, also as a value ends."""
    closes_lent: bool
    """Whether to close some handle closes what it has lent."""
    unchanged: tuple[UnchangedView, ...]
    """The classes that no entry of the spec may change."""
    enums: tuple[EnumView, ...]
    included: tuple[str, ...]
    """What includes the headers of the runtime that it stands on."""
    shares: bool
    """Whether it shares objects with other packages."""
    shared: tuple[SharedView, ...]
    """The handle types that others may use."""
    uses: tuple[UsesView, ...]
    libraries: tuple[LibraryView, ...]
    """What the C++ of other specs needs."""
    imported: tuple[HandleView, ...]
    """Their handle types."""
    known_handles: tuple[HandleView, ...]
    """These, and those of this spec."""
    has_complex: bool
    """Whether user code may name complex numbers as the spec does."""
    cffi_included: tuple[str, ...]
    """What cffi's part of the extension includes."""
    array: str
    """The C type of arrays that are returned; empty where there are none."""
    has_device_arrays: bool
    """Whether some of them lie on devices."""
    exchange: str
    """The same of memory that other libraries take over."""
    options: tuple[OptionsView, ...]
    representations: tuple[RepresentationView, ...]
    written: tuple[WrittenView, ...]
    records: tuple[RecordView, ...]
    callable_fields: tuple[str, ...]
    """What describes each callable of those, later."""
    tuples: tuple[TupleView, ...]
    callbacks: tuple[CallbackView, ...]
    interfaces: tuple[InterfaceView, ...]
    has_iterators: bool
    keeps_memory: bool
    statuses: tuple[StatusView, ...]
    named_statuses: tuple[StatusView, ...]
    """Those that code of the spec tests by their name."""
    listed_statuses: str
    """What describes all of them."""
    has_errors: bool
    attributes: tuple[AttributesView, ...]
    """Of exceptions that have some beside `code` and `name`."""
    handle_types: str
    caught: tuple[CaughtView, ...]
    derives: str
    """The array that says which of them derive from which; empty where there are fewer than two."""
    derives_size: int
    derives_values: str
    """A row for each; then, as after the values of an enum, how many bits there are of an unsigned number."""
    fingerprint: str
    fingerprints: tuple[str, ...]
    functions: tuple[FunctionView, ...]
    groups: tuple[GroupView, ...]
    has_cursors: bool
    """Whether some iterators go on as the spec says."""
    has_ways: bool
    """Whether the compiler chooses how some of them call."""
    c_legend: tuple[str, ...]
    """What the words of their C functions mean."""
    has_units: bool
    """Whether there are several groups, for several units."""
    lengths: tuple[FunctionView, ...]
    """Those that others call, in whichever unit they are: what positions count from."""
    back: str
    """Stands where what entries have ends."""
    blocking: tuple[str, ...]
    """Symbols of what runs without the GIL."""


@once
def joined(module: Module) -> tuple[JoinedHeaders, JoinedHeaders]:
    """The headers of the bridge, and those of cffi's part of the extension."""
    of_cffi = ["calls", *(each for each in families(module) if each in ("arrays", "exchanges", "spans"))]
    return (
        JoinedHeaders(tuple(map(header, ("support", *_of_types(module), *_of_calls(module))))),
        JoinedHeaders(tuple(header(each, "cffi") for each in of_cffi), "WG_CFFI", is_alone=True),
    )


def _of_calls(module: Module) -> list[str]:
    """The headers that some modules need for what their calls do."""
    found = ["c_functions"] + ["entry_calls"] * any(isinstance(f.implementation, Named) for f in module.callables)
    found += ["resolved_call", "ordered_calls"] * any(is_deduced(f) for f in module.calls)
    found += ["optional_items"] * any(has_optional_items(f, module) for f in module.callables)
    found += ["shared_user_data"] * any(shares_user_data(f) for f in module.calls)
    found += ["made_in_steps"] * any(f.then and not is_void(f.returns) for f in module.callables)
    found += ["by_type"] * any(f.cases for f in module.callables)
    found += ["holds"] * holding(module)
    found += ["owner_locks"] * bool(locked_by_calls(module))
    found += ["waiting"] * waits(module)
    found += ["gil_for_overrides"] * any(f.beside_overrides for f in module.callables)
    closes_lent = any(h.closing_ends for h in module.handles)
    found += ["dependents"] * (closes_lent or any(ends_loans(f, module) for f in module.callables))
    found += ["dependents_in_calls"] * any(ends_made_in_call(f, module) for f in module.callables)
    found += ["chosen_dependents"] * any(f.lifetime.ends and f.lifetime.ends.conditions for f in module.methods)
    found += ["library_init"] * (module.library.init is not None)
    return found + ["dynamic"] * bool(module.library.dynamic)


def _of_types(module: Module) -> tuple[str, ...]:
    """The headers that some modules need for their types."""
    streams = ["streams"] * any(map(streaming_of, module.callables))
    listed = ["listed_callbacks"] * any(each.listed for each in callbacks(module))
    fields = [f for s in module.structs for f in s.fields]
    structs = ["fields"] * any(f.functions or has_parts_in_c(f.type) for f in fields)
    structs += ["field_accessors"] * any(f.functions for f in fields)
    structs += ["record_methods"] * bool(module.record_methods)
    structs += ["struct_arguments"] * any(map(takes_struct, module.calls))
    structs += ["list_arguments"] * any(map(takes_gathered, module.calls))
    returned = ["returned"] * any(isinstance(buffer_of(f), Returned) for f in module.callables)
    returned += ["filled"] * any(map(fills_items, module.callables))
    pointers = ["pointers"] * any(map(is_pointed, module.calls))
    pointers += ["plain_pointers"] * any(map(is_bound, module.calls))
    is_related = bool(module.extends) or any(each.family for each in imported(module))
    inheritance = ["inheritance"] * is_related + ["identity"] * bool(identified(module))
    represented = ["representations"] * bool(module.representations)
    represented += ["from_python_arguments"] * makes_values(module)
    structs += ["fields"] * (makes_values(module) and bool(module.structs))
    shared = ["dimensions"] * any(any(dimensions(f)) for f in module.callables)
    accessors = ["accessors"] * any(map(accessor_of, module.callables))
    has_operators = any(f.member and f.member.protocol for f in module.record_methods)
    operators = ["operators"] * (has_operators or any(f.protocol or f.constructs for f in module.callables))
    cursors = ["cursors"] * any(f.each for f in module.callables)
    locks = ["owner_locks"] * bool(locked_by_calls(module) and iterator_types(module))  # types/iterators.hpp asks
    shared += ["overrides"] * bool(interface_types(module))
    of_types = (*locks, *inheritance, *families(module), *cursors, *shared, *listed, *streams, *pointers, *structs)
    running = ["running"] * (checks_running(module) or any(is_recorded(f, module) for f in module.callables))
    running += ["holds_in_calls"] * bool(holding(module) and callbacks(module))
    running += ["running_within"] * (bool(running) and brings_callables_within(module))
    arguments = ["borrowed_arguments"] * bool(given_to_callables(module))
    copies = not all(map(is_kept_memory, kept_values(module)))
    given_back = ["kept_values"] * copies + ["kept_memory"] * memory_is_kept(module)
    known_views = ["is_unchanged"] * bool(unchanged(module)) + ["is_view"] * any(map(may_be_view, module.handles))
    given_back += ["alternatives"] * any(map(takes_alternatives, module.callables))
    given_back += ["owned_containers"] * any(hands_over_handles(f, module) for f in module.callables)
    given_back += ["restore_on_failure"] * any(map(_restores, module.callables))
    return (*of_types, *known_views, *given_back, *running, *arguments, *represented, *returned, *accessors, *operators)


def _restores(function: Function) -> bool:
    """Whether a call that fails leaves open what it takes."""
    own = function.lifetime.takes_own
    return bool(own and own.owned_on_failure) or any(p.owned_on_failure for p in function.parameters)


def _attributes(statuses: Mapping[ErrorType, StatusView], thrown: tuple[CaughtView, ...]) -> tuple[AttributesView, ...]:
    """Those of all exceptions that have some, each once."""
    every = [each for status in statuses.values() for each in status.attributes]
    every += [each for one in thrown for each in one.attributes]
    return tuple({each.index: each for each in every}.values())


def _included(header: str) -> str:
    """A header of the library as C++ includes it: in angle brackets, unless the spec has others and the package has
    no file of that name, which quotes would find first."""
    plain = header.strip('<>"')
    return header if header[:1] in '<"' and plain not in names.FILES_OF_CPP else f"<{plain}>"


def view(module: Module) -> BridgeView:
    """The bridge of one module."""
    functions = tuple(function_view(f, module) for f in module.callables)
    counted = {names.cpp_function(f) for f in lengths(module)}
    exceptions = exception_names(module)
    classes = caught(module)
    thrown = tuple(caught_view(e, exceptions, module) for e in classes)
    statuses = {e: status_view(e, exceptions, module) for e in module.errors if e.ok}
    of_bridge, of_cffi = joined(module)
    called = group_names(module)
    explaining = [f'#include "{header("explained_calls")}"'] if module.is_explained else []
    return BridgeView(
        lib=module.name,
        macro=f"WG_{module.name.upper()}",
        namespace=names.namespace(module.name),
        guard=module.guard,
        includes=tuple(map(_included, module.library.includes)),
        is_c=module.language == "c",
        prelude=placed(module.prelude, module) if module.prelude else "",
        buffer=names.support(module.name, "buffer"),
        unavailable=c_string(unavailable(module)),
        variable=c_string(names.library_variable(module.package)),
        loaded=tuple(map(c_string, module.library.dynamic)),
        is_dynamic=bool(module.library.dynamic),
        deduces=any(is_deduced(f) for f in module.calls),
        lifetime=lifetime_view(module),
        handles=tuple(handle_view(h, module) for h in module.handles),
        waits=waits(module),
        calls_python=bool(callbacks(module) or interface_types(module)),
        closes_lent=any(h.closing_ends for h in module.handles),
        extends=bool(module.extends),
        lends=bool(found_by_cells(module)),
        unchanged=tuple(unchanged(module)),
        enums=(*(enum_view(e, module) for e in module.enums), *imported_enums(module)),
        included=(*explaining, *of_bridge.included(module.runtime)),
        shares=shares(module),
        shared=shared(module),
        uses=used(module),
        libraries=tuple(library_view(each, as_here) for each, as_here in adopted(module)),
        imported=imported(module),
        known_handles=(*imported(module), *(handle_view(h, module) for h in module.handles)),
        has_complex="complex" in families(module),
        cffi_included=of_cffi.included(module.runtime),
        array=names.support(module.name, "array") if any(has_arrays(f.returns) for f in module.callables) else "",
        has_device_arrays=any(is_array(f.returns) and is_on_device(f.returns) for f in module.callables),
        exchange=names.support(module.name, "dlpack") if any(is_exchange(f.returns) for f in module.callables) else "",
        representations=representation_views(module),
        options=options_views(module),
        written=written_views(module),
        records=(*imported_records(module), *records.views(module)),
        callable_fields=tuple(
            names.callback(f.callback.type.label) for s in module.structs for f in s.fields if f.callback
        ),
        tuples=tuples(module),
        callbacks=callback_views(module),
        interfaces=interface_views(module),
        has_iterators=bool(iterator_types(module)),
        keeps_memory=memory_is_kept(module),
        statuses=tuple(statuses.values()),
        named_statuses=tuple(view for view in statuses.values() if view.tag),
        listed_statuses=", ".join(f"{names.namespace(module.name)}::{view.struct}" for view in statuses.values()),
        has_errors=bool(module.errors),
        attributes=_attributes(statuses, thrown),
        handle_types=", ".join(f"{names.namespace(module.name)}::{h.name}" for h in module.handles),
        caught=thrown,
        derives=derives(module),
        derives_size=len(classes) ** 2 + 1,
        derives_values=derives_values(module),
        fingerprint=c_string(fingerprint(module)),
        fingerprints=fingerprints(module),
        functions=functions,
        groups=tuple(
            GroupView(
                name,
                f"(WG_NUMBER_{before} + 1)" if before else "0",
                group,
                tuple(f for f in group if not f.not_implemented and f.cpp_name not in counted),
                tuple(f for f in group if f.code and f.cpp_name not in counted),
            )
            for before, name, group in zip(("", *called), called, groups(module, functions), strict=False)
        ),
        has_cursors=any(f.each for f in module.callables),
        has_ways=any(f.has_ways and not f.not_implemented for f in functions),
        c_legend=c_legend(module),
        has_units=len(groups(module, functions)) > 1,
        lengths=tuple(f for f in functions if f.cpp_name in counted),
        back=BACK_TO_BRIDGE,
        blocking=(
            *(names.c_symbol(module.name, f) for f in module.callables if f.blocking),
            *([names.support(module.name, "end_callables")] if callbacks(module) else []),
            *([names.support(module.name, "end_memory")] if memory_is_kept(module) else []),
        ),
    )
