"""`(T, ...)`: lists of C++ that are tuples in Python, over both engines alike."""

from __future__ import annotations

from datetime import UTC, datetime
from types import ModuleType

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES

SPEC = """
wrapper_lib: {name: tuples, cpp_include: [array, functional, list, map, optional, set, string, vector]}
cpp_prelude: |
  struct Row { std::vector<short> cells; std::string name; };
  struct Item { int id; explicit Item(int i) : id(i) {} };
  inline long sum(const std::vector<short> &all) { long s = 0; for (const short each : all) s += each; return s; }
  inline std::list<std::string> words(const std::list<std::string> &all) { return all; }
  inline std::array<double, 3> three() { return {1, 2, 3}; }
  inline std::map<std::vector<int>, int> counted(const std::map<std::vector<int>, int> &all) { return all; }
  inline long each(const std::vector<int> &all, const std::function<std::vector<int>(std::vector<int>)> &f) { return f(all).size(); }
  inline std::vector<Item> items(int count) { std::vector<Item> all; for (int i = 0; i < count; ++i) all.emplace_back(i); return all; }
structs:
  - {name: Row, cpp_type: "::Row", fields: {cells: "(i64, ...)", name: text}}
handle_types:
  - name: Item
    cpp_type: "::Item"
    methods: [{def: "Item(id: i32)"}]
    fields: {id: i32}
constants:
  PRIMES: {type: "(i32, ...)", cpp: "std::vector<int>{2, 3, 5}"}
functions:
  - {def: "sum(all: (i64, ...)) -> i64"}
  - {def: "words(all: (text, ...)) -> (text, ...)"}
  - {def: "three() -> (f64, ...)"}
  - {def: "counted(all: {(i32, ...): i32}) -> {(i32, ...): i32}"}
  - {def: "points(all: set[(f32, ...)]) -> set[(f32, ...)]", cpp_body: return all;}
  - {def: "rows(all: ((text, i64)?, ...)) -> ((text, i64)?, ...)", cpp_body: return all;}
  - {def: "deep(all: ((datetime, ...), ...)) -> [(datetime, ...)]", cpp_body: return all;}
  - {def: "each(all: (i32, ...), f: fn((i32, ...)) -> (i32, ...)) -> i64"}
  - {def: "items(count: i32) -> (Item, ...)"}
  - {def: "ids(all: (Item, ...)) -> i32", cpp_body: "int sum = 0; for (const Item *each : all) sum += each->inner.id; return sum;"}
  - {def: "maybe(all: (i64, ...)? = None) -> (i64, ...)?", cpp_body: return all;}
  - {def: "with_default(all: (i64, ...) = [1, 2]) -> (i64, ...)", cpp_body: return all;}
  - {def: "either(v: (i64, ...) | text | [text]) -> (i64, ...) | text | [text]", cpp_body: return v;}
  - {def: "row(row: Row) -> Row", cpp_body: "row.cells.push_back(7); return row;"}
  - {def: "kind(value: (i64, ...)) -> text", cpp_body: 'return std::string("tuple");'}
  - {def: "kind(value: [i64]) -> text", cpp_body: 'return std::string("list");'}
  - {def: "pair(all: (i64,)) -> (i64,)", cpp_body: return all;}
"""  # noqa: E501 - one entry a line


@pytest.fixture(scope="module", params=ENGINES)
def lib(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build_text(SPEC, name="tuples").load(request.param)


def test_any_number_of_values(lib: ModuleType) -> None:
    assert [lib.sum(each) for each in ((), (1,), (1, 2, 3), [4, 5])] == [0, 1, 6, 9]
    assert (lib.words(()), lib.words(("a", "é"))) == ((), ("a", "é"))
    assert lib.three() == (1.0, 2.0, 3.0)
    assert vars(lib)["PRIMES"] == (2, 3, 5)
    assert (lib.with_default(), lib.with_default((3,))) == ((1, 2), (3,))
    assert (lib.maybe(), lib.maybe(()), lib.maybe((1,))) == (None, (), (1,))
    assert lib.pair((1,)) == (1,)


def test_they_nest(lib: ModuleType) -> None:
    at = datetime(2024, 1, 1, tzinfo=UTC)
    assert lib.counted({(1, 2): 3, (): 4}) == {(1, 2): 3, (): 4}
    assert lib.points({(0.5,), ()}) == {(0.5,), ()}
    assert lib.rows((("a", 1), None)) == (("a", 1), None)
    assert lib.deep(((at,), ())) == [(at,), ()]
    assert lib.each((1, 2), lambda all_: (*all_, len(all_))) == 3
    assert [lib.either(v) for v in ((1, 2), "a", ["b"])] == [(1, 2), "a", ["b"]]


def test_what_a_callable_gets_is_a_tuple(lib: ModuleType) -> None:
    given: list[object] = []
    lib.each((1, 2), lambda all_: (given.append(all_), ())[1])
    assert given == [(1, 2)]


def test_handles_in_them(lib: ModuleType) -> None:
    items = lib.items(3)
    assert (type(items), [each.id for each in items]) == (tuple, [0, 1, 2])
    assert lib.ids((*items, lib.Item(5))) == 8
    items[1].close()
    with pytest.raises(lib.ClosedHandleError, match=r"^all\[1\]: this Item is closed$"):
        lib.ids(items)


def test_records_have_them(lib: ModuleType) -> None:
    row = lib.row(lib.Row((1, 2), "a"))
    assert (row.cells, row) == ((1, 2, 7), lib.Row((1, 2, 7), "a"))
    assert hash(row) == hash(lib.Row([1, 2, 7], "a"))


def test_forms_of_a_function(lib: ModuleType) -> None:
    assert (lib.kind((1, 2)), lib.kind([1, 2])) == ("tuple", "list")


@pytest.mark.parametrize("value", [{1, 2}, {1: 2}, range(3), iter((1,)), "12", b"12", 5, None])
def test_nothing_else_is_one(lib: ModuleType, value: object) -> None:
    kind = "None" if value is None else type(value).__name__
    with pytest.raises(TypeError) as failure:
        lib.sum(value)
    assert str(failure.value) == f"all: a tuple is wanted, not {kind}"


def test_what_is_wrong_with_an_item(lib: ModuleType) -> None:
    with pytest.raises(TypeError, match=r"^all\[1\]: an int is wanted, not str$"):
        lib.sum((1, "a"))
    with pytest.raises(OverflowError, match=r"^all\[1\]: 70000 does not fit i16$"):
        lib.sum((1, 70000))
    with pytest.raises(TypeError, match=r"^cells\[0\]: an int is wanted, not float$"):
        lib.Row((1.5,), "a")
    with pytest.raises(OverflowError, match=r"\b70000 does not fit i16$"):
        lib.row(lib.Row((1, 70000), "a"))
