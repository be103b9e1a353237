"""Classes as Python's users would write them: constructors, and methods of Python's protocols."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import HERE, Package

SPEC = HERE.parent / "cases" / "classes" / "spec.wrapper_spec"


@pytest.fixture(scope="module")
def package() -> Package:
    return packages.build(SPEC)


@pytest.fixture
def classes(package: Package, engine: str) -> Any:
    return package.load(engine)


def test_a_class_is_called_to_make_an_object(classes: Any) -> None:
    assert list(classes.Series(2)) == [0, 0]
    assert list(classes.Series(size=2, fill=1.5)) == list(classes.Series(2, fill=1.5)) == [1.5, 1.5]
    with classes.Series(3) as series:
        assert len(series) == 3
    assert series.closed


def test_arguments_of_a_constructor_are_checked(classes: Any) -> None:
    for call, kind, message in (
        (lambda: classes.Series(), TypeError, r"Series.__init__\(\) missing 1 required positional argument: 'size'"),
        (lambda: classes.Series(1, 2, 3), TypeError, r"__init__\(\) takes from 2 to 3 positional arguments but 4 were"),
        (
            lambda: classes.Series(1, full=2),
            TypeError,
            r"Series.__init__\(\) got an unexpected keyword argument 'full'",
        ),
        (lambda: classes.Series("x"), TypeError, "size: an int is wanted, not str"),
        (lambda: classes.Series(-1), OverflowError, "size: -1 does not fit usize"),
    ):
        with pytest.raises(kind, match=message):
            call()


def test_a_subclass_calls_the_constructor(classes: Any) -> None:
    class Ones(classes.Series):  # type: ignore[misc]
        def __init__(self, count: int) -> None:
            super().__init__(count, 1.0)  # type: ignore[no-untyped-call]
            self.label = "ones"

    ones = Ones(2)
    assert type(ones) is Ones and list(ones) == [1, 1] and ones.label == "ones"
    with pytest.raises(TypeError, match="this Series is initialized already"):
        classes.Series.__init__(ones, 3)
    assert len(ones) == 2
    with pytest.raises(OverflowError):
        Ones(-1)


def test_an_object_that_was_not_initialized_is_closed(classes: Any) -> None:
    class Lazy(classes.Series):  # type: ignore[misc]
        def __init__(self) -> None:
            pass

    for empty in (Lazy(), classes.Series.__new__(classes.Series)):
        assert empty.closed
        for use in (len, bool, hash, str, lambda each: each[0], lambda each: each == each):
            with pytest.raises(classes.ClosedHandleError, match="closed"):
                use(empty)
        empty.close()
        classes.Series.__init__(empty, 2)
        assert list(empty) == [0, 0]
    gc.collect()


def test_length_and_items(classes: Any) -> None:
    series = classes.Series(3, 2.0)
    assert len(series) == 3 and bool(series) and not classes.Series(0)
    assert series[0] == series[-1] == series[-3] == 2.0
    for index in (3, -4, 2**62, -(2**63)):
        with pytest.raises(IndexError, match="Series index out of range"):
            series[index]
    with pytest.raises(TypeError, match="index: an int is wanted, not str"):
        series["x"]
    assert list(reversed(series)) == [2.0] * 3 and 2.0 in series and 3.0 not in series
    assert max(series) == 2.0


def test_equality_and_hashes(classes: Any) -> None:
    one, other = classes.Series(2), classes.Series(2)
    assert one == other and one is not other and (one != other) is False
    assert one != classes.Series(3) and one != 1 and one != None and (one == "x") is False  # noqa: E711
    assert hash(one) == hash(other) == 2 and len({one, other}) == 1
    other.close()
    with pytest.raises(classes.ClosedHandleError):
        one == other  # noqa: B015


def test_text(classes: Any) -> None:
    series = classes.Series(2, 1.5)
    assert str(series) == "[1.5;1.5;]" == f"{series}" and repr(series) == "Series(2)"


def test_what_cannot_be_copied_or_pickled_says_so(classes: Any) -> None:
    series = classes.Series(1)
    with pytest.raises(TypeError, match="a Series cannot be pickled"):
        pickle.dumps(series)
    for copied in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="a Series cannot be copied"):
            copied(series)


def test_signatures_are_known(classes: Any) -> None:
    assert str(inspect.signature(classes.Series)).replace(": int", "").replace(": float = ", "=") in (
        "(size, fill=0.0)",
        "(size: 'int', fill: 'float' = 0.0) -> 'None'",
    )
