"""C++ types that stand for values of the language: read as the spec says and released once, over both engines alike."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES

SPEC = Path(__file__).parent.parent / "cases" / "representations" / "spec.wrapper_spec"


@pytest.fixture(scope="module", params=ENGINES)
def rep(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build(SPEC).load(request.param)


def test_values_of_calls(rep: ModuleType) -> None:
    assert rep.make_names(3) == ["x", "xx", "xxx"]
    assert rep.make_names(0) == []
    assert rep.read_buf(3) == b"\0\1\2"
    assert rep.view_numbers(3) == [0.5, 1.5, 2.5]
    assert rep.shout("loud") == "LOUD"


def test_what_calls_write(rep: ModuleType) -> None:
    assert rep.list_names(2) == ["x", "xx"]
    assert rep.split("abc") == (["x"], b"\0\1\2")
    with pytest.raises(rep.RepError) as caught:
        rep.list_names(-1)
    assert caught.value.code == 1


def test_parts_of_other_values(rep: ModuleType) -> None:
    assert rep.groups() == [["x"], ["x", "xx"]]
    assert rep.table() == {"a": [0.5, 1.5], "b": []}
    assert rep.by_lambda() == (["x", "xx"], "X")


def test_no_data_is_none_where_there_may_be_none(rep: ModuleType) -> None:
    assert rep.no_buf() is None
    assert rep.maybe_names(3, False) is None
    assert rep.maybe_names(0, True) == []
    assert rep.odd_names(0, False) == []


@pytest.mark.parametrize(
    ("length", "has_data", "message"),
    [
        (-1, True, "the library returned a length below 0"),
        (2, False, "the library returned a null pointer with a length"),
        (1, True, "the library returned a null string"),
    ],
)
def test_a_library_that_gives_nonsense(rep: ModuleType, length: int, has_data: bool, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        rep.odd_names(length, has_data)


def test_values_of_several_kinds(rep: ModuleType) -> None:
    for any_of in (rep.any, rep.any_out):
        assert [any_of(kind) for kind in range(4)] == [None, 7, "seven", [0.5, 1.5]]
        with pytest.raises(ValueError, match=r"^the library returned a value of a kind that the spec does not list$"):
            any_of(4)
    assert rep.some_of_each() == [None, 7, "seven", [0.5, 1.5]]
    assert [rep.number_of(0), rep.number_of(1)] == [0.5, 3]
    with pytest.raises(rep.RepError):
        rep.any_out(-1)


def test_each_is_released_once(rep: ModuleType) -> None:
    before = rep.living()
    for _ in range(1000):
        rep.make_names(3)
        rep.list_names(2)
        rep.read_buf(3)
        rep.shout("loud")
        rep.groups()
        rep.split("abc")
        rep.by_lambda()
        rep.no_buf()
        rep.any(2)
        rep.some_of_each()
    assert rep.living() == before == 0


def test_what_cannot_be_converted_is_released_too() -> None:
    spec = """
wrapper_lib: {name: strict, cpp_include: [cstdlib]}
cpp_prelude: |
  inline long live = 0;
  struct pair { const char **texts; int count; };
  inline pair broken() { static const char *texts[] = {"a", nullptr}; ++live; return {texts, 2}; }
types:
  - {name: Pair, type: "[text]", cpp_type: pair, data: texts, length: count, release: --live}
functions:
  - {def: broken() -> Pair}
  - {def: living() -> i64, cpp_body: return live;}
"""
    for engine in ENGINES:
        strict = packages.build_text(spec, name="strict").load(engine)
        with pytest.raises(ValueError, match=r"^the library returned a null string$"):
            strict.broken()
        assert strict.living() == 0


ADDRESSES = """\
wrapper_lib: {name: addresses, lang: c, cpp_include: [stdlib.h, string.h]}
cpp_prelude: |
  #include <utility>
  inline char *greet(int times) { return times == 0 ? nullptr : strdup("hello"); }
  static int freed = 0;
  inline void let_go(char *text) { ++freed; *text = 0; free(text); }
types:
  - {name: Whole, type: text, cpp_type: "char *", data: value, release: let_go(value)}
  - {name: Start, type: text, cpp_type: "const char *", data: value, length: strlen(value) - 1}
