"""Which comment of a header belongs to which declaration."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from wrapper_gen.headers.declarations import Doc

_TOKEN = re.compile(
    rb'/\*.*?\*/|//(?:[^\n\\]|\\.)*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'',
    re.DOTALL,
)
_BEFORE = re.compile(rb"[\w\s():,\"\[\]]*(?:#[ \t]*define\b[ \t]*)?")  # macros and attributes that begin a declaration
_AFTER = re.compile(rb"[;,]?[ \t]*\n?[ \t]*")
_EMPTY_LINE = re.compile(rb"[ \t\r]*(?:\n[ \t\r]*(?:\n|#|\Z)|\Z)")
_BANNER = re.compile(r"[-=*_~#/+<>]{4,}")
_GROUP = re.compile(rb"[\\@](?:file|name|defgroup|addtogroup|page|mainpage|\{|\})|copyright|SPDX-", re.IGNORECASE)
"""What begins or ends something else than one declaration."""
_CODE = re.compile(r"#\s*(?:undef|define|include|if|ifdef|ifndef|else|endif|pragma)\b")
_FOR_TOOLS = re.compile(r"clang-format o(?:n|ff)|NOLINT\w*|[A-Z_]+_H_*")


class Comments:
    """The comments of one file, by the place of what they are about."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._spans = spans(text)
        self._starts = [start for start, _ in self._spans]
        self._ends = [end for _, end in self._spans]
        self._taken: set[int] = set()

    def of(self, start: int, end: int, *, is_statement: bool = True, is_class: bool = False) -> str:
        """The comment of what stands from `start` to `end` (offsets in bytes); empty where it has none.

        It stands before it, or after it, and no empty line is between them. One that begins on the line on which
        the declaration ends belongs to that, whatever follows. A statement ends with its semicolon: clang says less
        where a macro makes its end. A class has the comment for documentation that stands before it also with one empty
        line between them, as in doxygen; one that stands after a declaration is about what follows, but for `/**<`.
        """
        if is_statement:
            end = self._end_of_statement(end)
        beside = self._after(end, same_line=True)
        before = self._before(start)
        before = self._above(start) if before is None and is_class else before
        if beside is not None and (before is None or not self._is_doc(before)):
            return self._words(beside)
        if before is not None:
            return self._words(before)
        after = self._after(end, same_line=False)
        is_about_next = after is not None and self._is_doc(after) and not self._is_of_before(after)
        return "" if after is None or is_about_next or not self._ends_paragraph(after) else self._words(after)

    def _ends_paragraph(self, at: int) -> bool:
        """Whether an empty line, or nothing, follows a comment: else it is about what does."""
        return _EMPTY_LINE.match(self._text, self._ends[at]) is not None

    def joins(self, end: int, start: int) -> bool:
        """Whether what ends at `end` and what begins at `start` stand together: no empty line, and no comment."""
        between = self._text[end:start]
        return start > end and not re.search(rb"\n[ \t\r]*\n|/\*|//|[{}#]", between)

    def _end_of_statement(self, end: int) -> int:
        at = self._text.find(b";", end - 1)
        return end if at < 0 or re.search(rb"[{}]", self._text[end:at]) else at + 1

    def _before(self, start: int) -> int | None:
        at = bisect_right(self._ends, start) - 1
        if at < 0:
            return None
        between = self._text[self._ends[at] : start]
        is_near = not re.search(rb"\n[ \t\r]*\n", between) and _BEFORE.fullmatch(between)
        return at if is_near and not self._is_beside(at) else None

    def _above(self, start: int) -> int | None:
        """A comment for documentation above one empty line, that is of no group, file or declaration before it."""
        at = bisect_right(self._ends, start) - 1
        if at < 0 or not self._is_doc(at) or self._is_of_before(at) or self._is_beside(at):
            return None
        own, between = self._text[self._starts[at] : self._ends[at]], self._text[self._ends[at] : start]
        is_near = re.fullmatch(rb"[ \t\r]*\n[ \t\r]*\n[\w():,\"\[\] \t]*", between)
        return at if is_near and not _GROUP.search(own) else None

    def _is_of_before(self, at: int) -> bool:
        """Whether a comment says that it is about what stands before it: `/**<`, `///<`."""
        return self._text[self._starts[at] + 3 : self._starts[at] + 4] == b"<"

    def _is_beside(self, at: int) -> bool:
        """Whether a comment stands at the end of a line of code, which it is about."""
        start = self._starts[at]
        line = self._text[self._text.rfind(b"\n", 0, start) + 1 : start]
        return bool(line.strip()) and not line.strip().endswith((b"{", b"*/"))

    def _after(self, end: int, *, same_line: bool) -> int | None:
        found = _AFTER.match(self._text, end)
        start = found.end() if found else end
        at = bisect_left(self._starts, start)
        if at == len(self._starts) or self._starts[at] != start:
            return None
        is_on_line = b"\n" not in self._text[end:start]
        return at if is_on_line == same_line else None

    def _is_doc(self, at: int) -> bool:
        start = self._starts[at]
        return self._text[start : start + 3] in (b"/**", b"///", b"/*!", b"//!")

    def _words(self, at: int) -> str:
        start, end = self._spans[at]
        return plain(self._text[start:end].decode("utf-8", "replace"))


def spans(text: bytes) -> list[tuple[int, int]]:
    """Where comments are; lines of `//` that follow each other, and begin their lines, are one."""
    found: list[tuple[int, int]] = []
    for each in _TOKEN.finditer(text):
        start, end = each.span()
        if text[start : start + 1] != b"/":
            continue
        if found and text[start : start + 2] == b"//" and _continues(text, found[-1], start):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _continues(text: bytes, last: tuple[int, int], start: int) -> bool:
    between = text[last[1] : start]
    return text[last[0] : last[0] + 2] == b"//" and not between.strip() and between.count(b"\n") == 1


def plain(comment: str) -> str:
    """The words of a comment, without its markers and rules; the paragraphs are kept."""
    if comment.startswith("/*"):
        lines = re.sub(r"^/\*[*!<]*|\*+/$", "", comment).splitlines()
        lines = [re.sub(r"^\s*\*+(?!/)[ \t]?|^[ \t]+", "", line) for line in lines]
    else:
        lines = [re.sub(r"^\s*//[/!<]*[ \t]?", "", line) for line in comment.splitlines()]
    lines = [line.rstrip() for line in lines if not _BANNER.fullmatch(line.strip())]
    lines = [line for line in lines if not _FOR_TOOLS.fullmatch(line.strip())]
    text = "\n".join(lines).strip()
    return "" if _CODE.match(text) else text


def shared(docs: Sequence[tuple[int, int, str]], comments: Comments) -> list[Doc]:
    """The comments of declarations that stand in this order, of groups too: `(start, end, its own comment)`.

    Of declarations without an empty line between them the first has the comment of those that have none, or the last.
    """
    found = [Doc(text) for _, _, text in docs]
    joined = [comments.joins(docs[at][1], docs[at + 1][0]) for at in range(len(docs) - 1)]
    for at, is_joined in enumerate(joined):
        if is_joined and found[at] and not found[at + 1]:
            found[at + 1] = Doc(found[at].text, of_group=True)
    for at in range(len(joined) - 1, -1, -1):
        if joined[at] and found[at + 1] and not found[at + 1].of_group and not found[at]:
            found[at] = Doc(found[at + 1].text, of_group=True)
    return found
