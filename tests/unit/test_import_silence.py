"""What `wrapper-gen import` asks or marks, and does not write in silence: from names, types and comments of headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_imports import importing, spec, words
from wrapper_gen.drafts.report import Became

pytest.importorskip("clang.cindex")

SEVERAL = """\
#include <stddef.h>
#include <stdint.h>
typedef struct demo_file demo_file;
typedef struct { unsigned char id[20]; } demo_id;
demo_file *demo_open(const char *path);
void demo_close(demo_file *f);
int64_t demo_readf_short(demo_file *f, short *ptr, int64_t frames);
int64_t demo_writef_short(demo_file *f, const short *ptr, int64_t frames);
/** @param f the file
 * @param commit the id
 * @param ids the ids to look at
 * @param length how many */
int demo_reachable(demo_file *f, const demo_id *commit, const demo_id ids[], size_t length);
/** @param values_out An array of num_names strings, which are written.
 * @param names An array of num_names strings */
void demo_get_many(const char **values_out, demo_file *f, size_t num_names, const char **names);
void demo_scale(size_t count, float *samples);
int demo_status(demo_file *f, int op, int *current, int *highest, int reset_flag);
int demo_find(const demo_id *id, size_t len);
"""


def test_an_address_beside_a_number_is_asked(tmp_path: Path) -> None:
    found = words(importing(tmp_path, SEVERAL))
    assert {name: why for name, (word, why) in found.items() if word is Became.ASKED} == {
        "demo_readf_short": "whether ptr is one or several: frames may say how many",
        "demo_writef_short": "whether ptr is one or several: frames may say how many",
        "demo_reachable": "whether ids is one or several: length may say how many",
        "demo_get_many": "whether values_out is one or several: num_names may say how many",
        "demo_scale": "whether samples is one or several: count may say how many",
    }
    text = spec(tmp_path)
    assert 'def: "status(op: i32, reset_flag: i32) -> (current: i32, highest: i32, result: i32)"' in text
    assert 'def: "find(id: Id, len: usize) -> i32"' in text


def test_an_address_of_cpp_beside_a_number_is_asked(tmp_path: Path) -> None:
    found = words(importing(tmp_path, "void mix(short *ptr, long frames);\nvoid one(int *out);\n", lang="cpp"))
    assert found["mix"] == (Became.ASKED, "whether ptr is one or several: frames may say how many")
    assert found["one"] == (Became.GUESSED, "C++ writes out")


CAPACITY = """\
typedef struct demo_stream demo_stream;
demo_stream *demo_open(const char *path);
void demo_close(demo_stream *s);
/** Returns the dictionary. size is set to the number of bytes in the dictionary. */
void demo_dictionary(demo_stream *s, unsigned char *dictionary, unsigned int *size);
/** Packs. Upon entry, dest_len is the total size of the buffer. Upon exit, it is the actual size. */
void demo_pack(demo_stream *s, unsigned char *dest, unsigned long *dest_len);
"""


def test_a_length_that_c_writes_is_a_capacity_only_where_the_comment_says_so(tmp_path: Path) -> None:
    found = words(importing(tmp_path, CAPACITY))
    assert found["demo_dictionary"] == (Became.ASKED, "how large dictionary is: C may only write size")
    assert '"?": [demo_dictionary]' in (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert 'def: "pack(dest_len: u64) -> bytes"' in spec(tmp_path)


@pytest.mark.parametrize(
    ("capacity", "line"),
    [("32768", "dictionary() -> bytes"), ("size", 'dictionary(size: u32) -> bytes"')],
)
def test_an_answer_says_how_large_memory_is(tmp_path: Path, capacity: str, line: str) -> None:
    answers = f'import: {{name: demo}}\nbuffers:\n  demo_dictionary: {{capacity: "{capacity}"}}\n'
    importing(tmp_path, CAPACITY, answers)
    text = spec(tmp_path)
    assert line in text and "demo_dictionary(self, out, &capacity)" in text


@pytest.mark.parametrize("lists", ["inout: [clean.poly], out: [clean]", "out: [clean], inout: ['lib::clean.poly']"])
def test_an_answer_of_a_parameter_decides_more_than_one_of_the_function(tmp_path: Path, lists: str) -> None:
    header = """\
