"""Two engines, one API: whatever a function is given, both do the same and say the same."""

from __future__ import annotations

import ctypes
import inspect
import math
import re
from array import array
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from tests.behaviour.packages import ENGINES, SHAPES, Package
from wrapper_gen import names, pipeline
from wrapper_gen.model import NO_DEFAULT, EnumRef, Function, Handle, List, Module, Optional, Scalar, SpanOf, Text, Type

MODULE: Module = pipeline.read(SHAPES, "shapes.wrapper_spec")[0]
CALLS_ITSELF = {"gate_pass_", "open_any_gate", "big_text", "points", "soles", "live"}
"""Not asked: they wait, make very large things, or count what both engines made."""


class Index:
    def __index__(self) -> int:
        return 3


class Float:
    def __float__(self) -> float:
        return 2.5


class Fails:
    def __index__(self) -> int:
        raise ZeroDivisionError("index")

    def __float__(self) -> float:
        raise ZeroDivisionError("float")

    def __iter__(self) -> Iterator[int]:
        raise ZeroDivisionError("iter")


class Buffer(bytearray):
    pass


class Word(str):
    __slots__ = ()


def anything() -> list[Any]:
    """Values of all sorts; new ones each time, since calls may change them."""
    return [
        None, True, False, 0, 1, -1, 127, 128, 255, 256, -129, 2**31, 2**32, 2**63, 2**64, -(2**63) - 1, 10**40,
        10**5000, 0.0, 1.0, -0.5, 1e39, 1e308, math.inf, math.nan, 1j, Decimal("1.5"), Fraction(1, 2), Index(), Float(),
        Fails(), "", "text", "é\0", "\ud800", Word("word"), b"", b"bytes", bytearray(b"x"), Buffer(b"y"), print, ...,
        memoryview(b"abcdef")[::2], [], [1], [1.5], ["a"], [b"a"], [None], [True], [1, "a"], [300], [2**70], [1e39],
        ["\ud800"], [[1]], (1, 2), (), range(3), {1: 2}, {"a"}, iter([1, 2]), object, array("d", [1, 2]),
        array("q", [1]), array("B"), array("f", [1]), memoryview(array("d", [1, 2, 3]))[::2],
        memoryview(bytearray(8)).cast("d"), (ctypes.c_int32 * 2)(1, 2),
    ]  # fmt: skip


