"""What `wrapper-gen import` says of numbers, enums and values of C++'s library that calls write by reference."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_imports import importing, spec, words
from wrapper_gen.drafts.report import Became

pytest.importorskip("clang.cindex")

SCALARS = """\
#pragma once
#include <optional>
#include <string>
#include <vector>
namespace sc {
typedef double real;
enum class Colour { red, green };
/** Finds.
 * @param[in] key the key
 * @param[out] found, rest what was found
 * @return whether it is there */
bool find(int key, real &found, real &rest);
/// See find.
bool find(const std::string &key, real &found);
/// Halves. @param[in,out] x the value
void halve(real &x);
void pick(int n, Colour &colour, bool &ok);
void mix(real &a, real &b);
/** @param[out] m if the length of m is 2, it is filled */
void fill(std::vector<real> &m);
void maybe(std::optional<int> &value);
class Azimuth { public: Azimuth(); real of() const;
  /** @param[out] s sine @param[out] c cosine */ void of(real &s, real &c) const; };
}
"""


def test_comments_say_what_cpp_writes_also_of_overloads(tmp_path: Path) -> None:
    outcome = importing(tmp_path, SCALARS, lang="cpp", link=["c"])
    found, text = words(outcome), spec(tmp_path)
    assert '"find(key: i32) -> (found: f64, rest: f64, result: bool)"' in text
    assert '"find(key: text) -> (found: f64, result: bool)"' in text  # its comment only names the other one
    assert '{def: "halve(x: f64) -> f64", cpp: sc::halve(&x), doc: Halves., params: {x: the value}}' in text
    assert "{def: of() -> f64}" in text and 'def: "of_s() -> (s: f64, c: f64)"' in text
    assert found["sc::halve"] == (Became.WRITTEN, "")
    assert "double" not in (tmp_path / "demo.import").read_text(encoding="utf-8").partition("writes:")[0]


def test_the_rest_is_asked_by_type_and_can_be_answered(tmp_path: Path) -> None:
    outcome = importing(tmp_path, SCALARS, lang="cpp", link=["c"])
    questions = (tmp_path / "demo.import").read_text(encoding="utf-8")
    _, _, asked = questions.partition("\nwrites:\n")
    for each in (
        "sc::Colour: {ask: [pick]}",
        "bool: {ask: [pick]}",
        "real: {ask: [mix]}",
        "std::vector<real>: {ask: [fill]}",
    ):
        assert f"  {each}  # what calls do" in asked
    assert "entries:" not in questions and "open: writes: real (1 functions wait)" in outcome.text(lists_all=False)
    answers = (
        "import: {name: demo}\nwrites:\n  sc::Colour: {out: [pick]}\n  bool: {out: [pick.ok]}\n"
        "  real: {out: [mix.b], inout: ['sc::mix.a', find]}\n  std::optional<int>: {out: [maybe]}\n"
    )
    again = importing(tmp_path, SCALARS, answers, lang="cpp", link=["c"])
    assert '"pick(n: i32) -> (colour: Colour, ok: bool)"' in spec(tmp_path)
    assert '{def: "mix(a: f64) -> (a: f64, b: f64)", cpp: "sc::mix(&a, &b)"}' in spec(tmp_path)
    assert '"find(key: text, found: f64) -> (found: f64, result: bool)"' in spec(tmp_path)  # also what comments decide
    assert '{def: "maybe() -> i32?", cpp: sc::maybe(&out)}' in spec(tmp_path)
    assert not again.findings


def test_an_answer_of_what_nothing_writes_is_told(tmp_path: Path) -> None:
    answers = "import: {name: demo}\nwrites:\n  real: {out: [mix.c]}\n  float: {out: [mix]}\n"
    found = importing(tmp_path, SCALARS, answers, lang="cpp", link=["c"]).findings
    assert [each.message for each in found] == ["no function is called 'mix.c'", "the headers do not ask for 'float'"]


KEPT = """\
#pragma once
#include <map>
#include <string>
namespace kept {
typedef double real;
class Base { protected: std::map<std::string, real *> vars_; public: void forget(real *last); };
class Maths : public Base { public: Maths(); void define(int id, real *var); bool lookup(int id, real *value);
  int add_alias(int id, real *var);
  /** @param[out] before what it was */ void set_level(int level, int *before);
  void set_range(int low, int *old); void total(int *sum); void set_view(real *x) const; };
class Rate { public: explicit Rate(int *value); };
void register_counter(int *n);
void add_ints(int a, int b, int *sum);
}
"""


def test_a_base_class_of_a_header_that_is_not_named_is_told(tmp_path: Path) -> None:
    (tmp_path / "demo_base.hpp").write_text("#pragma once\nstruct Base { void set(int level); };\n", encoding="utf-8")
    (tmp_path / "lent").mkdir()
    (tmp_path / "lent" / "lent.hpp").write_text("struct Lent { void lend(); };\n", encoding="utf-8")
    own = (
        '#include "demo_base.hpp"\n#include "lent/lent.hpp"\n'
        "class Half : public Base, public Lent { public: Half(); };\n"
    )
    found = importing(tmp_path, own, lang="cpp", link=["c"]).findings
    assert [each.message for each in found] == [
        "Half derives from Base, whose methods are not read: demo_base.hpp declares them"
    ]
    command = f"wrapper-gen import demo.hpp demo_base.hpp --lib demo -o {tmp_path}"
    assert found[0].hint == f"name that header, too: {command}"
    both = importing(tmp_path, own, lang="cpp", link=["c"], headers=["demo.hpp", "demo_base.hpp"])
    assert not both.findings and '{def: "set(level: i32)"}' in spec(tmp_path)


ABSTRACT = """\
#pragma once
class Engine { public: virtual ~Engine(); virtual void init() = 0; void load(int a); int level() const; };
class Motor : public Engine { public: Motor(); void init() override; };
class Listener { public: virtual ~Listener(); virtual void seen(int a) = 0; virtual void gone(int a) = 0;
  int id() const; };
