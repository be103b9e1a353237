"""Callables that end memory which the call around them uses, of objects that lend no handles."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.behaviour import packages

pytestmark = pytest.mark.skipif(sys.implementation.name != "cpython", reason="exported memory needs CPython")

SPEC = """\
wrapper_lib: {name: reentrant, cpp_include: [functional, vector]}
cpp_prelude: |
  struct box {
    std::vector<double> v;
    int resized = 0;
    explicit box(std::size_t n) : v(n) {}
    void transform(const std::function<double(double)> &f) {
      for (std::size_t i = 0, n = v.size(); i < n; ++i) {
        const int before = resized;
        const double made = f(v[i]);
        if (resized == before) v[i] = made;
      }
    }
    void resize(std::size_t n) { v.resize(n); ++resized; }
    std::size_t size() const { return v.size(); }
    double *data() { return v.data(); }
  };
  inline void transform(box &b, const std::function<double(double)> &f) { b.transform(f); }
handle_types:
  - name: Box
    cpp_type: box
    methods:
      - {def: "Box(n: usize)"}
      - {def: "__len__() -> usize"}
      - {def: "__getitem__(i: position) -> f64", cpp_body: "return h.inner.v.at(static_cast<std::size_t>(i));"}
      - {def: "__buffer__() -> array[f64; size()]", cpp: data}
      - {def: "transform(f: fn(f64) -> f64)", scope: call}
      - {def: "resize(n: usize)", ends: all}
functions:
  - {def: "transform(b: Box, f: fn(f64) -> f64)", scope: call}
"""


@pytest.fixture(scope="module")
def reentrant(tmp_path_factory: pytest.TempPathFactory, engine: str) -> Any:
    spec = tmp_path_factory.mktemp("reentrant") / "reentrant.wrapper_spec"
    spec.write_text(SPEC)
    return packages.build(spec).load(engine)


@pytest.mark.parametrize("is_method", [True, False], ids=["of the object", "with it as an argument"])
def test_no_call_ends_memory_that_a_running_one_uses(reentrant: Any, is_method: bool) -> None:
    box, other = reentrant.Box(3), reentrant.Box(3)

    def grow(_value: float) -> float:
        with pytest.raises(ValueError, match="a call that is still running uses what this call ends"):
            box.resize(1000)
        other.resize(len(other) + 1)
        return 1.5

    if is_method:
        box.transform(grow)
    else:
        reentrant.transform(box, grow)
    assert [box[i] for i in range(3)] == [1.5] * 3 and len(other) == 6
    box.resize(1)
    assert len(box) == 1


def test_what_it_raises_ends_the_call(reentrant: Any) -> None:
    box = reentrant.Box(3)
    with pytest.raises(ValueError, match="still running"):
        box.transform(lambda value: box.resize(1000))
    assert len(box) == 3
