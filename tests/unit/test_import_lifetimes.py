"""What `wrapper-gen import` asks of statuses, of what calls keep, take and end, and what it says of defaults."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.unit.test_imports import importing, spec, words
from wrapper_gen.cli import main
from wrapper_gen.diagnostics import SpecError
from wrapper_gen.drafts.report import Became

pytest.importorskip("clang.cindex")

GARDEN = """\
#pragma once
#include <string>
namespace garden {
enum class Errc { none, dry, frozen };
inline const char *errc_text(Errc code) { return code == Errc::none ? "none" : "bad"; }
constexpr unsigned usual_depth = 12;
class Plant { public: Plant() {} ~Plant(); void water(); };
class Leaf { public: int size() const; private: ~Leaf(); };
class Bed {
public:
    Bed() {}
    ~Bed();
    void add(Plant *plant);
    void adopt(Plant *plant);
    void inspect(Plant *plant);
    Leaf *leaf(int at);
    void clear();
    bool remove_leaf(int at);
    bool is_clear() const;
    Errc dig(unsigned depth = usual_depth, char tool = '/', int times = sizeof(int) + 1);
    char *describe();
    void measure(const double *lengths, int n);
};
}
"""
ANSWERS = """\
import: {name: demo}
records:
  garden::Leaf: {handle: Leaf, pointer: true, release: nothing, belongs_to: garden::Bed}
keeps:
  garden::Plant: {holds: [add], takes: [adopt], uses: [inspect]}
ends:
  garden::Bed: {all: [clear], nothing: [remove_leaf]}
