"""Methods of structs: members, operators and functions that Python calls for a record, over both engines alike."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: vec}
cpp_prelude: |
  #include <cmath>
  #include <map>
  #include <ostream>
  #include <stdexcept>
  #include <string>
  #include <vector>
  struct Unsuited : std::exception {
    const char *what() const noexcept override { return "nothing is divided by zero"; }
  };
  struct Vec {
    double x = 0, y = 0;
    double norm() const { return std::hypot(x, y); }
    Vec scaled(float by, int times = 1) const { return {x * by * times, y * by * times}; }
    void grow() { x *= 2; }
    double taken() { return x++; }
    double taken_or_not() const { return x; }
    double taken_or_not() { return x++; }
    bool is_zero() const { return x == 0 && y == 0; }
    std::string label(const std::string &before) const { return before + std::to_string(int(x)); }
    int letters(const char *text) const { return int(std::string(text).size()); }
    Vec operator+(const Vec &o) const { return {x + o.x, y + o.y}; }
    Vec operator-() const { return {-x, -y}; }
    Vec operator*(double by) const { return {x * by, y * by}; }
    Vec operator/(const Vec &o) const { return o.is_zero() ? throw Unsuited() : Vec{x / o.x, y / o.y}; }
    bool operator<=(const Vec &o) const { return o.is_zero() ? throw Unsuited() : norm() <= o.norm(); }
    bool operator<(const Vec &o) const { return norm() < o.norm(); }
    bool operator==(const Vec &o) const { return norm() == o.norm(); }
    std::size_t size() const { return 2; }
    double operator[](std::size_t i) const { return i == 0 ? x : y; }
    explicit operator bool() const { return !is_zero(); }
  };
  inline Vec operator*(double by, const Vec &v) { return v * by; }
  inline std::ostream &operator<<(std::ostream &out, const Vec &v) { return out << "<" << v.x << ", " << v.y << ">"; }
  inline Vec polar(double r, double a) { return {r * std::cos(a), r * std::sin(a)}; }
  inline double distance(const Vec &from, const Vec &to) { return std::hypot(from.x - to.x, from.y - to.y); }
  struct Table { std::map<std::string, i64> rows; i64 at(const std::string &key) const { return rows.at(key); } };
  struct Tag { const char *name; std::string twice() const { return std::string(name) + name; } };
  struct Color {
    double r = 0, g = 0, b = 0;
    Color() = default;
    Color(double r, double g, double b) : r(r), g(g), b(b) {}
    explicit Color(int gray) : r(gray), g(gray), b(gray) {}
    Color mixed(const Color &o) const { return {(r + o.r) / 2, (g + o.g) / 2, (b + o.b) / 2}; }
    Color mixed(double by) const { return {r * by, g * by, b * by}; }
    Color operator*(double by) const { return mixed(by); }
    Color operator*(const Color &o) const { return {r * o.r, g * o.g, b * o.b}; }
    bool operator==(const Color &o) const { return r == o.r; }
    bool operator==(double o) const { return r == o; }
    std::size_t size() const { return 3; }
    double operator[](std::size_t i) const { return i == 0 ? r : i == 1 ? g : b; }
    double at(const std::string &name) const { return name == "r" ? r : throw std::out_of_range(name); }
  };
  inline Color parse(const std::string &hex) {
    return hex.empty() ? throw std::invalid_argument("no colour") : Color(double(hex.size()), 0, 0);
  }
  struct node { std::string name; };
  struct Edge { node *start, *end; };
handle_types:
  - name: Node
    cpp_type: node *
    release: delete value
    methods: [{def: "name -> text", cpp_body: return h.inner->name;}]
errors: [{cpp_type: Unsuited, name: TypeError}]
structs:
  - name: Vec
    cpp_type: Vec
    fields: {x: f64, y: {type: f64, default: 0}}
    methods:
      - {def: "norm() -> f64", doc: Its length.}
      - {def: "scaled(by: f64, times: i64) -> Vec"}
      - {def: "length() -> f64", cpp: norm, deprecated: use norm()}
      - {def: "grow()"}
      - {def: "taken() -> f64"}
      - {def: "taken_or_not() -> f64"}
      - {def: "is_zero -> bool"}
      - {def: "label(before: text) -> text"}
      - {def: "letters(text: text) -> i64"}
      - {def: "distance(to: Vec) -> f64", cpp: "::distance"}
      - {def: "moved(dx: f64 = 1.0) -> Vec", cpp_body: "return Vec{self.x + dx, self.y};"}
      - {def: "static polar(r: f64, angle: f64) -> Vec", cpp: "::polar"}
      - {def: "fail(why: text)", cpp_body: throw std::runtime_error(why);}
      - {def: "__add__(other: Vec) -> Vec"}
      - {def: "__mul__(by: f64) -> Vec"}
      - {def: "__rmul__(by: f64) -> Vec"}
      - {def: "__truediv__(other: Vec) -> Vec"}
      - {def: "__le__(other: Vec) -> bool"}
      - {def: "__neg__() -> Vec"}
      - {def: "__lt__(other: Vec) -> bool"}
      - {def: "__eq__(other: Vec) -> bool"}
      - {def: "__len__() -> usize"}
      - {def: "__getitem__(index: position) -> f64"}
      - {def: "__bool__() -> bool"}
      - {def: "__str__() -> text"}
      - {def: "__call__(by: f64) -> f64", cpp_body: return self.x * by;}
  - name: Table
    cpp_type: Table
    fields: {rows: "{text: i64}"}
    methods:
      - {def: "__getitem__(key: text) -> i64", cpp: at}
      - {def: "__contains__(key: text) -> bool", cpp_body: return self.rows.count(key) != 0;}
  - name: Color
    cpp_type: Color
    fields: {r: f64, g: f64, b: {type: f64, default: 0}}
    methods:
      - {def: "Color(gray: i64)", doc: A grey one.}
      - {def: "Color(hex: text)", cpp: parse}
      - {def: "Color(*, hue: f64, light: f64 = 1.0)", cpp_body: "return Color(hue, light, 0);", deprecated: use fields}
      - {def: "Color()", label: black}
      - {def: "Color(*, each: fn(i64) -> f64)", cpp_body: "f64 r = each(0), g = each(1); return Color(r, g, each(2));"}
      - {def: "mixed(other: Color) -> Color"}
      - {def: "mixed(by: f64) -> Color"}
      - {def: "static named(name: text) -> Color", cpp: "::parse"}
      - {def: "static named(number: i64) -> Color", cpp_body: "return Color(double(number), 1, 1);"}
      - {def: "sum(of: fn(f64) -> f64) -> f64", cpp_body: return of(self.r) + of(self.g);}
      - {def: "sum(of: fn(f64) -> f64, start: f64) -> f64", cpp_body: return of(self.r) + start;}
      - {def: "__mul__(by: f64) -> Color"}
      - {def: "__mul__(other: Color) -> Color"}
      - {def: "__eq__(other: Color) -> bool"}
      - {def: "__eq__(other: f64) -> bool"}
      - {def: "__len__() -> usize"}
      - {def: "__getitem__(index: position) -> f64"}
      - {def: "__getitem__(name: text) -> f64", cpp: at}
  - name: Edge
    cpp_type: Edge
    fields: {start: Node, end: {type: "Node?", default: null}}
    methods:
      - {def: "Edge(start: text, end: text)", cpp_body: "return Edge{new node{start}, new node{end}};"}
  - {name: Tag, cpp_type: Tag, fields: {name: text}, methods: [{def: "twice() -> text"}]}
"""


