"""Entries that are written as a `def`, in their handle type, and for several types, over both engines alike."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import HERE, Package

SPEC = HERE.parent / "cases" / "signatures" / "spec.wrapper_spec"


@pytest.fixture(scope="module")
def package() -> Package:
    return packages.build(SPEC)


@pytest.fixture
def shop(package: Package, engine: str) -> Any:
    return package.load(engine)


def test_the_name_of_an_entry_is_that_of_a_function_in_the_librarys_case(shop: Any) -> None:
    assert shop.open_count("four", shop.Mode.WRITE, shop.Order.down) == 421
    assert shop.suffix("a/b.txt") == ".txt"


def test_defaults_are_those_of_the_signature(shop: Any) -> None:
    assert shop.open_count("four") == 450
    assert shop.describe() == 'a "b"\nnone!-15'
    assert shop.describe("x", 3, ratio=2) == "x3!2"
    assert shop.total() == 6
    assert shop.table() == "2oneneither"
    assert shop.table({}, either=1) == "0onenumber"


def test_defaults_are_seen_in_python(package: Package, engine: str) -> None:
    program = """
import inspect
import signatures_ffi as shop
shown = inspect.signature(shop.open_count).parameters
assert list(shown) == ["name", "mode", "order"]
assert shown["mode"].default == shop.Mode.READ | shop.Mode.CREATE
assert shown["order"].default == shop.Order.up
assert inspect.signature(shop.describe).parameters["text"].default == 'a "b"\\n'
assert "how to open" in shop.open_count.__doc__
assert "how often" in shop.Counter.add_many.__doc__
"""
    package.python(program, engine=engine)


def test_names_of_values_stand_for_their_own_with_the_prefix(shop: Any) -> None:
    assert [(each.name, each.value) for each in shop.Mode] == [("READ", 1), ("WRITE", 2), ("CREATE", 4)]
    assert [(each.name, each.value) for each in shop.Order] == [("up", 0), ("down", 1)]


def test_methods_with_a_prefix_are_functions_that_take_the_handle(shop: Any) -> None:
    counter = shop.start(5)
    assert counter.value == 5
    counter.add_many(2)
    counter.add_many(more=1, times=3)
    assert (counter.value, counter.peek(), counter.times(2), shop.finish(counter)) == (10, 10, 20, 10)
    assert not counter.is_zero() and shop.start().is_zero()
    with pytest.raises(TypeError, match="more"):
        counter.add_many("2")
    counter.close()
    with pytest.raises(shop.ClosedHandleError):
        counter.add_many(2)
    with pytest.raises(shop.ClosedHandleError):
        _ = counter.value


def test_an_entry_is_there_for_each_row(shop: Any) -> None:
    assert shop.doubled_i32(21) == 42 and shop.doubled_f64(1.5) == 3.0
    assert shop.largest_i32([1, 3, 2]) == 3 and shop.largest_f64([0.5]) == 0.5
    assert [shop.sum_1_10(), shop.sum_1_20(), shop.sum_2_10(), shop.sum_2_20(c=0)] == [12, 22, 14, 22]
    with pytest.raises(OverflowError):
        shop.doubled_i32(2**31)
    with pytest.raises(TypeError):
        shop.doubled_i32(1.5)


def test_a_class_is_there_for_each_row(shop: Any) -> None:
    stack = shop.stack_i32()
    stack.push_back(3)
    stack.push_back()
    assert (stack.size, stack.pushed_i16_of_i32(-7), stack.pop_back(), stack.pop_back(), stack.size) == (2, 3, -7, 0, 1)
    with pytest.raises(TypeError):
        stack.push_back(1.5)
    numbers = shop.Stack_f64.stack_f64()
    numbers.push_back(1.5)
    assert (numbers.pushed_i64_of_f64(2), numbers.pop_back(), numbers.pop_back()) == (2, 2.0, 1.5)
    with pytest.raises(OverflowError):
        numbers.pushed_i16_of_f64(2**15)
    with pytest.raises(IndexError):
        numbers.pop_back()
    assert {name for name in shop.__all__ if name.startswith("Stack")} == {"Stack_f64", "Stack_i32"}
    assert shop.Stack_i32.__doc__.startswith("Values of type i32; costs $0.")
    assert {name for name in vars(shop.Stack_f64) if name.startswith("p")} == {
        *("push_back", "pop_back", "pushed_i16_of_f64", "pushed_i64_of_f64"),
    }


def test_one_entry_for_several_handle_types(shop: Any) -> None:
    for stack in (shop.stack_i32(), shop.stack_f64()):
        assert stack.is_empty()
        stack.push_back(1)
        assert not stack.is_empty()
        assert (stack.counted_i16(), stack.counted_i64()) == (2, 8)
