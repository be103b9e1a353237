"""`wrapper-gen import`: the questions about headers, and the spec that follows from proposals and answers."""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from wrapper_gen.cli import main
from wrapper_gen.cli.exit_codes import INTERRUPTED
from wrapper_gen.drafts import imported
from wrapper_gen.drafts.imported import ImportOutcome
from wrapper_gen.drafts.report import Became
from wrapper_gen.headers import compilers
from wrapper_gen.spec.editor_schema import COMMENT, FILE, editor_schema

pytest.importorskip("clang.cindex")

STORE = """\
#include <stddef.h>
typedef struct demo_store demo_store;
typedef struct demo_row demo_row;
enum demo_mode { DEMO_MODE_READ = 1, DEMO_MODE_WRITE = 2 };
enum { DEMO_OK = 0, DEMO_FULL = 3 };
#define DEMO_LEVEL_LOW 1
#define DEMO_LEVEL_MID 2
#define DEMO_LEVEL_HIGH 9
typedef struct { int width; double height; const char *title; } demo_size;
typedef struct { int level; } demo_options;
#define DEMO_OPTIONS_INIT {7}
/** Opens a store. Returns DEMO_OK or an error code. */
int demo_store_open(const char *path, enum demo_mode mode, demo_store **out);
void demo_store_close(demo_store *s);
/** How many rows there are. */
size_t demo_store_count(const demo_store *s);
/** Adds a row. Returns DEMO_OK or an error code. */
int demo_store_add(demo_store *s, const void *data, size_t data_len, demo_row **row);
void demo_row_free(demo_row *r);
/** The size of a row. Returns DEMO_OK or an error code. */
int demo_store_get_size(demo_store *s, demo_size *size);
int demo_store_read(demo_store *s, char *buffer, size_t buffer_size);
void demo_store_each(demo_store *s, int (*visit)(void *user, int row), void *user);
void demo_store_tune(demo_store *s, const demo_options *options);
char *demo_store_dump(demo_store *s);
void demo_find(const char *text, int len);
const char *demo_strerror(int status);
int demo_printf(demo_store *s, const char *format, ...);
"""


def importing(tmp_path: Path, header: str, answers: str = "", *, name: str = "demo", **said: Any) -> ImportOutcome:
    """Import one header; what was written is in the folder."""
    suffix = "hpp" if said.get("lang") == "cpp" else "h"
    (tmp_path / f"{name}.{suffix}").write_text(header, encoding="utf-8")
    if answers:
        (tmp_path / f"{name}.import").write_text(answers, encoding="utf-8")
    options = {"headers": [f"{name}.{suffix}"], "include": [str(tmp_path)], **said}
    outcome = imported.import_(name, tmp_path, options, builds=False, report=print)
    outcome.write()
    return outcome


def spec(tmp_path: Path, name: str = "demo") -> str:
    """The draft."""
    return (tmp_path / f"{name}.wrapper_spec").read_text(encoding="utf-8")


def words(outcome: ImportOutcome) -> dict[str, tuple[Became, str]]:
    """What became of each declaration."""
    return {row.declaration.qualified: (row.word, row.why) for row in outcome.rows}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["import", *arguments])


# --- C ---------------------------------------------------------------------------------------------------------------


def test_a_c_header_becomes_a_spec(tmp_path: Path) -> None:
    importing(tmp_path, STORE)
    text = spec(tmp_path)
    for line in (
        "prefix: demo_",
        "- {name: DemoError, cpp_type: int, ok: [DEMO_OK], message: demo_strerror(value)}",
        "- {name: Mode, cpp_type: demo_mode, prefix: DEMO_MODE_, values: [READ, WRITE]}",
        "- {name: Level, cpp_type: int, prefix: DEMO_LEVEL_, values: [LOW, MID, HIGH]}",
        'fields: {width: i32, height: f64, title: "text?"}',
        "release: demo_store_close",
        "prefix: demo_store_",
        'def: "Store(path: text, mode: Mode)"',
        "cpp: demo_store_open(path, mode, &self)",
        "def: count() -> usize",
        'def: "add(data: bytes) -> Row"',
        "cpp: demo_store_add(self, data, data.size(), &out)",
        "holds: {result: self}",
        "def: get_size() -> Size",
        'def: "each(visit: fn(i32) -> i32)"',
        "demo_store_each(self, visit, visit.user_data)",
        "scope: call",
        'def: "tune(**options: Options)"',
        "make: DEMO_OPTIONS_INIT",
    ):
        assert line in text, (line, text)


def test_what_is_taken_for_granted_is_marked(tmp_path: Path) -> None:
    importing(tmp_path, STORE)
    lines = spec(tmp_path).splitlines()
    at = next(at for at, line in enumerate(lines) if 'def: "add(' in line)
    assert lines[at - 1].strip() == "# guess: data_len is the length of data"


def test_every_declaration_ends_in_one_of_five_words(tmp_path: Path) -> None:
    outcome = importing(tmp_path, STORE)
    found = words(outcome)
    assert {row.declaration.key for row in outcome.rows} == {
        each.key for each in outcome.imported.headers.declarations()
    }
    assert found["demo_store_count"] == (Became.WRITTEN, "")
    assert found["demo_store_add"] == (Became.GUESSED, "data_len is the length of data")
    assert found["demo_store_close"] == (Became.FOLLOWS, "releases Store")
    assert found["demo_printf"][0] is Became.LEFT_OUT
    assert found["demo_find"] == (Became.ASKED, "whether len is the length of text")
    assert found["demo_store_dump"] == (Became.ASKED, "what frees the memory that it returns")


