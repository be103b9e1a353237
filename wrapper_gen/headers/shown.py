"""Declarations in C's words, and what their comments begin with."""

from __future__ import annotations

from wrapper_gen.headers.declarations import CFunction, Doc

_MOST_WORDS = 240
"""How many characters of a comment are quoted."""


def shown_function(function: CFunction) -> str:
    """A function as C declares it."""
    taken = [shown_parameter(each.type.spelling, each.name) for each in function.parameters]
    taken += ["..."] * function.is_variadic
    words = "static " * function.is_static + "virtual " * function.is_virtual
    result = "" if function.kind in ("constructor", "destructor") else function.result.spelling
    space = "" if not result or result.endswith(("*", "&")) else " "
    return f"{words}{result}{space}{function.qualified}({', '.join(taken)}){' const' * function.is_const}"


def shown_parameter(spelling: str, name: str) -> str:
    """A parameter as C declares it."""
    for mark in ("(*)", "["):  # a pointer to a function, an array
        if mark in spelling and name:
            before, _, after = spelling.partition(mark)
            return f"{before}(*{name}){after}" if mark == "(*)" else f"{before.rstrip()} {name}[{after}"
    space = "" if not name or spelling.endswith(("*", "&")) else " "
    return f"{spelling}{space}{name}"


def first_words(doc: Doc) -> str:
    """What a comment of one declaration begins with, on one line."""
    text = " ".join(doc.text.split()) if not doc.of_group else ""
    return text if len(text) <= _MOST_WORDS else text[:_MOST_WORDS].rsplit(" ", 1)[0].rstrip(",;:(") + " …"
