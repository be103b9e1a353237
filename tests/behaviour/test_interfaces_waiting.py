"""What overridden methods raise on threads of the library while calls wait for these: those calls raise it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from tests.behaviour import objects, packages
from tests.behaviour.callables.shared import fails
from tests.limits import HANGS

THREADS = 4
"""That call at once."""


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(packages.HERE / "interfaces_waiting" / "waiting.wrapper_spec").load(engine)


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    heard: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda about: heard.append(about.exc_value))
    yield heard


def term(lib: Any, of: Callable[[int], float]) -> Any:
    class Called(lib.Term):  # type: ignore[misc]
        def of(self, i: int) -> float:
            return of(i)

    return Called()


def failing_at(lib: Any, wrong: int) -> Any:
    def of(i: int) -> float:
        if i == wrong:
            raise LookupError(i)
        return 1.0

    return term(lib, of)


WAYS: dict[str, Callable[[Any, Any, int], Any]] = {
    "argument": lambda lib, of, count: lib.sum(of, count),
    "overridden": lambda lib, of, count: lib.sum_overridden(of, count),
    "optional": lambda lib, of, count: lib.sum_maybe(of, count),
    "list": lambda lib, of, count: lib.sum_all([of], count),
    "tuple": lambda lib, of, count: lib.sum_of_pair((of, count)),
    "own method": lambda lib, of, count: of.run(count),
    "status": lambda lib, of, count: lib.status_of(of, count),
    "C++ fails too": lambda lib, of, count: lib.failing(of, count),
    "in this thread at last": lambda lib, of, count: lib.and_here(of, count),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_call_that_waits_raises_it(lib: Any, reported: list[object], way: str) -> None:
    call = WAYS[way]
    for wrong in 7, 90, 98:
        fails(LookupError, str(wrong), partial(call, lib, failing_at(lib, wrong), 100))
    assert reported == []
    if way != "C++ fails too":
        assert call(lib, failing_at(lib, -1), 100) in (100.0, 1.0, None)
    else:
        fails(RuntimeError, "the library failed", partial(call, lib, failing_at(lib, -1), 100))


@pytest.mark.parametrize("way", WAYS)
def test_python_is_not_asked_again_until_the_call_has_ended(lib: Any, reported: list[object], way: str) -> None:
    asked: list[int] = []

    def of(i: int) -> float:
        asked.append(i)
        raise LookupError("each time")

    own = term(lib, of)
    for _ in range(3):
        asked.clear(), reported.clear()
        fails(LookupError, "each time", partial(WAYS[way], lib, own, 4000))
        assert 1 <= len(asked) <= THREADS
        assert len(reported) == len(asked) - 1


def test_one_object_given_twice(lib: Any, reported: list[object]) -> None:
    own = failing_at(lib, 41)
    fails(LookupError, "41", partial(lib.sum_all, [own, own], 100))
    assert reported == []
    assert lib.sum_all([failing_at(lib, -1)] * 2, 100) == 200.0


def test_methods_that_are_not_asked_give_their_values(lib: Any, reported: list[object]) -> None:
    class Called(lib.Term):  # type: ignore[misc]
        def of(self, i: int) -> float:
            return 1.0

        def weight(self, i: int) -> float:
            raise LookupError("no weight")

        def rank(self, i: int) -> int:
            raise LookupError("no rank")

        def label(self, i: int) -> str:
            raise LookupError("no label")

    own = Called()
    fails(LookupError, "no weight", partial(own.run, 100))
    fails(LookupError, "no rank", partial(lib.ranks, own, 100))  # of a function that is noexcept
    fails(LookupError, "no label", partial(lib.length, own, 100))
    assert len(reported) <= THREADS - 1


def test_results_that_do_not_fit(lib: Any, reported: list[object]) -> None:
    fails(TypeError, "Term.of(): a float is wanted, not str", partial(lib.sum, term(lib, lambda i: "1"), 40))
    assert len(reported) <= THREADS - 1


def test_calls_within_calls(lib: Any, reported: list[object]) -> None:
    inner = failing_at(lib, 3)
    caught: list[BaseException] = []

    def of(i: int) -> float:
        if i == 2:
            try:
                lib.sum(inner, 8)
            except LookupError as error:
                caught.append(error)
        return 1.0

    assert lib.sum(term(lib, of), 8) == 8.0
    assert [str(each) for each in caught] == ["3"]
    fails(LookupError, "3", partial(lib.sum, term(lib, lambda i: lib.sum(inner, 8)), 1))
    assert reported == []


def test_calls_that_wait_for_one_object_at_once_all_raise_it(lib: Any, reported: list[object]) -> None:
    """Nothing says which of them the thread works for: the result of each may be wrong."""
    both, one_ended = threading.Barrier(2), threading.Event()
    lock, once = threading.Lock(), [True]

    def of(i: int) -> float:
        if i == 0:
            both.wait()  # each call has begun
            with lock:
                fail = once.pop() if once else False
            if fail:
                raise LookupError("once")
            assert one_ended.wait(HANGS)  # before this one does
        return 1.0

    own = term(lib, of)
    raised: list[str] = []

    def run() -> None:
        try:
            lib.sum(own, 1)
        except LookupError as error:
            raised.append(str(error))
            one_ended.set()

    started = [threading.Thread(target=run, daemon=True) for _ in range(2)]
    for each in started:
        each.start()
    for each in started:
        each.join(HANGS)
    assert raised == ["once", "once"]
    assert reported == []
    assert lib.sum(failing_at(lib, -1), 8) == 8.0


def test_what_cpp_keeps_is_reported(lib: Any, reported: list[object]) -> None:
    keeper = lib.Keeper()
    keeper.keep(failing_at(lib, 5))
    assert keeper.run(8) == 7.0  # which was passed nothing
    assert [str(each) for each in reported] == ["5"]
    assert keeper.run_with(failing_at(lib, -1), 8) == 7.0
    assert [str(each) for each in reported] == ["5", "5"]
    with pytest.raises(LookupError, match="0"):
        lib.sum(failing_at(lib, 0), 8)


def test_a_call_goes_on_after_the_exception_has_been_raised(lib: Any, reported: list[object]) -> None:
    wrong = [True]

    def of(i: int) -> float:
        if i == 3 and wrong:
            wrong.clear()
            raise LookupError("the first time")
        return 1.0

    own = term(lib, of)
    fails(LookupError, "the first time", partial(lib.sum, own, 8))
    assert lib.sum(own, 8) == own.run(8) == 8.0
    assert reported == []


def test_what_holds_an_object_calls_it_as_the_collector_closes_both(lib: Any, engine: str) -> None:
    weighed: list[int] = []

    class Called(lib.Term):  # type: ignore[misc]
        def of(self, i: int) -> float:
            return 1.0

        def weight(self, i: int) -> float:
            weighed.append(i)
            return float(self.factor * i)

    called = Called()
    called.factor, called.summary = 2, lib.Summary(called)
    if engine == "cffi":  # whose objects the collector does not look into
        called.summary.close()
    del called
    objects.collect()
    assert weighed == [-1]
