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


TREE = """\
typedef struct { char *name; double weight; void *reserved; } demo_tree;
void demo_tree_parse(demo_tree *tree, const char *text);
void demo_tree_parse_flags(demo_tree *tree, const char *text, int flags);
void demo_tree_merge(demo_tree *dest, const demo_tree *source, const demo_tree *base);
/**
 * Splits a tree.
 * @param half <b>OUT</b>: the other half
 */
void demo_tree_split(const demo_tree *tree, demo_tree *half);
void demo_tree_add(demo_tree *tree, const demo_tree *other);
void demo_tree_free_members(demo_tree *tree);
typedef struct { double x, y; } demo_point;
void demo_point_clear(demo_point *point);
typedef struct { char *text; double size; } demo_span;
demo_span *demo_span_free_next(demo_span *span);
"""


def test_a_struct_whose_members_a_call_frees_is_an_object(tmp_path: Path) -> None:
    outcome = importing(tmp_path, TREE)
    answers = (tmp_path / "demo.import").read_text(encoding="utf-8")
    made = "{in_place: Tree, init: [demo_tree_parse, demo_tree_parse_flags], release: demo_tree_free_members"
    assert f"  demo_tree: {made}, ask: [demo_tree_merge, demo_tree_split]}}" in answers
    assert "demo_tree_free_members frees what its members refer to" in answers
    assert "  demo_point: {struct: Point, ask: [demo_point_clear]}" in answers
    assert "in_place: Span" not in answers
    assert words(outcome)["demo_tree_free_members"] == (Became.FOLLOWS, "releases Tree")
    text = spec(tmp_path)
    assert "in_place: true" in text
    assert 'def: "Tree(text: text)"' in text
    assert 'def: "add(other: Tree)"' in text


def test_calls_that_may_write_an_object_anew_are_asked(tmp_path: Path) -> None:
    outcome = importing(tmp_path, TREE)
    why = "whether C writes dest anew, or into an object that is ready"
    assert words(outcome)["demo_tree_merge"] == (Became.ASKED, why)
    assert words(outcome)["demo_tree_split"] == (Became.ASKED, why.replace("dest", "half"))
    assert "merge" not in spec(tmp_path)
    answers = (tmp_path / "demo.import").read_text(encoding="utf-8")
    asked, said = "ask: [demo_tree_merge, demo_tree_split]", "out: [demo_tree_merge], inout: [demo_tree_split]"
    (tmp_path / "demo.wrapper_spec").unlink()
    importing(tmp_path, TREE, answers.replace(asked, said))
    text = spec(tmp_path)
    assert 'def: "merge(base: Tree) -> Tree"' in text
    assert "demo_tree_merge(&out, self, base)" in text
    assert "holds: {result: [self, base]}" in text
    assert 'def: "split(half: Tree)"' in text


def test_an_object_that_another_init_makes_may_keep_its_text(tmp_path: Path) -> None:
    importing(tmp_path, TREE)
    entry = spec(tmp_path).partition("tree_parse_flags(text: text, flags: i32) -> Tree")[2]
    assert "holds: {result: [text]}" in entry


def test_include_guards_are_no_constants(tmp_path: Path) -> None:
    guards = ("DEMO_CONFIG_H", "DEMO_BASE_H_", "DEMO_BASE_HPP", "DEMO_MORE_INCLUDED", "DEMO_LAST_H__")
    header = "".join(f"#define {each} 1\n" for each in guards) + "#define DEMO_TILE_H 16\n#define DEMO_LEVEL 1\n"
    found = words(importing(tmp_path, header))
    assert {found[each] for each in guards} == {(Became.LEFT_OUT, "it says that a header was included")}
    text = spec(tmp_path)
    assert "TILE_H" in text
    assert "LEVEL" in text
    assert not [each for each in guards if each.removeprefix("DEMO_") in text]


@pytest.mark.parametrize("short", ["e.g.", "i.e.", "E.g.", "e. g.", "cf."])
def test_no_sentence_ends_behind_an_abbreviation(tmp_path: Path, short: str) -> None:
    header = f"""\
typedef struct {{
  int scheme; /**< Scheme ({short} "http"). Another sentence. */
}} demo_parts;
/** Sets the parts ({short} "X"), all of them.
 * @param parts the parts, {short} (scheme). More. */
void demo_set(const demo_parts *parts);
"""
    importing(tmp_path, header)
    text = spec(tmp_path)
    assert f'doc: Scheme ({short} "http")' in text
    assert f'Sets the parts ({short} "X"), all of them.' in text
    assert f"the parts, {short} (scheme)" in text


