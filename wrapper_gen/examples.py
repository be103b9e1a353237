"""Examples in documentation: which of its lines are some, as doctest reads them."""

from __future__ import annotations

from collections.abc import Sequence

START = ">>>"
"""How the first line of one begins."""


def are_examples(lines: Sequence[str]) -> list[bool]:
    """Of each line, whether it is of an example: from `>>>` to the next empty line."""
    found, inside = list[bool](), False
    for line in lines:
        inside = bool(line.strip()) and (inside or line.lstrip().startswith(START))
        found.append(inside)
    return found
