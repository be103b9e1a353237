"""Callables that C++ calls: their arguments and results, and what is wrong with either."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviour import objects
from tests.behaviour.callables.shared import fails, load, raise_once


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return load(engine)


# --- arguments and results --------------------------------------------------------------------------------------------


def test_text_and_numbers(lib: Any) -> None:
    seen: list[tuple[str, int]] = []

    def visitor(name: str, index: int) -> bool:
        seen.append((name, index))
        return index == 2

    assert lib.visit(5, visitor) == 1
    assert seen == [("item", 0), ("item", 1), ("item", 2)]


def test_bytes_have_an_address_and_a_length(lib: Any) -> None:
    seen: list[bytes] = []
    lib.data_first(seen.append)
    assert seen == [b"ab\0c", b""]


def test_user_data_stands_where_the_spec_says(lib: Any) -> None:
    assert lib.data_elsewhere(4, lambda x: x / 2) == 3.0
    seen: list[bytes] = []  # C's function has two void *
    assert lib.first_of_two(lambda data: seen.append(data) or 4) == 4
    assert lib.last_of_two(lambda data: seen.append(data) or 5) == 5
    assert seen == [b"abc", b"abc"]
    assert [f(lambda number: number + 1) for f in (lib.middle_of_three, lib.middle_by_name)] == [4, 4]


def test_enums_structs_and_text_results(lib: Any) -> None:
    assert lib.text_length(lambda colour: colour.name) == len("GREEN")
    assert lib.colour_of(lambda small: lib.Colour(small % 2 + 2)) is lib.Colour.BLUE
    assert lib.with_pixels(lambda pixel: pixel.x * pixel.weight) == 7.5


def test_lists_and_maps(lib: Any) -> None:
    assert lib.with_list(sum) == 6
    assert lib.with_map(lambda given: {key: int(2 * value) for key, value in given.items()}) == {"a": 3}
    assert lib.sorted_by(["b", "c", "a"], lambda a, b: a < b) == ["a", "b", "c"]


def test_a_template_takes_the_callable_itself(lib: Any) -> None:
    assert lib.fold(5, lambda total, i: total + i * i) == 30


def test_none_is_a_callable_that_is_missing(lib: Any) -> None:
    assert lib.apply(None, 2.0) == -1.0
    assert lib.apply_lambda(None, 2.0) == -1.0
    assert lib.apply(lambda x: x + 1, 2.0) == lib.apply_lambda(lambda x: x + 1, 2.0) == 3.0
    assert lib.visit_maybe(3) == -1
    assert lib.visit_maybe(3, raise_once) == 3


def test_handles_are_lent_for_the_call(lib: Any) -> None:
    before, seen = lib.node_live(), []

    def look(node: Any) -> None:
        assert not node.closed
        seen.append((node, node.value))

    lib.with_nodes(look)
    assert [value for _, value in seen] == [2, 1]
    assert [node.closed for node, _ in seen] == [True, True]
    fails(lib.ClosedHandleError, "Node: this handle is closed", lambda: seen[0][0].value)
    seen.clear()
    assert lib.node_live() == before


def test_a_handle_that_is_lent_can_be_closed_and_is_not_released(lib: Any) -> None:
    before = lib.node_live()
    lib.with_nodes(lambda node: node.close())
    assert lib.node_live() == before


def test_a_handle_that_may_be_missing(lib: Any) -> None:
    assert lib.with_nodes_or_none(lambda node: -1 if node is None else node.value) == 4


def test_a_handle_as_result_lives_as_long_as_the_call(lib: Any) -> None:
    before = lib.node_live()
    assert lib.chosen(lib.node) == 3
    assert lib.chosen(lambda _: None) == -1
    kept = lib.node(8)
    assert lib.chosen(lambda _: kept) == 8
    assert not kept.closed
    kept.close()
    objects.collect()
    assert lib.node_live() == before


def test_without_user_data(lib: Any) -> None:
    assert lib.compare(lambda a, b: a - b, 7, 3) == 4


def test_callables_without_user_data_run_out(lib: Any) -> None:
    def deeper(a: int, b: int) -> int:
        return int(lib.compare(deeper, a + 1, b))

    fails(
        lib.CallablesError,
        "f: C has no user data for this callable, and all 16 functions for such ones are in use",
        lambda: lib.compare(deeper, 0, 0),
    )
    assert lib.compare(lambda a, b: a, 5, 0) == 5
    for _ in range(20):  # C++ asks for it twice in a call
        assert lib.compare_twice(lambda a, b: a - b, 7, 3) == 0


# --- bad input --------------------------------------------------------------------------------------------------------


def test_what_is_not_callable(lib: Any) -> None:
    fails(TypeError, "visitor: a callable is wanted, not int", lambda: lib.visit(1, 3))
    fails(TypeError, "visitor: a callable is wanted, not None", lambda: lib.visit(1, None))
    fails(TypeError, "f: a callable is wanted, not str", lambda: lib.apply("f", 1.0))


def test_the_wrong_number_of_arguments(lib: Any) -> None:
    def one(a: int) -> bool:
        return True

    name = one.__qualname__
    fails(TypeError, f"visitor: {name}() takes 1 positional argument but 2 were given", lambda: lib.visit(1, one))


def test_a_type_error_of_its_own_is_left_as_it_is(lib: Any) -> None:
    def visitor(name: str, index: int) -> bool:
        raise TypeError("mine")

    fails(TypeError, "mine", lambda: lib.visit(1, visitor))


def test_the_wrong_result(lib: Any) -> None:
    fails(TypeError, "visitor(): a bool is wanted, not str", lambda: lib.visit(1, lambda name, index: "x"))
    fails(TypeError, "visitor(): a bool is wanted, not None", lambda: lib.visit(1, lambda name, index: None))
    fails(TypeError, "f(): an int is wanted, not float", lambda: lib.summed(1, lambda x: 1.5))
    fails(OverflowError, "f(): 9223372036854775808 does not fit i64", lambda: lib.summed(1, lambda x: 2**63))
    fails(TypeError, "f(): a Node is wanted, not int", lambda: lib.chosen(lambda index: 3))
    fails(TypeError, "f()['a']: an int is wanted, not list", lambda: lib.with_map(lambda given: {"a": []}))


def test_a_result_that_does_not_fit_what_c_wants(lib: Any) -> None:
    fails(OverflowError, "f(): 1099511627776 does not fit i32", lambda: lib.compare(lambda a, b: 2**40, 1, 2))
    fails(OverflowError, "f(): 1099511627776 does not fit i32", lambda: lib.narrow(lambda x: 2**40))
    fails(ValueError, "f(): embedded null character", lambda: lib.text_length(lambda colour: "a\0b"))


def test_a_closed_handle_as_result(lib: Any) -> None:
    node = lib.node(1)
    node.close()
    fails(lib.ClosedHandleError, "f(): this Node is closed", lambda: lib.chosen(lambda index: node))


def test_a_null_text_that_the_spec_does_not_expect(lib: Any) -> None:
    fails(ValueError, "the library returned a null string", lambda: lib.with_null_text(len))
    assert lib.with_null_text_or_none(lambda text: -1 if text is None else 0) == -1
