"""What libraries usually call the functions that read and write a member: tried in order where a spec names none."""

from __future__ import annotations

from wrapper_gen import names


def members(name: str, case: str) -> tuple[str, ...]:
    """The member itself, or a function of its name: `width`."""
    return _each(names.cased(name, case), name)


def own_setters(name: str, case: str) -> tuple[str, ...]:
    """The setter in the library's case: `set_width`."""
    return members(f"set_{name}", case)


def setters(name: str, case: str) -> tuple[str, ...]:
    """What sets it: `set_width`, `setWidth`, or the same name as what reads it."""
    pascal = names.cased(name, "pascal")
    return _each(*own_setters(name, case), f"set{pascal}", f"Set{pascal}", *members(name, case))


def field_getters(name: str, case: str) -> tuple[str, ...]:
    """What reads a field of a struct."""
    own, pascal, camel = names.cased(name, case), names.cased(name, "pascal"), names.cased(name, "camel")
    return _each(own, name, f"get_{name}", f"get{pascal}", f"Get{pascal}", camel, pascal)


def field_setters(name: str, case: str) -> tuple[str, ...]:
    """What sets a field of a struct."""
    return _each(*setters(name, case), names.cased(name, "pascal"))


def field_references(name: str, case: str) -> tuple[str, ...]:
    """What returns a field of a struct to be changed: `mutable_width`."""
    return _each(f"mutable_{name}", *members(name, case), names.cased(name, "camel"))


def _each(*several: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(several))
