"""The shape of a spec that is being typed: mappings, lists and scalars with their places, whatever the text.

A reader of YAML stops at the first mistake, and a text that is being typed nearly always has one, at the cursor. Here
indentation decides: what is not closed ends where a line stands no deeper than its key. It gives no values and finds
no mistakes; `spec/yaml_reader.py` does.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

MAX_DEPTH = 60
"""Levels of containers that are looked into; what is deeper is text."""

Path = tuple[str | int, ...]

_LINE = re.compile(r"\r\n|\r|\n")
_SPACES = re.compile(r"[ \t]*")
_BLANK = re.compile(r"[ \t]*(?:#[^\r\n]*)?")
_BETWEEN = re.compile(r"(?:[\s]|(?<=\s)#[^\r\n]*)*")
_PROPERTY = re.compile(r"(?:[&!][\w!/.-]*[ \t]+)*(?:[&!][\w!/.-]*(?=[ \t]*(?:#[^\r\n]*)?$))?", re.MULTILINE)
_KEY = re.compile(
    r"""("(?:\\.|[^"\\\r\n])*"|'(?:''|[^'\r\n])*'|[^\s#"'{}\[\],&*!|>%@`-][^\r\n]*?|-[^\s][^\r\n]*?)\s*:(?=\s|\Z)"""
)
_QUOTED = {'"': re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL), "'": re.compile(r"'(?:''|[^'])*'", re.DOTALL)}
_PLAIN = re.compile(r"(?:(?![ \t]#)[^\r\n])*")
_FLOW_PLAIN = re.compile(r"(?:(?!:(?:[\s,\[\]{}]|\Z)|\s#)[^,\[\]{}\r\n])*")
_ESCAPED = re.compile(r"""\\(["\\/])|'(')""")


class OutlineNode:
    """A mapping, a list or a scalar, from `start` to `end`; of a scalar, the `text` stands from `inner` on.

    Each character of `text` stands for one of the spec's: an escaped quote has a space before it.
    """

    __slots__ = ("end", "inner", "is_flow", "items", "pairs", "start", "style", "text")

    def __init__(self, start: int, end: int, *, is_flow: bool = False) -> None:
        self.start, self.end, self.is_flow = start, end, is_flow
        self.pairs: list[Pair] | None = None
        self.items: list[OutlineNode] | None = None
        self.style, self.text, self.inner = "", "", start

    @property
    def is_scalar(self) -> bool:
        """Whether it is text."""
        return self.pairs is None and self.items is None

    def get(self, *path: str) -> OutlineNode | None:
        """What stands at these keys, in a mapping."""
        found: OutlineNode | None = self
        for key in path:
            pairs = found.pairs if found is not None else None
            found = next((each.value for each in pairs or () if each.key == key), None)
        return found

    def said(self, key: str) -> str:
        """The text of a key that is a scalar; empty where it is none."""
        node = self.get(key)
        return node.text if node is not None else ""

    def listed(self, key: str) -> list[OutlineNode]:
        """The items of a list at a key, or what stands there alone."""
        node = self.get(key)
        if node is None:
            return []
        return node.items if node.items is not None else [node]

    @property
    def keys(self) -> list[str]:
        """The keys of a mapping."""
        return [each.key for each in self.pairs or ()]


class Pair:
    """A key with its value; without a colon, a word that may become a key."""

    __slots__ = ("end", "has_colon", "key", "start", "value")

    def __init__(self, key: str, start: int, end: int, *, has_colon: bool, value: OutlineNode | None = None) -> None:
        self.key, self.start, self.end, self.has_colon, self.value = key, start, end, has_colon, value


