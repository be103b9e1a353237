"""Diagnostics as text with code frames, JSON and SARIF; returns it and prints nothing."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache

from wrapper_gen.diagnostics import RULES, Diagnostic, Fix, Span, first_of
from wrapper_gen.frozen import frozen

Source = Callable[[str], str | None]
"""The text of a file by the path that spans show; None when there is none to show."""

Paint = Callable[[str, str], str]
"""(text, role) → the text in that role's colour; roles: error, warning, note, place, hint, gutter."""

_WIDTH = 100  # columns of a source line that a frame shows
_TAB = 4
_LINE_ENDS = re.compile("\r\n|[\n\r\x85\u2028\u2029]")  # what YAML counts as the end of a line


def plain(text: str, _role: str) -> str:
    """No colours."""
    return text


def as_text(diagnostics: Sequence[Diagnostic], source: Source, paint: Paint = plain) -> str:
    """One block a diagnostic: `path:line:col: error: message [WG012]`, its frame, related places, the hint."""
    shown, more = first_of(diagnostics)
    lines = cache(lambda path: _LINE_ENDS.split(source(path) or ""))
    blocks = [_block(diagnostic, lines, paint) for diagnostic in shown]
    return "".join(blocks) + (f"and {more:,} more\n" if more else "")


def as_json(diagnostics: Sequence[Diagnostic], output: str = "") -> str:
    """One object: `diagnostics`, and with them the compiler's `output` if there is any."""
    shown, more = first_of(diagnostics)
    document: dict[str, object] = {"diagnostics": [_json(diagnostic) for diagnostic in shown]}
    if more:
        document["more"] = more
    if output:
        document["output"] = output
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def as_sarif(diagnostics: Sequence[Diagnostic], version: str) -> str:
    """A SARIF 2.1.0 log with one run, for code-scanning services and editors."""
    shown, more = first_of(diagnostics)
    codes = sorted({diagnostic.code for diagnostic in shown})
    rules = [{"id": code, "shortDescription": {"text": RULES[code]}} for code in codes]
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "wrapper-gen", "version": version, "rules": rules}},
                "columnKind": "unicodeCodePoints",
                "results": [_result(diagnostic, codes) for diagnostic in shown],
                **({"properties": {"more": more}} if more else {}),
            }
        ],
    }
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


# --- text ------------------------------------------------------------------------------------------------------------


_Lines = Callable[[str], list[str]]


def _block(diagnostic: Diagnostic, source: _Lines, paint: Paint) -> str:
    kind = diagnostic.severity.value
    head = f"{paint(f'{diagnostic.span}:', 'place')} {paint(f'{kind}:', kind)}"
    parts = [
        f"{head} {_printable(diagnostic.message)} [{diagnostic.code}]\n",
        _frame(diagnostic.span, source, paint, kind),
    ]
    for span, what in diagnostic.related:
        parts.append(f"{paint(f'{span}:', 'place')} {paint('note:', 'note')} {_printable(what)}\n")
        parts.append(_frame(span, source, paint, "note"))
    if diagnostic.hint:
        parts.append(f"  {paint('hint:', 'hint')} {_printable(diagnostic.hint)}\n")
    for fix in diagnostic.fixes:
        parts.append(
            f"  {paint('fix:', 'hint')} {_printable(fix.what)}: {_printable(fix.replacement.strip().rstrip(','))}\n"
        )
    return "".join(parts)


@frozen
class _Excerpt:
    """A source line as a terminal shows it, and where on it the mark goes (in columns)."""

    text: str
    start: int
    width: int


def _frame(span: Span, source: _Lines, paint: Paint, role: str) -> str:
    if span == Span(span.path, 1, 1):
        return ""
    lines = source(span.path)
    if lines == [""] or not 1 <= span.line <= len(lines):
        return ""
    excerpt = _excerpt(lines[span.line - 1], span)
    gutter = f"{span.line:>4}"
    mark = " " * excerpt.start + paint("^" * excerpt.width, role)
    shown = f"{paint(f'{gutter} |', 'gutter')} {excerpt.text}".rstrip()
    return f"{shown}\n{paint(' ' * len(gutter) + ' |', 'gutter')} {mark}\n"


