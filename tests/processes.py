"""Runs a program in a process of its own; one that hangs prints where each of its threads is, and is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tests.limits import HANGS

_DYING = 20.0
"""Seconds that a process has to print its stacks."""
_OF_FORKS = "ignore:This process:DeprecationWarning"
"""CPython 3.12 and later warn of each fork of a process that has threads, which tests do on purpose."""


class Hanging(AssertionError):
    """A process did not end; the message has its stacks."""


def _abort(group: int) -> None:
    """Let faulthandler print the stacks of all processes of a group, those of forked ones after their parents'."""
    for each in _members(group):
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGABRT)
        waited = time.monotonic() + _DYING / 4
        while each in _members(group) and time.monotonic() < waited:  # else their lines come in between each other
            time.sleep(0.01)


def _members(group: int) -> list[int]:
    """The processes of a group that still run."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, of_group = stat.read_text().rpartition(")")[2].split()[:3]
            if int(of_group) == group and state not in "ZX":
                found.append(int(stat.parent.name))
    return sorted(found)


def run(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: Path | None = None, limit: float = HANGS / 2
) -> subprocess.CompletedProcess[str]:
    """What a Python process prints and returns.

    It is ended with all that it has started, children that it forked among them.

    Raises:
        Hanging: when it runs for longer than `limit` seconds.
    """
    settings = {**(os.environ if env is None else env), "PYTHONFAULTHANDLER": "1"}
    settings.setdefault("PYTHONWARNINGS", _OF_FORKS)
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        _abort(process.pid)
        try:
            out, err = process.communicate(timeout=_DYING)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
        raise Hanging(f"{limit:.0f} s were not enough for {command}\n{out[-4000:]}{err[-8000:]}") from None
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)
