"""Structs of a C library, by address and with fields as C has them, and text of other characters, over both engines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import HERE, Package

SPEC = HERE / "c_structs" / "structs.wrapper_spec"


@pytest.fixture(scope="module")
def package() -> Package:
    return packages.build(SPEC)


@pytest.fixture
def c(package: Package, engine: str) -> Any:
    return package.load(engine)


def test_a_struct_goes_by_its_address(c: Any) -> None:
    place = c.Place(3, 4)
    assert c.sum(place) == 7
    assert c.both(c.Place(1), c.Place(2)) == 102
    assert c.middle(c.Place(0), c.Place(4, 2)) == c.Place(2, 1)
    assert (c.maybe(place), c.maybe(None, "four")) == (3, 3)
    assert c.grid(10).cell(place) == 43


def test_a_handle_finds_its_place_beside_structs(c: Any) -> None:
    walker = c.walker(c.Place(1, 1))
    assert walker.distance(c.Place(4, 5)) == 7
    walker.go(c.Place(2, 2))
    assert walker.step(c.Place(1)) == c.Place(3, 2)
    assert c.walker().distance(c.Place(1)) == 1
    with pytest.raises(c.WalkError):
        walker.go(c.Place(-1))


def test_what_c_changes_is_the_calls_own(c: Any) -> None:
    place = c.Place(3, 4)
    assert c.spoil(place) == -1
    assert c.by_changed_reference(place) == 3
    assert c.copy(place) == place == c.Place(3, 4)


def test_a_struct_goes_as_it_is_where_c_takes_that(c: Any) -> None:
    assert c.by_reference(c.Place(9)) == 9
    assert c.overloaded(c.Place(0)) == 1


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda c: c.sum(None), "place: a Place is wanted, not None"),
        (lambda c: c.sum((1, 2)), "place: a Place is wanted, not tuple"),
        (lambda c: c.maybe(1), "place: a Place is wanted, not int"),
        (lambda c: c.sum(c.Place(2**40)), "x: 1099511627776 does not fit i32"),
    ],
)
def test_what_is_no_struct_is_refused(c: Any, act: Callable[[Any], Any], said: str) -> None:
    with pytest.raises((TypeError, OverflowError)) as raised:
        act(c)
    assert str(raised.value) == said


def test_text_of_other_characters(c: Any) -> None:
    assert (c.letters(1), c.maybe_letters(1), c.maybe_letters(0), c.signed_letters()) == (
        "héllo",
        "héllo",
        None,
        "signed",
    )
    assert c.letters_count("héllo") == 6
    assert c.letters_equal("a", "a", "a") and not c.letters_equal("a", "b", "a")
    assert (c.letters_maybe("abc"), c.letters_maybe(None)) == (3, -1)
    with pytest.raises(ValueError, match="the library returned a null string"):
        c.letters(0)
    with pytest.raises(ValueError, match="text: embedded null character"):
        c.letters_count("a\0b")
