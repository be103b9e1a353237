"""What `import` must not take for granted: ends of texts, members that a call frees, and what calls write anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_imports import importing, run, spec, words
from wrapper_gen.drafts.report import Became

pytest.importorskip("clang.cindex")


@pytest.mark.parametrize(
    "pair",
    [
        "first, afterLast",
        "begin, end",
        "start, limit",
        "str, strEnd",
        "first, last",
        "text, text_end",
        "s, e",
        "p, pEnd",
    ],
)
@pytest.mark.parametrize("lang", ["c", "cpp"])
def test_a_begin_and_an_end_are_no_two_texts(tmp_path: Path, pair: str, lang: str) -> None:
    begin, end = pair.split(", ")
    header = f"int demo_parse(int flags, const char *{begin}, const char *{end});\nint demo_add(int a, int b);\n"
    found = words(importing(tmp_path, header, lang=lang))
    why = f"whether {begin} and {end} are the begin and the end of one text"
    assert found["demo_parse"] == (Became.ASKED, why)
    assert f"{why}: {{ask: [demo_parse]}}" in (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "parse" not in spec(tmp_path)


@pytest.mark.parametrize("pair", ["first, second", "name, last", "key, backend", "prefix, suffix", "start, name"])
def test_two_texts_are_two_texts(tmp_path: Path, pair: str) -> None:
    one, two = pair.split(", ")
    found = words(importing(tmp_path, f"int demo_parse(const char *{one}, const char *{two});\n"))
    assert found["demo_parse"][0] is Became.WRITTEN


def test_members_of_cpp_have_a_begin_and_an_end_too(tmp_path: Path) -> None:
    header = """\
class Reader {
 public:
  Reader(const char *begin, const char *end);
  int depth() const;
  void feed(const char *text, const char *text_end = nullptr);
};
struct Visitor {
  virtual ~Visitor();
  virtual void text(const char *start, const char *end) = 0;
};
void visit(Visitor *visitor);
"""
    outcome = importing(tmp_path, header, lang="cpp")
    found = words(outcome)
    assert found["Reader::Reader"] == (Became.ASKED, "whether begin and end are the begin and the end of one text")
    assert found["Reader::feed"] == (Became.ASKED, "whether text and text_end are the begin and the end of one text")
    assert "whether start and end are the begin and the end of one text" in found["Visitor"][1]
    assert "depth" in spec(tmp_path)
