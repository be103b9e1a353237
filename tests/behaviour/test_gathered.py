"""Parameters that gather the other arguments of a call, `*args: T` and `**options: T`, over both engines."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = Path(__file__).parent / "gathered" / "gathered.wrapper_spec"


@pytest.fixture(scope="module", params=packages.ENGINES)
def of(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build(SPEC).load(request.param)


def test_other_arguments(of: ModuleType) -> None:
    assert (of.sum(), of.sum(1), of.sum(1, 2, 3), of.sum(*range(1000))) == (0, 1, 6, 499500)
    assert (of.first_and_count(), of.first_and_count(4, 5), of.written(4, 5)) == (0, 6, 6)


def test_other_keywords(of: ModuleType) -> None:
    assert (of.options(1), of.options(1, 3, x=4)) == ({}, {"x": 4})
    assert of.options(y=3, a=1, more=7) == {"y": 3, "more": 7}


def test_beside_every_other_kind(of: ModuleType) -> None:
    assert of.all_of_them(1, c=3) == (12, [], 34, {})
    assert of.all_of_them(1, 2, 3.5, 4, c=1, d=2, x="a", a=3) == (12, [3.5, 4.0], 12, {"x": "a", "a": 3})
    shown = str(inspect.signature(of.all_of_them)).partition(" ->")[0]
    assert re.sub(r": '[^']*'| ", "", shown) == "(a,/,b=2,*rest,c,d=4,**more)"


def test_in_classes(of: ModuleType) -> None:
    box = of.Box("a", "b")
    assert (box.joined("-"), box.joined("-", "x", "y"), of.Box().joined(by="-")) == ("a-b-", "a-b--x-y", "")
    assert (box(), box(1, 2), of.Box.scaled(1, 2, 3, scale=2)) == (2, 5, 12)
    assert (of.count(), of.count(box, of.Box())) == (0, 2)
    assert (of.make("x", "y").joined("."), of.Box.make("x").joined(".")) == ("x.y.", "x.")


WRONG = [
    (lambda of: of.sum(values=[1]), "sum() got an unexpected keyword argument 'values'"),
    (lambda of: of.sum("x"), "values[0]: an int is wanted, not str"),
    (lambda of: of.sum(1, None), "values[1]: an int is wanted, not None"),
    (lambda of: of.options(), "options() missing 1 required positional argument: 'a'"),
    (lambda of: of.options(1, 2, 3), "options() takes from 1 to 2 positional arguments but 3 were given"),
    (lambda of: of.options(1, a=2), "options() got multiple values for argument 'a'"),
    (lambda of: of.options(1, x="q"), "more['x']: an int is wanted, not str"),
    (lambda of: of.all_of_them(1), "all_of_them() missing 1 required keyword-only argument: 'c'"),
    (lambda of: of.all_of_them(1, 2, "x", c=1), "rest[0]: a float is wanted, not str"),
    (lambda of: of.all_of_them(1, 2, 3, c=1, b=2), "all_of_them() got multiple values for argument 'b'"),
    (lambda of: of.Box("a", 1), "all[1]: a str is wanted, not int"),
    (lambda of: of.Box(all="a"), "Box.__init__() got an unexpected keyword argument 'all'"),
    (lambda of: of.count(None), "boxes[0]: a Box is wanted, not None"),
]


@pytest.mark.parametrize(("call", "message"), WRONG, ids=[message for _, message in WRONG])
def test_mistakes(of: ModuleType, call: Any, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        call(of)
    assert str(caught.value).endswith(message)


def test_nothing_that_was_gathered_stays(of: ModuleType) -> None:
    def calls() -> None:
        box = of.Box("a")
        for _ in range(300):
            of.sum(1000, 2000)
            of.options(1, x=4000)
            of.all_of_them(1, 2, 3.5, c=1, x="a")
            box.joined("-", "x")
            for call, _ in WRONG:
                with pytest.raises(TypeError):
                    call(of)

    calls()
    before = sys.getallocatedblocks()
    calls()
    assert sys.getallocatedblocks() - before < 300
