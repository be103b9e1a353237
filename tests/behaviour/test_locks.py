"""One call at a time on an owner and on all that it lends, also where calls let other threads run meanwhile."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from tests.behaviour import objects, packages
from tests.behaviour.packages import ENGINES, HERE
from tests.behaviour.threads import Running, wait_until
from tests.limits import HANGS

SPEC = HERE / "locks" / "locks.wrapper_spec"


@pytest.fixture(scope="module")
def module(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def locks(module: Any) -> Iterator[Any]:
    yield module
    objects.collect()
    assert module.live() == 0
    assert module.waiting() == 0


def running(machine: Any, run: Callable[[], Any] | None = None) -> Running:
    """A machine's run on another thread, which is inside when this returns."""
    started = Running(run or machine.run)
    wait_until(lambda: machine.inside == 1)
    return started


def end_when(condition: Callable[[], bool], machine: Any) -> Running:
    """Ends the machine's run as soon as a condition holds."""

    def end() -> None:
        wait_until(condition)
        machine.end()

    return Running(end)


def test_two_threads_on_what_is_not_locked_are_noticed(locks: Any) -> None:
    loose = locks.loose()
    first = running(loose)
    loose.poke()
    assert loose.overlaps == 1
    loose.end()
    assert first.result() is None


def test_methods_of_a_blocking_type_let_others_run(locks: Any) -> None:
    loose = locks.loose()
    waiting = running(loose, lambda: loose.wait(1000 * int(HANGS)))
    loose.end()
    assert waiting.result() is True


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="elsewhere cffi lets others run in every call")
@pytest.mark.skipif(not objects.HAS_GIL, reason="without a GIL, others run in every call")
def test_a_method_that_says_so_does_not(locks: Any) -> None:
    loose = locks.loose()
    is_over = False

    def end() -> None:
        wait_until(lambda: loose.inside == 1 or is_over)
        loose.end()

    ending = Running(end)
    assert loose.wait_at_once(100) is False, "another thread could end it meanwhile"
    is_over = True
    assert ending.result() is None


def test_two_threads_wait_for_the_last_step_of_an_iterator(locks: Any) -> None:
    machine = locks.machine()
    numbers = machine.numbers()
    assert next(numbers) == 7
    started = running(machine)
    both = [Running(partial(next, numbers, "the end")) for _ in range(2)]
    waiting = 1 if getattr(numbers, "_is_locked", False) else 2
    wait_until(lambda: locks.waiting() == waiting)
    machine.end()
    assert started.result() is None
    assert [each.result() for each in both] == ["the end"] * 2


CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "blocking": lambda _locks, machine, _part: machine.slowly(),
    "not blocking": lambda _locks, machine, _part: machine.poke(),
    "of what it lends": lambda _locks, _machine, part: part.poke(),
    "with a result that it lends": lambda _locks, machine, _part: machine.part().poke(),
    "the end of what it lends": lambda _locks, _machine, part: part.close(),
    "with two": lambda locks, machine, _part: locks.both(locks.machine(), machine),
    "with the same twice": lambda locks, machine, _part: locks.both(machine, machine),
    "with a list": lambda locks, machine, _part: locks.all([locks.machine(), machine]),
    "with a callable": lambda _locks, machine, _part: machine.call(machine.poke),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("of_part", [False, True], ids=["run", "run of what it lends"])
def test_a_call_waits_for_one_that_blocks(locks: Any, call: Callable[[Any, Any, Any], Any], of_part: bool) -> None:
    machine = locks.machine()
    part, other = machine.part(), machine.part()
    first = running(machine, part.run if of_part else None)
    end = end_when(lambda: locks.waiting() == 1, machine)
    call(locks, machine, other)
    assert [first.result(), end.result()] == [None, None]
    assert machine.overlaps == 0


def test_another_machine_does_not_wait(locks: Any) -> None:
    machine = locks.machine()
    first = running(machine)
    locks.machine().slowly()
    locks.machine().part().poke()
    machine.end()
    assert first.result() is None


