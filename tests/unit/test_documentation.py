"""Documentation is broken into lines that linters allow, a paragraph at a time."""

from __future__ import annotations

from wrapper_gen.views.documentation import docstring

WORDS = " ".join(["word"] * 23)
"""115 columns: longer than a line of documentation may be."""


def test_a_paragraph_is_broken_anew_as_a_whole() -> None:
    lines = docstring([f"Short.\n\n{WORDS}\ntail of it.\n\nNext."]).split("\n")
    assert max(map(len, lines)) <= 100
    assert lines[3] == "word word word tail of it."
    assert lines[4:6] == ["", "Next."]


def test_short_lines_stay_as_they_were_written() -> None:
    assert docstring(["One.\n\nA line\nand another."]) == '"""One.\n\nA line\nand another.\n"""'


def test_items_and_examples_keep_their_lines() -> None:
    text = f"One.\n\n- {WORDS}\n- second\n    >>> indented"
    assert docstring([text]).split("\n")[4:-1] == ["- second", "    >>> indented"]
