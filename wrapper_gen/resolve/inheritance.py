"""Handle types that extend others: which, and what they have of their bases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wrapper_gen.diagnostics import a, did_you_mean
from wrapper_gen.expressions import mentions
from wrapper_gen.model import Code, HandleType
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
    above = bases(name, scope.names.extends)
    if name in above:
        circle = ", which extends ".join(above[: above.index(name) + 1])
        scope.error("WG140", f"{name} extends {circle}", span, "drop `extends` from the one that has no base in C++")
        return ""
    if base:
        _check_alike(entry, scope, name, base)
    return base


def read_kind(entry: Map, scope: Scope, name: str, base: str) -> Code | None:
    """Which objects of its base are of a handle type, where a cast makes them so; None where C++ knows its classes."""
    if entry.get("when") is None:
        return None
    said, span = Code(scope.expression(entry, "when"), scope.span(entry, "when")), scope.span(entry, "when")
    if entry.get("extends") is None:
        hint = "say of which class it is a kind: extends: Object; or drop `when`"
        scope.error(
            "WG140", f"`when` of {a(name)}, which extends nothing", scope.document.key_span(entry, "when"), hint
        )
        return None
    if not mentions(said.text, "value"):
        hint = "say it of `value`, which the base holds: when: lib_type(value) == LIB_COMMIT"
        scope.error("WG140", f"`when` of {a(name)} does not depend on the object", span, hint)
    for of in (name, base):
        spelling = spelling_of(scope.names.handle_entries.get(of, {}))
        kind = kind_of_pointer(spelling)
        if kind not in ("", "a pointer") or spelling.endswith(">"):
            hint = "drop `when`: C++ finds out which class an object with virtual functions is of"
            message = f"`when` is for classes that hold pointers, and {a(of)} holds {kind or spelling}"
            scope.error("WG141", message, span, hint)
            return None
    for other, its in scope.names.handle_entries.items():
        if other == name:
            break
        if its.get("extends") == base and _plain(its.get("when")) == _plain(said.text):
            hint = "say what tells one from the other"
            where = scope.span(its, "when")
            scope.error(
                "WG141", f"{name} and {other} are the same objects: their `when` is one", span, hint, (where, other)
            )
    return said


def _plain(code: object) -> str:
    return "".join(str(code).split())


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


def _held(name: str, entry: Map, scope: Scope) -> str:
    """What kind of pointer a type holds, in words; what Python overrides is shared, whatever the spec says."""
    return "a std::shared_ptr" if name in scope.names.interfaces else kind_of_pointer(spelling_of(entry))


def _class_of(entry: Map) -> str:
    """The C++ class of what a type points to."""
    return spelling_of(entry).rstrip("* ").removesuffix(">").rpartition("<")[2]


def _check_alike(entry: Map, scope: Scope, name: str, base: str) -> None:
    """Whether what a type holds, and what is said of it, goes together with what its base does."""
    of_base: Map = scope.names.handle_entries[base]
    own, other = _held(name, entry, scope), _held(base, of_base, scope)
    if own and other and own != other:
        hint = "let both hold their objects in the same way"
        if base in scope.names.interfaces:
            hint = f"write cpp_type: std::shared_ptr<{_class_of(entry)}>; C++ and Python share what Python overrides"
        elif name in scope.names.interfaces:
            shared = f"std::shared_ptr<{_class_of(of_base)}>"
            hint = f"on {base} write cpp_type: {shared}; C++ and Python share what Python overrides"
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