def test_questions_say_what_waits_for_them(tmp_path: Path) -> None:
    outcome = importing(tmp_path, STORE)
    text = (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert '  text, len: "?"  # demo_find: text or bytes with its length, or apart' in text
    assert "  demo_store: {handle: Store, release: demo_store_close}  # sure; " in text
    assert "open: memory: char * (1 functions wait)" in outcome.text(lists_all=False)


def test_answers_are_kept_and_the_spec_follows(tmp_path: Path) -> None:
    importing(tmp_path, STORE)
    path = tmp_path / "demo.import"
    text = path.read_text(encoding="utf-8")
    text = text.replace('  text, len: "?"', "  # it is one, see the manual\n  text, len: text")
    text = text.replace('  char *: "?"', "  char *: {release: free, of: [demo_store_dump]}")
    path.write_text(text, encoding="utf-8")
    (tmp_path / "demo.wrapper_spec").unlink()
    outcome = importing(tmp_path, STORE)
    assert path.read_text(encoding="utf-8") == text
    assert outcome.is_settled
    assert '- {def: "find(text: text)", cpp: "demo_find(text, text.size())"}' in spec(tmp_path)
    assert 'def: "dump() -> text?"' in spec(tmp_path)
    assert "release: free" in spec(tmp_path)


def test_a_result_is_released_only_where_that_is_said(tmp_path: Path) -> None:
    header = STORE + "demo_row *demo_store_row(demo_store *s, int at);\n"
    importing(tmp_path, header)
    entry = spec(tmp_path).split('def: "row(at: i32) -> Row?"')[1].split("\n      - ")[0]
    assert "release: nothing" in entry
    assert "belongs_to: self" in entry


def test_other_releases_are_not_written(tmp_path: Path) -> None:
    outcome = importing(tmp_path, STORE + "void demo_store_destroy(demo_store *s);\n")
    assert words(outcome)["demo_store_destroy"][0] is Became.LEFT_OUT
    assert "destroy" not in spec(tmp_path)


def test_a_buffer_of_unknown_size_is_asked(tmp_path: Path) -> None:
    header = "void demo_hash(const char *text, unsigned char *digest);\n"
    outcome = importing(tmp_path, header)
    assert "demo_hash" in outcome.imported.decisions.headers.functions[0].name
    assert '  "?": [demo_hash]' in (tmp_path / "demo.import").read_text(encoding="utf-8")
    (tmp_path / "demo.wrapper_spec").unlink()
    answers = (tmp_path / "demo.import").read_text(encoding="utf-8")
    answers = answers.replace("buffers:\n", 'buffers:\n  demo_hash: {capacity: "32"}\n')
    importing(tmp_path, header, answers)
    assert 'cpp: "demo_hash(text, out)"' in spec(tmp_path)


def test_objects_without_a_struct_are_classes(tmp_path: Path) -> None:
    header = (
        "typedef void HANDLE;\nHANDLE *demo_open(void);\nvoid demo_close(HANDLE *h);\nint demo_use(HANDLE *h, int n);\n"
    )
    importing(tmp_path, header)
    assert "cpp_type: HANDLE *" in spec(tmp_path)
    assert 'cpp: "demo_use(self, n)"' in spec(tmp_path)


WRAPPED = """\
typedef struct st st;
#define ST_READ 1
#define ST_VERSION "2"
st *st_new(const char *path, int mode);
void st_free(st *s);
#define ST_OPEN(p) st_new(p, ST_READ)
int st_seek_(st *s, int to, int whence);
#define st_rewind(s, to) st_seek_((s), (to), ST_READ)
int st_check_version(st *s, const char *version, int size);
#define st_check(s) st_check_version((s), ST_VERSION, (int)sizeof(st *))
"""


def test_a_macro_fixes_only_what_is_checked_or_of_an_internal_function(tmp_path: Path) -> None:
    outcome = importing(tmp_path, WRAPPED, name="st")
    text = spec(tmp_path, "st")
    assert 'def: "St(path: text, mode: i32)"' in text
    assert 'def: "rewind(to: i32) -> i32", cpp: "st_seek_(self, to, ST_READ)"' in text
    assert words(outcome)["st_seek_"] == (Became.GUESSED, "whence is always ST_READ, as by st_rewind()")
    assert 'cpp: "st_check_version(self, ST_VERSION, (int)sizeof(st *))"' in text


# --- C++ -------------------------------------------------------------------------------------------------------------

SHAPES = """\
#pragma once
#include <string>
#include <vector>
#include <memory>
namespace geo {
struct error : std::exception { const char *what() const noexcept override { return "bad"; } };
enum class Kind { open, closed };
struct Size { double width = 0, height = 0; };
/// A vector.
class Vec {
public:
    Vec(double x, double y = 0) : x_(x), y_(y) {}
    double norm() const { return x_ + y_; }
    double label(const char *text, const char *more = 0) const { return more == nullptr ? 0 : *text; }
    Vec operator+(const Vec &other) const { return {x_ + other.x_, y_ + other.y_}; }
    bool operator==(const Vec &other) const { return x_ == other.x_; }
    static Vec zero() { return {0, 0}; }
    double scale = 1;
private:
    double x_, y_;
};
class Path {
public:
    virtual ~Path() {}
    virtual double length() const { return 1; }
    void add(const Vec &v) { points.push_back(v); }
    const std::vector<Vec> &all() const { return points; }
    std::vector<Vec>::const_iterator begin() const { return points.begin(); }
    std::vector<Vec>::const_iterator end() const { return points.end(); }
    template <class T> T as() const { return T(); }
    std::vector<Vec> points;
};
struct Visitor {
    virtual ~Visitor() {}
    virtual bool visit(const std::string &name, int depth) = 0;
};
inline std::shared_ptr<Path> make_path() { return std::make_shared<Path>(); }
inline int walk(const Path &path, Visitor &visitor) { return visitor.visit("a", 1); }
}
"""


def test_a_cpp_header_becomes_a_spec(tmp_path: Path) -> None:
    importing(tmp_path, SHAPES, lang="cpp")
    text = spec(tmp_path)
    for line in (
        "  requires: [{dirs: [.]}]\n",
        "- {name: Error, cpp_type: geo::error}",
        '- {name: Kind, cpp_type: geo::Kind, prefix: "geo::Kind::", values: [open, closed]}',
        "cpp_type: geo::Vec\n",
        'def: "Vec(x: f64, y: f64 = 0)"',
        "def: norm() -> f64",
        'def: "label(text: text, more: text? = None) -> f64"',
        'def: "__add__(other: Vec) -> Vec"',
        'def: "__eq__(other: Vec) -> bool"',
        "def: static zero() -> Vec",
        "scale: mut f64",
        "cpp_type: std::shared_ptr<geo::Path>",
        'def: "abstract visit(name: text, depth: i32) -> bool"',
        "cpp: geo::make_path",
    ):
        assert line in text, (line, text)


def test_templates_are_left_out_with_the_reason(tmp_path: Path) -> None:
    outcome = importing(tmp_path, SHAPES, lang="cpp")
    assert words(outcome)["geo::Path::as"] == (
        Became.LEFT_OUT,
        "a template: write an entry for each type that is wanted",
    )


def test_templates_are_written_for_the_types_of_an_answer(tmp_path: Path) -> None:
    importing(tmp_path, SHAPES, "templates:\n  geo::Path::as: [f64, Vec]\n", lang="cpp")
    assert "- {def: as_f64() -> f64, cpp: .as<double>()}" in spec(tmp_path)
    assert '- {def: as_vec() -> Vec, cpp: ".as<geo::Vec>()"}' in spec(tmp_path) or ".as<geo::Vec>()" in spec(tmp_path)


WRITTEN = """\
#pragma once
#include <string>
#include <vector>
namespace words {
class View { public: View(const char *text); const char *data() const; size_t size() const; };
bool operator==(const View &one, const View &other);
bool split(const std::string &text, std::vector<int> *at);
bool tidy(std::string *text, int most);
/// Appends to line.
void extend(std::string *line);
void sort(std::vector<int> &numbers);
struct Page { Page(); const unsigned char *data() const; size_t size() const; void turn(); };
namespace words_internal { int hidden(int n); }
}
"""


def test_what_cpp_may_change_is_asked_by_type(tmp_path: Path) -> None:
    outcome = importing(tmp_path, WRITTEN, lang="cpp", link=["c"])
    found, questions = words(outcome), (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "  std::string: {ask: [extend, tidy]}  # what calls do with one that they may change" in questions
    assert "  std::vector<int>: {out: [split], ask: [sort]}  #" in questions
    assert {found[f"words::{each}"][0] for each in ("tidy", "extend", "sort")} == {Became.ASKED}
    assert found["words::split"] == (Became.GUESSED, "text, or bytes?; C++ only writes at")
    assert "(at: [i32], result: bool)" in spec(tmp_path)


def test_answers_say_what_cpp_changes(tmp_path: Path) -> None:
    answers = (
        "import: {name: demo}\nwrites:\n  std::string: {inout: [tidy, extend]}\n"
        "  std::vector<int>: {in: [sort], out: [split]}\n"
    )
    importing(tmp_path, WRITTEN, answers, lang="cpp", link=["c"])
    text = spec(tmp_path)
    assert "tidy(text: bytes, most: i32) -> (text: bytes, result: bool)" in text
    assert 'cpp: "words::tidy(&text, most)"' in text
    assert 'def: "extend(line: bytes) -> bytes"' in text
    assert "cpp: words::extend(&line)" in text
    assert 'def: "sort(numbers: [i32])"' in text
    assert '{def: "data() -> bytes?", length: self.size()}' in text


def test_what_is_no_object_in_python_has_no_operators(tmp_path: Path) -> None:
    found = words(importing(tmp_path, WRITTEN, lang="cpp", link=["c"]))
    assert found["words::operator=="] == (Became.FOLLOWS, "of words::View, which is no class in Python")
    assert found["words::words_internal::hidden"] == (
        Became.LEFT_OUT,
        "of words::words_internal, which is internal",
    )


def test_code_outside_of_a_class_is_of_its_member(tmp_path: Path) -> None:
    header = "struct Box { int size() const; };\ninline int Box::size() const { return 1; }\n"
    outcome = importing(tmp_path, header, lang="cpp", link=["c"])
    assert [each.name for each in outcome.imported.headers.all_functions()] == ["size"]
    assert "def: size() -> i32" in spec(tmp_path)


HELD = """\
#pragma once
#include <functional>
#include <memory>
#include <vector>
namespace tree {
class Node { public: Node(); virtual ~Node(); static std::shared_ptr<Node> make(); Node copy() const; };
class Leaf : public Node { public: Leaf(); };
class Twig : public Leaf { public: Twig(); };
class Tree {
public:
    Tree();
    Node &root();
    const Node *find(int at) const;
    void add(std::unique_ptr<Node> node);
    void each(std::function<void(const Node &)> visit) const;
    void use(const Node &node);
    std::vector<Node> all() const;
    std::vector<Node>::const_iterator begin() const;
    std::vector<Node>::const_iterator end() const;
};
}
"""


def test_objects_held_by_a_smart_pointer_are_held_so_everywhere(tmp_path: Path) -> None:
    outcome = importing(tmp_path, HELD, lang="cpp", link=["c"])
    text, found = spec(tmp_path), words(outcome)
    for name in ("Node", "Leaf", "Twig"):
        assert f"  - name: {name}\n    cpp_type: std::shared_ptr<tree::{name}>\n" in text
    assert text.count("extends: Node") == text.count("extends: Leaf") == 1
    asked = {name.rpartition("::")[2] for name, (word, _) in found.items() if word is Became.ASKED}
    assert asked == {"root", "find", "add", "each", "all", "begin"}
    assert found["tree::Tree::root"][1] == "what becomes of Node &, where objects are held by std::shared_ptr"
    questions = (tmp_path / "demo.import").read_text(encoding="utf-8")
    line = next(line for line in questions.splitlines() if line.startswith("  tree::Node:"))
    assert "sure" not in line
    assert line.endswith("passed by std::shared_ptr, and by std::unique_ptr, and by T * or T &")


def test_a_base_that_holds_its_objects_in_another_way_is_not_extended(tmp_path: Path) -> None:
    answers = "import: {name: demo}\nrecords:\n  tree::Leaf: {handle: Leaf}\n  tree::Twig: {handle: Twig}\n"
    importing(tmp_path, HELD, answers, lang="cpp", link=["c"])
    note = "  # guess: without its base Node, which holds its objects in another way\n"
    assert f"{note}  - name: Leaf\n    cpp_type: tree::Leaf\n" in spec(tmp_path)
    assert "extends: Leaf" in spec(tmp_path)


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("int broken(", "the header does not parse"),
        ('#include "missing.h"\n', "'missing.h' file not found"),
        ("unknown_type f(void);\n", "unknown type name"),
    ],
)
def test_a_header_that_does_not_parse_is_an_error(tmp_path: Path, header: str, said: str) -> None:
    (tmp_path / "bad.h").write_text(header, encoding="utf-8")
    result = run("bad.h", "--lib", "bad", "--include", str(tmp_path), "-o", str(tmp_path))
    assert result.exit_code == 3
    assert said in result.stderr
    assert "WG301" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["bad.h"]


