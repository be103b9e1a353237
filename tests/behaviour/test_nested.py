"""Types within types: lists, maps, tuples, unions and optionals of whatever converts, over both engines alike."""

from __future__ import annotations

import gc
import math
import sys
import threading
from collections import OrderedDict, UserDict, namedtuple
from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import COUNTS_REFERENCES, collect
from tests.behaviour.packages import ENGINES, Package

SPEC = """
wrapper_lib: {name: nested, cpp_include: [array, functional, list, map, set, string, unordered_map, unordered_set]}
cpp_prelude: |
  enum class Color { red, green, blue };
  inline i64 live_boxes = 0;
  struct Box {
    i64 n;
    explicit Box(i64 number) : n(number) { ++live_boxes; }
    Box(const Box &other) : n(other.n) { ++live_boxes; }
    Box &operator=(const Box &) = default;
    ~Box() { --live_boxes; }
  };
enums:
  - {name: Color, cpp_type: Color, values: {RED: "Color::red", GREEN: "Color::green", BLUE: "Color::blue"}}
handle_types:
  - {name: Box, cpp_type: "std::shared_ptr<::Box>"}
functions:
  - {name: box, cpp_fn: "[](i64 n) { return std::make_shared<::Box>(n); }", params: [{name: n, type: i64}], return: Box}
  - {name: live, cpp_fn: "[] { return live_boxes; }", return: i64}
  - {name: maybe_texts, cpp_body: return xs;, params: [{name: xs, type: "[text?]"}], return: "[text?]"}
  - {name: rows, cpp_body: return xs;, params: [{name: xs, type: [[f64]]}], return: [[f64]]}
  - {name: halves, cpp_body: return xs;, params: [{name: xs, type: [[f32]]}], return: [[f32]]}
  - {name: bits, cpp_body: return xs;, params: [{name: xs, type: [[bool]]}], return: [[bool]]}
  - {name: words, cpp_body: return xs;, params: [{name: xs, type: [[text]]}], return: [[text]]}
  - {name: blobs, cpp_body: return xs;, params: [{name: xs, type: [bytes]}], return: [bytes]}
  - {name: colors, cpp_body: return xs;, params: [{name: xs, type: "[Color]"}], return: "[Color]"}
  - {name: counts, cpp_body: return m;, params: [{name: m, type: {text: i64}, default: {a: 1}}], return: {text: i64}}
  - name: sorted_counts
    cpp_fn: "[](const std::map<std::string, i64> &m) { return m; }"
    params: [{name: m, type: {text: i64}}]
    return: {text: i64}
  - name: hashed_counts
    cpp_fn: "[](std::unordered_map<std::string, i64> m) { return i64(m.size()); }"
    params: [{name: m, type: {text: i64}}]
    return: i64
  - name: descending
    cpp_fn: "[](const std::map<std::string, i64, std::greater<>> &m) { return std::vector<std::pair<std::string, i64>>(m.begin(), m.end()); }"
    params: [{name: m, type: {text: i64}}]
    return: "[(text, i64)]"
  - name: several
    cpp_fn: "[](const std::multimap<bool, i64> &m) { std::vector<i64> out; for (auto &[key, n] : m) out.push_back(n); return out; }"
    params: [{name: m, type: "{bool: i64}"}]
    return: "[i64]"
  - {name: by_f32, cpp_body: return m;, params: [{name: m, type: {f32: i64}}], return: {f32: i64}}
  - {name: by_color, cpp_body: return m;, params: [{name: m, type: "{Color: [text]}"}], return: "{Color: [text]}"}
  - {name: pair, cpp_body: return p;, params: [{name: p, type: "(i64, text)"}], return: "(i64, text)"}
  - name: unpaired
    cpp_fn: "[](const std::tuple<i64, std::string> &p) { return p; }"
    params: [{name: p, type: "(i64, text)"}]
    return: "(i64, text)"
  - {name: tags, cpp_body: return s;, params: [{name: s, type: "set[text]"}], return: "set[text]"}
  - name: sorted_tags
    cpp_fn: "[](const std::set<i64> &s) { return s; }"
    params: [{name: s, type: "set[i64]"}]
    return: "set[i64]"
  - name: hashed_tags
    cpp_fn: "[](const std::unordered_set<std::string> &s) { return s; }"
    params: [{name: s, type: "set[text]"}]
    return: "set[text]"
  - {name: f32s, cpp_body: return i64(s.size());, params: [{name: s, type: "set[f32]"}], return: i64}
  - {name: one, cpp_body: return p;, params: [{name: p, type: "(u8,)"}], return: "(u8,)"}
  - {name: three, cpp_body: return p;, params: [{name: p, type: "(bool, f32, i8)"}], return: "(bool, f32, i8)"}
  - name: either
    cpp_fn: "[](const std::variant<i64, f64, std::string, wg::Bytes> &v) { return v; }"
    params: [{name: v, type: "i64 | f64 | text | bytes"}]
    return: "i64 | f64 | text | bytes"
  - {name: numbers, cpp_body: return v;, params: [{name: v, type: "bool | u64 | i64"}], return: "bool | u64 | i64"}
  - name: shape
    cpp_body: return v;
    params: [{name: v, type: "([i64] | [text] | {text: i64} | Color)?", default: null}]
    return: "([i64] | [text] | {text: i64} | Color)?"
  - name: which
    cpp_body: return v.index();
    params: [{name: v, type: "[i64] | (i64, i64) | [[i64]] | {text: i64}"}]
    return: u8
  - name: table
    cpp_body: return t;
    params: [{name: t, type: "{(i64, text?): [{text: bool?}]}?"}]
    return: "{(i64, text?): [{text: bool?}]}?"
  - name: boxes
    cpp_body: |
      std::map<std::string, std::vector<std::shared_ptr<::Box>>> out;
      for (auto &[name, row] : by)
        for (auto *box : row) out[name].push_back(box->inner);
      return out;
    params: [{name: by, type: "{text: [Box]}"}]
    return: "{text: [Box]}"
  - name: sum_of_boxes
    blocking: true
    cpp_body: |
      i64 total = 0;
      for (auto &row : rows)
        for (auto box : row)
          if (box) total += (*box)->inner->n;
      return total;
    params: [{name: rows, type: "[[Box?]]"}, {name: more, type: "[[i64]]", default: []}]
    return: i64
  - name: failing
    cpp_body: throw std::runtime_error("no");
    params: [{name: rows, type: "[[Box]]"}]
    return: "[Box?]"
  - {name: from_list, cpp_fn: "[] { return std::list<std::vector<float>>{{1}, {}}; }", return: [[f64]]}
  - {name: from_array, cpp_fn: "[] { return std::array<i32, 2>{{1, 2}}; }", return: "(i64, f64)"}
  - name: from_variant
    cpp_fn: "[](i64 i) { return i ? std::variant<int, const char*>(int(i)) : std::variant<int, const char*>(\\"no\\"); }"
    params: [{name: i, type: i64}]
    return: "text | u8"
  - {name: from_text, cpp_fn: "[] { return std::string(\\"one\\"); }", return: "i64 | text"}
  - {name: bad_text, cpp_fn: "[] { return std::vector<std::vector<std::string>>{{\\"a\\"}, {\\"\\\\xc3\\", \\"\\\\xa9\\"}}; }", return: [[text]]}
  - {name: too_large, cpp_fn: "[] { return std::map<int, i64>{{1, 300}}; }", return: "{i64: u8}"}
"""  # noqa: E501


