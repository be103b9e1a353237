"""Functions of one name: which form a call is meant for, over both engines."""

from __future__ import annotations

import array
import datetime
import pathlib
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = packages.HERE / "overloads" / "overloads.wrapper_spec"


@pytest.fixture(scope="module", params=packages.ENGINES)
def lib(request: pytest.FixtureRequest) -> Any:
    return packages.build(SPEC).load(request.param)


class Index:
    def __index__(self) -> int:
        return 3


class Real:
    def __float__(self) -> float:
        return 3.5


class Text(str):
    __slots__ = ()


class Integer(int):
    pass


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (1, "i32"),
        (Integer(1), "i32"),
        (Index(), "i32"),
        (1.5, "f32"),
        (Real(), "f32"),
        ("x", "text"),
        (Text("x"), "text"),
        (b"x", "bytes"),
        (bytearray(b"x"), "bytes"),
        (None, "Crate?"),
        ([1, 2], "[i64]"),
        ([], "[i64]"),
        ([1.5], "[f64]"),
        ([1.5, 2], "[f64]"),
        ([1, 2.5], "[f64]"),
        (["x"], "[text]"),
        ({"x": 1}, "{text: i64}"),
        ({1, 2}, "set[i64]"),
        ((1, "x"), "(i64, text)"),
        (datetime.timedelta(1), "duration"),
        (pathlib.Path("x"), "path"),
    ],
    ids=lambda each: type(each).__name__ if each.__class__.__repr__ is object.__repr__ else repr(each),
)
def test_values_of_python(lib: Any, value: Any, form: str) -> None:
    assert lib.kind(value) == form


def test_values_of_the_package(lib: Any) -> None:
    assert lib.kind(lib.Mood.WILD) == "Mood"
    assert lib.kind(lib.Point(1.0)) == "Point"
    assert lib.kind(lib.box()) == "Box"
    assert lib.kind(lib.crate(1)) == "Crate?"


def test_how_many_arguments_and_their_names(lib: Any) -> None:
    assert lib.kind() == "nothing"
    assert lib.kind(1, "x") == "i64, text"
    assert lib.kind(first=1) == "i64, text"
    assert lib.kind(1, second="x") == "i64, text"
    assert lib.kind(second="x", first=1) == "i64, text"
    assert lib.kind("x", 1) == "text, i64"
    assert lib.kind(times=2, value="x") == "text, i64"
    assert lib.kind(value=1.5) == "f32"


@pytest.mark.parametrize(
    ("args", "keywords", "given"),
    [
        ((object(),), {}, "object"),
        ((1, 2), {}, "int, int"),
        ((1,), {"third": "x"}, "int, third=str"),
        ((1,), {"first": 1}, "int, first=int"),
        (([],), {"third": [1]}, "list, third=list[int]"),
        ((["x", 1, "y"],), {}, "list[str | int]"),
        (([1, None, "x", 2.5, 2j],), {}, "list[int | NoneType | str | ...]"),
        ((1, "x", 2), {}, "int, str, int"),
    ],
    ids=[
        "object",
        "two ints",
        "unknown name",
        "given twice",
        "no items",
        "two kinds",
        "many kinds",
        "too many",
    ],
)
def test_what_fits_no_form(lib: Any, args: Any, keywords: Any, given: str) -> None:
    with pytest.raises(TypeError) as caught:
        lib.kind(*args, **keywords)
    first, second, *_ = str(caught.value).split("\n")
    assert first == f"kind() takes no ({given}); it takes one of these:"
    assert second == "    kind(value: int) -> str"
    assert '    kind(first: int, second: str = "x") -> str' in str(caught.value)


class Unhashed(type):
    """A class of classes that have no hash."""

    def __eq__(cls, other: object) -> bool:
        return cls is other

    __hash__ = None  # type: ignore[assignment]  # as Python sets it itself


class Measure(metaclass=Unhashed):
    def __float__(self) -> float:
        return 0.5


class Unmeasured(metaclass=Unhashed):
    pass


def test_elements_may_be_of_classes_without_a_hash(lib: Any) -> None:
    assert lib.vector([Measure(), 1, Measure()]) == "list"
    with pytest.raises(TypeError, match=r"takes no \(list\[int \| Unmeasured\]\)"):
        lib.vector([1, Unmeasured()])


class Odd:
    @property
    def __class__(self) -> Any:
        raise RuntimeError("no class")


def test_an_object_that_raises_when_asked_for_its_class(lib: Any) -> None:
    with pytest.raises(TypeError, match=r"^kind\(\) takes no \(Odd\)"):
        lib.kind(Odd())


def test_the_message_is_the_same() -> None:
    texts = []
    for engine in packages.ENGINES:
        with pytest.raises(TypeError) as caught:
            packages.build(SPEC).load(engine).kind(object(), x=1)
        texts.append(str(caught.value))
    assert len(set(texts)) == 1


