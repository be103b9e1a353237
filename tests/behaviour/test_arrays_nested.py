"""Arrays as results over C++ arrays of arrays, whose types know dimensions, over both engines alike."""

from __future__ import annotations

import gc
import re
import sys
from typing import Any

import pytest

from tests.behaviour import packages
from wrapper_gen.diagnostics import ToolchainError

numpy = pytest.importorskip("numpy")
pytestmark = pytest.mark.skipif(sys.implementation.name != "cpython", reason="memory with dimensions needs CPython")

SPEC = """\
wrapper_lib: {name: tables}
cpp_prelude: |
  #include <array>
  #include <memory>
  #include <vector>
  using pair_of_rows = std::array<std::array<float, 3>, 2>;
  struct table {
    pair_of_rows cells{{{1, 2, 3}, {4, 5, 6}}};
    float plain[2][3] = {{1, 2, 3}, {4, 5, 6}};
    std::array<float, 3> mixed[2] = {{1, 2, 3}, {4, 5, 6}};
    std::vector<std::array<float, 3>> rows{{1, 2, 3}, {4, 5, 6}};
    std::vector<std::array<std::array<double, 2>, 3>> deep{{{{1, 2}, {3, 4}, {5, 6}}}};
    const pair_of_rows &fixed() const { return cells; }
    auto plain_cells() -> float (&)[2][3] { return plain; }
    auto fixed_plain() const -> const float (&)[2][3] { return plain; }
    auto &mixed_rows() { return mixed; }
    auto &listed() { return rows; }
    std::array<float, 3> *first_row() { return rows.data(); }
    float (*whole())[2][3] { return &plain; }
    pair_of_rows *address() { return &cells; }
  };
handle_types:
  - name: Table
    cpp_type: table
    methods:
      - {def: "Table()"}
      - {def: "copied() -> array[f32; 2, 3]", cpp_body: return h.inner.cells;}
      - {def: "copied_rows() -> array[f32; n, m]", cpp_body: return h.inner.rows;}
      - {def: "shared() -> array[f32; n, m]", cpp_body: return std::make_shared<pair_of_rows>(h.inner.cells);}
      - {def: "deep() -> array[f64; n, 3, m]", cpp_body: return h.inner.deep;}
      - {def: "flat() -> array[f32; 6]", cpp_body: return h.inner.rows;}
      - {def: "fixed() -> array[f32; n, m]", belongs_to: self}
      - {def: "plain_cells() -> array[f32; n, m]", belongs_to: self}
      - {def: "fixed_plain() -> array[f32; 2, 3]", belongs_to: self}
      - {def: "mixed_rows() -> array[f32; n, 3]", belongs_to: self}
      - {def: "listed() -> array[f32; n, 3]", belongs_to: self}
      - {def: "first_row() -> array[f32; h.inner.rows.size(), 3]", belongs_to: self}
      - {def: "whole() -> array[f32; n, m]", belongs_to: self}
      - {def: "address() -> array[f32; n, m]", belongs_to: self}
      - {def: "every_row() -> array[f32; 2, 2]", cpp: whole, belongs_to: self, strides: ["3", "2"]}
      - {def: "too_wide() -> array[f32; 2, 4]", cpp_body: return h.inner.cells;}
      - {def: "too_long() -> array[f32; 3, 3]", cpp_body: return h.inner.rows;}
      - {def: "too_many() -> array[f32; 7]", cpp: whole, belongs_to: self}
    fields:
      cells: {type: "array[f32; n, m]", belongs_to: self}
      plain: {type: "array[f32; n, m]", belongs_to: self}
"""
ROWS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


@pytest.fixture(scope="module", params=packages.ENGINES)
def tables(request: pytest.FixtureRequest) -> Any:
    return packages.build_text(SPEC, name="tables").load(request.param)


@pytest.mark.parametrize("name", ["copied", "copied_rows", "shared"])
def test_a_value_is_moved_into_the_array(tables: Any, name: str) -> None:
    table = tables.Table()
    made, other = getattr(table, name)(), getattr(table, name)()
    table.close()
    assert (made.shape, made.strides, made.readonly, made.tolist()) == ((2, 3), (12, 4), False, ROWS)
    assert not numpy.shares_memory(numpy.asarray(made), numpy.asarray(other))


def _called(table: Any, name: str) -> Any:
    found = getattr(table, name)
    return found() if callable(found) else found


@pytest.mark.parametrize(
    "name", ["plain_cells", "mixed_rows", "listed", "first_row", "whole", "address", "cells", "plain"]
)
def test_a_reference_and_an_address_are_used_where_they_lie(tables: Any, name: str) -> None:
    table = tables.Table()
    view = numpy.asarray(_called(table, name))
    assert (view.shape, view.strides, view.tolist()) == ((2, 3), (12, 4), ROWS)
    view[1, 2] = 60
    assert _called(table, name)[1, 2] == 60
    with pytest.raises(BufferError, match="in use by an array"):
        table.close()
    del table
    gc.collect()
    assert view[1].tolist() == [4, 5, 60]


def test_what_is_const_is_read_only(tables: Any) -> None:
    table = tables.Table()
    for made in (table.fixed(), table.fixed_plain()):
        assert (made.tolist(), made.readonly) == (ROWS, True)
    assert numpy.shares_memory(numpy.asarray(table.fixed()), numpy.asarray(table.address()))


def test_more_and_fewer_dimensions(tables: Any) -> None:
    table = tables.Table()
    assert (table.deep().shape, table.deep().tolist()) == ((1, 3, 2), [[[1, 2], [3, 4], [5, 6]]])
    assert table.flat().tolist() == [1, 2, 3, 4, 5, 6]
    assert table.every_row().tolist() == [[1, 3], [4, 6]]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("too_wide", "has 4 elements in dimension 1, and its C++ type has 3"),
        ("too_long", "has 6 elements, and its dimensions are of 9"),
        ("too_many", "has 6 elements, and its dimensions are of 7"),
    ],
)
def test_dimensions_that_the_type_does_not_have(tables: Any, name: str, why: str) -> None:
    with pytest.raises(tables.TablesError, match=re.escape(f"the array that is returned {why}")):
        getattr(tables.Table(), name)()


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("returned", "said", "why"),
    [
        ("std::array<std::array<float, 3>, 2>", "array[f32; n, m], order: F", "its elements in the other order"),
        ("std::array<std::array<float, 3>, 2>", "array[f64; n, m]", "elements of another type"),
        ("std::array<std::array<float, 3>, 2>", "array[f32; n]", "does not know its dimensions"),
        ("std::vector<std::vector<float>>", "array[f32; 2, 2]", "elements of another type"),
    ],
)
def test_what_is_no_such_memory_does_not_compile(returned: str, said: str, why: str) -> None:
    type_, *order = said.split(", order: ")
    spec = f"""\
wrapper_lib: {{name: refused}}
cpp_prelude: |
  #include <array>
  #include <vector>
  inline {returned} made() {{ return {{}}; }}
functions:
  - {{def: "made() -> {type_}"{"".join(f", order: {each}" for each in order)}}}
"""
    with pytest.raises(ToolchainError, match=why):
        packages.build_text(spec, name="refused")
