"""The standard streams of the command, as it may find them: closed, without letters, or full."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress


def prepare() -> None:
    """Let no file that is opened later become a stream that was closed, and print what has no letters here."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number there is
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def give_up() -> None:
    """One of them cannot be written: leave nothing for Python to write at its end, which would fail again."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # tests have streams that are no files
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
