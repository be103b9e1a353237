"""Handles in cycles: what a finalizer uses is usable, in whatever order the collector finalizes objects."""

from __future__ import annotations

import gc
import sys
from typing import Any

import pytest

from tests.behaviour.objects import COUNTS_REFERENCES, HAS_GIL, collect, live


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
    collect()
    has_order = COUNTS_REFERENCES and HAS_GIL  # elsewhere no cycle comes before another
    assert (said if has_order else sorted(said)) == [0, 1, 2]


def test_a_subclass_that_comes_back_to_life(shapes: Any) -> None:
    saved: list[Any] = []

    class Mine(shapes.Sole):  # type: ignore[misc]
        def __del__(self) -> None:
            saved.append(self)

    mine = Mine.sole(3)
    mine.me = mine
    del mine
    collect()
    (again,) = saved
    assert again.value == 3
    assert live(shapes, 3) == 1
    again.close()
    with pytest.raises(shapes.ClosedHandleError):
        _ = again.value


@pytest.mark.skipif(not COUNTS_REFERENCES, reason="this Python counts no references")
def test_owners_are_released_with_the_last_reference(shapes: Any) -> None:
    """Not later: nothing of a handle waits for the collector, whose counting sees no owner."""
    gc.disable()
    try:
        sole = shapes.sole(1)
        assert live(shapes, 3) == 1
        del sole
        assert live(shapes, 3) == 0
    finally:
        gc.enable()


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="asks CPython's collector")
def test_the_collector_knows_no_owner(shapes: Any, engine: str) -> None:
    if engine == "cpython":
        pytest.skip("its handles are their own owners")
    canvas = shapes.canvas("x")
    for handle in (canvas, canvas.part(), shapes.soles(1)[0], shapes.maybe_node(shapes.node(1)), shapes.Sole.sole(1)):
        assert not gc.is_tracked(handle._h)
