"""What is said of code that does not compile: our findings first, the first cause before what comes of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.compilers import quick
from wrapper_gen.other_types import in_our_words

COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)] or ["c++"]

WRONG = """\
wrapper_lib: {name: wrong, cpp_include: [map, lamp.h], include_paths: [.]}
cpp_prelude: |
  struct shelf { no_such_type books; int size() const { return 1; } };
handle_types:
  - name: Lamp
    cpp_type: "::lamp"
    methods:
      - {def: "Lamp()"}
      - {def: "watts() -> i32", cpp_fn: lamp_watts}
      - {def: "volts(scale: i32) -> i32", cpp_fn: lamp_volts}
  - name: Shelf
    cpp_type: "::shelf"
    methods:
      - {def: "Shelf()"}
      - {def: "first() -> i32", cpp_body: "return h.inner.books.at(0);"}
functions:
  - {def: "find(a: i32) -> i32", cpp_body: "std::map<lamp, int> found; return found[lamp{a}];"}
  - {def: "bright(of: Lamp) -> i32", cpp_fn: lamp_watts}
  - {def: "plain() -> i32", cpp_fn: takes_one}
  - {def: "written(a: i32) -> f64", cpp_fn: writes_one}
"""
HEADER = """\
struct lamp { int level = 0; };
inline int lamp_watts(lamp *l) { return l->level; }
inline int lamp_volts(const lamp *l, int scale) { return l->level * scale; }
int takes_one(int a);
void writes_one(int a, double *out);
"""


@pytest.fixture(params=[COMPILERS[0], *(pytest.param(each, marks=pytest.mark.slow) for each in COMPILERS[1:])])
def compiler(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@cache
def build(text: str, compiler: str, lines: str = "", header: str = HEADER) -> dict[str, Any]:
    """What the command says of a spec that does not compile, as JSON."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "wrong.wrapper_spec").write_text(text, encoding="utf-8")
        (folder / "lamp.h").write_text(header, encoding="utf-8")
        (folder / "angles.hpp").write_text(lines, encoding="utf-8")
        command = [sys.executable, "-m", "wrapper_gen", "build", "wrong.wrapper_spec", "--format", "json"]
        chosen = {"CXX": compiler, "CXXFLAGS": quick(compiler=compiler), "WRAPPER_GEN_CACHE": str(folder / "cache")}
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, **chosen}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 4, done.stdout + done.stderr
        found: dict[str, Any] = json.loads(done.stderr)
        return found


def test_the_first_cause_comes_first_and_no_echo_of_it(compiler: str) -> None:
    found = build(WRONG, compiler)
    first, *others = found["diagnostics"]
    assert (first["line"], "no_such_type" in first["message"]) == (3, True)
    assert 15 not in {each["line"] for each in others}, "of a member that it declares"
    assert {each["path"] for each in found["diagnostics"]} == {"wrong.wrapper_spec"}, "our own files have no mistakes"
    assert found["output"].count("error: ") >= len(found["diagnostics"])
    assert "failed with 1: " in found["output"]


def test_a_handle_that_holds_a_value_goes_in_as_its_address(compiler: str) -> None:
    lines = {each["line"] for each in build(WRONG, compiler)["diagnostics"]}
    assert not {9, 10, 18} & lines
    assert 17 in lines
    wrong = WRONG.replace("cpp_fn: lamp_watts}", "cpp_fn: lamp_of}").replace("::lamp", "lamp")
    header = HEADER + "int lamp_of(lamp **all);\n"
    assert {9, 18} <= {each["line"] for each in build(wrong, compiler, header=header)["diagnostics"]}


def test_a_fix_is_one_that_compiles(compiler: str) -> None:
    found = {each["line"]: each for each in build(WRONG, compiler)["diagnostics"]}
    fixes = {line: [fix["replacement"] for fix in each["fixes"]] for line, each in found.items()}
    assert fixes[19] == [], "C takes a number, and writes nothing"
    assert found[19]["hint"].startswith("C++ takes (int")
    assert fixes[20] == ['"writes_one(a, &out)"']


ANYWHERE = """\
wrapper_lib: {name: wrong}
cpp_prelude: |
  typedef void *thing;
  inline long thing_add(thing, long by) { return by; }
handle_types:
  - name: Thing
    cpp_type: "::thing"
    release: nothing
    methods:
      - {def: "add(by: i64) -> i64", cpp: "::thing_add"}
"""


def test_a_call_that_is_not_decided_is_told_the_order_to_say(compiler: str) -> None:
    (found,) = build(ANYWHERE, compiler)["diagnostics"]
    assert (found["line"], found["message"]) == (10, "Thing.add: a handle that is a void * could stand anywhere")
    assert found["hint"] == 'say C\'s order: cpp: "thing_add(self, by)"'


BESIDE = """\
wrapper_lib: {name: wrong, cpp_include: [functional, string]}
cpp_prelude: |
  struct knob {
    int width = 1;
    void on_turn(std::function<void(long)>) {}
    std::string turn(long) { return ""; }
    int taken(int) { return 0; }
  };
  struct spot { int x, y; };
handle_types:
  - name: Knob
    cpp_type: "::knob"
    fields: {width: i32, heigth: {type: i32, cpp: heigth}, wide: {type: i32, cpp: width}}
    methods: [{def: "Knob()"}, {def: "turn(n: i64) -> text"}, {def: "taken(a: text) -> i32"}, {def: "on_turn(f: text)"}]
structs: [{name: Spot, cpp_type: "::spot", fields: {x: i32, z: i32, y: i32}}]
functions: [{def: "f() -> i32", cpp_body: return 1;}, {def: "g() -> i32", cpp_body: return 1 + u;}, {def: "h() -> i32",
  cpp_body: return 1 + v;}]
"""


