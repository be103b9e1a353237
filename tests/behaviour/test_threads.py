"""Handles are usable from any thread, and closing one waits for the calls that use it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import HAS_GIL, collect, live
from tests.behaviour.threads import Running, wait_until
from tests.limits import HANGS

GATE = 4
"""The kind of object that a gate is, to `live`."""
STRESS = packages.HERE / "stress"
LONG = 1000 * int(HANGS)
"""Milliseconds that no test waits for a gate."""


def test_a_blocking_call_lets_others_run(shapes: Any) -> None:
    gate = shapes.gate()
    running = Running(lambda: gate.pass_(LONG))
    wait_until(lambda: gate.waiting == 1)
    started = time.monotonic()
    gate.open()
    assert running.result() is True
    assert time.monotonic() - started < HANGS / 2


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="elsewhere cffi lets others run in every call")
@pytest.mark.skipif(not HAS_GIL, reason="without a GIL, calls on a handle that any thread may use run at the same time")
def test_any_other_call_does_not(shapes: Any) -> None:
    gate = shapes.gate()

    def open_it() -> None:
        wait_until(lambda: gate.waiting == 1 or done)
        gate.open()

    done = False
    running = Running(open_it)
    assert gate.pass_at_once() is False, "another thread could open it meanwhile"
    done = True
    assert running.result() is None


def test_close_waits_for_the_call(shapes: Any) -> None:
    gate = shapes.gate()
    running = Running(lambda: gate.pass_(LONG))
    wait_until(lambda: gate.waiting == 1)
    gate.close()
    assert gate.closed
    with pytest.raises(shapes.ClosedHandleError):
        gate.pass_(0)
    assert live(shapes, GATE) == 1, "the call still uses it"
    assert shapes.open_any_gate()
    assert running.result() is True
    wait_until(lambda: live(shapes, GATE) == 0)


def test_nobody_else_holds_the_handle(shapes: Any) -> None:
    running = Running(lambda: shapes.gate().pass_(LONG))
    wait_until(shapes.open_any_gate)
    assert running.result() is True
    wait_until(lambda: live(shapes, GATE) == 0)


def test_a_handle_in_use_cannot_be_taken(shapes: Any) -> None:
    gate = shapes.gate()
    running = Running(lambda: gate.pass_(LONG))
    wait_until(lambda: gate.waiting == 1)
    with pytest.raises(ValueError, match=r"^gate: this handle is in use"):
        shapes.grind_gate(gate)
    gate.open()
    assert running.result() is True
    assert shapes.grind_gate(gate) == 0


def test_several_calls_and_several_closes(shapes: Any) -> None:
    gate = shapes.gate()
    running = [Running(lambda: gate.pass_(LONG)) for _ in range(8)]
    wait_until(lambda: gate.waiting == 8)
    closing = [Running(gate.close) for _ in range(8)]
    assert [c.result() for c in closing] == [None] * 8
    assert live(shapes, GATE) == 1
    assert shapes.open_any_gate()
    assert [r.result() for r in running] == [True] * 8
    del running
    wait_until(lambda: live(shapes, GATE) == 0)


@pytest.fixture
def eager_switching() -> Iterator[None]:
    """Let threads take turns as often as Python can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("eager_switching")
def test_use_and_close_at_the_same_time(shapes: Any) -> None:
    """Each call either works or says that the handle is closed; nothing else can happen."""
    surprises: list[BaseException] = []

    def use(handles: list[Any]) -> None:
        for point, canvas, part in handles:
            try:
                for _ in range(3):
                    point.move(1, 1)
                    point.dot(point)
                    _ = part.title
                    canvas.part().close()
            except shapes.ClosedHandleError:
                pass
            except BaseException as error:
                surprises.append(error)

    def close(handles: list[Any]) -> None:
        for point, canvas, part in handles:
            canvas.close()
            part.close()
            point.close()

    for _ in range(3):
        handles = []
        for i in range(300):
            canvas = shapes.canvas("x")
            handles.append((shapes.point(i), canvas, canvas.part()))
        threads = [threading.Thread(target=f, args=(handles,)) for f in (use, close, use, close)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        del handles, canvas
        collect()
        assert surprises == []
        assert [live(shapes, kind) for kind in range(3)] == [0, 0, 0]


@pytest.mark.usefixtures("eager_switching")
def test_only_one_call_takes(shapes: Any) -> None:
    def race() -> None:
        sole = shapes.sole(1)
        calls = [Running(lambda: shapes.grind_slowly(sole, 1)) for _ in range(3)]
        outcomes = [call.result() for call in calls]
        assert outcomes.count(1) == 1
        assert all(isinstance(o, (int, ValueError)) for o in outcomes)

    for _ in range(100):
        race()
    collect()
    assert live(shapes, 3) == 0


def test_made_here_and_dropped_there(shapes: Any) -> None:
    handles = [shapes.canvas(str(i)) for i in range(100)]
    parts = [canvas.part() for canvas in handles]

    def drop() -> None:
        while handles:
            handles.pop().close()
        while parts:
            parts.pop()

    Running(drop).result()
    collect()
    assert [live(shapes, kind) for kind in (1, 2)] == [0, 0]


def test_threads_that_fight(engine: str) -> None:
    """For handles, and for containers that change while they are converted; `test_sanitizers.py` watches the same."""
    package = packages.build(STRESS / "stress.wrapper_spec")
    program = str(STRESS / "threads.py")
    run = f"import runpy, sys; sys.argv[1:] = ['300']; runpy.run_path({program!r}, run_name='__main__')"
    done = package.python(run, engine=engine, check=False)
    assert done.stdout.startswith(f"{engine}: live 0, wrong 0, surprises {{}}\n"), done.stdout + done.stderr


@pytest.mark.skipif(HAS_GIL, reason="this Python has a GIL")
def test_the_gil_stays_off(engine: str) -> None:
    package = packages.build(STRESS / "stress.wrapper_spec").load(engine)
    assert package.meter().measure() == 1
    assert not sys._is_gil_enabled()


@pytest.mark.skipif(HAS_GIL, reason="with a GIL, calls that are not blocking never run at the same time")
def test_calls_on_one_handle_side_by_side(engine: str) -> None:
    place = packages.build(STRESS / "stress.wrapper_spec").load(engine).place()
    calls = [Running(lambda: place.meet(HANGS / 2)) for _ in range(2)]
    assert [call.result() for call in calls] == [True, True]
