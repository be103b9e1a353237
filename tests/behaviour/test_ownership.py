"""Each object is released exactly once, after everything that needs it, in whatever order Python lets go of it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import collect, live
from tests.behaviour.test_text import _resident as resident

MANY = packages.fewer(100_000)


def test_taking_consumes(shapes: Any) -> None:
    sole = shapes.sole(5)
    assert shapes.grind(sole) == 5
    assert sole.closed
    assert shapes.live(3) == 0, "released by the call, not later"
    with pytest.raises(shapes.ClosedHandleError):
        shapes.grind(sole)
    with pytest.raises(shapes.ClosedHandleError):
        _ = sole.value
    sole.close()


def test_taking_moves_into_a_result(shapes: Any) -> None:
    sole = shapes.sole(5)
    again = shapes.rewrap(sole)
    assert sole.closed
    assert again.value == 5
    assert live(shapes, 3) == 1


def test_what_a_taken_handle_needs_stays_for_the_call_and_the_result(shapes: Any) -> None:
    canvas = shapes.canvas("kept")
    part = canvas.part()
    canvas.close()
    again = shapes.rewrap_part(part)
    del canvas, part
    collect()
    assert live(shapes, 1) == 1
    assert again.title == "kept"
    assert shapes.grind_part(again) == "kept"
    assert shapes.live(1) == 0


def test_a_call_that_fails_before_it_starts_takes_nothing(shapes: Any) -> None:
    sole, node = shapes.sole(5), shapes.node(1)
    node.close()
    wrong: list[tuple[Any, ...]] = [(300,), ("x",), (1, 1e39), (1, 1.0, node), (1, 1.0, 5)]
    for arguments in wrong:
        with pytest.raises((OverflowError, TypeError, ValueError)):
            shapes.grind_slowly(sole, *arguments)
        assert not sole.closed
        assert sole.value == 5
    canvas = shapes.canvas("x")
    with pytest.raises(OverflowError):
        shapes.grind_canvas(canvas, 1e39)
    assert canvas.title == "x"
    assert shapes.grind_canvas(canvas) == 1
    assert shapes.live(1) == 0
    assert shapes.grind_slowly(sole, 1) == 5


def test_a_call_that_fails_later_has_taken(shapes: Any) -> None:
    sole = shapes.sole(-1)
    with pytest.raises(ValueError, match="too small"):
        shapes.grind_slowly(sole, 1)
    assert shapes.live(3) == 0
    with pytest.raises(shapes.ClosedHandleError):
        _ = sole.value
    assert sole.closed


def test_taking_twice(shapes: Any) -> None:
    a, b = shapes.sole(1), shapes.sole(2)
    for call in (shapes.grind_both, shapes.compare_and_grind):
        with pytest.raises(ValueError, match=r"^[ab]: this (handle|Sole) is"):
            call(a, a)
    assert a.value == 1, "nothing was taken"
    assert shapes.compare_and_grind(a, b) == 3
    assert not a.closed
    assert b.closed
    c = shapes.sole(3)
    assert shapes.grind_both(a, c) == 4
    assert a.closed
    assert c.closed


def test_what_is_kept_alive_cannot_be_taken(shapes: Any) -> None:
    canvas = shapes.canvas("x")
    part = canvas.part()
    with pytest.raises(ValueError, match=r"^canvas: this handle is in use, or kept alive for another one$"):
        shapes.grind_canvas(canvas)
    assert canvas.title == part.title == "x"
    part.close()
    assert shapes.grind_canvas(canvas) == 1


def test_a_type_that_cannot_be_moved_can_be_taken(shapes: Any) -> None:
    gate = shapes.gate()
    assert shapes.grind_gate(gate) == 0
    assert gate.closed
    assert shapes.live(4) == 0


def test_an_owner_lives_as_long_as_its_parts(shapes: Any) -> None:
    canvas = shapes.canvas("shown")
    parts = [canvas.part(), shapes.part_of(canvas)]
    parts.append(shapes.part_after(parts[0], canvas))
    canvas.close()
    assert canvas.closed
    with pytest.raises(shapes.ClosedHandleError):
        canvas.size()
    assert [p.title for p in parts] == ["shown"] * 3
    assert live(shapes, 1) == 1
    del canvas, parts[0]
    collect()
    assert [p.title for p in parts] == ["shown"] * 2
    for part in parts:
        part.close()
    assert live(shapes, 1) == 0


def test_close_in_any_order(shapes: Any) -> None:
    order = random.Random(20)
    for _ in range(50):
        canvas = shapes.canvas("x")
        handles = [canvas]
        parts = [canvas.part()]
        for _ in range(10):
            parts.append(order.choice(parts).following())
            parts.append(shapes.part_after(order.choice(parts), canvas))
        handles += parts
        del canvas, parts
        order.shuffle(handles)
        for handle in handles[:10]:
            handle.close()
        while handles:
            handles.pop()
        assert (live(shapes, 1), live(shapes, 2), shapes.widows()) == (0, 0, 0)


@pytest.mark.parametrize("how", ["dropped", "closed first to last", "closed last to first", "only the last"])
def test_long_chains(shapes: Any, how: str) -> None:
    canvas = shapes.canvas("long")
    chain = [canvas.part()]
    for _ in range(MANY - 1):
        chain.append(chain[-1].following())
    assert (live(shapes, 2), chain[-1].depth) == (MANY, MANY)
    if how == "only the last":
        last = chain[-1]
        for part in chain[:-1]:
            part.close()
        del chain, part
        canvas.close()
        assert (last.title, live(shapes, 2)) == ("long", MANY)
        last.close()
    elif how == "dropped":
        del chain
    else:
        for part in chain if how == "closed first to last" else reversed(chain):
            part.close()
        del chain, part
    del canvas
    assert (live(shapes, 1), live(shapes, 2), shapes.widows()) == (0, 0, 0)


def test_a_long_chain_that_only_its_end_holds(shapes: Any) -> None:
    part = shapes.canvas("long").part()
    for _ in range(MANY - 1):
        part = part.following()
    assert part.title == "long"
    del part
    assert (live(shapes, 1), live(shapes, 2)) == (0, 0)


def test_cycles_of_python_objects(shapes: Any) -> None:
    class Holder:
        pass

    for _ in range(10):
        a, b = Holder(), Holder()
        a.other, b.other = b, a  # type: ignore[attr-defined]
        a.canvas = shapes.canvas("x")  # type: ignore[attr-defined]
        b.part = a.canvas.part()  # type: ignore[attr-defined]
    del a, b
    collect()
    assert (live(shapes, 1), live(shapes, 2)) == (0, 0)


def test_a_hundred_thousand_come_and_go(shapes: Any) -> None:
    def round_of(count: int) -> None:
        for i in range(count):
            point = shapes.point(i)
            point.scaled(2)
            shapes.canvas("x").part()
            shapes.grind(shapes.sole(i))
            shapes.maybe_node(shapes.node(i)).close()

    round_of(2000)
    collect()
    before = resident()
    round_of(MANY // 5)
    shapes.points(MANY // 2)
    collect()
    assert [live(shapes, kind) for kind in range(6)] == [0] * 6
    assert resident() - before < 16 << 20
