"""What an import carries over from headers without a question: documentation, constants, and a word for each macro."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.unit.test_imports import importing, spec, words
from wrapper_gen.cli import main
from wrapper_gen.drafts.documentation import documentation
from wrapper_gen.drafts.report import Became
from wrapper_gen.headers import Doc

pytest.importorskip("clang.cindex")

STORE = """\
/** Most entries of a store. */
#define ST_MAX 10
#define ST_NAME "st"   /* what it is called */
#define ST_RATIO 2.5
#define ST_MASK(x) ((x) & 3)
#define st_open(path) st_open_(path, ST_MAX)
#define ST_MODE_READ 1  /* only reads */
#define ST_MODE_WRITE 2
#define ST_MODE_BOTH 3
#define _ST_INSIDE 7
#define st_lower 4
enum { ST_OK = 0, ST_LOCKED = 3 };
/** A store of entries.
 *
 *  It is kept on disk.
 */
typedef struct st st;
/** How things are. It is a status of the store. */
enum st_state { ST_STATE_NEW /**< just made */, ST_STATE_OLD /**< used before. And more. */ };
/** A size, in pixels. */
typedef struct {
  int width; /**< from left to right */
  int height;
} st_size;
st *st_open_(const char *path, int version);
void st_close(st *s);
/**
 * Reads an entry. It takes a while, and may fail.
 *
 * More of it.
 *
 * @param s the store
 * @param zKey the name of the entry;
 *            no slash in it
 * @param[out] left how many are left
 * @return the size of the entry, or -1
 * @note slow
 */
int st_read(st *s, const char *zKey, int *left);
/* A group of functions. */
int st_find(st *s);
int st_count(st *s);
enum st_state st_state_of(st *s);
st_size st_get_size(st *s);
"""
SHOP = """\
namespace shop {
/// What is sold.
enum class Kind { /// for a table
  Table, Chair };
/// A shop.
/// It sells things.
class Shop {
public:
  Shop();
  /// Sells one.
  /// \\param kind what
  /// \\param count how many, \\c 1 by default
  /// \\returns what it <b>costs</b>
  double sell(Kind kind, int count = 1);
  int open;  ///< since when, in hours
};
}
"""


def test_comments_of_c_become_documentation(tmp_path: Path) -> None:
    importing(tmp_path, STORE, name="st", prefix="st_")
    text = spec(tmp_path, "st")
    assert "doc: A store of entries." in text
    assert "doc: A size, in pixels.\n" in text
    assert "fields: {width: {type: i32, doc: from left to right}, height: i32}" in text
    assert (
        "    doc: |\n      How things are. It is a status of the store.\n\n"
        "      - NEW: just made\n      - OLD: used before\n" in text
    )
    assert "    doc: |\n      - READ: only reads\n" in text or 'doc: "- READ: only reads"' in text
    assert (
        '      - def: "read(key: text) -> (left: i32, result: i32)"\n'
        "        doc: Reads an entry. It takes a while, and may fail.\n"
        "        params: {key: the name of the entry; no slash in it, "
        'return: "how many are left; the size of the entry, or -1"}\n' in text
    )
    assert "{def: count() -> i32}" in text  # the comment above is of a group


def test_comments_of_cpp_become_documentation(tmp_path: Path) -> None:
    importing(tmp_path, SHOP, name="shop", lang="cpp")
    text = spec(tmp_path, "shop")
    assert "doc: A shop. It sells things." in text
    assert "What is sold.\n\n      - Table: for a table\n" in text
    assert 'open: {type: mut i32, doc: "since when, in hours"}' in text
    assert "doc: Sells one." in text
    assert 'params: {kind: what, count: "how many, 1 by default", return: what it costs}' in text


def test_a_comment_is_of_the_class_below_it(tmp_path: Path) -> None:
    header = """\
namespace shop {
class Cart;
/// Before &minus;90&deg;, in %Shop. &copy
/// It costs 5 %.

class Cart { public: Cart(); void go(); }; /**< beside */
class Bag { public: Bag(); void go(); };
/** Boxes. */

class __attribute__((visibility("default"))) Box { public: Box(); void go(); };
/** \\name Others
 */

class Crate { public: Crate(); void go(); };
}
#define SHOP_NAME "shop"
/* #  undef SHOP_OTHER */

