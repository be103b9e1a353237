"""`verify --run`: tests that any package has to pass, made without knowing what its entries mean."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.verify.lies import LIBRARIES
from wrapper_gen import pipeline
from wrapper_gen.cli import main
from wrapper_gen.verify import running
from wrapper_gen.verify.assumed import assumed
from wrapper_gen.verify.conformance import conformance_of
from wrapper_gen.verify.samples import Samples

BOOM = """\
wrapper_lib: {name: boom, cpp_include: boom.hpp, requires: [{dirs: [.]}]}
handle_types:
  - name: Boom
    cpp_type: "boom::Boom"
    methods:
      - {def: "Boom(size: i32)"}
      - {def: "go()"}
functions:
  - {def: "twice(number: i32) -> i32"}
"""
HEADER = """\
#pragma once
#include <cstdlib>
namespace boom {
struct Boom {
    explicit Boom(int) {}
    void go() { std::abort(); }
};
}  // namespace boom
inline int twice(int number) { return number * 2; }
"""


def verify(spec: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["verify", str(spec), *options])


@pytest.fixture
def boom(tmp_path: Path) -> Path:
    pytest.importorskip("clang.cindex")
    (tmp_path / "boom.hpp").write_text(HEADER, encoding="utf-8")
    spec = tmp_path / "boom.wrapper_spec"
    spec.write_text(BOOM, encoding="utf-8")
    return spec


@pytest.mark.slow
def test_a_package_that_holds(libraries: Path) -> None:
    done = verify(libraries / "tapes.wrapper_spec", "--run")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "29 passed, 0 failed" in done.stdout
    if importlib.util.find_spec("cffi"):
        assert "both engines do the same" in done.stdout


def test_a_process_that_dies_is_told_at_the_entry(boom: Path) -> None:
    done = verify(boom, "--run")
    assert done.exit_code == 1
    assert "boom.wrapper_spec:3:11: error: Boom: threads cannot use it at once" in done.stderr
    assert "the process died of SIGABRT [WG335]" in done.stderr


def test_pytest_is_missing(boom: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pytest" else find(name))
    done = verify(boom, "--run")
    assert done.exit_code == 4
    assert "[WG336]" in done.stderr


def test_the_tests_can_be_written(boom: Path, tmp_path: Path) -> None:
    target = tmp_path / "test_boom.py"
    assert verify(boom, "--tests", str(target)).exit_code == 0
    text = target.read_text(encoding="utf-8")
    ast.parse(text)
    assert "import boom_ffi as m" in text
    assert "'Boom': lambda tmp: m.Boom(1)," in text


@pytest.mark.parametrize("name", ["tapes", "pixels", "graphs"])
def test_what_cannot_be_made_is_assumed(name: str) -> None:
    module, _ = pipeline.read(LIBRARIES / f"{name}.wrapper_spec", name)
    tests = conformance_of(module)
    made = {kind for kind in Samples(module).handles if Samples(module).recipe(kind)}
    assert made <= set(tests.reached)
    held = {each.entry for each in tests.assumed if "is called so long" in each.what}
    assert held == {"tapes": {"Tape.on_change"}, "pixels": {"Image.watch"}, "graphs": set()}[name]


ASSUMED = {
    "tapes": {
        ("TapeError", "these statuses mean success: TAPE_OK"),
        ("Tape.append_labelled", "`label` is text, `data` is bytes"),
        ("Tape.describe", "tape_free(value) releases what it returns"),
        ("Tape.read", "the buffer has room for size"),
    },
    "pixels": {
        ("EncodeError", "these statuses mean success: value >= 0"),
        ("Image.encode", "what it returns is a status: EncodeError"),
        ("Image.profile", "nobody releases what it returns"),
        ("decode", "`data.size()` is a length"),
    },
}


@pytest.mark.parametrize("name", ASSUMED)
def test_statuses_lengths_and_memory_are_assumed(name: str) -> None:
    module, _ = pipeline.read(LIBRARIES / f"{name}.wrapper_spec", name)
    tests = conformance_of(module)
    assert ASSUMED[name] <= {(each.entry, each.what) for each in tests.assumed}
    assert not {"Tape.index", "Image.rows"} & {each.entry for each in tests.assumed}  # a test uses these


def test_what_skips_at_run_time_is_assumed() -> None:
    module, _ = pipeline.read(LIBRARIES / "tapes.wrapper_spec", "tapes")
    tests = conformance_of(module)
    skipped = tuple((f"{each}[Tape]", "the library refuses") for each in ("test_closing_twice", "test_threads"))
    done = running.Tested(("test_closing_twice[Filter]", "test_both_engines_agree"), skipped, (), ("cpython",))
    assert done.reached(tests) == {"Filter", "message"}
    found = {(each.entry, each.what) for each in assumed(module, done.reached(tests))}
    assert ("Tape", "who releases it, and when") in found
    assert ("Filter", "who releases it, and when") not in found


def test_the_page_tells_what_skipped(boom: Path) -> None:
    """A library that refuses the arguments that are tried, so that no test comes to its end."""
    header = boom.with_name("boom.hpp")
    text = header.read_text(encoding="utf-8").replace("explicit Boom(int) {}", "explicit Boom(int) { throw 1; }")
    header.write_text(text, encoding="utf-8")
    done = verify(boom, "--run")
    assert done.exit_code == 0, done.stderr
    assert "    3: Boom: who releases it, and when; no object of it can be made" in done.stdout


def test_what_is_held_and_taken_is_tried() -> None:
    module, _ = pipeline.read(LIBRARIES / "tapes.wrapper_spec", "tapes")
    text = conformance_of(module).text
    held, _, taken = text.partition("HELD = {")[2].partition("TAKEN = {")
    assert "lambda tmp: [m.Filter('a')], lambda o, a, tmp: o.set_filter(a[0]), [lambda o, tmp: o.next()" in held
    assert "lambda o, a, tmp: o.adopt_filter(a[0]))" in taken.partition("}")[0]


GIVEN = """\
wrapper_lib: {name: boxes, lang: c, prefix: box_}
handle_types:
  - {name: Sink, cpp_type: sink *, release: sink_free}
  - name: Box
    cpp_type: box *
    release: box_close
    methods:
      - {def: "Box(to: Sink)", cpp: box_open(to)}
      - {def: "Box(to: Sink, size: i64)", cpp: "box_open_sized(to, size)", holds: to}
      - {def: "write(to: Sink) -> i32"}