#include <vector>
namespace lib {
typedef std::vector<int> Path;
void clean(const Path &in_poly, Path &out_poly);
void clean(Path &poly, double distance);
}
"""
    answers = f"import: {{name: demo}}\nwrites:\n  Path: {{{lists}}}\n"
    outcome = importing(tmp_path, header, answers, lang="cpp", link=["c"])
    text = spec(tmp_path)
    assert 'def: "clean(poly: [i32], distance: f64) -> [i32]"' in text and "clean(in_poly: [i32]) -> [i32]" in text
    assert not outcome.findings


LENDS = """\
#include <string>
namespace demo {
class Node { public: std::string name() const; const Node *next() const; private: Node(); ~Node(); };
class Tree { public: Tree(); const Node *first() const; int total() const; };
class Clipper { public: Clipper(); bool execute(int type, Tree &solution); int count(const Tree &tree) const;
  /** Adds. The nodes of tree are invalidated. */ void refill(Tree &tree); };
void visit_nodes(Tree &tree);
}
"""


def test_a_call_that_may_change_what_lends_objects_is_asked(tmp_path: Path) -> None:
    found = words(importing(tmp_path, LENDS, lang="cpp"))
    assert found["demo::Clipper::execute"] == (Became.ASKED, "whether it ends what belongs to solution")
    assert found["demo::Clipper::count"] == (Became.WRITTEN, "")
    assert found["demo::visit_nodes"] == (Became.GUESSED, "it ends nothing that belongs to tree")
    assert "ends: tree" in spec(tmp_path)
    questions = (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert (
        "  demo::Tree: {all: [refill], nothing: [visit_nodes], ask: [execute]}  # which of its methods, and"
        in questions
    )


@pytest.mark.parametrize(("word", "ends"), [("all", ", ends: solution"), ("nothing", "")])
def test_an_answer_says_whether_a_call_ends_what_an_argument_lends(tmp_path: Path, word: str, ends: str) -> None:
    answers = f"import: {{name: demo}}\nends:\n  demo::Tree: {{{word}: [execute]}}\n"
    importing(tmp_path, LENDS, answers, lang="cpp")
    assert f'{{def: "execute(type: i32, solution: Tree) -> bool"{ends}}}' in spec(tmp_path)


VALUES = """\
typedef struct demo_repo demo_repo;
typedef struct demo_ref demo_ref;
demo_repo *demo_open(const char *path);
void demo_close(demo_repo *r);
void demo_ref_free(demo_ref *r);
/** Closes a file.
 * @return Zero on success, or an error code */
int demo_flush(demo_repo *r);
/** Sets it.
 * @return 0, DEMO_BUSY if it is in use, or an error value */
int demo_set(demo_repo *r, int level);
/** An error code is kept. Is it empty?
 * @return 1 if it is empty, 0 if not; error code if there was an error */
int demo_is_empty(demo_repo *r);
/** Where it stands, which returns the currently known place or 0 on success.
 * @return the place, or a negative value as an error code */
int demo_tell(demo_repo *r);
/** @return less than zero if there was an error */
int demo_order(demo_repo *r);
/** @return -1 if there is none */
int demo_which(demo_repo *r);
/** @return how it stands; 0 on success, 1 if it was closed, error-code otherwise */
int demo_unlock(demo_repo *r);
/** @return the parent, NULL if an error occurred */
demo_repo *demo_dup(demo_repo *r);
/** @param ref_out the reference, or NULL
 * @param spec What is wanted. It is parsed first. Pass NULL for all of them.
 * @param name The name (optional)
 * @return 0 on success, or an error code */
int demo_find(demo_ref **ref_out, demo_repo *r, const char *spec, const char *name);
"""


def test_a_value_that_may_be_an_error_is_marked_and_success_is_no_error(tmp_path: Path) -> None:
    answers = "import: {name: demo}\nstatuses:\n  int: {name: DemoError, ok: [0], of: comment}\n"
    found = words(importing(tmp_path, VALUES, answers))
    text = spec(tmp_path)
    for line in ("flush()", "set(level: i32)", "unlock()"):
        start = text.index(f"def: {line}" if f"def: {line}" in text else f'def: "{line}"')
        assert "raises: DemoError" in text[start : start + 300].partition("- ")[0], line
    for name in ("is_empty", "tell"):
        assert "nothing tests whether it is the code of an error" in found[f"demo_{name}"][1]
    assert "nothing tests whether it is" in found["demo_order"][1]
    assert "it is -1, of which the comment speaks" in found["demo_which"][1]


def test_all_that_a_comment_says_of_null_counts(tmp_path: Path) -> None:
    answers = (
        "import: {name: demo}\nstatuses:\n  int: {name: DemoError, ok: [0], of: comment}\n"
        "results:\n  demo_repo: {owned: [demo_open, demo_dup]}\n"
    )
    importing(tmp_path, VALUES, answers)
    text = spec(tmp_path)
    assert "find(spec: text? = None, name: text? = None) -> Ref?" in text
    assert "dup() -> Repo" in text and "dup() -> Repo?" not in text


def test_a_constructor_that_cpp_makes_is_drafted(tmp_path: Path) -> None:
    header = """\
