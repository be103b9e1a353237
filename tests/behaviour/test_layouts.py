"""How the elements of memory lie, said in its type after the dimensions, over both engines."""

from __future__ import annotations

from types import ModuleType

import numpy
import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: layouts, cpp_include: [array, vector]}
cpp_prelude: |
  struct board {
    std::vector<double> cells{0, 1, 2, 3, 4, 5, 6, 7};
    long rows() const { return 2; }
    long cols() const { return 3; }
    long ld() const { return 4; }
  };
  inline double corner(const double *x, long n, long m) { return x[1] + static_cast<double>(10 * n + m); }
handle_types:
  - name: Board
    cpp_type: board
    methods:
      - {def: "Board()"}
      - def: "by_rows() -> array[f64; self.rows(), self.cols(); self.ld(), 1]"
        cpp: self.cells.data()
        belongs_to: self
      - {def: "by_columns() -> array[f64; rows, cols; F]", cpp: self.cells.data(), belongs_to: self}
      - {def: "in_rows() -> array[f64; rows, cols; C]", cpp: self.cells.data(), belongs_to: self}
functions:
  - {def: "corner(x: &[f64; n, m; F]) -> f64", cpp: "corner(x, n, m)"}
  - {def: "corner_c(x: &[f64; n, m; C]) -> f64", cpp: "corner(x, n, m)"}
  - def: "strides(x: &[f64; n, m; any]) -> (i64, i64)"
    cpp_body: "return std::pair<i64, i64>(x.stride(0), x.stride(1));"
  - {def: "doubled(x: &mut [f64; n; any])", cpp_body: "for (usize i = 0; i < n; ++i) x(i) *= 2;"}
"""


@pytest.fixture(scope="module", params=packages.ENGINES)
def layouts(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build_text(SPEC, name="layouts").load(request.param)


def test_the_caller_s_memory(layouts: ModuleType) -> None:
    rows = numpy.arange(6.0).reshape(2, 3)
    columns = numpy.asfortranarray(rows)
    assert (layouts.corner(columns), layouts.corner_c(rows)) == (3 + 23, 1 + 23)
    assert (layouts.strides(rows), layouts.strides(columns), layouts.strides(rows[:, ::2])) == ((3, 1), (1, 2), (3, 2))
    for wrong, call in ((rows, layouts.corner), (columns, layouts.corner_c)):
        with pytest.raises((TypeError, ValueError, BufferError), match="x: "):
            call(wrong)
    some = numpy.arange(4.0)
    layouts.doubled(some[::2])
    assert some.tolist() == [0, 1, 4, 3]


def test_memory_of_the_library(layouts: ModuleType) -> None:
    board = layouts.Board()
    assert numpy.asarray(board.by_rows()).tolist() == [[0, 1, 2], [4, 5, 6]]
    assert numpy.asarray(board.by_columns()).tolist() == [[0, 2, 4], [1, 3, 5]]
    assert numpy.asarray(board.in_rows()).tolist() == [[0, 1, 2], [3, 4, 5]]
