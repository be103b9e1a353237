"""Values that point into others: in which order their elements lie, what they keep alive, and what ends them."""

from __future__ import annotations

import gc
import sys
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import let_go
from tests.behaviour.test_mistakes import errors_of

pytestmark = pytest.mark.skipif(sys.implementation.name != "cpython", reason="memory with dimensions needs CPython")

ROWS = [[0, 1, 2], [10, 11, 12]]


@pytest.fixture
def board(engine: str) -> Any:
    return packages.build(packages.HERE / "arrays" / "arrays.wrapper_spec").load(engine).Board(2, 3)


def test_the_order_of_elements_is_that_of_their_type(board: Any) -> None:
    for made in (board.copied(), board.cells(), board.by_pointer()):
        assert (made.shape, made.strides, made.tolist()) == ((2, 3), (8, 16), ROWS)
    assert board.transposed().tolist() == [[0, 10], [1, 11], [2, 12]]
    assert board.flat().tolist() == [0, 10, 1, 11, 2, 12]


def test_the_strides_of_elements_are_those_of_their_type(board: Any) -> None:
    made = board.patch(1, 2)
    assert (made.shape, made.strides, made.tolist()) == ((1, 2), (8, 16), [[0, 1]])
    row = board.row(1).cells()
    assert (row.strides, row.tolist()) == ((16,), [10, 11, 12])


def test_other_dimensions_than_those_of_the_value(board: Any) -> None:
    with pytest.raises(RuntimeError, match="dimensions 3 and 2, and the matrix has 2 and 3; the spec has to say"):
        board.swapped()


def test_a_view_keeps_what_it_points_into_alive(board: Any) -> None:
    cells = board.row(1).cells()
    del board
    let_go()
    gc.collect()
    assert cells.tolist() == [10, 11, 12]


def test_a_call_ends_a_view(board: Any) -> None:
    row = board.row(1)
    assert row.sum() == 33
    board.resize(4, 4)
    assert row.closed
    assert board.row(3).sum() == 126


def test_a_call_does_not_end_a_view_that_an_array_uses(board: Any) -> None:
    row = board.row(1)
    cells = row.cells()
    with pytest.raises(BufferError, match="in use by an array"):
        board.resize(400, 400)
    assert cells.tolist() == [10, 11, 12] and not row.closed
    del cells
    let_go()
    gc.collect()
    board.resize(1, 1)
    assert row.closed


def test_views_that_no_call_ends(board: Any) -> None:
    lasting, fixed = board.lasting(), board.fixed()
    board.resize(1, 1)
    assert (lasting.sum(), fixed.sum()) == (1, 2)


WRONG = """\
wrapper_lib: {name: wrong, cpp_include: ["<functional>", "<string_view>", "<string>", "<vector>"]}
cpp_prelude: |
  struct plain {
    enum { IsRowMajor = 0 };
    std::vector<double> d;
    double *data() { return d.data(); }
    long rows() { return 1; }
    long cols() { return 1; }
  };
  struct block { using PlainObject = plain; plain *of; double *data() const { return of->data(); } };
  struct told { plain *of; };
  struct derived : plain { using PlainObject = plain; };
  struct named { char text[16]; const char *data() const { return text; } long size() const { return 16; } };
  template <> inline constexpr bool wg::is_view<told> = true;
handle_types:
  - {name: Word, cpp_type: std::string_view}
  - {name: Block, cpp_type: block}
  - {name: Told, cpp_type: told}
  - {name: Ref, cpp_type: std::reference_wrapper<plain>}
  - {name: Derived, cpp_type: derived}
  - {name: Named, cpp_type: named}
  - name: Plain
    cpp_type: plain
    methods:
      - {def: "block() -> Block", cpp_body: "return Block{{&h.inner}};"}  # wrong
      - {def: "told() -> [Told]", cpp_body: "return std::vector<Told>{};"}  # wrong
      - {def: "ref() -> Ref?", cpp_body: "return Ref{std::ref(h.inner)};"}  # wrong
      - {def: "expression() -> array[f64; 1]", cpp_body: "return block{&h.inner};"}  # wrong
      - {def: "pointer() -> array[f64; rows(), cols()]", cpp_body: "return h.inner.data();", belongs_to: self}  # wrong
      - {def: "in_rows() -> array[f64; rows(), cols()]", cpp_body: "return h.inner;", order: C}  # wrong
      - {def: "in_columns() -> array[f64; rows(), cols()]", cpp_body: "return h.inner;", order: F}
      - {def: "derived() -> Derived", cpp_body: "return Derived{};"}
      - {def: "named() -> Named", cpp_body: "return Named{};"}
functions:
  - {def: "word(of: text) -> Word", cpp_body: "return Word{of};"}  # wrong
"""


def test_views_of_what_nothing_keeps_alive_do_not_compile() -> None:
    said = errors_of(WRONG)
    for number, line in enumerate(WRONG.splitlines(), 1):
        assert (f"wrong.wrapper_spec:{number}:" in said) == line.endswith("# wrong"), f"{line}\n{said}"
