"""Enums are Python's, with the library's own values."""

from __future__ import annotations

import re
from enum import IntEnum, IntFlag
from typing import Any

import pytest


def test_values_are_the_librarys(shapes: Any) -> None:
    assert issubclass(shapes.Colour, IntEnum)
    assert {c.name: c.value for c in shapes.Colour} == {"RED": 10, "GREEN": 20, "BLUE": 30}
    assert issubclass(shapes.Access, IntFlag)
    assert {a.name: a.value for a in shapes.Access} == {"READ": 1, "WRITE": 2, "RUN": 4}
    assert shapes.Colour.__doc__ == "What is \\seen."


def test_enums_cross(shapes: Any) -> None:
    for colour in shapes.Colour:
        assert shapes.echo_colour(colour) is colour
        assert shapes.echo_colour(colour.value) is colour
    assert shapes.echo_colour() is shapes.Colour.GREEN
    assert shapes.echo_colour(value=shapes.Colour.BLUE) is shapes.Colour.BLUE


def test_numbers_that_are_no_value(shapes: Any) -> None:
    for number in (0, 11, -10, 266, 2**70):
        with pytest.raises(ValueError, match=f"{number} is not a valid Colour"):
            shapes.echo_colour(number)
    for wrong in ("RED", None, 10.0, True, [10]):
        with pytest.raises(TypeError, match=r"^value: a Colour is wanted, not "):
            shapes.echo_colour(wrong)


def test_a_member_of_another_enum_has_the_number_by_chance(shapes: Any) -> None:
    other = IntEnum("Other", {"RED": 10})
    with pytest.raises(TypeError, match=r"^value: a Colour is wanted, not Other"):
        shapes.echo_colour(other.RED)
    with pytest.raises(TypeError, match=r"^value: an Access is wanted, not Colour"):
        shapes.echo_access(shapes.Colour.RED)


def test_a_value_that_the_spec_does_not_know(shapes: Any) -> None:
    assert shapes.colour_of(30) is shapes.Colour.BLUE
    with pytest.raises(ValueError, match="99 is not a valid Colour"):
        shapes.colour_of(99)


def test_flags_combine(shapes: Any) -> None:
    both = shapes.Access.READ | shapes.Access.RUN
    assert shapes.echo_access(both) == both
    assert isinstance(shapes.echo_access(both), shapes.Access)
    assert shapes.echo_access(5) == both
    assert shapes.echo_access(0) == shapes.Access(0)
    assert shapes.all_access() == both | shapes.Access.WRITE
    assert shapes.echo_access() == shapes.Access.READ
    for wrong in ("READ", None, True):
        with pytest.raises(TypeError, match=r"^value: an Access is wanted, not "):
            shapes.echo_access(wrong)


def test_flags_outside_of_the_range_of_a_cpp_enum(shapes: Any) -> None:
    """C++ may take such a value for another one, unless the enum says its type."""
    said = "value: 8 does not fit the C++ enum, whose values in the spec go from 0 to 7"
    for wrong in (8, shapes.Access(8)):
        with pytest.raises(OverflowError, match=f"^{re.escape(said)}$"):
            shapes.echo_access(wrong)
    assert shapes.echo_access(~shapes.Access.READ) == shapes.Access.WRITE | shapes.Access.RUN
    assert shapes.echo_access(shapes.Access(-1)) == shapes.all_access()


def test_wide_values(shapes: Any) -> None:
    assert shapes.Wide.HIGH == 1 << 62
    assert shapes.echo_wide() is shapes.Wide.HIGH
    assert shapes.echo_wide(shapes.Wide.HIGH | shapes.Wide.LOW) == (1 << 62) + 1


def test_names_that_python_keeps(shapes: Any) -> None:
    assert [o.name for o in shapes.Odd] == ["name_", "value_", "mro_", "None_", "class_", "big"]
    assert [o.value for o in shapes.Odd] == [1, 2, 3, 4, -5, 0x7FFFFFFF]
    assert shapes.echo_odd() is shapes.Odd.name_
    for odd in shapes.Odd:
        assert shapes.echo_odd(odd) is odd
