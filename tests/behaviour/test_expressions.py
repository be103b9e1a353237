"""Expression templates: what C++'s operators return refers to their operands, and a handle is made of it."""

from __future__ import annotations

import pytest

from tests.behaviour import packages

SPEC = """
wrapper_lib: {name: expressions, cpp_include: [memory, vector]}
cpp_prelude: |
  namespace lib {
  struct sum;
  struct scaled;
  struct mat {
    std::vector<double> v;
    explicit mat(std::vector<double> v) : v(std::move(v)) {}
    mat(const sum &);
    mat(const scaled &);
    double at(std::size_t i) const { return v.at(i); }
  };
  struct sum { const mat &a, &b; };
  struct scaled { const mat &a; const double &by; };
  inline mat::mat(const sum &s) { for (std::size_t i = 0; i < s.a.v.size(); ++i) v.push_back(s.a.v[i] + s.b.v.at(i)); }
  inline mat::mat(const scaled &s) { for (double each : s.a.v) v.push_back(each * s.by); }
  inline sum operator+(const mat &a, const mat &b) { return {a, b}; }
  inline sum operator%(const mat &a, const mat &b) { return {a, b}; }
  inline scaled operator*(const mat &a, const double &by) { return {a, by}; }
  inline scaled operator*(const double &by, const mat &a) { return {a, by}; }
  inline sum doubled(const mat &a) { return {a, a}; }
  struct box { long n; };
  }
handle_types:
- name: Mat
  cpp_type: lib::mat
  methods:
  - {def: "Mat(values: [f64])"}
  - {def: "__add__(other: Mat) -> Mat"}
  - {def: "__mul__(by: f64) -> Mat"}
  - {def: "__rmul__(by: f64) -> Mat"}
  - {def: "named(other: Mat) -> Mat", cpp_fn: operator%}
  - {def: "doubled() -> Mat", cpp_fn: lib::doubled}
  - {def: "at(i: usize) -> f64"}
- name: Box
  cpp_type: std::shared_ptr<lib::box>
  methods:
  - {def: "Box(n: i64)", cpp: "std::make_shared<lib::box>(lib::box{n})"}
  - {def: "n() -> i64", cpp: self->n}
functions:
- {def: "most(a: i64, b: i64) -> i64", cpp: "a > b ? a : b"}
- {def: "same(a: f64) -> f64", cpp: (a)}
- {def: "longer(a: bytes, b: bytes) -> bytes", cpp: "a.size() > b.size() ? a : b"}
- {def: "given(a: i64?, b: i64?) -> i64?", cpp: "a ? a : b"}
- {def: "box(a: Box?, b: Box?) -> Box?", cpp: "a ? a : b"}
- {def: "first(all: [Box]) -> i64", cpp: "(all)[0]->n"}
"""


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_a_handle_is_made_while_the_operands_live(engine: str) -> None:
    lib = packages.build_text(SPEC, name="expressions").load(engine)
    one, two = lib.Mat([1.0] * 100), lib.Mat([2.0] * 100)
    made = [one + two, one * 3, 4 * one, one.named(two), one.doubled(), (one + two) * 2 + one.doubled()]
    assert [each.at(99) for each in made] == [3, 3, 4, 3, 2, 8]


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_the_value_may_be_a_parameter(engine: str) -> None:
    lib = packages.build_text(SPEC, name="expressions").load(engine)
    assert (lib.most(1, 2), lib.most(3, 2), lib.same(0.5), lib.longer(b"xyz", b"a")) == (2, 3, 0.5, b"xyz")
    assert (lib.given(None, 4), lib.given(3, 4), lib.given(None, None)) == (4, 3, None)
    assert (lib.box(None, lib.Box(7)).n(), lib.box(None, None), lib.first([lib.Box(8)])) == (7, None, 8)
