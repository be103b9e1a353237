"""The text of a `def`, or of a type, as tokens with their roles, however much of it is typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from wrapper_gen.types.parse import WORDS

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<text>b?(?:"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?))
      | (?P<number>[-+]?(?:\.inf|\.nan|\.?\d[\w.]*))
      | (?P<word>[A-Za-z_]\w*(?:(?:::|\.)[A-Za-z_]\w*)*)
      | (?P<mark>->|\.\.\.|\*\*|.)""",
    re.VERBOSE | re.DOTALL,
)
KINDS = ("static", "virtual", "abstract", "optional")
BUILT_UP = ("fn", "iter", "set", "array", "mut", "duration", "datetime", "position", "key", "object", "stream")
"""Words of the type language that take others, or that stand for no C++ type of their own."""
UNITS = ("ns", "us", "ms", "s", "min", "h")
CONSTANTS = ("True", "False", "None", "true", "false", "null", "self")


class TokenRole(StrEnum):
    """What a part of a signature is."""

    KEYWORD = "keyword"
    NAME = "function"
    OWNER = "class"
    PARAMETER = "parameter"
    TYPE = "type"
    ITEM = "property"
    """The name of an item of a named tuple, or of an argument of a callable."""
    DEFAULT = "enumMember"
    DIMENSION = "variable"
    TEXT = "string"
    NUMBER = "number"
    MARK = "operator"


class Token(NamedTuple):
    """A part of a signature."""

    text: str
    role: TokenRole
    start: int
    end: int


class _Level:
    """A bracket that is open, and what stands in it."""

    def __init__(self, opened: str, *, is_type: bool) -> None:
        self.opened, self.is_type = opened, is_type
        self.is_after_colon = False
        self.is_default = False
        self.is_dimensions = False


def tokens(text: str, *, is_type: bool = False) -> Iterator[Token]:
    """The tokens of a `def`; or of the type of a field, with a default that it may have."""
    reader = _SignatureReader(text, is_type=is_type)
    for found in _TOKEN.finditer(text):
        if found.lastgroup != "space":
            yield reader.token(found[0], found.lastgroup or "", *found.span())


def expected(text: str, *, is_type: bool = False) -> TokenRole:
    """What can be typed behind a text."""
    reader = _SignatureReader(text, is_type=is_type)
    for found in _TOKEN.finditer(text):
        if found.lastgroup == "text" and (len(found[0]) < 2 or found[0][-1] != found[0].lstrip("b")[0]):
            return TokenRole.TEXT
        if found.lastgroup != "space":
            reader.token(found[0], found.lastgroup or "", *found.span())
    return reader.role("x", found_next="")


class _SignatureReader:
    def __init__(self, text: str, *, is_type: bool) -> None:
        self.text = text
        self.levels = [_Level("", is_type=is_type)]
        self.has_name = is_type

    def token(self, text: str, group: str, start: int, end: int) -> Token:
        if group == "word":
            after = re.match(r"\s*(.?)", self.text[end:], re.DOTALL)
            role = self.role(text, found_next=after[1] if after else "")
            if role in (TokenRole.NAME, TokenRole.OWNER):
                self.has_name = True
            return Token(text, role, start, end)
        if group == "mark":
            self.mark(text)
        role = {"text": TokenRole.TEXT, "number": TokenRole.NUMBER}.get(group, TokenRole.MARK)
        return Token(text, role, start, end)

    def mark(self, mark: str) -> None:
        level = self.levels[-1]
        if mark in "([{":
            is_type = level.is_type or level.is_after_colon
            self.levels.append(_Level(mark, is_type=is_type and not level.is_default))
            self.levels[-1].is_default = level.is_default
        elif mark in ")]}" and len(self.levels) > 1:
            self.levels.pop()
        elif mark == "->":
            level.is_type, level.is_default = True, False
        elif mark == ":":
            level.is_after_colon = True
        elif mark == "=":
            level.is_default = True
        elif mark == ";":
            level.is_dimensions = True
        elif mark == ",":
            level.is_after_colon = False
            level.is_default = len(self.levels) > 1 and self.levels[-2].is_default

    def role(self, word: str, *, found_next: str) -> TokenRole:
        """What a word is, that stands here."""
        level = self.levels[-1]
        if level.is_default:
            return TokenRole.KEYWORD if word in CONSTANTS else TokenRole.DEFAULT
        if level.is_dimensions:
            return TokenRole.DIMENSION
        if not self.has_name:
            return TokenRole.KEYWORD if word in KINDS and found_next not in ("(", "") else TokenRole.NAME
        if level.is_type or level.is_after_colon:
            is_named = level.opened == "(" and not level.is_after_colon and found_next == ":"
            if is_named:
                return TokenRole.ITEM
            return TokenRole.KEYWORD if word in BUILT_UP or word == "None" else TokenRole.TYPE
        return TokenRole.PARAMETER if level.opened == "(" else TokenRole.NAME


def builtin_types() -> list[str]:
    """The words of the type language that every spec has."""
    return sorted({*WORDS, *BUILT_UP, "None"} - {"mut", "void"})
