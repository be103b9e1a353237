"""Python as a formatter leaves it: lists, calls, conditions and imports of the width of a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from wrapper_gen.quoting import python_string
from wrapper_gen.types.hints import Import
from wrapper_gen.types.spelling import Expression

WIDTH = 120
"""Columns of a line."""
_LONG = 88
"""Columns that a line of names may have, before it is one name a line."""


def tuple_of(items: Sequence[str], *, wide: int = WIDTH) -> str:
    """A tuple on one line; one item a line where that has more columns than `wide`."""
    line = f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    return line if len(line) <= wide else block("(", items, ")")


def names_of_exceptions(listed: Sequence[str]) -> str:
    return tuple_of(listed, wide=_LONG)


def strings(texts: Sequence[str]) -> str:
    """A list of string literals."""
    return block("[", [python_string(text) for text in texts], "]")


def block(opening: str, items: Sequence[str], closing: str) -> str:
    """Items in brackets, one a line."""
    indented = "".join("    {},\n".format(item.replace("\n", "\n    ")) for item in items)
    return f"{opening}\n{indented}{closing}" if items else opening + closing


def bracketed(opening: str, items: Sequence[str], closing: str, beside: int) -> str:
    """Items in brackets: on one line, where `beside` columns of it are taken, if they fit."""
    comma = "," if len(items) == 1 and opening == "(" else ""
    line = f"{opening}{', '.join(items)}{comma}{closing}"
    return line if len(line) + beside <= WIDTH else block(opening, items, closing)


def exploded(head: str, items: Sequence[str], tail: str) -> str:
    """`head(items)tail`: one item a line, unless there is none or just the instance."""
    if not items or tuple(items) in (("self",), ("self._h",), ("cls",)):
        return f"{head}({''.join(items)}){tail}"
    return head + block("(", items, ")") + tail


def expression(made: Expression, before: str = "", after: str = "", room: int = _LONG - 4) -> str:
    """An expression between two texts: where the line is too long, one argument a line."""
    line = f"{before}{made}{after}"
    if len(line) <= room or not made.is_call:
        return line
    return before + block(f"{made.name}(", [expression(each, room=room - 5) for each in made.arguments], ")") + after


def condition(alternatives: Sequence[str], indent: int) -> tuple[str, ...]:
    """`if one or other:`, where `indent` columns stand before it."""
    line = f"if {' or '.join(alternatives)}:"
    if indent + len(line) <= WIDTH:
        return (line,)
    first, *others = alternatives
    return ("if (", f"    {first}", *(f"    or {other}" for other in others), "):")


def names(listed: Iterable[str]) -> str:
    """The value of `__all__`."""
    return block("[", [python_string(name) for name in sorted(listed, key=rank)], "]")


def rank(name: str) -> tuple[int, list[tuple[str, int]]]:
    """Constants, then classes, then the rest; numbers in names by what they count."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return kind, [(word, int(number or 0)) for word, number in re.findall(r"(\D+)(\d*)", name)]


def imports(wanted: Iterable[Import]) -> tuple[str, ...]:
    """Import statements in order, one for each name."""
    return tuple(str(each) for each in sorted(set(wanted), key=lambda each: (each.module, rank(each.name))))


def import_of_several(module: str, listed: Iterable[str]) -> str:
    """One import statement for names of ours, which are called what they are."""
    ordered = sorted(listed, key=rank)
    line = f"from {module} import {', '.join(ordered)}"
    return line if len(line) <= _LONG else f"from {module} import " + block("(", ordered, ")")
