"""Callables when the interpreter ends: C++ goes on calling, and Python is not touched any more."""

from __future__ import annotations

import pytest

from tests.behaviour import packages
from tests.behaviour.callables.shared import SPEC
from tests.behaviour.packages import Package


@pytest.fixture(scope="module")
def package() -> Package:
    return packages.build(SPEC)


def test_a_thread_that_goes_on_calling(package: Package, engine: str) -> None:
    done = package.python(
        """
import threading
import callables_ffi as lib

called = threading.Event()

def tick(i):
    called.set()
    return 1

lib.start_ticking(tick)
called.wait()
print("ends", flush=True)
""",
        engine=engine,
    )
    assert done.stdout.splitlines() == ["ends", "ended with -7"]
    assert done.stderr == ""


def test_what_c_keeps_outlasts_python(package: Package, engine: str) -> None:
    done = package.python(
        """
import callables_ffi as lib

class Noisy:
    def __call__(self, value):
        print("called", value)
    def __del__(self):
        print("gone")

lib.store(Noisy())
later = lib.later()
later.set_for_good(print)
other = lib.later()
other.set_destroyed(print)
print(lib.call_stored(4))
""",
        engine=engine,
    )
    assert done.stdout.splitlines() == ["called 4", "True"]
    assert done.stderr == ""


def test_functions_at_exit_call_callables(package: Package, engine: str) -> None:
    done = package.python(
        """
import atexit

@atexit.register
def first():
    print(lib.summed(4, lambda x: x))

import callables_ffi as lib

@atexit.register
def second():
    print(lib.summed(3, lambda x: x))
""",
        engine=engine,
    )
    assert done.stdout.splitlines() == ["3", "6"]
    assert done.stderr == ""


def test_the_end_within_a_callable(package: Package, engine: str) -> None:
    code = """
import callables_ffi as lib

def end(x):
    raise SystemExit(3)

lib.summed(5, end)
"""
    done = package.python(code, engine=engine, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")
