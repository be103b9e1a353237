"""Which alternative of a union a number means, and integers that C++ has as floating-point numbers."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.behaviour import packages
from tests.behaviour.callables.shared import fails

SPEC = """\
wrapper_lib: {name: sorts, cpp_include: [complex, functional, map, optional, string, variant, vector]}
cpp_prelude: |
  template <class V> std::string at(const V &v) { return std::to_string(v.index()); }
  inline double place(double at) { return at; }
  inline float near(float at) { return at; }
  inline double maybe(std::optional<double> at) { return at ? *at : -1; }
  inline double last(const std::map<std::string, double> &all) { return all.at("a"); }
  inline double asked(const std::function<double()> &f) { return f(); }
  inline long wide(bool odd) { return (1L << 53) + odd; }
functions:
  - {def: "float_first(v: f64 | i64) -> text", cpp_body: return at(v);}
  - {def: "bool_last(v: f64 | i64 | bool) -> text", cpp_body: return at(v);}
  - {def: "complex_first(v: c128 | f64 | i64) -> text", cpp_body: return at(v);}
  - {def: "complex_or_float(v: c128 | f64) -> text", cpp_body: return at(v);}
  - {def: "narrow_last(v: f64 | i32) -> text", cpp_body: return at(v);}
  - {def: "or_text(v: f64 | text) -> text", cpp_body: return at(v);}
  - {def: "lists(v: [f64] | [i64]) -> text", cpp_body: return at(v);}
  - {def: "list_last(v: f64 | i64 | [f64]) -> text", cpp_body: return at(v);}
  - {def: "maps(v: {text: f64} | {text: i64}) -> text", cpp_body: return at(v);}
  - {def: "tuples(v: (text, f64 | i64)) -> text", cpp_body: return at(std::get<1>(v));}
  - {def: "exact(v: f64 | i64) -> text", cpp_body: "return std::to_string(std::get<1>(v));"}
  - {def: "place(at: i64) -> f64"}
  - {def: "place_unsigned(at: u64) -> f64", cpp: place}
  - {def: "near(at: i64) -> f64"}
  - {def: "maybe(at: i64?) -> f64"}
  - {def: "last(all: {text: i64}) -> f64"}
  - {def: "asked(f: fn() -> i64) -> f64", scope: call}
  - {def: "wide(odd: bool) -> f64"}
  - {def: "rounded(at: i64) -> f64", cpp_fn: "[](i64 at) { return place(static_cast<double>(at)); }"}
"""


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build_text(SPEC, name="sorts").load(engine)


class Whole:
    """An int to `operator.index`."""

    def __index__(self) -> int:
        return 7


@pytest.mark.trial("unions-of-numbers")
@pytest.mark.parametrize(
    ("name", "value", "chosen"),
    [
        *(("float_first", value, 1) for value in (1, True, np.int64(1), np.uint8(1), Whole())),
        *(("float_first", value, 0) for value in (1.0, np.float32(1), np.float64(1), Decimal(1))),
        *(("bool_last", value, 2) for value in (True, np.bool_(True))),
        *(("bool_last", value, 1) for value in (1, np.int8(1), Whole())),
        *(("complex_first", value, 0) for value in (1j, np.complex64(1))),
        *(("complex_first", value, 1) for value in (1.0, np.float32(1), Decimal(1))),
        *(("complex_first", value, 2) for value in (1, True, np.int64(1))),
        *(("complex_or_float", value, 1) for value in (1, True, np.int64(1), np.float32(1))),
        *(("or_text", value, 0) for value in (1, True, np.int64(1), np.float32(1))),
        *(("lists", value, 1) for value in ([1], [np.int64(1)], (1, np.int64(1)), np.array([1, 2]))),
        *(("lists", value, 0) for value in ([1.0], [1, 1.0], [np.float32(1), 1], np.array([1.0]))),
        *(("list_last", value, 2) for value in ([1.0], np.array([1.0]), np.array([1]))),
        *(("maps", value, 1) for value in ({"a": 1}, {"a": np.int64(1)})),
        *(("tuples", value, 1) for value in (("a", 1), ["a", np.int64(1)])),
    ],
)
def test_the_alternative_that_fits_best(lib: Any, name: str, value: object, chosen: int) -> None:
    assert getattr(lib, name)(value) == str(chosen)


def test_no_digit_is_lost(lib: Any) -> None:
    for value in 2**60 + 1, np.int64(2**60 + 1), np.uint64(2**60 + 1):
        assert lib.exact(value) == str(2**60 + 1)


def test_what_does_not_fit_is_no_float(lib: Any) -> None:
    for value in 2**40, np.int64(2**40):
        fails(OverflowError, "v: 1099511627776 does not fit i32", partial(lib.narrow_last, value))


@pytest.mark.trial("i64-to-double")
def test_integers_that_cpp_has_as_floats(lib: Any) -> None:
    for value in 2**53, 2**53 + 2, -(2**53) - 2, 2**62, -(2**63), 2**63 - 2**10, 0, -1:
        assert lib.place(value) == lib.maybe(value) == lib.last({"a": value}) == value
        assert lib.asked(lambda value=value: value) == value
    wrong, what = 2**53 + 1, "9007199254740993 does not fit f64"
    fails(OverflowError, f"at: {what}", partial(lib.place, wrong))
    fails(OverflowError, f"at: -{what}", partial(lib.place, -wrong))
    fails(OverflowError, "at: 9223372036854775807 does not fit f64", partial(lib.place, 2**63 - 1))
    fails(OverflowError, "at: 18446744073709551615 does not fit f64", partial(lib.place_unsigned, 2**64 - 1))
    assert lib.place_unsigned(2**64 - 2**11) == 2**64 - 2**11
    fails(OverflowError, "at: 16777217 does not fit f32", partial(lib.near, 2**24 + 1))
    fails(OverflowError, f"at: {what}", partial(lib.maybe, wrong))
    fails(OverflowError, f"all['a']: {what}", partial(lib.last, {"a": wrong}))
    fails(OverflowError, f"f(): {what}", partial(lib.asked, lambda: wrong))
    assert lib.wide(False) == 2**53
    fails(OverflowError, f"the result: {what}", partial(lib.wide, True))
    assert lib.rounded(wrong) == 2**53
