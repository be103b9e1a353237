"""Callables in the fields of structs: records that C and C++ call, and how long."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from tests.behaviour import objects
from tests.behaviour.callables.shared import Once, fails, load, raise_once


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return load(engine)


class Counted:
    """Something that a callable holds."""


def counted() -> tuple[Callable[[int], int], weakref.ref[Counted], list[int]]:
    held, seen = Counted(), list[int]()

    def call(value: int, _held: Counted = held) -> int:
        seen.append(value)
        return value + 1

    return call, weakref.ref(held), seen


def is_gone(held: weakref.ref[Counted]) -> bool:
    objects.let_go()
    return held() is None


def add_one(value: int) -> int:
    return value + 1


# --- calls ------------------------------------------------------------------------------------------------------------


def test_several_have_one_user_data(lib: Any) -> None:
    seen: list[tuple[str, int]] = []
    watcher = lib.Watcher(5, lambda name, index: seen.append((name, index)), add_one)
    assert lib.watch(watcher, 2) == 3
    assert seen == [("item", 0), ("item", 1)]
    assert lib.watch(watcher, 0) == 1


def test_those_that_are_missing_are_null_pointers(lib: Any) -> None:
    assert lib.watch(lib.Watcher(5), 2) == -5
    assert lib.watch(lib.Watcher(5, None, add_one), 2) == 3
    seen: list[int] = []
    assert lib.watch(lib.Watcher(6, lambda name, index: seen.append(index)), 1) == -6
    assert seen == [0]


def test_each_has_its_own_user_data(lib: Any) -> None:
    seen: list[int] = []
    assert lib.go_both_ways(lib.BothWays(add_one, lambda node: seen.append(node.value))) == 5
    assert seen == [9]


def test_without_user_data(lib: Any) -> None:
    assert lib.call_plain(lib.Plainly(add_one), 3) == 4
    many = [lib.Plainly(add_one)] * 16
    assert lib.plain_ones(many) == 16
    with pytest.raises(lib.CallablesError, match="all 16 functions for such ones are in use"):
        lib.plain_ones([*many, many[0]])
    assert lib.plain_ones(many) == 16


def test_members_that_are_functions_of_cpp(lib: Any) -> None:
    rules = {"a": lib.Rule("a", add_one, lambda node: node.value > 2), "b": lib.Rule("b", lambda value: value * 2)}
    assert [lib.ruled(rules, "a", 2), lib.ruled(rules, "a", 3), lib.ruled(rules, "b", 2)] == [-1, 4, 4]


def test_functions_set_the_fields_beside_them(lib: Any) -> None:
    rule = lib.Ranked(12, add_one)
    assert (rule.rank, rule.apply, rule.size) == (9, add_one, 9)
    assert lib.ranked(rule, 5) == 15
    assert lib.ranked(lib.Ranked(1, lambda value: -value, size=7), 5) == -4
    fails(TypeError, "apply: a callable is wanted, not int", lambda: lib.Ranked(1, 2))


def test_another_thread_calls_it(lib: Any) -> None:
    call, _, seen = counted()
    assert lib.rule_on_a_thread(lib.RuleForThreads(call)) == 2
    assert seen == [1]


# --- what is refused, and raised --------------------------------------------------------------------------------------


def test_what_is_no_callable(lib: Any) -> None:
    fails(TypeError, "on_item: a callable is wanted, not int", lambda: lib.Watcher(1, 3))
    fails(TypeError, "apply: a callable is wanted, not None", lambda: lib.Rule("a", None))
    fails(TypeError, "watcher: a Watcher is wanted, not function", lambda: lib.watch(add_one, 1))
    fails(TypeError, "rules['a']: a Rule is wanted, not int", lambda: lib.ruled({"a": 1}, "a", 1))


def test_what_they_return_and_take_is_checked(lib: Any) -> None:
    def ends(call: Callable[..., object]) -> Callable[[], object]:
        return lambda: lib.watch(lib.Watcher(1, None, call), 1)

    fails(TypeError, "Watcher.on_end(): an int is wanted, not str", ends(lambda count: "x"))
    fails(OverflowError, "Watcher.on_end(): 4294967296 does not fit i32", ends(lambda count: 2**32))
    with pytest.raises(TypeError, match=r"^Watcher.on_end: .* takes 0 positional arguments but 1 was given$"):
        ends(lambda: 1)()


def test_exceptions_come_through(lib: Any) -> None:
    fails(Once, "as it says", lambda: lib.watch(lib.Watcher(1, raise_once, add_one), 2))
    fails(Once, "as it says", lambda: lib.ruled({"a": lib.Rule("a", raise_once)}, "a", 2))


def test_what_c_gets_for_an_exception(lib: Any) -> None:
    with pytest.raises(Once):
        lib.watch(lib.Watcher(1, None, raise_once), 1)
    assert lib.last_watched() == -7  # on_exception
    later = lib.later()
    later.watch(lib.WatcherOfObject(on_end=raise_once))
    with pytest.raises(Once):
        later.run(1)
    assert lib.last_watched() == 0


def test_what_a_thread_of_the_library_raises(lib: Any) -> None:
    fails(Once, "as it says", lambda: lib.rule_on_a_thread(lib.RuleForThreads(raise_once)))


# --- how long ---------------------------------------------------------------------------------------------------------


def test_a_call_after_the_call_that_they_were_for(lib: Any) -> None:
    call, held, seen = counted()
    watcher = lib.Watcher(1, None, call)
    lib.keep_watcher(watcher)
    fails(lib.CallablesError, "Watcher.on_end: this callable was called after its time", lambda: lib.run_watcher(1))
    assert lib.watch(watcher, 1) == 2 and seen == [1]  # the record has it still
    del call, watcher
    assert is_gone(held)


def test_one_call_and_no_other(lib: Any) -> None:
    call, held, seen = counted()
    lib.keep_watcher_once(lib.WatcherOnce(call))
    del call
    assert not is_gone(held)
    assert lib.run_watcher(4) == 5 and seen == [4]
    assert is_gone(held)
    with pytest.raises(lib.CallablesError):
        lib.run_watcher(4)


def test_as_long_as_the_object(lib: Any) -> None:
    later = lib.later()
    first, first_held, first_seen = counted()
    later.watch(lib.WatcherOfObject(on_end=first))
    del first
    assert later.run(1) == 2 and later.run(2) == 3 and first_seen == [1, 2]
    assert not is_gone(first_held)
    second, second_held, _ = counted()
    later.watch(lib.WatcherOfObject(lambda name, index: None, second))
    del second
    assert is_gone(first_held)
    assert later.run(3) == 4 and not is_gone(second_held)
    later.watch(None)
    assert is_gone(second_held) and later.run(1) == 0
    last, last_held, _ = counted()
    later.watch(lib.WatcherOfObject(on_end=last))
    del last
    later.close()
    assert is_gone(last_held)


def test_one_may_close_the_object_that_calls_it(lib: Any) -> None:
    later = lib.later()
    later.watch(lib.WatcherOfObject(lambda name, index: later.close(), add_one))
    assert later.run(1) in (0, 2)
    with pytest.raises(lib.ClosedHandleError):
        later.run(1)


def test_one_may_replace_the_others(lib: Any) -> None:
    later = lib.later()
    later.watch(lib.WatcherOfObject(lambda name, index: later.watch(lib.WatcherOfObject(on_end=add_one))))
    later.run(1)
    assert later.run(7) == 8


def test_they_are_held_while_cpp_keeps_copies(lib: Any) -> None:
    call, held, seen = counted()
    lib.keep_rule(lib.Rule("a", call))
    del call
    assert lib.apply_rule(1) == 2 and seen == [1]
    assert not is_gone(held)
    lib.keep_rule()
    assert is_gone(held) and lib.apply_rule(1) == -1


@pytest.mark.skipif(not objects.COUNTS_REFERENCES, reason="this Python counts no references")
def test_nothing_stays(lib: Any) -> None:
    later = lib.later()
    call, held, _ = counted()
    for _i in range(50):
        lib.watch(lib.Watcher(1, None, call), 1)
        lib.call_plain(lib.Plainly(call), 1)
        lib.keep_rule(lib.Rule("a", call))
        lib.ruled({"a": lib.Rule("a", call)}, "a", 1)
        later.watch(lib.WatcherOfObject(on_end=call))
        with pytest.raises(TypeError):
            lib.Rule("a", call, 3)
        with pytest.raises(Once):
            lib.watch(lib.Watcher(1, raise_once, call), 1)
    lib.keep_rule()
    later.close()
    del call
    assert is_gone(held)


def test_cycles_of_records_are_collected(lib: Any) -> None:
    held = Counted()
    gone = weakref.ref(held)
    held.rule = lib.Rule("a", lambda value, held=held: value)  # type: ignore[attr-defined]
    del held
    objects.collect()
    assert gone() is None


def test_cycles_through_an_object_are_collected(lib: Any, engine: str) -> None:
    if engine == "cffi":
        pytest.skip("its collector does not see what C++ holds")
    later, held = lib.later(), Counted()
    gone = weakref.ref(held)

    def call(count: int, _holds: tuple[object, ...] = (later, held)) -> int:
        return count

    later.watch(lib.WatcherOfObject(on_end=call))
    objects.collect()
    assert gone() is not None and later.run(3) == 3
    del later, held, call
    objects.collect()
    assert gone() is None


# --- records ----------------------------------------------------------------------------------------------------------


def test_what_a_record_has(lib: Any) -> None:
    rule = lib.Rule("a", add_one)
    assert (rule.name, rule.apply, rule.accepts) == ("a", add_one, None)
    assert repr(rule) == f"Rule(name='a', apply={add_one!r}, accepts=None)"
    same, other = lib.Rule("a", add_one, None), lib.Rule("a", len)
    assert rule == same and hash(rule) == hash(same) and rule != other
    assert dataclasses.replace(rule, apply=len) == other
    made, given = other.__reduce__()
    assert made(*given) == other
    match rule:
        case lib.Rule("a", apply):
            assert apply(1) == 2
