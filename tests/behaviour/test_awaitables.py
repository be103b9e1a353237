"""Calls that tasks await: in threads, and until the library calls back; on asyncio, trio, and both through anyio."""

from __future__ import annotations

import asyncio
import gc
import inspect
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

import pytest

from tests.behaviour import objects, packages
from tests.behaviour.packages import HERE
from tests.behaviour.threads import wait_until
from tests.limits import HANGS

SPEC = HERE.parent / "cases" / "awaitables" / "spec.wrapper_spec"
Main = Callable[[], Awaitable[Any]]
Run = Callable[[Main], Any]


@pytest.fixture(scope="module")
def module(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def library(module: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The package; nothing is left of what a test made, and nothing was ignored that a test did not expect."""
    ignored: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda each: ignored.append(repr(each.exc_value)))
    yield module
    wait_until(lambda: objects.collect() or module.live() == 0)
    assert ignored == []


@pytest.fixture(params=["asyncio", "trio", "anyio on asyncio", "anyio on trio"])
def run(request: pytest.FixtureRequest) -> Run:
    if request.param == "asyncio":
        return lambda main: asyncio.run(main())  # type: ignore[arg-type]  # a coroutine
    if request.param == "trio":
        trio = pytest.importorskip("trio")
        return trio.run  # type: ignore[no-any-return]
    anyio = pytest.importorskip("anyio")
    backend = request.param.rpartition(" ")[2]
    pytest.importorskip(backend)
    return lambda main: anyio.run(main, backend=backend)


async def sleep() -> None:
    """Let other tasks run."""
    if "trio" in sys.modules:
        import trio

        with suppress(RuntimeError):
            return await trio.sleep(0.001)
    return await asyncio.sleep(0.001)


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await sleep()


async def together(*mains: Main) -> None:
    """Run tasks beside each other, on the loop that there is."""
    if "trio" in sys.modules:
        import trio

        with suppress(RuntimeError):
            trio.lowlevel.current_task()
            async with trio.open_nursery() as nursery:
                for main in mains:
                    nursery.start_soon(main)
            return
    await asyncio.gather(*(main() for main in mains))


async def cancelled(main: Main, when: Callable[[], bool]) -> None:
    """Run a task, and cancel it when a condition holds; it has to end by that."""
    if "trio" in sys.modules:
        import trio

        with suppress(RuntimeError):
            trio.lowlevel.current_task()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(main)
                await until(when)
                nursery.cancel_scope.cancel()
            return
    task = asyncio.ensure_future(main())
    await until(when)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_it_gives_what_the_call_gives(library: Any, run: Run) -> None:
    async def main() -> list[Any]:
        found = [await library.half_async(3), await library.half_async(3, by=6.0)]
        found += [await library.both_async(3), await library.both_async("x")]
        gate = await library.gate_async()
        gate.open()
        return [*found, await gate.pass_async(), await gate.wait_long_async("once more")]

    assert run(main) == [1.5, 0.5, 3, "x", 1, 2]


def test_other_tasks_run_meanwhile(library: Any, run: Run) -> None:
    gate, passed = library.Gate(), []

    async def wait() -> None:
        passed.append(await gate.pass_async())

    async def open_it() -> None:
        await until(lambda: gate.inside() == 1)
        gate.open()

    run(lambda: together(wait, open_it))
    assert passed == [1]


def test_exceptions_pass_to_the_task(library: Any, run: Run) -> None:
    def fail(_: int) -> int:
        raise KeyError("mine")

    async def main() -> None:
        with pytest.raises(KeyError, match="mine"):
            await library.call_async(fail)
        with pytest.raises(TypeError, match=r"^x: "):
            await library.half_async("two")
        with pytest.raises(TypeError):
            await library.half_async()
        gate = library.Gate()
        gate.stop()
        with pytest.raises(library.AwaitablesError, match="stopped"):
            await gate.pass_async()
        gate.close()
        with pytest.raises(library.ClosedHandleError):
            await gate.pass_async()

    run(main)


@pytest.mark.skipif(not objects.COUNTS_REFERENCES, reason="a collector releases it")
def test_an_exception_is_in_no_cycle(library: Any) -> None:
    class Noticed(Exception):
        pass

    def fail(_: int) -> int:
        raise Noticed

    async def main() -> None:
        with suppress(Noticed):
            await library.call_async(fail)

    async def again() -> None:
        await library.call_async(abs)

    def is_gone() -> bool:
        asyncio.run(again())  # its thread has it, too, without a GIL until that has something else to do
        return not any(type(each) is Noticed for each in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        asyncio.run(main())
        wait_until(is_gone)
    finally:
        gc.enable()


def test_context_variables_are_those_of_the_task(library: Any, run: Run) -> None:
    var: ContextVar[int] = ContextVar("var", default=0)

    async def main() -> Any:
        var.set(5)
        return await library.call_async(lambda x: x + var.get())

    assert run(main) == 25


def test_a_cancelled_task_ends_and_its_call_keeps_what_it_uses(library: Any, run: Run) -> None:
    gate = library.Gate()
    other = gate.same()

    async def wait() -> None:
        await gate.wait_long_async("x" * 1000)

    run(lambda: cancelled(wait, lambda: other.inside() == 1))
    gate.close()
    assert other.inside() == 1  # in its thread
    assert other.stopped() == 0
    other.open()
    wait_until(lambda: other.inside() == 0)


def test_a_cancelled_task_calls_cancel(library: Any, run: Run) -> None:
    gate = library.Gate()
    run(lambda: cancelled(gate.pass_async, lambda: gate.inside() == 1))
    wait_until(lambda: gate.inside() == 0)
    assert gate.stopped() == 1


def test_what_cancel_raises_is_reported_and_the_task_is_cancelled(
    module: Any, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, ignored = module.Gate(), []
    other = gate.same()
    monkeypatch.setattr(sys, "unraisablehook", lambda each: ignored.append((each.exc_type, each.err_msg)))

    def inside() -> bool:
        if other.inside() == 1:
            gate.close()
        return bool(gate.closed)

    run(lambda: cancelled(gate.pass_async, inside))
    assert ignored == [(module.ClosedHandleError, "Exception ignored while a task was cancelled")]
    other.stop()


def test_what_cancel_raises_is_printed_where_nobody_else_reports_it(
    module: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gate = module.Gate()
    other = gate.same()
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)

    def inside() -> bool:
        if other.inside() == 1:
            gate.close()
        return bool(gate.closed)

    asyncio.run(cancelled(gate.pass_async, inside))
    printed = capsys.readouterr().err
    assert printed.startswith("Exception ignored while a task was cancelled:\nTraceback")
    assert "ClosedHandleError" in printed
    other.stop()
    wait_until(lambda: other.inside() == 0)


def test_a_call_that_waits_for_a_thread_is_never_made_when_its_task_is_cancelled(
    library: Any, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, called = library.Gate(), []
    pool = ThreadPoolExecutor(1)
    monkeypatch.setattr(sys.modules[f"{library.__name__}._runtime.awaitables"], "_pool", pool)

    async def queued() -> None:
        await library.call_async(lambda x: called.append(x) or x)

    async def cancel_and_open() -> None:
        await until(lambda: gate.inside() == 1)
        await cancelled(queued, lambda: pool._work_queue.qsize() == 1)
        gate.open()

    run(lambda: together(gate.wait_long_async, cancel_and_open))
    pool.shutdown()
    assert called == []


def test_further_calls_wait_for_one_of_the_threads(library: Any, run: Run) -> None:
    gate, awaitables = library.Gate(), sys.modules[f"{library.__name__}._runtime.awaitables"]
    most, others = awaitables._THREADS, 8

    async def open_when_all_wait() -> None:
        try:
            await until(lambda: gate.inside() == most and awaitables._threads()._work_queue.qsize() == others)
        finally:
            gate.open()

    handles = [gate.same() for _ in range(most + others)]  # one enters a handle at a time
    run(lambda: together(*(each.wait_long_async for each in handles), open_when_all_wait))
    assert gate.inside() == 0


def test_the_loop_may_be_closed_while_a_call_runs(library: Any) -> None:
    gate = library.Gate()
    loop = asyncio.new_event_loop()
    task = loop.create_task(gate.wait_long_async())
    loop.run_until_complete(until(lambda: gate.inside() == 1))
    task.cancel()
    loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
    loop.close()
    gate.open()
    wait_until(lambda: gate.inside() == 0)
    assert asyncio.run(library.half_async(4)) == 2.0


def test_each_thread_may_have_a_loop(library: Any) -> None:
    found: list[float] = []
    threads = [threading.Thread(target=lambda i=i: found.append(asyncio.run(library.half_async(i)))) for i in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(HANGS)
    assert sorted(found) == [i / 2 for i in range(8)]


def test_there_is_no_task_without_a_loop(library: Any) -> None:
    waiting = library.half_async(3)
    with pytest.raises(RuntimeError, match="no running event loop"):
        waiting.send(None)


# --- until the library calls back ------------------------------------------------------------------------------------


def test_a_task_gets_what_the_library_calls_back_with(library: Any, run: Run) -> None:
    server = library.Server()
    got: list[Any] = []

    async def ask() -> None:
        got.append(await server.get_async("later"))
        got.append(await server.get_async("now"))
        got.append(await server.get_async("now", 200))
        got.append(await server.get_async(path="now", port=201))
        got.append(await server.text_async("now", 200))

    async def answer() -> None:
        await until(lambda: server.answer(7, "seven"))
        assert not server.answer(8, "eight")

    run(lambda: together(ask, answer))
    assert got == [(7, "seven"), (80, "now"), (200, "now"), (201, "now"), "now"]


def test_what_starting_or_the_result_raises_passes_to_the_task(library: Any, run: Run) -> None:
    server = library.Server()

    async def main() -> None:
        with pytest.raises(ValueError, match="a path is missing"):
            await server.get_async("")
        with pytest.raises(TypeError, match="path"):
            await server.get_async(3)
        with pytest.raises(library.AwaitablesError, match="404 now"):
            await server.text_async("now", 404)

    run(main)


@pytest.mark.skipif(not objects.COUNTS_REFERENCES, reason="a collector releases it")
@pytest.mark.parametrize("status", [200, 404])
@pytest.mark.parametrize("is_cancelled", [False, True])
def test_what_a_task_got_is_in_no_cycle(library: Any, is_cancelled: bool, status: int) -> None:
    server = library.Server()

    async def ask() -> None:
        with suppress(library.AwaitablesError):
            await server.text_async("later")

    async def main() -> None:
        task = asyncio.ensure_future(ask())
        await asyncio.sleep(0)
        if is_cancelled:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        assert server.answer(status, "now")
        await asyncio.gather(task, return_exceptions=True)
        server.drop()

    def is_gone() -> bool:
        return library.live() == 1 and not any(type(each) is library.AwaitablesError for each in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        asyncio.run(main())
        wait_until(is_gone)
    finally:
        gc.enable()


def test_a_cancelled_task_cancels_what_the_call_returned(library: Any, run: Run) -> None:
    server, started = library.Server(), []

    async def ask() -> None:
        started.append(True)
        await server.get_async("later")

    run(lambda: cancelled(ask, lambda: bool(started)))
    assert server.aborts() == 1
    assert not server.answer(1, "")
    server.drop()


def test_a_callback_that_is_released_and_never_called_ends_the_task(library: Any, run: Run) -> None:
    server = library.Server()

    async def ask() -> None:
        with pytest.raises(RuntimeError, match=r"Server.get: 'done' was released by the library, and never called"):
            await server.get_async("later")

    async def drop() -> None:
        await sleep()
        server.drop()
        objects.collect()

    run(lambda: together(ask, drop))


def test_the_library_may_call_back_when_the_loop_is_closed(library: Any) -> None:
    server = library.Server()
    loop = asyncio.new_event_loop()
    waiting = loop.create_task(server.get_async("later"))
    loop.run_until_complete(asyncio.sleep(0.01))
    loop.close()
    assert server.answer(1, "late")
    waiting._log_destroy_pending = False  # type: ignore[attr-defined]  # asyncio warns of it, rightly
    server.drop()


# --- what Python sees of them ----------------------------------------------------------------------------------------


def test_they_are_coroutine_functions_with_names_and_signatures(module: Any) -> None:
    for function, name in ((module.half_async, "half_async"), (module.Server.get_async, "Server.get_async")):
        assert inspect.iscoroutinefunction(function)
        assert (function.__qualname__, function.__module__) == (name, module.__name__)
    assert list(inspect.signature(module.half_async).parameters) == ["x", "by"]
    assert list(inspect.signature(module.Server.get_async).parameters) == ["self", "path", "port"]
    assert "done" not in module.Server.get_async.__doc__
    assert "port : int\n\nReturns\n-------\ntuple[int, str]" in module.Server.get_async.__doc__
    assert module.half_async.__doc__ == module.half.__doc__
    assert {"half_async", "both_async"} <= set(module.__all__)


def test_a_forked_process_has_threads_of_its_own(engine: str) -> None:
    packages.build(SPEC).python(
        """if True:
        import asyncio, os, warnings
        warnings.simplefilter("ignore")
        import awaitables_ffi as library
        assert asyncio.run(library.half_async(3)) == 1.5
        if (child := os.fork()) == 0:
            os._exit(0 if asyncio.run(library.half_async(3)) == 1.5 else 1)
        assert os.waitpid(child, 0)[1] == 0
        """,
        engine=engine,
    )
