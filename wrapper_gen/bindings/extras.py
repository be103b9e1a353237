"""What a definition says besides its name and what is bound: names of arguments, defaults, policies, documentation."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from wrapper_gen.bindings.cursors import below, bound, first, literal, text_of
from wrapper_gen.bindings.outcomes import Left

_WITHOUT_EFFECT = {
    "is_operator", "is_method", "name", "scope", "sibling", "sig", "raw_doc", "prepend", "is_setter", "never_destruct",
    "is_final", "multiple_inheritance", "module_local", "lock_self", "is_weak_referenceable", "type_slots",
    "supplement", "is_generic", "is_flag", "is_arithmetic", "arithmetic", "dynamic_attr", "buffer_protocol",
    "for_setter", "intrusive_ptr",
}  # fmt: skip
_NUMBERS = re.compile(r"<\s*(\d+)\w*\s*,\s*(\d+)\w*\s*>")
_ARGUMENTS = ("arg", "arg_v", "arg_t", "arg_v_t", "arg_locked", "arg_locked_v")


@dataclass(slots=True)
class NamedArgument:
    """A name that is given to a parameter; `default` is a cursor, `none` what is said of `None`."""

    name: str
    default: Any = None
    none: bool | None = None


@dataclass(slots=True)
class Extras:
    """All of it; `stars` are the places of `*` and `/` among the arguments."""

    arguments: list[NamedArgument] = field(default_factory=list)
    stars: list[tuple[int, str]] = field(default_factory=list)
    doc: str = ""
    policy: str = ""
    keep_alive: list[tuple[int, int]] = field(default_factory=list)
    is_blocking: bool = False


def extras_of(cursors: Sequence[Any]) -> Extras:
    """Reads the arguments of a definition that follow what is bound."""
    out = Extras()
    for each in cursors:
        if each.extent.start.file is not None:  # else a default of the binder's own
            _read(each, out)
    return out


def _read(cursor: Any, out: Extras) -> None:
    kind, _ = bound(cursor.type)
    spelled = cursor.type.get_canonical().spelling
    if kind in _ARGUMENTS:
        out.arguments.append(_argument(cursor))
    elif kind in ("kw_only", "pos_only"):
        out.stars.append((len(out.arguments), "*" if kind == "kw_only" else "/"))
    elif kind == "call_guard":
        if "gil_scoped_release" not in spelled:
            raise Left(f"the guard {text_of(cursor)}")
        out.is_blocking = True
    elif kind == "keep_alive":
        _keep(spelled, out)
    elif "return_value_policy" in spelled or "rv_policy" in spelled:
        out.policy = text_of(cursor).rpartition("::")[2]
    elif kind in ("for_getter",):
        inside = first(cursor, "CALL_EXPR")
        for each in inside.get_arguments() if inside is not None else ():
            _read(each, out)
    elif _is_text(spelled):
        out.doc = inspect.cleandoc(literal(cursor) or "")
    elif kind not in _WITHOUT_EFFECT and kind != "doc":
        raise Left(f"{text_of(cursor) or kind or spelled} has no equivalent")
    elif kind == "doc":
        out.doc = inspect.cleandoc(literal(cursor) or "")


def _keep(spelled: str, out: Extras) -> None:
    found = _NUMBERS.search(spelled)
    if not found:
        raise Left(f"{spelled} has no equivalent")
    out.keep_alive.append((int(found[1]), int(found[2])))


def _is_text(spelled: str) -> bool:
    return bool(re.search(r"\bchar\b", spelled)) and "(" not in spelled and "pybind11" not in spelled


def _argument(cursor: Any) -> NamedArgument:
    made = NamedArgument(literal(cursor) or "")
    for each in (cursor, *below(cursor)):
        if each.kind.name != "CALL_EXPR":
            continue
        if each.spelling == "none":
            said = list(each.get_arguments())
            made.none = not (said and text_of(said[0]) == "false")
        elif each.spelling == "operator=" and made.default is None and len(list(each.get_arguments())) == 2:
            made.default = list(each.get_arguments())[1]
        elif each.spelling in ("arg_v", "arg_v_t") and made.default is None:
            given = [a for a in each.get_arguments() if a.extent.start.file is not None]
            made.default = given[1] if len(given) > 1 else None
    return made


def class_doc(cursors: Sequence[Any]) -> str:
    """The documentation among the arguments of a class."""
    for each in cursors:
        if each.extent.start.file is not None and first(each, "STRING_LITERAL") is not None and not bound(each.type)[0]:
            return inspect.cleandoc(literal(each) or "")
    return ""
