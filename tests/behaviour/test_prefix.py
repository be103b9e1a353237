"""One prefix, exactly once, in all three tiers, whatever the spec writes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import Package
from wrapper_gen import pipeline
from wrapper_gen.diagnostics import SpecError

SPEC = """\
wrapper_lib: {name: pre}
cpp_prelude: |
  inline i64 pre_open(i64 value) { return value + 1; }
  inline i64 prex_look(i64 value) { return value + 2; }
  inline i64 pre_pre_twice(i64 value) { return value + 3; }
handle_types:
  - {name: PreThing, cpp_type: i64, release: "nothing"}
  - {name: Other, cpp_type: i64, drop_fn: rt_pre_other_destroy, release: "nothing"}
functions:
  - {name: pre_open, cpp: pre_open, params: [{name: value, type: i64}], return: i64}
  - {name: size, cpp_fn: "[](i64 value) { return value; }", params: [{name: value, type: i64}], return: i64}
  - {name: prex_look, cpp: prex_look, params: [{name: value, type: i64}], return: i64}
  - {name: prefix, cpp_fn: "[](i64 value) { return value; }", params: [{name: value, type: i64}], return: i64}
  - {name: pre_pre_twice, cpp: pre_pre_twice, params: [{name: value, type: i64}], return: i64}
  - {name: pre, cpp_fn: "[](i64 value) { return value; }", params: [{name: value, type: i64}], return: i64}
  - {name: pre_, cpp_fn: "[](i64 value) { return value; }", params: [{name: value, type: i64}], return: i64}
  - {name: my_pre_thing, cpp_fn: "[](i64 value) { return value; }", params: [{name: value, type: i64}], return: i64}
  - {name: pre_thing_make, cpp_fn: "[](i64 v) { return v; }", params: [{name: v, type: i64}], return: PreThing}
methods:
  - {handle: PreThing, name: pre_size, cpp_method: "[](i64 value) { return value; }", return: i64}
  - {handle: PreThing, name: size, cpp_method: "[](i64 value) { return value; }", return: i64}
"""
PYTHON = {
    "open": 2, "size": 1, "prex_look": 3, "prefix": 1, "pre_twice": 4, "pre": 1, "pre_": 1, "my_pre_thing": 1,
}  # fmt: skip
SYMBOLS = {
    "rt_pre_open", "rt_pre_size", "rt_pre_prex_look", "rt_pre_prefix", "rt_pre_pre_twice", "rt_pre_pre", "rt_pre_pre_",
    "rt_pre_my_pre_thing", "rt_pre_thing_make", "rt_pre_prething_pre_size", "rt_pre_prething_size",
    "rt_pre_prething_free", "rt_pre_other_destroy",
}  # fmt: skip


@pytest.fixture(scope="module")
def package() -> Package:
    return packages.build_text(SPEC, name="pre")


def test_prefix_exactly_once(package: Package, engine: str) -> None:
    pre: Any = package.load(engine)
    public = {name for name in pre.__all__ if callable(getattr(pre, name)) and name.islower()}
    assert public == {*PYTHON, "thing_make"}
    for name, expected in PYTHON.items():
        assert getattr(pre, name)(1) == expected
    thing = pre.PreThing.thing_make(8)
    assert [thing.pre_size(), thing.size()] == [8, 8]


def test_symbols_of_the_extension(package: Package) -> None:
    extension = next(package.folder.glob("_pre_ffi*.so"))
    listed = subprocess.run(["nm", "-D", "--defined-only", extension], capture_output=True, text=True, check=True)
    exported = {line.split()[-1] for line in listed.stdout.splitlines()}
    bridge = SYMBOLS if "cffi" in packages.ENGINES else set()  # the C ABI is compiled in with the cffi engine
    assert {name for name in exported if name.startswith("rt_")} == bridge
    ours = re.compile(r"rt_|wg_pre_|PyInit__pre_ffi|_cffi_pypyinit__pre_ffi|_Z")  # C++ has some weak ones of its own
    assert {name for name in exported if not ours.match(name)} == set(), "nothing else leaves the extension"


def test_the_typed_functions(package: Package) -> None:
    bridge = (package.folder / "bridge.cpp").read_text(encoding="utf-8")
    for symbol in SYMBOLS - {"rt_pre_prething_free", "rt_pre_other_destroy"}:
        name = f"wg_do_{symbol.removeprefix('rt_pre_')}"
        assert re.search(rf"\b{name}\(", bridge), name
    for doubled in ("rt_pre_pre_open", "pre_pre_open", "rt_rt_", "wg_wg_"):
        assert doubled not in bridge


@pytest.mark.parametrize("order", [("pre_open", "open"), ("open", "pre_open")])
def test_both_spellings_are_an_error_naming_both_lines(tmp_path: Path, order: tuple[str, str]) -> None:
    spec = tmp_path / "pre.wrapper_spec"
    spec.write_text(
        "wrapper_lib: {name: pre}\nfunctions:\n" + "".join(f"  - {{name: {n}, cpp_body: 'return;'}}\n" for n in order),
        encoding="utf-8",
    )
    with pytest.raises(SpecError) as caught:
        pipeline.generate(spec, "pre.wrapper_spec")
    (found,) = [d for d in caught.value.diagnostics if d.is_error]
    assert (found.span.line, [span.line for span, _ in found.related]) == (4, [3])
    assert all(name in found.message for name in order)


HIDDEN = """\
wrapper_lib: {name: tab, lang: c}
cpp_prelude: |
  struct cell { int32_t value; };
  struct row { struct cell cells[4]; size_t used; };
  inline struct row *tab_row_new(void) { return new row{{{1}, {2}, {3}, {4}}, 3}; }
  inline size_t tab_row_used(const struct row *r) { return r->used; }
  inline const struct cell *tab_row_at(const struct row *r, size_t i) { return &r->cells[i]; }
  inline void tab_row_put(struct row *r, size_t i, int32_t value) { r->cells[i].value = value; }
  inline void tab_row_remove(struct row *r, size_t i) {
    for (++i; i < r->used; i++) r->cells[i - 1] = r->cells[i];
    r->used--;
  }
  inline size_t tab_row_room(int factor) { return 2 * static_cast<size_t>(factor); }
  inline const double *tab_row_weights(const struct row *r) {
    static const double weights[] = {1.0, 2.0, 3.0, 4.0};
    return r->used ? weights : nullptr;
  }
