"""Callables that C++ calls: their arguments and results, how long they last, what they raise, and on which thread."""

from __future__ import annotations

import re
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from tests.behaviour import objects, packages
from tests.behaviour.leak_process import Scale, loop

SPEC = packages.HERE / "callables" / "callables.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def unraisable(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[BaseException]]:
    """What nobody waits for."""
    found: list[BaseException] = []

    def hook(about: Any) -> None:
        found.append(about.exc_value.with_traceback(None))

    monkeypatch.setattr(sys, "unraisablehook", hook)
    yield found
    found.clear()


def fails(error: type[BaseException], words: str, call: Callable[[], object]) -> None:
    with pytest.raises(error, match=f"^{re.escape(words)}$"):
        call()


class Once(Exception):
    pass


def raise_once(*_arguments: object) -> Any:
    raise Once("as it says")


# --- arguments and results -------------------------------------------------------------------------------------------


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


# --- bad input -------------------------------------------------------------------------------------------------------


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


# --- exceptions ------------------------------------------------------------------------------------------------------


def test_an_exception_ends_the_calls_and_is_raised_by_the_outer_one(lib: Any) -> None:
    calls = []

    def visitor(name: str, index: int) -> bool:
        calls.append(index)
        raise Once("as it says")

    for name in ("visit", "visit_or", "visit_status"):
        calls.clear()
        fails(Once, "as it says", partial(getattr(lib, name), 3, visitor))
        assert calls == [0]
    assert lib.visit(3, lambda name, index: False) == 0


def test_an_exception_through_cpp(lib: Any) -> None:
    fails(Once, "as it says", lambda: lib.fold(3, raise_once))
    fails(Once, "as it says", lambda: lib.sorted_by(["b", "a"], raise_once))
    fails(Once, "as it says", lambda: lib.swallowed(raise_once))


def test_exceptions_that_are_none(lib: Any) -> None:
    def interrupted(*_arguments: object) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lib.visit(3, interrupted)


def test_calls_within_calls(lib: Any) -> None:
    def outer(x: int) -> int:
        fails(Once, "as it says", lambda: lib.summed(1, raise_once))
        return int(lib.summed(3, lambda y: y + x))

    assert lib.summed(2, outer) == 3 + 6


def test_an_exception_of_an_inner_call_goes_on(lib: Any) -> None:
    fails(Once, "as it says", lambda: lib.summed(2, lambda x: lib.summed(2, raise_once)))


def test_recursion_has_an_end(lib: Any) -> None:
    def deeper(x: int) -> int:
        return int(lib.summed(1, deeper))

    with pytest.raises(RecursionError):
        lib.summed(10_000, deeper)
    assert lib.summed(3, lambda x: x) == 3


def test_it_closes_the_handle_that_it_runs_under(lib: Any) -> None:
    emitter = lib.emitter()
    emitter.on(lambda value: emitter.close())
    assert emitter.emit(1) == 1
    assert emitter.closed


# --- how long --------------------------------------------------------------------------------------------------------


class Counted:
    """Something that a callable holds."""


def counted() -> tuple[Callable[[int], None], weakref.ref[Counted], list[int]]:
    held, seen = Counted(), list[int]()

    def call(value: int, _held: Counted = held) -> None:
        seen.append(value)

    return call, weakref.ref(held), seen


def is_gone(held: weakref.ref[Counted]) -> bool:
    objects.let_go()
    return held() is None


def test_it_is_held_while_cpp_keeps_a_copy(lib: Any) -> None:
    emitter = lib.emitter()
    call, held, seen = counted()
    emitter.on(call)
    del call
    assert not is_gone(held)
    assert (emitter.emit(5), seen) == (1, [5])
    emitter.clear()
    assert is_gone(held)


def test_it_goes_with_what_holds_it(lib: Any) -> None:
    emitter = lib.emitter()
    call, held, _ = counted()
    emitter.on(call)
    del call
    emitter.close()
    assert is_gone(held)


def test_a_copy_of_what_is_stored_apart(lib: Any) -> None:
    call, held, seen = counted()
    lib.store(call)
    del call
    assert lib.call_stored(1) and lib.call_stored(2) and seen == [1, 2]
    lib.store(None)
    assert is_gone(held)
    assert not lib.call_stored(3)


def test_one_call_and_no_other(lib: Any) -> None:
    later = lib.later()
    call, held, seen = counted()
    later.set_once(call)
    del call
    assert not is_gone(held)
    assert later.call(4)
    assert is_gone(held)
    fails(lib.CallablesError, "f: this callable was called after its time", lambda: later.call(5))
    assert seen == [4]


def test_a_call_after_the_call_that_it_was_for(lib: Any) -> None:
    later = lib.later()
    call, held, seen = counted()
    later.set_for_a_call(call)
    del call
    assert is_gone(held)
    fails(lib.CallablesError, "f: this callable was called after its time", lambda: later.call(5))
    assert seen == []


def test_until_c_destroys_it(lib: Any) -> None:
    later = lib.later()
    call, held, seen = counted()
    later.set_destroyed(call)
    del call
    assert later.call(1) and later.call(2) and seen == [1, 2]
    assert not is_gone(held)
    later.forget()
    assert is_gone(held)
    other, other_held, _ = counted()
    later.set_destroyed(other)
    del other
    later.close()
    assert is_gone(other_held)


