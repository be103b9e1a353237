"""What tasks await, for test_leaks_classes.py: calls in threads, and until the library calls back."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Mapping
from typing import Any

from tests.behaviour.leak_groups import Group
from tests.limits import HANGS

AWAITABLES = Group(
    {"t": "awaitables"},
    """
import asyncio
server, gate, opened = t.Server(), t.Gate(), t.Gate()
opened.open()
t._runtime.awaitables._THREADS = 1  # what was cancelled there has been left when the next call is made
def fails(x): raise ZeroDivisionError
async def raised(work):
    try:
        await work
    except Exception: return
    raise SystemExit(9)
async def cancelled(made, end=None):
    task = asyncio.ensure_future(made)
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError: return
    raise SystemExit(9)
async def timed_out():
    try:
        await asyncio.wait_for(server.get_async('x'), 0)
    except TimeoutError: return
    raise SystemExit(9)
async def passed(waits):
    await cancelled(waits.pass_async())
living = t.live()
""",
    (
        "await t.half_async(3.0)", "await t.both_async('x')", "await t.call_async(abs)", "await opened.pass_async()", "await opened.wait_long_async('note')",
        "await t.gate_async()", "await server.get_async('now')", "await server.text_async('now', port=200)", "await raised(server.text_async('now'))",
        "await raised(server.get_async(''))", "await raised(t.call_async(fails))", "await raised(t.half_async('x'))", "await raised(t.both_async(None))",
        "await cancelled(server.get_async('x'))", "await cancelled(server.text_async('x'))", "await timed_out()", "await passed(t.Gate())",
        "await cancelled(t.half_async(3.0))", "t.half_async(3.0).close()",
    ),
    (),
)  # fmt: skip


def awaited(statement: str, values: Mapping[str, Any]) -> Callable[[int], None]:
    """A function that runs a statement so often in a task of asyncio, and waits until no thread has anything of it."""
    namespace = dict(values)
    made = f"async def made():\n    {statement}\n"
    exec(
        f"{made}async def main(count):\n    for _ in range(count):\n        await made()\n    await t.half_async(1.0)\n",
        namespace,
    )

    def run(count: int) -> None:
        asyncio.run(namespace["main"](count))
        gc.collect()  # the loop is in a cycle
        until = time.monotonic() + HANGS
        while namespace["t"].live() > namespace["living"] + 1:  # the server has its last request
            assert time.monotonic() < until, "calls do not end"
            time.sleep(0.001)

    return run
