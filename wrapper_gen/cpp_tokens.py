"""The tokens of C++, as far as code of a spec is looked at: brackets, names and literals."""

from __future__ import annotations

import re
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