def test_as_long_as_the_object(lib: Any) -> None:
    later = lib.later()
    call, held, seen = counted()
    later.set_for_good(call)
    del call
    assert later.call(1) and later.call(2) and seen == [1, 2]
    assert not is_gone(held)
    other, other_held, other_seen = counted()
    later.set_for_good(other)
    del other
    assert is_gone(held)
    assert later.call(3) and other_seen == [3]
    later.set_for_good(None)
    assert is_gone(other_held)
    last, last_held, _ = counted()
    later.set_for_good(last)
    del last
    later.close()
    assert is_gone(last_held)


@pytest.mark.parametrize("way", ["set_for_good", "set_once", "set_destroyed", "on"])
def test_cycles_are_collected(lib: Any, engine: str, way: str) -> None:
    """The object has the callable, which refers to the object."""
    if engine == "cffi":
        pytest.skip("its collector does not see what C++ holds")
    for _ in range(20):  # callables that have gone do not disturb
        other = lib.emitter()
        other.on(print)
        other.clear()
    made = lib.emitter() if way == "on" else lib.later()
    held = Counted()
    gone = weakref.ref(held)

    def call(value: int, _holds: tuple[object, ...] = (made, held)) -> None:
        pass

    getattr(made, way)(call)
    objects.collect()
    assert gone() is not None
    del made, held, call
    objects.collect()
    assert gone() is None


def test_what_is_held_elsewhere_is_no_cycle(lib: Any) -> None:
    call, held, seen = counted()
    emitter = lib.emitter()
    emitter.on(call)
    del call
    objects.collect()
    assert held() is not None
    assert emitter.emit(3) == 1 and seen == [3]


def test_a_call_that_fails_keeps_nothing(lib: Any) -> None:
    later = lib.later()
    call, held, _ = counted()
    with pytest.raises(lib.WalkError):
        later.set_destroyed(call, True)
    del call
    assert is_gone(held)


def test_nothing_is_held_for_a_call_that_is_refused(lib: Any) -> None:
    call, held, _ = counted()
    with pytest.raises(TypeError):
        lib.on_a_thread(call, "no number")
    del call
    assert is_gone(held)


# --- threads ---------------------------------------------------------------------------------------------------------


def test_a_thread_that_python_never_saw(lib: Any) -> None:
    seen: list[tuple[int, bool]] = []
    lib.on_a_thread(lambda i: seen.append((i, threading.current_thread() is threading.main_thread())), 3)
    assert seen == [(0, False), (1, False), (2, False)]


def test_nobody_waits_for_an_exception_there(lib: Any, unraisable: list[BaseException]) -> None:
    lib.on_a_thread(raise_once, 2)
    assert [type(each) for each in unraisable] == [Once, Once]
    unraisable.clear()
    assert lib.visit_on_a_thread(2, raise_once) == 0
    assert [type(each) for each in unraisable] == [Once, Once]
    unraisable.clear()
    assert lib.visit_on_a_thread(2, lambda name, index: "x") == 0
    assert [str(each) for each in unraisable] == ["visitor(): a bool is wanted, not str"] * 2


def test_a_held_callable_from_another_thread(lib: Any) -> None:
    emitter, seen = lib.emitter(), list[int]()
    emitter.on(seen.append)
    emitter.emit_elsewhere(4)
    assert seen == [4]


def test_threads_call_at_once(lib: Any) -> None:
    totals: list[int] = []

    def work() -> None:
        totals.append(sum(lib.summed(200, lambda x: x) for _ in range(20)))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert totals == [20 * 19900] * 8


# --- leaks -----------------------------------------------------------------------------------------------------------

QUICK = (
    "lib.visit(2, truth)", "lib.fold(3, add)", "lib.with_pixels(weight)", "lib.with_nodes(look)",
    "lib.text_length(name)", "lib.chosen(lib.node)", "lib.chosen(lambda _: None)", "lib.with_map(doubled)",
    "lib.compare(add, 1, 2)", "emitter.on(ignore); emitter.clear()", "lib.store(ignore)", "lib.store(None)",
    "later.set_once(ignore); later.call(1)", "later.set_for_a_call(ignore)", "later.set_destroyed(ignore)",
    "later.set_for_good(ignore)", "later.forget()", "lib.later().set_for_good(ignore)", "lib.emitter().on(ignore)",
)  # fmt: skip
FAILING = (
    "lib.visit(2, raise_once)", "lib.visit(2, 3)", "lib.fold(2, raise_once)", "lib.summed(1, lambda x: 'x')",
    "lib.summed(1, lambda: 1)", "lib.with_null_text(len)", "later.set_destroyed(ignore, True)",
    "lib.with_nodes(raise_once)", "lib.chosen(lambda x: 1)", "lib.on_a_thread(ignore, 'x')", "lib.apply(len, 1.5)",
)  # fmt: skip


@pytest.mark.skipif(not objects.COUNTS_REFERENCES, reason="this Python counts no references")
@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("calls", [2000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_nothing_stays_of_a_call(lib: Any, fails: bool, calls: int) -> None:
    values: dict[str, Any] = {
        "lib": lib,
        "later": lib.later(),
        "emitter": lib.emitter(),
        "raise_once": raise_once,
        "truth": lambda name, index: index == 1,
        "add": lambda a, b: a + b,
        "weight": lambda pixel: pixel.weight,
        "look": lambda node: node.value,
        "name": lambda colour: colour.name,
        "doubled": lambda given: dict.fromkeys(given, 2),
        "ignore": lambda value: None,
    }
    scale = Scale([None, *values.values(), lib.Node, lib.Later, lib.Colour, lib.Pixel])
    growth = {each: scale.measure(loop(each, values, fails), calls) for each in (FAILING if fails else QUICK)}
    lib.store(None)
    assert {each: what for each, what in growth.items() if what} == {}
