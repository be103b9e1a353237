"""Places of a spec that a compiler's line and column mean: the entry, and the part of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from wrapper_gen.diagnostics import Span

OF_ROW = r"(?: \(for (?P<row>[^\n]*?)\))?"
"""Follows the spec's path where code stands there once for several rows of a `for` (`views/placement.py`)."""
COLUMNS = re.compile(r"\Acolumns (\d+) to (\d+)(?:, |\Z)")
"""Begins a row where several entries stand on the line."""
_DOC = re.compile(r"""\bdoc: *(?:"(?:\\.|[^"\\])*"|'[^']*'|[^,}]*)""")
"""What a `doc` between braces says."""
_LINE = re.compile(r'#line (\w+) ("(.*)"|\w+)')
_DEFINED = re.compile(r"^#define (WG_\w+) (\d+)$", re.MULTILINE)


def directive(text: str, lines: Mapping[str, int]) -> tuple[int, str | None] | None:
    """The line that a `#line` names, and the file: None for the spec. `lines` are those of `lines.hpp`."""
    found = _LINE.match(text)
    if found is None:
        return None
    return lines.get(found[1]) or int(found[1] if found[1].isdigit() else 0), found[3]


def lines_of(package: Path) -> Mapping[str, int]:
    """The lines of the spec by the macros for them; none where the package is not whole."""
    try:
        text = (package / "lines.hpp").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return {}
    return {name: int(line) for name, line in _DEFINED.findall(text)}


def compiled_code(bridge: Path) -> dict[tuple[int, str], set[str]]:
    """What was compiled for each line of the spec, and row: the compiler counts its columns there."""
    found: dict[tuple[int, str], set[str]] = {}
    number, row = 0, ""
    lines = lines_of(bridge.parent)
    with suppress(OSError):
        for text in bridge.read_text(encoding="utf-8").split("\n"):
            if place := directive(text, lines):
                number = 0 if place[1] == bridge.name else place[0]
                of_row = re.search(rf"{OF_ROW}\Z", place[1] or "")
                row = of_row["row"] or "" if of_row else ""
            elif number:
                found.setdefault((number, row), set()).add(text)
                number += 1
    return found


def place_in_code(spec: str, error: re.Match[str], row: str, code: set[str]) -> Span | None:
    """Where in the spec the compiler's column is: its line has the code as it is, or once the word that is blamed."""
    line, column = int(error["line"]), int(error["column"] or 1) - 1
    # Compilers count columns in different units where a line has tabs or more than ASCII.
    meant = {text for text in code if len(text) >= column and text.isascii() and "\t" not in text}
    if len(code) > 1:
        meant = {text for text in meant if f"'{_word(text[column:])}'" in error["what"]}
    line_text = entry_at(spec, line, row)
    found = {
        (line, line_text.index(text.strip()) + column - len(text) + len(text.lstrip()), _word(text[column:]))
        for text in meant
        if text.strip() and line_text.count(text.strip()) == 1
    }
    if not found:
        found = {
            (number, match.start(), match[0])
            for word in {_word(text[column:]) for text in meant} - {""}
            for number, text in _without_docs(_value_at(spec, line, row))
            for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text)
        }
    if len(found) != 1:
        return None
    number, start, word = found.pop()
    return Span(spec, number, start + 1, start + 1 + max(len(word), 1))


def _word(text: str) -> str:
    return match[0] if (match := re.match(r"\w+", text)) else text[:1]


def _value_at(spec: str, line: int, row: str) -> list[tuple[int, str]]:
    """The lines of a value that starts on this one: those below that are indented more belong to it."""
    lines = [(line, entry_at(spec, line, row))]
    if COLUMNS.match(row):
        return lines
    indent = len(lines[0][1]) - len(lines[0][1].lstrip())
    while (text := text_of(spec, line + len(lines))) and len(text) - len(text.lstrip()) > indent:
        lines.append((line + len(lines), text))
    return lines


def _without_docs(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """These lines without what `doc` says, of which the compiler means no word; columns stay."""
    found, key = [], -1
    for number, text in lines:
        is_below = 0 <= key < (len(text) - len(text.lstrip()) if text else key + 1)
        if not is_below:
            begins = re.match(r"\s*(?:- )?(?=doc:)", text)
            key = begins.end() if begins else -1
        said = "" if is_below or key >= 0 else _DOC.sub(lambda doc: " " * len(doc[0]), text)
        found.append((number, said))
    return found


def line_of(path: str, line: int, row: str = "") -> Span:
    """The whole line, or its entry with this row, where there are several: the compiler's columns are the bridge's."""
    text = text_of(path, line)
    if columns := COLUMNS.match(row):
        return Span(path, line, int(columns[1]), int(columns[2]) + 1)
    return Span(path, line, len(text) - len(text.lstrip()) + 1, len(text) + 1 if text else 0)


def entry_at(path: str, line: int, row: str) -> str:
    """The text of a line; of one with several entries, spaces in place of the others."""
    span = line_of(path, line, row)
    return " " * (span.column - 1) + text_of(path, line)[span.column - 1 : span.end_column - 1]


def text_of(path: str, line: int) -> str:
    """A line of a file; empty where there is none."""
    try:
        return Path(path).read_text(encoding="utf-8").split("\n")[line - 1].rstrip()
    except (OSError, ValueError, IndexError):
        return ""
