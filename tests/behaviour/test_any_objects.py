"""`object`: anything of Python, which C++ keeps alive and gives back, over both engines."""

from __future__ import annotations

import gc
from pathlib import Path
from types import ModuleType
from typing import Any
from weakref import ref

import pytest

from tests.behaviour import packages

SPEC = Path(__file__).parent / "any_objects" / "any_objects.wrapper_spec"


class Thing:
    pass


@pytest.fixture(scope="module", params=packages.ENGINES)
def keeper(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build(SPEC).load(request.param)


@pytest.fixture
def thing() -> Any:
    return Thing()


def test_it_comes_back(keeper: ModuleType, thing: Any) -> None:
    for one in (thing, None, 3, "text", [thing], Thing, keeper.same):
        assert keeper.same(one) is one
        assert keeper.maybe(one) is one
    assert (keeper.maybe(), keeper.nothing()) == (None, None)


def test_in_containers(keeper: ModuleType, thing: Any) -> None:
    assert keeper.options(a=thing, b=[1]) == {"a": thing, "b": [1]}
    assert keeper.pair(thing, 3) == (thing, 3)
    assert keeper.tupled((thing, 2)) == (thing, 2)
    assert keeper.tupled([]) == ()


def test_c_plus_plus_knows_which_one_it_is(keeper: ModuleType, thing: Any) -> None:
    assert keeper.are_one(thing, thing)
    assert not keeper.are_one(thing, Thing())
    bag = keeper.Bag(thing, 3)
    assert thing in bag
    assert Thing() not in bag


def test_an_object_that_holds_some(keeper: ModuleType, thing: Any) -> None:
    bag = keeper.Bag(thing, None)
    bag.add("text")
    assert bag.all() == list(bag) == [thing, None, "text"]
    assert bag.each(lambda one: (one, 1)) == [(thing, 1), (None, 1), ("text", 1)]
    with pytest.raises(ZeroDivisionError):
        bag.each(lambda one: 1 / 0)


def test_an_iterator_over_a_copy(keeper: ModuleType, thing: Any) -> None:
    bag = keeper.Bag(thing, 1)
    it = iter(bag)
    assert next(it) is thing
    bag.clear()
    bag.close()
    assert list(it) == [1]


def test_records_and_exceptions_have_some(keeper: ModuleType, thing: Any) -> None:
    pin = keeper.Pin(thing, 3)
    assert pin.what is thing
    assert keeper.pinned(pin).what is thing
    assert pin == keeper.Pin(thing, 3) != keeper.Pin(Thing(), 3)
    with pytest.raises(keeper.Refused) as caught:
        keeper.refuse(thing)
    assert caught.value.what_was is thing


def test_of_several_forms_it_is_the_last(keeper: ModuleType, thing: Any) -> None:
    assert [keeper.kind(0), keeper.kind(1), keeper.kind("text"), keeper.kind(thing)] == [
        "zero",
        "int",
        "object",
        "object",
    ]


def test_it_is_released(keeper: ModuleType) -> None:
    def gone(of: Any) -> bool:
        for _ in range(3):
            gc.collect()
        return of() is None

    one = Thing()
    seen, bag = ref(one), keeper.Bag(one, one)
    bag.all()
    bag.each(lambda each: each)
    keeper.options(a=one)
    del one
    assert not gone(seen)
    bag.clear()
    assert gone(seen)
    one = Thing()
    seen = ref(one)
    bag.add(one)
    del one
    bag.clear_on_a_thread()
    assert gone(seen)
    one = Thing()
    seen, others = ref(one), [keeper.Bag(one) for _ in range(3)]
    with pytest.raises(OverflowError):
        keeper.pair(one, 1000)
    del one
    others[0].close()
    assert not gone(seen)
    others.clear()
    assert gone(seen)