class Three:
    def __index__(self) -> int:
        return 3


class Half:
    def __float__(self) -> float:
        return 0.5


class Number(int):
    """An int, of a type of its own."""


class Index:
    """What only `__index__` makes a number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


class Fails:
    def __index__(self) -> int:
        raise ZeroDivisionError("index")

    def __float__(self) -> float:
        raise ZeroDivisionError("float")

    def __iter__(self) -> Iterator[int]:
        raise ZeroDivisionError("iter")


class Word(str):
    __slots__ = ()


class Unprintable:
    def __repr__(self) -> str:
        raise ZeroDivisionError("repr")

    def __hash__(self) -> int:
        return 1


def itself() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


def deep(levels: int) -> list[Any]:
    made: list[Any] = []
    for _ in range(levels):
        made = [made]
    return made


Point = namedtuple("Point", "x y")

GOOD: dict[str, list[Any]] = {
    "maybe_texts": [[], ["a", None, "é\0"], ("x",), [None] * 100, [Word("w")]],
    "rows": [[], [[]], [[1.5, -0.0], [], [math.inf]], [[1, 2**40, True, Three(), Half()]], ((1,), [2])],
    "bits": [[[True, False], []]],
    "words": [[["a", "é" * 40], []]],
    "blobs": [[b"", b"a\0b", bytearray(b"c"), memoryview(b"d")]],
    "counts": [{}, {"b": 1, "a": 2}, {Word("w"): Three()}, OrderedDict(x=1), UserDict(y=2), MappingProxyType({"z": 3})],
    "hashed_counts": [{"a": 1, "b": 2}],
    "pair": [(1, "a"), [2, "b"], Point(3, "c")],
    "unpaired": [(1, "a")],
    "one": [(255,)],
    "tags": [set(), {"a"}, frozenset({"x"}), {"k": 1}.keys(), {Word("w")}],
    "hashed_tags": [set(), {"a", "b"}, {"k": 1}.keys()],
    "sorted_tags": [{3, 1, 2}, {2**62, True}, {Three(), 3}],
    "three": [(True, 0.5, -128)],
    "either": [1, -1, 1.5, "a", b"a", True, Three(), bytearray(b"x"), Word("w"), math.inf, -(2**63)],
    "numbers": [True, False, 0, 2**64 - 1, -1, -(2**63), Three()],
    "shape": [None, [], [1], ["a"], {"a": 1}, (1, 2), [Three()]],
    "which": [[1], (1, 2), [[1]], {"a": 1}, (1, 2, 3), [[1], (2,)], {}],
    "table": [None, {}, {(1, "a"): [{"x": None, "y": True}, {}], (2, None): []}],
}

BAD: list[tuple[str, Callable[[], Any], str]] = [
    ("maybe_texts", lambda: ["a", 3], "TypeError: xs[1]: a str is wanted, not int"),
    ("maybe_texts", lambda: "abc", "TypeError: xs: a sequence is wanted, not str"),
    ("maybe_texts", lambda: None, "TypeError: xs: a sequence is wanted, not None"),
    (
        "maybe_texts",
        lambda: ["ok", "\ud800"],
        "ValueError: xs[1]: half of a surrogate pair is no character: '\\ud800' at index 0",
    ),
    ("words", lambda: [["a"], "b"], "TypeError: xs[1]: a sequence is wanted, not str"),
    ("words", lambda: [["a", None]], "TypeError: xs[0][1]: a str is wanted, not None"),
    ("rows", itself, "TypeError: xs[0][0]: a float is wanted, not list"),
    ("rows", lambda: deep(1_000_000), "TypeError: xs[0][0]: a float is wanted, not list"),
    ("rows", lambda: [[1], [2, "3"]], "TypeError: xs[1][1]: a float is wanted, not str"),
    ("rows", lambda: [[10**400]], "OverflowError: xs[0][0]: an int of 1329 bits does not fit f64"),
    ("rows", lambda: [[Fails()]], "ZeroDivisionError: float"),
    ("rows", lambda: [Fails()], "ZeroDivisionError: iter"),
    ("halves", lambda: [[1.0], [1e39]], "OverflowError: xs[1][0]: 1e+39 does not fit f32"),
    ("bits", lambda: [[True], [0]], "TypeError: xs[1][0]: a bool is wanted, not int"),
    ("blobs", lambda: [b"a", "b"], "TypeError: xs[1]: a contiguous bytes-like object is wanted, not str"),
    ("blobs", lambda: [memoryview(b"abcd")[::2]], "TypeError: xs[0]: a contiguous bytes-like object is wanted, not "),
    ("colors", lambda: [7], "ValueError: 7 is not a valid Color"),
    ("colors", lambda: ["RED"], "TypeError: xs[0]: a Color is wanted, not str"),
    ("counts", lambda: [("a", 1)], "TypeError: m: a dict is wanted, not list"),
    ("counts", lambda: {"a": 1, "b": 2**63}, "OverflowError: m['b']: 9223372036854775808 does not fit i64"),
    ("counts", lambda: {"a": 1, 2: 3}, "TypeError: m{2}: a str is wanted, not int"),
    (
        "counts",
        lambda: {"\ud800": 1.5},
        "ValueError: m{'\\ud800'}: half of a surrogate pair is no character: '\\ud800' at index 0",
    ),
    ("counts", lambda: {"a" * 99: "b"}, f"TypeError: m['{'a' * 56}...]: an int is wanted, not str"),
    ("counts", lambda: {Unprintable(): 1}, "TypeError: m{<Unprintable>}: a str is wanted, not Unprintable"),
    ("counts", lambda: {Word("a"): 1, "a ".strip(): 1, Word("b"): "x"}, "TypeError: m['b']: an int is wanted, not str"),
    ("by_f32", lambda: {0.1: 1, 0.10000000001: 2}, "ValueError: m: two keys become the same: 0.10000000001"),
    ("by_f32", lambda: {1e39: 1}, "OverflowError: m{1e+39}: 1e+39 does not fit f32"),
    ("by_color", lambda: {0: ["a"], "x": []}, "TypeError: m{'x'}: a Color is wanted, not str"),
    ("tags", lambda: ["a"], "TypeError: s: a set is wanted, not list"),
    ("tags", lambda: {1}, "TypeError: s{1}: a str is wanted, not int"),
    (
        "tags",
        lambda: {"\ud800"},
        "ValueError: s{'\\ud800'}: half of a surrogate pair is no character: '\\ud800' at index 0",
    ),
    ("hashed_tags", lambda: {b"a"}, "TypeError: s{b'a'}: a str is wanted, not bytes"),
    ("sorted_tags", lambda: {2**63}, "OverflowError: s{9223372036854775808}: 9223372036854775808 does not fit i64"),
    ("pair", lambda: (1,), "TypeError: p: a tuple of 2 is wanted, not one of 1"),
    ("pair", lambda: "ab", "TypeError: p: a tuple of 2 is wanted, not str"),
    ("pair", lambda: {1: 2}, "TypeError: p: a tuple of 2 is wanted, not dict"),
    ("pair", lambda: (1, 2), "TypeError: p[1]: a str is wanted, not int"),
    ("one", lambda: (256,), "OverflowError: p[0]: 256 does not fit u8"),
    ("three", lambda: (1, 0.5, 0), "TypeError: p[0]: a bool is wanted, not int"),
    ("three", lambda: (True, 1, -129), "OverflowError: p[2]: -129 does not fit i8"),
    ("either", lambda: 2**63, "OverflowError: v: 9223372036854775808 does not fit i64"),
    ("either", lambda: Number(2**63), "OverflowError: v: 9223372036854775808 does not fit i64"),
    ("either", lambda: Index(-(2**63) - 1), "OverflowError: v: -9223372036854775809 does not fit i64"),
    (
        "either",
        lambda: None,
        "TypeError: v: an int, a float, a str or a contiguous bytes-like object is wanted, not None",
    ),
    ("either", lambda: Fails(), "ZeroDivisionError: index"),
    ("either", lambda: "\ud800", "ValueError: v: half of a surrogate pair is no character: '\\ud800' at index 0"),
    ("numbers", lambda: 2**64, "OverflowError: v: 18446744073709551616 does not fit u64"),
    ("shape", lambda: [1, "a"], "TypeError: v[1]: an int is wanted, not str"),
    ("shape", lambda: {"a": "b"}, "TypeError: v['a']: an int is wanted, not str"),
    (
        "shape",
        lambda: iter([1]),
        f"TypeError: v: a sequence, a sequence, a dict or a Color is wanted, not {type(iter([])).__name__}",
    ),
    ("table", lambda: {(1, "a"): [{}, {"x": 3}]}, "TypeError: t[(1, 'a')][1]['x']: a bool is wanted, not int"),
    ("table", lambda: {(1, 2): []}, "TypeError: t{(1, 2)}[1]: a str is wanted, not int"),
    ("table", lambda: {(Three(), "a"): [], (3, "a"): []}, "ValueError: t: two keys become the same: (3, 'a')"),
    ("boxes", lambda: {"a": [None]}, "TypeError: by['a'][0]: a Box is wanted, not None"),
]


@pytest.fixture(scope="session")
def package() -> Package:
    return packages.build_text(SPEC, name="nested")


@pytest.fixture
def nested(package: Package, engine: str) -> Iterator[Any]:
    module = package.load(engine)
    before = module.live()
    yield module
    gc.collect()
    assert module.live() == before, "boxes leaked, or were released twice"


def outcome(call: Callable[[], Any]) -> str:
    try:
        return repr(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("count", [1, 15, 16, 1000])
def test_ordered_containers_get_their_own_order(nested: Any, count: int) -> None:
    counts = {str(7 * i % count): i for i in range(count)}
    assert nested.sorted_counts(counts) == counts
    assert list(nested.sorted_counts(counts)) == sorted(counts)
    assert nested.descending(counts) == sorted(counts.items(), reverse=True)
    assert nested.sorted_tags(set(counts.values())) == set(counts.values())
    assert nested.several({False: 1, True: 2}) == [1, 2]


@pytest.mark.parametrize("name", GOOD)
def test_values_come_back(nested: Any, name: str) -> None:
    for value in GOOD[name]:
        found = getattr(nested, name)(value)
        if name not in ("which", "hashed_counts"):
            assert getattr(nested, name)(found) == found


@pytest.mark.parametrize("name", GOOD)
def test_engines_agree_on_values(package: Package, name: str) -> None:
    one, *others = (package.load(engine) for engine in ENGINES)
    for value in GOOD[name]:
        for other in others:
            assert repr(getattr(one, name)(value)) == repr(getattr(other, name)(value))


@pytest.mark.parametrize(("name", "made", "said"), BAD, ids=[f"{name}-{i}" for i, (name, _, _) in enumerate(BAD)])
def test_what_is_wrong_is_said_with_its_path(nested: Any, name: str, made: Callable[[], Any], said: str) -> None:
    value = made()
    assert outcome(lambda: getattr(nested, name)(value)).startswith(said)
    while isinstance(value, list) and value and value[0] is not value:  # a million levels, one by one
        value = value.pop()


def test_exact_values(nested: Any) -> None:
    assert nested.maybe_texts(iter(["a", None])) == ["a", None]
    assert nested.rows([[1, Three(), Half(), True]]) == [[1.0, 3.0, 0.5, 1.0]]
    assert nested.counts() == {"a": 1}
    assert list(nested.counts({"b": 1, "a": 2})) == ["b", "a"]
    assert list(nested.sorted_counts({"b": 1, "a": 2})) == ["a", "b"]
    assert nested.colors([nested.Color.RED, 1]) == [nested.Color.RED, nested.Color.GREEN]
    assert nested.by_color({nested.Color.BLUE: ["x"]}) == {nested.Color.BLUE: ["x"]}
    assert nested.shape(nested.Color.RED) is nested.Color.RED
    assert [type(nested.either(v)) for v in (1, 1.0, "", b"", True)] == [int, float, str, bytes, int]
    assert [type(nested.numbers(v)) for v in (True, 1)] == [bool, int]
    assert nested.f32s({0.1, 0.10000000001, 1}) == 2
    assert nested.by_f32({0.1: 1}) == {0.10000000149011612: 1}


def test_alternatives_are_chosen_by_exact_types(nested: Any) -> None:
    chosen = {repr(v): nested.which(v) for v in GOOD["which"]}
    assert chosen == {
        "[1]": 0, "(1, 2)": 0, "[[1]]": 2, "{'a': 1}": 3, "(1, 2, 3)": 0, "[[1], (2,)]": 2, "{}": 3,
    }  # fmt: skip


def test_results_are_converted_by_what_they_are(nested: Any) -> None:
    assert nested.from_list() == [[1.0], []]
    assert nested.from_array() == (1, 2.0)
    assert [nested.from_variant(i) for i in (0, 5)] == ["no", 5]
    assert nested.from_text() == "one"
    assert outcome(nested.bad_text).startswith("UnicodeDecodeError: 'utf-8' codec can't decode byte 0xc3 in position 0")
    with pytest.raises(OverflowError):
        nested.from_variant(300)
    with pytest.raises(OverflowError):
        nested.too_large()


def test_handles_within_containers(nested: Any) -> None:
    a, b = nested.box(1), nested.box(2)
    found = nested.boxes({"x": [a, b, a], "y": []})
    assert {name: [type(box) for box in row] for name, row in found.items()} == {"x": [nested.Box] * 3}
    assert nested.sum_of_boxes([found["x"], [None]]) == 4
    a.close()
    assert outcome(lambda: nested.sum_of_boxes([[b], [None, a]])) == "ClosedHandleError: rows[1][1]: this Box is closed"
    assert outcome(lambda: nested.failing([[b]])) == "NestedError: no"


def test_a_handle_that_a_later_element_closes_serves_the_call(nested: Any) -> None:
    collect()
    before = nested.live()
    box, other = nested.box(7), nested.box(5)

    class Closes:
        def __index__(self) -> int:
            box.close()
            return 1

        def __iter__(self) -> Iterator[Any]:
            other.close()
            return iter([other])

    assert nested.sum_of_boxes([[box, None, box]], [[Closes()]]) == 14
    assert box.closed and nested.live() == before + 1, "it is released with the call"
    assert (
        outcome(lambda: nested.sum_of_boxes([[other], Closes()])) == "ClosedHandleError: rows[1][0]: this Box is closed"
    )
    assert other.closed and nested.live() == before, "or without one"


def test_a_handle_that_is_closed_is_released_by_a_call_that_fails(nested: Any) -> None:
    """While its exception is still there."""
    collect()
    before = nested.live()
    box = nested.box(7)

    class Fails:
        def __index__(self) -> int:
            box.close()
            raise KeyError

    with pytest.raises(KeyError) as caught:
        nested.sum_of_boxes([[box]], [[Fails()]])
    assert nested.live() == before
    del caught


def test_a_handle_is_closed_by_another_thread_during_a_conversion(nested: Any) -> None:
    """Two calls use it, and it is released after both."""
    collect()
    before = nested.live()
    box, both, closed = nested.box(7), threading.Barrier(3), threading.Event()
    sums: list[int] = []

    class Waits:
        def __index__(self) -> int:
            both.wait()
            closed.wait()
            return 1

    def call() -> None:
        sums.append(nested.sum_of_boxes([[box]], [[Waits()]]))

    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    both.wait()
    box.close()
    assert nested.live() == before + 1
    closed.set()
    for thread in threads:
        thread.join()
    assert sums == [7, 7] and nested.live() == before


def test_what_changes_while_it_is_converted(nested: Any) -> None:
    rows: list[Any] = []
    counts: dict[Any, Any] = {}

    class Changes:
        def __init__(self, act: Callable[[], Any]) -> None:
            self.act = act

        def __index__(self) -> int:
            self.act()
            return 5

        __float__ = __index__  # type: ignore[assignment]

    class Real(Changes):
        def __float__(self) -> float:  # type: ignore[override]
            self.act()
            return 5.0

    rows[:] = [[Real(rows.clear), 1.0], [2.0]]
    assert nested.rows(rows) == [[5.0, 1.0], [2.0]]
    inner: list[Any] = []
    inner[:] = [Real(inner.clear), 2.0]
    assert nested.rows([inner, [3.0]]) == [[5.0, 2.0], [3.0]]
    grows: list[Any] = []
    grows.append(Real(lambda: grows.append(1.0)))
    assert nested.rows([grows]) == [[5.0]]
    counts.update(a=Changes(counts.clear), b=2)
    assert nested.counts(counts) == {"a": 5, "b": 2}
    counts.update(a=Changes(lambda: counts.update(c=3)), b=2)
    assert nested.counts(counts) == {"a": 5, "b": 2}


@pytest.mark.skipif(not COUNTS_REFERENCES, reason="this Python counts no references")
@pytest.mark.parametrize("name", GOOD)
def test_nothing_stays(nested: Any, name: str) -> None:
    """References of what is passed, and of what is refused."""
    function = getattr(nested, name)
    watched: list[Any] = [object(), "text that nobody else has", 2**200]
    before = [sys.getrefcount(each) for each in watched]
    for each in watched:
        for value in (each, [each], [[each]], {each: each}, {"a": each}, {(1, "a"): [{"x": each}]}, (each, each)):
            outcome(lambda value=value: function(value))
    del each, value
    assert [sys.getrefcount(each) for each in watched] == before
