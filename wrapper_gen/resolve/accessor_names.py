"""What libraries usually call the functions that read and write a member: tried in order where a spec names none."""

from __future__ import annotations

import re

from wrapper_gen import names

_VERB = re.compile(r"^(?:(?:get|is)_(?=.)|(?:[gG]et|[iI]s)(?=[A-Z]))")
"""What the name of a function that reads something may start with."""


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


def getters(name: str, case: str, *, is_bool: bool) -> tuple[str, ...]:
    """What reads it where nothing has its own name: `get_width`, of a bool `is_wide` too."""
    pascal = names.cased(name, "pascal")
    forms = [(f"{verb}_{name}", f"{verb}{pascal}", f"{verb.title()}{pascal}") for verb in ("get", "is")[: 1 + is_bool]]
    return _each(*(each for form in forms for each in form), names.cased(name, "camel"), pascal)


def prefixed_getters(name: str, case: str, *, is_bool: bool) -> tuple[str, ...]:
    """The same of functions with a prefix, in the library's case: `PREFIX_get_width`."""
    verbs = ("get", "is") if is_bool else ("get",)
    return _each(*members(name, case), *(each for verb in verbs for each in members(f"{verb}_{name}", case)))


def setters_beside(getter: str, case: str) -> tuple[str, ...]:
    """What sets that which this reads: `SetWidth` beside `GetWidth`, `set_wide` beside `is_wide`."""
    return setters(_VERB.sub("", getter), case)


def field_getters(name: str, case: str, *, is_bool: bool) -> tuple[str, ...]:
    """What reads a field of a struct."""
    return _each(*members(name, case), *getters(name, case, is_bool=is_bool))


def field_setters(name: str, case: str) -> tuple[str, ...]:
    """What sets a field of a struct."""
    return _each(*setters(name, case), names.cased(name, "pascal"))


def field_references(name: str, case: str) -> tuple[str, ...]:
    """What returns a field of a struct to be changed: `mutable_width`."""
    return _each(f"mutable_{name}", *members(name, case), names.cased(name, "camel"))


def _each(*several: str) -> tuple[str, ...]:
    """Each of these names once; in C++ nothing is called as a keyword is: it may have an underscore behind it."""
    found = tuple(each for each in dict.fromkeys(several) if each not in names.CPP_KEYWORDS)
    return found or (f"{several[0]}_",)
