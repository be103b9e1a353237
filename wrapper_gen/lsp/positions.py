"""Lines and columns of a text as editors count them: from 0, in units of UTF-16 unless both sides agree on others."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from wrapper_gen.diagnostics import Span

_LINE_END = re.compile(r"\r\n|\r|\n")
_BOM = "\ufeff"
UTF_8, UTF_16, UTF_32 = "utf-8", "utf-16", "utf-32"


class EditorPosition(NamedTuple):
    """A place as an editor has it."""

    line: int
    character: int


def _units(character: str, encoding: str) -> int:
    code = ord(character)
    if encoding == UTF_16:
        return 1 + (code > 0xFFFF)
    return 1 + (code > 0x7F) + (code > 0x7FF) + (code > 0xFFFF)


class Lines:
    """Converts between the offsets of a text, an editor's positions and the places of diagnostics."""

    def __init__(self, text: str, encoding: str = UTF_16) -> None:
        self.text = text
        self._encoding = encoding
        self._starts = [0, *(each.end() for each in _LINE_END.finditer(text))]
        self._is_plain = text.isascii() or encoding == UTF_32

    def offset(self, position: EditorPosition) -> int:
        """The offset of a position; the nearest one where there is none such."""
        if position.line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[position.line], self._end(position.line)
        if self._is_plain:
            return min(start + position.character, end)
        left = position.character
        while start < end and left > 0:
            left -= _units(self.text[start], self._encoding)
            start += left >= 0
        return start

    def position(self, offset: int) -> EditorPosition:
        """The position of an offset."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        return EditorPosition(line, self.units(start, offset))

    def end_of_line(self, offset: int) -> int:
        """Where the line ends on which an offset is."""
        return self._end(bisect_right(self._starts, offset) - 1)

    def units(self, start: int, end: int) -> int:
        """How long the text between two offsets is to an editor."""
        if self._is_plain:
            return end - start
        return sum(_units(each, self._encoding) for each in self.text[start:end])

    def offsets(self, span: Span) -> tuple[int, int]:
        """Where a place starts and ends; one that stands for the whole file is its first line."""
        line = min(span.line, len(self._starts)) - 1
        first, last = self._starts[line], self._end(line)
        if not span.end_column and span[1:3] == (1, 1):
            return first, last
        mark = self.text.startswith(_BOM) and line == 0  # which diagnostics do not count
        start = min(first + span.column - 1 + mark, last)
        return start, min(max(first + span.end_column - 1 + mark, start), last) if span.end_column else start

    def _end(self, line: int) -> int:
        after = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)
        return self._starts[line] + len(self.text[self._starts[line] : after].rstrip("\r\n"))
