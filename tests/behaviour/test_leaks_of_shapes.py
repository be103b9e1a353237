"""Calls of C, lifetimes and callables leave nothing behind: no memory, no reference, no object of C."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from tests.behaviour import objects, packages
from tests.behaviour.leak_c_calls import C_CALLS, C_STRUCTS, C_VALUES, REPRESENTATIONS, STATUSES
from tests.behaviour.leak_callables import CALLABLES
from tests.behaviour.leak_lifetimes import GRAPH, LIFETIMES, MADE, SAME_OBJECTS
from tests.behaviour.leak_scale import MALLINFO, Scale, calls_by, loop, pass_over_what_is_there
from tests.behaviour.leak_shapes import Shapes

SHAPES = {
    "lifetimes": LIFETIMES, "same_objects": SAME_OBJECTS, "representations": REPRESENTATIONS, "statuses": STATUSES,
    "c_calls": C_CALLS, "c_values": C_VALUES, "c_structs": C_STRUCTS, "handle_fields": GRAPH, "callables": CALLABLES,
    "kept_by_constructors": MADE,
}  # fmt: skip
pytestmark = pytest.mark.skipif(not objects.COUNTS_REFERENCES, reason="this Python counts no references")


def left_by(shapes: Shapes, lib: Any, statements: tuple[str, ...], fails: bool, calls: int, **more: object) -> Any:
    """What stays, by statement.

    A statement makes so many calls in all, and lists among the arguments; one that raises is made ten times less, and
    each package has ten of them and more.
    """
    values = {"lib": lib, **shapes.values(lib), **more}
    classes = [each for name in lib.__all__ if isinstance(each := getattr(lib, name), type)]
    scale = Scale([None, True, *classes, *values.values()])
    pass_over_what_is_there()
    left: dict[str, dict[str, int]] = {}
    for each in statements:
        run = loop(each, values, fails=fails, after=shapes.after)
        run(1)
        objects.collect()
        before = shapes.count(lib)
        parts = each.count("(") + each.count("[")
        growth = dict(scale.measure(run, max(calls // (10 if fails else parts), 200)))
        objects.collect()
        if (now := shapes.count(lib)) != before:
            growth[f"objects of C: {before}, then {now}"] = 1
        if growth:
            left[each] = growth
    return left


@pytest.mark.slow
@pytest.mark.parametrize("fails", [False, True], ids=["quick", "failing"])
@pytest.mark.parametrize("name", SHAPES)
def test_no_shape_leaves_anything_behind(name: str, fails: bool, engine: str) -> None:
    shapes = SHAPES[name]
    lib = packages.build(shapes.spec).load(engine)
    assert left_by(shapes, lib, shapes.failing if fails else shapes.quick, fails, calls_by(engine)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("fails", [False, True])
def test_what_stays_is_noticed(fails: bool, engine: str) -> None:
    shapes = SHAPES["same_objects"]
    lib = packages.build(shapes.spec).load(engine)
    malloc = ctypes.CDLL(None).malloc
    malloc.restype = ctypes.c_void_p
    kept: list[object] = []
    leaks = ["keep(lib.Easy(1)); lib.mark(easy)", "keep(object()); lib.mark(easy)", "keep(easy); lib.mark(easy)"]
    if MALLINFO is not None and not packages.watched():
        leaks.append("malloc(16); lib.mark(easy)")
    statements = tuple(each.replace("lib.mark(easy)", "lib.lent_to(raises)") if fails else each for each in leaks)
    left = left_by(shapes, lib, statements, fails, 4000, keep=kept.append, malloc=malloc)
    assert left.keys() == set(statements)