#include <string>
class Plain { public: void clear(); private: std::string name_; };
class Part : public Plain { public: int total() const; private: Plain first_; };
class Hidden { public: int total() const; private: Hidden(); };
class Below : public Hidden { public: int sum() const; };
class Bound { public: explicit Bound(int size); int total() const; };
class Refers { public: int total() const; private: int &number_; };
class Abstract { public: int total() const; virtual int of() = 0; virtual ~Abstract(); };
void use(Plain &a, Part &b, Hidden &c, Below &d, Bound &e, Refers &f, Abstract &g);
"""
    importing(tmp_path, header, lang="cpp")
    text = spec(tmp_path)
    assert [
        name for name in ("Plain", "Part", "Hidden", "Below", "Bound", "Refers", "Abstract") if f"def: {name}()" in text
    ] == [
        "Plain",
        "Part",
    ]


NODES = """\
#include <vector>
class Node { public: std::vector<Node *> kids; Node *parent; int level; Node *next() const; };
class Tree { public: Tree(); Node *first() const; };
class Wood { public: Wood(); Tree root; void *ends; int size() const; };
"""


@pytest.mark.parametrize("more", ["", ", release: nothing, belongs_to: Tree"])
def test_members_that_point_to_objects_are_only_read(tmp_path: Path, more: str) -> None:
    answers = f"import: {{name: demo}}\nrecords:\n  Node: {{handle: Node, pointer: true{more}}}\n"
    importing(tmp_path, NODES, answers, lang="cpp")
    text = spec(tmp_path)
    assert 'kids: {type: "[Node]", release: nothing, belongs_to: self}' in text
    assert 'parent: {type: "Node?", release: nothing, belongs_to: self}' in text and "level: mut i32" in text
    assert "# guess: without root: it is Tree, which is no value; ends: what void * is" in text


def test_values_of_an_enum_stay_in_it_and_other_names_come_last(tmp_path: Path) -> None:
    header = """\
enum { DEMO_GET_LIB_VERSION = 1, DEMO_GET_SIGNAL_MAX = 2, DEMO_GET_RATE = 3, DEMO_GET_LAST_MAX = 4 };
#define DEMO_STR_FIRST DEMO_STR_TITLE
#define DEMO_STR_TITLE 1
#define DEMO_STR_NAME 2
#define DEMO_STR_DATE 3
"""
    importing(tmp_path, header)
    text = spec(tmp_path)
    assert "values: [LIB_VERSION, SIGNAL_MAX, RATE]" in text
    assert "values: [TITLE, NAME, DATE, FIRST]" in text


def test_a_struct_that_a_call_reads_and_writes_is_given_by_its_address(tmp_path: Path) -> None:
    header = """\
typedef struct demo_file demo_file;
typedef struct { int rate; int channels; } demo_info;
demo_file *demo_open(const char *path, int mode, demo_info *info);
void demo_close(demo_file *f);
void demo_put(demo_file *f, char c, signed char number);
"""
    importing(tmp_path, header, "import: {name: demo}\nrecords:\n  demo_info: {struct: Info, inout: [demo_open]}\n")
    text = spec(tmp_path)
    assert 'cpp: "demo_open(path, mode, &info)"' in text
    assert "# guess: a char is a number, and no text of one character" in text and "put(c: i8, number: i8)" in text


def test_what_empties_a_tree_of_which_nodes_are_ends_what_is_below(tmp_path: Path) -> None:
    header = """\
namespace demo {
class Node { public: int level() const; Node *next() const; };
class Tree : public Node { public: Tree(); Node *first() const; void clear(); };
}
"""
    node = '  "demo::Node": {handle: Node, pointer: true, release: nothing, belongs_to: Tree}\n'
    tree = '  "demo::Tree": {handle: Tree, pointer: true}\n'
    importing(tmp_path, header, f"import: {{name: demo}}\nrecords:\n{node}{tree}", lang="cpp")
    assert "{def: clear(), ends: self}" in spec(tmp_path)
