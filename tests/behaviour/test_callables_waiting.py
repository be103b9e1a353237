"""What callables raise on threads of the library while a call waits for these: that call raises the first exception."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.callables.shared import fails

THREADS = 4
"""That call at once."""


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(packages.HERE / "callables" / "waiting.wrapper_spec").load(engine)


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    heard: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda about: heard.append(about.exc_value))
    yield heard


def failing_at(wrong: int) -> Callable[[int], float]:
    def call(i: int) -> float:
        if i == wrong:
            raise LookupError(i)
        return 1.0

    return call


WAYS = ("sum", "sum_unsaid", "sum_or_one", "sum_or_fail", "sum_by_c", "sum_and_last")


@pytest.mark.trial("exceptions-on-waiting-threads")
@pytest.mark.parametrize("way", WAYS)
def test_the_call_that_waits_raises_it(lib: Any, reported: list[object], way: str) -> None:
    call = getattr(lib, way)
    for wrong in 7, 98, 99:
        fails(LookupError, str(wrong), partial(call, 100, failing_at(wrong)))
    assert call(100, failing_at(-1)) == (1.0 if way == "sum_and_last" else 100.0)
    assert reported == []


@pytest.mark.parametrize("way", WAYS)
def test_python_is_not_asked_again(lib: Any, reported: list[object], way: str) -> None:
    asked: list[int] = []

    def call(i: int) -> float:
        asked.append(i)
        raise LookupError("each time")

    fails(LookupError, "each time", partial(getattr(lib, way), 4000, call))
    assert len(asked) <= THREADS
    assert len(reported) == len(asked) - 1


def test_in_lists(lib: Any, reported: list[object]) -> None:
    fails(LookupError, "41", partial(lib.sum_all, 100, [failing_at(41), failing_at(41)]))
    assert lib.sum_all(100, [failing_at(-1)] * 2) == 100.0
    assert reported == []


def test_before_a_status(lib: Any, reported: list[object]) -> None:
    fails(LookupError, "41", partial(lib.status_of, 50, failing_at(41)))
    lib.status_of(50, failing_at(-1))
    with pytest.raises(lib.StatusError):
        lib.status_of(50, lambda i: -1)
    assert reported == []


def test_results_that_do_not_fit(lib: Any, reported: list[object]) -> None:
    fails(OverflowError, "of(): 1099511627776 does not fit i32", partial(lib.sum_of_ints, 40, lambda i: 2**40))
    fails(TypeError, "of(): an int is wanted, not str", partial(lib.sum_of_ints, 40, lambda i: "1"))
    assert lib.sum_of_ints(40, lambda i: 2) == 80.0
    assert len(reported) <= 2 * (THREADS - 1)


def test_calls_within_calls(lib: Any, reported: list[object]) -> None:
    def inner(i: int) -> float:
        return float(lib.sum(8, failing_at(3 if i == 2 else -1)))

    fails(LookupError, "3", partial(lib.sum, 8, inner))
    assert lib.sum(4, lambda i: lib.sum(4, failing_at(-1))) == 16.0
    assert reported == []


def test_what_cpp_keeps(lib: Any, reported: list[object]) -> None:
    def call(i: int) -> None:
        raise LookupError(i)

    own = lib.Worker()
    fails(LookupError, "0", partial(own.start, call))  # the call waits, and the spec does not say that C++ keeps it
    assert reported == []
    own.run()
    assert [str(each) for each in reported] == ["1", "2"]
    own.start_held(call)
    assert [str(each) for each in reported] == ["1", "2", "0"]
