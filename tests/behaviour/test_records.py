"""Structs by value: frozen records that own their values, over both engines alike."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import COUNTS_REFERENCES
from tests.behaviour.packages import HERE, Package

SPEC = HERE.parent / "cases" / "structs" / "spec.wrapper_spec"


@pytest.fixture(scope="module")
def package() -> Package:
    return packages.build(SPEC)


@pytest.fixture
def structs(package: Package, engine: str) -> Any:
    return package.load(engine)


def outcome(call: Callable[[], Any]) -> str:
    try:
        return repr(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def test_a_record_is_made_read_and_passed(structs: Any) -> None:
    point = structs.Point(1, y=2)
    assert (point.x, point.y) == (1.0, 2.0)
    assert repr(structs.flip(point)) == "Point(x=2.0, y=1.0)"
    assert structs.Point(3) == structs.Point(y=0, x=3.0)
    shape = structs.Shape("name", (point, structs.Point(3)), count=2)
    assert structs.outline(shape) == [point, structs.Point(3)]
    assert structs.find({"a": shape, "b": structs.Shape("b")}, "b") == structs.Shape("b", [], 0, 1.5)
    assert structs.find({}, "b") is None


def test_a_record_is_frozen_and_owns_its_values(structs: Any) -> None:
    points = [structs.Point(1)]
    shape = structs.Shape("name", points)
    points.clear()
    shape.points.append(3)
    assert shape.points == [structs.Point(1)]
    for act in (lambda: setattr(shape, "name", ""), lambda: setattr(shape, "other", 1), lambda: delattr(shape, "name")):
        with pytest.raises(AttributeError, match="Shape objects do not change"):
            act()


NESTED = """\
wrapper_lib: {name: nest, cpp_include: [optional, string, vector]}
cpp_prelude: |
  struct twig { std::string name; };
  struct branch { twig one; std::optional<twig> maybe; std::vector<twig> all; };
structs:
  - {name: Twig, cpp_type: twig, fields: {name: text}}
  - {name: Branch, cpp_type: branch, fields: {one: Twig, maybe: "Twig?", all: "[Twig]"}}
functions:
  - {def: branch() -> Branch, cpp_body: 'return branch{{"one"}, twig{"maybe"}, {{"all"}}};'}
"""


def test_reading_a_record_within_another_leaves_it_as_it_is(engine: str) -> None:
    nest = packages.build_text(NESTED, name="nest").load(engine)
    made = nest.Branch(nest.Twig("one"), nest.Twig("maybe"), [nest.Twig("all")])
    for branch in (nest.branch(), made):
        for _ in range(2):
            assert (branch.one, branch.maybe, branch.all) == (nest.Twig("one"), nest.Twig("maybe"), [nest.Twig("all")])
        assert branch == made


def test_records_compare_and_are_keys(structs: Any) -> None:
    one, same, other = structs.Point(1, 2), structs.Point(1.0, 2.0), structs.Point(2, 1)
    assert one == same and one != other and one != (1.0, 2.0)
    assert hash(one) == hash(same)
    shapes = {structs.Shape("a", [one]): 1, structs.Shape("a", [same]): 2}
    assert list(shapes.values()) == [2]


def test_pickling_copying_and_dataclasses(structs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, structs.Shape.__module__, structs)
    shape = structs.Shape("name", [structs.Point(1)])
    assert pickle.loads(pickle.dumps(shape)) == copy.deepcopy(shape) == copy.copy(shape) == shape
    assert dataclasses.replace(shape, name="other").name == "other"
    assert shape.__replace__(count=5).count == 5
    assert [f.name for f in dataclasses.fields(shape)] == ["name", "points", "count", "scale"]
    assert dataclasses.fields(structs.Point)[1].default == 0.0
    assert dataclasses.asdict(structs.Point(1)) == {"x": 1.0, "y": 0.0}
    assert structs.Point.__match_args__ == ("x", "y")


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda s: s.Point(), "TypeError: Point.__init__() missing 1 required positional argument: 'x'"),
        (
            lambda s: s.Point(1, 2, 3),
            "TypeError: Point.__init__() takes from 2 to 3 positional arguments but 4 were given",
        ),
        (lambda s: s.Point(1, z=2), "TypeError: Point.__init__() got an unexpected keyword argument 'z'"),
        (lambda s: s.Point(1, x=2), "TypeError: Point.__init__() got multiple values for argument 'x'"),
        (lambda s: s.Point("a"), "TypeError: x: a float is wanted, not str"),
        (lambda s: s.Shape("a", [s.Point(1), 3]), "TypeError: points[1]: a Point is wanted, not int"),
        (lambda s: s.Shape("a", count=2**63), "OverflowError: count: 9223372036854775808 does not fit i64"),
        (lambda s: s.flip((1, 2)), "TypeError: point: a Point is wanted, not tuple"),
        (lambda s: s.flip(s.Shape("a")), "TypeError: point: a Point is wanted, not Shape"),
        (lambda s: s.find({"a": s.Point(1)}, ""), "TypeError: shapes['a']: a Shape is wanted, not Point"),
        (lambda s: s.outline(s.Shape("a", count=2**31)), "OverflowError: count: 2147483648 does not fit i32"),
        (lambda s: s.outline(s.Shape("a", scale=1e39)), "OverflowError: scale: 1e+39 does not fit f32"),
    ],
)
def test_what_is_wrong_is_said(structs: Any, act: Callable[[Any], Any], said: str) -> None:
    assert outcome(lambda: act(structs)) == said


@pytest.mark.skipif(not COUNTS_REFERENCES, reason="this Python counts no references")
def test_nothing_stays(structs: Any) -> None:
    watched = [object(), "text that nobody else has"]
    before = [sys.getrefcount(each) for each in watched]
    for each in watched:
        for act in (
            lambda each=each: structs.Point(each),
            lambda each=each: structs.Shape(each, [each]),
            lambda each=each: structs.flip(each),
            lambda each=each: repr(structs.Shape(each)),
        ):
            outcome(act)
    del each, act
    assert [sys.getrefcount(each) for each in watched] == before
