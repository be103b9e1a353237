"""Handles: made by functions, used by methods, whatever C++ type they hold."""

from __future__ import annotations

import copy
import pickle
import weakref
from contextlib import suppress
from typing import Any

import pytest

from tests.behaviour.objects import live

HANDLES = ("Point", "Canvas", "Part", "Node", "Sole", "Gate", "Token")


def make(shapes: Any, name: str) -> Any:
    """One handle of each type."""
    if name == "Part":
        return shapes.canvas("of a part").part()
    arguments = {"Canvas": ["title"], "Node": [1], "Sole": [2], "Token": [3]}
    return getattr(shapes, name.lower())(*arguments.get(name, []))


@pytest.mark.parametrize("name", HANDLES)
def test_close(shapes: Any, name: str) -> None:
    handle = make(shapes, name)
    assert type(handle) is getattr(shapes, name)
    assert handle.closed is False
    assert repr(handle).startswith(f"<{name} at 0x")
    assert handle.close() is None
    assert handle.closed is True
    assert repr(handle) == f"<{name} closed>"
    handle.close()
    assert handle.closed is True


@pytest.mark.parametrize("name", HANDLES)
def test_with(shapes: Any, name: str) -> None:
    with make(shapes, name) as handle:
        assert not handle.closed
    assert handle.closed
    with pytest.raises(shapes.ClosedHandleError, match=f"^this {name} is closed$"):
        handle.__enter__()
    with pytest.raises(ZeroDivisionError), make(shapes, name) as handle:
        raise ZeroDivisionError
    assert handle.closed
    with make(shapes, name) as handle:
        handle.close()


@pytest.mark.parametrize("name", HANDLES)
def test_they_stand_for_objects_of_this_process(shapes: Any, name: str) -> None:
    handle = make(shapes, name)
    for use in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=f"^a {name} cannot be (pickled|copied)"):
            use(handle)
    with pytest.raises(TypeError, match=f"^{name} cannot be made directly"):
        getattr(shapes, name)()
    with pytest.raises(TypeError):
        getattr(shapes, name)(1, 2, x=3)
    assert hash(handle) == hash(handle)
    assert handle == handle
    assert handle != make(shapes, name)
    assert weakref.ref(handle)() is handle
    with pytest.raises(AttributeError):
        handle.surprise = 1


@pytest.mark.parametrize("name", HANDLES)
def test_one_that_was_never_made(shapes: Any, name: str) -> None:
    """`__new__` can be called; what it gives must be harmless."""
    cls = getattr(shapes, name)
    try:
        empty = cls.__new__(cls)
    except TypeError:
        return
    for use in (
        lambda: empty.closed,
        lambda: repr(empty),
        lambda: empty.__enter__(),
        empty.close,
        lambda: empty.closed,
    ):
        with suppress(AttributeError, shapes.ClosedHandleError):
            use()
    if name == "Point":
        with pytest.raises((AttributeError, shapes.ClosedHandleError)):
            empty.scaled(1)


def test_the_message_says_how_one_is_made(shapes: Any) -> None:
    with pytest.raises(TypeError, match=r"; use Canvas\.canvas\(\)"):
        shapes.Canvas()


def test_a_class_by_value(shapes: Any) -> None:
    point = shapes.point(3, 4)
    other = shapes.point(1, 2, label="other")
    assert (point.x, point.y, point.label) == (3, 4, 'a "label"')
    assert point.dot(other) == 11
    assert point.move(1) is None
    point.move(dx=1, dy=-1)
    assert (point.x, point.y) == (5, 3)
    big = point.scaled(10)
    assert (big.x, point.x) == (50, 5)
    point.set_label("new")
    assert (point.label, big.label) == ("new", 'a "label"')
    assert point.plus(other).x == 6
    assert point.constant() == 42
    assert live(shapes, 0) == 3


def test_a_reference_is_copied(shapes: Any) -> None:
    origin = shapes.origin()
    origin.move(5)
    assert (origin.x, shapes.origin().x) == (5, 0)
    assert shapes.point_struct(7).x == 7


def test_a_raw_pointer(shapes: Any) -> None:
    canvas = shapes.canvas("title")
    assert (canvas.title, canvas.size()) == ("title", 5)
    assert live(shapes, 1) == 1
    canvas.close()
    assert shapes.live(1) == 0


def test_a_null_pointer_is_never_released(shapes: Any) -> None:
    with pytest.raises(ValueError, match="null pointer"):
        shapes.canvas("")  # the library's own release aborts for null


def test_a_shared_pointer(shapes: Any) -> None:
    node = shapes.node(5)
    again = node.shared()
    assert node.uses() == 2
    assert shapes.same_node(node, again)
    assert not shapes.same_node(node, shapes.node(5))
    again.set(6)
    node.close()
    assert (again.value, again.uses()) == (6, 1)
    assert shapes.value_of_node(again) == 6


