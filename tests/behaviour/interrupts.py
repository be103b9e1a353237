"""Ctrl-C at a chosen place of Python code: a trace function raises, as a signal's handler does between two lines."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any


def interrupted(call: Callable[[], Any], function: str, line: int) -> tuple[Any, BaseException | None, bool]:
    """What a call gives and raises where Ctrl-C comes before that line of a function, and whether it came.

    In a thread of its own: where it came within a handler, CPython takes that for running until the thread ends.
    """
    left, came = line, False

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal left, came
        if frame.f_code.co_name != function:
            return trace
        if event == "line" and not came:
            left -= 1
            if left < 0:
                came = True
                raise KeyboardInterrupt
        return trace

    def run() -> tuple[Any, BaseException | None, bool]:
        sys.settrace(trace)
        try:
            return call(), None, came
        except BaseException as error:
            return None, error, came
        finally:
            sys.settrace(None)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()