"""


def test_a_cpp_call_that_may_take_an_argument_is_asked(tmp_path: Path) -> None:
    outcome = importing(tmp_path, GARDEN, lang="cpp")
    found = words(outcome)
    questions = (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "  garden::Plant: {holds: [add], uses: [inspect], ask: [adopt]}  # what calls do with one" in questions
    assert found["garden::Bed::adopt"][0] is Became.ASKED
    assert found["garden::Bed::add"] == (Became.GUESSED, "the object may keep plant")
    assert found["garden::Bed::inspect"] == (Became.GUESSED, "the call only uses plant")
    assert "open: keeps: garden::Plant (3 functions wait)" in outcome.text(lists_all=False)


def test_what_a_cpp_call_ends_is_asked(tmp_path: Path) -> None:
    outcome = importing(tmp_path, GARDEN, lang="cpp")
    found = words(outcome)
    questions = (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "  garden::Bed: {all: [clear], ask: [remove_leaf]}  # which of its methods end every Leaf" in questions
    assert found["garden::Bed::clear"] == (Became.GUESSED, "it ends all that belongs to its object")
    assert found["garden::Bed::remove_leaf"] == (Became.ASKED, "whether it ends what belongs to its object")
    assert "{def: clear(), ends: all}" in spec(tmp_path)


def test_comments_say_what_a_removal_ends(tmp_path: Path) -> None:
    said = {
        "remove_leaf": "/// Removes a leaf and frees it.",
        "erase_leaf": "/// Takes a leaf out. It is not freed.",
        "pop_leaf": "",
        "sort": "/// Sorts. Pointers to leaves become invalid.",
        "detach_leaf": "",
    }
    methods = "".join(f"    {doc}\n    void {name}(int at);\n" for name, doc in said.items())
    header = GARDEN.replace("    bool remove_leaf(int at);\n", methods)
    leaf = "  garden::Leaf: {handle: Leaf, pointer: true, release: nothing, belongs_to: garden::Bed}\n"
    importing(tmp_path, header, f"import: {{name: demo}}\nrecords:\n{leaf}", lang="cpp")
    asked = "  garden::Bed: {all: [clear, remove_leaf, sort], nothing: [detach_leaf, erase_leaf], ask: [pop_leaf]}"
    assert asked in (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert '{def: "sort(at: i32)", ends: all, doc' in spec(tmp_path)


def test_a_removal_ends_nothing_that_python_releases(tmp_path: Path) -> None:
    header = GARDEN.replace("private: ~Leaf();", "~Leaf();")
    leaf = "  garden::Leaf: {handle: Leaf, pointer: true, belongs_to: garden::Bed}\n"
    importing(tmp_path, header, f"import: {{name: demo}}\nrecords:\n{leaf}", lang="cpp")
    asked = "  garden::Bed: {all: [clear], nothing: [remove_leaf]}"
    assert asked in (tmp_path / "demo.import").read_text(encoding="utf-8")


def test_answers_say_what_cpp_calls_keep_take_and_end(tmp_path: Path) -> None:
    outcome = importing(tmp_path, GARDEN, ANSWERS, lang="cpp")
    found, text = words(outcome), spec(tmp_path)
    assert '{def: "add(plant: Plant)", holds: [plant]}' in text
    assert '{def: "adopt(plant: Plant)", takes: [plant]}' in text
    assert '{def: "inspect(plant: Plant)"}' in text
    assert "ends: nothing" in text
    assert {found[f"garden::Bed::{each}"] for each in ("add", "adopt", "inspect", "clear", "remove_leaf")} == {
        (Became.WRITTEN, "")
    }


def test_answers_say_on_what_a_call_ends(tmp_path: Path) -> None:
    words_ = "{on_success: [clear], when: {remove_leaf: 'is_at(value, at)'}}"
    answers = ANSWERS.replace("{all: [clear], nothing: [remove_leaf]}", words_)
    outcome = importing(tmp_path, GARDEN, answers, lang="cpp")
    assert "{def: clear(), ends: all, on_failure: unchanged}" in spec(tmp_path)
    assert 'ends: {all: "is_at(value, at)"}' in spec(tmp_path)
    assert words(outcome)["garden::Bed::remove_leaf"] == (Became.WRITTEN, "")
    assert not outcome.findings


def test_a_condition_of_no_function_is_told(tmp_path: Path) -> None:
    answers = ANSWERS.replace("nothing: [remove_leaf]", "when: {remove_leav: {Leaf: x}}")
    (found,) = importing(tmp_path, GARDEN, answers, lang="cpp").findings
    assert (found.code, found.message) == ("WG305", "no function is called 'remove_leav'")
    (tmp_path / "demo.import").write_text(answers.replace("{remove_leav: {Leaf: x}}", "[remove_leaf]"), "utf-8")
    with pytest.raises(SpecError, match="when has C"):
        importing(tmp_path, GARDEN, lang="cpp")


def test_an_enum_of_cpp_is_a_status(tmp_path: Path) -> None:
    importing(tmp_path, GARDEN, lang="cpp")
    text = spec(tmp_path)
    assert "name: DemoError" in text
    assert "ok: [garden::Errc::none]" in text.replace('"', "")
    assert "message: garden::errc_text(value)" in text.replace('"', "")
    assert "def: dig(" in text.replace('"', "")
    assert "-> Errc" not in text


def test_an_answer_makes_an_enum_of_cpp_a_status(tmp_path: Path) -> None:
    header = "enum Outcome { fine, bad };\nOutcome poke(int times);\n"
    importing(tmp_path, header, lang="cpp", link=["c"])
    assert "poke(times: i32) -> Outcome" in spec(tmp_path)
    (tmp_path / "demo.wrapper_spec").unlink()
    answers = "import: {name: demo}\nstatuses:\n  Outcome: {name: PokeError, ok: [fine]}\n"
    importing(tmp_path, header, answers, lang="cpp", link=["c"])
    assert "{name: PokeError, cpp_type: Outcome, ok: [fine]}" in spec(tmp_path)
    assert 'def: "poke(times: i32)"' in spec(tmp_path)


def test_defaults_of_cpp_are_written_or_left_to_cpp(tmp_path: Path) -> None:
    outcome = importing(tmp_path, GARDEN, lang="cpp")
    assert 'def: "dig(depth: u32, tool: i8, times: i32)"' in spec(tmp_path)
    assert 'def: "dig(depth: u32 = 12, tool: i8 = 47)"' in spec(tmp_path)  # C++ has the third one
    word, what = words(outcome)["garden::Bed::dig"]
    assert word is Became.GUESSED and what.endswith("a char is a number, and no text of one character")
    before = spec(tmp_path)
    assert importing(tmp_path, GARDEN, lang="cpp").rows == outcome.rows and spec(tmp_path) == before
    header = """\
