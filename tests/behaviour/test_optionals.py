"""`T?` is the value or None, in both directions, and None is never mistaken for a value."""

from __future__ import annotations

import math
from array import array
from typing import Any

import pytest

from tests.behaviour.test_scalars import RANGES, SENTINELS


@pytest.mark.parametrize("name", RANGES)
def test_ints(shapes: Any, name: str) -> None:
    maybe = getattr(shapes, f"maybe_{name}")
    assert maybe() is None
    assert maybe(None) is None
    low, high = RANGES[name]
    assert [maybe(v) for v in (0, low, high, SENTINELS[name])] == [0, low, high, SENTINELS[name]]
    with pytest.raises(OverflowError):
        maybe(high + 1)
    with pytest.raises(TypeError):
        maybe("1")


def test_bools_and_floats(shapes: Any) -> None:
    assert [shapes.maybe_bool(v) for v in (None, False, True)] == [None, False, True]
    assert shapes.maybe_bool(False) is False
    for maybe in (shapes.maybe_f32, shapes.maybe_f64):
        assert [maybe(v) for v in (None, 0.0, -1.5)] == [None, 0.0, -1.5]
        assert math.isnan(maybe(math.nan))
    with pytest.raises(OverflowError):
        shapes.maybe_f32(1e39)


def test_text_and_bytes(shapes: Any) -> None:
    for value in (None, "", "a\0b", "é"):
        assert shapes.maybe_text(value) == value
    for data in (None, b"", b"a\0b"):
        assert shapes.maybe_bytes(data) == data
    assert shapes.maybe_bytes(bytearray(b"x")) == b"x"
    assert [shapes.maybe_c_text(there) for there in (True, False)] == ["there", None]
    with pytest.raises(TypeError):
        shapes.maybe_text(b"x")
    with pytest.raises(TypeError):
        shapes.maybe_bytes("x")


def test_a_view_of_no_memory_is_none(shapes: Any) -> None:
    assert [shapes.maybe_view(there) for there in (True, False)] == ["", None]
    assert shapes.maybe_views() == {"a": b"one", "b": None, "c": b""}
    assert [shapes.maybe_numbers(kind) for kind in (1, 0, -1)] == [[1.5, 2.0], [], None]
    assert shapes.maybe_vector() == []
    assert shapes.view_of_text() == ""
    for empty in (b"", bytearray(), array("b"), memoryview(b"")):
        assert shapes.maybe_bytes(empty) == b""


def test_enums(shapes: Any) -> None:
    assert shapes.maybe_colour() is None
    assert shapes.maybe_colour(shapes.Colour.RED) is shapes.Colour.RED
    with pytest.raises(ValueError, match="11"):
        shapes.maybe_colour(11)


def test_lists(shapes: Any) -> None:
    for values in (None, [], [1, 2]):
        assert shapes.maybe_list(values) == values
    for texts in (None, [], [""], ["a", "b"]):
        assert shapes.maybe_texts(texts) == texts
    with pytest.raises(TypeError, match=r"^values\[0\]: an int is wanted, not None$"):
        shapes.maybe_list([None])


def test_spans(shapes: Any) -> None:
    assert shapes.maybe_total() == -1
    assert shapes.maybe_total(array("d")) == 0
    assert shapes.maybe_total(array("d", [1, 2])) == 3
    values = array("q", [1, 2])
    assert shapes.maybe_fill(values) is True
    assert list(values) == [7, 7]
    assert shapes.maybe_fill(None) is False
    with pytest.raises(TypeError):
        shapes.maybe_total([1.0])


def test_handles_in(shapes: Any) -> None:
    node, point, gate = shapes.node(5), shapes.point(1), shapes.gate()
    assert (shapes.maybe_node_value(node), shapes.maybe_node_value(None)) == (5, None)
    assert (shapes.maybe_point_x(point), shapes.maybe_point_x()) == (1, -1)
    assert (shapes.maybe_struct_x(point), shapes.maybe_struct_x()) == (1, -1)
    assert (shapes.maybe_gate_waiting(gate), shapes.maybe_gate_waiting()) == (0, -1)
    with pytest.raises(TypeError, match=r"^node: a Node is wanted, not Point$"):
        shapes.maybe_node_value(point)
    node.close()
    with pytest.raises(shapes.ClosedHandleError, match=r"^node: "):  # a closed handle is not None
        shapes.maybe_node_value(node)
    with pytest.raises(TypeError):
        shapes.maybe_node_value()


def test_handles_out(shapes: Any) -> None:
    assert shapes.maybe_node() is None
    node = shapes.node(1)
    again = shapes.maybe_node(node)
    assert again.value == 1
    assert node.uses() == 2
    assert shapes.maybe_sole(-1) is None
    assert shapes.maybe_sole(3).value == 3
    assert shapes.maybe_canvas("") is None
    assert shapes.maybe_canvas("x").title == "x"