ODD = """\
#include <stdarg.h>
int demo_old();
struct demo_bits { unsigned a : 3; unsigned b : 5; };
union demo_either { int i; double d; };
struct demo_outer { struct { int x; } inner; union { int u; float v; }; int last; };
void demo_bits_put(const struct demo_bits *b);
void demo_either_put(const union demo_either *e);
void demo_outer_put(const struct demo_outer *o);
int demo_say(const char *format, ...);
int demo_vsay(const char *format, va_list more);
long double demo_long(long double x);
int demo_lambda(int lambda, int def, int from);
void demo_class(int None);
typedef struct demo_node { struct demo_node *next; struct demo_node **all; } demo_node;
void demo_node_put(const demo_node *n);
void demo_twice(int);
void demo_twice(int);
int demo_matrix(double m[3][3]);
void demo_va(int (*f)(const char *, ...));
typedef int (*demo_cb)(demo_cb_self);
"""


def test_odd_declarations_each_have_a_word(tmp_path: Path) -> None:
    outcome = importing(tmp_path, ODD.replace("typedef int (*demo_cb)(demo_cb_self);\n", ""))
    found = words(outcome)
    assert found["demo_old"][0] is Became.ASKED
    assert found["demo_say"][0] is Became.LEFT_OUT
    assert found["demo_vsay"][0] in (Became.LEFT_OUT, Became.ASKED)
    assert found["demo_long"][0] is Became.LEFT_OUT
    assert found["demo_bits_put"][0] in (Became.LEFT_OUT, Became.ASKED)
    assert found["demo_either_put"][0] in (Became.LEFT_OUT, Became.ASKED)
    assert found["demo_va"][0] in (Became.LEFT_OUT, Became.ASKED)
    assert 'def: "lambda_(lambda_: i32, def_: i32, from_: i32) -> i32"' in spec(tmp_path)
    assert 'def: "class_(none: i32)"' in spec(tmp_path)
    assert outcome.left == []


