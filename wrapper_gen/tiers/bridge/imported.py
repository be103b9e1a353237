"""What the bridge has of the types of other specs: their C++ declarations, which both packages compile."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.lifetimes.ended import knowing_lent
from wrapper_gen.model import Module, Uses
from wrapper_gen.queries import enum_array
from wrapper_gen.tiers.bridge.entities import EnumView, HandleView, enum_view, handle_view
from wrapper_gen.views import records
from wrapper_gen.views.imported import adopted
from wrapper_gen.views.placement import placed
from wrapper_gen.views.records import RecordView


@frozen
class LibraryView:
    """What goes before the types of another spec: as its own bridge has it."""

    guard: str
    is_c: bool
    includes: tuple[str, ...]
    prelude: str


def library_view(uses: Uses, as_here: Module) -> LibraryView:
    """What C++ needs of the library of a spec that is used."""
    return LibraryView(
        guard=as_here.guard,
        is_c=as_here.language == "c",
        includes=tuple(i if i[:1] in '<"' else f"<{i}>" for i in uses.module.library.includes),
        prelude=placed(as_here.prelude, as_here) if as_here.prelude else "",
    )


def imported(module: Module) -> tuple[HandleView, ...]:
    """The handle types that are used."""
    return tuple(
        replace(
            handle_view(handle, as_here),
            cell=names.c_handle(uses.module.name, handle.name),
            owned="",
            kind="",  # the package that has it tells
            knows_lent=handle.name in knowing_lent(module),
        )
        for uses, as_here in adopted(module)
        for handle in uses.handles
    )


def imported_enums(module: Module) -> tuple[EnumView, ...]:
    """The enums that are used: the package has an array of its own for the values of each."""
    return tuple(
        replace(enum_view(enum, as_here), array=enum_array(enum, module))
        for uses, as_here in adopted(module)
        for enum in uses.enums
    )


def imported_records(module: Module) -> tuple[RecordView, ...]:
    """The structs that are used."""
    return tuple(
        view for uses, as_here in adopted(module) for view in records.views(replace(as_here, structs=uses.structs))
    )
