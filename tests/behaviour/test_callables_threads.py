"""Callables that other threads call."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.behaviour import objects
from tests.behaviour.callables.shared import Once, fails, load, raise_once


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return load(engine)


@pytest.fixture
def unraisable(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[BaseException]]:
    """What nobody waits for."""
    found: list[BaseException] = []

    def hook(about: Any) -> None:
        found.append(about.exc_value.with_traceback(None))

    monkeypatch.setattr(sys, "unraisablehook", hook)
    yield found
    found.clear()


def test_a_thread_that_python_never_saw(lib: Any) -> None:
    seen: list[tuple[int, bool]] = []
    lib.on_a_thread(lambda i: seen.append((i, threading.current_thread() is threading.main_thread())), 3)
    assert seen == [(0, False), (1, False), (2, False)]


def test_the_call_waits_for_an_exception_there(lib: Any, unraisable: list[BaseException]) -> None:
    fails(Once, "as it says", lambda: lib.on_a_thread(raise_once, 2))
    fails(Once, "as it says", lambda: lib.visit_on_a_thread(2, raise_once))
    wanted = "visitor(): a bool is wanted, not str"
    fails(TypeError, wanted, lambda: lib.visit_on_a_thread(2, lambda name, index: "x"))
    assert unraisable == []


def test_nobody_waits_for_an_exception_there(lib: Any, unraisable: list[BaseException]) -> None:
    emitter = lib.emitter()
    emitter.on(raise_once)
    emitter.emit_elsewhere(4)
    assert [type(each) for each in unraisable] == [Once]


def test_another_thread_than_the_spec_says(lib: Any, unraisable: list[BaseException]) -> None:
    """`called_on: caller` refuses no thread: it says that the call does not wait for others."""
    seen: list[tuple[int, bool]] = []
    lib.not_on_a_thread(lambda i: seen.append((i, threading.current_thread() is threading.main_thread())), 2)
    assert seen == [(0, False), (1, False)]
    fails(Once, "as it says", lambda: lib.not_on_a_thread(raise_once, 1))
    assert unraisable == []


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


def test_a_handle_stays_usable_where_another_thread_gets_it(lib: Any) -> None:
    before = lib.node_live()
    assert lib.chosen_on_a_thread(lambda index: lib.node(index + 2)) == 5
    objects.let_go()
    assert lib.node_live() == before