@pytest.fixture(scope="module", params=packages.ENGINES)
def vec(request: pytest.FixtureRequest) -> Any:
    return packages.build_text(SPEC, name="vec").load(request.param)


def test_members_and_functions_are_methods(vec: Any) -> None:
    a = vec.Vec(3, 4)
    assert (a.norm(), a.is_zero, a.label("x"), a.letters("abc")) == (5.0, False, "x3", 3)
    assert repr(a.scaled(2, times=2)) == "Vec(x=12.0, y=16.0)"
    assert a.distance(vec.Vec(0)) == 5.0
    assert (a.moved().x, a.moved(dx=2).x) == (4.0, 5.0)
    assert (vec.Vec.polar(1, 0).x, a.polar(r=2, angle=0).x) == (1.0, 2.0)
    assert (vec.Vec.norm(a), vec.Vec.norm.__name__, vec.Vec.norm.__qualname__) == (5.0, "norm", "Vec.norm")
    assert (vec.Tag("ab").twice(), a(3)) == ("abab", 9.0)
    assert not hasattr(vec, "norm") and not hasattr(vec, "Vec_norm")


def test_what_cpp_changes_in_a_record_is_lost(vec: Any) -> None:
    a = vec.Vec(3, 4)
    assert a.grow() is None
    assert (a.taken(), a.taken(), a.taken_or_not(), a.taken_or_not()) == (3.0, 3.0, 3.0, 3.0)
    assert (a.x, a.y) == (3.0, 4.0)