structs:
  - {name: Cell, cpp_type: struct cell, fields: {value: i32}}
handle_types:
  - name: Row
    cpp_type: struct row *
    release: delete value
    methods:
      - {def: "Row()", cpp: tab_row_new}
      - {def: "used() -> usize", cpp: tab_row_used}
      - {def: "room() -> usize", cpp_body: "return ::tab_row_room(2);"}
      - {def: "__len__() -> usize", cpp: tab_row_used}
      - {def: "__getitem__(index: position) -> Cell", cpp: tab_row_at}
      - {def: "__setitem__(index: position, value: i32)", cpp: tab_row_put}
      - {def: "__delitem__(index: position)", cpp: tab_row_remove}
      - def: "any_value(index: position[tab_row_room(2)]) -> i32"
        cpp_body: return h.inner->cells[index].value;
      - {def: "any_cell(index: position[tab_row_room(2)]) -> Cell", cpp: tab_row_at}
      - def: "weights() -> array[f64; tab_row_room(2)]"
        belongs_to: self
        cpp_body: return ::tab_row_weights(h.inner);
"""
"""Functions of the library's prefix, some of which are called as methods are in the bridge."""


@pytest.fixture(scope="module")
def hidden() -> Package:
    return packages.build_text(HIDDEN, name="tab")


@pytest.mark.trial("positions-of-prefixed-functions")
def test_positions_of_functions_with_the_prefix(hidden: Package, engine: str) -> None:
    tab: Any = hidden.load(engine)
    row = tab.Row()
    row[0], row[-1] = 10, 30
    assert ([each.value for each in row], len(row), row[-3].value) == ([10, 2, 30], 3, 10)
    del row[-2]
    assert ([each.value for each in row], row.used(), row.room()) == ([10, 30], 2, 4)
    for outside in (2, -3):
        with pytest.raises(IndexError, match=r"^Row index out of range$"):
            row[outside]
        with pytest.raises(IndexError):
            row[outside] = 1
        with pytest.raises(IndexError):
            del row[outside]


def test_expressions_that_a_typed_function_could_hide(hidden: Package, engine: str) -> None:
    row = hidden.load(engine).Row()
    assert (row.any_value(3), row.any_value(-4), row.any_cell(-1).value) == (4, 1, 4)
    for call in (row.any_value, row.any_cell):
        with pytest.raises(IndexError, match=r"^Row: index index out of range$"):
            call(4)
    assert list(row.weights()) == [1.0, 2.0, 3.0, 4.0]