functions:
  - {def: "open_box(to: Sink?) -> Box?"}
  - {def: "kept(to: Sink) -> Box", belongs_to: to}
"""


def test_that_what_is_made_uses_no_argument_later_is_assumed(tmp_path: Path) -> None:
    (tmp_path / "boxes.wrapper_spec").write_text(GIVEN, encoding="utf-8")
    module, _ = pipeline.read(tmp_path / "boxes.wrapper_spec", "boxes.wrapper_spec")
    what = "what is made does not use `to` later, as it would with `holds: to`"
    found = list(assumed(module, {"Sink", "Box", *(f.name for f in module.callables)}))
    lines = GIVEN.splitlines()
    told = [lines[each.span.line - 1].strip() for each in found if each.what == what]
    assert told == ['- {def: "open_box(to: Sink?) -> Box?"}', '- {def: "Box(to: Sink)", cpp: box_open(to)}']


LISTED = """\
wrapper_lib: {name: trees, cpp_include: trees.hpp}
handle_types:
  - {name: Leaf, cpp_type: leaf}
  - name: Item
    cpp_type: item *
    release: delete value
    methods:
      - {def: "made() -> [Item]"}
      - {def: "named() -> {text: Item}"}
      - {def: "one() -> Item"}
      - {def: "leaves() -> [Leaf]"}
      - {def: "below() -> [Item]", release: nothing, belongs_to: self}
"""


def test_that_the_items_of_a_container_are_released_is_assumed(tmp_path: Path) -> None:
    (tmp_path / "trees.wrapper_spec").write_text(LISTED, encoding="utf-8")
    module, _ = pipeline.read(tmp_path / "trees.wrapper_spec", "trees.wrapper_spec")
    found = list(assumed(module, {"Leaf", "Item", *(f.name for f in module.callables)}))
    lines = LISTED.splitlines()
    told = {
        lines[each.span.line - 1].strip() for each in found if each.what == "Python releases each Item of the result"
    }
    assert told == {'- {def: "made() -> [Item]"}', '- {def: "named() -> {text: Item}"}'}
