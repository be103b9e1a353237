"""Properties: what reads and sets them, what they refuse, over both engines."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = packages.HERE / "properties" / "properties.wrapper_spec"


@pytest.fixture(scope="module", params=packages.ENGINES)
def lib(request: pytest.FixtureRequest) -> Any:
    return packages.build(SPEC).load(request.param)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("count", 0, -(2**63)),
        ("narrow", 0, 2**31 - 1),
        ("ratio", 0.5, 2.0),
        ("marks", [], [1, -2, 3]),
        ("label", "", "ä label"),
        ("bits", 1, 7),
        ("literal", False, True),
        ("maxMem", 1, 12),
        ("title", "untitled", "A title"),
        ("level", 2, 9),
        ("name", "gauge", "other"),
        ("limit", 2, 100),
        ("twice", 0, 8),
        ("class_", 2, 5),
        ("type", "gauge", None),
    ],
)
def test_what_is_set_is_read(lib: Any, name: str, before: Any, after: Any) -> None:
    gauge = lib.gauge()
    assert getattr(gauge, name) == before
    setattr(gauge, name, after)
    assert getattr(gauge, name) == ("none" if name == "type" else after)


def test_the_ways_reach_the_same_object(lib: Any) -> None:
    gauge = lib.gauge()
    gauge.maxMem = 1
    assert gauge.mood is lib.Mood.WILD
    gauge.mood = lib.Mood.CALM
    assert gauge.maxMem == 0
    gauge.secret = "told"
    assert gauge.told == "told"


def test_functions_with_the_prefix(lib: Any) -> None:
    dial = lib.dial()
    assert (dial.size, dial.at) == (3, 3)
    dial.size = 5
    assert (dial.size, dial.at) == (5, 5)
    assert (dial.turn, dial.on) == (10, True)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("angle", 1.0, 2.5),
        ("awake", True, False),
        ("is_awake", True, False),
        ("flat", False, True),
        ("size", 3, 30),
        ("wide", 4, 40),
        ("r", 5, 50),
        ("inner_radius", 5, 50),
        ("radius_in_full", 2.0, 0.5),
    ],
)
def test_usual_names_of_getters_and_setters(lib: Any, name: str, before: Any, after: Any) -> None:
    body = lib.Body()
    assert getattr(body, name) == before
    setattr(body, name, after)
    assert getattr(body, name) == after


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("count", "x", TypeError, r"^count: an int is wanted, not str$"),
        ("count", 2**63, OverflowError, "count"),
        ("narrow", 2**31, OverflowError, "narrow.*2147483648"),
        ("maxMem", -(2**40), OverflowError, "maxMem"),
        ("bits", 8, OverflowError, "bits"),
        ("bits", -1, OverflowError, "bits"),
        ("literal", 1, TypeError, "literal: a bool is wanted, not int"),
        ("name", "nul\0", ValueError, "name"),
        ("marks", [1, "2"], TypeError, r"marks\[1\]"),
        ("title", "", ValueError, "no title"),
        ("mood", "WILD", TypeError, "mood"),
        ("class_", 2**31, OverflowError, "class_"),
    ],
)
def test_bad_values(lib: Any, name: str, value: Any, error: type[Exception], message: str) -> None:
    gauge = lib.gauge()
    before = getattr(gauge, name)
    with pytest.raises(error, match=message):
        setattr(gauge, name, value)
    assert getattr(gauge, name) == before


def test_statuses_are_raised(lib: Any) -> None:
    gauge = lib.gauge()
    with pytest.raises(lib.GaugeError):
        gauge.limit = 101
    assert gauge.limit == 2


@pytest.mark.parametrize("name", ["fixed", "hint", "told"])
def test_read_only(lib: Any, name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(lib.gauge(), name, 1)


def test_write_only(lib: Any) -> None:
    gauge = lib.gauge()
    with pytest.raises(AttributeError, match=r"^property 'secret' of 'Gauge' object has no getter$"):
        _ = gauge.secret
    assert not hasattr(gauge, "secret")
    assert "Never told" in inspect.getdoc(lib.Gauge.secret)


@pytest.mark.parametrize("name", ["count", "secret", "limit"])
def test_nothing_is_deleted(lib: Any, name: str) -> None:
    gauge = lib.gauge()
    with pytest.raises(AttributeError, match=rf"^property '{name}' of 'Gauge' object has no deleter$"):
        delattr(gauge, name)


def test_closed_handles(lib: Any) -> None:
    gauge = lib.gauge()
    gauge.close()
    with pytest.raises(lib.ClosedHandleError):
        gauge.count = 1
    with pytest.raises(lib.ClosedHandleError):
        _ = gauge.count


def test_another_object_is_refused(lib: Any) -> None:
    with pytest.raises(TypeError):
        lib.Gauge.count.__set__(lib.dial(), 3)
    with pytest.raises((TypeError, AttributeError)):
        lib.Gauge.count.__set__(3, 3)


def test_properties_named_like_types_of_the_spec(lib: Any) -> None:
    gauge = lib.gauge()
    assert (gauge.text, gauge.path, gauge.bytes_) == ("a text", "a/path", 3)
    gauge.text, gauge.path, gauge.bytes_ = "x", "y", 4
    assert (gauge.text, gauge.path, gauge.bytes_) == ("x", "y", 4)
    with pytest.raises(TypeError, match="text"):
        gauge.text = 1
