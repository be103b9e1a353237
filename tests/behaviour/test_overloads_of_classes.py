"""Constructors and methods of protocols that have several forms, over both engines."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviour import packages

SPEC = packages.HERE / "overloads" / "overloads.wrapper_spec"


@pytest.fixture(scope="module", params=packages.ENGINES)
def lib(request: pytest.FixtureRequest) -> Any:
    return packages.build(SPEC).load(request.param)


def of(vec: Any) -> tuple[float, float]:
    return vec.x, vec.y


# --- constructors ----------------------------------------------------------------------------------------------------


def test_the_constructor_that_the_arguments_fit(lib: Any) -> None:
    assert of(lib.Vec()) == (0, 0)
    assert of(lib.Vec(1, 2)) == (1, 2)
    assert of(lib.Vec(y=1, x=2)) == (2, 1)
    assert of(lib.Vec(3)) == of(lib.Vec(both=3)) == (3, 3)
    assert of(lib.Vec("4")) == of(lib.Vec(written="4")) == (4, 4)


def test_constructors_that_stand_among_functions(lib: Any) -> None:
    assert len(lib.Table()) == 0
    assert list(lib.Table({"a": 1.0, "b": 2.0})) == [1.0, 2.0]


@pytest.mark.parametrize(
    ("args", "keywords", "given"),
    [
        (([1],), {}, "list[int]"),
        ((1, 2, 3), {}, "int, int, int"),
        ((), {"z": 1}, "z=int"),
        ((1,), {"both": 1}, "int, both=int"),
    ],
    ids=["list", "too many", "unknown name", "given twice"],
)
@pytest.mark.parametrize("is_subclass", [False, True], ids=["class", "subclass"])
def test_what_fits_no_constructor(lib: Any, args: Any, keywords: Any, given: str, is_subclass: bool) -> None:
    class Sub(lib.Vec):  # type: ignore[misc]
        pass

    with pytest.raises(TypeError) as caught:
        (Sub if is_subclass else lib.Vec)(*args, **keywords)
    assert str(caught.value).split("\n") == [
        f"Vec() takes no ({given}); it takes one of these:",
        "    Vec() -> Vec",
        "    Vec(x: float, y: float) -> Vec",
        "    Vec(both: float) -> Vec",
        "    Vec(written: str) -> Vec",
    ]


def test_what_a_constructor_raises(lib: Any) -> None:
    with pytest.raises(ValueError, match="stod"):
        lib.Vec("x")


def test_subclasses_in_python(lib: Any) -> None:
    class Sub(lib.Vec):  # type: ignore[misc]
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            self.more = len(args)

    made = Sub(1, 2), Sub("3"), Sub()
    assert [type(each) for each in made] == [Sub, Sub, Sub]
    assert [of(each) for each in made] == [(1, 2), (3, 3), (0, 0)]
    with pytest.raises(TypeError, match="initialized already"):
        made[0].__init__(1)
    assert of(made[0]) == (1, 2)


def test_an_object_that_no_constructor_has_made(lib: Any) -> None:
    empty = lib.Vec.__new__(lib.Vec)
    with pytest.raises(lib.ClosedHandleError):
        empty + 1
    with pytest.raises(TypeError, match="takes no"):
        empty.__init__([])
    empty.__init__(1.0)
    assert of(empty) == (1, 1)


# --- operators and calls ---------------------------------------------------------------------------------------------


def test_operators_by_the_other_operand(lib: Any) -> None:
    vec = lib.Vec(1, 2)
    assert of(vec + vec) == (2, 4)
    assert of(vec + 1) == of(vec + 1.0) == (2, 3)
    assert vec * vec == 5.0
    assert of(vec * 2) == of(2 * vec) == (2, 4)
    assert [1.0, 2.0, 3.0] * vec == 3


def test_operands_that_no_form_takes(lib: Any) -> None:
    class Other:
        def __radd__(self, other: Any) -> str:
            return "radd"

    vec = lib.Vec(1)
    assert vec + Other() == "radd"
    assert vec.__add__("x") is NotImplemented
    assert vec.__rmul__("x") is NotImplemented
    assert vec.__eq__("x") is NotImplemented
    with pytest.raises(TypeError, match="unsupported operand"):
        vec + "x"
    with pytest.raises(TypeError, match="unsupported operand"):
        vec += None


def test_in_place(lib: Any) -> None:
    first = vec = lib.Vec(1)
    vec += lib.Vec(2)
    vec += 1
    assert vec is first and of(vec) == (4, 4)


def test_comparisons(lib: Any) -> None:
    vec = lib.Vec(1)
    assert vec == lib.Vec(1) and vec == 1 and vec == 1.0 and vec != 2 and vec != lib.Vec(2)
    assert vec != "x"
    with pytest.raises(TypeError, match="unhashable"):
        hash(vec)


def test_calls_of_objects(lib: Any) -> None:
    vec = lib.Vec(1, 2)
    assert vec() == vec(1) == vec(t=1.0) == 3.0
    assert vec("a") == "a2" and vec("a", 3) == vec("a", times=3) == vec(times=3, prefix="a") == "a3"
    with pytest.raises(TypeError) as caught:
        vec("a", x=1)
    assert str(caught.value).split("\n") == [
        "Vec.__call__() takes no (str, x=int); it takes one of these:",
        "    __call__(t: float = 1.0) -> float",
        "    __call__(prefix: str, times: int = 2) -> str",
    ]


# --- items -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def table(lib: Any) -> Any:
    return lib.Table({"a": 1.0, "b": 2.0})


def test_items_by_position_and_by_key(table: Any) -> None:
    assert table[0] == table["a"] == table[-2] == 1.0
    assert table["c", 7] == 7.0 and table["a", 7] == 1.0
    assert list(table) == [1.0, 2.0]
    table[-1] = 3
    table["c"] = 4.0
    table["d"] = "5"
    table["e", "f"] = 6
    assert list(table) == [1, 3, 4, 5, 6, 6]
    del table["a"], table[0]
    assert list(table) == [4, 5, 6, 6]
    assert "c" in table and 5 in table and "a" not in table and 1.0 not in table


def test_items_that_are_not_there(table: Any) -> None:
    for at in (2, -3, 2**70):
        with pytest.raises((IndexError, OverflowError)):
            table[at]
    for change in (lambda: table["x"], lambda: table.__delitem__("x")):
        with pytest.raises(KeyError) as caught:
            change()
        assert caught.value.args == ("x",)


def test_keys_that_no_form_takes(table: Any) -> None:
    def message(call: Any, *args: Any) -> list[str]:
        with pytest.raises(TypeError) as caught:
            call(*args)
        return str(caught.value).split("\n")

    assert message(table.__getitem__, (1, 2)) == [
        "Table.__getitem__() takes no (tuple); it takes one of these:",
        "    __getitem__(at: int) -> float",
        "    __getitem__(key: str) -> float",
        "    __getitem__(key: str, or_: float) -> float",
    ]
    assert message(table.__getitem__, slice(1))[0].startswith("Table.__getitem__() takes no (slice)")
    assert message(table.__getitem__, ("a", 1, 2))[0].startswith("Table.__getitem__() takes no (tuple)")
    assert message(table.__setitem__, "a", [])[0].startswith("Table.__setitem__() takes no (str, list)")
    assert message(table.__delitem__, 1.5)[0].startswith("Table.__delitem__() takes no (float)")
    assert message(table.__contains__, None)[0].startswith("Table.__contains__() takes no (NoneType)")


def test_a_closed_object(lib: Any, table: Any) -> None:
    table.close()
    for use in (lambda: table[0], lambda: table["a"], lambda: "a" in table, lambda: table.__setitem__(0, 1)):
        with pytest.raises(lib.ClosedHandleError):
            use()
