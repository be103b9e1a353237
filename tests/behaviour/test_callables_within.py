"""Callables within lists, dicts, tuples and optionals: how they are called, what is refused, and how long they last."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.behaviour import objects, packages
from tests.behaviour.callables.shared import SPEC, Once, fails, load, raise_once
from tests.compilers import quickest


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


def double(value: int) -> int:
    return value * 2


# --- calls ------------------------------------------------------------------------------------------------------------


def test_each_is_called(lib: Any) -> None:
    assert lib.chained([add_one, double, add_one], 3) == 9
    assert lib.chained((), 3) == 3
    assert lib.chained(iter([double] * 20), 1) == 2**20
    assert lib.maybe_chained() == -1 and lib.maybe_chained([add_one]) == 2


def test_many_in_one_list(lib: Any) -> None:
    """Each is forgotten in one step: with as many steps as there are others, this would take minutes."""
    many = packages.fewer(100_000)
    assert lib.chained([add_one] * many, 3) == many + 3


def test_containers_of_containers(lib: Any) -> None:
    steps = {"none": [], "some": [add_one, None, double]}
    assert lib.chained_by_name(steps, "some", 4) == -10
    assert lib.chained_by_name(steps, "none", 4) == 4


def test_tuples_have_callables_of_several_types(lib: Any) -> None:
    assert lib.rendered((double, lambda text, pixel: f"{text}:{pixel.x}:{pixel.weight}")) == "6:1:0.5"


def test_c_callbacks_without_user_data(lib: Any) -> None:
    assert lib.compared([lambda a, b: a + b, lambda a, b: b - a]) == 31


def test_other_threads_call_them(lib: Any) -> None:
    seen: list[int] = []
    lib.all_on_threads([seen.append] * 4)
    assert seen == [1] * 4


# --- what is refused --------------------------------------------------------------------------------------------------


def test_the_path_to_what_is_no_callable(lib: Any) -> None:
    fails(TypeError, "steps[1]: a callable is wanted, not int", lambda: lib.chained([len, 3], 1))
    fails(TypeError, "steps[0]: a callable is wanted, not None", lambda: lib.chained([None], 1))
    fails(TypeError, "steps: a sequence is wanted, not function", lambda: lib.chained(double, 1))
    fails(
        TypeError, "all['x'][1]: a callable is wanted, not str", lambda: lib.chained_by_name({"x": [len, "y"]}, "x", 1)
    )
    fails(TypeError, "how[1]: a callable is wanted, not float", lambda: lib.rendered((len, 1.5)))
    fails(TypeError, "how: a tuple of 2 is wanted, not one of 1", lambda: lib.rendered((len,)))
    fails(TypeError, "routes['b']: a callable is wanted, not list", lambda: lib.emitter().route({"a": None, "b": []}))


def test_what_they_return_is_checked(lib: Any) -> None:
    fails(TypeError, "steps(): an int is wanted, not str", lambda: lib.chained([lambda x: "x"], 1))
    fails(OverflowError, "steps(): 4294967296 does not fit i32", lambda: lib.chained([lambda x: 2**32], 1))


def test_exceptions_come_through(lib: Any) -> None:
    called: list[int] = []
    fails(Once, "as it says", lambda: lib.chained([add_one, raise_once, called.append], 1))
    assert called == []
    assert lib.chained([add_one], 1) == 2
    fails(Once, "as it says", lambda: lib.chained_or([raise_once, called.append], 1))


# --- how long ---------------------------------------------------------------------------------------------------------


def test_they_are_held_while_cpp_keeps_copies(lib: Any) -> None:
    first, first_held, first_seen = counted()
    second, second_held, second_seen = counted()
    lib.keep_steps([first, second])
    del first, second
    assert lib.run_steps(1) == 3 and (first_seen, second_seen) == ([1], [2])
    assert not is_gone(first_held)
    lib.keep_steps([])
    assert is_gone(first_held) and is_gone(second_held)


def test_the_same_deep_within(lib: Any) -> None:
    call, held, seen = counted()
    lib.keep_step_tuples([("a", [call, call], True), ("b", None, False), ("c", [add_one], True)])
    del call
    assert lib.run_steps(1) == 4 and seen == [1, 2]
    lib.keep_step_tuples([])
    assert is_gone(held)


def test_calls_after_the_call_that_they_were_for(lib: Any) -> None:
    call, held, seen = counted()
    lib.keep_steps_for_a_call([call])
    del call
    assert is_gone(held)
    with pytest.raises(lib.CallablesError):
        lib.run_steps(1)
    assert seen == []
    lib.keep_steps([])


def test_one_call_of_each(lib: Any) -> None:
    first, first_held, first_seen = counted()
    second, second_held, second_seen = counted()
    lib.keep_steps_once([first, second])
    del first, second
    assert not is_gone(first_held)
    assert lib.run_steps(1) == 3 and (first_seen, second_seen) == ([1], [2])
    assert is_gone(first_held) and is_gone(second_held)
    fails(lib.CallablesError, "steps: this callable was called after its time", lambda: lib.run_steps(1))
    assert (first_seen, second_seen) == ([1], [2])
    lib.keep_steps([])


def test_as_long_as_the_object(lib: Any) -> None:
    emitter = lib.emitter()
    first, first_held, first_seen = counted()
    emitter.route({"a": first, "b": None})
    del first
    assert emitter.follow("a", 1) and not emitter.follow("b", 1) and not emitter.follow("c", 1)
    assert first_seen == [1] and not is_gone(first_held)
    second, second_held, second_seen = counted()
    emitter.route({"a": second})
    del second
    assert is_gone(first_held)
    assert emitter.follow("a", 2) and second_seen == [2]
    emitter.close()
    assert is_gone(second_held)


def test_one_may_replace_them_while_it_runs(lib: Any) -> None:
    emitter = lib.emitter()
    seen: list[str] = []

    def again(value: int) -> None:
        emitter.route({"a": lambda value: seen.append("second")})
        seen.append("first")

    emitter.route({"a": again})
    assert emitter.follow("a", 1) and emitter.follow("a", 1) and seen == ["first", "second"]


def test_one_may_close_the_object_that_calls_it(lib: Any) -> None:
    emitter = lib.emitter()
    emitter.route({"a": lambda value: emitter.close()})
    assert emitter.follow("a", 1)
    with pytest.raises(lib.ClosedHandleError):
        emitter.follow("a", 1)


def test_several_objects_that_one_was_taken_for_have_its_callables(lib: Any) -> None:
    call, held, seen = counted()
    emitter = lib.emitter()
    emitter.route({"a": call})
    first, second = lib.parted(emitter)
    assert emitter.closed and first.follow("a", 1) and second.follow("a", 2)
    first.close()
    assert second.follow("a", 3) and seen == [1, 2, 3]
    second.close()
    del call
    assert is_gone(held)


def test_the_collector_counts_a_callable_that_several_objects_have_once(lib: Any) -> None:
    call, held, seen = counted()
    emitter = lib.emitter()
    emitter.route({"a": call})
    parts = lib.parted(emitter)
    parts.append(parts)
    del parts, emitter
    objects.collect()
    assert call(1) == 2 and seen == [1] and call.__defaults__
    del call
    assert is_gone(held)


@pytest.mark.parametrize("way", ["route", "on_all"])
def test_cycles_are_collected(lib: Any, engine: str, way: str) -> None:
    """The object has the callables, which refer to the object."""
    if engine == "cffi":
        pytest.skip("its collector does not see what C++ holds")
    emitter, held = lib.emitter(), Counted()
    gone = weakref.ref(held)

    def call(value: int, _holds: tuple[object, ...] = (emitter, held)) -> None:
        pass

    if way == "route":
        emitter.route({"a": call, "b": call})
    else:
        emitter.on_all([call, call])
    objects.collect()
    assert gone() is not None
    assert emitter.emit(1) == 2 * (way == "on_all")
    del emitter, held, call
    objects.collect()
    assert gone() is None


def test_nothing_is_held_of_a_call_that_is_refused(lib: Any) -> None:
    call, held, _ = counted()
    for refused in (partial(lib.chained, [call], "x"), partial(lib.keep_steps, [call, 1])):
        with pytest.raises(TypeError):
            refused()
    del call, refused
    assert is_gone(held)


@pytest.mark.skipif(not objects.COUNTS_REFERENCES, reason="this Python counts no references")
def test_nothing_stays(lib: Any) -> None:
    emitter = lib.emitter()
    call, gone, _ = counted()
    for _ in range(50):
        lib.chained([call] * 3, 1)
        lib.chained_by_name({"a": [call, None]}, "a", 1)
        lib.keep_steps([call, call])
        emitter.on_all([call] * 2)
        emitter.clear()
        emitter.route({"a": call, "b": call})
        with pytest.raises(TypeError):
            lib.chained([call, 1], 1)
        with pytest.raises(Once):
            lib.chained([call, raise_once], 1)
    lib.keep_steps([])
    emitter.close()
    del call
    assert is_gone(gone)


# --- compilers --------------------------------------------------------------------------------------------------------


def test_clang_compiles_methods_with_them() -> None:
    """Versions 14 and 16 ended with an error of their own; what it does not compile is taken from g++ otherwise."""
    if packages.all_flags() or not quickest():
        pytest.skip("this run has no clang++ for its packages")
    (extension,) = packages.build(SPEC).folder.glob("*.so")
    assert b"clang version" in extension.read_bytes()
