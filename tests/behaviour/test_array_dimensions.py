"""Dimensions of results: of the value or of the object, but never a guess, and never fewer elements than there are."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES
from tests.behaviour.test_mistakes import mistake_in

CODE = """\
wrapper_lib: {name: planes, cpp_include: [vector]}
cpp_prelude: |
  struct column {
    std::vector<double> values;
    double *data() { return values.data(); }
    std::size_t size() const { return values.size(); }
    std::size_t rows() const { return values.size(); }
    std::size_t cols() const { return 1; }
    std::ptrdiff_t innerStride() const { return 1; }
  };
  struct plane {
    std::vector<double> cells;
    std::size_t height, width;
    std::vector<double>::size_type rows() const { return height; }
    std::size_t cols() const { return width; }
    double *data() { return cells.data(); }
    std::size_t size() const { return cells.size(); }
    std::size_t deep() const { return 2; }
  };
  inline column sums(const plane &p) {
    column out{std::vector<double>(p.width)};
    for (std::size_t i = 0; i < p.cells.size(); ++i) out.values[i % p.width] += p.cells[i];
    return out;
  }
handle_types:
  - name: Plane
    cpp_type: plane
    methods:
      - {def: "Plane(values: [f64], width: usize)", cpp_body: "return plane{values, values.size() / width, width};"}
"""
SAYS = """\
      - {def: "sums() -> array[f64; value.size()]", cpp_fn: sums}
      - {def: "sums_of_object() -> array[f64; h.inner.cols()]", cpp_fn: sums}
      - {def: "copied() -> array[f64; rows(), cols()]", cpp_body: return h.inner;}
      - {def: "of_width(n: usize) -> array[f64; n]", cpp_fn: "[](plane &p, usize) { return sums(p); }"}
      - {def: "list_of(n: usize, m: usize) -> array[f64; n, m]", cpp_body: return h.inner.cells;}
      - {def: "deep_list() -> array[f64; deep()]", cpp_body: "return std::vector<f64>(2, 0.5);"}
      - {def: "every_other(n: usize) -> array[f64; n]", strides: ["2"], cpp_body: return h.inner.cells;}
"""


@pytest.fixture(params=ENGINES)
def plane(request: pytest.FixtureRequest) -> Any:
    planes: ModuleType = packages.build_text(CODE + SAYS, name="planes").load(request.param)
    return planes.Plane([1, 2, 3, 4, 5, 6], 3)


@pytest.mark.trial("dimension-of-value-or-object")
def test_the_spec_says_whose_member_it_is(plane: Any) -> None:
    assert [plane.sums().tolist(), plane.sums_of_object().tolist()] == [[5, 7, 9]] * 2
    assert plane.copied().tolist() == [[1, 2, 3], [4, 5, 6]]
    assert plane.deep_list().tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("name", "dimensions"),
    [
        ("of_width", (2,)),
        ("of_width", (0,)),
        ("of_width", (4,)),
        ("list_of", (1, 3)),
        ("list_of", (0, 3)),
        ("list_of", (3, 3)),
    ],
)
def test_all_elements_are_in_the_array(plane: Any, name: str, dimensions: tuple[int, ...]) -> None:
    known = 3 if name == "of_width" else 6
    wanted = dimensions[0] * (dimensions[1] if len(dimensions) > 1 else 1)
    message = f"the array that is returned has {known} elements, and its dimensions are of {wanted}"
    with pytest.raises(RuntimeError, match=f"^{message}$"):
        getattr(plane, name)(*dimensions)


def test_what_has_strides_may_leave_elements_out(plane: Any) -> None:
    assert plane.every_other(2).tolist() == [1, 3]
    with pytest.raises(RuntimeError, match="has 6 elements, and its dimensions are of 7"):
        plane.every_other(4)


def test_a_member_of_both_is_an_error() -> None:
    methods = '      - {def: "sums() -> array[f64; cols()]", cpp_fn: sums}\n'
    found = mistake_in((CODE + methods).replace("name: planes", "name: wrong")).diagnostic
    assert re.match("the dimension is a member that both the result and the object have", found.message)
    assert found.span.line == CODE.count("\n") + 1
    assert str(found.advice).startswith("say which: value.MEMBER, or h.inner.MEMBER")
