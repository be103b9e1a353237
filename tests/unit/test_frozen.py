"""Frozen classes: what a dataclass does, except what the type checker does instead."""

from __future__ import annotations

import dataclasses
from dataclasses import field, fields

import pytest

from wrapper_gen.frozen import frozen, remembered, replace


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


@pytest.mark.parametrize("count", [1, 100])
def test_the_hundredth_object_is_like_the_first(count: int) -> None:
    @frozen
    class Line:
        start: int
        end: int
        name: str = "none"
        hidden: str = field(default="", repr=False)

    for _ in range(count):
        for line in (Line(1, 2), Line(1, end=2), Line(end=2, start=1), Line(1, 2, "none", hidden="")):
            assert list(vars(line).items()) == [("start", 1), ("end", 2), ("name", "none"), ("hidden", "")]
    wrong: list[tuple[tuple[object, ...], dict[str, object], str]] = [
        ((), {}, "missing 2 required positional arguments: 'start' and 'end'"),
        ((1,), {"name": "a"}, "missing 1 required positional argument: 'end'"),
        ((1, 2, "a", "b", 5), {}, "takes from 3 to 5 positional arguments but 6 were given"),
        ((1, 2), {"start": 1}, "multiple values for argument 'start'"),
        ((1, 2), {"other": 1}, "unexpected keyword argument 'other'"),
        ((1,), {"other": 1}, "unexpected keyword argument 'other'"),
    ]
    for values, named, message in wrong:
        with pytest.raises(TypeError, match=message):
            Line(*values, **named)  # type: ignore[arg-type]


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


def test_an_answer_is_kept_in_the_object_and_not_by_what_is_made_of_it() -> None:
    asked: list[int] = []

    @remembered
    def twice(of: Point) -> int:
        asked.append(of.x)
        return 2 * of.x

    one, equal = Point(1), Point(1)
    assert [twice(one), twice(one)] == [2, 2]
    assert asked == [1]
    assert one == equal and hash(one) == hash(equal) and one != Point(1, 3)
    assert repr(one) == repr(equal)
    assert twice(replace(one, x=5)) == 10
    assert replace(one, y=3) == Point(1, 3)
