"""Runs a program in a process of its own; one that hangs prints where each of its threads is, and is ended."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.limits import HANGS

_DYING = 20.0
"""Seconds that a process has to print its stacks."""


class Hanging(AssertionError):
    """A process did not end; the message has its stacks."""


def run(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: Path | None = None, limit: float = HANGS / 2
) -> subprocess.CompletedProcess[str]:
    """What a Python process prints and returns.

    It is ended with all that it has started, children that it forked among them.

    Raises:
        Hanging: when it runs for longer than `limit` seconds.
    """
    settings = {**(os.environ if env is None else env), "PYTHONFAULTHANDLER": "1"}
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
        os.killpg(process.pid, signal.SIGABRT)  # at which faulthandler prints the stacks
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