def test_the_same_thread_may_come_in_again(locks: Any) -> None:
    machine = locks.machine()
    part = machine.part()

    def again() -> None:
        machine.poke()
        part.poke()
        machine.part().close()
        machine.slowly()

    machine.call(again)
    machine.wait_for(again)
    assert machine.overlaps == 0


def test_others_come_in_after_a_call_that_raised(locks: Any) -> None:
    machine = locks.machine()

    def fail() -> None:
        raise KeyError("no")

    with pytest.raises(KeyError):
        machine.wait_for(fail)
    assert Running(machine.slowly).result() is None


def test_the_first_that_waits_is_the_next(locks: Any) -> None:
    machine = locks.machine()
    first = running(machine)
    order: list[int] = []

    def come(number: int) -> None:
        machine.call(lambda: order.append(number))

    others = []
    for number in range(5):
        others.append(Running(lambda number=number: come(number)))
        wait_until(lambda number=number: locks.waiting() == number + 1)
    machine.end()
    for each in (first, *others):
        assert each.result() is None
    assert order == [0, 1, 2, 3, 4]
    assert machine.overlaps == 0


def test_close_does_not_wait(locks: Any) -> None:
    """The calls that were there before, running and waiting, are made; the machine is released after them."""
    machine = locks.machine()
    first = running(machine)
    second = Running(machine.poke)
    wait_until(lambda: locks.waiting() == 1)
    with pytest.raises(ValueError, match="in use"):
        locks.scrap(machine)
    closing = Running(lambda: (wait_until(lambda: machine.closed), locks.end_any()))
    machine.close()
    assert [each.result() for each in (first, second)] == [None, None]
    assert closing.result() == (None, None)
    with pytest.raises(locks.ClosedHandleError):
        machine.poke()


def test_two_calls_that_would_wait_for_each_other_for_ever(locks: Any) -> None:
    one, other = locks.machine(), locks.machine()
    inside = threading.Barrier(2)
    failed: list[str] = []

    def meet(own: Any, wanted: Any) -> None:
        def reach() -> None:
            inside.wait()
            wanted.poke()

        try:
            own.call(reach)
        except RuntimeError as error:
            failed.append(str(error))

    for each in [Running(lambda: meet(one, other)), Running(lambda: meet(other, one))]:
        assert each.result() is None
    assert failed == ["deadlock: another thread uses this handle, and waits for one that this thread uses"]
    assert one.overlaps == other.overlaps == 0


def test_what_is_lent_ends_within_a_circle(locks: Any) -> None:
    """A release cannot fail: it goes on where the other thread waits for this one."""
    one, other = locks.machine(), locks.machine()
    parts = [other.part()]
    inside = threading.Barrier(2)

    def reach_from_one() -> None:
        inside.wait()
        wait_until(lambda: locks.waiting() == 1)
        parts.pop().close()

    def reach_from_other() -> None:
        inside.wait()
        one.poke()

    for each in [Running(lambda: one.call(reach_from_one)), Running(lambda: other.call(reach_from_other))]:
        assert each.result() is None


def test_many_threads(locks: Any) -> None:
    machines = [locks.machine() for _ in range(3)]

    def work(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(100):
            a, b = chance.choice(machines), chance.choice(machines)
            calls: list[Callable[[], Any]] = [a.slowly, a.poke, a.part, a.part().poke]
            calls += [partial(locks.both, a, b), partial(locks.all, [b, a])]
            chance.choice(calls)()

    for each in [Running(lambda seed=seed: work(seed)) for seed in range(6)]:
        assert each.result() is None
    assert [each.overlaps for each in machines] == [0, 0, 0]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_interpreter_ends_beside_a_thread_that_stays_inside(engine: str) -> None:
    """What that thread's machine has lent is left as it is: nobody could wait for the thread."""
    done = packages.build(SPEC).python(
        """
import threading
import locks_ffi

machine = locks_ffi.machine()
part = machine.part()
thread = threading.Thread(target=machine.run, daemon=True)
thread.start()
while machine.inside == 0:
    pass
print("the end", flush=True)
""",
        engine=engine,
    )
    assert done.stdout == "the end\n"
