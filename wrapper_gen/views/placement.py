"""The spec's C++ in generated C++: `#line` directives, by which compilers name the spec's file and line."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen.diagnostics import Span, SpanOfRow
from wrapper_gen.model import Code, Module
from wrapper_gen.quoting import c_string

BACK_TO_BRIDGE = '#line 0 "bridge.cpp"'
"""Stands where user code ends; `render` puts in the line's own number."""
_LONGEST_ROW = 100
"""How much of a row is shown: a variable may stand for code."""


def placed(code: Code, module: Module, closing: str = "") -> str:
    """User code as it stands in the bridge: compiler messages name the spec's file and line.

    `closing` ends what the code stands in, and counts as part of its last line.
    """
    file = _file(code.span, module)
    lines = (code.text.rstrip("\n") if code.literal else code.text.strip("\n")).split("\n")
    numbers = [code.span.line + i if code.literal else code.span.line for i in range(len(lines))]
    placed = []
    for i, (number, text) in enumerate(zip(numbers, lines, strict=True)):
        counts_on = i > 0 and (code.literal or lines[i - 1].endswith("\\"))  # a directive may not split a long line
        placed += [text] if counts_on else [f"#line {number} {file}", text]
    if closing:
        placed += [f"#line {numbers[-1]} {file}", closing]
    return "\n".join([*placed, BACK_TO_BRIDGE])


def placed_lines(lines: Sequence[tuple[Span, str]], module: Module) -> str:
    """Lines with code from different places of the spec: each is its own place to the compiler."""
    return "\n".join([*(f"#line {span.line} {_file(span, module)}\n{text}" for span, text in lines), BACK_TO_BRIDGE])


def _file(span: Span, module: Module) -> str:
    """The spec as compilers name it; of an entry that a `for` repeats, with the row, which no line tells."""
    row = SpanOfRow.row_of(span)
    if len(row) > _LONGEST_ROW:
        row = f"{row[:_LONGEST_ROW]}..."
    return c_string(f"{module.spec} (for {row})" if row else module.spec)