def fitting(type_: Type, package: Any) -> Any:
    """A value that a parameter of this type takes."""
    match type_:
        case Optional():
            return None
        case Scalar():
            return True if type_ is Scalar.BOOL else 1
        case Text():
            return "text"
        case Handle(name):
            return handle(name, package)
        case EnumRef(name):
            return next(iter(getattr(package, name)))
        case List():
            return []
        case SpanOf(element, _):
            return memoryview(bytearray(element.bits // 8)).cast({"bool": "?"}.get(str(element), CODES[str(element)]))
        case _:
            return b"bytes"


CODES = {"bool": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q"}
CODES |= {"usize": "Q", "f32": "f", "f64": "d"}


def handle(name: str, package: Any) -> Any:
    if name == "Part":
        return package.canvas("x").part()
    return getattr(package, name.lower())(*{"Canvas": ["x"], "Node": [1], "Sole": [2], "Token": [3]}.get(name, []))


def outcome(call: Callable[[], Any]) -> str:
    """What a call comes to, in words that do not depend on the engine."""
    try:
        result = call()
    except Exception as error:
        notes = getattr(error, "__notes__", ())
        return normal(f"{type(error).__name__}: {error} {notes}")
    return normal(f"{result!r} {type(result).__name__}")


def normal(text: str) -> str:
    return re.sub(r"0x[0-9a-f]+|shapes_ffi\w*\.", "", text)


@pytest.fixture(scope="module")
def both(shapes_package: Package) -> list[Any]:
    if len(ENGINES) < 2:
        pytest.skip("there is one engine")
    return [shapes_package.load(engine) for engine in ENGINES]


def asked() -> list[Function]:
    return [
        f for f in (*MODULE.functions, *MODULE.methods)
        if not f.property and names.of_function(f) not in CALLS_ITSELF and f.name != "pass"
    ]  # fmt: skip


def bound(function: Function, package: Any) -> Callable[..., Any]:
    owner = handle(function.handle, package) if function.handle else package
    made: Callable[..., Any] = getattr(owner, names.of_function(function))
    return made


def label(function: Function) -> str:
    return f"{function.handle}.{function.name}" if function.handle else function.name


@pytest.mark.parametrize("function", asked(), ids=label)
def test_arguments_of_all_sorts(both: list[Any], function: Function) -> None:
    differ = []
    for position in range(len(function.parameters)):
        for i in range(len(anything())):
            said = []
            for package in both:
                arguments = [fitting(p.type, package) for p in function.parameters]
                arguments[position] = anything()[i]
                said.append(outcome(lambda: bound(function, package)(*arguments)))  # noqa: B023 - called at once
            if len(set(said)) > 1:
                differ.append((function.parameters[position].name, repr(anything()[i])[:40], *said))
    assert differ == []


@pytest.mark.parametrize("function", [f for f in asked() if f.parameters], ids=label)
def test_the_first_wrong_argument_is_named(both: list[Any], function: Function) -> None:
    """And nothing of how that was found out."""
    for position, first in enumerate(function.parameters):
        said = set()
        for package in both:
            arguments = [fitting(p.type, package) for p in function.parameters[:position]]
            arguments += [...] * (len(function.parameters) - position)
            with pytest.raises(TypeError, match=f"^{names.python(first.name)}: ") as caught:
                bound(function, package)(*arguments)
            assert caught.value.__context__ is None or caught.value.__suppress_context__
            said.add(str(caught.value))
        assert len(said) == 1


@pytest.mark.parametrize("function", asked(), ids=label)
def test_counts_and_keywords(both: list[Any], function: Function) -> None:
    """Too few, too many, unknown, twice, and all by name."""
    wanted = [names.python(p.name) for p in function.parameters]
    required = sum(p.default is NO_DEFAULT for p in function.parameters)
    ways: list[tuple[int, list[str]]] = [(n, []) for n in range(len(wanted) + 3)]
    ways += [(0, wanted), (0, wanted[1:]), (0, ["unknown"]), (len(wanted), ["unknown"]), (len(wanted), wanted[:1])]
    ways += [(required, wanted[required:]), (max(required - 1, 0), wanted[required:]), (1, wanted), (0, wanted[::-1])]
    differ = []
    for count, keywords in ways:
        said = []
        for package in both:
            values = [fitting(p.type, package) for p in function.parameters] + [1, 2, 3]
            named = {
                k: fitting(function.parameters[wanted.index(k)].type, package) if k in wanted else 1 for k in keywords
            }
            said.append(outcome(lambda: bound(function, package)(*values[:count], **named)))  # noqa: B023 - called at once
        if not wanted:  # Python's own check, which is the fastest, has words of its own
            said = [each.split(":")[0] for each in said]
        if len(set(said)) > 1:
            differ.append((count, keywords, *said))
    assert differ == []


def test_names_and_docs(both: list[Any]) -> None:
    first, second = both
    assert sorted(first.__all__) == sorted(second.__all__)
    for name in first.__all__:
        one, other = getattr(first, name), getattr(second, name)
        if isinstance(one, (str, bool)):
            continue
        assert inspect.getdoc(one) == inspect.getdoc(other), name
        assert (one.__name__, one.__qualname__) == (other.__name__, other.__qualname__)
        if isinstance(one, type):
            public = {n for n in dir(one) if not n.startswith("_")}
            assert public == {n for n in dir(other) if not n.startswith("_")}, name
            for member in public:
                assert inspect.getdoc(getattr(one, member)) == inspect.getdoc(getattr(other, member)), (name, member)


def test_the_kinds_of_members(both: list[Any]) -> None:
    for package in both:
        for type_ in (package.Point, package.Gate):
            with pytest.raises(TypeError):
                type_()
        point = package.point(1, 2)
        assert isinstance(package.Point.point(1), package.Point)
        assert isinstance(point.point(1), package.Point), "a class method through an instance"
        assert callable(package.Point.dot)
        assert package.Point.dot(point, point) == 5
        with pytest.raises(AttributeError):
            point.x = 1
        with pytest.raises(AttributeError):
            del point.x
