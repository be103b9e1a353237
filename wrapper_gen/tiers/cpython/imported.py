"""What the cpython engine has of the classes of other packages."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.diagnostics import a
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.lifetimes.kept import keeping
from wrapper_gen.model import Module, Thread
from wrapper_gen.quoting import c_bool, c_string
from wrapper_gen.tiers.cpython.tables import EnumRowView, enum_view
from wrapper_gen.views import records
from wrapper_gen.views.imported import LentView, SharedView, adopted, used
from wrapper_gen.views.records import RecordView


@frozen
class ImportedClassView:
    """One handle class of another package."""

    qualified: str
    shown: str
    wanted: str
    keeps: str
    is_exclusive: str


@frozen
class UsedTypesView:
    """What is used of another package."""

    number: int
    types: tuple[SharedView, ...]
    lent: tuple[LentView, ...]
    classes: tuple[ImportedClassView, ...]
    enums: tuple[EnumRowView, ...]
    records: tuple[RecordView, ...]


def uses_views(module: Module) -> tuple[UsedTypesView, ...]:
    """What it uses, package by package."""
    return tuple(
        UsedTypesView(
            number=each.number,
            types=each.types,
            lent=each.lent,
            classes=tuple(
                ImportedClassView(
                    qualified=f"{names.namespace(module.name)}::{handle.name}",
                    shown=c_string(handle.name),
                    wanted=c_string(a(handle.name)),
                    keeps=c_bool(handle.name in keeping(uses.module)),
                    is_exclusive=c_bool(handle.thread is Thread.EXCLUSIVE),
                )
                for handle in uses.handles
            ),
            enums=tuple(enum_view(enum, module) for enum in uses.enums),
            records=records.views(replace(as_here, structs=uses.structs)),
        )
        for each, (uses, as_here) in zip(used(module), adopted(module), strict=True)
    )
