"""Diagnostics as text, JSON and SARIF: the mark stands under what is meant, whatever the line holds."""

from __future__ import annotations

import json
import unicodedata

import pytest

from wrapper_gen import report
from wrapper_gen.diagnostics import Diagnostic, Fix, Severity, Span

PATH = "specs/a.wrapper_spec"


def frame(line: str, column: int, end: int = 0, number: int = 1) -> tuple[str, str]:
    """The source line and the mark of a frame, without the gutter."""
    text = "\n" * (number - 1) + line + "\nnext\n"
    found = Diagnostic("WG010", "message", Span(PATH, number, column, end))
    _, shown, mark, *_ = report.as_text([found], lambda path: text if path == PATH else None).split("\n")
    assert shown[:7] == f"{number:>4} | "[: len(shown)]
    assert mark[:7] == "     | "
    return shown[7:], mark[7:]


def columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def test_a_block_has_place_message_code_frame_related_and_hint() -> None:
    found = Diagnostic(
        "WG022",
        "two things come to the same name 'create'",
        Span(PATH, 3, 3, 9),
        "rename one",
        related=((Span(PATH, 1, 3), "first defined here"),),
    )
    assert report.as_text([found], lambda path: "- create\n\n- create\n") == (
        "specs/a.wrapper_spec:3:3: error: two things come to the same name 'create' [WG022]\n"
        "   3 | - create\n"
        "     |   ^^^^^^\n"
        "specs/a.wrapper_spec:1:3: note: first defined here\n"
        "   1 | - create\n"
        "     |   ^\n"
        "  hint: rename one\n"
    )


def test_without_the_source_there_is_no_frame() -> None:
    found = Diagnostic("WG041", "not implemented", Span("gone", 3, 1), severity=Severity.WARNING)
    assert report.as_text([found], lambda path: None) == "gone:3:1: warning: not implemented [WG041]\n"


def test_a_line_after_the_end_has_no_frame() -> None:
    found = Diagnostic("WG004", "broken", Span(PATH, 9, 1))
    assert report.as_text([found], lambda path: "one line\n").count("\n") == 1


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("name: cuda", "cuda"),
        ("\tname:\tcuda", "cuda"),
        ("数値: 値です x", "値です"),
        ("e\u0301te\u0301: x", "x"),
        ("zero\u200bwidth: x", "x"),
        ("\x1b[31mred: x", "x"),
    ],
)
def test_the_mark_stands_under_what_is_meant(line: str, meant: str) -> None:
    start = line.index(meant)
    shown, mark = frame(line, start + 1, start + 1 + len(meant))
    at = shown.index(meant)
    assert columns(mark) - mark.count("^") == columns(shown[:at])
    assert mark.count("^") == columns(meant)
    assert "\x1b" not in shown


@pytest.mark.parametrize("start", [0, 60, 99, 100, 500, 990, 999])
@pytest.mark.parametrize("filler", ["x", "値"])
def test_a_long_line_is_cut_around_the_mark(start: int, filler: str) -> None:
    line = filler * start + "@" + filler * (999 - start)
    shown, mark = frame(line, start + 1, start + 2)
    assert columns(shown) <= 101
    assert columns(shown[: shown.index("@")]) == len(mark) - 1


def test_a_mark_past_the_end_of_the_line_still_shows() -> None:
    assert frame("short", 40) == ("short", "     ^")
    assert frame("", 1, 2) == ("", "^")


def test_the_file_as_a_whole_has_no_frame() -> None:
    found = Diagnostic("WG003", "too large", Span(PATH, 1, 1))
    assert report.as_text([found], lambda path: "not shown") == f"{PATH}:1:1: error: too large [WG003]\n"


def test_a_long_span_ends_with_the_line() -> None:
    assert frame("name: x", 1, 5000) == ("name: x", "^^^^^^^")


@pytest.mark.parametrize("end", ["\r\n", "\r", "\x85", "\u2028"])
def test_lines_end_where_yaml_ends_them(end: str) -> None:
    found = Diagnostic("WG010", "m", Span(PATH, 2, 1))
    assert "   2 | second\n" in report.as_text([found], lambda path: f"first{end}second\n")


def test_a_message_cannot_steer_the_terminal() -> None:
    text = report.as_text([Diagnostic("WG010", "a\x1b[2Jb\nc", Span(PATH, 1, 1))], lambda path: None)
    assert text == f"{PATH}:1:1: error: a\\x1b[2Jb\\nc [WG010]\n"


def test_json_has_everything() -> None:
    found = Diagnostic(
        "WG010",
        "unknown key",
        Span(PATH, 2, 5, 9),
        "did you mean 'x'?",
        related=((Span(PATH, 1, 1), "here"),),
    )
    document = json.loads(report.as_json([found], "g++: no\n"))
    assert document["output"] == "g++: no\n"
    assert document["diagnostics"] == [
        {
            "code": "WG010",
            "title": "unknown key",
            "severity": "error",
            "message": "unknown key",
            "path": PATH,
            "line": 2,
            "column": 5,
            "end_column": 9,
            "hint": "did you mean 'x'?",
            "related": [{"path": PATH, "line": 1, "column": 1, "end_column": 2, "message": "here"}],
            "fixes": [],
        }
    ]


def test_sarif_names_rule_place_and_level() -> None:
    found = [
        Diagnostic("WG041", "not implemented", Span("specs/a b.wrapper_spec", 2, 5, 9), severity=Severity.WARNING),
        Diagnostic("WG010", "unknown key", Span(PATH, 1, 1), "a hint", related=((Span(PATH, 3, 1), "there"),)),
    ]
    log = json.loads(report.as_sarif(found, "1.2"))
    assert log["version"] == "2.1.0"
    run = log["runs"][0]
    assert run["tool"]["driver"]["version"] == "1.2"
    first, second = run["results"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["WG010", "WG041"]
    assert (first["ruleId"], first["ruleIndex"], first["level"]) == ("WG041", 1, "warning")
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "specs/a%20b.wrapper_spec"
    assert place["region"] == {"startLine": 2, "startColumn": 5, "endColumn": 9}
    assert second["message"]["text"] == "unknown key\na hint"
    assert second["relatedLocations"][0]["message"]["text"] == "there"


def test_sarif_without_findings_is_still_a_log() -> None:
    assert json.loads(report.as_sarif([], "1"))["runs"][0]["results"] == []


@pytest.mark.parametrize(("end", "least"), [(0, 5), (5, 5), (9, 9)])
def test_fixes_are_replacements(end: int, least: int) -> None:
    fix = Fix("nothing owns it", Span("a b.wrapper_spec", 3, 5, end), ", transfer: none")
    found = [Diagnostic("WG010", "m", Span(PATH, 2, 1), "a hint", fixes=(fix,))]
    assert "  hint: a hint\n  fix: nothing owns it: , transfer: none\n" in report.as_text(found, lambda path: None)
    [in_json] = json.loads(report.as_json(found))["diagnostics"][0]["fixes"]
    place = {"path": "a b.wrapper_spec", "line": 3, "column": 5, "end_column": least}
    assert in_json == {"message": "nothing owns it", "replacement": ", transfer: none", **place}
    [in_sarif] = json.loads(report.as_sarif(found, "1"))["runs"][0]["results"][0]["fixes"]
    assert in_sarif["description"] == {"text": "nothing owns it"}
    [change] = in_sarif["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "a%20b.wrapper_spec"}
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 3, "startColumn": 5, "endColumn": least},
            "insertedContent": {"text": ", transfer: none"},
        }
    ]
