"""Calls on other threads, which tests wait for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from tests.limits import HANGS


class Running:
    """A call on another thread."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._outcome: list[Any] = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._outcome.append(self._call())
        except BaseException as error:
            self._outcome.append(error)

    def result(self) -> Any:
        self._thread.join(HANGS)
        assert not self._thread.is_alive()
        return self._outcome[0]


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + HANGS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)