#pragma once
#include <string>
enum { LOWEST = -4 };
void walk(int zone = LOWEST, unsigned many = -1, const std::string &name = std::string("x"),
          char end = '\\0', char c = char(0));
void say(const std::string &name = std::string(), char *raw = nullptr, int times = sizeof(int));
"""
    found = words(importing(tmp_path, header, lang="cpp", link=["c"]))
    assert 'walk(zone: i32, many: u32, name: text = \\"x\\", end: i8 = 0, c: i8 = 0)' in spec(tmp_path)
    assert 'walk(zone: i32 = -4)"' in spec(tmp_path)
    assert found["say"][0] is Became.ASKED  # whatever the others are


def test_cpp_memory_that_nothing_is_known_to_free_is_asked(tmp_path: Path) -> None:
    outcome = importing(tmp_path, GARDEN, lang="cpp")
    assert words(outcome)["garden::Bed::describe"] == (Became.ASKED, "what frees the memory that it returns")
    assert '  char *: "?"  # what frees what these give: describe' in (tmp_path / "demo.import").read_text("utf-8")


HOARD = """\
#include <stddef.h>
typedef struct demo demo;
typedef struct { int low; int high; } demo_range;
typedef struct { const char *name; int kind; } demo_option;
enum { DEMO_OK = 0, DEMO_BAD = 1 };
demo *demo_new(void);
void demo_free(demo *d);
/** Frees it; other ways to close are shorter. */
void demo_close_r(demo *d);
/** The error code of the last call. */
int demo_errcode(demo *d);
/** Puts one. Returns DEMO_OK or an error code. */
int demo_put(demo *d, int at);
/** Whether it is open. Returns 0 if that could be found out (whether it is or not, on any disk), or an error < 0. */
int demo_probe(demo *d, const char *path);
void demo_sizes(demo *d, const demo_range *ranges, int n, unsigned long *sizes);
void demo_fill(demo *d, int n, double *values);
const demo_option *demo_option_next(const demo_option *before);
int demo_keyword(int at, const char **word, int *);
/** Makes one of memory. */
int demo_from_memory(demo **out, const void *data, size_t data_len);
"""


def test_entries_that_would_build_and_be_wrong_are_not_written(tmp_path: Path) -> None:
    outcome = importing(tmp_path, HOARD)
    found = words(outcome)
    assert found["demo_close_r"] == (Became.LEFT_OUT, "another release of Demo, which has demo_free")
    assert found["demo_sizes"] == (Became.ASKED, "whether ranges is one or several: n may say how many")
    assert found["demo_fill"] == (Became.ASKED, "whether values is one or several: n may say how many")
    assert found["demo_option_next"][0] is Became.ASKED
    assert found["demo_keyword"] == (Became.ASKED, "whether the integer after word is its length: no NUL may end it")
    text = spec(tmp_path)
    assert "{def: errcode() -> i32" in text
    assert 'def: "probe(path: text)"' in text
    assert "raises: DemoError" in text.split('"probe(path: text)"')[1]
    assert "holds: {result: [data]}" in text or "def: Demo(" in text


COUNTED = """\
typedef struct demo demo;
demo *demo_make(void);
/** Frees it, whoever else has it. */
void demo_delete(demo *d);
void demo_decref(demo *d);
int demo_append(demo *d, demo *item);
/** The same, without a reference of its own. */
int demo_append_new(demo *d, demo *item);
"""


def test_what_is_called_as_another_function_and_new_may_take(tmp_path: Path) -> None:
    outcome = importing(tmp_path, COUNTED)
    found = words(outcome)
    assert "release: demo_decref" in spec(tmp_path)
    assert found["demo_append"] == (Became.GUESSED, "the object may keep item")
    assert found["demo_append_new"][0] is Became.ASKED
    assert "demo: {holds: [demo_append], ask: [demo_append_new]}" in (tmp_path / "demo.import").read_text("utf-8")


KEEPING = """\
#include <stddef.h>
typedef struct demo demo;
typedef struct { const char *title; char *own; int kind; } demo_page;
demo *demo_new(void);
void demo_free(demo *d);
/** Sets the name. The text is not copied: it must remain valid as long as the object. */
void demo_set_name(demo *d, const char *name);
/** Sets the label, which is copied. */
void demo_set_label(demo *d, const char *label);
/** Sets the colour. */
void demo_set_colour(demo *d, const char *colour);
/** Adds a source. No copy is made of data, which has to outlive d. */
void demo_add_source(demo *d, const void *data, size_t data_size);
/** Uses weights from now on. The weights are borrowed. name is copied. */
void demo_set_weights(demo *d, const char *name, const double *weights, size_t n_weights);
/** Sets the log's name for all. It must remain valid until the program ends. */
void demo_log_name(const char *name);
/** Sets text; it is copied unless is_static is set. */
void demo_set_text(demo *d, const char *text, int is_static);
/** Counts. The text must stay valid until the call returns. */
int demo_count(demo *d, const char *text);
/** Finds one. The returned text is owned by the object, and must not be freed, as name. */
const char *demo_find(demo *d, const char *name);
void demo_page_init(demo_page *p);
void demo_page_free(demo_page *p);
void demo_page_set_title(demo_page *p, const char *title);
void demo_page_set_own(demo_page *p, const char *own);
/** A view of data, which must stay valid. */
demo *demo_open(const void *data, size_t data_size);
"""
KEPT = """\
  memory: {holds: [demo_add_source, demo_open], holds_last: [demo_page_set_title, demo_set_name, \
demo_set_weights.weights], uses: [demo_page_set_own, demo_set_colour, demo_set_label, demo_set_weights.name], \
ask: [demo_log_name, demo_set_text]}  # what calls do with text, bytes and arrays that they are given"""


