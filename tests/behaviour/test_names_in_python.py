"""Names of builtins stay as they are, and work by their former names too; signatures show enums as defaults."""

from __future__ import annotations

import copy
import inspect
import os
import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: words}
cpp_prelude: |
  #include <map>
  #include <set>
  #include <string>
  #include <tuple>
  #include <vector>
  enum class Kind { any };
  enum class Order { ascending, descending };
  enum Access : unsigned { access_read = 1, access_write = 2, access_run = 4 };
enums:
  - {name: Order, cpp_type: Order, values: {UP: "Order::ascending", DOWN: "Order::descending"}}
  - {name: Access, cpp_type: Access, flags: true, values: {READ: access_read, WRITE: access_write, RUN: access_run}}
  - {name: Ilk, cpp_type: Kind, values: {ANY: "Kind::any"}}
handle_types:
  - {name: File, cpp_type: i64, release: "nothing"}
  - {name: Oid, cpp_type: i64, release: "nothing"}
functions:
  - {name: oid, cpp_fn: "[] { return i64(1); }", return: Oid}
  - {name: open, cpp_fn: "[](i64 id) { return id; }", params: [{name: id, type: i64, default: 7}], return: File}
  - {name: compile, cpp_fn: "[](std::string s) { return s; }", params: [{name: filter, type: text}], return: text}
  - {name: set, cpp_fn: "[] { return 3; }", return: i64}
  - {name: list, cpp_fn: "[] { return 4; }", return: i64}
  - {def: "hash(id: i64) -> i64", cpp_body: return id;}
  - name: all
    cpp_fn: "[](bool a, f32 b, const std::string &c, i64 d) { return (a ? 1 : 0) + i64(b) + i64(c.size()) + d; }"
    params: [{name: type, type: bool}, {name: bool, type: f32}, {name: len, type: text}, {name: float, type: i64}]
    return: i64
  - name: allowed
    cpp_fn: "[](Access a) { return a; }"
    params: [{name: access, type: Access, default: READ | WRITE}]
    return: Access
  - name: opened
    cpp_fn: "[](Order, Access a) { return i64(a); }"
    params: [{name: order, type: Order, default: DOWN}, {name: access, type: Access, default: READ|RUN}]
    return: File
  - name: sizes
    cpp_fn: "[](usize a, const std::vector<usize> &) { return a; }"
    params: [{name: size, type: usize}, {name: others, type: "[usize]", default: []}]
    return: usize
  - name: identify
    cpp_fn: "[](i64 o, Kind) { return o; }"
    params: [{name: oid, type: Oid}, {name: kind, type: Ilk, default: ANY}]
    return: i64
methods:
  - handle: File
    name: id
    cpp_method: "[](i64 f) { return f; }"
    return: i64
  - {handle: File, name: set, cpp_method: "[](i64 f) { return std::set<i64>{f}; }", return: "set[i64]"}
  - {handle: File, name: dict, cpp_method: "[](i64 f) { return std::map<i64, i64>{{f, f}}; }", return: "{i64: i64}"}
  - {handle: File, name: tuple, cpp_method: "[](i64 f) { return std::make_tuple(f, f); }", return: "(i64, i64)"}
  - handle: File
    name: all
    cpp_method: "[](i64 f) { return std::make_tuple(std::set<i64>{f}, std::map<i64, i64>{}); }"
    return: "(set[i64], {i64: i64})"
  - handle: File
    name: seek
    cpp_method: "[](i64 f, i64 id, Order o, Access a) { return f + id + i64(o) + i64(a); }"
    params:
      - {name: id, type: i64}
      - {name: order, type: Order, default: DOWN}
      - {name: access, type: Access, default: READ | WRITE | RUN}
    return: i64
