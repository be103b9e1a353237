"""Constructors of one argument, which C++ writes as conversions: numbers that they have no place for are refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: conversions}
cpp_prelude: |
  #include <map>
  #include <optional>
  #include <string>
  struct implied { int value; implied(int v) : value(v) {} };
  struct stated { int value; explicit stated(int v) : value(v) {} };
  struct one_of_three {
    int value;
    one_of_three(int v, int, int) : value(v) {}
    explicit one_of_three(int v) : value(v) {}
  };
  struct small { float value; explicit small(float v) : value(v) {} };
  struct missing { int value; explicit missing(std::optional<int> v) : value(v.value_or(-1)) {} };
  struct named { std::map<std::string, int> value; explicit named(std::map<std::string, int> v) : value(v) {} };
  struct of_any { std::size_t value; template <class T> explicit of_any(T v) : value(sizeof(v)) {} };
handle_types:
  - {name: Implied, cpp_type: implied, fields: {value: i64}, methods: [{def: "Implied(v: i64)"}]}
  - {name: Stated, cpp_type: stated, fields: {value: i64}, methods: [{def: "Stated(v: i64)"}]}
  - {name: OneOfThree, cpp_type: one_of_three, fields: {value: i64}, methods: [{def: "OneOfThree(v: i64)"}]}
  - {name: Small, cpp_type: small, fields: {value: f64}, methods: [{def: "Small(v: f64)"}]}
  - {name: Missing, cpp_type: missing, fields: {value: i64}, methods: [{def: "Missing(v: i64?)"}]}
  - {name: Named, cpp_type: named, fields: {value: "{text: i64}"}, methods: [{def: "Named(v: {text: i64})"}]}
  - {name: OfAny, cpp_type: of_any, fields: {value: i64}, methods: [{def: "OfAny(v: i64)"}]}
functions:
  - {name: imply, cpp: implied, params: [{name: v, type: i64}], return: Implied}
  - {name: state, cpp: stated, params: [{name: v, type: i64}], return: Stated}
"""


@pytest.fixture(scope="module")
def conversions(tmp_path_factory: pytest.TempPathFactory, engine: str) -> Any:
    spec = tmp_path_factory.mktemp("conversions") / "conversions.wrapper_spec"
    spec.write_text(SPEC)
    return packages.build(spec).load(engine)


@pytest.mark.parametrize(
    ("name", "value", "held"),
    [
        ("Implied", -5, -5),
        ("Stated", 2**31 - 1, 2**31 - 1),
        ("OneOfThree", 5, 5),
        ("Small", 0.5, 0.5),
        ("Missing", None, -1),
        ("Missing", 5, 5),
        ("Named", {"a": 5}, {"a": 5}),
        ("OfAny", 2**40, 8),  # a template takes what the spec declares
        ("imply", 5, 5),
        ("state", 5, 5),
    ],
)
def test_what_fits_is_converted(conversions: Any, name: str, value: object, held: object) -> None:
    assert getattr(conversions, name)(value).value == held


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("Implied", 2**40, "v: 1099511627776 does not fit i32"),
        ("Stated", 2**31, "v: 2147483648 does not fit i32"),
        ("OneOfThree", 2**40, "v: 1099511627776 does not fit i32"),
        ("Small", 1e300, "v: 1e+300 does not fit f32"),
        ("Missing", -(2**40), "v: -1099511627776 does not fit i32"),
        ("Named", {"a": 2**40}, "v['a']: 1099511627776 does not fit i32"),
        ("imply", 2**40, "v: 1099511627776 does not fit i32"),
        ("state", 2**40, "v: 1099511627776 does not fit i32"),
    ],
)
def test_what_does_not_fit_is_refused(conversions: Any, name: str, value: object, said: str) -> None:
    with pytest.raises(OverflowError) as caught:
        getattr(conversions, name)(value)
    assert str(caught.value) == said
