"""A process that hangs does not keep the tests, and says where it hangs."""

from __future__ import annotations

import sys

import pytest

from tests import processes

HANGS_IN_A_CHILD = """
import os, time
def parent():
    os.waitpid(child, 0)
def forked():
    print("begun", flush=True)
    time.sleep(1000)
child = os.fork()
(parent if child else forked)()
"""


def test_what_a_process_prints_and_returns() -> None:
    done = processes.run([sys.executable, "-c", "import sys; print(1); sys.exit(input)"])
    assert (done.returncode, done.stdout) == (1, "1\n") and "built-in function input" in done.stderr


def test_a_process_that_hangs_is_ended_with_its_children_and_prints_where_they_are() -> None:
    with pytest.raises(processes.Hanging, match="2 s were not enough") as found:
        processes.run([sys.executable, "-c", HANGS_IN_A_CHILD], limit=2)
    assert "in parent" in str(found.value) and "in forked" in str(found.value)
