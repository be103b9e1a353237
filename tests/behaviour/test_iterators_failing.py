"""Cursors that fail: of which type the status at the end is, and of which object it is said, over both engines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import collect
from tests.behaviour.packages import ENGINES

SPEC = Path(__file__).parent / "iterators" / "failing.wrapper_spec"
FIRE = "the disk is on fire"


@pytest.fixture(params=ENGINES)
def lib(request: pytest.FixtureRequest) -> Any:
    return packages.build(SPEC).load(request.param)


def failed(steps: Iterator[int], error: type[Exception]) -> tuple[list[int], Any]:
    found = []
    with pytest.raises(error) as caught:
        for each in steps:
            found.append(each)
    assert next(steps, None) is None  # it has ended
    return found, caught.value


@pytest.mark.parametrize("name", ("scan", "by_errno"))
@pytest.mark.parametrize("of", ("Base", "Derived"))
def test_the_status_is_said_of_the_object_of_the_method(lib: Any, of: str, name: str) -> None:
    base = getattr(lib, of)()
    assert list(getattr(base, name)(3, 0)) == [0, 1, 2]
    found, error = failed(getattr(base, name)(3, 2), lib.ScanError)
    assert (found, str(error), error.code, type(error)) == ([0, 1, 2], FIRE, 20, lib.ScanError)
    found, error = failed(getattr(base, name)(2, 7), lib.LineError)
    assert (found, str(error), error.code, error.line) == ([0, 1], FIRE, 70, 2)


def test_a_named_type_tells_statuses_of_one_c_type_apart(lib: Any) -> None:
    base = lib.Base()
    assert list(base.other(2, 7)) == [0, 1]
    assert str(failed(base.other(2, 100), lib.OtherError)[1]) == "the other one"


def test_a_type_that_its_c_type_tells_is_said_of_the_object_too(lib: Any) -> None:
    assert str(failed(lib.Base().flagged(1, 3), lib.FlagError)[1]) == FIRE


def test_the_status_may_be_asked_of_the_object(lib: Any) -> None:
    error = failed(lib.Derived().of_object(4, 1), lib.ScanError)[1]
    assert (str(error), error.code) == (FIRE, 40)


def test_an_object_that_is_held_by_a_smart_pointer(lib: Any) -> None:
    for made in (lib.owned(), lib.owned_derived()):
        assert str(failed(made.scan(1, 3), lib.ScanError)[1]) == FIRE
        assert str(failed(made.scan(1, 3), lib.ScanError)[1]) == FIRE  # it still has its object


def test_a_handle_that_is_a_cursor(lib: Any) -> None:
    base = lib.Base()
    assert str(failed(iter(lib.cursor(base, 2, 3)), lib.ScanError)[1]) == FIRE


def test_an_argument_is_an_object_too_and_is_kept(lib: Any) -> None:
    steps = lib.scan(2, lib.Derived(), 9)
    collect()
    error = failed(steps, lib.LineError)[1]
    assert (str(error), error.code, error.line) == (FIRE, 90, 2)