NAMELESS = """\
struct demo_outer { struct { int x; } inner; union { int u; float v; }; struct { int p; }; int last; };
void demo_outer_put(const struct demo_outer *o);
union demo_either { int i; double d; };
void demo_either_put(const union demo_either *e);
"""


def test_what_has_no_name_is_named_by_its_members_and_by_no_path(tmp_path: Path) -> None:
    found = words(importing(tmp_path, NAMELESS))
    text = spec(tmp_path)
    assert "# guess: without inner: its type has no name; u, v, p: of a union or struct without a name\n" in text
    assert found["demo_either"] == (Became.ASKED, "a union: which of i, d is valid")
    lock = (tmp_path / "demo.import.lock").read_text(encoding="utf-8")
    assert "struct demo_outer::(unnamed) inner" in lock
    assert str(tmp_path) not in text + lock


BRACKETS = """\
#include <chrono>
#include <cstddef>
#include <string>
namespace row {
class Row {
public:
    Row();
    double &operator[](std::size_t i);
    std::size_t size() const;
    std::chrono::milliseconds age() const;
    void wait(const std::chrono::duration<double> &time);
    std::chrono::system_clock::time_point made() const;
};
class Odd { public: Odd(); int operator[](int i) const; int operator[](const std::string &key) const; };
}
"""


def test_brackets_take_positions_and_times_are_durations(tmp_path: Path) -> None:
    outcome = importing(tmp_path, BRACKETS, lang="cpp", link=["c"])
    text = spec(tmp_path)
    for entry in (
        '"__getitem__(i: position[self.size()]) -> f64"',
        "age() -> duration",
        '"wait(time: duration)"',
        "made() -> datetime",
        '"__getitem__(key: text) -> i32"',
    ):
        assert entry in text, (entry, text)
    assert "# guess: i is a position below size()\n" in text
    asked = [row.why for row in outcome.rows if row.word is Became.ASKED]
    assert asked == ["whether i is a position, and how many there are, or a key"]


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ("import: {name: demo, headrs: [a.h]}\n", "import has no option 'headrs'"),
        ("import: {name: demo, headers: a.h}\n", "headers is a list of texts"),
        ("import: {name: other, headers: [a.h]}\n", "these are the answers of another library"),
        ("records: [a]\n", "records is a mapping of questions"),
        ("import: {name: demo\n", "WG004"),
        ("recrods:\n  demo_store: skip\n", "demo.import:1:1: error: no question is of 'recrods'"),
        ("records:\n  demo_store: {handle: A, relase: b}\n", "hint: did you mean 'release'?"),
        ("callables:\n  ever: [demo_seen]\n", "callables are not called 'ever'"),
        ('leave:\n  "*free": ours\n', "demo.import:2:3: error: '*free' is no pattern: nothing to repeat"),
        ("keeps:\n  demo_store: holds\n", "demo.import:2:15: error: an answer of keeps has lists of functions"),
        ("ends:\n  demo_store: {all: demo_x}\n", "hint: all: [demo_x]"),
        ("keeps:\n  demo_store: {hold: [a]}\n", "hint: did you mean 'holds'?"),
        ("records:\n  demo_store: 5\n", "demo.import:2:15: error: no answer of records is 5"),
        ("records:\n  demo_store: {handle: [a], release: b}\n", "demo.import:2:24: error: handle is a text"),
        ("records:\n  demo_store: {handle: A, release: [1]}\n", "demo.import:2:36: error: release is a text"),
        ("records:\n  demo_size: {struct: A, out: demo_x}\n", "hint: out: [demo_x]"),
        ("statuses:\n  int: hello\n", "demo.import:2:8: error: no answer of statuses is hello"),
        ("buffers:\n  demo_x: 3\n", "demo.import:2:11: error: no answer of buffers is 3"),
        ("constants:\n  DEMO_LEVEL_: 7\n", "demo.import:2:16: error: no answer of constants is 7"),
        ("library: {init: 3}\n", "demo.import:1:17: error: init is C++, and no 3"),
        ("callables:\n  call: foo\n", "demo.import:2:9: error: call has a list of types of callables"),
        ('callables:\n  "?": call\n', "hint: one of call, destroy, object, once, skip has a list of them"),
        ("results:\n  demo_row: [a]\n", "demo.import:2:13: error: no answer of results is a list"),
        ("results:\n  demo_row: 5\n", "demo.import:2:13: error: an answer of results has lists of functions"),
        ("memory:\n  char *: {release: [1], of: []}\n", "demo.import:2:21: error: release is a text"),
        ("lengths:\n  text, len: some\n", "demo.import:2:14: error: no answer of lengths is some"),
        ("templates:\n  demo_f: i64\n", "hint: demo_f: [i64], or skip"),
        (
            "results:\n  demo_row: {owned: [demo_a], borrowed: [demo_a]}\n",
            "demo.import:2:42: error: demo_a is in owned and in borrowed",
        ),
        ("ends:\n  demo_store: {all: [demo_a], nothing: [demo_a]}\n", "2:41: error: demo_a is in all and in nothing"),
        (
            "records:\n  demo_row: {handle: Row, release: nothing, belongs_to: Row}\n",
            "demo.import:2:57: error: a demo_row that nothing releases cannot belong to itself",
        ),
        (
            "records:\n  demo_row: {handle: Row, belongs_to: {a: Row, b: Row}}\n",
            "hint: belongs_to: NAME, or belongs_to: {property: NAME}",
        ),
        ("results:\n  demo_store: {owned: [demo_(]}\n", "demo.import:2:24: error: 'demo_(' is no pattern"),
    ],
)
def test_answers_that_cannot_be_used_are_errors(tmp_path: Path, answers: str, said: str) -> None:
    (tmp_path / "demo.import").write_text(answers, encoding="utf-8")
    (tmp_path / "demo.h").write_text(STORE, encoding="utf-8")
    result = run("demo.h", "--lib", "demo", "--include", str(tmp_path), "-o", str(tmp_path))
    assert result.exit_code == 3
    assert said in result.stderr
    assert (tmp_path / "demo.import").read_text(encoding="utf-8") == answers