functions:
  - {def: "greet(times: i32) -> Whole"}
  - {def: "greet_or_not(times: i32) -> Whole?", cpp: greet}
  - {def: start() -> Start, cpp_body: return "hello";}
  - {def: no_start() -> Start, cpp_body: return static_cast<const char *>(nullptr);}
  - {def: freed() -> i32, cpp_body: "return std::exchange(freed, 0);"}
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_an_address_stands_for_itself(engine: str) -> None:
    rep = packages.build_text(ADDRESSES, name="addresses").load(engine)
    assert [rep.greet(1), rep.greet_or_not(1), rep.greet_or_not(0), rep.freed()] == ["hello", "hello", None, 2]
    assert rep.start() == "hell"
    for null in (lambda: rep.greet(0), rep.no_start):
        with pytest.raises(ValueError, match=r"^the library returned no value$"):
            null()


BY_NAME = """\
wrapper_lib: {name: by_name, cpp_include: [cstdlib, cstring, functional, vector]}
cpp_prelude: |
  struct chunk { char *start; size_t size; };
  inline long live = 0;
  inline char *copied(const char *text) { ++live; return strdup(text); }
  inline void let_go(char *text) { --live; std::free(text); }
  inline chunk made(const char *text) { return {copied(text), std::strlen(text)}; }
  inline int written(const char *text, chunk *out) { *out = made(text); return 0; }
  inline char *owned(int n) { return n < 0 ? nullptr : copied(n == 0 ? "" : "owned"); }
  inline char kept[] = "kept";
  inline char *borrowed() { return kept; }
  inline std::vector<char *> several() { return {kept, kept}; }
  inline std::vector<char *> several_owned() { return {owned(0), owned(1)}; }
  inline int write_borrowed(char **to) { *to = kept; return 0; }
  inline int write_owned(char **to) { *to = owned(1); return 0; }
  inline long ticks() { return 5000; }
  inline size_t size_of(const chunk *c) { return c->size; }
  inline void each(const std::function<void(char *)> &f) { f(kept); }
errors:
  - {cpp_type: int, ok: value == 0, message: "\\"the call failed with a st\\""}
types:
  - {name: Owned, type: text, cpp_type: char *, data: value, release: let_go(value)}
  - {name: Chunk, type: text, cpp_type: chunk, data: start, length: size, release: let_go(value.start)}
  - {name: RawChunk, type: bytes, cpp_type: "chunk ", data: start, length: size, release: let_go(value.start)}
  - {name: Thousands, type: i64, cpp_type: long, data: value / 1000}
functions:
  - {def: "owned(n: i32) -> Owned"}
  - {def: "owned_or_none(n: i32) -> Owned?", cpp: owned}
  - {def: "in_a_body(n: i32) -> Owned", cpp_body: return owned(n);}
  - {def: "borrowed() -> text"}
  - {def: "several() -> [text]"}
  - {def: "several_owned() -> [Owned]"}
  - {def: "write_borrowed() -> text", raises: ByNameError}
  - {def: "write_owned() -> Owned", raises: ByNameError}
  - {def: "made(text: text) -> Chunk"}
  - {def: "made_raw(text: text) -> RawChunk", cpp: made}
  - {def: "written(text: text) -> Chunk", raises: ByNameError}
  - {def: "written_raw(text: text) -> RawChunk", cpp: written, raises: ByNameError}
  - {def: "ticks() -> Thousands"}
  - {def: "plain() -> i32", cpp: ticks}
  - {def: "size_of(c: Chunk) -> usize"}
  - {def: "size_of_raw(c: RawChunk) -> usize", cpp: size_of}
  - {def: "each(f: fn(text))"}
  - {def: live() -> i64, cpp_body: return live;}
"""


@pytest.mark.trial("type-takes-over-char-pointers")
@pytest.mark.parametrize("engine", ENGINES)
def test_only_what_has_the_name_is_read_by_an_entry(engine: str) -> None:
    rep = packages.build_text(BY_NAME, name="by_name").load(engine)
    assert [rep.owned(1), rep.owned(0), rep.owned_or_none(-1), rep.in_a_body(1)] == ["owned", "", None, "owned"]
    assert [rep.borrowed(), rep.several(), rep.write_borrowed()] == ["kept", ["kept", "kept"], "kept"]
    assert [rep.several_owned(), rep.write_owned()] == [["", "owned"], "owned"]
    heard: list[str] = []
    rep.each(heard.append)
    assert (heard, rep.live()) == (["kept"], 0)