def _excerpt(line: str, span: Span) -> _Excerpt:
    """Expand what has no width of one, then cut around the mark when the line is long."""
    line = line.rstrip()
    first = min(max(span.column, 1) - 1, len(line))
    last = min(max(span.end_column - 1, first + 1), max(len(line), first + 1))
    left = max(0, first - 2 * _WIDTH)  # what is further away is not shown: a line may hold a whole spec
    line, first, last = line[left : first + 2 * _WIDTH], first - left, last - left
    cells = _cells(line)
    start = sum(len(cell) for cell in cells[:first])
    width = max(sum(len(cell) for cell in cells[first:last]), 1)
    columns = "".join(cells)
    offset = 0
    if len(columns) > _WIDTH:
        offset = max(0, min(start - _WIDTH // 3, len(columns) - _WIDTH))
    shown = columns[offset : offset + _WIDTH]
    if offset:
        shown = "…" + shown[1:].replace(_PAD, " ", shown[1] == _PAD)
    if offset + _WIDTH < len(columns):
        shown = shown[:-1] + "…"
    width = min(width, _WIDTH - (start - offset)) if len(columns) > _WIDTH else width
    return _Excerpt(shown.replace(_PAD, ""), start - offset, width)


_PAD = "\ue000"  # stands for the second column of a wide character until the line is shown


def _cells(line: str) -> list[str]:
    """For each character, what a terminal shows for it, one character a column."""
    cells: list[str] = []
    column = 0
    for char in line:
        cell = " " * (_TAB - column % _TAB) if char == "\t" else _cell(char)
        column += len(cell)
        cells.append(cell)
    return cells


def _cell(char: str) -> str:
    if " " <= char <= "~":
        return char
    if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Cn", "Mn", "Me", "Zl", "Zp"}:
        return "\ufffd"  # nothing that could move the cursor, hide, or change the order of what is read
    return char + _PAD if unicodedata.east_asian_width(char) in {"W", "F"} else char


def _printable(text: str) -> str:
    """Keep a message on its line, and its control characters out of the terminal."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


# --- JSON and SARIF --------------------------------------------------------------------------------------------------


def _json(diagnostic: Diagnostic) -> dict[str, object]:
    return {
        "code": diagnostic.code,
        "title": RULES[diagnostic.code],
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        **_place(diagnostic.span),
        "hint": diagnostic.hint,
        "related": [{**_place(span), "message": what} for span, what in diagnostic.related],
        "fixes": [_fix(fix) for fix in diagnostic.fixes],
    }


def _fix(fix: Fix) -> dict[str, object]:
    place = {**_place(fix.span), "end_column": max(fix.span.end_column, fix.span.column)}
    return {"message": fix.what, **place, "replacement": fix.replacement}


def _place(span: Span) -> dict[str, object]:
    return {
        "path": span.path,
        "line": span.line,
        "column": span.column,
        "end_column": max(span.end_column, span.column + 1),
    }


def _result(diagnostic: Diagnostic, codes: Sequence[str]) -> dict[str, object]:
    hint = f"\n{diagnostic.hint}" if diagnostic.hint else ""
    result: dict[str, object] = {
        "ruleId": diagnostic.code,
        "ruleIndex": codes.index(diagnostic.code),
        "level": diagnostic.severity.value,
        "message": {"text": diagnostic.message + hint},
        "locations": [_location(diagnostic.span)],
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": what}, **_location(span)}
            for number, (span, what) in enumerate(diagnostic.related, 1)
        ]
    if diagnostic.fixes:
        result["fixes"] = [_sarif_fix(fix) for fix in diagnostic.fixes]
    return result


def _sarif_fix(fix: Fix) -> dict[str, object]:
    replacement = {"deletedRegion": _region(fix.span, least=0), "insertedContent": {"text": fix.replacement}}
    change = {"artifactLocation": _artifact(fix.span), "replacements": [replacement]}
    return {"description": {"text": fix.what}, "artifactChanges": [change]}


def _location(span: Span) -> dict[str, object]:
    return {"physicalLocation": {"artifactLocation": _artifact(span), "region": _region(span)}}


def _artifact(span: Span) -> dict[str, object]:
    from urllib.parse import quote  # only for SARIF

    return {"uri": quote(span.path)}


def _region(span: Span, least: int = 1) -> dict[str, object]:
    """The place as SARIF has it, of at least so many characters: 0 for a fix that only puts something in."""
    column = max(span.column, 1)
    return {"startLine": max(span.line, 1), "startColumn": column, "endColumn": max(span.end_column, column + least)}
