"""The tokens of C++, as far as code of a spec is looked at: brackets, names and literals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?(?:\*/|\Z))
      | (?P<raw>R"(?P<delimiter>[^()\\\s]{0,16})\(.*?(?:\)(?P=delimiter)"|\Z))
      | (?P<literal>"(?:\\.|[^"\\])*(?:"|\Z)|'(?:\\.|[^'\\])*(?:'|\Z))
      | (?P<word>[A-Za-z_]\w*)
      | (?P<number>\d[\w.']*)
      | (?P<mark>::|->|\.\.\.|.)""",
    re.VERBOSE | re.DOTALL,
)
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")


def tokens_of(text: str) -> list[str]:
    """The tokens of C++, without comments."""
    return [m[0] for m in _TOKEN.finditer(text) if m.lastgroup != "skip"]


class PlacedToken(NamedTuple):
    """A token, and where it stands."""

    text: str
    start: int
    end: int


def placed_tokens(text: str) -> list[PlacedToken]:
    """The same tokens with their places."""
    return [PlacedToken(m[0], m.start(), m.end()) for m in _TOKEN.finditer(text) if m.lastgroup != "skip"]


def text_at(tokens: Sequence[PlacedToken], i: int) -> str:
    """A token; nothing beside the first and the last."""
    return tokens[i].text if 0 <= i < len(tokens) else ""


def closing_of(tokens: Sequence[PlacedToken], opening: int) -> int:
    """The bracket that ends what this one begins; behind the last token where nothing does."""
    depth = 0
    for i in range(opening, len(tokens)):
        depth += (tokens[i].text in _OPENING) - (tokens[i].text in _CLOSING)
        if depth == 0:
            return i
    return len(tokens)


def divided(tokens: Sequence[PlacedToken], *, with_angles: bool) -> Iterator[Sequence[PlacedToken]]:
    """What commas divide; `with_angles`: angles are brackets, as in types."""
    opening = (*_OPENING, "<") if with_angles else _OPENING
    closing = (*_CLOSING, ">") if with_angles else _CLOSING
    depth = start = 0
    for i, token in enumerate(tokens):
        depth += (token.text in opening) - (token.text in closing)
        if token.text == "," and depth == 0:
            yield tokens[start:i]
            start = i + 1
    if tokens:
        yield tokens[start:]