@pytest.mark.parametrize("engine", ENGINES)
def test_one_cpp_type_is_read_in_several_ways(engine: str) -> None:
    rep = packages.build_text(BY_NAME, name="by_name").load(engine)
    assert [rep.made("\u00e9"), rep.made_raw("\u00e9")] == ["\u00e9", b"\xc3\xa9"]
    assert [rep.written("a"), rep.written_raw("a")] == ["a", b"a"]
    assert [rep.size_of("\u00e9"), rep.size_of_raw(b"abc")] == [2, 3]
    assert [rep.ticks(), rep.plain(), rep.live()] == [5, 5000, 0]


def test_values_with_others_in_them(rep: ModuleType) -> None:
    whole = {
        "leaves": [None, True, 0.5, "t\u00e9xt", rep.Level.HIGH],
        "empty": [[], {}],
        "deep": [["in"], "out"],
    }
    assert rep.json_of_all() == whole
    assert type(rep.json_of_all()["leaves"][4]) is rep.Level
    assert rep.json_rows(3) == [whole] * 3
    assert rep.json_rows(0) == []
    seen: list[object] = []
    rep.json_each(seen.append)
    assert seen == [whole, "last"]


def test_values_that_are_nested_deeply_are_refused(rep: ModuleType) -> None:
    value, levels = rep.json_nested(200), 1
    while value:
        (value,), levels = value, levels + 1
    assert levels == 200
    for depth in (201, 10_000):
        with pytest.raises(ValueError, match=r"^the library returned a value that is nested deeper than 200 levels$"):
            rep.json_nested(depth)
    assert rep.json_nested(2) == [[]]  # the levels of a failure are not counted later


def test_an_unknown_kind_deep_inside_is_refused(rep: ModuleType) -> None:
    with pytest.raises(ValueError, match="a kind that the spec does not list"):
        rep.json_broken()


def test_a_type_with_itself_in_it_is_an_alias(rep: ModuleType) -> None:
    assert "Json" in rep.__all__
    assert "list[Json]" in str(rep.Json)


def test_arguments_that_fill_members(rep: ModuleType) -> None:
    assert [rep.joined(["a", "b"]), rep.joined([]), rep.joined_by_lambda(("c",))] == ["a;b;", "", "c;"]
    assert [rep.joined_at(["a"]), rep.joined_at(None), rep.count_of(["a", "b"])] == ["a;", "none", 2]
    assert rep.counted_by_lambda(["a"]) == 1  # C++ may want what the type stands for
    assert [rep.sum_of(b"\1\2"), rep.scaled(2, [1, 0.5])] == [3, 3.0]
    assert rep.lines({"a": ["x"], "b": []}) == "a=x;b="
    with pytest.raises(rep.RepError):
        rep.scaled(-1, [])


def test_arguments_of_several_kinds(rep: ModuleType) -> None:
    whole = [1, "a", None, [b"abc", []]]
    assert rep.shown(whole) == rep.shown_by_lambda(whole) == "[1 a none [3 bytes []]]"
    assert rep.same_node(whole) == whole
    assert rep.drawn(["a", ["b", "c"]]) == "(a)((b)(c))"
    assert rep.all_drawn(["a", ["b"]]) == ["a", "(b)"]


