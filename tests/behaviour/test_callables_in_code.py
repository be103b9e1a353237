"""Callables in code of the spec: as a std::function they are what they are as arguments."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.callables.shared import fails

SPEC = packages.HERE / "callables" / "listeners.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.mark.trial("missing-callable-in-body")
@pytest.mark.parametrize("way", ["name", "assignment", "move", "initialiser", "result", "choice"])
def test_none_is_an_empty_function(lib: Any, way: str) -> None:
    heard: list[int] = []
    turn = getattr(lib, f"turned_by_{way}")
    turn(heard.append)
    assert (lib.turn(3), heard) == ("called", [3])
    turn(None)
    assert (lib.turn(4), heard) == ("nobody", [3])


@pytest.mark.parametrize("way", ["by_name", "in_code", "when_kept", "or_none"])
def test_results_are_checked(lib: Any, way: str) -> None:
    scaled = getattr(lib, f"scaled_{way}")
    assert scaled(lambda n: n + 20) == 42
    fails(OverflowError, "f(): 4295000064 does not fit i16", partial(scaled, lambda n: 2**32 + 2**15))
    assert scaled(lambda n: -1) == -2


def test_none_among_numbers(lib: Any) -> None:
    assert lib.scaled_or_none(None) == -1


def test_templates_and_copies(lib: Any) -> None:
    assert lib.scaled_by_template(lambda n: n + 2**40) == 2 * (1 + 2**40)
    assert lib.times_in_code(lambda n: n * 10) == 60
    assert lib.ordered([3, 1, 2], lambda a, b: a > b) == [3, 2, 1]


def test_a_text_of_which_cpp_gets_the_address(lib: Any) -> None:
    assert lib.said_in_code(lambda n: "said " * 50) == "said " * 50
