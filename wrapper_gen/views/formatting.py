"""Python as a formatter leaves it: lists, calls, conditions and imports of the width of a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from wrapper_gen.quoting import python_string
from wrapper_gen.runtime_files import Runtime
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


def remarked(signature: str, said: str) -> str:
    """An exploded signature with a comment on the first of its lines; one that has a single line as it is."""
    first, break_, others = signature.partition("\n")
    return f"{first}  # {said}\n{others}" if break_ else signature


def laid_out(head: str, items: Sequence[str], tail: str, indent: int, *, is_definition: bool = False) -> str:
    """`head(items)tail` as a formatter leaves it where `indent` columns stand before: all on one line if it fits.

    In a definition, a parameter that stands alone has a comma after it.
    """
    line = f"{head}({', '.join(items)}){tail}"
    if indent + len(line) <= WIDTH:
        return line
    inside = ", ".join(items)
    if indent + 4 + len(inside) <= WIDTH and (len(items) > 1 or not is_definition):
        return f"{head}(\n    {inside}\n){tail}"
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
    """Import statements in order: of each module one for all names that stay, and one for each that is renamed."""
    plain: dict[str, list[str]] = {}
    lines = []
    for each in sorted(set(wanted), key=lambda each: (each.module, rank(each.name))):
        if each.alias:
            lines.append((each.module, rank(each.name), str(each)))
        else:
            plain.setdefault(each.module, []).append(each.name)
    lines += [(module, rank(found[0]), import_of_several(module, found)) for module, found in plain.items()]
    return tuple(line for _, _, line in sorted(lines))


def package_imports(
    wanted: Iterable[Import],
    runtime: Runtime,
    *,
    installed: Sequence[str] = (),
    before: Sequence[str] = (),
    after: Sequence[str] = (),
) -> tuple[str, ...]:
    """Import statements of the package and its runtime, which has a section of its own where it lies elsewhere.

    `installed` are of other distributions, `before` and `after` others of the package's, in order.
    """
    found = set(wanted)
    elsewhere = {each for each in found if each.of_runtime is not None} if runtime is not Runtime.VENDORED else set()
    of_runtime = imports(_placed(each, runtime) for each in elsewhere)
    moved = (*installed, *of_runtime)
    own = (*before, *imports(_placed(each, runtime) for each in found - elsewhere), *after)
    return (*moved, *[""] * bool(moved and own), *own)


def _placed(wanted: Import, runtime: Runtime) -> Import:
    """What imports a name of the runtime from where the package has it, or a whole module of the runtime."""
    if wanted.of_runtime is None:
        return wanted
    if wanted.of_runtime:
        return Import(runtime.module(wanted.of_runtime), wanted.name, wanted.alias)
    file = runtime.file(wanted.name)
    return Import(runtime.package, file, wanted.alias or wanted.name * (file != wanted.name))


def import_of_several(module: str, listed: Iterable[str]) -> str:
    """One import statement for names of ours, which are called what they are."""
    ordered = sorted(listed, key=rank)
    line = f"from {module} import {', '.join(ordered)}"
    return line if len(line) <= _LONG else f"from {module} import " + block("(", ordered, ")")