@pytest.mark.parametrize(
    ("name", "argument", "error", "message"),
    [
        ("joined", None, TypeError, "names: a sequence is wanted, not None"),
        ("joined", ["a", 1], TypeError, "names[1]: a str is wanted, not int"),
        ("joined", ["a", "b\0c"], ValueError, "names[1]: embedded null character"),
        ("lines", {"k": ["a", "\0"]}, ValueError, "rows['k'][1]: embedded null character"),
        ("lines", {"k": [None]}, TypeError, "rows['k'][0]: a str is wanted, not None"),
        ("sum_of", bytes(300), OverflowError, "len(buffer): 300 does not fit u8"),
        ("shown", [0] * 300, OverflowError, "len(value): 300 does not fit u8"),
        ("shown", ["a", [1 << 40]], OverflowError, "value[1][0]: 1099511627776 does not fit i32"),
        ("shown", ["a", ["\0"]], ValueError, "value[1][0]: embedded null character"),
        ("drawn", ["a", ["b", 1]], TypeError, "value[1][1]: a str or a sequence is wanted, not int"),
    ],
)
def test_bad_arguments(rep: ModuleType, name: str, argument: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        getattr(rep, name)(argument)
    assert str(caught.value) == message


def _nested(levels: int) -> list[object]:
    value: list[object] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def test_arguments_that_are_nested_deeply(rep: ModuleType) -> None:
    assert rep.same_node(_nested(100)) == _nested(100)
    within_itself: list[object] = []
    within_itself += [within_itself, within_itself]
    deep = _nested(1_000_000)
    for value in (_nested(101), deep, within_itself):
        with pytest.raises(ValueError, match=r"^value: it is nested deeper than 100 levels$"):
            rep.same_node(value)
    while deep:  # Python itself fails where it frees so many levels at once
        deep = deep[0]  # type: ignore[assignment]
    assert rep.same_node([[]]) == [[]]


def test_fields_of_structs(rep: ModuleType) -> None:
    row = rep.Row("t", ["a", "b"], [0.5], [1, ["x", b"y"]])
    assert rep.row_shown(row) == "t:a;b;[1 [x 1 bytes]]"
    assert rep.same(row) == row
    assert rep.same(rep.Row("t", [], [])) == rep.Row("t", [], [], None)
    with pytest.raises(TypeError, match=r"^names\[1\]: a str is wanted, not int$"):
        rep.Row("t", ["a", 1], [])
    with pytest.raises(ValueError, match=r"names\[0\]: embedded null character$"):
        rep.row_shown(rep.Row("t", ["\0"], []))
    with pytest.raises(ValueError, match=r"^more: it is nested deeper than 100 levels$"):
        rep.Row("t", [], [], _nested(101))


def test_what_is_made_is_released_once(rep: ModuleType) -> None:
    assert rep.value_of(5) == 5
    with pytest.raises(ValueError, match="it fails"):
        rep.value_of(5, True)
    assert rep.living() == 0


def test_arguments_and_results_of_callables(rep: ModuleType) -> None:
    seen: list[object] = []

    def count(names: list[str] | None, numbers: list[float]) -> int:
        seen.append((names, numbers))
        return len(numbers)

    assert rep.for_names(count) == 2
    assert seen == [(["x", "xx"], [0.5, 1.5]), (None, [])]
    assert rep.mapped([1, "a"], lambda value: [value, None]) == "[[1 a] none]"
    assert rep.asked(lambda count: ["a"] * (count + 1)) == "a;a;"
    assert rep.redrawn(["a"], lambda value: [value, "b"]) == "((a))(b)"
    assert rep.living() == 0


BAD_RESULTS = """
import rep_ffi as rep

def nested(depth):
    value = []
    for _ in range(depth - 1):
        value = [value]
    return value

for call, wrong in (
    (rep.asked, ["a", 1]),
    (rep.asked, ["a\\0"]),
    (lambda f: rep.mapped(None, f), [[0.5]]),
    (lambda f: rep.mapped(None, f), nested(101)),
    (lambda f: rep.mapped(None, f), [1 << 40]),
):
    try:
        call(lambda _: wrong)
    except Exception as error:
        print(type(error).__name__, error)
print(rep.living())
"""


def test_bad_results_of_callables(engine: str) -> None:
    """In a process of its own: C++ keeps what it throws there for the engine that was imported last."""
    said = packages.build(SPEC).python(BAD_RESULTS, engine=engine).stdout.splitlines()
    for line, (error, message) in zip(
        said,
        (
            ("TypeError", r"\[1\]: a str is wanted, not int$"),
            ("ValueError", r"\[0\]: embedded null character$"),
            ("TypeError", r"\[0\]\[0\]: an int, .* is wanted, not float$"),
            ("ValueError", "it is nested deeper than 100 levels$"),
            ("OverflowError", r"\[0\]: 1099511627776 does not fit i32$"),
            ("0", "$"),
        ),
        strict=True,
    ):
        assert re.search(f"^{error}.*{message}", line), line


def test_what_is_made_is_released_where_the_whole_cannot_be_made(rep: ModuleType) -> None:
    before = rep.living()
    assert (rep.sum_of(3), rep.sum_of([1, [2, 3]]), rep.living()) == (3, 6, before)
    for wrong in [1, 2, 3], [1, [2, 3, 4]], [[1, [2, [3]]], [4, 5, 6]], [[1, 2], [3, 4], [5]]:
        with pytest.raises(ValueError, match="a knot has two below it"):
            rep.sum_of(wrong)
        assert rep.living() == before
    with pytest.raises(TypeError):
        rep.sum_of([1, [2, None]])
    assert rep.living() == before


BESIDE = """\
wrapper_lib: {name: beside, cpp_include: [functional, optional, string]}
cpp_prelude: |
  struct cell { int kind; long number; std::string chars; };
  inline cell cell_one() { return {1, 7, ""}; }
  inline std::optional<cell> cell_maybe(bool there) { return there ? std::optional(cell_one()) : std::nullopt; }
  inline bool cell_write(bool there, cell *to) { *to = {2, 0, "in"}; return there; }
  inline cell cells[] = {{1, 7, ""}, {2, 0, "in"}, {0, 0, ""}};
  inline cell *cell_pointers[] = {cells + 1, cells + 2, cells};
  using cell_fn = long (*)(void *user, cell **values, int n);
  using cell_args_fn = long (*)(void *user, int n, cell **values, const cell *more);
  inline long cells_each(cell_fn f, void *user, int n) { return f(user, cell_pointers, n); }
  inline long cells_call(cell_args_fn f, void *user, int n) { return f(user, n, cell_pointers, cells); }
types:
  - name: Value
    cpp_type: cell
    tag: value.kind
    cases: {1: [i64, value.number], 2: [text, value.chars], 0: None}
  - name: Pointed
    cpp_type: cell *
    tag: value->kind
    cases: {1: [i64, value->number], 2: [text, value->chars], 0: None}
  - name: OnCells
    type: "fn(values: [Pointed], more: [Value]) -> i64"
    cpp: (user_data, count, values, more)
    length: {values: count, more: count}
    scope: call
handle_types:
  - {name: Cell, cpp_type: cell, fields: {number: i64}}
functions:
  - {def: "value() -> Value", cpp: cell_one}
  - {def: "cell() -> Cell", cpp: cell_one}
  - {def: "plain() -> Cell?", cpp: cell_one}
  - {def: "maybe(there: bool) -> Cell?", cpp: cell_maybe}
  - {def: "maybe_value(there: bool) -> Value", cpp: cell_maybe}
  - {def: "by_body() -> Cell?", cpp_body: return cell_one();}
  - {def: "several() -> [Cell]", cpp: "[] { return std::vector<cell>(2, cell_one()); }"}
  - {def: "cells_each(f: fn([Pointed]) -> i64, n: i64) -> i64", scope: {f: call}}
  - {def: "cells_call(f: OnCells, n: i64) -> i64"}
"""
"""Values and handles of one C++ type, and arrays of such values in callbacks."""


@pytest.fixture(scope="module", params=ENGINES)
def beside(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build_text(BESIDE, name="beside").load(request.param)


@pytest.mark.trial("optional-handle-beside-a-type")
def test_a_handle_that_may_be_missing_is_no_value(beside: ModuleType) -> None:
    assert (beside.value(), beside.maybe_value(True), beside.maybe_value(False)) == (7, 7, None)
    for made in (beside.cell(), beside.plain(), beside.by_body(), beside.maybe(True), *beside.several()):
        assert (type(made), made.number) == (beside.Cell, 7)
    assert beside.maybe(False) is None


def test_arrays_of_values_in_callbacks(beside: ModuleType) -> None:
    seen: list[object] = []
    assert beside.cells_each(lambda values: seen.append(values) or len(values), 3) == 3
    assert beside.cells_each(lambda values: seen.append(values) or 5, 0) == 5
    assert beside.cells_call(lambda values, more: seen.append((values, more)) or len(more), 2) == 2
    assert seen == [["in", None, 7], [], (["in", None], [7, "in"])]
    with pytest.raises(ValueError, match=r"^the library gave a negative length$"):
        beside.cells_each(len, -1)
