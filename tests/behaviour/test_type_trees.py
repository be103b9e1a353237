"""Every type within every other, and trees of types that are drawn: values of all sorts do the same over both engines.

`WRAPPER_GEN_TEST_SEED=n` draws other trees.
"""

from __future__ import annotations

import functools
import math
import os
import pathlib
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES
from wrapper_gen.types.keys import is_key
from wrapper_gen.types.model import (
    Bytes,
    Complex,
    DateTime,
    Duration,
    EnumRef,
    Handle,
    Index,
    Kind,
    List,
    Map,
    Optional,
    Path,
    Scalar,
    Set,
    Slice,
    SpanOf,
    Struct,
    Text,
    Tuple,
    TupleOf,
    Type,
    Union,
    Unit,
    Void,
)
from wrapper_gen.types.queries import walk

SEED = int(os.environ.get("WRAPPER_GEN_TEST_SEED", "7"))
TREES = 12
CONTAINERS = {List, Map, Set, Tuple, TupleOf, Union, Optional}
LEAVES: list[Type] = [Scalar.BOOL, Scalar.I64, Scalar.U8, Scalar.F64, Scalar.F32, Text(), Bytes(), EnumRef("Color")]
LEAVES += [Complex(64), Complex(128), Duration(), Path(), Slice(), Index(), Struct("Point")]
LEAVES += [Duration(Unit.MS), DateTime(), DateTime(Unit.S)]


def containers(inner: Type) -> list[Type]:
    """Every container of it: in each place that a container has."""
    found: list[Type] = [List(inner), Map(Text(), inner), Tuple((inner, Scalar.I64)), Tuple((inner,))]
    found.append(TupleOf(inner))
    found += [Map(inner, Scalar.I64), Set(inner)] * is_key(inner)
    found += [Optional(inner)] * (not isinstance(inner, Optional))
    other = Text() if inner != Text() else Scalar.I64
    found += [Union((other, inner))] * (not isinstance(inner, Union))
    return found


def pairs() -> list[Type]:
    """Each container of each leaf and of each container."""
    shallow = [each for leaf in LEAVES for each in containers(leaf)]
    inner = [List(Scalar.F64), Map(Text(), Scalar.I64), Tuple((Scalar.I64, Text())), Optional(Text())]
    inner.append(Set(Scalar.I64))
    inner.append(Union((Scalar.I64, Text())))
    deep = [each for one in inner for each in containers(one)]
    return list(dict.fromkeys([*shallow, *deep]))


def tree(draw: random.Random, depth: int) -> Type:
    if depth == 0 or draw.random() < 0.2:
        return draw.choice(LEAVES)
    inner = [tree(draw, depth - 1) for _ in range(3)]
    if draw.random() < 0.2:
        return Tuple(tuple(inner))
    if draw.random() < 0.2:
        flat = dict.fromkeys(a for each in inner for a in (each.alternatives if isinstance(each, Union) else (each,)))
        return Union(tuple(flat)) if len(flat) > 1 else List(inner[0])
    if draw.random() < 0.3 and is_key(inner[0]):
        return Map(inner[0], inner[1])
    return draw.choice(containers(inner[0]))


def trees() -> list[Type]:
    """So many, and on until every container is somewhere in them."""
    draw = random.Random(SEED)
    found: dict[Type, None] = {}
    while len(found) < TREES or not {type(each) for type_ in found for each in walk(type_)} >= CONTAINERS:
        found[tree(draw, 4)] = None
    return list(found)


GROUPS = {"pairs": pairs(), "trees": trees()}
"""Each is a package. That of pairs takes the compiler long."""
_LONG = {"pairs": pytest.mark.long}
EVERY_TYPE = pytest.mark.parametrize(
    ("group", "number"),
    [
        pytest.param(group, number, id=str(type_), marks=_LONG.get(group, ()))
        for group, types in GROUPS.items()
        for number, type_ in enumerate(types)
    ],
)

