"""What `import` must not take for granted: ends of texts, members that a call frees, and what calls write anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_imports import importing, spec, words
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


RANGES = """\
typedef struct { const char *first; const char *afterLast; } demo_range;
typedef struct { int line; const char *begin; const char *end; } demo_token;
typedef struct { demo_range scheme; int port; } demo_address;
int demo_use(const demo_range *range);
int demo_next(const demo_token *token);
int demo_port(const demo_address *address);
"""


@pytest.mark.parametrize("lang", ["c", "cpp"])
def test_a_struct_of_a_begin_and_an_end_has_no_texts(tmp_path: Path, lang: str) -> None:
    outcome = importing(tmp_path, RANGES, lang=lang)
    text, answers = spec(tmp_path), (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "cpp_type: demo_token, fields: {line: i32}}" in text
    assert "cpp_type: demo_address, fields: {port: i32}}" in text
    assert "cpp_type: demo_range" not in text
    assert '  demo_range: "?"  # first and afterLast are the begin and the end of one text: ' in answers
    assert "sure" not in next(line for line in answers.splitlines() if line.startswith("  demo_token: "))
    assert "# guess: without begin, end: the begin and the end of one text" in text
    assert words(outcome)["demo_use"] == (Became.ASKED, "what demo_range is")
    assert words(outcome)["demo_next"][0] is Became.WRITTEN


def test_a_struct_of_a_begin_and_an_end_can_be_a_text(tmp_path: Path) -> None:
    header = RANGES + "demo_range demo_scheme(const char *text);\n"
    answer = "{type: text, name: DemoRange, data: first, length: value.afterLast - value.first}"
    importing(tmp_path, header, f"records:\n  demo_range: {answer}\n")
    assert 'def: "scheme(text: text) -> DemoRange"' in spec(tmp_path)
