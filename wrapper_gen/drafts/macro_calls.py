"""Macros that call a function with arguments of their own: `#define open(a) open_(a, VERSION)`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wrapper_gen.frozen import frozen
from wrapper_gen.headers import CFunction, Headers

_WRAPPING = re.compile(r"(\w+) \( (.*) \)")
_IS_CHECKED = re.compile(r"version|\bsizeof\b", re.IGNORECASE)
"""What a library checks of its callers: arguments that have one right value."""
_INTERNAL_NAME = re.compile(r"^_|_$|(^|_)(internal|impl|priv|private)(_|$)", re.IGNORECASE)
"""What functions are called that nobody calls but a macro."""


@frozen
class Constants:
    """The arguments that a macro always gives a function."""

    macro: str
    arguments: tuple[str | None, ...]
    """None where the macro has a parameter of its own."""
    is_guess: bool = False
    """Whether they are more than a version or a size, and the function is called by that macro as its name tells."""


def wrapping_macros(headers: Headers, functions: Iterable[CFunction]) -> dict[str, Constants]:
    """By function, the constants that a macro around it always gives it."""
    names = {each.name for each in functions}
    found: dict[str, Constants] = {}
    for macro, parameters in headers.macros.items():
        match = _WRAPPING.fullmatch(headers.macro_texts.get(macro, ""))
        if match is None or match[1] not in names or match[1] == macro:
            continue
        given = [re.sub(r"^\( (\w+) \)$", r"\1", each) for each in _split(match[2])]
        constants = [each for each in given if each not in parameters]
        is_checked = all(_IS_CHECKED.search(each) for each in constants)
        if not is_checked and not _INTERNAL_NAME.search(match[1]):
            continue  # one of several ways to call a function that is public itself
        if sum(each in parameters for each in given) == len(parameters) and constants:
            fixed = tuple(None if each in parameters else re.sub(r"\s*([()])\s*", r"\1", each) for each in given)
            found[match[1]] = Constants(macro, fixed, is_guess=not is_checked)
    return found


def _split(text: str) -> list[str]:
    """The arguments of a call, at commas outside parentheses."""
    parts, depth = [""], 0
    for word in text.split(" "):
        depth += (word == "(") - (word == ")")
        if word == "," and not depth:
            parts.append("")
        else:
            parts[-1] = f"{parts[-1]} {word}".strip()
    return parts
