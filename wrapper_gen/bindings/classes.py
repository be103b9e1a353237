"""The classes that binding code has, and how the spec holds their objects: by value, by pointer or shared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from wrapper_gen.bindings.cursors import bare_name, bound, shown, without_words
from wrapper_gen.bindings.definitions import BoundDefinition
from wrapper_gen.frozen import frozen, replace

_SMART = re.compile(r"^std::(shared_ptr|unique_ptr)<")
_UNMOVABLE = re.compile(r"^std::(mutex|recursive_mutex|shared_mutex|condition_variable|atomic\b|thread::)")


class Held(StrEnum):
    """How an object of a class is held."""

    VALUE = "value"
    POINTER = "pointer"
    SHARED = "shared"
    OVERRIDDEN = "overridden"
    """Python overrides its methods; C++ and Python share it."""


@frozen
class Class:
    """A class: its canonical name in C++, its name in the spec, and what the binding code says of it."""

    canonical: str
    name: str
    module: str
    definition: BoundDefinition
    bases: tuple[str, ...]
    trampoline: Any
    """The declaration of the class that overrides its methods for Python; None where there is none."""
    is_shared: bool
    is_unowned: bool = False
    """C++ releases its objects: the holder has no deleter."""
    held: Held = Held.VALUE
    has_identity: bool = False

    @property
    def cpp(self) -> str:
        """Its name as C++ of the spec says it, past what the spec itself declares."""
        return shown(self.canonical if self.canonical.startswith("std::") else f"::{self.canonical}")

    @property
    def declaration(self) -> Any:
        _, arguments = bound(self.definition.type)
        return arguments[0].get_canonical().get_declaration()


def found_classes(definitions: Sequence[BoundDefinition]) -> dict[str, Class]:
    """The classes by their canonical names, each held by value as yet."""
    own = {each.of: each for each in definitions if each.what == "class"}
    names = _names(own.values())
    made = {}
    for canonical, each in own.items():
        _, arguments = bound(each.type)
        others = [(argument, argument.get_canonical()) for argument in arguments[1:]]
        bases = [without_words(c.spelling) for _, c in others]
        smart = [name for name in bases if _SMART.match(name) or name.endswith("smart_holder")]
        rest = [c for _, c in others if without_words(c.spelling) not in smart]
        below = [c for c in rest if derives(c.get_declaration(), canonical)]
        made[canonical] = Class(
            canonical=canonical,
            name=names[canonical],
            module=each.module,
            definition=each,
            bases=tuple(without_words(c.spelling) for c in rest if c not in below),
            trampoline=below[0].get_declaration() if below else None,
            is_unowned=any("nodelete" in name for name in smart),
            is_shared=any("shared_ptr" in name or "smart_holder" in name for name in smart),
        )
    return made


def _names(definitions: Iterable[BoundDefinition]) -> dict[str, str]:
    """A name for each, the class around it in front where two have the same one."""
    listed = list(definitions)
    parts = {each.of: re.sub(r"<.*", "", each.of).split("::") for each in listed}
    own = {each.of: each.name or "_".join(re.findall(r"\w+", each.of.rpartition("::")[2])) for each in listed}
    count = Counter(own.values())
    names = {}
    for each in listed:
        name, outer = own[each.of], parts[each.of][-2] if len(parts[each.of]) > 1 else ""
        names[each.of] = f"{outer[:1].upper()}{outer[1:]}{name}" if count[name] > 1 and outer else name
    return names


def derives(declaration: Any, canonical: str) -> bool:
    """Whether a class derives from the one of this name."""
    for each in declaration.get_children():
        if each.kind.name != "CXX_BASE_SPECIFIER":
            continue
        if bare_name(each.type) == canonical or derives(each.type.get_canonical().get_declaration(), canonical):
            return True
    return False


@frozen
class ObjectUse:
    """What the bound functions do with objects of a class, which decides how it can be held."""

    needs_address: frozenset[str]
    """Those of which an address is given to Python, or taken away from it."""
    is_shared: frozenset[str]
    """Those that go in a `std::shared_ptr`."""


def held(classes: Mapping[str, Class], use: ObjectUse) -> dict[str, Class]:
    """The same classes, with how each is held: all that derive from one another alike."""
    made = {}
    for family in _families(classes):
        members = [classes[name] for name in family]
        how = _held(members, use)
        for each in members:
            own = how
            if how is Held.OVERRIDDEN and each.trampoline is None:
                own = Held.SHARED
            has_identity = how in (Held.POINTER, Held.SHARED) and not [b for b in each.bases if b in classes]
            made[each.canonical] = replace(each, held=own, has_identity=has_identity)
    return {name: made[name] for name in classes}


def _held(members: Sequence[Class], use: ObjectUse) -> Held:
    if any(each.trampoline is not None for each in members):
        return Held.OVERRIDDEN
    if any(each.is_shared or each.canonical in use.is_shared for each in members):
        return Held.SHARED
    has_address = any(each.canonical in use.needs_address for each in members)
    if len(members) > 1 or has_address or any(each.is_unowned for each in members) or any(map(_stays, members)):
        return Held.POINTER
    return Held.VALUE


def _stays(each: Class) -> bool:
    """Whether objects of a class cannot be moved, or are not made at all."""
    declaration = each.declaration
    if declaration.is_abstract_record():
        return True
    has_move = is_copied = True
    for member in declaration.get_children():
        if member.kind.name == "FIELD_DECL" and _UNMOVABLE.match(without_words(member.type.get_canonical().spelling)):
            return True
        if member.kind.name == "CONSTRUCTOR" and member.is_copy_constructor():
            is_copied = not member.is_deleted_method() and member.access_specifier.name == "PUBLIC"
            has_move = False
        if member.kind.name == "CONSTRUCTOR" and member.is_move_constructor():
            has_move = not member.is_deleted_method() and member.access_specifier.name == "PUBLIC"
            if has_move:
                return False
        if member.kind.name == "DESTRUCTOR" and member.access_specifier.name != "PUBLIC":
            return True
    return not is_copied and not has_move


def _families(classes: Mapping[str, Class]) -> list[list[str]]:
    """The names of those that derive from one another, in groups."""
    group = {name: name for name in classes}

    def root(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    for name, each in classes.items():
        for base in each.bases:
            if base in classes:
                group[root(name)] = root(base)
    found: dict[str, list[str]] = {}
    for name in classes:
        found.setdefault(root(name), []).append(name)
    return list(found.values())
