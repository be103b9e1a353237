"""Calls that a spec has as C++ has them, and expressions: `cpp` of an entry."""

from __future__ import annotations

import gc
import re
import sys
from array import array
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = packages.HERE / "written_calls" / "written_calls.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def store(lib: Any) -> Any:
    return lib.Store("diary", 3)


TUPLES = """\
wrapper_lib: {name: tuples, cpp_include: [optional, utility]}
cpp_prelude: |
  inline std::pair<int, int> both(int a, int b) { return {a, b}; }
  inline std::optional<std::pair<int, int>> maybe(int a) { return a ? std::optional(both(a, 1)) : std::nullopt; }
functions:
  - {def: "both(a: i32, b: i32) -> (i32, i32)", cpp: "both(a, b)"}
  - {def: "maybe(a: i32) -> (i32, i32)?", cpp: "maybe(a)"}
"""


def test_what_a_call_returns_is_a_tuple_where_it_writes_nothing(engine: str) -> None:
    lib = packages.build_text(TUPLES, name="tuples").load(engine)
    assert (lib.both(1, 2), lib.maybe(3), lib.maybe(0)) == ((1, 2), (3, 1), None)


def test_a_value_goes_in_as_its_address(lib: Any) -> None:
    a, b = lib.Mark(3), lib.Mark(10)
    assert (lib.gap(a, b), lib.written_gap(a, b)) == (7, 7)
    assert (lib.gap(a, None), lib.written_gap(a, None)) == (-1, -1)
    a.move(2)
    assert a.at == 5, "the object itself has changed"
    with pytest.raises(OverflowError, match="by: 65536 does not fit"):
        a.move(65536)
    swapped = a.swapped(b)
    assert (a.at, b.at, swapped.was.at, swapped.moved) == (10, 5, 5, 3)
    b.close()
    with pytest.raises(lib.ClosedHandleError, match="to: this Mark is closed"):
        lib.gap(a, b)


# --- what the call writes --------------------------------------------------------------------------------------------


def test_a_constructor_makes_what_the_call_writes(lib: Any) -> None:
    before = lib.alive()
    with lib.Store("a") as store:
        assert (store.path, store.mode, lib.alive()) == ("a", 0, before + 1)
    assert lib.alive() == before
    with pytest.raises(lib.NotesError) as raised:
        lib.Store("a", -1)
    assert raised.value.code == 7
    assert lib.alive() == before


def test_the_result_is_what_the_call_writes(store: Any) -> None:
    note = store.add("r\0in")
    assert (store.count, note.text) == (1, "r")
    assert store.add("").text == ""


def test_items_are_written_by_their_names(store: Any, lib: Any) -> None:
    store.add("a")
    usage = store.usage()
    assert (usage.used, usage.left) == (1, 99)
    store.set_count(3)
    with pytest.raises(lib.NotesError):
        store.usage()


def test_a_parameter_that_is_an_item_is_changed(store: Any, lib: Any) -> None:
    store.set_count(2)
    assert store.step(0) == (1, False)
    assert store.step(2) == (0, True)
    assert store.step_only(1) == 2
    assert lib.grow(5, 4) == (8, 13)
    assert lib.grow(5, by=-1)._asdict() == {"by": -2, "sum": 3}


# --- lengths ---------------------------------------------------------------------------------------------------------


def test_lengths_stand_where_they_are_written(store: Any, lib: Any) -> None:
    store.load(b"ab\x07")
    assert store.count == 7
    with pytest.raises(OverflowError, match=r"^len\(data\): 256 does not fit u8$"):
        store.load(bytes(256))
    assert lib.mean([1, 2, 3, 6]) == 3
    assert lib.dot(array("d", [1, 2]), array("d", [3, 4])) == 11
    with pytest.raises(ValueError, match="b: "):
        lib.dot(array("d", [1, 2]), array("d", [3]))


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="memory of several dimensions needs CPython")
def test_dimensions_stand_where_they_are_written(lib: Any) -> None:
    assert lib.extent(memoryview(array("d", [0] * 6)).cast("B").cast("d", (3, 2))) == 12


def test_pieces_of_a_list(lib: Any) -> None:
    assert lib.samples([b"1", b"", b"23"]) == 2 * 100 + 0 + 4
    assert lib.words(["a", "b"]) == 2
    with pytest.raises(ValueError, match="null"):
        lib.words(["a\0b"])


