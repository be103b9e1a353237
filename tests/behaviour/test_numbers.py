"""Results that are numbers: those that CPython has once each, and those beside them."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.behaviour import objects

RANGES = {f"i{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)}
RANGES |= {f"u{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)}
RANGES["usize"] = (0, 2 * sys.maxsize + 1)


@pytest.mark.parametrize("kind", RANGES)
def test_a_number_comes_back(shapes: Any, kind: str) -> None:
    low, high = RANGES[kind]
    echo = getattr(shapes, f"echo_{kind}")
    for value in {*range(-300, 300), low, low + 1, high - 1, high, high // 2}:
        if low <= value <= high:
            found = echo(value)
            assert type(found) is int and found == value


@pytest.mark.skipif(not hasattr(sys, "getrefcount"), reason="this Python counts no references")
def test_a_small_number_keeps_its_count(shapes: Any) -> None:
    """What is given out again and again is taken and released alike."""
    before = sys.getrefcount(7)
    for _ in range(1000):
        assert shapes.echo_i64(7) == 7
    objects.collect()
    assert abs(sys.getrefcount(7) - before) < 500
