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
def build(text: str, compiler: str) -> dict[str, Any]:
    """What the command says of a spec that does not compile, as JSON."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "wrong.wrapper_spec").write_text(text, encoding="utf-8")
        (folder / "lamp.h").write_text(HEADER, encoding="utf-8")
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


def test_an_address_of_what_a_handle_holds(compiler: str) -> None:
    found = {each["line"]: each for each in build(WRONG, compiler)["diagnostics"]}
    for line, name, const in ((9, "h", ""), (10, "h", "const "), (18, "of", "")):
        message = found[line]["message"].replace(" *", "*")
        assert message == f"{name} is declared as Lamp, which holds a lamp, and C++ takes {const}lamp*"
        assert found[line]["hint"].startswith("hold `lamp *`: on Lamp, say cpp_type: ")
    way = 'cpp: "[](auto &&x) { return f(&x); }"'
    assert way in found[9]["hint"]
    right = WRONG.replace("cpp_fn: lamp_watts", way.replace("f(&x)", "lamp_watts(&x)"))
    lines = {each["line"] for each in build(right, compiler)["diagnostics"]}
    assert not {9, 18} & lines
    assert {10, 17} <= lines


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
