"""The text of a rewritten document: that of the file with what has changed, its comments and layout as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from wrapper_gen.spec.document import Document
from wrapper_gen.spec.former import scalars
from wrapper_gen.spec.former.layout import Item, Layout, Node
from wrapper_gen.spec.former.rewriter import Changes
from wrapper_gen.spec.yaml_scalars import plain_value

Edit = tuple[int, int, str]
"""Where a part of the text starts and ends, and what takes its place."""

MUTABLE = "&mut "
"""What YAML takes for an anchor of the list behind it."""
_MUTABLE_LIST = re.compile(r"&mut\s+\[")
_WIDEST = 100  # columns of a new mapping or list on one line


class CannotWrite(Exception):
    """What has changed cannot be told in the text."""


def rewritten(document: Document, changes: Changes) -> str:
    """The text of the document as it is now."""
    layout = Layout(document.source)
    writer = _Writer(document, changes, layout)
    edits = writer.edits()
    text = _applied(layout.text, 0, len(layout.text), edits)
    last = len(layout.text) - 1
    is_ended = document.source.text.endswith(("\n", "\r")) or any(end >= last for _, end, _ in edits)
    return text if is_ended else text.removesuffix("\n")


def rewritten_in_braces(document: Document, changes: Changes, starts: Iterable[int]) -> dict[int, Edit]:
    """The text of mappings that are on one line, in braces, before and after; by where each starts."""
    layout = Layout(document.source)
    try:
        edits = _Writer(document, changes, layout).edits()
        return dict(_on_one_line(layout, edits, set(starts)))
    except CannotWrite:
        return {}


def _on_one_line(layout: Layout, edits: Sequence[Edit], starts: set[int]) -> Iterator[tuple[int, Edit]]:
    for item in (*layout.items.values(), *layout.list_items.values()):
        start, end = item.value.start, item.value.end
        if start in starts and item.value.is_flow and layout.text[end - 1] == "}":
            inside = [edit for edit in edits if start < edit[0] and edit[1] < end]
            text = _applied(layout.text, start, end, inside)
            before = layout.text[start:end]  # of what moves elsewhere as a whole, the changes are not told here
            if text != before and "\n" not in before + text:
                yield start, (start, end, text)


def _applied(text: str, start: int, end: int, edits: Sequence[Edit]) -> str:
    """A part of a text with the changes in it."""
    made: list[str] = []
    at = start
    for first, last, new in sorted(edits, key=lambda edit: (edit[0], edit[1] > edit[0])):  # put in before taken away
        if not new and last <= end:  # two may take the same space away
            first, last = max(first, at), max(last, at)
        if first < at or last > end:
            raise CannotWrite
        made += [text[at:first], new]
        at = last
    return "".join([*made, text[at:end]])


def is_mutable(text: str, start: int) -> bool:
    """Whether the list that starts here is one of `&mut [T]`."""
    return _MUTABLE_LIST.match(text, start) is not None


class _Writer:
    def __init__(self, document: Document, changes: Changes, layout: Layout) -> None:
        self._data = document.data
        self._places = document.places
        self._changes = changes
        self._layout = layout
        self.moved: set[int] = set()
        """Where the keys start that stand elsewhere now."""
        self._carried: list[tuple[int, int]] = []
        """What stands elsewhere with its comments."""
        self._gone: list[tuple[int, int]] = []
        """What is not there any more; an alias of something in it is written out."""
        self._edits: list[Edit] = []

    def edits(self) -> list[Edit]:
        """All changes of the text."""
        for _ in range(2):  # an alias may stand before what takes its anchor away, and a key before it moves
            self._edits = []
            self._container(self._layout.root, self._data, 0)
        return self._edits

    def _edit(self, start: int, end: int, text: str) -> None:
        self._edits.append((start, end, text))

    def _comment_above(self, lead: int, text: str) -> None:
        """A comment in a line of its own, before the line that starts at `lead`."""
        self._edit(lead, lead, f"{self._layout.indentation(lead)}{text}{self._layout.newline}")

    def _drop(self, start: int, end: int, lead: int | None) -> None:
        """Take away a part of the text; its comments go above the line that starts at `lead`."""
        if lead is not None:
            for first, last in self._layout.comments_in(start, end):
                if not any(begun <= first < ended for begun, ended in self._carried):
                    self._comment_above(lead, self._layout.text[first:last].rstrip())
        self._gone.append((start, end))

    def _carry(self, start: int, end: int, lead: int | None) -> None:
        """What is from here to there stands elsewhere; its comments go above the line at `lead`, or are there, too."""
        self._within(start, end, lambda: self._drop(start, end, lead))
        self._carried.append((start, end))

    def _within(self, start: int, end: int, write: Callable[[], None]) -> None:
        """Write about a part of the text, as if it did not stand elsewhere as a whole."""
        around = [each for each in self._carried if each[0] <= start and end <= each[1]]
        self._carried = [each for each in self._carried if each not in around]
        write()
        self._carried += around

    # --- what is there ---

    def _container(self, node: Node, container: Any, lead: int) -> None:
        if isinstance(container, dict):
            _Mapping(self, node, container, lead).write()
            return
        for i, item in enumerate(node.items):
            self._value(item, container, i, lead if node.is_flow else self._layout.line_start(item.start))
        for i in range(len(node.items), len(container)):
            self._append(node, container, i, lead)

    def _append(self, node: Node, container: list[Any], i: int, lead: int) -> None:
        """Write an item of a list that stood in another one, or is made of what stood elsewhere."""
        layout = self._layout
        is_made = id(container[i]) in self._changes.made
        origin = None if is_made else layout.list_items.get(self._start(container, i))
        if node.is_flow:
            if origin is not None:
                self._carry(*layout.with_comments(origin), lead)
            comma = ", " if i else ""
            end = node.items[-1].end if node.items else node.end - 1
            self._edit(end, end, comma + self._flow(container, i))
            return
        last = node.items[-1]
        at, column = layout.end_of_lines(last), layout.column(last.start)
        if origin is None:
            self._edit(at, at, f"{' ' * column}- {self._flow(container, i)}{layout.newline}")
            return
        if origin.parent.is_flow or layout.is_shared(origin.value):
            self._carry(*layout.with_comments(origin), layout.line_start(last.start))
            self._edit(at, at, f"{' ' * column}- {self._flow(container, i)}{layout.newline}")
            return
        start, end = layout.with_comments(origin)
        text = self._inside(start, end, lambda: self._value(origin, container, i, layout.line_start(origin.start)))
        self._carry(start, end, None)
        by = column - layout.column(origin.start)
        self._edit(at, at, _shifted(text, by, first=True))

    def _start(self, container: Any, key: str | int) -> int:
        """Where a value starts."""
        value = container[key]
        entries: Any = self._places[id(container)][1]
        start: int = self._places[id(value)][2] if isinstance(value, dict | list) else entries[key][2]
        return start

    def _inside(self, start: int, end: int, write: Callable[[], None]) -> str:
        """A part of the text with the changes that `write` makes in it."""
        outer, self._edits = self._edits, []
        self._within(start, end, write)
        edits, self._edits = self._edits, outer
        inside = [edit for edit in edits if start < edit[1] <= end and edit[0] >= start]
        self._edits += [edit for edit in edits if edit not in inside]
        return _applied(self._layout.text, start, end, inside)

    def _value(self, item: Item, container: Any, key: str | int, lead: int) -> None:
        """Write what has become of a value whose key is where it was."""
        value, node = container[key], item.value
        named = node.target if node.target is not None else node
        if isinstance(value, dict | list):
            is_same = id(value) not in self._changes.made and named.is_container
            if is_same and named.start == self._places[id(value)][2]:
                if node.kind != "alias":
                    self._container(node, value, lead)
                elif self._is_gone(named) or self._changes.copies.get(id(value), value) != value:
                    self._edit(node.start, node.end, self._flow(container, key))
                return
        elif named.kind == "scalar" and _is_text_of(named, value, self._raw(container, key)):
            if node.kind == "alias" and self._is_gone(named):
                self._edit(node.start, node.end, self._flow(container, key))
            return
        self._replaced(item, container, key, lead)

    def _raw(self, container: Any, key: str | int) -> str | None:
        entries: Any = self._places[id(container)][1]
        raw: str | None = entries[key][5]
        return raw

    def _is_gone(self, node: Node) -> bool:
        return any(start <= node.start < end for start, end in self._gone)

    def _replaced(self, item: Item, container: Any, key: str | int, lead: int) -> None:
        node, parent = item.value, item.parent
        start, end = node.start, node.end
        if not parent.is_flow and item.key is not None and node.is_container and not node.is_flow:
            start = self._layout.text.index(":", item.key.end) + 1
        trailing = ""
        if node.style in ("|", ">"):
            for first, last in self._layout.comments_in(start, end):
                trailing += "  " + self._layout.text[first:last].rstrip()
            self._drop(start, end, None)
        else:
            self._drop(start, end, lead)
        if parent.is_flow:
            text = " " + self._flow(container, key, node)
        else:
            text = self._block_value(container, key, self._layout.column(item.start), node)
        if self._layout.text[start - 1] in " \t\r\n" or (parent.is_flow and item.key is None):
            text = text.removeprefix(" ")
        elif item.key is not None and ":" not in self._layout.text[item.key.end : start]:
            text = ":" + text
        while text.startswith(self._layout.newline) and self._layout.text[start - 1] == " ":
            start -= 1
        head, newline, rest = text.partition(self._layout.newline)
        if newline and not trailing:
            line_end = self._layout.line_end(end)
            trailing = self._layout.text[end:line_end]
            end = line_end
        self._edit(start, end, head + trailing + newline + rest)

    def _flow(self, container: Any, key: str | int, node: Node | None = None) -> str:
        """A value on one line, as it is written, for braces; a scalar in the quotes of the `node` that it replaces."""
        value = container[key]
        if isinstance(value, dict):
            parts = [f"{scalars.scalar(name, is_flow=True)}: {self._flow(value, name)}" for name in value]
            return "{" + ", ".join(parts) + "}"
        if isinstance(value, list):
            return self._mutable(value) + "[" + ", ".join(self._flow(value, i) for i in range(len(value))) + "]"
        return self._scalar(container, key, node, is_flow=True)

    def _scalar(self, container: Any, key: str | int, node: Node | None, *, is_flow: bool) -> str:
        value = container[key]
        if not isinstance(value, str):
            return self._raw(container, key) or scalars.written(value)
        return scalars.scalar(value, is_flow=is_flow, style=node.style if node is not None else "")

    def _mutable(self, value: Any) -> str:
        """What stands before the list of `&mut [f64]`, which is an anchor to YAML."""
        start = self._places[id(value)][2]
        return MUTABLE if is_mutable(self._layout.text, start) and id(value) not in self._changes.made else ""

    def _block_value(self, container: Any, key: str | int, column: int, node: Node | None = None) -> str:
        """What follows a key in block style that starts in this column."""
        value = container[key]
        newline, indent = self._layout.newline, " " * (column + 2)
        if isinstance(value, str) and "\n" in value:
            found = scalars.literal(value, indent, newline)
            if found is not None:
                return " " + found
        if not isinstance(value, dict | list):
            return " " + self._scalar(container, key, node, is_flow=False)
        text = self._flow(container, key)
        if not value or (column + len(text) <= _WIDEST and "\\n" not in text) or text.startswith(MUTABLE):
            return " " + text
        if isinstance(value, dict):
            lines = [
                scalars.scalar(name, is_flow=False) + ":" + self._block_value(value, name, column + 2) for name in value
            ]
        else:
            lines = ["-" + self._list_item(value, i, column + 2) for i in range(len(value))]
        return "".join(f"{newline}{indent}{line}" for line in lines)

    def _list_item(self, container: list[Any], i: int, column: int) -> str:
        """What follows a dash."""
        if isinstance(container[i], dict | list):
            return " " + self._flow(container, i)
        return self._block_value(container, i, column)

    # --- what is new here ---

    def item_text(self, container: dict[str, Any], key: str, origin: Item | None, column: int | None, lead: int) -> str:
        """A key and its value: in flow style where there is no `column`, in which it starts otherwise.

        Args:
            container: the mapping that has it.
            key: the key.
            origin: where it stood; None where it is new.
            column: of the key in block style.
            lead: where the line starts above which comments can stand that cannot stand in it.
        """
        value = container[key]
        name = scalars.scalar(key, is_flow=column is None)
        if origin is not None and origin.key is not None:
            self.moved.add(origin.key.start)
        if origin is not None and self._can_copy(origin, value, column):
            return self._copied(container, key, origin, column, lead)
        if origin is not None:
            end = origin.end if origin.parent.is_flow else self._layout.end_of_lines(origin)
            self._carry(origin.start, end, lead)
        if column is None:
            return f"{name}: {self._flow(container, key)}"
        return name + ":" + self._block_value(container, key, column, origin.value if origin is not None else None)

    def _can_copy(self, origin: Item, value: object, column: int | None) -> bool:
        """Whether the text of something that moves can stand at its new place."""
        node = origin.value
        if self._layout.is_shared(node):  # an anchor could come after its alias
            return False
        if column is not None:
            return True
        return node.is_container and node.is_flow and isinstance(value, dict | list)

    def _copied(self, container: dict[str, Any], key: str, origin: Item, column: int | None, lead: int) -> str:
        assert origin.key is not None

        def write() -> None:
            self._key(origin, key)
            self._value(origin, container, key, lead)

        start = origin.key.start
        whole = origin.end if origin.parent.is_flow else self._layout.end_of_lines(origin)
        end = origin.end if column is None else whole
        text = self._inside(start, end, write)
        self._carry(start, end, None)
        if end != whole:
            self._carry(end, whole, lead)
        text = text.rstrip(" \t") if end == origin.end else text.removesuffix("\n").removesuffix("\r")
        return _shifted(text, 0 if column is None else column - self._layout.column(origin.start))

    def _key(self, item: Item, key: str) -> None:
        node = item.key
        assert node is not None
        named = node.target or node
        if named.text != key:
            text = scalars.scalar(key, is_flow=item.parent.is_flow, style=node.style)
            self._edit(node.start, node.end, text)


class _Mapping:
    """A mapping of the text, and what has become of it."""

    def __init__(self, writer: _Writer, node: Node, container: dict[str, Any], lead: int) -> None:
        self._writer = writer
        self._layout = writer._layout
        self._node = node
        self._container = container
        self._lead = lead
        self._written = writer._changes.written
        self._here: dict[str, Item] = {}
        by_start = {item.key.start: item for item in node.items if item.key is not None}
        entries: Any = writer._places[id(container)][1]
        for key in container:
            if (id(container), key) not in self._written:
                if entries[key][0] not in by_start:
                    raise CannotWrite
                self._here[key] = by_start[entries[key][0]]
        self._kept = {id(item) for item in self._here.values()}

    def write(self) -> None:
        for key, item in self._here.items():
            lead = self._lead_of(item)
            if (id(self._container), key) in self._writer._changes.comments:
                self._comment(key, lead)
            self._writer._key(item, key)
            self._writer._value(item, self._container, key, lead)
        if len(self._here) == len(self._container) and len(self._here) == len(self._node.items):
            return
        if not self._here:
            self._write_all_anew()
            return
        if self._node.is_flow and not self._has_braces():
            raise CannotWrite
        self._remove_from_flow() if self._node.is_flow else self._remove_from_block()
        before: Item | None = None
        for key in self._container:
            if key in self._here:
                before = self._here[key]
            else:
                self._insert(key, before)

    def _lead_of(self, item: Item) -> int:
        """Where the line starts above which comments about an item stand."""
        if self._node.is_flow:
            return self._lead
        first = self._node.items[0]
        takes_its_place = id(first) not in self._kept and self._here and item is self._first()
        return self._layout.line_start((first if takes_its_place else item).start)

    def _comment(self, key: str, lead: int) -> None:
        said = " ".join(self._writer._changes.comments[id(self._container), key].split())
        self._writer._comment_above(lead, f"# {said}")

    def _has_braces(self) -> bool:
        return self._layout.text[self._node.end - 1] == "}"

    def _text_of(self, key: str, column: int | None, lead: int) -> str:
        """A key that was not here, with its value."""
        place = self._written[id(self._container), key]
        origin = self._layout.items.get(place[0]) if place is not None else None
        if (id(self._container), key) in self._writer._changes.comments:
            self._comment(key, lead)
        return self._writer.item_text(self._container, key, origin, column, lead)

    # --- what is new ---

    def _insert(self, key: str, before: Item | None) -> None:
        writer, layout = self._writer, self._layout
        if self._node.is_flow:
            text = self._text_of(key, None, self._lead)
            if before is None:
                writer._edit(self._first().start, self._first().start, f"{text}, ")
            else:
                gap = " " if layout.text[before.end - 1] == ":" else ""
                writer._edit(before.end, before.end, f"{gap}, {text}")
            return
        column = layout.column(self._node.items[0].start)
        if before is None:
            first = self._node.items[0].start
            text = self._text_of(key, column, layout.line_start(first))
            if layout.begins_line(first):
                first = layout.line_start(first)
                writer._edit(first, first, f"{' ' * column}{text}{layout.newline}")
            else:
                writer._edit(first, first, f"{text}{layout.newline}{' ' * column}")
            return
        text = self._text_of(key, column, self._lead_of(before))
        after = layout.end_of_lines(before)
        writer._edit(after, after, f"{' ' * column}{text}{layout.newline}")

    def _first(self) -> Item:
        """The first item that stays."""
        return next(item for item in self._node.items if id(item) in self._kept)

    def _write_all_anew(self) -> None:
        """Nothing stays of what was here."""
        layout, items = self._layout, self._node.items
        if not items:
            inside = ", ".join(self._text_of(key, None, self._lead) for key in self._container)
            self._writer._edit(self._node.end - 1, self._node.end - 1, inside)
            return
        start, end = items[0].start, items[-1].end
        lead = self._lead_of(items[0])
        if self._node.is_flow:
            comma = self._comma(items[-1])
            end = end if comma is None else comma + 1
            inside = ", ".join(self._text_of(key, None, lead) for key in self._container)
            inside = inside if self._has_braces() else "{" + inside + "}"
        else:
            end = layout.line_end(layout.end_of_lines(items[-1]) - 1 if self._is_moved(items[-1]) else end)
            column = layout.column(start)
            between = f"{layout.newline}{' ' * column}"
            inside = between.join(self._text_of(key, column, lead) for key in self._container) or "{}"
        self._writer._drop(start, end, lead)
        self._writer._edit(start, end, inside)

    # --- what is gone ---

    def _gone(self) -> Iterator[tuple[int, Item]]:
        for i, item in enumerate(self._node.items):
            if id(item) not in self._kept:
                yield i, item

    def _is_moved(self, item: Item) -> bool:
        """Whether its text stands elsewhere now."""
        return item.key is not None and item.key.start in self._writer.moved

    def _remove_from_block(self) -> None:
        layout, items = self._layout, self._node.items
        first = items[0].start
        if not layout.begins_line(first) and id(items[0]) not in self._kept:  # the next one stands behind the dash now
            next_kept = self._first().start
            self._writer._drop(first, next_kept, layout.line_start(first))
            self._writer._edit(first, next_kept, "")
            first = next_kept
        for _, item in self._gone():
            if item.start >= first:
                moved = self._is_moved(item)
                start = layout.line_start(item.start)
                end = layout.end_of_lines(item) if moved else layout.next_line(item.end)
                self._writer._drop(start, end, start)
                self._writer._edit(start, end, "")

    def _remove_from_flow(self) -> None:
        layout, items = self._layout, self._node.items
        last_kept = max(i for i, item in enumerate(items) if id(item) in self._kept)
        rest = len(items)
        comma = self._comma(items[last_kept])
        if last_kept + 1 < len(items) and comma is not None and self._comma(items[-1]) is None:
            end = items[-1].end
            if not layout.comments_in(comma, end):
                rest = last_kept + 1
                self._writer._drop(comma, end, None)
                self._writer._edit(comma, end, "")
        for i, item in self._gone():
            if i < rest:
                start, end = self._part(item)
                self._writer._drop(start, end, self._lead)
                self._writer._edit(start, end, "")

    def _comma(self, item: Item) -> int | None:
        """Where the comma behind an item stands."""
        text, at = self._layout.text, item.end
        while at < self._node.end:
            if text[at] == ",":
                return at
            if text[at] == "#":
                at = self._layout.line_end(at)
            elif text[at] not in " \t\r\n":
                return None
            at += 1
        return None

    def _part(self, item: Item) -> tuple[int, int]:
        """What goes with an item in braces: its comma, and the space or the line that nothing is on any more."""
        layout, text = self._layout, self._layout.text
        comma = self._comma(item)
        start, end = item.start, item.end if comma is None else comma + 1
        rest = text[end : layout.line_end(end)]
        is_followed = rest.strip(" \t") and not rest.lstrip(" \t").startswith("#")
        if is_followed:
            return start, end + len(rest) - len(rest.lstrip(" \t"))
        if not rest.strip(" \t") and layout.begins_line(start):
            return layout.line_start(start), layout.next_line(end)
        before = text[layout.line_start(start) : start]
        return start - (len(before) - len(before.rstrip(" \t"))), end


def _is_text_of(node: Node, value: object, raw: str | None) -> bool:
    """Whether a scalar of the text says this value."""
    if isinstance(value, str):
        return node.text == value and (bool(node.style) or _reads_as_text(node))
    return not node.style and node.text == raw


def _reads_as_text(node: Node) -> bool:
    try:
        return isinstance(plain_value(node.text), str)
    except ValueError:
        return True


def _shifted(text: str, by: int, *, first: bool = False) -> str:
    """Text whose lines, the first one only if that is said, go right, or left where `by` is negative."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if line.strip() and (i or first):
            lines[i] = " " * by + line if by >= 0 else line[min(-by, len(line) - len(line.lstrip(" "))) :]
    return "\n".join(lines)
