"""Calls by the type of an argument: `cpp: {None: bind_null(self, at), i64: "bind_int(self, at, value)"}`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviour import packages

SPEC = packages.HERE / "calls_by_type" / "calls_by_type.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def row(lib: Any) -> Any:
    return lib.Row()


def test_the_call_for_the_type_is_made(lib: Any, row: Any) -> None:
    for value, shown in (
        (7, "int7"),
        (1.5, "double15"),
        ("a\0b", "texta\0b"),
        (b"\0c", "blob\0c"),
        (lib.Leaf(3), "leaf3"),
        (lib.Spot(1, 2), "spot3"),
        ([5, 6], "list25"),
        (lib.Tone.HIGH, "high"),
        (None, "null"),
    ):
        before = row.shown
        row.bind(1, value)
        assert row.shown == f"{before}1{shown} "


def test_arguments_are_checked_and_statuses_tested(lib: Any, row: Any) -> None:
    with pytest.raises(OverflowError, match=r"^value: 40000 does not fit"):
        row.bind(1, 40_000)
    with pytest.raises(TypeError, match="value"):
        row.bind(1, {})
    for value in (None, 1, "text", lib.Leaf(1)):
        with pytest.raises(lib.RowError) as raised:
            row.bind(-1, value)
        assert raised.value.code == 5
    leaf = lib.Leaf(1)
    leaf.close()
    with pytest.raises(lib.ClosedHandleError):
        row.bind(1, leaf)


def test_what_may_be_missing(lib: Any, row: Any) -> None:
    row.put(1)
    row.put(2, "a")
    row.put(3, text=None)
    row.put_leaf(lib.Leaf(4))
    row.put_leaf(None)
    assert row.shown == "1null 2texta 3null 1leaf4 2null "
    assert lib.name_of() == "nobody"
    assert lib.name_of(row) == row.shown


def test_results(lib: Any) -> None:
    assert (lib.sized("abc"), lib.sized(1.25)) == (1003, 125)
    assert (lib.listed(3), lib.listed(None)) == ([3, 3], [])
    assert (lib.measured(3), lib.measured("abc")) == (4, 3)
    with pytest.raises(lib.RowError):
        lib.measured(-1)
    with pytest.raises(ValueError, match="null"):
        lib.measured("a\0")
    row = lib.Row()
    row.put_leaf(lib.made(lib.made(2)))
    assert row.shown == "1leaf3 "