def test_answers_have_what_a_class_says_of_its_handles(tmp_path: Path) -> None:
    said = 'empty: "value == nullptr", identity: true, blocking: true, thread: any'
    answers = f"import: {{name: demo}}\nrecords:\n  demo_row: {{handle: Row, release: demo_row_free, {said}}}\n"
    outcome = importing(tmp_path, STORE, answers)
    row = spec(tmp_path).partition("  - name: Row\n")[2].partition("  - name: ")[0]
    for line in ("empty: value == nullptr", "identity: true", "blocking: true", "thread: any"):
        assert f"    {line}\n" in row, row
    assert outcome.left == outcome.findings == []


def test_an_answer_about_what_is_not_declared_is_a_warning(tmp_path: Path) -> None:
    outcome = importing(tmp_path, STORE, "import: {name: demo}\nrecords:\n  other_store: skip\n")
    (found,) = outcome.findings
    assert (found.code, found.span.line) == ("WG305", 3)


_LOCK_OF = '{"lock": 1, "source": {"headers": ["demo.h"], "language": "c"}, "declarations": [{%s}]}'


@pytest.mark.parametrize(
    "lock",
    [
        "{",
        _LOCK_OF % '"key": "f", "kind": "function", "at": "demo.h", "signature": "int ()"',
        _LOCK_OF % '"key": "f", "kind": "function", "at": "demo.h:1", "signature": "int ()", "doc": 1',
    ],
)
def test_a_lock_that_is_not_ours_is_an_error(lock: str, tmp_path: Path) -> None:
    (tmp_path / "demo.h").write_text(STORE, encoding="utf-8")
    (tmp_path / "demo.import.lock").write_text(lock, encoding="utf-8")
    result = run("demo.h", "--lib", "demo", "--include", str(tmp_path), "-o", str(tmp_path))
    assert result.exit_code == 3
    assert "WG303" in result.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--only", "("], "--only: '(' is no pattern: missing )"),
        (["--std", "foo"], "--std: 'foo' is no standard of C or C++"),
        (["--std", "c++17"], "demo.h:1:1: error: clang does not read C as c++17 [WG301]"),
        (["--define", "1X"], "demo.import:1:1: error: --define: '1X' is no macro"),
    ],
)
def test_options_that_nothing_can_read_are_errors(options: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "demo.h").write_text("int f(void);\n", encoding="utf-8")
    result = run("demo.h", "--lib", "demo", "--include", str(tmp_path), "-o", str(tmp_path), *options)
    assert result.exit_code == 3
    assert said in result.stderr
    assert "hint: " in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["demo.h"]


def test_an_option_in_the_answers_is_shown_there(tmp_path: Path) -> None:
    (tmp_path / "demo.import").write_text("import:\n  headers: [demo.h]\n  std: foo\n", encoding="utf-8")
    result = run("--lib", "demo", "-o", str(tmp_path))
    assert "demo.import:3:8: error: --std: 'foo'" in result.stderr


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("#ifndef X\n#error X has to be defined\n#endif\n", "a macro (--define) or --std may be missing"),
        ("class A {};\n", "it is a header of C++: --lang cpp"),
        ("namespace demo { int f(); }\n", "it is a header of C++: --lang cpp"),
    ],
)
def test_what_does_not_parse_says_what_to_do(header: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "demo.h").write_text(header, encoding="utf-8")
    result = run("demo.h", "--lib", "demo", "--include", str(tmp_path), "-o", str(tmp_path))
    assert result.exit_code == 3
    assert said in result.stderr


def test_the_language_has_the_names_that_new_takes(tmp_path: Path) -> None:
    (tmp_path / "demo.h").write_text("namespace demo { int f(); }\n", encoding="utf-8")
    given = ("demo.h", "--lib", "demo", "--include", str(tmp_path), "-o", str(tmp_path))
    assert run(*given, "--lang", "c++").exit_code == 0
    assert "lang: cpp" in (tmp_path / "demo.import").read_text(encoding="utf-8")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the header is of that processor")
def test_vector_instructions_say_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "demo.h").write_text("#include <immintrin.h>\nint f(__m128 a);\n", encoding="utf-8")
    result = run("demo.h", "--lib", "demo", "--include", str(tmp_path), "-o", str(tmp_path))
    assert (result.exit_code == 0) != ("switch them off by the library's macro, as --define" in result.stderr)
    assert result.stderr.count("[WG301]") <= 1  # one of hundreds stands for all


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("demo.import.lock", b"\xff\xfe", "the lock is no text in UTF-8 [WG303]"),
        ("demo.import.lock", None, "the lock cannot be read: Is a directory [WG303]"),
        ("demo.wrapper_spec", b"wrapper_lib: {name: \xff}", "[WG002]"),
    ],
)
def test_files_of_the_last_run_that_cannot_be_read(name: str, content: bytes | None, said: str, tmp_path: Path) -> None:
    (tmp_path / "demo.h").write_text("int f(void);\n", encoding="utf-8")
    (tmp_path / name).write_bytes(content) if content is not None else (tmp_path / name).mkdir()
    result = run("demo.h", "--lib", "demo", "--include", str(tmp_path), "-o", str(tmp_path))
    assert result.exit_code == 3
    assert said in result.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"demo.h", name}


@pytest.mark.parametrize(
    ("header", "options", "said"),
    [
        ("int f(void);\n", ["--link", "nosuchlib"], "there is no library nosuchlib on this machine"),
        ("int f(void);\n", ["--requires", "nosuchpkg"], "pkg-config does not know nosuchpkg"),
        ("#include <stddef.h>\n", [], "the headers declare nothing that is the library's own"),
    ],
)
def test_what_is_not_found_is_a_warning(header: str, options: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "demo.h").write_text(header, encoding="utf-8")
    result = run("demo.h", "--lib", "demo", "--include", str(tmp_path), "-o", str(tmp_path), *options)
    assert result.exit_code == 0
    assert f"warning: {said}" in result.stderr
    assert "[WG308]" in result.stderr