def test_a_unique_pointer(shapes: Any) -> None:
    assert shapes.sole(8).value == 8


def test_a_smart_pointer_goes_in_as_what_it_points_to(shapes: Any) -> None:
    node, sole = shapes.node(5), shapes.sole(7)
    assert (shapes.read(node), shapes.read_at(node), node.read(), shapes.read_sole(sole)) == (5, 5, 5, 7)
    assert (shapes.read_maybe(node), shapes.read_maybe(None)) == (5, -1)
    assert shapes.read_both(sole, node, last=shapes.sole(100)) == 112
    assert shapes.uses_of(node) == 2
    node.add(3)
    assert node.value == 8


def test_a_smart_pointer_that_became_empty_points_to_nothing(shapes: Any) -> None:
    sole = shapes.sole(7)
    assert shapes.empty(sole)
    with pytest.raises(ValueError, match="holds a null pointer"):
        shapes.read_sole(sole)
    with pytest.raises(TypeError, match=r"^node: a Sole is wanted, not Node$"):
        shapes.read_sole(shapes.node(1))
    sole.close()
    with pytest.raises(shapes.ClosedHandleError):
        shapes.read_sole(sole)


def test_a_type_that_cannot_be_moved(shapes: Any) -> None:
    for gate in (shapes.gate(), shapes.gate_struct()):
        assert gate.waiting == 0
        assert gate.pass_(0) is False
        gate.open()
        assert gate.pass_(0) is True


def test_a_number_with_a_release(shapes: Any) -> None:
    token = shapes.token(5)
    assert (token.weight, live(shapes, 5)) == (5, 5)
    token.close()
    assert shapes.live(5) == 0


def test_arguments_are_checked(shapes: Any) -> None:
    point, node = shapes.point(), shapes.node(1)
    for wrong in (node, None, 1, "x", shapes.Point):
        kind = "None" if wrong is None else type(wrong).__name__
        with pytest.raises(TypeError, match=f"^other: a Point is wanted, not {kind}$"):
            point.dot(wrong)
    with pytest.raises(TypeError):
        shapes.Point.dot(node, point)
    with pytest.raises(TypeError):
        shapes.Point.x.__get__(node)


def test_use_after_close(shapes: Any) -> None:
    point, other = shapes.point(), shapes.point()
    other.close()
    assert issubclass(shapes.ClosedHandleError, ValueError)
    with pytest.raises(shapes.ClosedHandleError, match=r"^other: this (Point|handle) is closed$"):
        point.dot(other)
    for use in (lambda: other.dot(point), lambda: other.x, lambda: other.move(1), lambda: other.scaled(2)):
        with pytest.raises(shapes.ClosedHandleError, match=r"^Point: this handle is closed$"):
            use()
    assert point.dot(point) == 0


def test_names_of_our_own(shapes: Any) -> None:
    point = shapes.point()
    assert (point.close_(), point.python_name(), point.class_()) == (17, 18, 19)
    assert not point.closed
    assert not hasattr(point, "spec_name")


def test_properties_cannot_be_set(shapes: Any) -> None:
    point = shapes.point(1)
    with pytest.raises(AttributeError):
        point.x = 5
    assert point.x == 1
    assert "first coordinate" in type(point).x.__doc__


def test_factories_are_class_methods(shapes: Any) -> None:
    assert shapes.Point.point(1, y=2).y == 2
    assert shapes.Canvas.canvas("x").title == "x"
    assert shapes.Point.label_of(label="mine").label == "mine"
    assert shapes.Point.origin().x == 0
    with pytest.raises(IndexError, match="no point"):
        shapes.Point.failing_point()
    with pytest.raises(TypeError):
        shapes.Point.point("x")


def test_subclasses(shapes: Any) -> None:
    class Named(shapes.Point):  # type: ignore[misc] - made at run time
        notes: str = "none"

        def length(self) -> float:
            return float((self.x**2 + self.y**2) ** 0.5)

    named = Named.point(3, 4)
    assert type(named) is Named
    assert (named.length(), named.notes) == (5, "none")
    named.notes = "some"
    assert shapes.point().dot(named) == 0
    assert type(named.scaled(2)) is shapes.Point
    with pytest.raises(TypeError, match=r"^Named cannot be made directly"):
        Named()
    reference = weakref.ref(named)
    named.me = named  # a cycle, through the instance's own attributes
    with named:
        pass
    assert named.closed
    with pytest.raises(shapes.ClosedHandleError):
        named.length()
    del named
    import gc

    gc.collect()
    assert reference() is None


def test_two_packages_do_not_mix(shapes: Any, shapes_package: Any, engine: str) -> None:
    """The same class of another copy of the package is another class."""
    from tests.behaviour.packages import ENGINES

    for other in ENGINES:
        if other != engine:
            with pytest.raises(TypeError, match="a Point is wanted, not Point"):
                shapes.point().dot(shapes_package.load(other).point())