def test_memory_that_c_keeps_is_asked(tmp_path: Path) -> None:
    outcome = importing(tmp_path, KEEPING)
    found, text = words(outcome), spec(tmp_path)
    assert KEPT in (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "open: keeps: memory (11 functions wait)" in outcome.text(lists_all=False)
    assert 'def: "set_name(name: text)"\n        holds_last: [name]' in text
    assert 'def: "add_source(data: bytes)"\n        cpp: demo_add_source(self, data, data.size())\n' in text
    assert "        holds: [data]\n" in text
    assert "        holds_last: [weights]\n" in text
    assert found["demo_set_weights"] == (Became.GUESSED, "n_weights is the length of weights")
    assert "    holds: {result: [data]}\n" in text
    assert found["demo_set_name"] == (Became.WRITTEN, "")  # the header says so
    assert found["demo_set_label"] == (Became.WRITTEN, "")
    assert found["demo_set_colour"] == (Became.GUESSED, "C copies colour")
    assert found["demo_page_set_title"] == (Became.GUESSED, "the object may use title later")
    assert found["demo_page_set_own"] == (Became.GUESSED, "C copies own")
    assert found["demo_log_name"] == (Became.ASKED, "whether C still uses name after the call")
    assert found["demo_set_text"][0] is Became.ASKED
    assert found["demo_count"] == (Became.WRITTEN, "")
    assert found["demo_find"] == (Became.WRITTEN, "")


def test_answers_say_which_memory_c_keeps(tmp_path: Path) -> None:
    said = "{holds: [demo_set_text, demo_log_name], holds_last: [demo_set_col.*], uses: [demo_add_source]}"
    outcome = importing(tmp_path, KEEPING, f"import: {{name: demo}}\nkeeps:\n  memory: {said}\n")
    found, text = words(outcome), spec(tmp_path)
    assert 'def: "set_colour(colour: text)", holds_last: [colour]' in text.replace("\n        ", ", ")
    assert 'def: "add_source(data: bytes)"\n        cpp: demo_add_source(self, data, data.size())\n        doc' in text
    assert "holds: [text]" in text
    assert found["demo_log_name"] == (Became.ASKED, "what keeps name alive, where C uses it after the call")
    assert not outcome.findings
    answers = f"import: {{name: demo}}\nkeeps:\n  memory: {said.replace('demo_add_source', 'demo_set_weights.nam')}\n"
    (wrong,) = importing(tmp_path, KEEPING, answers).findings
    assert (wrong.code, wrong.message) == ("WG305", "no function is called 'demo_set_weights.nam'")
    assert wrong.hint == "did you mean 'demo_set_weights.name'?"


@pytest.mark.parametrize(("said", "column"), [("{takes: [demo_set_name]}", 12), ("skip", 11)])
def test_memory_is_never_taken(said: str, column: int, tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        importing(tmp_path, KEEPING, f"import: {{name: demo}}\nkeeps:\n  memory: {said}\n")
    (wrong,) = caught.value.diagnostics
    assert (wrong.code, wrong.span.line, wrong.span.column) == ("WG304", 3, column)
    assert wrong.message == "text, bytes and arrays are held or used, and never taken"


def test_memory_that_cpp_keeps_is_asked(tmp_path: Path) -> None:
    methods = """\
    /// Sets the name. The string is not copied and must outlive the node.
    void set_name(const char *name);
    /// Sets the title; a copy is made.
    void set_title(const std::string &title);
    /// The tag is not copied.
    void tag(std::string_view tag);
    /// Parses in place. The data must stay valid as long as the node.
    static Node *parse(const char *data, std::size_t data_size);
"""
    header = "#pragma once\n#include <string>\n#include <string_view>\n"
    header += f"class Node {{\npublic:\n    Node();\n    ~Node();\n{methods}}};\n"
    importing(tmp_path, header, lang="cpp")
    asked = "  memory: {holds: [parse, tag], holds_last: [set_name], uses: [set_title]}"
    assert asked in (tmp_path / "demo.import").read_text(encoding="utf-8")
    text = spec(tmp_path)
    assert 'def: "tag(tag: text)", holds: [tag]' in text
    assert 'def: "set_name(name: text)"\n        holds_last: [name]' in text
    assert "        holds: {result: [data]}\n" in text


def test_a_call_may_keep_only_what_it_was_last_given(tmp_path: Path) -> None:
    answers = ANSWERS.replace("holds: [add]", "holds_last: [add]")
    importing(tmp_path, GARDEN, answers, lang="cpp")
    assert '{def: "add(plant: Plant)", holds_last: [plant]}' in spec(tmp_path)


def test_a_null_that_no_comment_speaks_of_is_expected_of_what_looks_up(tmp_path: Path) -> None:
    said = """\
    Leaf *find_leaf(int at);
    Leaf *add_leaf(int at);
    /// The leaf above, which is never null.
    Leaf *next_leaf();
    Plant *made(int at);
    /// A copy, which has to be deleted, or nullptr if there is none.
    Plant *copied(int at);
    /// A copy, or nullptr if no memory is left.
    Plant *cloned(int at);
"""
    header = GARDEN.replace("    Leaf *leaf(int at);\n", said)
    answers = ANSWERS + "results:\n  garden::Plant: {owned: [made, copied, cloned], borrowed: []}\n"
    answers = answers.replace("records:\n", "records:\n  garden::Plant: {handle: Plant, pointer: true}\n")
    importing(tmp_path, header, answers, lang="cpp")
    text = spec(tmp_path)
    assert '# guess: null where there is none\n      - {def: "find_leaf(at: i32) -> Leaf?"}' in text
    assert '{def: "add_leaf(at: i32) -> Leaf"}' in text
    assert 'def: "next_leaf() -> Leaf"' in text.replace("def: next_leaf() -> Leaf,", 'def: "next_leaf() -> Leaf",')
    assert 'made(at: i32) -> Plant"' in text
    assert 'copied(at: i32) -> Plant?"' in text
    assert 'cloned(at: i32) -> Plant"' in text


def test_wide_characters_are_left_out(tmp_path: Path) -> None:
    header = """\
#include <wchar.h>
typedef struct { wchar_t letter; int width; } demo_glyph;
wchar_t demo_upper(wchar_t letter);
int demo_width(const wchar_t *text);
demo_glyph demo_glyph_of(int letter);
"""
    outcome = importing(tmp_path, header)
    found = words(outcome)
    why = "no type of the language is wchar_t: write an entry whose C++ makes it UTF-8"
    assert found["demo_upper"] == (Became.LEFT_OUT, why)
    assert found["demo_width"] == (Became.LEFT_OUT, why)
    assert f"letter: {why}" in outcome.text(lists_all=True)
    assert "{name: Glyph, cpp_type: demo_glyph, fields: {width: i32}}" in spec(tmp_path)


TREE = """\
typedef struct tree tree;
typedef struct list list;
typedef struct item item;
typedef struct pen pen;
typedef struct shared shared;
tree *tree_new(void);

/** Frees a node and all of its children. */
void tree_free(tree *t);

void tree_append_child(tree *t, tree *child);
void tree_set_parent(tree *t, tree *parent);
void tree_set_pen(tree *t, pen *p);
void tree_walk(tree *t, tree *start);
list *list_new(void);
void list_free(list *l);
void list_put(list *l, item *element);
void list_push(list *l, item *i);
void list_set_pen(list *l, pen *p);
item *item_new(void);
void item_free(item *i);
void list_push_shared(list *l, shared *s);
pen *pen_new(void);
void pen_free(pen *p);
shared *shared_new(void);
void shared_unref(shared *s);
"""


def test_what_both_may_release_is_never_held_by_proposal(tmp_path: Path) -> None:
    found = words(importing(tmp_path, TREE))
    for name, given in (
        ("tree_append_child", "child"),
        ("tree_set_parent", "parent"),
        ("tree_set_pen", "p"),  # its release speaks of parts
        ("list_put", "element"),
        ("list_push", "i"),
    ):
        assert found[name] == (Became.ASKED, f"whether it takes {given} away, holds it, or only uses it"), name
    assert found["list_set_pen"] == (Became.GUESSED, "the object may keep p")
    assert found["list_push_shared"] == (Became.GUESSED, "the object may keep s")  # it counts references
    assert found["tree_walk"] == (Became.GUESSED, "the call only uses start")
    answers = (tmp_path / "demo.import").read_text(encoding="utf-8")
    path = tmp_path / "demo.import"
    path.write_text(answers.replace("uses: [tree_walk], ask: [", "uses: [tree_walk], takes: ["), encoding="utf-8")
    importing(tmp_path, TREE)
    assert 'def: "append_child(child: Tree)", cpp: "tree_append_child(self, child)", takes: [child]' in spec(tmp_path)
    arguments = ["generate", "--strict", str(tmp_path / "demo.wrapper_spec"), "-o", str(tmp_path / "made")]
    made = CliRunner().invoke(main, arguments)
    assert made.exit_code == 0, made.output  # nothing tells two nodes of a tree apart: the call is written


@pytest.mark.parametrize("owner", ["Tree", "tree", "{root: tree}"])
def test_nodes_of_a_tree_belong_to_its_root(tmp_path: Path, owner: str) -> None:
    more = (
        "tree *tree_parent(tree *t);\ntree *tree_copy(tree *t);\ntree *list_tree(list *l);\nvoid tree_erase(tree *t);\n"
    )
    answers = f"records:\n  tree: {{handle: Tree, release: tree_free, belongs_to: {owner}}}\n"
    outcome = importing(tmp_path, TREE + more, answers)
    asked = next(each for each in outcome.asked if (each.group, each.key) == ("records", "tree"))
    assert "nodes of a tree: with `belongs_to: tree`, the root alone is released" in asked.evidence
    text = spec(tmp_path)
    shown = "{root: Tree}" if owner.startswith("{") else "Tree"
    assert f"    belongs_to: {shown}\n" in text
    for line in (
        "- {def: Tree(), cpp: tree_new()}",
        '- {def: "parent() -> Tree?"}',
        "- {def: copy() -> Tree, belongs_to: nothing}",
        '- {def: "tree() -> Tree?", release: nothing, holds: {result: self}}',
    ):
        assert line in text, (line, text)
    assert words(outcome)["tree_parent"] == (Became.GUESSED, "of the same tree, whose root releases it")
    assert words(outcome)["tree_erase"] == (Became.ASKED, "whether it ends what belongs to its object")
    assert outcome.findings == []


HUBS = """\
typedef struct hub hub; typedef struct plug plug;
hub *hub_new(void); void hub_free(hub *h);
plug *plug_new(int volts); void plug_free(plug *p);
void hub_add(hub *h, plug *p);
void hub_title(hub *h, const char *title);
void hub_clear(hub *h);
int hub_count(const hub *h);
"""


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ("plug: {holds: [hub_add]}", []),
        ("plug: {holds: [hub_a.*]}", []),
        ("plug: {holds: [hub_add, hub_clear]}", ["hub_clear is given no plug beside its own object"]),
        ("plug: {uses: ['hub_c.*']}", ["hub_c.* is given no plug beside its own object"]),
        ("memory: {holds: [hub_title, hub_title.title]}", []),
        ("memory: {holds: [hub_count]}", ["hub_count is given no text, bytes or array that it only reads"]),
        ("memory: {holds: [hub_add.p]}", ["hub_add.p is given no text, bytes or array that it only reads"]),
    ],
)
def test_an_answer_of_what_a_call_keeps_names_one_that_is_given_such(
    tmp_path: Path, answer: str, wrong: list[str]
) -> None:
    outcome = importing(tmp_path, HUBS, f"import: {{name: demo}}\nkeeps:\n  {answer}\n")
    found = [each for each in outcome.findings if each.code == "WG305"]
    assert [each.message for each in found] == [f"this changes nothing: {each}" for each in wrong]
    assert all(each.span.line == 3 for each in found)


