"""Coroutine functions for calls that take long, on asyncio and on trio, also where anyio started the loop.

Static: the same for all packages, and private to the one it lies in. A call runs in a thread, or it lasts until the
library calls back. Any thread wakes the task, and none waits for the event loop: it may be closed already.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from contextvars import copy_context
from functools import partial, update_wrapper
from threading import Lock
from typing import Any

from ._unraisable import report_unraisable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_THREADS = 32
"""How many calls of the package run at once; further ones wait for a thread."""
_Waker = tuple[Callable[[], None], Callable[[], Awaitable[None]]]
_pool: ThreadPoolExecutor | None = None
_pool_lock = Lock()


# --- the definitions of a package ------------------------------------------------------------------------------------


def in_thread(namespace: dict[str, Any], called: str, *, cancel: str = "") -> None:
    """Define `<called>_async`, which runs the function or method in a thread; `cancel` is a method of its object."""
    call = _found(namespace, called)

    async def awaited(*arguments: Any, **keywords: Any) -> Any:
        cancels = (lambda: getattr(arguments[0], cancel)()) if cancel else None
        return await _run(partial(call, *arguments, **keywords), cancels)

    _define(namespace, called, awaited)


def until_done(
    namespace: dict[str, Any],
    called: str,
    *,
    done: str,
    at: int,
    doc: str,
    cancel: str = "",
    cancels_result: bool = False,
    result: str = "",
) -> None:
    """Define `<called>_async`, which starts the function or method, and ends when the library calls `done`.

    Args:
        namespace: the package's.
        called: the function, or the class and the method.
        done: the parameter that is the callback.
        at: how many arguments stand before it, with the object of a method.
        doc: the docstring.
        cancel: the method that a cancelled task calls: of the object, or (`cancels_result`) of what the call returned.
        cancels_result: which of the two.
        result: the function that makes the result of what `done` is called with.
    """
    start, make = _found(namespace, called), namespace[result] if result else _together

    async def awaited(*arguments: Any, **keywords: Any) -> Any:
        def cancels(started: Any) -> None:
            getattr(started if cancels_result else arguments[0], cancel)()

        given = partial(_start, start, arguments, keywords, done, at)
        return await _until_done(given, _Done(make, f"{called}: {done!r}"), cancels if cancel else None)

    _define(namespace, called, awaited)
    from inspect import Signature, cleandoc, signature

    awaited.__annotations__ = {}
    awaited.__doc__ = cleandoc(doc)
    del awaited.__dict__["__wrapped__"]  # which has the callback, too
    with suppress(ValueError):
        whole = signature(start)
        seen = [each for each in whole.parameters.values() if each.name != done]
        awaited.__dict__["__signature__"] = whole.replace(parameters=seen, return_annotation=Signature.empty)


def _found(namespace: dict[str, Any], called: str) -> Callable[..., Any]:
    owner, _, name = called.rpartition(".")
    found: Callable[..., Any] = getattr(namespace[owner], name) if owner else namespace[name]
    return found


def _define(namespace: dict[str, Any], called: str, awaited: Callable[..., Coroutine[Any, Any, Any]]) -> None:
    owner, _, name = called.rpartition(".")
    update_wrapper(awaited, _found(namespace, called))
    awaited.__name__ = f"{name.rstrip('_')}_async"
    awaited.__qualname__ = f"{owner}.{awaited.__name__}" if owner else awaited.__name__
    awaited.__module__ = namespace["__name__"]
    if owner:
        setattr(namespace[owner], awaited.__name__, awaited)
    else:
        namespace[awaited.__name__] = awaited
        namespace["__all__"].append(awaited.__name__)


# --- calls in threads ------------------------------------------------------------------------------------------------


async def _run(call: Callable[[], Any], cancel: Callable[[], Any] | None) -> Any:
    """What the call returns. Its thread has the call, and with it the arguments, until it has ended."""
    wake, wait = _waker()
    outcome = _threads().submit(copy_context().run, call)
    outcome.add_done_callback(lambda _: wake())
    try:
        await wait()
    except BaseException:  # the task was cancelled
        if not outcome.cancel() and not outcome.done() and cancel is not None:
            _call_reporting_errors(cancel)
        raise
    try:
        return outcome.result()
    finally:
        del outcome  # an exception has this frame, which has not the exception


def _threads() -> ThreadPoolExecutor:
    """The threads of the package, which start when they are needed."""
    global _pool
    with _pool_lock:
        if _pool is None:
            from concurrent.futures import ThreadPoolExecutor

            _pool = ThreadPoolExecutor(_THREADS, thread_name_prefix=__name__.partition(".")[0])
        return _pool


def _forget_threads() -> None:
    """A forked process has none of them."""
    global _pool, _pool_lock
    _pool, _pool_lock = None, Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


def _call_reporting_errors(call: Callable[[], Any]) -> None:
    """The task has an exception of its own, which that of the call must not replace."""
    try:
        call()
    except BaseException as error:
        report_unraisable(error, call, "Exception ignored while a task was cancelled")


# --- calls that last until the library calls back --------------------------------------------------------------------


_TAKEN = (None, None)
"""The outcome of which the task knows, or for which it does not wait: an exception has the frame of the callback, which
has the outcome."""


class _Done:
    """The callback: its first call is the outcome. A library that lets go of it without a call has none to give."""

    def __init__(self, make: Callable[..., Any], what: str) -> None:
        self.wake: Callable[[], None] = _do_nothing
        self.outcome: list[tuple[Any, BaseException | None]] = []
        self.kept: Any = None
        self._make, self._what = make, what

    def __call__(self, *values: Any) -> None:
        if self.outcome:
            self.kept = None
            return
        try:
            made = self._make(*values)
        except BaseException as error:
            self._end(None, error)
        else:
            self._end(made, None)

    def __del__(self) -> None:
        if not self.outcome:
            self._end(None, RuntimeError(f"{self._what} was released by the library, and never called"))

    def _end(self, value: Any, error: BaseException | None) -> None:
        self.outcome.append((value, error))
        self.kept = None
        self.wake()


async def _until_done(start: Callable[[_Done], Any], done: _Done, cancel: Callable[[Any], None] | None) -> Any:
    """What `done` is called with."""
    outcome = done.outcome
    done.wake, wait = _waker()
    started = start(done)
    del done  # only the library has it now
    try:
        await wait()
    except BaseException:  # the task was cancelled
        if not outcome and cancel is not None:
            _call_reporting_errors(partial(cancel, started))
        outcome[:] = [_TAKEN]
        raise
    value, error = outcome[0]
    outcome[:] = [_TAKEN]
    if error is None:
        return value
    try:
        raise error
    finally:
        del error  # an exception has this frame, which has not the exception


def _start(
    call: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any], name: str, at: int, done: _Done
) -> Any:
    """Start the call with `done` among its arguments, which lasts as long as the library may use them."""
    done.kept = arguments[1:], keywords
    if len(arguments) > at:
        return call(*arguments[:at], done, *arguments[at:], **keywords)
    return call(*arguments, **keywords, **{name: done})


def _together(*values: Any) -> Any:
    return values if len(values) > 1 else values[0] if values else None


def _do_nothing() -> None:
    """What wakes a task before there is one."""


# --- event loops -----------------------------------------------------------------------------------------------------


def _waker() -> _Waker:
    """What wakes the current task, from any thread and at any time, and what the task then waits with."""
    trio = sys.modules.get("trio")
    if trio is not None:
        with suppress(RuntimeError):  # this is no task of trio's
            return _waker_of_trio(trio.lowlevel, trio.RunFinishedError)
    return _waker_of_asyncio()


def _waker_of_asyncio() -> _Waker:
    import asyncio

    loop = asyncio.get_running_loop()
    woken = loop.create_future()

    def finish() -> None:
        if not woken.done():  # it is, where the task was cancelled
            woken.set_result(None)

    def wake() -> None:
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(finish)

    async def wait() -> None:
        await woken

    return wake, wait


def _waker_of_trio(lowlevel: Any, finished: type[Exception]) -> _Waker:
    task, token = lowlevel.current_task(), lowlevel.current_trio_token()
    is_waiting = False

    def finish() -> None:
        nonlocal is_waiting
        if is_waiting:
            is_waiting = False
            lowlevel.reschedule(task)

    def wake() -> None:
        with suppress(finished):
            token.run_sync_soon(finish)

    def abort(_: Any) -> Any:
        nonlocal is_waiting
        is_waiting = False
        return lowlevel.Abort.SUCCEEDED

    async def wait() -> None:
        nonlocal is_waiting
        is_waiting = True
        await lowlevel.wait_task_rescheduled(abort)

    return wake, wait