# --- casts -----------------------------------------------------------------------------------------------------------


def test_casts_of_variadic_arguments(store: Any) -> None:
    store.set_count(2**40)
    assert store.get_count() == 2**40
    store.set_path("there")
    assert store.get_path() == "there"
    store.set_path(None)
    assert store.get_path() == "none"
    assert store.get_mode() == 3


# --- memory ----------------------------------------------------------------------------------------------------------


def test_buffers(store: Any, lib: Any) -> None:
    assert (store.read(6), store.read_some()) == ("nnn", "nnnn")
    assert store.pack(8) == b"ab"
    store.set_count(1)
    assert store.pack(3) == b"abc"
    with pytest.raises(lib.NotesError):
        store.pack(2)
    assert store.dump() == store.save() == b"d\0p"
    store.set_count(0)
    assert store.dump() == store.save() == b"d"


def test_the_text_of_a_failure(store: Any, lib: Any) -> None:
    store.sync(3)
    with pytest.raises(lib.NotesError, match=r"^level 4$"):
        store.sync(4)


# --- callables -------------------------------------------------------------------------------------------------------


def test_callables_with_their_user_data(store: Any, lib: Any) -> None:
    store.set_count(4)
    seen: list[int] = []

    def visit(at: int) -> int:
        seen.append(at)
        return at * 10

    assert store.walk(visit) == 60
    assert store.walk(visit, 2) == 50
    assert seen == [0, 1, 2, 3, 2, 3]


def test_a_callable_that_c_destroys(store: Any, lib: Any) -> None:
    class Visit:
        alive = 0

        def __init__(self, by: int) -> None:
            Visit.alive += 1
            self.by = by

        def __del__(self) -> None:
            Visit.alive -= 1

        def __call__(self, at: int) -> int:
            return at * self.by

    store.keep(Visit(2))
    gc.collect()
    assert (lib.fire(4), Visit.alive) == (8, 1)
    store.keep(Visit(3))
    gc.collect()
    assert (lib.fire(4), Visit.alive) == (12, 1)
    lib.unhook()
    gc.collect()
    assert (lib.fire(4), Visit.alive) == (-1, 0)


# --- objects ---------------------------------------------------------------------------------------------------------


def test_objects_are_what_their_type_says(store: Any, lib: Any) -> None:
    a, b = store.add("a"), store.add("b")
    assert store.same(a, a)
    assert not store.same(a, b)
    assert not store.same(a, None)
    assert (lib.pick(None, b), lib.pick(a, b)) == ("b", "a")
    assert store.joined(a, "c") == "diaryac"
    b.close()
    for call in (lambda: store.same(a, b), lambda: lib.pick(a, b), lambda: store.joined(b, "")):
        with pytest.raises(lib.ClosedHandleError):
            call()


def test_fields(store: Any) -> None:
    store.set_count(3)
    assert (store.total, store.counted, store.here) == (30, 3, "diary")


def test_members_of_a_class(lib: Any) -> None:
    path = lib.Path("way", 4)
    assert (len(path), path.hundred, path.scaled(2), path.moved(2, -3)) == (5, 500, 9, 7)
    assert path.bounds() == (-5, 5)
    assert (path.name, path.half()) == ("way", 2.5)
    assert path.starts(b"wa")
    assert not path.starts(b"w\0")
    assert path.weight() == 10
    assert path.is_longer(lib.Path("", 1))
    assert not path.is_longer(None)
    with pytest.raises(OverflowError, match=f"^{re.escape('offset: 128')}"):
        path.moved(1, 128)


def test_structs(lib: Any) -> None:
    point = lib.Point(3, 4)
    assert (point.norm(), point.twice(), lib.length(point), lib.sum(point)) == (25, 6, 25, 7)
    assert lib.turned(point) == lib.Point(-4, 3)
    assert lib.moved(1, point, "a") == lib.Point(4, 97)  # by value, beside a text by its address
    assert lib.moved(1, point, None) == lib.Point(4, 0)


def test_a_lambda_is_called_with_the_parameters(lib: Any) -> None:
    assert lib.counted("abc", 2) == 5
