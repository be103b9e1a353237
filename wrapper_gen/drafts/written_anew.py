"""Which structs a call of C writes anew, whatever they were: by the names of parameters, and by comments."""

from __future__ import annotations

import re

from wrapper_gen.drafts.naming import snake
from wrapper_gen.drafts.uses import record_of
from wrapper_gen.headers import CFunction, CParameter

_OUT = re.compile(r"(^|_)(dest|dst|destination|out|output|res|result|ret|target)(_|$)")
_MAKES_READY = re.compile(r"(?:^|_|(?<=[a-z0-9])(?=[A-Z]))(?i:parse|open|create|new|from|decode|load)(?=$|_|[A-Z0-9])")
_COPIES = re.compile(r"copy|dup|clone", re.IGNORECASE)


def may_write_anew(function: CFunction, parameter: CParameter) -> bool:
    """Whether a struct that a call is given by `T *` is only the place for another one: `dest`."""
    _, depth, is_const = record_of(parameter.type)
    if depth != 1 or is_const or _copies(function):
        return False
    return _OUT.search(snake(parameter.name).rstrip("0123456789")) is not None or says_out(function, parameter)


def says_out(function: CFunction, parameter: CParameter) -> bool:
    """Whether the comment calls a parameter one that is written and not read."""
    name = re.escape(parameter.name)
    said = rf"[\\@]param\s*(\[\s*out\s*\]\s*{name}\b|{name}\b[\s:-]*(<b>|\[|\()?OUT\b)"
    return bool(name) and re.search(said, function.doc.text) is not None


def makes_ready(function: CFunction) -> bool:
    """Whether a call may make the struct ready whose address is its first argument, of arguments of other types."""
    first, *others = function.parameters or (None,)
    if first is None or not others:
        return False
    record, depth, is_const = record_of(first.type)
    is_alone = all(each is None or record_of(each.type).record != record for each in others)
    is_named = _MAKES_READY.search(function.name) is not None
    return depth == 1 and not is_const and is_alone and (is_named or says_out(function, first))


def _copies(function: CFunction) -> bool:
    """Whether the first argument is the place for a copy of the second, by the name of the function."""
    given = [record_of(each.type)[:2] for each in function.parameters[:2]]
    return len(given) == 2 and given[0] == given[1] and _COPIES.search(function.name) is not None
