"""Calls that an entry lists: `cpp: [X_new(), "X_init(self, key, key.size())"]`."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = packages.HERE / "listed_calls" / "listed_calls.wrapper_spec"


@pytest.fixture(scope="module")
def loaded(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def lib(loaded: Any) -> Any:
    gc.collect()
    loaded.log()
    return loaded


def test_calls_run_in_order(lib: Any) -> None:
    with lib.Box(b"a\0b", 2) as box:
        assert lib.log() == "new init level "
        assert box.shown() == "a\0b2"
    assert lib.log() == "free "


def test_a_later_call_that_fails_releases_the_object(lib: Any) -> None:
    before = lib.count()
    with pytest.raises(lib.BoxError, match=r"^0$") as raised:  # the message is asked of the object, before that goes
        lib.Box(b"")
    assert raised.value.code == 3
    assert lib.log() == "new init free "
    with pytest.raises(lib.BoxError, match=r"^key10$") as raised:
        lib.Box(b"key", 10)
    assert (raised.value.code, lib.log()) == (4, "new init level free ")
    with pytest.raises(OverflowError, match=r"^level: 128 does not fit"):
        lib.Box(b"key", 128)
    assert (lib.log(), lib.count()) == ("new init free ", before)


def test_what_a_function_makes_is_out(lib: Any) -> None:
    with lib.made(b"m") as box:
        assert box.shown() == "m0"
        with box.written(b"w") as other:
            assert other.shown() == "m0"
    before = lib.count()
    with pytest.raises(lib.BoxError):
        lib.made(b"")
    box = lib.Box(b"k", 8)
    with pytest.raises(lib.BoxError, match=r"^k8$") as raised:  # the first object of the call
        box.written(b"w")
    assert (raised.value.code, lib.count()) == (5, before + 1)


def test_without_an_object_no_other_call_is_made(lib: Any) -> None:
    box = lib.Box(b"k")
    lib.log()
    assert box.at(-1, b"x") is None
    assert lib.log() == ""
    made = box.at(3, b"x")
    assert (made.shown(), box.shown()) == ("x3", "x1")


def test_an_entry_without_a_result(lib: Any) -> None:
    box = lib.Box(b"k")
    lib.log()
    box.set(b"n", 3)
    assert (lib.log(), box.shown()) == ("init level ", "n3")
    with pytest.raises(lib.BoxError):
        box.set(b"", 4)
    assert lib.log() == "init "  # and the rest is not called
    assert lib.count() >= 1
    box.visited(lambda level: level + 5)
    assert box.shown() == "7"


def test_the_text_of_a_failure(lib: Any) -> None:
    box = lib.Box(b"ok")
    box.checked()
    box.set(b"bad", 1)
    with pytest.raises(lib.BoxError, match=r"^bad$"):
        box.checked()


def test_what_a_call_takes_is_gone(lib: Any) -> None:
    old = lib.Box(b"k")
    before = lib.count()
    with pytest.raises(lib.BoxError):
        lib.taking(old, b"")
    assert lib.count() == before - 1
    with pytest.raises(lib.ClosedHandleError):
        old.shown()
    assert lib.taking(lib.Box(b"k"), b"n").shown() == "n0"


def test_members_of_the_object(lib: Any) -> None:
    assert lib.Panel("p", 100).width == 100
    with pytest.raises(lib.BoxError) as raised:
        lib.Panel("p", 101)
    assert raised.value.code == 7


def test_the_object_that_a_written_call_leaves_says_what_failed(lib: Any) -> None:
    before = lib.count()
    for make in (lib.place, lib.Box):
        assert make(2).shown() == "placed2"
        gc.collect()
        with pytest.raises(lib.BoxError, match=r"^placed10$") as raised:
            make(10)
        assert (raised.value.code, lib.count()) == (4, before)


def test_a_null_pointer_has_the_status_that_the_object_says(lib: Any) -> None:
    assert lib.place(1).next().shown() == "0"
    with pytest.raises(lib.BoxError, match=r"^placed0$") as raised:
        lib.place(0).next()
    assert raised.value.code == 40
    with pytest.raises(ValueError, match="null pointer"):  # a call without an object has none
        lib.at(-1)