ANOTHER_MACHINE = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\xfe\xca"  # which there is not


@pytest.mark.skipif(sys.platform != "linux", reason="libraries here are no files of ELF")
def test_a_library_of_another_machine_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "demo.h").write_text("int f(void);\n", encoding="utf-8")
    (tmp_path / "libelsewhere.so").write_bytes(ANOTHER_MACHINE)
    monkeypatch.setenv("LIBRARY_PATH", str(tmp_path))
    result = run("demo.h", "--lib", "demo", "--include", str(tmp_path), "-o", str(tmp_path), "--link", "elsewhere")
    assert result.exit_code == 0
    assert "libelsewhere.so is a library of another machine than this one" in result.stderr


def test_a_word_of_python_is_no_library(tmp_path: Path) -> None:
    for more in ([], ["--from", "pybind11"]):
        result = run("demo.h", "--lib", "class", "-o", str(tmp_path), *more)
        assert result.exit_code == 2
        assert "--lib: 'class' cannot be the name of a library" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_no_header_is_an_error(tmp_path: Path) -> None:
    result = run("--lib", "demo", "-o", str(tmp_path))
    assert result.exit_code == 3
    assert "no header is named" in result.stderr
    assert run("a.h", "--lib", "not a name").exit_code == 2


# --- the command -----------------------------------------------------------------------------------------------------


def test_check_tells_of_open_questions_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "demo.h").write_text(STORE, encoding="utf-8")
    result = run("demo.h", "--lib", "demo", "--include", str(tmp_path), "-o", str(tmp_path), "--check")
    assert result.exit_code == 1
    assert [path.name for path in tmp_path.iterdir()] == ["demo.h"]


def test_the_report_is_data_too(tmp_path: Path) -> None:
    (tmp_path / "demo.h").write_text(STORE, encoding="utf-8")
    result = run("demo.h", "--lib", "demo", "--include", str(tmp_path), "-o", str(tmp_path), "--format", "json")
    data = json.loads(result.stdout)
    assert data["functions"]["asked"] == 2
    assert {each["word"] for each in data["declarations"]} == {"written", "guessed", "follows", "left out", "asked"}
    assert {"group": "memory", "key": "char *"}.items() <= next(
        each for each in data["questions"] if each["group"] == "memory"
    ).items()


