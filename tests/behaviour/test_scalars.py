"""Numbers and truth values cross both borders unchanged, or the call raises and says why."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

SIGNED = {f"i{bits}": (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) for bits in (8, 16, 32, 64)}
UNSIGNED = {f"u{bits}": (0, (1 << bits) - 1) for bits in (8, 16, 32, 64)}
RANGES = {**SIGNED, **UNSIGNED, "usize": UNSIGNED["u64"]}
SENTINELS = {"i8": -113, "i16": -21113, "i32": -20210113, "i64": -20210113, "u8": 141, "u16": 44423}
SENTINELS |= {"u32": 4274757183, "u64": 18446744073689341503, "usize": 18446744073689341503}
"""Values that a C function also returns when it fails."""
F32_MAX = 3.4028234663852886e38


@pytest.mark.parametrize("name", RANGES)
def test_ints_up_to_the_limits(shapes: Any, name: str) -> None:
    echo = getattr(shapes, f"echo_{name}")
    low, high = RANGES[name]
    for value in (low, low + 1, 0, 1, high - 1, high, SENTINELS[name], low // 2, high // 2):
        assert echo(value) == value
    for value in (low - 1, high + 1, -(10**30), 10**30, 10**5000, -(10**5000)):
        with pytest.raises(OverflowError, match=rf"^value: .* does not fit {name}$"):
            echo(value)
    assert echo(high) == high, "a failure leaves nothing behind"


@pytest.mark.parametrize("name", RANGES)
def test_ints_of_other_types(shapes: Any, name: str) -> None:
    echo = getattr(shapes, f"echo_{name}")
    numpy = pytest.importorskip("numpy")

    class Index:
        def __index__(self) -> int:
            return 7

    class Raises:
        def __index__(self) -> int:
            raise ZeroDivisionError

    assert [echo(v) for v in (True, numpy.int8(5), numpy.uint64(6), Index(), shapes.Colour.RED)] == [1, 5, 6, 7, 10]
    for value in ("1", b"1", 1.0, None, [1], Decimal("1"), Fraction(3, 2), numpy.float32(1.5), numpy.float64(1), 1j):
        with pytest.raises(TypeError, match=f"^value: an int is wanted, not {_kind(value)}$"):
            echo(value)
    with pytest.raises(ZeroDivisionError):
        echo(Raises())


@pytest.mark.parametrize("name", RANGES)
def test_results_of_another_width_or_sign(shapes: Any, name: str) -> None:
    low, high = RANGES[name]
    from_i64, from_u64 = getattr(shapes, f"i64_as_{name}"), getattr(shapes, f"u64_as_{name}")
    for value in {low, high, 0, 1, 127, SENTINELS[name]}:
        if SIGNED["i64"][0] <= value <= SIGNED["i64"][1]:
            assert from_i64(value) == value
        if value >= 0:
            assert from_u64(value) == value
    for value in {low - 1, high + 1, -1, *SIGNED["i64"], *UNSIGNED["u64"]}:
        if low <= value <= high:
            continue
        if SIGNED["i64"][0] <= value <= SIGNED["i64"][1]:
            with pytest.raises(OverflowError, match="does not fit"):
                from_i64(value)
        if 0 <= value <= UNSIGNED["u64"][1]:
            with pytest.raises(OverflowError, match="does not fit"):
                from_u64(value)


def test_bools(shapes: Any) -> None:
    numpy = pytest.importorskip("numpy")
    assert shapes.echo_bool(True) is True
    assert shapes.echo_bool(False) is False
    assert shapes.echo_bool(numpy.bool_(True)) is True
    for value in (1, 0, "", None, 1.0, [], numpy.int8(1)):
        with pytest.raises(TypeError, match=f"^value: a bool is wanted, not {_kind(value)}$"):
            shapes.echo_bool(value)


def test_bools_and_numbers_that_the_library_mixes(shapes: Any) -> None:
    assert [shapes.i64_as_bool(v) for v in (0, 1, 2, -1)] == [False, True, True, True]
    assert shapes.i64_as_bool(2) is True
    assert shapes.number_like() is True
    assert (shapes.bool_as_i8(True), shapes.bool_as_i8(False)) == (1, 0)
    assert shapes.enum_as_i32(shapes.Colour.GREEN) == 20
    assert shapes.i64_as_f64(3) == 3.0
    assert shapes.add_up(-1, 2, 0.5, True) == 2.5


@pytest.mark.parametrize("name", ["f32", "f64"])
def test_floats(shapes: Any, name: str) -> None:
    numpy = pytest.importorskip("numpy")
    echo = getattr(shapes, f"echo_{name}")
    for value in (0.0, -0.0, 1.5, -2.25, F32_MAX, -F32_MAX, 2.0**-149, math.inf, -math.inf):
        assert repr(echo(value)) == repr(value)
    assert math.isnan(echo(math.nan))
    assert math.isnan(echo(float("nan"))), "the value that a failed call returns is a value too"
    assert [echo(v) for v in (3, True, numpy.float32(1.5), numpy.int8(2), Fraction(1, 2), Decimal("0.25"))] == [
        3.0, 1.0, 1.5, 2.0, 0.5, 0.25,
    ]  # fmt: skip
    for value in ("1", b"1", None, [1.0], 1j):
        with pytest.raises(TypeError, match=f"^value: a float is wanted, not {_kind(value)}$"):
            echo(value)
    with pytest.raises(OverflowError, match=rf"^value: an int of .* does not fit {name}$"):
        echo(10**400)


def test_floats_too_large_for_f32(shapes: Any) -> None:
    assert shapes.echo_f32(0.1) != 0.1, "rounded, as a C float is"
    for value in (1e39, -1e39, F32_MAX * 1.001):
        with pytest.raises(OverflowError, match=r"^value: .* does not fit f32$"):
            shapes.echo_f32(value)
        with pytest.raises(OverflowError, match=r"^the result: .* does not fit f32$"):
            shapes.f64_as_f32(value)
    assert shapes.f64_as_f32(math.inf) == math.inf
    assert math.isnan(shapes.f64_as_f32(math.nan))


def test_nothing(shapes: Any) -> None:
    assert shapes.nothing() is None
    with pytest.raises(TypeError):
        shapes.nothing(1)
    with pytest.raises(TypeError):
        shapes.echo_i8()
    with pytest.raises(TypeError):
        shapes.echo_i8(other=1)
    assert shapes.echo_i8(value=1) == 1


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__
