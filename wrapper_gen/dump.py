"""The resolved module as plain data for JSON: what `inspect` shows; adds no meaning of its own."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from enum import Enum
from types import EllipsisType
from typing import get_args

from wrapper_gen import model
from wrapper_gen.diagnostics import Span
from wrapper_gen.types.queries import is_type

_KINDS = (*get_args(model.Implementation), *get_args(model.Requirement))


def plain(value: object) -> object:
    """Dataclasses become objects in field order, types their spelling, positions `line:column`."""
    match value:
        case float() if not math.isfinite(value):
            return str(value)  # JSON has no number for it
        case None | bool() | int() | float() | str():
            return value
        case complex():
            return str(value).strip("()")  # as a spec has it
        case EllipsisType():
            return "..."
        case bytes():
            return value.decode("latin-1")
        case Span():
            return f"{value.line}:{value.column}"
        case Enum() if value is model.NO_DEFAULT:
            return None
        case _ if is_type(value):
            return str(value)
        case Enum():
            return value.value
        case model.Uses():  # that spec has a meaning of its own to inspect
            return {"name": value.module.name, "path": value.path, "types": [t.name for t in value.types]}
        case tuple() | list():
            return [plain(each) for each in value]
        case _ if is_dataclass(value):
            kind = {"kind": _kind(value)} if isinstance(value, _KINDS) else {}
            shown = {
                field.name: plain(getattr(value, field.name)) for field in fields(value) if _matters(value, field.name)
            }
            return {**kind, **shown}
    raise TypeError(f"{type(value).__name__} has no place in a module")


def _kind(value: object) -> str:
    """`NotImplementedYet` → `not_implemented_yet`."""
    name = type(value).__name__
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")


def _matters(entity: object, name: str) -> bool:
    """Absent defaults are left out: null would say that the default is null. Places for keys are for diagnostics, and
    an entry is the same however it is written, as the whole spec is, whose digest is of its text."""
    is_place = name == "place" and isinstance(entity, model.Named | model.Callback)
    is_ours = name in ("had_former_names", "is_explained", "digest")
    is_usual = name in ("is_written", "is_expression") and getattr(entity, name) is False
    return getattr(entity, name) is not model.NO_DEFAULT and not (is_place or is_ours or is_usual)