WAITING = """\
typedef struct { char *data; int size; } demo_buf;
void demo_buf_add(demo_buf *buf, const demo_buf *other);
void demo_buf_free(demo_buf *buf);
"""


def test_what_is_asked_is_printed_also_without_an_open_question(tmp_path: Path) -> None:
    outcome = importing(tmp_path, WAITING)
    assert not outcome.is_settled
    told = outcome.text(lists_all=False)
    line = "  asked: demo_buf_add: how C gets a DemoBuf: make (records/demo_buf)"
    assert line in told.splitlines()
    checked = run("--lib", "demo", "-o", str(tmp_path), "--check")
    assert checked.exit_code == 1
    assert line in checked.output.splitlines()


def test_what_waits_for_an_open_question_is_told_by_it_alone(tmp_path: Path) -> None:
    outcome = importing(tmp_path, "void demo_find(const char *text, int len);\n")
    told = outcome.text(lists_all=False)
    assert "  open: lengths: text, len (1 functions wait)" in told.splitlines()
    assert "asked: demo_find" not in told


def test_an_init_that_writes_more_is_no_constructor(tmp_path: Path) -> None:
    init = "void demo_tree_parse_at(demo_tree *tree, const char *text, const char **where);\n"
    header = TREE.replace("void demo_tree_parse(demo_tree *tree, const char *text);\n", init)
    outcome = importing(tmp_path, header.replace("void demo_tree_parse_flags", "// void demo_tree_parse_flags"))
    assert words(outcome)["demo_tree_parse_at"] == (Became.GUESSED, "C writes where; the result may keep text")
    assert 'def: "tree_parse_at(text: text) -> (where: text?, out_: Tree)"' in spec(tmp_path)


ENDS = """\
typedef struct doc doc;
typedef struct parser parser;
doc *doc_new(void);
void doc_free(doc *d);
int doc_get_end_line(doc *d);
int doc_free_count(const doc *d);
int doc_begin(doc *d);
int doc_end(doc *d);
int doc_end_row(doc *d);
void doc_close(doc *d);
doc *doc_unref(doc *d);

/** Frees all of it. */
int doc_cleanup(doc *d);

void doc_delete(doc *d);
void doc_close_part(doc *d);
parser *parser_new(void);
void parser_free(parser *p);
doc *parser_finish(parser *p);
typedef struct line line;
typedef line other_line;
line *line_new(void);
void line_free(line *l);
void doc_free_other_line(other_line *l);
typedef struct words words;
words *words_new(void);
char *words_finish(words *w);
"""


def test_only_what_may_release_an_object_is_another_release(tmp_path: Path) -> None:
    outcome = importing(tmp_path, ENDS)
    found = words(outcome)
    for name in ("doc_get_end_line", "doc_free_count", "doc_begin", "doc_end_row"):
        assert found[name] == (Became.WRITTEN, ""), name
    assert "it leaves the object as it is" in found["doc_end"][1]
    for name in ("doc_close", "doc_unref", "doc_cleanup"):
        assert found[name] == (Became.LEFT_OUT, "another release of Doc, which has doc_free"), name
    for name in ("doc_delete", "doc_close_part"):
        assert found[name] == (Became.ASKED, "whether it releases its object, or ends something else"), name
    assert found["doc_free_other_line"] == (Became.LEFT_OUT, "another release of OtherLine, which has line_free")
    assert found["words_finish"] == (Became.FOLLOWS, "releases Words")  # nothing else does
    assert found["parser_finish"] == (Became.ASKED, "who releases the Doc that it gives")
    report = outcome.text(lists_all=False)
    assert "  left out: doc_close, doc_unref, doc_cleanup: another release of Doc, which has doc_free\n" in report
    assert "ask: [parser_finish]" in (tmp_path / "demo.import").read_text(encoding="utf-8")


def test_an_answer_that_changes_nothing_is_told(tmp_path: Path) -> None:
    importing(tmp_path, ENDS)
    path = tmp_path / "demo.import"
    text = path.read_text(encoding="utf-8")
    owned = "owned: [doc_new, parser_finish, doc_close, parser_new]"
    text = text.replace("owned: [doc_new]", owned).replace("ask: [parser_finish]", "ask: []")
    path.write_text(text + "\nends:\n  parser: {all: [parser_finish]}\n", encoding="utf-8")
    outcome = importing(tmp_path, ENDS)
    assert "finish() -> Doc" in spec(tmp_path)
    assert [each.message for each in outcome.findings] == [
        "this changes nothing: doc_close is left out: another release of Doc, which has doc_free",
        "this changes nothing: parser_new gives no doc",
        "this changes nothing: nothing is asked of parser under ends",
    ]