class Logger : public Listener { public: void seen(int a) override; void gone(int a) override; };
"""


def test_an_abstract_base_of_the_library_is_held_by_pointer(tmp_path: Path) -> None:
    importing(tmp_path, ABSTRACT, lang="cpp", link=["c"])
    questions, text = (tmp_path / "demo.import").read_text(encoding="utf-8"), spec(tmp_path)
    assert "  Engine: {handle: Engine, pointer: true}  # 0 functions" in questions
    assert (
        "which a class of the library overrides" in questions and "Motor: {handle: Motor, pointer: true}" in questions
    )
    assert "  Listener: {interface: Listener}" in questions  # which Python overrides
    assert "cpp_type: Engine *" in text and '{def: "load(a: i32)"}' in text and "{def: Motor()}" in text


def test_an_answer_for_an_abstract_class_needs_no_pointer(tmp_path: Path) -> None:
    answers = (
        "import: {name: demo}\nrecords:\n  Listener: {handle: Listener}\n  Logger: {handle: Logger, pointer: true}\n"
    )
    importing(tmp_path, ABSTRACT, answers, lang="cpp", link=["c"])
    assert "cpp_type: Listener *" in spec(tmp_path)  # of a value, no object can be made


THROWN = """\
#pragma once
#include <string>
class ParseError { public: ParseError(); explicit ParseError(int at); void set_line(int line);
  const std::string &GetMsg() const; int GetCode() const; int GetPos() const; const std::string &GetToken() const; };