class Outline:
    """The tree of a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root = _OutlineReader(text).whole()

    def at(self, offset: int) -> Cursor:
        """What stands at this offset, or ends there."""
        path: list[str | int] = []
        around: list[OutlineNode] = []
        node, pair = self.root, None
        while True:
            if node.is_scalar:
                return Cursor(tuple(path), tuple(around), pair, node, is_key=False)
            around.append(node)
            step = _step(node, offset)
            if step is None:
                return Cursor(tuple(path), tuple(around), None, None, is_key=node.pairs is not None)
            key, below, pair = step
            path.append(key)
            if pair is not None and (below is None or offset <= pair.end):
                return Cursor(tuple(path), tuple(around), pair, None, is_key=offset <= pair.end)
            assert below is not None
            node = below


class Cursor:
    """Where a place is in a spec: the keys and indices that lead there, and what stands there.

    `node` is the scalar, `pair` the innermost key; `is_key` whether the place is of a key. The containers `around` it
    are outermost first.
    """

    def __init__(
        self, path: Path, around: tuple[OutlineNode, ...], pair: Pair | None, node: OutlineNode | None, *, is_key: bool
    ) -> None:
        self.path, self.around, self.pair, self.node, self.is_key = path, around, pair, node, is_key

    @property
    def key(self) -> str:
        """The innermost key of the path."""
        return next((each for each in reversed(self.path) if isinstance(each, str)), "")

    @property
    def map(self) -> OutlineNode | None:
        """The innermost mapping."""
        return next((each for each in reversed(self.around) if each.pairs is not None), None)

    def entry(self, *sections: str) -> OutlineNode | None:
        """The innermost item of a list, or value of a mapping, under one of these keys."""
        for at in range(len(self.path) - 1, 0, -1):
            if self.path[at - 1] in sections and at + 1 < len(self.around):
                return self.around[at + 1]
        return None


def _step(node: OutlineNode, offset: int) -> tuple[str | int, OutlineNode | None, Pair | None] | None:
    """The pair or item of a container at this offset."""
    if node.items is not None:
        found = next(((i, each) for i, each in enumerate(node.items) if each.start <= offset <= each.end), None)
        return (*found, None) if found else None
    for pair in reversed(node.pairs or ()):
        if pair.start <= offset:
            value = pair.value
            if offset <= pair.end or (value is not None and value.start <= offset <= value.end):
                return pair.key, value, pair
            return None
    return None


def _end(pattern: re.Pattern[str], text: str, at: int, limit: int = sys.maxsize) -> int:
    """Where what the pattern matches here ends."""
    found = pattern.match(text, at, limit)
    return found.end() if found else at


def _end_of_words(pattern: re.Pattern[str], text: str, at: int, limit: int = sys.maxsize) -> int:
    """The same, without spaces at the end."""
    return at + len(text[at : _end(pattern, text, at, limit)].rstrip())


class _OutlineReader:
    """Reads lines from the first to the last; each rule gives a node and the number of the line behind it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(each.end() for each in _LINE.finditer(text))]
        self.indents = [_end(_SPACES, text, start) - start for start in self.starts]
        self.limit = len(text)

    def whole(self) -> OutlineNode:
        node, line = self.block(0, 0, 0)
        root = node if node is not None and not node.is_scalar else OutlineNode(0, len(self.text))
        if root.is_scalar:
            root.pairs = []
            if node is not None and node.end > node.start:  # the first word of a spec
                root.pairs.append(Pair(node.text, node.start, node.end, has_colon=False))
        while root.pairs is not None and line < len(self.starts):  # what stands less deep than the first line
            more, line = self.block(line, 0, 0)
            root.pairs += (more.pairs or []) if more is not None else []
            line += more is None
        root.start, root.end = 0, len(self.text)
        return root

    # --- lines ---

    def line_of(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def end_of_line(self, line: int) -> int:
        after = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        return self.starts[line] + len(self.text[self.starts[line] : after].rstrip("\r\n"))

    def significant(self, line: int) -> int:
        """The first line, from this one on, that has more than spaces and a comment."""
        while line < len(self.starts):
            start, end = self.starts[line], self.end_of_line(line)
            is_mark = self.text.startswith(("---", "...", "%"), start)
            if not is_mark and not _BLANK.fullmatch(self.text, start, end):
                break
            line += 1
        return line

    def column(self, line: int) -> int:
        """How deep a line stands; -1 behind the last."""
        return self.indents[line] if line < len(self.starts) else -1

    def end_below(self, line: int, column: int) -> int:
        """Where the lines end that stand deeper than this column, after this line; brackets may close there."""
        line = self.significant(line + 1)
        while line < len(self.starts):
            first = self.text[self.starts[line] + self.indents[line] :][:1]
            if self.indents[line] <= column and first not in ("}", "]"):
                return self.starts[line]
            line = self.significant(line + 1)
        return len(self.text)

    # --- blocks ---

    def block(self, line: int, floor: int, depth: int) -> tuple[OutlineNode | None, int]:
        line = self.significant(line)
        if self.column(line) < floor:
            return None, line
        return self.block_at(line, self.column(line), floor - 1, depth)

    def block_at(self, line: int, column: int, above: int, depth: int) -> tuple[OutlineNode, int]:
        """What begins on a line at a column, below what stands at the column `above`."""
        at = self.starts[line] + column
        if depth < MAX_DEPTH:
            if self.is_dash(at):
                return self.sequence(line, column, depth + 1)
            if _KEY.match(self.text, at, self.end_of_line(line)):
                return self.mapping(line, column, depth + 1)
        return self.value(line, at, above, depth)

    def is_dash(self, at: int) -> bool:
        return self.text[at : at + 1] == "-" and self.text[at + 1 : at + 2] in ("", " ", "\t", "\r", "\n")

    def sequence(self, line: int, column: int, depth: int) -> tuple[OutlineNode, int]:
        node = OutlineNode(self.starts[line] + column, 0)
        node.items = []
        while True:
            at = _end(_SPACES, self.text, self.starts[line] + column + 1)
            at = self.behind_properties(at)
            end = self.end_of_line(line)
            if _BLANK.fullmatch(self.text, at, end):
                item, after = self.block(line + 1, column + 1, depth)
            else:
                item, after = self.block_at(line, at - self.starts[line], column, depth)
            node.items.append(item or OutlineNode(at, max(at, end)))
            node.end = node.items[-1].end
            after = self.significant(max(after, line + 1))
            while self.column(after) > column:  # what nothing has taken
                after = self.significant(after + 1)
            if self.column(after) != column or not self.is_dash(self.starts[after] + column):
                return node, after
            line = after

    def mapping(self, line: int, column: int, depth: int) -> tuple[OutlineNode, int]:
        node = OutlineNode(self.starts[line] + column, 0)
        node.pairs = []
        while True:
            at = self.starts[line] + column
            key = _KEY.match(self.text, at, self.end_of_line(line))
            if key is None:
                end = _end_of_words(_PLAIN, self.text, at)
                pair, after = Pair(self.text[at:end], at, end, has_colon=False), line + 1
            else:
                pair = Pair(key[1].strip("\"'"), at, key.end(1), has_colon=True)
                pair.value, after = self.value_of_key(line, key.end(), column, depth)
            node.pairs.append(pair)
            node.end = pair.value.end if pair.value else pair.end
            after = self.significant(max(after, line + 1))
            while self.column(after) > column:
                after = self.significant(after + 1)
            if self.column(after) != column or self.is_dash(self.starts[after] + column):
                return node, after
            line = after

    def value_of_key(self, line: int, at: int, column: int, depth: int) -> tuple[OutlineNode | None, int]:
        at = self.behind_properties(_end(_SPACES, self.text, at))
        if not _BLANK.fullmatch(self.text, at, self.end_of_line(line)):
            return self.value(line, at, column, depth)
        below = self.significant(line + 1)
        if self.column(below) == column and self.is_dash(self.starts[below] + column):
            return self.sequence(below, column, depth + 1) if depth < MAX_DEPTH else (None, below + 1)
        return self.block(below, column + 1, depth)

    def behind_properties(self, at: int) -> int:
        """Behind an anchor or a tag."""
        return _end(_PROPERTY, self.text, at)

    def value(self, line: int, at: int, column: int, depth: int) -> tuple[OutlineNode, int]:
        """A value that begins here, within what stands at this column."""
        first = self.text[at : at + 1]
        if first in ("|", ">"):
            return self.block_scalar(line, at, column)
        self.limit = self.end_below(line, column)
        if first in ("{", "[") and depth < MAX_DEPTH:
            node = self.flow(at, depth)
        elif first in ('"', "'"):
            node = self.quoted(at)
        else:
            node = self.plain(line, at)
        return node, self.line_of(max(node.start, node.end - 1)) + 1

    def plain(self, line: int, at: int) -> OutlineNode:
        """Text without quotes; further lines belong to it that are no keys."""
        end = _end_of_words(_PLAIN, self.text, at)
        while line + 1 < len(self.starts) and self.starts[line + 1] < self.limit:
            line += 1
            start = self.starts[line] + self.indents[line]
            if self.is_dash(start) or self.text[start : start + 1] == "#" or _KEY.match(self.text, start, self.limit):
                break
            after = _end_of_words(_PLAIN, self.text, start)
            end = after if after > start else end
        return self.scalar(at, end, "")

    def block_scalar(self, line: int, at: int, column: int) -> tuple[OutlineNode, int]:
        node = OutlineNode(at, self.end_of_line(line))
        node.style = self.text[at]
        after = line + 1
        while after < len(self.starts):
            is_blank = self.starts[after] + self.indents[after] >= self.end_of_line(after)
            if not is_blank and self.indents[after] <= column:
                break
            if not is_blank:
                node.end = self.end_of_line(after)
            after += 1
        node.inner = min(self.starts[line + 1] if line + 1 < len(self.starts) else node.end, node.end)
        node.text = self.text[node.inner : node.end]
        return node, after

    # --- in brackets ---

    def scalar(self, start: int, end: int, style: str) -> OutlineNode:
        node = OutlineNode(start, end)
        node.style = style
        node.inner = start + len(style)
        is_closed = bool(style) and end - start > 1 and self.text[end - 1] == style
        text = self.text[node.inner : end - is_closed]
        node.text = _ESCAPED.sub(lambda found: f" {found[1] or found[2]}", text) if style else text
        return node

    def quoted(self, at: int) -> OutlineNode:
        """Text in quotes; without a closing one, the rest of the line."""
        style = self.text[at]
        found = _QUOTED[style].match(self.text, at, self.limit)
        end = (
            found.end() if found else max(at + 1, at + len(self.text[at : self.end_of_line(self.line_of(at))].rstrip()))
        )
        return self.scalar(at, end, style)

    def flow(self, at: int, depth: int) -> OutlineNode:
        node = OutlineNode(at, self.limit, is_flow=True)
        is_map = self.text[at] == "{"
        closing = "}" if is_map else "]"
        pairs: list[Pair] = []
        items: list[OutlineNode] = []
        node.pairs, node.items = (pairs, None) if is_map else (None, items)
        at = self.next(at + 1)
        while at < self.limit and self.text[at] != closing:
            if self.text[at] in ",:":
                at = self.next(at + 1)
                continue
            begin = at
            if is_map:
                pair = self.flow_pair(at, depth)
                pairs.append(pair)
                at = pair.value.end if pair.value else pair.end
            else:
                item = self.flow_value(at, depth)
                items.append(item)
                at = item.end
            at = self.next(max(at, begin))
            if at == begin or (at < self.limit and self.text[at] not in f",:{closing}"):
                at = self.next(at + 1)  # what cannot stand here
        is_closed = at < self.limit and self.text[at] == closing
        node.end = at + 1 if is_closed else max(node.start + 1, len(self.text[: self.limit].rstrip(" \t\r\n")))
        return node

    def flow_pair(self, at: int, depth: int) -> Pair:
        if self.text[at] in "\"'":
            key = self.quoted(at)
        else:
            key = self.scalar(at, _end_of_words(_FLOW_PLAIN, self.text, at, self.limit), "")
        colon = self.next(key.end)
        has_colon = self.text[colon : colon + 1] == ":" and colon < self.limit
        pair = Pair(key.text, key.start, key.end, has_colon=has_colon)
        if has_colon:
            after = self.next(colon + 1)
            if after < self.limit and self.text[after] not in ",}]":
                pair.value = self.flow_value(after, depth)
        return pair

    def flow_value(self, at: int, depth: int) -> OutlineNode:
        behind = self.behind_properties(at)
        at = behind if behind < self.limit else at
        first = self.text[at]
        if first in "{[" and depth < MAX_DEPTH:
            return self.flow(at, depth + 1)
        if first in "\"'":
            return self.quoted(at)
        return self.scalar(at, _end_of_words(_FLOW_PLAIN, self.text, at, self.limit), "")

    def next(self, at: int) -> int:
        """Behind spaces, line ends and comments."""
        return _end(_BETWEEN, self.text, at, self.limit)


def scalars(node: OutlineNode, path: Path = ()) -> Iterator[tuple[Path, OutlineNode]]:
    """All scalars at and below a node, with their paths."""
    waiting: list[tuple[Path, OutlineNode]] = [(path, node)]
    while waiting:
        at, each = waiting.pop()
        below: list[tuple[Any, OutlineNode]] = []
        if each.pairs is not None:
            below = [(pair.key, pair.value) for pair in each.pairs if pair.value is not None]
        elif each.items is not None:
            below = list(enumerate(each.items))
        else:
            yield at, each
        waiting += [((*at, key), value) for key, value in reversed(below)]