FORM = """\
typedef struct form form;
typedef struct part part;
form *form_new(void);
void form_free(form *f);
part *form_add(form *f);
void part_name(part *p, const char *name);
int part_nest(part *p, form *nested);
"""


def test_what_comes_of_an_object_and_nothing_releases_belongs_to_it(tmp_path: Path) -> None:
    importing(tmp_path, FORM)
    asked = (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "\n  part: {handle: Part, release: nothing, belongs_to: form}  # 2 functions take it first" in asked
    assert "form: {ask: [part_nest]}" in asked  # which would release it as well
    text = spec(tmp_path)
    assert "# guess: it lives as long as the form, which releases it\n" in text
    assert "nest" not in text
    answers = asked.replace("part: {handle: Part, release: nothing, belongs_to: form}", "part: skip")
    (tmp_path / "demo.import").write_text(answers, encoding="utf-8")
    importing(tmp_path, FORM)
    assert "Part" not in spec(tmp_path)


@pytest.mark.parametrize(
    "other",
    [
        "void form_free_part(form *f, part *p);",  # which may be how it is released
        "part *form_second(form *f, part *first);",  # it may be the part of a part
        "part *part_new(form *f);",  # it may be ours
        "typedef struct pool pool; part *pool_part(pool *p); void pool_free(pool *p);",  # two that give it
    ],
)
def test_what_may_have_another_owner_is_asked(tmp_path: Path, other: str) -> None:
    importing(tmp_path, FORM + other)
    assert '\n  part: "?"  # ' in (tmp_path / "demo.import").read_text(encoding="utf-8")


CALLED = """\
typedef struct db db;
typedef struct scope scope;
db *db_open(const char *path);
void db_close(db *d);
void db_each(db *d, int (*row)(void *data, scope *s), void *data);
void scope_fail(scope *s, int code);
"""


def test_what_only_callables_are_given_is_no_object_of_ours(tmp_path: Path) -> None:
    importing(tmp_path, CALLED)
    asked = (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "\n  scope: {handle: Scope, release: nothing}  # 1 functions take it first" in asked
    assert "fail(code: i32)" in spec(tmp_path)
    importing(tmp_path, CALLED + "db *db_make(scope *s);\n")  # which nobody could call
    assert '\n  scope: "?"  # ' in (tmp_path / "demo.import").read_text(encoding="utf-8")


STORE = """\
typedef struct kv kv; typedef struct txn txn;
/** Opens a store. Returns 0 or an error code. */
int kv_open(kv **out);
/** Closes a store. */
void kv_close(kv *k);
/** Begins. Returns 0 or an error code.
 * @param[in] parent If this parameter is non-NULL, the new one is nested in it.
 */
int txn_begin(kv *k, txn *parent, txn **out);
/** Commits. The transaction handle is freed. Returns 0 or an error code. */
int txn_commit(txn *t);
/** Abandons. The transaction handle is freed. */
void txn_abort(txn *t);
/** Its number. */
int txn_id(txn *t);
/** Keeps it. The handle is freed when the store is closed. */
void txn_keep(txn *t);
/** Compares two. If other is older, the result is less.
 * @param other The handle is freed later; it must not be NULL, or NULL is read. */
int txn_compare(txn *t, txn *other);
/** Nests another one. Returns 0 or an error code. */
int txn_nest(txn *t, txn **out);
"""
STORE_ANSWERS = """\
import: {name: demo, prefix: txn_}
statuses:
  int: {name: KvError, ok: [0], of: comment}
records:
  txn: {handle: Txn, release: txn_abort, belongs_to: kv}
"""


def test_a_call_takes_what_its_comment_says_it_frees(tmp_path: Path) -> None:
    importing(tmp_path, STORE, STORE_ANSWERS)
    text = spec(tmp_path)
    commit = text[text.index("- def: commit()") :].split("doc:")[0]
    assert "guess: it frees its object, as the comment says\n      - def: commit()" in text
    assert "takes: self" in commit
    assert text.count("takes:") == 1, "a condition, and another parameter, say nothing of the object"


FOREST = """\
#pragma once
namespace forest {
class Tree {
public:
    Tree();
    ~Tree();
    /** Fells it. The tree is destroyed. */
    void fell();
    /** Burns. Destroys this object and all its branches. */
    void burn();
    /** Sells. The handle must not be used afterwards. */
    int sell();
    /** Frees the object if nothing needs it. */
    void unref();
    /** Frees the memory of its branches. */
    void prune();
    /** Joins. The object is freed. */
    void graft(Tree *other);
    /** Feeds it. The other is freed; the tree stays. */
    void feed(Tree *other);
};
/** Chips. The tree is freed. */
void chip(Tree *tree, int size);
/** Paints. The colour is freed. */
void paint(Tree *tree, int colour);
}
"""
FOREST_ANSWERS = "import: {name: demo}\nrecords:\n  forest::Tree: {handle: Tree, pointer: true}\n"


def test_a_call_of_cpp_takes_what_its_comment_says_it_frees(tmp_path: Path) -> None:
    importing(tmp_path, FOREST, FOREST_ANSWERS, lang="cpp", link=["c"])
    entries = {each.split("(")[0].strip('" '): each for each in spec(tmp_path).split("def:")[1:]}
    taken = {name: re.search(r"takes: (\w+)", each) for name, each in entries.items()}
    assert {name: found[1] for name, found in taken.items() if found} == {
        "fell": "self", "burn": "self", "sell": "self", "feed": "other", "chip": "tree",
    }  # fmt: skip
    assert "it frees its object, as the comment says" in spec(tmp_path)


def test_a_call_that_frees_its_object_is_proposed_as_its_release(tmp_path: Path) -> None:
    importing(tmp_path, STORE)
    questions = (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "txn: {handle: Txn, release: txn_abort}" in questions
    assert "the comment of txn_abort says that it frees its object; it could be txn_abort, txn_commit" in questions


def test_an_object_that_one_of_its_own_class_makes_needs_that(tmp_path: Path) -> None:
    importing(tmp_path, STORE, STORE_ANSWERS)
    text = spec(tmp_path)
    nest = text[text.index("nest() -> Txn") - 80 :].split("doc:")[0]
    assert "guess: the result needs the object" in nest
    assert "holds: {result: self}" in nest


def test_an_argument_may_be_null_where_the_comment_says_so(tmp_path: Path) -> None:
    importing(tmp_path, STORE, STORE_ANSWERS)
    text = spec(tmp_path)
    begin = text[text.index("begin(") - 120 :].split("doc:")[0]
    assert '"begin(parent: Txn? = None) -> Txn"' in begin
    assert "parent may be null, as the comment says" in begin
    assert "holds: {result: parent}" in begin
    assert '"compare(other: Txn) -> i32"' in text