def test_questions_can_be_answered_at_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "demo.h").write_text(STORE, encoding="utf-8")
    arguments = ["demo.h", "--lib", "demo", "--include", str(tmp_path), "-o", str(tmp_path), "--answers"]
    asked = CliRunner().invoke(
        main, ["import", *arguments], input="{release: free, of: [demo_store_dump]}\ntext\n" + "\n" * 9
    )
    assert asked.exit_code == 0, asked.output
    assert "char *: {release: free, of: [demo_store_dump]}" in (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "text, len: text" in (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "find(text: text)" in spec(tmp_path)


def test_what_was_answered_before_the_end_of_the_input_is_kept(tmp_path: Path) -> None:
    (tmp_path / "demo.h").write_text(STORE, encoding="utf-8")
    arguments = ["demo.h", "--lib", "demo", "--include", str(tmp_path), "-o", str(tmp_path), "--answers"]
    asked = CliRunner().invoke(main, ["import", *arguments], input="{release: free}\n")  # a length is open
    assert asked.exit_code == INTERRUPTED
    assert f"stopped: the answers so far are in {tmp_path / 'demo'}.import; --answers asks for the rest" in asked.output
    assert "char *: {release: free}" in (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert '"dump() -> text?", release: free' in spec(tmp_path)  # `of` all that is not kept
    assert "find(" not in spec(tmp_path)


TERMINAL = """\
typedef struct demo_hub demo_hub;
demo_hub *demo_hub_new(void);
void demo_hub_free(demo_hub *h);
/** Walks along. */
void demo_hub_each(demo_hub *h, int (*visit)(void *user, int at), void *user);
/** Runs until the job is done. Returns 0 on success. */
int demo_hub_run(demo_hub *h, void (*job)(void *user), void *user);
/** Fills a digest. */
void demo_hub_digest(demo_hub *h, unsigned char *digest);
/** Makes a name, which is to be freed. */
char *demo_hub_name(demo_hub *h);
"""


def test_answers_at_a_terminal_have_the_headers_words_and_are_kept(tmp_path: Path) -> None:
    (tmp_path / "demo.h").write_text(TERMINAL, encoding="utf-8")
    arguments = ["demo.h", "--lib", "demo", "--include", str(tmp_path), "-o", str(tmp_path), "--answers"]
    first = imported.import_(
        "demo", tmp_path, {"headers": ["demo.h"], "include": [str(tmp_path)]}, builds=False, report=print
    )
    typed = {
        ("callables", "?"): "call",
        ("buffers", "?"): '{capacity: "16"}',
        ("memory", "char *"): "{release: free, of: [demo_hub_name]}",
    }
    lines = [typed.get((each.group, each.key), "") for each in first.pending]
    asked = CliRunner().invoke(main, ["import", *arguments], input="\n".join(lines) + "\n")
    assert asked.exit_code == 0, asked.output
    for comment in (
        "  | demo_hub_run: Runs until the job is done",
        "  | demo_hub_digest: Fills a digest",
        "  | demo_hub_name: Makes a name, which is to be freed",
        "  | demo_hub_each: Walks along",
    ):
        assert comment in asked.output, asked.output
    kept = (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "  call: [int (*)(void *, int), void (*)(void *)]" in kept.replace('"', ""), kept
    assert 'demo_hub_digest: {capacity: "16"}' in kept
    for entry in ('"run(job: fn())"', "digest() -> bytes", '"name() -> text?"'):
        assert entry in spec(tmp_path), (entry, spec(tmp_path))


NULLS = """\
namespace demo {
struct Node {
    ~Node();
    Node *parent() const;       // the node around it
    Node *next() const;         ///< The next one, or null behind the last.
    Node *root() const;         ///< The outermost one; this never returns NULL.
    int wait(const char *text, int size);
};
}
"""


def test_what_a_comment_says_may_be_null_is_optional(tmp_path: Path) -> None:
    answers = "records:\n  demo::Node: {handle: Node, pointer: true, release: nothing, belongs_to: nothing}\n"
    importing(tmp_path, NULLS, answers, lang="cpp")
    assert "def: next() -> Node?" in spec(tmp_path) or 'def: "next() -> Node?"' in spec(tmp_path), spec(tmp_path)
    assert "# guess: null, of which the comment speaks" in spec(tmp_path)
    assert "parent() -> Node?" in spec(tmp_path) and "# guess: null where there is none" in spec(tmp_path)
    assert "root() -> Node?" not in spec(tmp_path) and "root() -> Node" in spec(tmp_path), spec(tmp_path)


def test_the_names_that_are_asked_for_entries_are_known_again(tmp_path: Path) -> None:
    importing(tmp_path, NULLS, lang="cpp")
    written = (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "demo::Node::" in written, written
    again = importing(tmp_path, NULLS, written, lang="cpp")
    assert [each for each in again.findings if each.code == "WG305"] == []


# --- the page --------------------------------------------------------------------------------------------------------


def test_the_page_shows_what_is_written(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "import.md").read_text(encoding="utf-8")
    header = page.partition("```c\n")[2].partition("```")[0]
    importing(tmp_path, header, name="store")
    questions, draft = (block.partition("```")[0] for block in page.split("```text\n")[1:3])
    assert questions in (tmp_path / "store.import").read_text(encoding="utf-8")
    assert draft in spec(tmp_path, "store")


KEEPING = """\
typedef struct demo_plug demo_plug;
typedef struct demo_box demo_box;
demo_plug *demo_plug_new(void);
void demo_plug_free(demo_plug *p);
demo_box *demo_box_new(demo_plug *first);
void demo_box_free(demo_box *b);
/** Connects one. */
void demo_box_add(demo_box *b, demo_plug *p);
/** Connects one; takes ownership of the plug. */
void demo_box_place(demo_box *b, demo_plug *p);
void demo_box_set0_plug(demo_box *b, demo_plug *p);
void demo_box_delete_plug(demo_box *b, int at);
"""


def test_what_may_be_kept_is_held_and_what_may_be_taken_is_asked(tmp_path: Path) -> None:
    outcome = importing(tmp_path, KEEPING)
    found = words(outcome)
    asked = (Became.ASKED, "whether it takes p away, holds it, or only uses it")
    assert found["demo_box_place"] == asked
    assert found["demo_box_set0_plug"] == asked
    assert found["demo_box_add"] == (Became.GUESSED, "the object may keep p")
    assert found["demo_box_delete_plug"][0] is Became.GUESSED
    assert 'def: "box_add(p: Plug)", holds: [p]' in spec(tmp_path) or "holds: [p]" in spec(tmp_path)


def test_bytes_need_a_length(tmp_path: Path) -> None:
    header = """\
    void demo_key(const unsigned char *key);
    void demo_feed(const unsigned char *in, int inl);
    void demo_items(const void *data, unsigned long size, unsigned long nitems);
    void demo_nameless(const char *, int);
    """
    outcome = importing(tmp_path, header)
    found = words(outcome)
    assert found["demo_key"] == (Became.ASKED, "how many bytes a const unsigned char * has")
    assert found["demo_items"][0] is Became.ASKED
    assert found["demo_nameless"] == (Became.ASKED, "whether the integer is the length of the text before it")
    assert 'def: "feed(in_: bytes)", cpp: "demo_feed(in_, in_.size())"' in spec(tmp_path)


def test_constants_of_several_words_are_in_the_group_of_the_first(tmp_path: Path) -> None:
    names = ["DEMO_VALIDATE_ONLY", "DEMO_STRICT", "DEMO_REJECT_DUPLICATES", "DEMO_DECODE_ANY"]
    importing(tmp_path, "".join(f"#define {name} {1 << at}\n" for at, name in enumerate(names)))
    assert "values: [VALIDATE_ONLY, STRICT, REJECT_DUPLICATES, DECODE_ANY]" in spec(tmp_path)


def test_an_enum_that_a_function_hides_is_named_by_its_tag(tmp_path: Path) -> None:
    importing(tmp_path, "enum demo_code { demo_code_a, demo_code_b };\nenum demo_code demo_code(int of);\n")
    assert "cpp_type: enum demo_code" in spec(tmp_path)


def test_functions_that_may_keep_an_argument_also_with_a_length(tmp_path: Path) -> None:
    header = """\
#include <stddef.h>
typedef struct demo demo;
demo *demo_new(void);
void demo_free(demo *of);
typedef struct demo_pen demo_pen;
demo_pen *demo_pen_new(void);
void demo_pen_free(demo_pen *pen);
void demo_put(demo *of, const char *key, demo_pen *value);
void demo_putn(demo *of, const char *key, size_t key_len, demo_pen *value);
"""
    importing(tmp_path, header)
    assert spec(tmp_path).count("holds: [value") == 2


# --- answers that speak of nothing -----------------------------------------------------------------------------------

HASH = """\
typedef struct demo_hash demo_hash;
demo_hash *demo_hash_new(void);
void demo_hash_free(demo_hash *h);
void demo_hash_add(demo_hash *h, const void *d, unsigned long cnt);
void demo_hash_update(demo_hash *h, const void *d, unsigned long amount);
void demo_hash_seed(demo_hash *h, const unsigned char *s, int amount);
"""


def test_an_answer_names_the_length_of_bytes(tmp_path: Path) -> None:
    """Names that do not tell are no question where no text could be meant; an answer is taken all the same."""
    (tmp_path / "before").mkdir()
    asked = words(importing(tmp_path / "before", HASH))
    assert asked["demo_hash_add"] == (Became.GUESSED, "cnt is the length of d")
    assert asked["demo_hash_update"][0] is asked["demo_hash_seed"][0] is Became.ASKED
    answers = 'import: {name: demo}\nlengths:\n  "d, amount": bytes\n  "s, amount": bytes\n'
    outcome = importing(tmp_path, HASH, answers)
    assert not outcome.findings
    assert '"update(d: bytes)"' in spec(tmp_path)
    assert '"seed(s: bytes)"' in spec(tmp_path)


STARTED = """\
/** Starts the library. It must be called before any other function. Returns how often it was called. */
int demo_init(void);
/** Stops the library. */
int demo_shutdown(void);
int demo_count(void);
"""


def test_what_starts_a_library_is_asked_where_its_comment_says_so(tmp_path: Path) -> None:
    outcome = importing(tmp_path, STARTED)
    questions = (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "library:\n  init: demo_init()  # its comment says that it is called first" in questions
    assert "  shutdown: demo_shutdown()  # sure; at the end of the process" in questions
    assert words(outcome)["demo_init"] == (Became.LEFT_OUT, "it starts the library")
    assert "  init: demo_init()\n  shutdown: demo_shutdown()\n" in spec(tmp_path)
    (tmp_path / "other").mkdir()
    answers = "import: {name: demo}\nlibrary:\n  init: static_cast<void>(demo_init())\n  shutdown: skip\n"
    outcome = importing(tmp_path / "other", STARTED.replace("before any other", "last of all"), answers)
    assert "  init: static_cast<void>(demo_init())\n" in spec(tmp_path / "other")
    assert (outcome.findings, words(outcome)["demo_shutdown"][0]) == ([], Became.WRITTEN)


OF_NOTHING = """\
import: {name: demo}
leave:
  demo_fnd: for later
  "demo_row_.*": for later
statuses:
  int: {name: DemoError, ok: [DEMO_OKAY], of: comment, and: [demo_store_opne]}
records:
  demo_store: {handle: Store, release: demo_store_clos}
  demo_row: {handle: Row, release: demo_row_free, belongs_to: demo_stor}
results:
  demo_rwo: {owned: [], borrowed: []}
memory:
  char *: {release: free, of: [demo_store_dmp]}
lengths:
  txt, len: text
callables:
  call: ["int (*)(void *, long)"]
constants:
  DEMO_LEVL_: skip
keeps:
  demo_row: {holds: [demo_store_ad]}
"""


def test_functions_of_c_that_free_are_no_mistakes(tmp_path: Path) -> None:
    header = "void x_free(void *p);\nvoid ffree(void *p);\nchar *x_dump(void);\n"
    answers = "import: {name: demo}\nmemory:\n  char *: {release: free, of: [x_dump]}\n"
    assert importing(tmp_path, header, answers).findings == []


def test_answers_that_speak_of_nothing_are_warned_of(tmp_path: Path) -> None:
    outcome = importing(tmp_path, STORE, OF_NOTHING)
    found = {(each.span.line, each.message): each.hint for each in outcome.findings}
    assert {each.code for each in outcome.findings} == {"WG305"}
    assert {(line, what): str(hint) for (line, what), hint in found.items()} == {
        (3, "no function is called 'demo_fnd'"): "did you mean 'demo_find'?",
        (6, "the headers have no 'DEMO_OKAY'"): "did you mean 'DEMO_OK'?",
        (6, "no function is called 'demo_store_opne'"): "did you mean 'demo_store_open'?",
        (8, "the headers have no 'demo_store_clos'"): "did you mean 'demo_store_close'?",
        (9, "no class is 'demo_stor'"): "did you mean 'demo_store'?",
        (11, "the headers do not ask for 'demo_rwo'"): "did you mean 'demo_row'?",
        (13, "no function is called 'demo_store_dmp'"): "did you mean 'demo_store_dump'?",
        (15, "the headers do not ask for 'txt, len'"): "did you mean 'text, len'?",
        (17, "no function is given a 'int (*)(void *, long)'"): "did you mean 'int (*)(void *, int)'?",
        (19, "the headers do not ask for 'DEMO_LEVL_'"): "did you mean 'DEMO_LEVEL_'?",
        (21, "no function is called 'demo_store_ad'"): "did you mean 'demo_store_add'?",
    }


# --- folders ---------------------------------------------------------------------------------------------------------


def test_folders_are_named_from_the_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "demo.h").write_text(STORE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run("demo.h", "--lib", "demo", "--include", "include", "-o", "specs").exit_code == 0
    assert "requires: [{dirs: [../include]}]" in spec(tmp_path / "specs")
    first = (tmp_path / "specs" / "demo.import").read_text(encoding="utf-8")
    assert "include: [../include]" in first
    assert str(tmp_path) not in "".join(path.read_text("utf-8") for path in (tmp_path / "specs").iterdir())
    monkeypatch.chdir(tmp_path / "include")  # the second run needs no option, wherever it is made
    assert run("--lib", "demo", "-o", "../specs").exit_code == 0
    assert (tmp_path / "specs" / "demo.import").read_text(encoding="utf-8") == first


def test_folders_elsewhere_are_said_to_be_of_this_machine(tmp_path: Path) -> None:
    away, here = tmp_path / "away", tmp_path / "here"
    away.mkdir()
    here.mkdir()
    (away / "demo.h").write_text(STORE, encoding="utf-8")
    assert run("demo.h", "--lib", "demo", "--include", str(away), "-o", str(here)).exit_code == 0
    assert spec(here).startswith(f"{COMMENT}\n# {away} is a folder of this machine: ")


@pytest.mark.parametrize("folder", ["", "include"])
def test_a_header_named_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    monkeypatch.chdir(tmp_path)
    header = tmp_path / "include" / "demo.h"
    header.parent.mkdir()
    header.write_text(STORE, encoding="utf-8")
    result = run(str(header), "--lib", "demo", *(["--include", folder] if folder else []))
    assert result.exit_code == 0
    assert f"cpp_include: [{'demo.h' if folder else header}]" in spec(tmp_path)
    assert ("[WG306]" in result.stderr) == (not folder)
    assert folder or f"hint: name its folder: wrapper-gen import demo.h --include {header.parent}" in result.stderr
    first = "wrapper_lib:" if folder else f"# {header} is a path of this machine: "
    assert spec(tmp_path).startswith(f"{COMMENT}\n{first}")
    assert (tmp_path / FILE).read_text(encoding="utf-8") == editor_schema()


def test_a_header_of_the_compilers_named_by_its_whole_path(tmp_path: Path) -> None:
    found = next((each for each in compilers.include_folders("c") if Path(each, "errno.h").is_file()), None)
    if found is None:
        pytest.skip("the compiler has no errno.h")
    assert run(f"{found}/errno.h", "--lib", "demo", "-o", str(tmp_path)).exit_code == 0
    assert "cpp_include: [errno.h]" in spec(tmp_path)


def test_folders_of_a_package_are_left_to_pkg_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (away / "demo.h").write_text(STORE, encoding="utf-8")
    text = f"Name: demo\nDescription: none\nVersion: 1\nCflags: -I{away}\n"
    (tmp_path / "demo.pc").write_text(text, encoding="utf-8")
    monkeypatch.setenv("PKG_CONFIG_PATH", str(tmp_path))
    if not compilers.pkg_config("demo"):
        pytest.skip("pkg-config is missing")
    assert run("demo.h", "--lib", "demo", "--include", str(away), "-o", str(tmp_path)).exit_code == 0
    assert "requires: [demo]" in spec(tmp_path)
    assert run("--lib", "demo", "-o", str(tmp_path)).exit_code == 0


def test_a_header_of_this_folder_is_found_with_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """C does not look where one stands; the message says how it does."""
    (tmp_path / "demo.h").write_text(STORE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    result = run("demo.h", "--lib", "demo")
    assert result.exit_code == 3
    assert "add --include ." in result.stderr
    assert run("demo.h", "--lib", "demo", "--include", ".").exit_code == 0