HEAD = """
wrapper_lib: {name: types, cpp_include: [map, string, vector]}
cpp_prelude: |
  struct Point {
    f64 x;
    std::string name;
    std::map<std::string, std::vector<i64>> tags;
  };
  enum class Color { red, green, blue };
enums:
  - {name: Color, cpp_type: Color, values: {RED: "Color::red", GREEN: "Color::green", BLUE: "Color::blue"}}
structs:
  - name: Point
    cpp_type: Point
    fields: {x: f64, name: {type: text, default: ""}, tags: {type: "{text: [i64]}", default: {}}}
functions:
"""


def spec(group: str) -> str:
    entries = (
        f'  - {{name: echo_{i}, cpp_body: return value;, params: [{{name: value, type: "{t}"}}], return: "{t}"}}\n'
        for i, t in enumerate(GROUPS[group])
    )
    return HEAD + "".join(entries)


@functools.cache
def both(group: str) -> list[Any]:
    """The package over each engine."""
    package = packages.build_text(spec(group), name=group)
    return [package.load(engine) for engine in ENGINES]


Values = Callable[[Any], Any]
"""A value, made for one package: its enums are its own."""


def constant(value: Any) -> Values:
    return lambda package: value


def values(type_: Type) -> st.SearchStrategy[Values]:
    """Values that are exactly of a type."""
    match type_:
        case Scalar():
            return scalars(type_).map(constant)
        case Complex(bits):
            part = scalars(Scalar.F64 if bits == 128 else Scalar.F32)
            return st.builds(complex, part, part).map(constant)
        case Text():
            return st.text(max_size=5).filter(lambda text: text.isprintable()).map(constant)
        case Bytes():
            return st.binary(max_size=5).map(constant)
        case Duration():
            return st.timedeltas(*(timedelta(days=days) for days in (-100_000_000, 100_000_000))).map(constant)
        case DateTime():
            return st.datetimes(timezones=st.just(UTC)).map(lambda value: constant(value.replace(fold=0)))
        case Path():
            return st.sampled_from(["", "a", "/tmp/é", "../b c"]).map(pathlib.Path).map(constant)
        case Slice():
            return slices().map(constant)
        case Index():
            item = st.one_of(st.none(), st.just(...), st.integers(-(2**63), 2**63 - 1), slices())
            return st.lists(item, max_size=3).map(tuple).map(constant)
        case EnumRef(name):
            return st.sampled_from(["RED", "GREEN", "BLUE"]).map(lambda value: lambda p: getattr(p, name)[value])
        case Struct(name):
            tags = st.dictionaries(st.sampled_from(["a", "b"]), st.lists(st.integers(0, 3), max_size=2), max_size=2)
            in_order = tags.map(lambda each: dict(sorted(each.items())))  # as the map of C++ has it
            parts = st.tuples(scalars(Scalar.F64), st.sampled_from(["", "é"]), in_order)
            return parts.map(lambda each: lambda p: getattr(p, name)(*each))
        case List(element):
            return st.lists(values(element), max_size=3).map(lambda each: lambda p: [make(p) for make in each])
        case TupleOf(element):
            return st.lists(values(element), max_size=3).map(lambda each: lambda p: tuple(make(p) for make in each))
        case Set(element):
            return st.lists(values(element), max_size=3).map(lambda each: lambda p: {make(p) for make in each})
        case Optional(of):
            return st.one_of(st.just(constant(None)), values(of))
        case Map(key, value):
            return st.lists(st.tuples(values(key), values(value)), max_size=3).map(
                lambda items: lambda p: {k(p): v(p) for k, v in items}
            )
        case Tuple(items):
            return st.tuples(*map(values, items)).map(lambda each: lambda p: tuple(make(p) for make in each))
        case Union(alternatives):
            return st.one_of([values(each) for each in alternatives])
        case Void() | Handle() | SpanOf():
            raise ValueError(type_)


def slices() -> st.SearchStrategy[slice]:
    part = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))
    return st.builds(slice, part, part, part)


def scalars(scalar: Scalar) -> st.SearchStrategy[Any]:
    if scalar.kind is Kind.BOOL:
        return st.booleans()
    if scalar.kind is Kind.FLOAT:
        return st.floats(width=scalar.bits, allow_nan=False)  # type: ignore[arg-type]
    low, high = (0, 2**scalar.bits - 1) if scalar.kind is Kind.UNSIGNED else (-(2 ** (scalar.bits - 1)), 2**63 - 1)
    return st.one_of(st.sampled_from([low, high, 0, 1]), st.integers(low, min(high, 2**scalar.bits)))


