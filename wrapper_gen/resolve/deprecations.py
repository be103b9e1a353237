"""`deprecated` of an entry or of a type: what to use in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wrapper_gen.frozen import replace
from wrapper_gen.model import Function, HandleType, StructType
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.queries import handle_of


def read_deprecated(entry: Map, scope: Scope) -> str:
    """What it says, on one line; empty where the entry is not deprecated."""
    text = " ".join(scope.text(entry, "deprecated").split())
    if entry.get("deprecated") is not None and not text:
        hint = "say what to use in its place: deprecated: use scan()"
        scope.error("WG012", "`deprecated` says nothing", scope.span(entry, "deprecated"), hint)
    return text


def deprecated_types(entities: Sequence[HandleType | StructType]) -> Mapping[str, str]:
    """The types that are deprecated, with what to use in their place."""
    return {each.name: each.deprecated for each in entities if each.deprecated}


def with_deprecated_types(functions: Sequence[Function], types: Mapping[str, str]) -> tuple[Function, ...]:
    """The functions, of which those warn that make an object of a deprecated type, or are static methods of one."""
    return tuple(
        replace(each, makes_deprecated=f"{made} is deprecated: {types[made]}")
        if (made := _made_by(each)) in types
        else each
        for each in functions
    )


def _made_by(function: Function) -> str:
    """What Python asks it for: methods give what they have."""
    if function.member:
        return function.member.record if function.member.is_constructor else ""
    return function.constructs or function.static or ("" if function.handle else handle_of(function.returns) or "")
