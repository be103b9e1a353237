"""A spec's text, and where its characters stand; knows files, encodings and lines, and nothing of YAML."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

from wrapper_gen import disk
from wrapper_gen.diagnostics import Diagnostic, Span, SpanOfRow, SpecError

MAX_BYTES = 16 * 1024 * 1024
"""The largest spec that is read; ten thousand functions take about 2 MiB."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
"""What YAML forbids: control characters, unpaired surrogates, U+FFFE and U+FFFF."""
_ODD_LINE_END = re.compile("[\x85\u2028\u2029]")
"""Line ends to YAML 1.1, to YAML 1.2 characters like any other."""


class _Nested:
    """Ranges of a text, of which one is within another or apart from it."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self._ranges = sorted(ranges, key=lambda each: (each[0], -each[1]))
        self._starts = [start for start, _ in self._ranges]
        self._around: list[int] = []  # for each range the one that it is within, or -1
        for i, (start, _) in enumerate(self._ranges):
            self._around.append(self._at(start, i - 1))

    def _at(self, offset: int, last: int) -> int:
        while last >= 0 and self._ranges[last][1] <= offset:
            last = self._around[last]
        return last

    def innermost(self, offset: int) -> tuple[int, int] | None:
        """The innermost range around this offset."""
        found = self._at(offset, bisect_right(self._starts, offset) - 1)
        return self._ranges[found] if found >= 0 else None


class SpecText:
    """The text of one spec, with the line and column of every offset."""

    def __init__(self, text: str, shown: str) -> None:
        self.text = text
        self.shown = shown
        self._beside: Mapping[int, _Nested] = {}

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def line_number(self, offset: int) -> int:
        """The line, from 1, on which this offset stands."""
        return bisect_right(self._line_starts, offset)

    def line_start(self, line: int) -> int:
        """The offset at which this line, from 1, starts; the end of the text when there is no such line."""
        return self._line_starts[line - 1] if line <= len(self._line_starts) else len(self.text)

    def line(self, number: int) -> str:
        """The text of this line, without its end."""
        return self.text[self.line_start(number) : self.line_start(number + 1)].rstrip("\r\n")

    def span(self, start: int, end: int = 0) -> Span:
        """The characters from `start` to `end` that stand on the first line, at least one."""
        starts = self._line_starts  # written out, since every value of a spec comes here
        line = bisect_right(starts, start)
        first = starts[line - 1]
        after = starts[line] if line < len(starts) else len(self.text)
        if end > after:
            end = first + len(self.text[first:after].rstrip())
        found = Span(self.shown, line, start - first + 1, max(end, start + 1) - first + 1)
        return self._of_entry(found, start) if line in self._beside else found

    def with_entries(self, entries: Iterable[tuple[int, int]]) -> None:
        """Let places say which entry they are of, on lines where several of these begin; each is a start and an end."""
        beginning: dict[int, set[tuple[int, int]]] = {}
        for entry in entries:
            beginning.setdefault(self.line_number(entry[0]), set()).add(entry)
        self._beside = {line: _Nested(each) for line, each in beginning.items() if len({s for s, _ in each}) > 1}

    def _of_entry(self, span: Span, start: int) -> Span:
        """The place with the columns of the innermost entry around it, which no line number tells."""
        around = self._beside[span.line].innermost(start)
        if around is None:
            return span
        first, last = around
        at = self.line_start(span.line)
        end = min(last, at + len(self.line(span.line)))
        return SpanOfRow.at(span, f"columns {first - at + 1} to {end - at}")


class SourceOfRow(SpecText):
    """The same text, read for one row of a `for`: its places say so."""

    def __init__(self, source: SpecText, row: str) -> None:
        super().__init__(source.text, source.shown)
        self._line_starts = source._line_starts
        self._beside = source._beside
        self._row = row

    def span(self, start: int, end: int = 0) -> Span:
        """The same place, for the row."""
        found = super().span(start, end)
        columns = SpanOfRow.row_of(found)
        return SpanOfRow.at(found, f"{columns}, {self._row}" if columns else self._row)


def read_source(path: Path, shown: str, text: str | None = None) -> SpecText:
    """Read a spec's text; `text` stands for what the file has, where an editor has changed it.

    Raises:
        SpecError: WG001 when it cannot be read, WG002 when it is not UTF-8, WG003 when it is over 16 MiB,
            WG004 when it holds characters that YAML forbids.
    """
    source = SpecText((_read_text(path, shown) if text is None else text).lstrip("\ufeff"), shown)
    text = source.text
    if forbidden := _CONTROL.search(text):
        message = f"character U+{ord(forbidden[0]):04X} is not allowed in YAML"
        hint = "remove it; inside double quotes it can be written as an escape"
        raise SpecError([Diagnostic("WG004", message, source.span(forbidden.start()), hint)])
    if odd := _ODD_LINE_END.search(text):
        message = f"character U+{ord(odd[0]):04X} does not mean the same to every reader of YAML"
        hint = f'remove it, or write it inside double quotes: "\\u{ord(odd[0]):04x}"'
        raise SpecError([Diagnostic("WG004", message, source.span(odd.start()), hint)])
    return source


def _read_text(path: Path, shown: str) -> str:
    raw = _read_bytes(path, shown)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SpecError([_not_utf8(raw, error.start, shown)]) from None


def _read_bytes(path: Path, shown: str) -> bytes:
    start = Span(shown, 1, 1)
    too_large = Diagnostic(
        "WG003",
        f"the spec is larger than {MAX_BYTES // 1024 // 1024} MiB",
        start,
        "is this the right file? a library this large is best split into several specs",
    )
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > MAX_BYTES:
                raise SpecError([too_large])
            raw = file.read(MAX_BYTES + 1)  # what is no regular file has no size until it is read
    except (OSError, ValueError) as error:
        raise SpecError([_unreadable(path, error, start)]) from None
    if len(raw) > MAX_BYTES:
        raise SpecError([too_large])
    return raw


def _unreadable(path: Path, error: OSError | ValueError, start: Span) -> Diagnostic:
    if isinstance(error, FileNotFoundError):
        return Diagnostic("WG001", "no such file", start, _near_files(path))
    if isinstance(error, IsADirectoryError):
        inside = _specs_in(path)
        hint = f"name a spec in it: {', '.join(inside[:5])}" if inside else "no .wrapper_spec file is in it"
        return Diagnostic("WG001", "this is a directory, not a spec", start, hint)
    if isinstance(error, PermissionError):
        return Diagnostic("WG001", "no permission to read this file", start, f"chmod u+r {path}")
    return Diagnostic("WG001", f"cannot read this file: {disk.why_not_read(error)}", start)


def _near_files(path: Path) -> str:
    if not path.parent.is_dir():
        return f"there is no directory {str(path.parent)!r} either"
    import difflib  # as in `did_you_mean`

    found = _specs_in(path.parent)
    near = difflib.get_close_matches(path.name, found, n=3, cutoff=0.6)
    if near:
        return f"did you mean {' or '.join(repr(str(path.with_name(name))) for name in near)}?"
    return f"specs there: {', '.join(found[:5])}" if found else "no .wrapper_spec file is there"


def _specs_in(directory: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in directory.iterdir() if entry.suffix == ".wrapper_spec")
    except OSError:
        return []


def _not_utf8(raw: bytes, bad: int, shown: str) -> Diagnostic:
    source = SpecText(raw[:bad].decode("utf-8").lstrip("\ufeff"), shown)
    hint = "save the file as UTF-8"
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return Diagnostic("WG002", "the spec looks like UTF-16, not UTF-8", Span(shown, 1, 1), hint)
    return Diagnostic("WG002", f"byte 0x{raw[bad]:02x} is not UTF-8", source.span(len(source.text)), hint)