def test_operators_are_those_of_cpp(vec: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, vec.Vec.__module__, vec)
    a, b = vec.Vec(3, 4), vec.Vec(1)
    assert [repr(each) for each in (a + b, a * 2, 2 * a, -b)] == [
        "Vec(x=4.0, y=4.0)",
        "Vec(x=6.0, y=8.0)",
        "Vec(x=6.0, y=8.0)",
        "Vec(x=-1.0, y=-0.0)",
    ]
    assert b < a and a > b and a == vec.Vec(4, 3) and a != b and a != 5
    assert (len(a), list(a), a[0], a[-1], bool(a), bool(vec.Vec(0)), str(a)) == (2, [3, 4], 3, 4, True, False, "<3, 4>")
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)
    assert pickle.loads(pickle.dumps(a)) == copy.copy(a) == a


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda v, a: a.scaled(1), "TypeError: Vec.scaled() missing 1 required positional argument: 'times'"),
        (lambda v, a: a.scaled(1, 2, 3), "TypeError: Vec.scaled() takes 3 positional arguments but 4 were given"),
        (lambda v, a: a.scaled(1, 2**40), "OverflowError: times: 1099511627776 does not fit i32"),
        (lambda v, a: a.moved(by=3), "TypeError: Vec.moved() got an unexpected keyword argument 'by'"),
        (lambda v, a: a.moved("s"), "TypeError: dx: a float is wanted, not str"),
        (lambda v, a: a.letters("a\0b"), "ValueError: text: embedded null character"),
        (lambda v, a: a.fail("why"), "VecError: why"),
        (lambda v, a: v.Vec.polar(1), "TypeError: Vec.polar() missing 1 required positional argument: 'angle'"),
        (lambda v, a: a[2], "IndexError: Vec index out of range"),
        (lambda v, a: a[-3], "IndexError: Vec index out of range"),
        (lambda v, a: a[2**80], "IndexError: Vec index out of range"),
        (lambda v, a: a["x"], "TypeError: index: an int is wanted, not str"),
        (lambda v, a: setattr(a, "is_zero", 1), "AttributeError: cannot assign to 'is_zero': Vec objects"),
        (lambda v, a: v.Table({"a": 1})["b"], "KeyError: 'b'"),
        (lambda v, a: 3 in v.Table({}), "TypeError: key: a str is wanted, not int"),
    ],
)
def test_bad_calls_say_what_is_wrong(vec: Any, act: Callable[[Any, Any], Any], said: str) -> None:
    with pytest.raises(Exception) as caught:
        act(vec, vec.Vec(3, 4))
    shown = f"{type(caught.value).__name__}: {caught.value}".removesuffix(" do not change")
    assert shown.removesuffix(". Did you forget 'self' in the function definition?") == said  # which PyPy adds


@pytest.mark.parametrize("act", [lambda a: a + 1, lambda a: 1 + a, lambda a: a < 3, lambda a: a * None])
def test_a_foreign_operand_is_for_the_other_one_to_know(vec: Any, act: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=r"not supported|unsupported"):
        act(vec.Vec(1))


def test_a_type_error_of_cpp_is_raised_and_does_not_ask_the_other_operand(vec: Any) -> None:
    class Other:
        def __rtruediv__(self, own: Any) -> str:
            return "of the other operand"

    a, zero = vec.Vec(2, 4), vec.Vec(0)
    assert (a / vec.Vec(2, 2)).y == 2.0 and a <= a and a / Other() == "of the other operand"
    assert a.__truediv__(1) is a.__le__(None) is NotImplemented
    for act in (lambda: a / zero, lambda: a <= zero, lambda: a.__truediv__(zero)):
        with pytest.raises(TypeError, match=r"^nothing is divided by zero$"):
            act()


def test_lookups(vec: Any) -> None:
    table = vec.Table({"a": 1})
    assert (table["a"], "a" in table, "b" in table) == (1, True, False)


def test_a_deprecated_method_warns(vec: Any) -> None:
    with pytest.warns(DeprecationWarning, match=r"^Vec\.length\(\) is deprecated: use norm\(\)$") as warned:
        assert vec.Vec(3, 4).length() == 5.0
    assert warned[0].filename == __file__


def test_numpy_leaves_operators_to_records_with_reflected_ones(vec: Any) -> None:
    numpy = pytest.importorskip("numpy")
    assert numpy.float64(2) * vec.Vec(1, 3) == vec.Vec(2, 6)  # and not an array, though it has items
    with pytest.raises(TypeError):
        numpy.ones(2) * vec.Vec(1, 3)
    assert vec.Vec.__array_ufunc__ is None and not hasattr(vec.Table, "__array_ufunc__")