@pytest.mark.trial("error-blames-other-entry")
def test_the_entry_beside_others_that_is_wrong(compiler: str) -> None:
    document = build(BESIDE, compiler)
    lines = BESIDE.splitlines()
    found = {lines[each["line"] - 1][each["column"] - 1 : each["end_column"] - 1] for each in document["diagnostics"]}
    entries = {'{def: "taken(a: text) -> i32"}', '{def: "on_turn(f: text)"}', "heigth: {type: i32, cpp: heigth}"}
    assert found == {*entries, "z", "u", "v"}
    assert not any("columns" in each["message"] for each in document["diagnostics"])


UNKNOWN = """\
wrapper_lib: {name: wrong}
errors: [{name: E, cpp_type: lib_eror}]
functions: [{def: "f() -> i32", cpp: 1 + 1}]
"""


def test_a_type_that_is_not_there_is_told_once(compiler: str) -> None:
    (found,) = build(UNKNOWN, compiler)["diagnostics"]
    assert "lib_eror" in found["message"]
    assert found["hint"].startswith(
        "C++ knows no lib_eror: check the name, and that a header of `cpp_include` declares it"
    )
    assert (found["line"], found["column"]) == (2, 30)


REFERENCE = """\
wrapper_lib: {name: wrong, cpp_include: list}
cpp_prelude: "struct n { std::list<n> below; n &add() { return below.emplace_back(); } };"
handle_types:
  - name: N
    cpp_type: n *
    release: delete value
    belongs_to: {root: N}
    methods:
      - {def: "N()"}
      - {def: "add() -> N"}
"""


def test_an_object_of_a_class_of_pointers_is_told_how_to_be_given(compiler: str) -> None:
    (found,) = build(REFERENCE, compiler)["diagnostics"]
    assert "where C++ keeps the object, write its address, &f(self)" in found["message"]
    assert found["line"] == 10


OF_CLASS = """\
wrapper_lib: {name: wrong, cpp_include: angles.hpp, requires: [{dirs: [.]}], prefix: "lines::", case: pascal}
errors: [{name: E, cpp_type: "lines::Eror"}]
"""
LINES = """\
#include <string>
namespace lines {
struct Error {};
struct Line {
  double azimuth() const { return 1; }
  void azimuth(double &sine, double &cosine) const { sine = cosine = 1; }
  static double Decode(const std::string &angle) { return double(angle.size()); }
  int solve(double by, double &to) const { to = by; return 1; }
};
}
"""
CALLS = """\
wrapper_lib: {name: wrong, cpp_include: angles.hpp, requires: [{dirs: [.]}], prefix: "lines::"}
handle_types:
  - name: Line
    cpp_type: lines::Line
    methods:
      - {def: "sines() -> (sine: f64, cosine: f64)", cpp: azimuth}
      - {def: "decode(angle: text) -> f64", cpp: lines::Line::Decode}
      - {def: "static decoded(angle: f64) -> f64", cpp: lines::Line::Decode}
      - {def: "solve(by: f64) -> f64", cpp: "solve(by, &out)"}
      - def: gone() -> f64
        doc: What gone() gave.
"""


def test_what_is_said_of_calls_of_members(compiler: str) -> None:
    """Each is told what is missing, at its entry and not in what it documents, with what the header declares."""
    pytest.importorskip("clang.cindex")
    found = {each["line"]: each for each in build(CALLS, compiler, LINES)["diagnostics"]}
    assert {each["path"] for each in found.values()} == {"wrong.wrapper_spec"}
    said = {
        6: ("one value, double", 'say cpp: ".azimuth(&sine, &cosine)"; where its value'),
        7: ("", "lines::Line::Decode is given the object: for a static function, say static before the name"),
        8: ("takes a char, or what is made of one as std::string is", "declare text where C++ has a std::string"),
        9: ("does not compile as it is written", "where nothing wants it, raises: nothing"),
    }
    for line, (message, hint) in said.items():
        assert message in found[line]["message"] and hint in found[line]["hint"], found[line]
    shown = {line: [each["message"] for each in found[line]["related"]] for line in said}
    assert shown[6][1] == "declared as void lines::Line::azimuth(double &sine, double &cosine) const"
    assert shown[7] == shown[8] == ["declared as static double lines::Line::Decode(const std::string &angle)"]
    assert 11 not in found and "gone" in found[10]["message"]


def test_a_name_that_a_namespace_does_not_have(compiler: str) -> None:
    (found,) = build(OF_CLASS, compiler, LINES)["diagnostics"]
    assert found["hint"].startswith("C++ knows no Eror in lines: check the name")


@pytest.mark.parametrize(
    ("error", "message", "hint"),
    [
        (
            "invalid 'static_cast' from type 'const wg::Callable<wg_c::f>' to type 'T' {aka 'double (*)(void*, int)'}",
            "C++ takes a function pointer for this callable",
            "scope: call",
        ),
        (
            "cannot cast from type 'const Callable<wg_c::f>' to pointer type 'T' (aka 'double (*)(void *, int)')",
            "C++ takes a function pointer for this callable",
            "scope: call",
        ),
        ("invalid conversion from 'const char*' to 'char' [-fpermissive]", "C++ takes one `char`", "declare i8"),
        ("invalid conversion from 'const char*' to 'char*' [-fpermissive]", "", ""),
        ("invalid 'static_cast' from type 'const wg::Callable<wg_c::f>' to type 'int'", "", ""),
    ],
)
def test_types_that_only_generated_code_names(error: str, message: str, hint: str) -> None:
    said = in_our_words(error, "", None)
    assert (said is None) == (not message)
    assert said is None or (message in said[0] and hint in said[1])
