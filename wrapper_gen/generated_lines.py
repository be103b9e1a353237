"""Which lines of the spec generated code is of, for what a compiler says of that code and of no line of the spec."""

from __future__ import annotations

import re
from pathlib import Path

from wrapper_gen.entry_lines import OF_ROW, directive, lines_of

_TAGS = re.compile(r"\b(wg_callback_\w+)|\b(wg_struct_\w+::wg_field_\w+)")
"""What the bridge calls a callable, and a field of a struct."""
_CONTEXT = re.compile(r"^[^\n]*: In (?:instantiation|substitution|static member|member|function)", re.MULTILINE)
"""Where gcc starts to say what led to an error."""
_CAME_FROM = re.compile(
    r"(?:^|[\s/])(bridge\.cpp|cpython\.cpp):(\d+)(?::\d+)?:(?: note: .*requested here| +required from)"
)

_CALLED = re.compile(r"\bwg_do_(\w+)\(")
"""The function of an entry that a line of an engine calls."""


class GeneratedLines:
    """Which lines of the spec generated code is of, for what the compiler says of a header and of no line."""

    def __init__(self, package: Path, spec: str) -> None:
        self._package = package
        self._spec = rf"(?:[^\n\"]*/)?{re.escape(Path(spec).name)}"
        """As generated code names it."""

    def place_of(self, error: str, before: str, after: str) -> tuple[int, str]:
        """The line, and row, of the callable or the field that the words are of, or of the function; 0 for none."""
        contexts = list(_CONTEXT.finditer(before))
        words = "\n".join([error, after, before[contexts[-1].start() :] if contexts else ""])
        lines = self._lines_of_tags()
        for kind in (1, 2):
            for found in _TAGS.finditer(words):
                if found[kind] in lines:
                    return lines[found[kind]]
        for file, number in _CAME_FROM.findall(words):
            entry = re.compile(rf"// .*: {self._spec}:(\d+)$")
            above = self._text(file).split("\n")[: int(number)]
            if line := next((int(each[1]) for each in map(entry.match, reversed(above)) if each), 0):
                return line, ""
            called = _CALLED.search(above[-1])
            if called and (line := lines_of(self._package).get(f"WG_ENTRY_AT_{called[1]}", 0)):
                return line, ""
        return 0, ""

    def _lines_of_tags(self) -> dict[str, tuple[int, str]]:
        lines: dict[str, tuple[int, str]] = {}
        struct, open_ = "", list[str]()
        file, known = re.compile(rf"{self._spec}{OF_ROW}"), lines_of(self._package)
        for text in self._text("bridge.cpp").split("\n"):
            if start := re.match(r"struct (wg_struct_\w+) {", text):
                struct = start[1]
            elif start := re.match(r" +struct (wg_field_\w+) {", text):
                open_ = [f"{struct}::{start[1]}"]
            elif open_ and " using Type = " in text:
                open_ += re.findall(r"\bwg_callback_\w+", text)
            elif open_ and (place := directive(text, known)):
                of_row = file.fullmatch(place[1] or "")
                if place[1] is None or of_row:
                    lines.update(dict.fromkeys(open_, (place[0], (of_row and of_row["row"]) or "")))
                    open_ = []
        return lines

    def _text(self, file: str) -> str:
        try:
            return (self._package / file).read_text(encoding="utf-8")
        except (OSError, ValueError):
            return ""
