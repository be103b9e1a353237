"""C++ as a person lays it out: as much on a line as fits."""

from __future__ import annotations

from collections.abc import Sequence

WIDTH = 150
"""Columns of a line; a piece that is longer has a line of its own."""


def packed(pieces: Sequence[str], indent: str = "    ") -> str:
    """Pieces of one construct, in order, on as few lines as hold them; further lines are indented.

    What closes a block stays behind what it closes.
    """
    lines, line = list[str](), ""
    for piece in pieces:
        if piece == "}" and line:
            line += " }"
            continue
        if line and len(line) + 1 + len(piece) > WIDTH:
            lines.append(line)
            line = indent + piece
        else:
            line = f"{line} {piece}" if line else piece
    return "\n".join([*lines, line])