def test_what_does_not_fit_the_form_that_is_meant(lib: Any) -> None:
    with pytest.raises(OverflowError, match="value"):
        lib.kind(2**31)
    with pytest.raises(OverflowError, match="value"):
        lib.kind(1e300)
    box = lib.box()
    box.close()
    with pytest.raises(lib.ClosedHandleError):
        lib.kind(box)


def test_an_int_is_a_float_where_no_form_has_ints(lib: Any) -> None:
    assert lib.real(2) == 2.0 and isinstance(lib.real(2), float)
    with pytest.raises(TypeError, match=r"real\(\) takes no \(bool\)"):
        lib.real(True)


def test_memory_by_its_format(lib: Any) -> None:
    assert lib.total(array.array("f", [1])) == "f32"
    assert lib.total(array.array("d", [1])) == "f64"
    assert lib.total(array.array("i", [1])) == "i32"
    with pytest.raises(TypeError, match="takes no"):
        lib.total(array.array("q", [1]))


def test_an_array_with_dimensions_is_no_number(lib: Any) -> None:
    np = pytest.importorskip("numpy")
    assert lib.vector(np.array([1.0, 2.0])) == "memory"
    for values in (np.array([1, 2]), np.array([5]), np.array([1.5], "f4"), [1, 2], (1.0,), range(3)):
        assert lib.vector(values) == "list"
    for size in (3, np.int64(3), Index()):
        assert lib.vector(size) == "size"
    for scale in (3.5, np.float32(3.5), Real()):
        assert lib.vector(scale) == "scale"


@pytest.mark.parametrize(("value", "said"), [(True, "bool"), (1, "int"), (1.0, "float"), ("x", "text")])
def test_methods(lib: Any, value: Any, said: str) -> None:
    box = lib.box()
    assert box.put(value) == lib.Box.put(box, value) == said
    with pytest.raises(TypeError, match=r"^Box\.put\(\) takes no \(NoneType\)"):
        box.put(None)
    assert box.other() == 1


def test_class_methods(lib: Any) -> None:
    assert type(lib.Box.box()) is lib.Box
    assert type(lib.Box.box("x")) is lib.Box
    with pytest.raises(TypeError, match=r"^Box\.box\(\) takes no \(int\)"):
        lib.Box.box(1)
    assert type(lib.box(1)) is lib.Crate
    assert type(lib.Crate.crate("x")) is lib.Crate
    assert type(lib.Crate.crate(1)) is lib.Crate

    class Own(lib.Box):  # type: ignore[misc] - made at run time
        pass

    assert type(Own.box("x")) is Own


def test_documentation(lib: Any) -> None:
    assert "put(value: bool) -> str" in lib.Box.put.__doc__
    assert "put(value: float) -> str" in lib.Box.put.__doc__
    assert lib.kind.__name__ == "kind"


@pytest.mark.parametrize(
    ("value", "put", "said"),
    [(True, "bool", "bool"), (-(2**40), "int", str(-(2**40))), (1.5, "float", None), ("text", "text", "text")],
)
def test_one_entry_calls_the_function_for_what_it_is_given(lib: Any, value: Any, put: str, said: str | None) -> None:
    box = lib.box()
    assert box.put_any(value) == put
    if said is not None:
        assert box.said_of(value) == said
    else:
        with pytest.raises(TypeError, match="value: a bool, an int or a str is wanted, not float"):
            box.said_of(value)


def test_what_fits_none_of_them_is_refused(lib: Any) -> None:
    with pytest.raises(TypeError, match="value: a bool, an int, a float or a str is wanted, not None"):
        lib.box().put_any(None)
    with pytest.raises(OverflowError, match="does not fit i64"):
        lib.box().put_any(1 << 70)
    with pytest.raises(ValueError, match="value: embedded null character"):
        lib.box().put_any("cut\0off")


def test_what_c_plus_plus_has_by_default(lib: Any) -> None:
    assert (lib.spun(), lib.twined(1), lib.spun(1, "wool"), lib.spun(1, "wool", 2.0)) == (
        "3silk",
        "1silk",
        "1wool",
        "1wool!",
    )
    with pytest.raises(TypeError, match="it takes one of these"):
        lib.spun(of="wool")  # whoever gives one of them gives all before it
    with pytest.raises(TypeError, match="it takes one of these"):
        lib.spun(1, twist=2.0)  # C++ leaves out no argument before one that it gets
    assert [lib.Rope(*given).text for given in ((), ("a",), ("a", 3))] == ["roperope", "aa", "aaa"]
    rope = lib.Rope(of="abcdef", times=1)
    assert (rope.cut(), rope.cut(2), rope.cut(0, count=2)) == ("bcd", "cde", "ab")
    with pytest.raises(TypeError):
        rope.cut(0, 2)
    assert (lib.Rope.knots(), lib.Rope.knots(9)) == (4, 9)
    assert (rope.each(2), rope.each(2, lambda i: i + 1), rope.each(2, lambda i: i + 1, 5)) == (2, 3, 15)
    with pytest.raises(OverflowError):
        rope.each(2**31)
