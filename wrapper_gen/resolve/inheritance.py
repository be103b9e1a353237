"""Handle types that extend others: which, and what they have of their bases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wrapper_gen.diagnostics import a, did_you_mean
from wrapper_gen.model import HandleType
from wrapper_gen.model.inheritance import bases
from wrapper_gen.resolve.held_types import kind_of_pointer, spelling_of
from wrapper_gen.resolve.lifetime_words import class_owner
from wrapper_gen.resolve.scope import Map, Scope

_ALIKE = ("belongs_to", "thread", "identity")
"""What is the same for all types of a family: who owns an object and who may call does not depend on what it is."""


def declared_bases(entries: Mapping[str, Map]) -> dict[str, str]:
    """Which handle type extends which, as far as the spec says it well."""
    found = {name: entry.get("extends") for name, entry in entries.items()}
    return {n: each for n, each in found.items() if isinstance(each, str) and each in entries}


def read_base(entry: Map, scope: Scope, name: str) -> str:
    """The handle type that an entry extends; empty where it extends none."""
    wanted, span = entry.get("extends"), scope.span(entry, "extends")
    if isinstance(wanted, list):
        hint = "name the one whose methods it shall have; a class of C++ may have further bases, which are not wrapped"
        scope.error("WG140", f"{a(name)} extends one other handle type at most", span, hint)
        return ""
    base = scope.names.extends.get(name, "")
    if wanted in scope.names.used:
        hint = f"hold one: a method that returns {wanted}; or declare {name} in that spec"
        scope.error("WG280", f"{a(name)} cannot extend a class of another spec, {wanted}", span, hint)
    elif wanted and not base:
        own = scope.names.handles - scope.names.foreign
        known = did_you_mean(str(wanted), own) or "declare it under `handle_types`"
        scope.error("WG140", f"no handle type {str(wanted)!r} that {a(name)} could extend", span, known)
    if base in scope.names.interfaces:
        hint = f"drop `extends`; where C++ takes {a(base)}, declare the call a second time, with {a(name)} in its place"
        scope.error("WG140", f"{base} has methods that Python overrides, and {a(name)} cannot extend it", span, hint)
        return ""
    above = bases(name, scope.names.extends)
    if name in above:
        circle = ", which extends ".join(above[: above.index(name) + 1])
        scope.error("WG140", f"{name} extends {circle}", span, "drop `extends` from the one that has no base in C++")
        return ""
    if base:
        _check_alike(entry, scope, name, base)
    return base


def inherited(entry: Map, key: str, scope: Scope, name: str) -> Map:
    """The entry that says `key` for a handle type: its own, or the nearest one that it extends."""
    if entry.get(key) is not None:
        return entry
    for each in bases(name, scope.names.extends):
        above: Map = scope.names.handle_entries[each]
        said = above.get(key)
        if said is not None and not isinstance(said, list if key == "belongs_to" else dict | list):  # it is reported
            return above
    return entry


def _check_alike(entry: Map, scope: Scope, name: str, base: str) -> None:
    """Whether what a type holds, and what is said of it, goes together with what its base does."""
    of_base: Map = scope.names.handle_entries[base]
    own, other = kind_of_pointer(spelling_of(entry)), kind_of_pointer(spelling_of(of_base))
    if own and other and own != other:
        hint = "let both hold their objects in the same way"
        message = f"{a(name)} holds {own}, and {a(base)} holds {other}"
        scope.error("WG141", message, scope.span(entry, "cpp_type"), hint)
    for key in _ALIKE:
        said = entry.get(key)
        above = inherited(of_base, key, scope, base)
        is_same = class_owner(entry) == class_owner(above) if key == "belongs_to" else said == above.get(key)
        if said is not None and not is_same:
            hint = f"drop it: {a(name)} has the `{key}` of {a(base)}; or say it there"
            message = f"`{key}` of {a(name)} is not that of {a(base)}, which it extends"
            scope.error("WG141", message, scope.span(entry, key), hint)
    if entry.get("in_place") is not None and bool(entry["in_place"]) != bool(
        inherited(of_base, "in_place", scope, base).get("in_place")
    ):
        hint = "say the same for both"
        scope.error("WG141", f"only one of {name} and {base} is in place", scope.span(entry, "in_place"), hint)


def bases_first(handles: Sequence[HandleType]) -> tuple[HandleType, ...]:
    """The same in an order in which each stands after what it extends."""
    extends = {h.name: h.extends for h in handles if h.extends}
    if not extends:
        return tuple(handles)
    return tuple(sorted(handles, key=lambda h: len(bases(h.name, extends))))
