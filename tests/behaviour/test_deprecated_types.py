"""Types that are deprecated warn where Python makes an object, derives a class or names a member, over both engines."""

from __future__ import annotations

import copy
import pickle
import sys
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: dep}
cpp_prelude: |
  #include <string>
  struct reader { int x = 0; virtual ~reader() = default; };
  struct derived : reader {};
  struct vec { double x = 0, y = 0; };
  enum class mode { fast, slow };
  struct sink { virtual ~sink() = default; virtual int put(int) = 0; };
  inline int feed(sink &s) { return s.put(3); }
enums:
  - {name: Mode, cpp_type: mode, values: {FAST: "mode::fast", SLOW: "mode::slow"}, deprecated: use numbers}
  - {name: Flag, cpp_type: int, values: {A: 1, B: 2}, module: sub, flags: true, deprecated: use Mode}
structs:
  - {name: Vec, cpp_type: vec, fields: {x: f64, y: {type: f64, default: 0}}, deprecated: use a tuple}
  - name: Pair
    cpp_type: vec
    module: sub
    deprecated: use Vec
    fields:
      x: f64
      mode: {type: Mode, get: "value.y > 0 ? mode::slow : mode::fast", set: value.y = int(mode), default: SLOW}
    methods: [{def: "Pair(t: text)", cpp_body: "return vec{1, double(t.size())};"}]
handle_types:
  - name: Reader
    cpp_type: reader
    deprecated: use Parser
    methods:
      - {def: "Reader()"}
      - {def: "Reader(n: i64)", cpp_body: "return reader();", deprecated: use nothing}
      - {def: "static make(n: i64) -> Reader", cpp_body: "return reader();"}
      - {def: "again() -> Reader", cpp_body: "return reader();"}
      - {def: "read() -> i64", cpp_body: return h.inner.x;}
  - {name: Derived, cpp_type: derived, extends: Reader, methods: [{def: "Derived()"}]}
  - {name: Sink, cpp_type: "::sink", deprecated: use a callable, methods: [{def: "abstract put(v: i32) -> i32"}]}
functions:
  - {def: "open_reader() -> Reader", cpp_body: "return reader();"}
  - {def: "slow(mode: Mode = SLOW) -> Mode", cpp_body: return mode;}
  - {def: "vec_of() -> Vec", cpp_body: "return vec{1, 2};"}
  - {def: "feed(sink: Sink) -> i64", cpp: feed}
"""


@pytest.fixture(scope="module", params=packages.ENGINES)
def dep(request: pytest.FixtureRequest) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # an import uses members, for defaults
        return packages.build_text(SPEC, name="dep").load(request.param)


def sink(dep: Any) -> Any:
    class Sink(dep.Sink):  # type: ignore[misc, name-defined] - packages are Any here
        def put(self, v: int) -> int:
            return v + 1

    return Sink


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (lambda d: d.Reader(), "Reader is deprecated: use Parser"),
        (lambda d: d.Reader(1), "Reader() is deprecated: use nothing"),
        (lambda d: d.Reader.make(1), "Reader is deprecated: use Parser"),
        (lambda d: d.Reader.open_reader(), "Reader is deprecated: use Parser"),
        (lambda d: d.open_reader(), "Reader is deprecated: use Parser"),
        (lambda d: type("Own", (d.Reader,), {}), "Reader is deprecated: use Parser"),
        (lambda d: d.Mode.FAST, "Mode is deprecated: use numbers"),
        (lambda d: d.Mode["FAST"], "Mode is deprecated: use numbers"),
        (lambda d: d.sub.Flag.A, "Flag is deprecated: use Mode"),
        (lambda d: d.Vec(1), "Vec is deprecated: use a tuple"),
        (lambda d: d.Vec(x=1, y=2), "Vec is deprecated: use a tuple"),
        (lambda d: d.sub.Pair(1), "Pair is deprecated: use Vec"),
        (lambda d: d.sub.Pair("a"), "Pair is deprecated: use Vec"),
        (sink, "Sink is deprecated: use a callable"),
    ],
)
def test_a_use_warns_once_at_its_line(dep: Any, use: Callable[[Any], Any], said: str) -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        made = use(dep)
    assert made is not None
    assert [(str(each.message), each.category, each.filename) for each in warned] == [
        (said, DeprecationWarning, __file__)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DeprecationWarning):
            use(dep)


def test_what_is_there_does_not_warn(dep: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reader, own = dep.Reader(), sink(dep)()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (reader.read(), reader.again().read(), dep.Derived().read()) == (0, 0, 0)
        assert (repr(dep.slow()), dep.slow(0).name, [each.name for each in dep.Mode]) == (
            "<Mode.SLOW: 1>",
            "FAST",
            ["FAST", "SLOW"],
        )
        assert (repr(dep.vec_of()), dep.feed(own)) == ("Vec(x=1.0, y=2.0)", 4)
        assert isinstance(reader, dep.Reader) and dep.Mode(1) in dep.Mode


def test_classes_say_what_to_use_instead(dep: Any) -> None:
    types = (dep.Reader, dep.Mode, dep.Vec, dep.sub.Pair, dep.Sink)
    assert [each.__deprecated__ for each in types] == [
        "use Parser",
        "use numbers",
        "use a tuple",
        "use Vec",
        "use a callable",
    ]
    assert all(f"Deprecated: {each.__deprecated__}" in each.__doc__ for each in types)


def test_members_and_records_are_as_others(dep: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, each in ((dep, dep.Mode), (dep, dep.Vec), (dep.sub, dep.sub.Flag), (dep.sub, dep.sub.Pair)):
        monkeypatch.setitem(sys.modules, each.__module__, module)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        both = dep.sub.Flag.A | dep.sub.Flag.B
        for each in (dep.Mode.SLOW, both, dep.Vec(1, 2), dep.sub.Pair("a")):
            assert pickle.loads(pickle.dumps(each)) == copy.copy(each) == each
        assert (both.value, dep.Mode.SLOW.name, dep.Mode.SLOW == 1) == (3, "SLOW", True)
    with pytest.raises(AttributeError), warnings.catch_warnings():
        warnings.simplefilter("error")
        dep.Mode.NONE  # noqa: B018 - it raises
    with pytest.raises(KeyError), warnings.catch_warnings():
        warnings.simplefilter("error")
        dep.Mode["NONE"]
