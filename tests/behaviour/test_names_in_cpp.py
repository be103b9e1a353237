"""Names of parameters are Python's own business: no macro of a header, and no word of C++, gets in their way."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour import packages
from tests.compilers import ROOT

SPEC = """\
wrapper_lib: {name: macros}
cpp_prelude: |
  #include <climits>
  #include <cstddef>
  #include <cstdio>
  #include <string>
  #include <vector>
  #define my_macro 17
  #define MY_FUNCTION(x) nothing_like_it
  inline i64 sum_of(i64 a, f64 b, bool c, const std::string &d) { return a + static_cast<i64>(b) + c + i64(d.size()); }
handle_types:
  - {name: Box, cpp_type: i64, release: "nothing"}
functions:
  - name: by_name
    cpp: sum_of
    params: &params
      - {name: INT_MAX, type: i64}
      - {name: offsetof, type: f64}
      - {name: HAS_MACROS, type: bool}
      - {name: my_macro, type: text}
    return: i64
  - {name: by_lambda, cpp_fn: "[](auto... each) { return sum_of(each...); }", params: *params, return: i64}
  - name: by_body
    cpp_body: return sum_of(INT_MAX, offsetof, HAS_MACROS, my_macro);
    params: *params
    return: i64
  - {name: still_a_macro, cpp_body: "return my_macro;", return: i64}
  - {name: box, cpp_fn: "[](i64 x) { return x; }", params: [{name: stdout, type: i64}], return: Box}
  - name: each_kind
    cpp_body: |
      const auto sizes = INT_MIN.size() + stdin.size() + EOF_.size();
      return static_cast<i64>(sizes) + *my_macro + (CHAR_BIT ? 1 : 0) + class_;
    params:
      - {name: INT_MIN, type: "[i64]"}
      - {name: stdin, type: "[text]"}
      - {name: EOF, type: bytes}
      - {name: my_macro, type: "i64?"}
      - {name: CHAR_BIT, type: "Box?"}
      - {name: class, type: i64}
    return: i64
methods:
  - handle: Box
    name: plus
    cpp_body: return h.inner + MY_FUNCTION.inner + INT_MAX;
    params: [{name: MY_FUNCTION, type: Box}, {name: INT_MAX, type: i64}]
    return: i64
"""


@pytest.fixture(scope="module", params=packages.ENGINES)
def macros(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build_text(SPEC, name="macros").load(request.param)


@pytest.mark.parametrize("how", ["by_name", "by_lambda", "by_body"])
def test_parameters_named_as_macros(macros: Any, how: str) -> None:
    function = getattr(macros, how)
    assert function(1, 2.0, True, "four") == 8
    assert function(INT_MAX=1, offsetof=2.0, HAS_MACROS=True, my_macro="four") == 8
    with pytest.raises(TypeError, match=r"^INT_MAX: an int is wanted, not str$"):
        function("1", 2.0, True, "four")


def test_a_macro_is_still_one_elsewhere(macros: Any) -> None:
    assert macros.still_a_macro() == 17


def test_each_kind_of_parameter(macros: Any) -> None:
    box = macros.box(stdout=1)
    assert macros.each_kind([1, 2], ["x"], b"abc", 10, box, 100) == 117
    assert macros.each_kind(INT_MIN=[], stdin=[], EOF=b"", my_macro=5, CHAR_BIT=None, class_=0) == 5
    assert box.plus(MY_FUNCTION=macros.box(2), INT_MAX=3) == 6
    box.close()
    with pytest.raises(ValueError, match=r"^MY_FUNCTION: this Box is closed$"):
        macros.box(1).plus(box, 2)


def test_docstrings_do_not_speak_of_the_spec(macros: Any) -> None:
    for thing in (macros, *map(macros.__dict__.get, macros.__all__), macros.Box.plus, macros.Box.box):
        assert "wrapper_spec" not in (getattr(thing, "__doc__", "") or "")
    assert macros.by_name.__doc__.startswith("Call `sum_of`.")
    assert macros.by_body.__doc__.startswith("Undocumented.")


OPERATORS = """
wrapper_lib: {name: operators_by_name}
cpp_prelude: |
  namespace lib {
  struct vec {
    double x, weight = 1;
    explicit vec(double x) : x(x) {}
    explicit operator double() const { return x; }
    double operator()(double y) const { return x + y; }
    double operator[](int i) const { return x * i; }
    vec &operator<<(double y) { x += y; return *this; }
    vec &operator<<=(int n) { x *= 1 << n; return *this; }
    bool operator<(const vec &other) const { return x < other.x; }
  };
  inline vec operator%(const vec &a, const vec &b) { return vec(a.x * b.x); }
  inline double operator,(const vec &a, double b) { return a.x - b; }
  }
handle_types:
- name: Vec
  cpp_type: lib::vec
  methods:
  - {def: "Vec(x: f64)"}
  - {def: "times(other: Vec) -> Vec", cpp_fn: operator%}
  - {def: "times_again(other: Vec) -> Vec", cpp: lib::operator %}
  - {def: "less(b: f64) -> f64", cpp: "lib::operator,"}
  - {def: "at(y: f64) -> f64", cpp: operator()}
  - {def: "scaled(i: i32) -> f64", cpp: "operator[]"}
  - {def: "add(y: f64)", cpp: operator<<}
  - {def: "shift(n: i32)", cpp: operator<<=}
  - {def: "is_before(other: Vec) -> bool", cpp: operator<}
  - {def: "as_float() -> f64", cpp: operator double}
  fields: {x: f64, operator: {type: mut f64, cpp: weight}}  # C++ has no member of such a name