#define SHOP_WORD "word"
/* what is said */
"""
    importing(tmp_path, header, name="shop", lang="cpp")
    classes = {each.partition("\n")[0]: each for each in spec(tmp_path, "shop").split("  - name: ")}
    assert "    doc: Before -90°, in Shop. &copy It costs 5 %.\n" in classes["Cart"]
    assert "doc:" not in classes["Bag"] and "    doc: Boxes.\n" in classes["Box"]
    assert "doc:" not in classes["Crate"]
    assert "SHOP_NAME: {type: text, cpp: SHOP_NAME}" in spec(tmp_path, "shop").replace("\n      ", " ")
    assert "doc: What is said." in spec(tmp_path, "shop") or "doc: what is said." in spec(tmp_path, "shop")


def test_a_long_comment_is_cut_at_a_sentence(tmp_path: Path) -> None:
    header = f"/** One. {'Two is longer than that. ' * 30} */\nint demo_a(void);\n"
    header += f"/** {'endless ' * 100} */\nint demo_b(void);\n/* Copyright of somebody. */\nint demo_c(void);\n"
    importing(tmp_path, header)
    docs = [line.partition("doc: ")[2].rstrip("}") for line in spec(tmp_path).splitlines() if " doc: " in line]
    assert [each[-8:] for each in docs] == ["an that.", "ndless …"]
    assert all(len(each) <= 402 for each in docs)


@pytest.mark.parametrize(
    ("comment", "shown"),
    [
        ('Its name, or `"<unknown>"`.', 'Its name, or `"<unknown>"`.'),
        ("Turns --- into a dash, `---` too.", "Turns --- into a dash, `---` too."),
        ("Of links (`javascript:`, `file:`, and `data`).", "Of links (`javascript:`, `file:`, and data)."),
        ("Includes <stdio.h>, <b>once</b>.", "Includes <stdio.h>, once ."),
        ("*** A frame. ***", "A frame."),
        (f"{'long ' * 78}(`in the middle of code`) of it", f"{'long ' * 78}".strip() + " …"),
    ],
)
def test_code_in_a_comment_is_left_as_it_is(comment: str, shown: str) -> None:
    assert documentation(Doc(comment)).text == shown


def test_single_macros_become_constants(tmp_path: Path) -> None:
    outcome = importing(tmp_path, STORE, name="st", prefix="st_")
    text = spec(tmp_path, "st")
    assert text.partition("constants:\n")[2].partition("\n\n")[0].splitlines() == [
        "  MAX: {type: i32, doc: Most entries of a store.}",
        "  NAME: {type: text, doc: what it is called.}",
        "  RATIO: f64",
        "  st_lower: {type: i32, cpp: st_lower}",
        "  OK: i32",
        "  LOCKED: i32",
    ]
    rows = {each.declaration.key: each for each in outcome.rows}
    assert rows["#define ST_MAX"].word is Became.WRITTEN
    assert rows["#define _ST_INSIDE"].word is Became.LEFT_OUT
    assert rows["#define ST_MASK"].word is Became.LEFT_OUT
    assert "write an entry" in rows["#define ST_MASK"].why
    assert (rows["#define st_open"].word, rows["#define st_open"].why[:11]) == (Became.FOLLOWS, "of st_open_")
    assert not any(each.why == "of what names it" for each in outcome.rows if each.declaration.key.startswith("#"))


GROUPED = """\
/** @defgroup demo Demo
 *  @{ */
typedef struct demo demo;
/** @defgroup demo_open Open Flags
 *  @{ */
/** no locks */
#define DEMO_NOLOCK 0x1
#define DEMO_RDONLY 0x2
#define DEMO_CREATE 0x4
/** @} */
/** @name Return codes */
/** @{ */
#define DEMO_SUCCESS 0
#define DEMO_BAD_NAME (-1)
#define DEMO_BAD_SIZE (-2)
#define DEMO_BAD_KEY (-3)
#define DEMO_FULL (-4)
/** @} */
/** @addtogroup demo_copy Copy Flags
 *  @{ */
#define DEMO_COMPACT 1
/** @} */
#define DEMO_LARGEST 511
/** Opens one.
 * @param[in] flags DEMO_NOLOCK or DEMO_CREATE, or 0 */
