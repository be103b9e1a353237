"""The collector of cycles meets handles: what Python code of a cycle uses there is usable, whatever is finalized first."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import SHAPES
from tests.sanitizers import FLAGS, SANITIZERS, compilers_are_gcc, python_under

PROGRAM = """\
import gc, sys
import shapes_ffi as s

said = []

class Session:
    def __init__(self, handle):
        self.handle = handle
        self.on_close = self.finish
    def finish(self):
        said.append(self.handle.value)
    def __del__(self):
        self.on_close()

class Between:  # of two finalizers, the collector comes to one before the handle and to one after it
    def __init__(self):
        self.first, self.handle = Session(None), s.sole(3)
        self.first.handle = self.handle
        self.last = Session(self.handle)
        self.first.me = self.last.me = self

class Mine(s.Sole):
    saved = []
    def __del__(self):
        said.append(self.value)
        Mine.saved.append(self)

gc.disable()
for n in range(3):
    Session(s.sole(n))
    handle = s.sole(n)
    session = Session.__new__(Session)
    session.__init__(handle)
    del handle, session
gc.collect()
assert sorted(said) == [0, 0, 1, 1, 2, 2], said
said.clear()

Between()
gc.collect()
assert said == [3, 3], said
said.clear()

mine = Mine.sole(3)
mine.me = mine
del mine
gc.collect()
filler = [s.sole(1000 + n) for n in range(100)]
(saved,) = Mine.saved
assert said == [3] and saved.value == 3 and not saved.closed
saved.close()
try:
    saved.value
except s.ClosedHandleError:
    print("as it should")
"""


def test_finalizers_of_a_cycle_use_its_handles(engine: str) -> None:
    """Under AddressSanitizer, which sees a read of memory that is free already."""
    compilers_are_gcc()
    package = packages.build(SHAPES, flags=FLAGS[SANITIZERS])
    done = subprocess.run(
        [*python_under(SANITIZERS), "-c", PROGRAM],
        env={
            **os.environ,
            "PYTHONPATH": str(package.folder.parent),
            "WRAPPER_GEN_ENGINE": engine,
            "PYTHONMALLOC": "malloc",
            "ASAN_OPTIONS": "detect_leaks=0",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("as it should\n", "", 0)


@pytest.mark.parametrize("handle_first", [False, True])
def test_both_orders(shapes: Any, handle_first: bool) -> None:
    """The collector calls finalizers in the order in which it came to know the objects."""
    said = []

    class Session:
        def __del__(self) -> None:
            said.append(self.handle.value)  # type: ignore[attr-defined]

    for n in range(3):
        handle = shapes.sole(n) if handle_first else None
        session = Session()
        session.handle = handle or shapes.sole(n)  # type: ignore[attr-defined]
        session.me = session  # type: ignore[attr-defined]
        del handle, session
    gc.collect()
    assert said == [0, 1, 2]


def test_a_subclass_that_comes_back_to_life(shapes: Any) -> None:
    saved: list[Any] = []

    class Mine(shapes.Sole):  # type: ignore[misc, name-defined]
        def __del__(self) -> None:
            saved.append(self)

    mine = Mine.sole(3)
    mine.me = mine
    del mine
    gc.collect()
    (again,) = saved
    assert again.value == 3
    assert shapes.live(3) == 1
    again.close()
    with pytest.raises(shapes.ClosedHandleError):
        _ = again.value


def test_owners_are_released_with_the_last_reference(shapes: Any) -> None:
    """Not later: nothing of a handle waits for the collector, whose counting sees no owner."""
    gc.disable()
    try:
        sole = shapes.sole(1)
        assert shapes.live(3) == 1
        del sole
        assert shapes.live(3) == 0
    finally:
        gc.enable()


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="asks CPython's collector")
def test_the_collector_knows_no_owner(shapes: Any, engine: str) -> None:
    if engine == "native":
        pytest.skip("its handles are their own owners")
    canvas = shapes.canvas("x")
    for handle in (canvas, canvas.part(), shapes.soles(1)[0], shapes.maybe_node(shapes.node(1)), shapes.Sole.sole(1)):
        assert not gc.is_tracked(handle._h)
