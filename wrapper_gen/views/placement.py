"""The spec's C++ in generated C++: `#line` directives, by which compilers name the spec's file and line.

Generated text names the spec's lines by entries, and by their order within an entry; `lines.hpp` says which lines
those are. An entry that is added changes no other text, nor does a longer `doc`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import groupby

from wrapper_gen import names
from wrapper_gen.diagnostics import Span, SpanOfRow
from wrapper_gen.model import Code, Entry, ErrorType, Function, Module, Representation
from wrapper_gen.queries import once
from wrapper_gen.quoting import c_string
from wrapper_gen.views.layout import packed

BACK_TO_BRIDGE = '#line 0 "bridge.cpp"'
"""Stands where user code ends; `render` puts in the line's own number."""
LINES = "lines.hpp"
_SPEC = "WG_SPEC"
"""The spec's path in directives."""
_LONGEST_ROW = 100
"""How much of a row is shown: a variable may stand for code."""
_PLACE = re.compile(r"WG_(?<=(?:^#line |\bWG_AT\()WG_)([A-Z]+)_(?:AT|(\d+)_IN)_(\w+)(?=[ )])", re.MULTILINE)
"""Where a macro for a line stands: it begins with letters, which are found ten times as quickly as other patterns."""


def placed(code: Code, module: Module, closing: str = "") -> str:
    """User code as it stands in the bridge: compiler messages name the spec's file and line.

    `closing` ends what the code stands in, and counts as part of its last line.
    """
    return f"{_placed(code, module, closing)}\n{BACK_TO_BRIDGE}"


def placed_in(head: str, code: Code, module: Module, closing: str) -> str:
    """The same as part of an entry, all of which has its places in the spec: nothing behind it is the bridge's own."""
    return f"{directive(code.span, module)}\n{head}\n{_placed(code, module, closing)}"


def _placed(code: Code, module: Module, closing: str) -> str:
    lines = (code.text.rstrip("\n") if code.literal else code.text.strip("\n")).split("\n")
    numbers = [code.span.line + i if code.literal else code.span.line for i in range(len(lines))]
    file = _file(code.span, module)
    placed = []
    for i, (number, text) in enumerate(zip(numbers, lines, strict=True)):
        counts_on = i > 0 and (code.literal or lines[i - 1].endswith("\\"))  # a directive may not split a long line
        placed += [text] if counts_on else [f"#line {_macro(number, module)} {file}", text]
    if closing:
        placed += [f"#line {_macro(numbers[-1], module)} {file}", closing]
    return "\n".join(placed)


def placed_lines(lines: Sequence[tuple[Span, str]], module: Module, closing: str = "") -> str:
    """Lines with code from different places of the spec: each is its own place to the compiler.

    Those of one place stand on one line, as far as they fit; `closing` ends what the code stands in.
    """
    places = [(directive(span, module), text) for span, text in lines]
    found = list[str]()
    for place, several in groupby(places, key=lambda each: each[0]):
        found += [f"{place}\n{line}" for line in _packed([text for _, text in several]).split("\n")]
    return "\n".join([*found[:-1], f"{found[-1]}{closing}", BACK_TO_BRIDGE])


def _packed(lines: Sequence[str]) -> str:
    """Lines of one place on as few as hold them, each of which is indented as the first."""
    first, *others = lines
    indent = first[: len(first) - len(first.lstrip())]
    return packed([first, *(each.strip() for each in others)], indent)


def placed_statements(pieces: Sequence[str], span: Span, module: Module) -> str:
    """Statements of our own that are of an entry, as many on a line as fit, all of one line of the spec.

    Directives have lines of their own; statements between two `#line`s keep their place.
    """
    own = directive(span, module)
    lines, held, is_elsewhere = list[str](), list[str](), False
    for piece in [*(line for each in pieces for line in each.split("\n")), "#"]:
        if not (piece.startswith("#") or is_elsewhere):
            held.append(piece.strip())
            continue
        if held:
            lines += [f"{own}\n{line}" for line in packed(held).split("\n")]
            held = []
        if piece.startswith("#line "):
            is_elsewhere = piece != BACK_TO_BRIDGE
        lines += [piece] * (piece not in (BACK_TO_BRIDGE, "#"))
    return "\n".join(lines)


def directive(span: Span, module: Module) -> str:
    """What gives the next line this place."""
    return f"#line {_macro(span.line, module)} {_file(span, module)}"


def shown_place(span: Span, module: Module) -> str:
    """The place as messages of generated code have it: a string literal of C++."""
    return c_string(module.place(span)) if module.is_used else f"WG_AT({_macro(span.line, module)})"


def said_at(span: Span, module: Module, message: str) -> str:
    """What a static assertion says, with the place."""
    return f'"wrapper-gen: " {shown_place(span, module)} {c_string(f": {message}")}'


def _file(span: Span, module: Module) -> str:
    """The spec as compilers name it; of an entry that a `for` repeats, with the row, which no line tells."""
    row = SpanOfRow.row_of(span)
    if len(row) > _LONGEST_ROW:
        row = f"{row[:_LONGEST_ROW]}..."
    if row:
        return c_string(f"{module.spec} (for {row})")
    return c_string(module.spec) if module.is_used else _SPEC


# --- lines by entries ------------------------------------------------------------------------------------------------


def _macro(line: int, module: Module) -> str:
    """The macro for a line of the spec: by the last entry that starts there or above; of another spec, its number."""
    if module.is_used:
        return str(line)
    at = bisect_right(_starts(module), line) - 1
    if at < 0:
        return names.line_macro("TOP", module.name, line)
    start, entry = module.standing[at]
    return names.line_macro(*_named(entry, module), line - start)


@once
def _starts(module: Module) -> list[int]:
    """The lines on which something stands in the spec."""
    return [line for line, _ in module.standing]


def _named(entry: Entry, module: Module) -> tuple[str, str]:
    """What kind of entry it is, and its name."""
    match entry:
        case Function():
            return "ENTRY", names.line_of_function(entry)
        case ErrorType():
            return "ERROR", str(module.errors.index(entry))
        case Representation():
            return "FORM", entry.name
        case Code():
            return "CODE", "prelude"
        case _:
            return "TYPE", entry.name


def numbered_lines(text: str, module: Module) -> tuple[str, list[tuple[str, int]]]:
    """The text with the lines of each entry counted as they follow each other there; and its macros, with the lines.

    Before that they are counted from the entry's first line, so that one more line of `doc` would change all below it.
    """
    starts = {_named(entry, module): start for start, entry in module.standing}
    used: dict[tuple[str, str], set[int]] = {}
    for kind, below, entry in _PLACE.findall(text):
        used.setdefault((kind, entry), set()).add(int(below or 0))
    macros: dict[tuple[str, str, int], str] = {}
    lines: list[tuple[str, int]] = []
    for (kind, entry), found in used.items():
        for number, below in enumerate(sorted(found), 0 if 0 in found else 1):
            macros[kind, entry, below] = macro = names.line_macro(kind, entry, number)
            lines.append((macro, starts.get((kind, entry), 0) + below))
    numbered = _PLACE.sub(lambda at: macros[at[1], at[3], int(at[2] or 0)], text)
    return numbered, sorted(lines, key=lambda each: each[1])