int demo_open(demo **out, unsigned flags);
void demo_close(demo *d);
/** @} */
"""


def test_groups_of_doxygen_tell_macros_of_one_prefix_apart(tmp_path: Path) -> None:
    importing(tmp_path, GROUPED, prefix="demo_")
    questions, text = (tmp_path / "demo.import").read_text(encoding="utf-8"), spec(tmp_path)
    assert "  demo_open: {enum: OpenFlags, flags: true, ask: [demo_open.flags]}  # 3: DEMO_NOLOCK" in questions
    assert "  return_codes: {enum: ReturnCodes}  # sure; 5: DEMO_SUCCESS, DEMO_BAD_NAME" in questions
    assert "prefix: DEMO_" in text and "values: [NOLOCK, RDONLY, CREATE]" in text
    assert "values: [SUCCESS, BAD_NAME, BAD_SIZE, BAD_KEY, FULL]" in text
    assert text.partition("constants:\n")[2].partition("\n\n")[0].splitlines() == ["  COMPACT: i32", "  LARGEST: i32"]
    (tmp_path / "demo.import").unlink()
    (tmp_path / "demo.wrapper_spec").unlink()
    answers = "import: {name: demo, prefix: demo_}\nconstants:\n  demo_open: skip\n  return_codes: {enum: Code}\n"
    outcome = importing(tmp_path, GROUPED, answers)
    assert "RDONLY" not in spec(tmp_path) and "name: Code" in spec(tmp_path) and not outcome.findings
    rows = {each.declaration.key: each for each in outcome.rows}
    assert rows["#define DEMO_RDONLY"].why == "by the answer constants/demo_open"


def test_what_is_decided_by_prefix_stays(tmp_path: Path) -> None:
    importing(tmp_path, GROUPED, "import: {name: demo, prefix: demo_}\nconstants:\n  DEMO_: {enum: All}\n")
    assert "name: All" in spec(tmp_path) and "OpenFlags" not in spec(tmp_path)


def test_an_answer_leaves_constants_out(tmp_path: Path) -> None:
    outcome = importing(tmp_path, STORE, "constants:\n  ST_: skip\n  st_: skip\n", name="st", prefix="st_")
    assert "constants:" not in spec(tmp_path, "st")
    rows = {each.declaration.key: each for each in outcome.rows}
    assert rows["#define ST_MAX"].why == "by the answer constants/ST_"
    assert not outcome.findings


def test_what_is_constant_compiles(tmp_path: Path) -> None:
    """Also where a name is taken: a comment takes the place of what does not fit."""
    header = "#define DEMO_ONE 1\n#define DEMO_BROKEN demo_none\nenum demo_kind { DEMO_A = DEMO_ONE };\n"
    header += "int demo_f(enum demo_kind k);\n"
    outcome = importing(tmp_path, header, prefix="demo_")
    assert "  ONE: i32\n" in spec(tmp_path)
    assert "BROKEN" not in spec(tmp_path)
    assert not outcome.left


ASKED = """\
typedef struct demo_box demo_box;
demo_box *demo_box_new(void);
void demo_box_free(demo_box *b);
void demo_box_put(demo_box *b, void *item);
void demo_box_give(demo_box *b, void *item);
int demo_count(void);
"""


def test_what_no_other_line_decides_has_a_line(tmp_path: Path) -> None:
    outcome = importing(tmp_path, ASKED)
    line = "  what void * is: {ask: [demo_box_put, demo_box_give]}  # write their entries"
    assert line in (tmp_path / "demo.import").read_text(encoding="utf-8")
    asked = [row for row in outcome.rows if row.word is Became.ASKED]
    lines = {f"{each.group}/{each.key}" for each in outcome.asked}
    assert {row.question for row in asked} == {"entries/what void * is"} <= lines
    assert not outcome.is_settled


def test_an_entry_settles_its_function_and_an_answer_leaves_it_out(tmp_path: Path) -> None:
    importing(tmp_path, ASKED)
    path = tmp_path / "demo.wrapper_spec"
    text = path.read_text(encoding="utf-8")
    put = '      - {def: "put(item: i64)", cpp: "demo_box_put(self, (void *)item)"}\n'
    path.write_text(text.replace("    methods:\n", f"    methods:\n{put}"), encoding="utf-8")
    outcome = importing(tmp_path, ASKED)
    answers = tmp_path / "demo.import"
    assert "  what void * is: {ask: [demo_box_give]}" in answers.read_text(encoding="utf-8")
    assert not outcome.is_settled
    said = answers.read_text(encoding="utf-8").replace("{ask: [demo_box_give]}", "{skip: [demo_box_g.*]}")
    answers.write_text(said, encoding="utf-8")
    outcome = importing(tmp_path, ASKED)
    assert outcome.is_settled
    assert not outcome.findings
    words = {row.declaration.name: (row.word, row.why) for row in outcome.rows}
    assert words["demo_box_put"] == (Became.FOLLOWS, "of an entry that a person has written")
    assert words["demo_box_give"] == (Became.LEFT_OUT, "by the answer entries/what void * is")
    assert answers.read_text(encoding="utf-8") == said


def test_check_tells_of_functions_that_wait(tmp_path: Path) -> None:
    importing(tmp_path, ASKED, "results:\n  demo_box: {owned: [demo_box_new]}\n")
    result = CliRunner().invoke(main, ["import", "--lib", "demo", "-o", str(tmp_path), "--check"])
    assert result.exit_code == 1, result.output
    assert "open: entries: what void * is (2 functions wait)" in result.output


MODES = """\
#define DEMO_MODE_READ 1
#define DEMO_MODE_WRITE 2
#define DEMO_MODE_BOTH 3
#define DEMO_KIND_A 7
#define DEMO_KIND_B 8
#define DEMO_KIND_C 9
#define DEMO_INDEX_A 1
#define DEMO_INDEX_B 2
#define DEMO_INDEX_C 3
/** @param how DEMO_MODE_READ or another one
 *  @param size DEMO_MODE_READ tells how much */