def test_constructors_run_cpp_beside_the_one_of_the_fields(vec: Any) -> None:
    Color = vec.Color
    made = [
        Color(1, 2),
        Color(1, 2, b=3),
        Color(5),
        Color("abc"),
        Color(hex="a"),
        Color(),
        Color(each=lambda i: i * 2.0),
    ]
    assert [repr(each)[5:] for each in made] == [
        "(r=1.0, g=2.0, b=0.0)",
        "(r=1.0, g=2.0, b=3.0)",
        "(r=5.0, g=5.0, b=5.0)",
        "(r=3.0, g=0.0, b=0.0)",
        "(r=1.0, g=0.0, b=0.0)",
        "(r=0.0, g=0.0, b=0.0)",
        "(r=0.0, g=2.0, b=4.0)",
    ]
    assert {type(each) for each in made} == {Color}
    edge = vec.Edge("a", "b")
    assert (edge.start.name, edge.end.name, vec.Edge(edge.end).start is edge.end) == ("a", "b", True)


def test_records_that_constructors_made_are_as_any_other(vec: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, vec.Color.__module__, vec)
    gray = vec.Color(5)
    assert pickle.loads(pickle.dumps(gray)) == copy.copy(gray) == gray
    assert repr(dataclasses.replace(gray, b=9)) == "Color(r=5.0, g=5.0, b=9.0)"
    assert [each.name for each in dataclasses.fields(gray)] == ["r", "g", "b"]
    with pytest.raises(AttributeError, match="do not change"):
        gray.r = 3
    assert "Color(gray: int) -> Color\n    A grey one." in inspect.getdoc(vec.Color)


def test_a_deprecated_constructor_warns_and_others_do_not(vec: Any) -> None:
    with pytest.warns(DeprecationWarning, match=r"^Color\(\) is deprecated: use fields$") as warned:
        assert vec.Color(hue=2).r == 2.0
    assert warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vec.Color(1), vec.Color(1, 2)


def test_methods_of_records_have_forms(vec: Any) -> None:
    a, b = vec.Color(1, 2), vec.Color(3, 0)
    assert (repr(a.mixed(b)), repr(a.mixed(3))) == ("Color(r=2.0, g=1.0, b=0.0)", "Color(r=3.0, g=6.0, b=0.0)")
    assert repr(a.mixed(other=b)) == repr(a.mixed(b)) and a.mixed.__name__ == "mixed"
    assert (vec.Color.named("ab").r, a.named(4).r) == (2.0, 4.0)
    assert (a.sum(lambda v: v), a.sum(lambda v: v, 5)) == (3.0, 6.0)
    assert (repr(a * 2), repr(a * b)) == ("Color(r=2.0, g=4.0, b=0.0)", "Color(r=3.0, g=0.0, b=0.0)")
    assert a == vec.Color(1, 0) and a == 1.0 and a != 2.0 and a != "a" and a != b
    assert (a[1], a[-1], a["r"], len(a), list(a)) == (2.0, 0.0, 1.0, 3, [1.0, 2.0, 0.0])


_FORMS = """\
Color() takes no ({}); it takes one of these:
    Color(r: float, g: float, b: float = 0.0) -> Color
    Color(gray: int) -> Color
    Color(hex: str) -> Color
    Color(*, hue: float, light: float = 1.0) -> Color
    Color() -> Color
    Color(*, each: Callable[[int], float]) -> Color"""


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda color: color([]), _FORMS.format("list")),
        (lambda color: color(2.5), _FORMS.format("float")),
        (lambda color: color(1, 2, 3, 4), _FORMS.format("int, int, int, int")),
        (lambda color: color(grey=1), _FORMS.format("grey=int")),
        (lambda color: color(""), "no colour"),
        (lambda color: color(2**40), "gray: 1099511627776 does not fit i32"),
        (lambda color: color(each=lambda i: {}[i]), "0"),
        (
            lambda color: color(1).mixed("a"),
            "Color.mixed() takes no (str); it takes one of these:\n"
            "    mixed(other: Color) -> Color\n    mixed(by: float) -> Color",
        ),
        (
            lambda color: color.named(2.5),
            "Color.named() takes no (float); it takes one of these:\n"
            "    named(name: str) -> Color\n    named(number: int) -> Color",
        ),
        (lambda color: color(1)[3], "Color index out of range"),
        (lambda color: color(1)["q"], "'q'"),
        (
            lambda color: color(1)[2.5],
            "Color.__getitem__() takes no (float); it takes one of these:\n"
            "    __getitem__(index: int) -> float\n    __getitem__(name: str) -> float",
        ),
    ],
)
def test_what_no_form_takes_is_shown_with_the_forms(vec: Any, act: Callable[[Any], Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError, LookupError, OverflowError)) as caught:
        act(vec.Color)
    assert str(caught.value) == said
    with pytest.raises(TypeError, match=r"unsupported|can't multiply|not supported|cannot be interpreted"):
        vec.Color(1) * "a"
