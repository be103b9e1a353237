"""A spec's text as it is laid out: its nodes, with aliases as such, and its comments; only rewriting the text asks."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import yaml

from wrapper_gen.spec.source import SpecText
from wrapper_gen.spec.yaml_reader import events_of

_COMMENT = re.compile(r"#[^\r\n]*")
_COMMENT_OF_HEADER = re.compile(r"(?:[&!]\S*[ \t]+)*[|>][-+0-9]*[ \t]+(#[^\r\n]*)")
_KEPT = re.compile(r"(?:[&!]\S*\s+|#[^\r\n]*\s*)*[|>][-0-9]*\+")
_CLIPPED = re.compile(r"(?:[&!]\S*\s+)*[|>](?![0-9]*[-+])")
_BEFORE_DASH = re.compile(r"(?:\s|#[^\r\n]*|[&!]\S*)*")
_LINE_END = re.compile(r"\r\n|\r|\n")


class Node:
    """A scalar, an alias or a container of the text.

    Its end is that of what is written: a block scalar's blank lines do not belong to it unless they are a part of its
    value.
    """

    __slots__ = ("anchor", "end", "is_flow", "items", "kind", "start", "style", "target", "text")

    def __init__(self, kind: str, start: int, end: int) -> None:
        self.kind = kind
        """scalar, alias, map or list."""
        self.start = start
        self.end = end
        self.style = ""
        self.text = ""
        self.is_flow = False
        self.anchor: str | None = None
        self.target: Node | None = None
        """What an alias names."""
        self.items: list[Item] = []

    @property
    def is_container(self) -> bool:
        return self.kind in ("map", "list")


class Item:
    """A key with its value, or an item of a list, which has no key."""

    __slots__ = ("key", "parent", "start", "value")

    def __init__(self, parent: Node, key: Node | None, value: Node, start: int) -> None:
        self.parent = parent
        self.key = key
        self.value = value
        self.start = start
        """Where its key starts, or the `?` before it; of a list in block style, its dash."""

    @property
    def end(self) -> int:
        return self.value.end


class Layout:
    """The nodes of one text."""

    def __init__(self, source: SpecText) -> None:
        self.root, self._scalars = _nodes(source)
        last = self._scalars[-1] if self._scalars else None
        header = _CLIPPED.match(source.text, last.start) if last is not None and last.style in ("|", ">") else None
        if header is not None and not source.text.endswith(("\n", "\r")):  # its value ends without a line end, too
            source = SpecText(f"{source.text[: header.end()]}-{source.text[header.end() :]}", source.shown)
            self.root, self._scalars = _nodes(source)
        self.text = source.text if source.text.endswith(("\n", "\r")) else source.text + "\n"
        """With an end of its last line, so that lines can follow it."""
        self.items = {item.key.start: item for item in _items(self.root) if item.key is not None}
        """By the start of the key."""
        self.list_items = {item.value.start: item for item in _items(self.root) if item.key is None}
        """Of lists, by the start of the value."""
        self.comments = list(self._comments())
        """The start and end of each."""
        self._aliased = {id(node.target) for node in self._scalars if node.target is not None}
        found = _LINE_END.search(source.text)
        self.newline = found[0] if found else "\n"

    def _comments(self) -> Iterator[tuple[int, int]]:
        at = 0
        for node in self._scalars:
            yield from self._between(at, node.start)
            header = _COMMENT_OF_HEADER.match(self.text, node.start) if node.style in ("|", ">") else None
            if header is not None:
                yield header.span(1)
            at = max(at, node.end)
        yield from self._between(at, len(self.text))

    def _between(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        yield from (found.span() for found in _COMMENT.finditer(self.text, start, max(start, end)))

    def comments_in(self, start: int, end: int) -> list[tuple[int, int]]:
        """The comments that start from one place to another."""
        first = bisect_left(self.comments, (start, 0))
        return self.comments[first : bisect_left(self.comments, (end, 0))]

    def line_start(self, at: int) -> int:
        return max(self.text.rfind("\n", 0, at), self.text.rfind("\r", 0, at)) + 1

    def line_end(self, at: int) -> int:
        """Where this line ends, before what ends it."""
        found = _LINE_END.search(self.text, at)
        return found.start() if found else len(self.text)

    def next_line(self, at: int) -> int:
        found = _LINE_END.search(self.text, at)
        return found.end() if found else len(self.text)

    def end_of_lines(self, item: Item) -> int:
        """Where the lines of a key in block style end: a comment that is further to the right belongs to it."""
        at, column = self.next_line(item.end), self.column(item.start)
        while at < len(self.text):
            comments = self.comments_in(at, self.line_end(at))
            if not comments or not self.begins_line(comments[0][0]) or self.column(comments[0][0]) <= column:
                break
            at = self.next_line(at)
        return at

    def is_shared(self, node: Node) -> bool:
        """Whether an alias is in it, or something that an alias names."""
        waiting = [node]
        while waiting:
            each = waiting.pop()
            if each.target is not None or id(each) in self._aliased:
                return True
            for item in each.items:
                waiting += [item.value] if item.key is None else [item.key, item.value]
        return False

    def with_comments(self, item: Item) -> tuple[int, int]:
        """Where an item of a list starts and ends, with the lines before it that have nothing but comments."""
        if item.parent.is_flow:
            return item.start, item.end
        start, siblings = self.line_start(item.start), item.parent.items
        before_it = next((one for one, other in pairwise(siblings) if other is item), None)
        first = self.end_of_lines(before_it) if before_it is not None else 0
        while start > first:
            before = self.line_start(start - 1)
            line = self.text[before:start].strip()
            if line and not line.startswith("#"):
                break
            start = before
        return start, self.end_of_lines(item)

    def column(self, at: int) -> int:
        return at - self.line_start(at)

    def begins_line(self, at: int) -> bool:
        return not self.text[self.line_start(at) : at].strip(" ")

    def indentation(self, at: int) -> str:
        """The spaces at the start of this line."""
        start = self.line_start(at)
        line = self.text[start : self.line_end(start)]
        return line[: len(line) - len(line.lstrip(" "))]


def _items(root: Node) -> Iterator[Item]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        for item in node.items:
            yield item
            if item.value.is_container:
                waiting.append(item.value)


def _nodes(source: SpecText) -> tuple[Node, list[Node]]:
    """The root of a text that can be read, and all scalars and aliases in order."""
    builder = _Builder(source.text)
    for event in events_of(source):
        builder.add(event)
    assert builder.root is not None
    return builder.root, builder.scalars


class _Builder:
    def __init__(self, text: str) -> None:
        self.root: Node | None = None
        self.scalars: list[Node] = []
        self._text = text
        self._open: list[Node] = []
        self._keys: list[Node | None] = []
        """Of each open container, the key that waits for its value."""
        self._anchors: dict[str, Node] = {}
        self._end = 0

    def add(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        if isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            self._scalar(event, start, end)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            node = Node("map" if isinstance(event, yaml.MappingStartEvent) else "list", start, end)
            node.is_flow = bool(event.flow_style)
            self._anchored(node, event.anchor)
            self._open.append(node)
            self._keys.append(None)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            node = self._open.pop()
            self._keys.pop()
            self._end = end if node.is_flow else self._end
            node.end = self._end
            self._put(node)

    def _scalar(self, event: Any, start: int, end: int) -> None:
        node = Node("alias" if isinstance(event, yaml.AliasEvent) else "scalar", start, end)
        if node.kind == "alias":
            node.target = self._anchors[event.anchor]
        else:
            node.text, node.style = event.value, event.style or ""
            if node.style in ("|", ">"):
                node.end = self._end_of_block(start, end)
            self._anchored(node, event.anchor)
        self._end = node.end
        self.scalars.append(node)
        if self._open and self._open[-1].kind == "map" and self._keys[-1] is None:
            self._keys[-1] = node
        else:
            self._put(node)

    def _dash(self, parent: Node) -> int:
        """Where the dash of the next item of a list stands."""
        before = _BEFORE_DASH.match(self._text, parent.items[-1].value.end if parent.items else parent.start)
        assert before is not None
        return before.end()

    def _end_of_block(self, start: int, end: int) -> int:
        """Where a block scalar's last line ends."""
        written = self._text[start:end]
        if _KEPT.match(written):
            return end - (2 if written.endswith("\r\n") else written.endswith(("\n", "\r")))
        return start + len(written.rstrip())

    def _anchored(self, node: Node, anchor: str | None) -> None:
        if anchor is not None:
            node.anchor = anchor
            self._anchors[anchor] = node

    def _put(self, node: Node) -> None:
        if not self._open:
            self.root = node
            return
        parent, key = self._open[-1], self._keys[-1]
        self._keys[-1] = None
        if key is None:
            parent.items.append(Item(parent, None, node, node.start if parent.is_flow else self._dash(parent)))
            return
        before = self._text[max(0, key.start - 2) : key.start]
        asked = before.rstrip(" ")
        start = key.start - (len(before) - len(asked) + 1) if asked.endswith("?") else key.start
        parent.items.append(Item(parent, key, node, start))