int demo_put(int how, int size);
/* Gets one. The what is DEMO_KIND_A or DEMO_KIND_B. */
int demo_get(unsigned what, int other);
int demo_mode(int mode, long index);
/* Returns DEMO_KIND_A where n is odd. */
int demo_odd(int n);
"""


def test_it_is_asked_which_parameters_take_a_group_of_macros(tmp_path: Path) -> None:
    importing(tmp_path, MODES)
    text = (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "  DEMO_MODE_: {enum: Mode, ask: [demo_put.how, demo_mode.mode]}  # 3: " in text
    assert "as comments say of demo_put.how, and the name says of demo_mode.mode" in text
    assert "  DEMO_KIND_: {enum: Kind, ask: [demo_get.what]}" in text
    assert "  DEMO_INDEX_: {enum: Index}" in text
    said = spec(tmp_path)
    assert "  # guess: how is a number, and no Mode\n" in said
    assert '"put(how: i32, size: i32) -> i32"' in said


def test_an_answer_gives_parameters_the_enum(tmp_path: Path) -> None:
    answers = "constants:\n  DEMO_MODE_: {enum: Mode, takes: [demo_put.how, demo_none.of]}\n"
    outcome = importing(tmp_path, MODES, answers + "  DEMO_KIND_: {enum: Kind, takes: ['.*[.]what']}\n")
    text = spec(tmp_path)
    assert "put(how: Mode, size: i32) -> i32" in text
    assert "get(what: Kind, other: i32) -> i32" in text
    assert "mode(mode: i32, index: i64) -> i32" in text
    assert [each.message for each in outcome.findings] == ["no function has a parameter 'demo_none.of'"]


ENUMS = """\
typedef struct demo_iter demo_iter;
typedef enum { DEMO_EVENT_NONE, DEMO_EVENT_DONE, DEMO_EVENT_ENTER } demo_event;
typedef enum { /** Error status */ DEMO_KIND_NONE = 0, DEMO_KIND_LIST, DEMO_KIND_BAD } demo_kind;
typedef enum { DEMO_FAULT_NONE, DEMO_FAULT_NO_MEM } demo_fault;
#define KIND_LIST DEMO_KIND_LIST
#define KIND_ITEM KIND_LIST
#define KIND_OTHER (DEMO_KIND_NONE)
#define DEMO_OPT_A 1
#define DEMO_OPT_B 2
#define DEMO_OPT_C 4
demo_iter *demo_iter_new(int options);
void demo_iter_free(demo_iter *i);
demo_event demo_iter_next(demo_iter *i);
demo_kind demo_iter_kind(demo_iter *i);
demo_fault demo_iter_reset(demo_iter *i);
"""


def test_enums_that_are_results_are_no_statuses(tmp_path: Path) -> None:
    importing(tmp_path, ENUMS)
    text, answers = spec(tmp_path), (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "def: next() -> Event" in text
    assert "def: kind() -> Kind" in text
    assert "demo_fault: {name: DemoError, ok: [DEMO_FAULT_NONE], of: all}" in answers
    assert "demo_event" not in answers
    assert "demo_kind" not in answers


def test_another_name_of_an_enum_is_no_constant(tmp_path: Path) -> None:
    outcome = importing(tmp_path, ENUMS)
    for each in ("KIND_LIST", "KIND_ITEM"):
        assert words(outcome)[each] == (Became.FOLLOWS, "another name of DEMO_KIND_LIST, which an enum has")
    assert "KIND_OTHER" not in spec(tmp_path)
    answers = (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "DEMO_OPT_: {enum: Opt, flags: true, ask: [demo_iter_new.options]}" in answers
