"""How long callables last: until C++ has no copy, a call, or an object has ended; and that nothing stays of them."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.behaviour import objects
from tests.behaviour.callables.shared import Once, fails, load, raise_once
from tests.behaviour.interrupts import interrupted
from tests.behaviour.leak_scale import Scale, loop


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return load(engine)


# --- how long ---------------------------------------------------------------------------------------------------------


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


@pytest.mark.trial("cffi-hold-interrupted")
def test_ctrl_c_while_it_is_registered(lib: Any) -> None:
    """The call raises it, and C++ does not get the callable."""
    for line in range(5):
        emitter = lib.emitter()
        call, held, seen = counted()
        _, error, came = interrupted(lambda emitter=emitter, call=call: emitter.on(call), "_hold", line)
        if not came:
            break
        del call
        assert isinstance(error, KeyboardInterrupt)
        del error
        objects.collect()  # frames that were traced
        assert held() is None
        assert (emitter.emit(5), seen) == (0, [])


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


def test_a_text_outlives_the_only_call(lib: Any) -> None:
    text = "x" * 200
    lib.ask_later(lambda value: text)
    assert lib.ask_now(7, text)


def test_a_view_refers_to_what_the_callable_gave(lib: Any) -> None:
    assert lib.ask_view(lambda value: "é" * 200 + str(value)) == "-" * 300 + "é" * 200 + "1"
    assert lib.ask_view(lambda value: "") == "-" * 300
    assert lib.ask_bytes(lambda value: b"\0\xff" * 100) == b"-" * 300 + b"\0\xff" * 100
    fails(TypeError, r"f(): a str is wanted, not bytes", partial(lib.ask_view, lambda value: b"x"))


def test_it_ends_where_its_only_call_has_bad_arguments(lib: Any) -> None:
    call, held, seen = counted()
    lib.name_later(call)
    del call
    fails(ValueError, "the library returned a null string", lib.name_nothing)
    assert is_gone(held) and seen == []


def test_it_ends_where_it_raises_and_c_refuses_it(lib: Any) -> None:
    counted_too = Counted()
    held = weakref.ref(counted_too)

    def call(_value: int, _held: Counted = counted_too) -> None:
        raise Once("as it says")

    fails(Once, "as it says", partial(lib.refuse_called, call))
    del call, counted_too
    assert is_gone(held)


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
    number = id(held)
    del made, held, call
    objects.collect()
    assert gone() is None
    # a weak reference may end before it is known whether the object does
    assert number not in [id(each) for each in gc.get_objects() if type(each) is Counted]


@pytest.mark.parametrize("way", ["itself", "part"])
@pytest.mark.parametrize("first", ["object", "callable"])
def test_an_object_in_a_cycle_ends_while_python_can_be_called(lib: Any, engine: str, first: str, way: str) -> None:
    """Also where the cycle goes by way of what keeps the object alive."""
    if engine == "cffi":
        pytest.skip("its collector does not see what C++ holds")
    seen = list[int]()
    for i in range(100):
        made = lib.Closer() if first == "object" else None

        def call(_i: int = i) -> None:
            seen.append(_i)

        made = made or lib.Closer()
        call.made = made if way == "itself" else made.part()  # type: ignore[attr-defined]  # a function has attributes
        made.on_end(call)
        del made, call
    objects.collect()
    assert sorted(seen) == list(range(100))


def test_an_object_that_is_not_finalized_calls_nothing(lib: Any, engine: str) -> None:
    """Python's own `__del__` is in the place of the one that would end it in time."""
    if engine == "cffi":
        pytest.skip("its collector does not see what C++ holds")
    seen = list[str]()

    class Own(lib.Closer):  # type: ignore[misc]  # the package is Any
        def __del__(self) -> None:
            seen.append("deleted")

    for _ in range(100):
        made = Own()

        def call() -> None:
            seen.append("called")

        call.made = made  # type: ignore[attr-defined]  # a function has attributes
        made.on_end(call)
        del made, call
    objects.collect()
    assert seen == ["deleted"] * 100


def test_what_python_runs_as_an_object_ends_can_be_called(lib: Any, engine: str) -> None:
    """Only what the object holds may have been cleared."""
    if engine == "cffi":
        pytest.skip("its collector does not see what C++ holds")
    seen = list[str]()

    class Holds:
        def __call__(self) -> None:
            seen.append("called")

        def __del__(self) -> None:
            lib.visit(1, lambda _text, _at: bool(seen.append("visited")))

    class Own(lib.Closer):  # type: ignore[misc]  # the package is Any
        def __del__(self) -> None:
            seen.append("deleted")

    made = Own()
    made.on_end(Holds())
    made.me = made
    del made
    objects.collect()
    assert sorted(seen) == ["deleted", "visited"]  # the collector has an order of its own


@pytest.mark.parametrize("way", ["method", "constructor"])
def test_what_is_raised_as_an_object_ends_is_no_call_s(lib: Any, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = list[object]()
    monkeypatch.setattr(sys, "unraisablehook", lambda about: found.append(about.exc_type))
    made = [lib.Closer() if way == "method" else lib.Ending(partial(raise_once))]
    if way == "method":
        made[0].on_end(partial(raise_once))

    def visit(text: str, at: int) -> bool:
        made.clear()
        objects.let_go()
        return True

    assert lib.visit(1, visit) is not None
    assert found == [Once]


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


# --- leaks ------------------------------------------------------------------------------------------------------------

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
@pytest.mark.parametrize("calls", [2000, pytest.param(100_000, marks=pytest.mark.long)])
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
    growth = {each: scale.measure(loop(each, values, fails=fails), calls) for each in (FAILING if fails else QUICK)}
    lib.store(None)
    assert {each: what for each, what in growth.items() if what} == {}