class Three:
    def __index__(self) -> int:
        return 3

    def __repr__(self) -> str:
        return "Three()"


class Fails:
    def __index__(self) -> int:
        raise ZeroDivisionError("index")

    __float__ = __iter__ = __index__  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "Fails()"


JUNK: list[Any] = [
    None, True, 0, 1, -1, 255, 256, 2**63, -(2**63) - 1, 2**64, 10**400, 0.0, 1.5, 1e39, math.inf, "", "text", "\ud800",
    b"", b"bytes", bytearray(b"x"), (), [], {}, set(), (1, "a"), (1,), [1, "a"], {"a": 1}, {1: "a"}, {"a": None}, [[]],
    [None], Three(), Fails(), object, ..., range(2), "ab", [b"a", "b"], {"\ud800": 1}, {(): 1}, {b"a": [1]}, 1j,
    slice(1), slice(None, "a"), slice(Three(), 2**70, -1), slice(Fails()), (slice(2), ..., None), (1, True), (Fails(),),
    pathlib.Path("a"), pathlib.PurePath("b"), "a\0b", timedelta(1), timedelta.max, [timedelta.min],
    datetime(2024, 1, 1), datetime.max.replace(tzinfo=UTC),
]  # fmt: skip
JUNKS = st.recursive(
    st.sampled_from(JUNK).map(constant),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2).map(lambda each: lambda p: [make(p) for make in each]),
        st.tuples(inner, inner).map(lambda each: lambda p: tuple(make(p) for make in each)),
        st.tuples(st.sampled_from(["a", 1, Three()]), inner).map(lambda item: lambda p: {item[0]: item[1](p)}),
    ),
    max_leaves=4,
)


def spoiled(type_: Type) -> st.SearchStrategy[Values]:
    """Values that are nearly of a type: somewhere in them stands what should not."""
    match type_:
        case List(element):
            broken = st.lists(st.one_of(values(element), spoiled(element)), max_size=3)
            return st.one_of(JUNKS, broken.map(lambda each: lambda p: [make(p) for make in each]))
        case Tuple(items):
            broken_items = st.tuples(*(st.one_of(values(each), spoiled(each)) for each in items))
            return st.one_of(JUNKS, broken_items.map(lambda each: lambda p: tuple(make(p) for make in each)))
        case Map(key, value):
            item = st.tuples(values(key), spoiled(value))
            return st.one_of(JUNKS, item.map(lambda pair: lambda p: {pair[0](p): pair[1](p)}))
        case Optional(of):
            return spoiled(of)
        case Union(alternatives):
            return st.one_of([spoiled(each) for each in alternatives])
        case _:
            return JUNKS


def outcome(call: Callable[[], Any]) -> str:
    try:
        result = call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"{result!r}"


def is_like(found: Any, value: Any) -> bool:
    """Whether a value came back: equal, and of equal types throughout."""
    return bool(found == value) and (repr(found) == repr(value) or "{" in repr(value))  # sets have no order


def test_trees_have_every_type_in_every_place() -> None:
    assert {type(each) for type_ in trees() for each in walk(type_)} >= {*CONTAINERS, Scalar}


FEW = settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@EVERY_TYPE
def test_values_of_a_type_come_back(group: str, number: int) -> None:
    @FEW
    @given(values(GROUPS[group][number]))
    def check(make: Values) -> None:
        for package in both(group):
            value = make(package)
            found = getattr(package, f"echo_{number}")(value)
            assert is_like(found, value), (found, value)

    check()


@EVERY_TYPE
def test_engines_agree_on_what_is_wrong(group: str, number: int) -> None:
    @FEW
    @given(spoiled(GROUPS[group][number]))
    def check(make: Values) -> None:
        over = both(group)[0], both(group)[-1]
        one, other = (outcome(lambda p=p: getattr(p, f"echo_{number}")(make(p))) for p in over)
        assert one == other

    check()