"""


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_operators_by_their_own_names(engine: str) -> None:
    lib = packages.build_text(OPERATORS, name="operators_by_name").load(engine)
    vec = lib.Vec(2)
    assert (vec.times(lib.Vec(4)).x, vec.times_again(lib.Vec(5)).x, vec.less(0.5)) == (8, 10, 1.5)
    assert (vec.at(1), vec.scaled(3), vec.as_float(), vec.is_before(lib.Vec(3))) == (3, 6, 2, True)
    vec.add(3)
    vec.shift(2)
    assert vec.x == 20
    vec.operator += 2
    assert vec.operator == 3


_TEMPLATE = re.compile(r"^template.*\n(?! |#|//|using)[\w:<>,&*. ]+[ &*]([a-z][a-z0-9_]*)\(", re.MULTILINE)
"""A function that may take what another one is meant to get."""
_NO_NAMES = {"alignas", "decltype", "sizeof", "static_assert"}
_OF_STD = {"lock", "size", "try_lock"}
"""C++ finds those of its library, for arguments with types of that."""
PARAMETERS = {
    "callables": ("std::function<int(int)> f", "f: fn(i32) -> i32"),
    "more": ("std::function<int(int)> f, const std::string &s, Thing &t", "f: fn(i32) -> i32, s: text, t: Thing"),
    "mappings": ("const std::map<std::string, int> &m", "m: {text: i32}"),
}
"""Parameters in C++ and in Python. A call of such a function has arguments of types of ours."""


def our_functions() -> list[str]:
    headers = sorted((ROOT / "runtime" / "include").rglob("*.hpp"))
    names = {name for path in headers for name in _TEMPLATE.findall(path.read_text(encoding="utf-8"))}
    return sorted(names - _NO_NAMES - _OF_STD)


def test_a_library_may_name_its_functions_as_ours_are() -> None:
    """C++ looks for a function in the namespaces of its arguments' types too: none of ours is found there."""
    names = our_functions()
    assert len(names) > 300
    lines = ["wrapper_lib: {name: named, cpp_include: [<functional>, <map>, <string>]}", "cpp_prelude: |"]
    lines += ["  struct Thing { int size; };"]
    for kind, (in_cpp, _) in PARAMETERS.items():
        functions = "\n".join(f"  inline int {name}({in_cpp}) {{ return 7; }}" for name in names)
        lines += [f"  namespace of_{kind} {{\n{functions}\n  }}"]
    lines += ["handle_types: [{name: Thing, cpp_type: Thing, release: 'nothing'}]", "functions:"]
    lines += ["  - {def: make() -> Thing, cpp_fn: '[] { return Thing{1}; }'}"]
    for kind, (_, in_python) in PARAMETERS.items():
        calls = " + ".join(f"{name}(each...)" for name in names)
        code = f"[](auto &&...each) -> int {{ using namespace of_{kind}; return {calls}; }}"
        lines += [f'  - {{def: "{kind}({in_python}) -> i32", cpp_fn: "{code}"}}']
    named: Any = packages.build_text("\n".join(lines) + "\n", name="named").load(packages.ENGINES[-1])
    results = [named.callables(lambda x: x), named.more(lambda x: x, "text", named.make()), named.mappings({"a": 1})]
    assert results == [7 * len(names)] * 3


HIDING = """\
wrapper_lib: {name: coop}
cpp_prelude: |
  namespace hen {
    struct Hen { int eggs = 0; static Hen with(int eggs) { Hen made; made.eggs = eggs; return made; } };
    inline int eggs_of(const Hen &hen) { return hen.eggs; }
    template <class T> T twice(const T &value) { return value + value; }
  }
  namespace farm { struct Cow { static int legs() { return 4; } }; }
  using namespace farm;
handle_types:
  - name: hen
    cpp_type: hen::Hen
    methods:
      - {def: "hen()"}
      - {def: "add()", cpp_method: "[](::hen::Hen &hen) { hen.eggs++; }"}
  - {name: Cow, cpp_type: farm::Cow}
functions:
  - {def: "with(eggs: i32) -> hen", cpp_fn: "hen::Hen::with"}
  - {def: "eggs_of(of: hen) -> i32", cpp_fn: "hen::eggs_of"}
  - {def: "counted(of: hen) -> i32", cpp_body: "namespace hen = ::hen; return hen::eggs_of(of.inner);"}
  - {def: "own(of: hen) -> i32", cpp_body: "decltype(hen::inner) &own = of.inner; return own.eggs;"}
  - {def: "twice(value: i32) -> i32", cpp_fn: "hen::twice<i32>"}
  - {def: "legs() -> i32", cpp_fn: "Cow::legs"}
"""
"""Handle types with the names of a namespace and of a class that `using namespace` makes known."""


def test_a_handle_type_hides_no_namespace_from_functions_by_name(engine: str) -> None:
    coop: Any = packages.build_text(HIDING, name="coop").load(engine)
    hen = coop.hen()
    hen.add()
    assert [coop.eggs_of(hen), coop.counted(hen), coop.own(hen), coop.with_(3).add()] == [1, 1, 1, None]
    assert (coop.eggs_of(coop.with_(3)), coop.twice(4), coop.legs()) == (3, 8, 4)