"""


@pytest.fixture(scope="module")
def package() -> packages.Package:
    return packages.build_text(SPEC, name="words")


@pytest.fixture(params=packages.ENGINES)
def words(request: pytest.FixtureRequest, package: packages.Package) -> ModuleType:
    return package.load(request.param)


def test_builtins_stay(words: Any) -> None:
    assert words.open(5).id() == words.open(id=5).id() == words.File.open(id=5).id() == 5
    assert words.compile("x") == words.compile(filter="x") == "x"
    assert (words.set(), words.list_()) == (3, 4)
    assert words.all(True, 2.0, "four", 10) == words.all(type=True, bool=2.0, len="four", float=10) == 17
    with pytest.raises(TypeError, match=r"^type: a bool is wanted, not int$"):
        words.all(1, 2.0, "four", 10)
    with pytest.raises(TypeError, match=r"^len: a str is wanted, not int$"):
        words.all(True, 2.0, 4, 10)


def test_former_names_work_and_warn(words: Any) -> None:
    with pytest.warns(DeprecationWarning, match=r"\.compile_ is called compile now$") as warned:
        assert words.compile_("x") == "x"
    assert warned[0].filename == __file__
    with pytest.warns(DeprecationWarning, match=r"^File\.open_ is called open now$"):
        assert words.File.open_(5).id() == 5
    with pytest.warns(
        DeprecationWarning, match=r"^compile\(\): the argument 'filter_' is called 'filter' now$"
    ) as warned:
        assert words.compile(filter_="x") == "x"
    assert warned[0].filename == __file__
    with pytest.warns(DeprecationWarning, match=r"^File\.seek\(\): the argument 'id_' is called 'id' now$"):
        assert words.open(1).seek(id_=2) == 11
    with pytest.warns(DeprecationWarning, match=r"the argument 'id_' is called 'id' now$"):
        assert words.File.open(id_=5).id() == 5
    assert not {"open_", "compile_"} & set(words.__all__)


def test_an_entry_with_a_def_has_no_former_names(words: Any, package: packages.Package) -> None:
    """It was never generated by a version that gave them."""
    assert words.hash(id=3) == 3
    assert not hasattr(words, "hash_")
    with pytest.raises(TypeError, match="id_"):
        words.hash(id_=3)
    assert "hash_" not in (package.folder / "__init__.pyi").read_text()


def test_a_former_name_beside_the_present_one_is_refused(words: Any) -> None:
    for call in (lambda: words.compile("x", filter_="y"), lambda: words.compile(filter="x", filter_="y")):
        with (
            pytest.warns(DeprecationWarning),
            pytest.raises(TypeError, match=r"got multiple values for argument 'filter'$"),
        ):
            call()
    with pytest.raises(TypeError, match=r"got an unexpected keyword argument 'nothing_'$"):
        words.compile(nothing_="y")
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing_'$"):
        words.nothing_  # noqa: B018


def test_defaults_of_flags_combine(words: Any) -> None:
    assert words.allowed() == words.Access.READ | words.Access.WRITE
    assert words.opened().id() == 5
    assert words.open(0).seek(1) == 9


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_signatures_have_enums(package: packages.Package, engine: str) -> None:
    program = """
import inspect, words_ffi as words
def defaults(function): return {p.name: p.default for p in inspect.signature(function).parameters.values()}
A, O = words.Access, words.Order
assert defaults(words.allowed) == {"access": A.READ | A.WRITE}
assert defaults(words.opened) == defaults(words.File.opened) == {"order": O.DOWN, "access": A.READ | A.RUN}
seek = defaults(words.open(1).seek)
assert seek == {"id": inspect.Parameter.empty, "order": O.DOWN, "access": A.READ | A.WRITE | A.RUN}
assert list(defaults(words.File.seek)) == ["self", "id", "order", "access"]
assert defaults(words.open) == {"id": 7}
"""
    package.python(program, engine=engine)


def test_messages_have_the_right_article_and_the_specs_types(words: Any) -> None:
    for wrong, message in (
        (lambda: words.identify(1), "oid: an Oid is wanted, not int"),
        (lambda: words.identify(words.oid(), "x"), "kind: an Ilk is wanted, not str"),
        (lambda: copy.copy(words.oid()), "an Oid cannot be copied: it is released exactly once"),
        (lambda: copy.copy(words.open()), "a File cannot be copied: it is released exactly once"),
        (lambda: words.sizes(-1), "size: -1 does not fit usize"),
        (lambda: words.sizes(2**64), f"size: {2**64} does not fit usize"),
        (lambda: words.sizes(1, [1, -1]), "others[1]: -1 does not fit usize"),
    ):
        with pytest.raises((TypeError, OverflowError)) as caught:
            wrong()
        assert str(caught.value) == message
    assert "A handle on" in words.Oid.__doc__
    assert words.sizes(2**64 - 1) == 2**64 - 1


def test_the_type_stub_knows_both_names(package: packages.Package) -> None:
    stub = (package.folder / "__init__.pyi").read_text(encoding="utf-8")
    assert "    filter_: str,\n" in stub
    assert '@_deprecated("it is called compile now")\ndef compile_(\n' in stub
    assert inspect.cleandoc("access: Access = Access.READ | Access.WRITE") in stub


def test_methods_hide_no_type_of_a_result(words: Any) -> None:
    file = words.open(3)
    assert (file.set(), file.dict(), file.tuple(), file.all()) == ({3}, {3: 3}, (3, 3), ({3}, {}))


def test_type_checkers_find_the_types_of_these_results(package: packages.Package) -> None:
    pytest.importorskip("mypy")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, str(package.folder / "__init__.pyi")]
    done = subprocess.run(mypy, cwd=package.folder.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
