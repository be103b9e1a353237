"""Two engines, one API: whatever a function is given, both do the same and say the same."""

from __future__ import annotations

import ctypes
import inspect
import math
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES, SHAPES, Package
from wrapper_gen import names, pipeline
from wrapper_gen.model import NO_DEFAULT, Function, Module
from wrapper_gen.types.model import Complex, EnumRef, Handle, List, Optional, Scalar, SpanOf, Text, Type

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
        case Complex():
            return 1 + 2j
        case Text():
            return "text"
        case Handle(name):
            return handle(name, package)
        case EnumRef(name):
            return next(iter(getattr(package, name)))
        case List():
            return []
        case SpanOf(Complex(bits), _):
            return pytest.importorskip("numpy").ones(1, f"complex{bits}")
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
    return re.sub(r"0x[0-9a-f]+|shapes_ffi\w*\.| of \w+, another package with another runtime", "", text)


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


# --- several wrong arguments --------------------------------------------------------------------


KINDS = {
    "number": "i8", "real": "f32", "flag": "bool", "words": "text", "data": "bytes", "span": "'&[f64]'", "mood": "Mood",
    "thing": "Thing", "taken": "Thing, mode: take", "texts": "'[text]'", "things": "'[Thing]'", "any_thing": "'Thing?'",
    "any_data": "'bytes?'", "any_number": "'i8?'",
}  # fmt: skip
"""A parameter of each kind that an engine converts in a way of its own: its name, and its type."""


def written(name: str, kinds: Iterable[str]) -> str:
    """A function that has no use for its arguments."""
    parameters = ", ".join(f"{{name: {kind}, type: {KINDS[kind]}}}" for kind in kinds)
    return f"{{name: {name}, params: [{parameters}], cpp_body: return;}}"


PAIRS = list(permutations(KINDS, 2))
ALL = {"forwards": list(KINDS), "backwards": list(KINDS)[::-1]}
SEVERAL = "\n".join([
    "wrapper_lib: {name: several}",
    "enums: [{name: Mood, cpp_type: int, values: {GOOD: 1, BAD: 2}}]",
    "handle_types: [{name: Thing, cpp_type: i64}, {name: Part, cpp_type: i64}]",
    "functions:",
    "  - {name: make, cpp_body: return 1;, return: Thing}",
    "  - {name: part, cpp_body: return 1;, params: [{name: of, type: Thing}], return: Part, keep_alive: of}",
    *(f"  - {written('_'.join(pair), pair)}" for pair in PAIRS),
    *(f"  - {written(name, kinds)}" for name, kinds in ALL.items()),
    "methods:",
    *(f"  - {{handle: Thing, {written(name, kinds)[1:]}" for name, kinds in ALL.items()),
])  # fmt: skip


class Given:
    """What the functions of one package are given. Most calls are refused, and leave all of it as it is."""

    def __init__(self, package: Any) -> None:
        make = package.make
        closed, self.used = make(), make()
        closed.close()
        self.part = package.part(self.used)
        self.package = package
        self.right: dict[str, Any] = {
            "number": 1, "real": 1.5, "flag": True, "words": "", "data": b"", "span": array("d"),
            "mood": package.Mood.GOOD, "thing": make(), "taken": make(), "texts": [], "things": [make()],
            "any_thing": None, "any_data": None, "any_number": None,
        }  # fmt: skip
        self.wrong: dict[str, list[Any]] = {
            "number": ["x", 300, Fails()], "real": ["x", 1e39, Fails()], "flag": [1], "words": [5, "\ud800"],
            "data": [5, memoryview(b"abcd")[::2]], "span": [5, b"x"], "mood": ["x", 7], "thing": [5, closed],
            "taken": [5, closed], "texts": [5, ["", 5], ["\ud800"], Fails()],
            "things": [5, [closed, 5], [closed], Fails()], "any_thing": [5, closed], "any_data": [5],
            "any_number": ["x", 300],
        }  # fmt: skip

    def refusal(self, call: Callable[..., Any], kinds: list[str], wrong: Mapping[str, Any]) -> str:
        """What a call says when it is given these wrong arguments."""
        with pytest.raises(Exception) as caught:
            call(*({**self.right, **wrong}[kind] for kind in kinds))
        assert caught.value.__context__ is None or caught.value.__suppress_context__
        return f"{type(caught.value).__name__}: {caught.value}"


@pytest.fixture(scope="module")
def several() -> list[Given]:
    if len(ENGINES) < 2:
        pytest.skip("there is one engine")
    built = packages.build_text(SEVERAL, name="several")
    return [Given(built.load(engine)) for engine in ENGINES]


def misnamed(
    several: list[Given], call: Callable[[Given], Callable[..., Any]], kinds: list[str], at: tuple[str, ...]
) -> list[Any]:
    """Where an engine says of these wrong arguments anything but what the other one says of the first alone."""
    found = []
    for ways in product(*(range(len(several[0].wrong[kind])) for kind in at)):
        said = []
        for given in several:
            wrong = {kind: given.wrong[kind][way] for kind, way in zip(at, ways, strict=True)}
            said += [given.refusal(call(given), kinds, some) for some in (wrong, {at[0]: wrong[at[0]]})]
        if len(set(said)) > 1:
            found.append((at, ways, *said))
    return found


@pytest.mark.parametrize("pair", PAIRS, ids="_".join)
def test_two_wrong_arguments(several: list[Given], pair: tuple[str, str]) -> None:
    assert misnamed(several, lambda given: getattr(given.package, "_".join(pair)), list(pair), pair) == []


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("is_method", [False, True])
def test_three_wrong_arguments(several: list[Given], name: str, is_method: bool) -> None:
    def call(given: Given) -> Callable[..., Any]:
        owner = given.right["thing"] if is_method else given.package
        return getattr(owner, name)

    found = [each for at in combinations(ALL[name], 3) for each in misnamed(several, call, ALL[name], at)]
    assert found == []


@pytest.mark.parametrize("name", ALL)
def test_the_instance_comes_last(several: list[Given], name: str) -> None:
    for given in several:
        opened, closed = (getattr(owner, name) for owner in (given.right["thing"], given.wrong["thing"][1]))
        for kind, values in given.wrong.items():
            for value in values:
                said = given.refusal(closed, ALL[name], {kind: value})
                assert said == given.refusal(opened, ALL[name], {kind: value})
        said = given.refusal(closed, ALL[name], {"taken": given.used})
        assert said == "ClosedHandleError: Thing: this handle is closed"


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if "taken" in pair], ids="_".join)
def test_in_use_comes_after_all_that_is_wrong(several: list[Given], pair: tuple[str, str]) -> None:
    """Such a handle can be given, only not be taken, and nothing is taken before everything is there."""
    (other,) = {*pair} - {"taken"}
    for given in several:
        call = getattr(given.package, "_".join(pair))
        alone = given.refusal(call, list(pair), {"taken": given.used})
        assert alone == "ValueError: taken: this handle is in use, or kept alive for another one"
        for value in given.wrong[other]:
            both = given.refusal(call, list(pair), {"taken": given.used, other: value})
            assert both == given.refusal(call, list(pair), {other: value})


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