class OtherError { public: OtherError(); int size() const; };
class LastError { public: LastError(); const char *message() const; };
LastError last();
int parse(const std::string &text);
"""


def test_a_class_that_is_only_thrown_is_an_exception(tmp_path: Path) -> None:
    outcome = importing(tmp_path, THROWN, lang="cpp", link=["c"])
    questions, text = (tmp_path / "demo.import").read_text(encoding="utf-8"), spec(tmp_path)
    assert "  ParseError: {exception: ParseError, message: value.GetMsg()}  # named as an exception" in questions
    assert '  OtherError: {exception: OtherError, message: "?"}  # named as an exception' in questions
    assert "  LastError: {handle: LastError}" in questions  # which a function returns
    assert "OtherError" not in text and "open: records: OtherError" in outcome.text(lists_all=False)
    assert "    message: value.GetMsg()\n    code: value.GetCode()\n" in text
    fields = "{pos: {type: i32, cpp: value.GetPos()}, token: {type: text, cpp: value.GetToken()}}"
    assert f"    fields: {fields}\n" in text
    answers = (
        "import: {name: demo}\nrecords:\n  OtherError: {exception: OtherError, message: std::to_string(value.size())}\n"
    )
    assert not importing(tmp_path, THROWN, answers, lang="cpp", link=["c"]).findings
    assert "{name: OtherError, cpp_type: OtherError, message: std::to_string(value.size())}" in spec(tmp_path)


def test_a_number_whose_address_a_call_may_keep_is_asked(tmp_path: Path) -> None:
    outcome = importing(tmp_path, KEPT, lang="cpp", link=["c"])
    questions, text, found = (tmp_path / "demo.import").read_text(encoding="utf-8"), spec(tmp_path), words(outcome)
    assert "  real: {ask: [add_alias, define, forget]}  # what calls do" in questions
    assert "  int: {ask: [register_counter]}  # what calls do" in questions
    assert "a pointer to a number may be kept, and written after the call" in questions
    later = "whether the number that var points to is written in the call, or later"
    assert found["kept::Maths::define"] == found["kept::Maths::add_alias"] == (Became.ASKED, later)
    assert found["kept::Rate::Rate"][0] == Became.ASKED  # a constructor gives nothing else
    for each in (
        '"lookup(id: i32) -> (value_: f64, result: bool)"',
        '"set_level(level: i32) -> i32"',
        '"set_range(low: i32) -> i32"',
        "total() -> i32",
        "set_view() -> f64",
        '"add_ints(a: i32, b: i32) -> i32"',
    ):
        assert f"def: {each}" in text


def test_answers_say_what_becomes_of_such_a_number(tmp_path: Path) -> None:
    answers = (
        "import: {name: demo}\nwrites:\n  double: {out: [add_alias], inout: [define], in: [forget]}\n"
        "keeps:\n  memory: {uses: [register_counter]}\n"
    )
    outcome = importing(tmp_path, KEPT, answers, lang="cpp", link=["c"])
    text, found = spec(tmp_path), words(outcome)
    assert '{def: "define(id: i32, var: f64) -> f64", cpp: ".define(id, &var)"}' in text
    assert '"add_alias(id: i32) -> (var: f64, result: i32)"' in text
    assert "{def: register_counter() -> i32, cpp: kept::register_counter(&out)}" in text
    assert found["kept::Base::forget"][0] == Became.ASKED and not outcome.findings
    (tmp_path / "demo.import").unlink()
    held = answers.replace("uses", "holds")
    found = words(importing(tmp_path, KEPT, held, lang="cpp", link=["c"]))
    assert found["kept::register_counter"][0] == Became.ASKED and "alive" in found["kept::register_counter"][1]


def test_c_may_keep_the_address_of_a_number_in_its_object(tmp_path: Path) -> None:
    header = (
        "typedef struct demo demo;\ndemo *demo_new(void);\nvoid demo_free(demo *d);\n"
        "void demo_set_var(demo *d, const char *name, double *var);\n"
        "void demo_get_var(demo *d, const char *name, double *var);\n"
        "void demo_set_each(demo *d, int n, int *values);\n"
    )
    outcome = importing(tmp_path, header)
    assert "  double: {ask: [demo_set_var]}" in (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "set_var" not in spec(tmp_path) and '"get_var(name: text) -> f64"' in spec(tmp_path)
    assert words(outcome)["demo_set_each"] == (
        Became.ASKED,
        "whether values is one or several: n may say how many",
    )  # which no answer of `writes` tells
    answers = "import: {name: demo}\nkeeps:\n  memory: {uses: [demo_set_var.var, demo_set_var.name]}\n"
    assert not importing(tmp_path, header, answers).findings
    assert '"set_var(name: text) -> f64"' in spec(tmp_path)


def test_a_function_alone_means_its_only_number_and_of_several_none(tmp_path: Path) -> None:
    header = (
        "typedef struct demo demo;\ndemo *demo_new(void);\nvoid demo_free(demo *d);\n"
        "void demo_set_var(demo *d, const char *name, double *var);\n"
        "void demo_set_pair(demo *d, double *low, double *high);\n"
    )
    answers = "import: {name: demo}\nkeeps:\n  memory: {uses: [demo_set_var]}\n"
    outcome = importing(tmp_path, header, answers)
    assert '"set_var(name: text) -> f64"' in spec(tmp_path) and not outcome.findings
    (tmp_path / "demo.import").unlink()
    (told,) = importing(tmp_path, header, answers.replace("set_var", "set_pair")).findings
    assert (told.code, told.is_error, told.span.line, told.span.column) == ("WG304", True, 3, 19)
    assert "demo_set_pair is given several numbers by address" in told.message
    assert told.hint == "name each that is meant: demo_set_pair.low, demo_set_pair.high"
    (tmp_path / "demo.import").unlink()
    each = answers.replace("demo_set_var", "demo_set_pair.low, demo_set_pair.high")
    assert not importing(tmp_path, header, each).findings and '"set_pair() -> (low: f64, high: f64)"' in spec(tmp_path)


MANY = """\
#pragma once
#include <string>
#include <vector>
namespace many {
class Error : public std::exception {};
struct Inner { Inner(); int size() const; };
class Tools { public: enum class Sort { up, down };
  static void split(std::string &text); static int other(Sort sort); };
}
"""
OWN = """\
#pragma once
#include "inner.hpp"
#define DEMO_VERSION_MAJOR 1
#define DEMO_HAS_ZIP 1
#define DEMO_PRECISION 2
#define DEMO_ORDER 6
namespace many {
class Shop { public: Shop(); Inner inner() const;
  enum mask { NONE = 0U, LAT = 1U << 7, LON = 1U << 8, BOTH = LAT | LON };
  /// Bit masks, which are or'ed.
  enum caps { FIRST = 8, SECOND = 264 };
  enum colour { red, green, blue, grey };
  void set(mask m, caps c, colour d);
};
}
"""


def test_what_is_only_included_and_unused_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "inner.hpp").write_text(MANY, encoding="utf-8")
    importing(tmp_path, OWN, lang="cpp", only=["demo.hpp", "inner.hpp"])
    questions, text = (tmp_path / "demo.import").read_text(encoding="utf-8"), spec(tmp_path)
    assert "  many::Tools: skip  # of inner.hpp, which is only included; 0 functions" in questions
    assert "  many::Inner: {handle: Inner}  # sure" in questions and "many::Error: {exception: Error}" in questions
    assert "writes:" not in questions and "Sort" not in text  # of a class that is left out
    answered = "import: {name: demo}\nrecords:\n  many::Tools: {handle: Tools}\n"
    importing(tmp_path, OWN, answered, lang="cpp", only=["demo.hpp", "inner.hpp"])
    assert "std::string: {ask: [split]}" in (tmp_path / "demo.import").read_text(encoding="utf-8")
    assert "cpp_type: many::Tools::Sort" in spec(tmp_path)


def test_a_project_is_made_to_follow(tmp_path: Path) -> None:
    assert "next: " not in importing(tmp_path, SCALARS, lang="cpp", link=["c"]).text(lists_all=False)
    (tmp_path / "tests").mkdir()
    for each in ("pyproject.toml", "tests/test_package.py"):
        (tmp_path / each).write_text("", encoding="utf-8")
    told = importing(tmp_path, SCALARS, lang="cpp", link=["c"]).text(lists_all=False)
    assert f"next: wrapper-gen package {tmp_path / 'demo.wrapper_spec'}, and tests/test_package.py follows" in told


def test_settings_are_no_enum_and_bits_are_flags(tmp_path: Path) -> None:
    (tmp_path / "inner.hpp").write_text(MANY, encoding="utf-8")
    importing(tmp_path, OWN, lang="cpp", only=["demo.hpp", "inner.hpp"])
    text = spec(tmp_path)
    assert "DEMO_PRECISION: {type: i32, cpp: DEMO_PRECISION}" in text and "name: Demo" not in text
    assert text.count("flags: true") == 2
    assert "values: [red, green, blue, grey]" in text


HANDLERS = """\
typedef struct reader reader;
reader *reader_new(void);
void reader_free(reader *r);
typedef void (*reader_mark)(void *data, const char *name, int is_empty);
typedef void (*reader_text)(void *data, const char *text, int len);
typedef void (*reader_entity)(void *data, const char *value, int value_length);
typedef void (*reader_blank)(void *data);
typedef void (*reader_free_bytes)(void *data);
int reader_put(reader *r, const void *bytes, int bytes_len, void (*release)(void *));
int reader_add(reader *r, const void *bytes, int bytes_len, reader_free_bytes release);
void reader_set_data(reader *r, void *data);
void reader_set_mark_handler(reader *r, reader_mark mark);
void reader_set_text_handler(reader *r, reader_text text);
void reader_set_entity_handler(reader *r, reader_entity entity);
void reader_set_blank_handler(reader *r, reader_blank blank);
"""


def test_callables_need_no_user_data_of_ours(tmp_path: Path) -> None:
    outcome = importing(tmp_path, HANDLERS)
    text = spec(tmp_path)
    assert '{name: Mark, type: "fn(name: text?, is_empty: i32)", cpp: "(_, name, is_empty)"}' in text
    assert '{name: Entity, type: "fn(value_: bytes)", cpp: "(_, value_, value_.size())"}' in text
    assert "value_length is the length of value, or text?" in text  # a mark
    assert "{name: Blank, type: fn(), cpp: (_)}" in text
    assert "C is given no user data: at most 16 callables can be in use at once" in text
    found = words(outcome)
    assert found["reader_set_text_handler"] == (
        Became.ASKED,
        "whether an integer that reader_text is given is the length of a text",
    )
    for each in ("reader_put", "reader_add"):  # what the void * is there is no user data
        assert found[each][0] is not Became.WRITTEN
        assert f"{each}(" not in text
    assert found["reader_set_data"] == (Became.ASKED, "what void * is")
    answers = (tmp_path / "demo.import").read_text(encoding="utf-8").replace('reader_text: "?"', "reader_text: text")
    (tmp_path / "demo.import").write_text(answers, encoding="utf-8")
    importing(tmp_path, HANDLERS)
    assert '{name: Text, type: "fn(text: text)", cpp: "(_, text, text.size())"}' in spec(tmp_path)
