"""Matrices that do not say how their elements lie: a spec says it, and some uses do not compile until it does."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.test_mistakes import errors_of

CLASSES = """
  template <class T>
  struct table {  // column by column, as libraries of linear algebra have it, and without a word of it
    std::vector<T> cells;
    std::size_t n_rows, n_cols;
    table(const T *start, std::size_t rows, std::size_t cols)
        : cells(start, start + rows * cols), n_rows(rows), n_cols(cols) {}
    T &at(std::size_t i, std::size_t j) { return cells[i + j * n_rows]; }  // checks nothing
    T &operator()(std::size_t i, std::size_t j) {
      if (i >= n_rows || j >= n_cols) throw std::out_of_range("beyond the table");
      return at(i, j);
    }
    T &at(std::size_t i) { return cells[i]; }
    T &operator()(std::size_t i) { return cells.at(i); }
    T *data() { return cells.data(); }
  };
  struct unsaid : table<double> { using table<double>::table; };
  template <class T>
  inline constexpr wg::Order wg::element_order<table<T>> = wg::Order::F;
"""

SAID = f"""
wrapper_lib: {{name: ordered, cpp_include: [stdexcept, vector]}}
cpp_prelude: |{CLASSES}
handle_types:
  - name: Table
    cpp_type: table<double>
    methods:
      - {{def: "Table(values: &[f64; n, m])", params: {{values: {{order: F}}}}}}
      - {{def: "copied() -> array[f64; n_rows, n_cols]", cpp_body: "return h.inner;"}}
      - {{def: "cells() -> array[f64; n_rows, n_cols]", cpp_method: data, keep_alive: h, order: F}}
      - {{def: "__getitem__(i: i64, j: i64) -> f64", params: {{i: {{position: n_rows}}, j: {{position: n_cols}}}}}}
      - {{def: "__setitem__(i: i64, j: i64, value: f64)", params: {{i: {{position: n_rows}}, j: {{position: n_cols}}}}}}
      - {{def: "t() -> f64", cpp_body: "return h.inner(1, 0);"}}
"""

WRONG = f"""\
wrapper_lib: {{name: wrong, cpp_include: [stdexcept, vector]}}
cpp_prelude: |{CLASSES}
handle_types:
  - name: Table
    cpp_type: table<double>
    methods:
      - {{def: "Table(values: &[f64; n, m])"}}  # wrong
      - {{def: "cells() -> array[f64; n_rows, n_cols]", cpp_method: data, keep_alive: h}}  # wrong
      - {{def: "layers() -> array[f64; n_rows, n_cols, 1]", cpp_method: data, keep_alive: h}}  # wrong
      - {{def: "copied() -> array[f64; n_rows, n_cols]", cpp_body: "return h.inner;", order: C}}  # wrong
      - {{def: "__getitem__(i: i64, j: i64) -> f64", params: {{i: {{position: cpp}}}}}}  # wrong
  - name: Unsaid
    cpp_type: unsaid
    methods:
      - {{def: "Unsaid(values: &[f64; n, m])"}}  # wrong
      - {{def: "__setitem__(i: i64, j: i64, value: f64)", params: {{i: {{position: cpp}}}}}}  # wrong
      - {{def: "Unsaid(values: &[i64; n, m])", cpp_body: "return Unsaid{{unsaid(nullptr, n, m)}};"}}
  - name: Line
    cpp_type: table<float>
    methods:
      - {{def: "__getitem__(i: i64) -> f32"}}  # wrong
  - name: Counts
    cpp_type: table<int>
    methods:
      - {{def: "__setitem__(i: position[...], value: i32)"}}  # wrong
  - name: Counted
    cpp_type: table<long>
    methods:
      - {{def: "__getitem__(i: i64) -> i64", params: {{i: {{position: n_rows}}}}}}
      - {{def: "__setitem__(i: i64, value: i64)", params: {{i: {{position: n_rows}}}}}}
functions:
  - {{def: "known(values: &[f64; n, m])", params: {{values: {{order: F}}}}, cpp_fn: "[](const unsaid &) {{}}"}}
"""


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="memory with dimensions needs CPython")
def test_a_matrix_of_which_the_spec_says_the_order(engine: str) -> None:
    package: Any = packages.build_text(SAID, name="ordered").load(engine)
    in_columns = memoryview(package.Table(memoryview(bytes(48)).cast("d", [1, 6])).cells()).shape
    assert in_columns == (1, 6)
    table = package.Table(memoryview(bytes(48)).cast("d", [6, 1]))
    table[1, 0] = 5.0
    assert (table[1, 0], table[-5, -1], table.t()) == (5.0, 5.0, 5.0)
    for key in ((6, 0), (0, 1), (-7, 0), (1000, 1000)):
        with pytest.raises(IndexError, match="index out of range"):
            table[key]
        with pytest.raises(IndexError, match="index out of range"):
            table[key] = 1.0
    for cells in (table.cells(), table.copied()):
        assert (cells.shape, cells.strides) == ((6, 1), (8, 48))
        assert cells.tolist()[:2] == [[0.0], [5.0]]


def test_what_says_nothing_of_its_order_or_of_its_checks_does_not_compile() -> None:
    said = errors_of(WRONG)
    for number, line in enumerate(WRONG.splitlines(), 1):
        assert (f"wrong.wrapper_spec:{number}:" in said) == line.endswith("# wrong"), f"{line}\n{said}"
    assert "does not say how its elements lie" in said and "it has at() and operator() for such keys" in said
