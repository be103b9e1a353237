"""Slices, and keys of what has dimensions: as arguments, results and keys of objects, over both engines."""

from __future__ import annotations

import gc
import operator
import weakref
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import let_go

SPEC = packages.HERE / "arrays" / "arrays.wrapper_spec"


@pytest.fixture(scope="session")
def package(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


class Three:
    def __index__(self) -> int:
        return 3


class Refuses:
    def __index__(self) -> int:
        raise KeyError("its own")


class Liar:
    def __index__(self) -> int:
        return "3"  # type: ignore[return-value]


PARTS = [None, 0, 1, 3, 7, 8, -1, -3, -8, -9, 2**63 - 1, -(2**63), 2**70, -(2**70)]


@pytest.mark.parametrize("length", [0, 1, 8])
def test_positions_are_those_of_python(package: Any, length: int) -> None:
    numbers = list(range(length))
    for start, stop, step in product(PARTS, PARTS, [part for part in PARTS if part != 0]):
        key = slice(start, stop, step)
        assert package.positions(key, length) == numbers[key], key


def test_a_step_of_zero_is_an_error(package: Any) -> None:
    with pytest.raises(ValueError, match=r"^slice step cannot be zero$"):
        package.positions(slice(None, None, 0), 3)


def test_a_slice_goes_through(package: Any) -> None:
    for key in (slice(None), slice(1), slice(1, -2, 3), slice(-(2**63), 2**63 - 1)):
        assert package.same_slice(key) == key
    assert package.same_slice(slice(Three(), True, 2**70)) == slice(3, 1, 2**63 - 1)
    assert package.width(slice(3, 10)) == 7 and package.width(slice(None)) == 100
    assert [package.may_be(), package.may_be(None), package.may_be(slice(1))] == [False, False, True]


def test_slices_and_keys_within_others(package: Any) -> None:
    keys = {"a": (1, slice(2), ..., None), "b": None, "c": ()}
    assert package.keys_within([slice(1), slice(None, Three())], keys) == ([slice(1), slice(None, 3)], keys)
    assert package.keys_within([], {"a": 1, "b": ..., "c": slice(1)}) == (
        [],
        {"a": (1,), "b": (...,), "c": (slice(1),)},
    )


@pytest.mark.parametrize(
    ("key", "why"),
    [
        (3, "range: a slice is wanted, not int"),
        (None, "range: a slice is wanted, not None"),
        ((slice(1),), "range: a slice is wanted, not tuple"),
        (slice("a"), "range.stop: an int or None is wanted, not str"),
        (slice(1.5, None), "range.start: an int or None is wanted, not float"),
        (slice(None, None, ()), "range.step: an int or None is wanted, not tuple"),
        (slice(Liar(), None), "range.start: an int or None is wanted, not Liar"),
    ],
)
def test_what_is_no_slice_is_refused(package: Any, key: Any, why: str) -> None:
    with pytest.raises(TypeError) as caught:
        package.same_slice(key)
    assert str(caught.value) == why


def test_what_an_index_raises_is_passed_on(package: Any) -> None:
    for call in (lambda: package.same_slice(slice(Refuses())), lambda: package.Keys()[Refuses()]):
        with pytest.raises(KeyError, match="its own"):
            call()


def test_a_union_with_a_slice(package: Any) -> None:
    assert [package.which(key) for key in (slice(Three()), 5, "a")] == [0, 1, 2]
    with pytest.raises(TypeError, match=r"^key: a slice, an int or a str is wanted, not float$"):
        package.which(1.5)
    with pytest.raises(TypeError, match=r"^key\.stop: an int or None is wanted, not str$"):
        package.which(slice("a"))


def test_the_form_that_takes_just_this_is_called(package: Any) -> None:
    given: list[Any] = [1, True, "a", slice(1), None, ..., (1, ...), (), Three()]
    assert [package.overloaded(key) for key in given] == ["i64", "i64", "text", *["index"] * 5, "index"]
    for refused in (1.5, (1, "a"), [1], b"a", (True,)):
        with pytest.raises(TypeError, match="overloaded"):
            package.overloaded(refused)


# --- keys of objects


def test_a_class_with_positions_has_slices(package: Any) -> None:
    numbers = [float(i) for i in range(7)]
    own = package.Series(numbers)
    for key in (slice(None), slice(1, 5, 2), slice(None, None, -1), slice(5, 2), slice(-3, None), slice(2**70)):
        assert own[key] == numbers[key]
    assert own[-1] == 6 and list(own) == numbers and list(reversed(own)) == numbers[::-1]
    with pytest.raises(IndexError):
        own[7]
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        own[::0]
    with pytest.raises(TypeError, match="__getitem__"):
        own["a"]
    with pytest.raises(TypeError, match=r"^range\.stop: an int or None is wanted, not str$"):
        own[:"a"]
    del own[1::2]
    assert own[:] == [0, -1, 2, -1, 4, -1, 6]
    own.close()
    with pytest.raises(package.ClosedHandleError):
        own[:]


def test_keys_of_what_has_dimensions(package: Any) -> None:
    own = package.Keys()
    assert own[1] == (1,) and own[-1, 2**63 - 1] == (-1, 2**63 - 1)
    assert own[1:2] == (slice(1, 2),) and own[::-1, ..., None] == (slice(None, None, -1), ..., None)
    assert own[()] == () and own[None] == (None,) and own[...] == (...,) and own[Three(), : Three()] == (3, slice(3))
    own[1, ...] = 10
    own[:] = 100
    assert own.items() == 113
    assert slice(1) in own and slice(1, 2, 3) not in own

    class Pair(tuple[Any, ...]):
        def __iter__(self) -> Iterator[Any]:
            raise KeyError("not asked")

        def __len__(self) -> int:
            return 99

    assert own[Pair((1, 2))] == (1, 2)


ITEM = "an int, a slice, ... or None is wanted, not"


@pytest.mark.parametrize(
    ("key", "error", "why"),
    [
        ("a", TypeError, f"key: {ITEM} str"),
        (True, TypeError, f"key: {ITEM} bool"),
        (1.0, TypeError, f"key: {ITEM} float"),
        ([1], TypeError, f"key: {ITEM} list"),
        ((1, (2,)), TypeError, f"key[1]: {ITEM} tuple"),
        ((..., False), TypeError, f"key[1]: {ITEM} bool"),
        (slice("a"), TypeError, "key.stop: an int or None is wanted, not str"),
        ((0, slice(1, None, 2.5)), TypeError, "key[1].step: an int or None is wanted, not float"),
        (2**63, OverflowError, "key: 9223372036854775808 does not fit i64"),
        ((0, -(2**70)), OverflowError, "key[1]: -1180591620717411303424 does not fit i64"),
    ],
)
def test_other_keys_are_refused(package: Any, key: Any, error: type[Exception], why: str) -> None:
    own = package.Keys()
    for call in (lambda: own[key], lambda: operator.setitem(own, key, 1)):
        with pytest.raises(error) as caught:
            call()
        assert str(caught.value) == why


def test_keys_are_not_kept(package: Any) -> None:
    own, part = package.Keys(), Three()
    key = (slice(part, None), ..., None, 5)
    for _ in range(100):
        own[key]
        with pytest.raises(TypeError):
            own[(*key, "a")]
    gone = weakref.ref(part)
    del key, part
    let_go()
    gc.collect()
    assert gone() is None
