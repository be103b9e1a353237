"""Where each character of a scalar stands in its source; knows how YAML quotes, escapes and folds."""

from __future__ import annotations

import re
from functools import lru_cache

Offsets = list[tuple[int, int]]
"""For each character of a text, where what stands for it starts and ends."""

_BLOCK_HEADER = re.compile(r"(?:[&!]\S*\s+|#[^\n]*\n\s*)*[|>][^\r\n]*(?:\r\n|\r|\n|$)")
_PROPERTY = re.compile(r"[&!]\S*\s+")
_CONTINUED = re.compile(r"\\(?:\r\n|\r|\n)")
_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)")
_SPACES = re.compile(r"\s*")


def block_header(source: str, start: int) -> int:
    """Where the lines of a block scalar begin, which starts here."""
    header = _BLOCK_HEADER.match(source, start)
    assert header is not None  # the scalar's style says that it has one
    return header.end()


def composed(earlier: tuple[str | None, Offsets], characters: Offsets) -> tuple[str | None, Offsets]:
    """Where characters that stand for some of a text stand in the one that this was made of, which comes first."""
    original, before = earlier
    return original, [(before[first][0], before[end - 1][1]) for first, end in characters] if before else []


@lru_cache(maxsize=16)
def offsets(text: str, source: str, start: int, style: str) -> Offsets:
    """Where each character of `text` stands, which is what the scalar at `start` in `source` was read as.

    A line that was folded into a space stands where the line ends.
    """
    at = block_header(source, start) if style in ("|", ">") else start
    while style not in ("|", ">") and (tag := _PROPERTY.match(source, at)):
        at = tag.end()
    at += style in ("'", '"')
    if source.startswith(text, at) and "\\" not in text and "'" not in text:  # written as it is read, as nearly always
        return [(i, i + 1) for i in range(at, at + len(text))]
    found: Offsets = []
    for char in text:
        while style == '"' and (end := _continued(source, at)):
            at = end
        length = _length(source, at, style)
        if char.isspace() and length == 1 and source[at : at + 1] != char:  # folded, or within what is
            found.append((at, at + 1))
            continue
        if length == 1 and source[at : at + 1] != char and not char.isspace():
            at = _after_spaces(source, at)
            length = _length(source, at, style)
        found.append((at, at + length))
        at += length
    return found


def _continued(source: str, at: int) -> int:
    """Where the text goes on after a line that ends in an escape; 0 where none ends here."""
    spaces = _SPACES.match(source, at)
    assert spaces is not None
    escaped = _CONTINUED.match(source, at) or _CONTINUED.match(source, spaces.end())
    if escaped is None:
        return 0
    after = _SPACES.match(source, escaped.end())
    assert after is not None
    return after.end()


def _after_spaces(source: str, at: int) -> int:
    """Where the next character stands: a line may end before it, with the indentation of the next."""
    spaces = _SPACES.match(source, at)
    assert spaces is not None
    return spaces.end()


def _length(source: str, at: int, style: str) -> int:
    """How many characters stand for the one here."""
    if style == "'" and source.startswith("''", at):
        return 2
    escape = _ESCAPE.match(source, at) if style == '"' else None
    return len(escape[0]) if escape else 1
