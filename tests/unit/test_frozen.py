"""Frozen classes: what a dataclass does, except what the type checker does instead."""

from __future__ import annotations

import dataclasses
from dataclasses import field, fields

import pytest

from wrapper_gen.frozen import frozen, replace


@frozen
class Point:
    """Two of three numbers, and a secret."""

    x: int
    y: int = 2
    hidden: str = field(default="", repr=False)


@frozen
class Place:
    """The same fields, another meaning."""

    x: int
    y: int = 2
    hidden: str = ""


@frozen
class Nothing:
    """No fields."""


def test_fields_and_defaults() -> None:
    assert vars(Point(1)) == {"x": 1, "y": 2, "hidden": ""}
    assert Point(1, y=3) == Point(y=3, x=1)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(1, z=3)  # type: ignore[call-arg]


def test_equal_is_of_one_class_with_equal_fields() -> None:
    assert Point(1) == Point(1)
    assert Point(1) != Point(2)
    assert Point(1) != Place(1)
    assert len({Point(1), Point(1), Point(2), Place(1), Nothing(), Nothing()}) == 4


def test_it_is_still_a_dataclass() -> None:
    assert [each.name for each in fields(Point)] == ["x", "y", "hidden"]
    assert replace(Point(1), y=5) == Point(1, 5)
    match Point(1, 4):
        case Point(x, y):
            assert (x, y) == (1, 4)


@frozen
class Named(Place):
    """Fields of its own behind those of another, one of which gets a default."""

    x: int = 1
    name: str = "here"


def test_fields_of_others_come_first() -> None:
    assert vars(Named(5, name="there")) == {"x": 5, "y": 2, "hidden": "", "name": "there"}
    assert [each.default for each in fields(Named)] == [1, 2, "", "here"]
    assert Named.__match_args__ == ("x", "y", "hidden", "name")


def test_replacing_takes_the_fields_alone() -> None:
    point = Point(1, hidden="secret")
    vars(point)["found"] = "later"
    assert vars(replace(point, x=3)) == vars(dataclasses.replace(point, x=3)) == {"x": 3, "y": 2, "hidden": "secret"}


def test_it_shows_itself() -> None:
    assert repr(Point(1, hidden="secret")) == "Point(x=1, y=2)"
    assert repr(Nothing()) == "Nothing()"


def test_a_default_that_is_made_anew_is_refused() -> None:
    with pytest.raises(TypeError, match="Changing: a frozen class has no use"):

        @frozen
        class Changing:
            items: list[int] = field(default_factory=list)
