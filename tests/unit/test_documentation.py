"""Documentation is broken into lines that linters allow, a paragraph at a time."""

from __future__ import annotations

import doctest
from pathlib import Path

from wrapper_gen import pipeline
from wrapper_gen.views.documentation import docstring, function_text

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


LONG = f"([{', '.join(map(str, range(30)))}], 'and more of it')"
"""An output of 120 columns."""


def test_an_example_stays_as_it_is() -> None:
    """Also beside prose that has to be broken: doctest compares its lines with what Python prints."""
    loop = f">>> for each in [{', '.join(['1000'] * 20)}]:\n...     each"
    example = f"{loop}\n{LONG}\n2"
    said = docstring([f"{WORDS}\ntail.\n\n{example}\n\n{WORDS}"])
    assert f"word word word tail.\n\n{example}\n\nword" in said
    said = docstring([f"Short.\n\n    {example.replace(chr(10), chr(10) + '    ')}"])
    assert [line[4:] for line in said.split("\n")[2:-1]] == example.split("\n")


def test_an_example_of_a_parameter_ends_before_the_next_one(tmp_path: Path) -> None:
    """Doctest reads an expected output up to an empty line."""
    spec = """\
wrapper_lib: {name: half}
functions:
  - def: "half(of: f64, by: f64) -> f64"
    cpp: of / by
    params: {of: "what\\n\\n>>> half(4, 2)\\n2.0", by: "how\\n\\n>>> half(4, 4)\\n1.0"}
"""
    (tmp_path / "half.wrapper_spec").write_text(spec, encoding="utf-8")
    module, _ = pipeline.read(tmp_path / "half.wrapper_spec", "half.wrapper_spec")
    text = function_text(module.functions[0], module)
    assert "    2.0\n\nby : float\n" in text
    assert [each.want for each in doctest.DocTestParser().get_examples(text)] == ["2.0\n", "1.0\n"]
