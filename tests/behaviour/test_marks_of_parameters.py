"""Parameters that are given by name only, or without one, over both engines: what calls do, and how wrong ones fail."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import HERE

SPEC = HERE.parent / "cases" / "signatures" / "spec.wrapper_spec"


@pytest.fixture
def shop(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


def test_calls(shop: Any) -> None:
    assert shop.scaled(2, 3) == shop.scaled(2, by=3) == shop.scaled(2, more=1, by=3) == 7.0
    assert shop.unnamed(1) == shop.unnamed(1, 2) == 12
    assert shop.named(three=3, one=1) == shop.named(one=1, two=2, three=3) == 123
    assert shop.mixed(1, third=3) == shop.mixed(first=1, fourth=4, third=3) == shop.mixed(1, 2, third=3) == "1234"
    counter = shop.Counter(start=5)
    assert counter.moved(2, back=True) == 3 and counter.moved(2, back=False, times=2) == 9
    assert counter(2) == 7 and counter(2, times=2) == 9
    assert shop.counted_from(1, more=2).value == shop.Counter.counted_from(1, more=2).value == 3


def test_the_same_call_again_and_again(shop: Any) -> None:
    """A signature knows the keywords of an earlier call."""
    for _ in range(3):
        assert shop.named(one=1, two=2, three=3) == 123
        assert shop.scaled(2, by=3, more=1) == 7.0
        with pytest.raises(TypeError, match="positional-only"):
            shop.scaled(value=2, by=3, more=1)


def test_defaults_again_and_again(shop: Any) -> None:
    """They are there from the first call on that needs one; an argument without one stays missing."""
    for _ in range(3):
        assert shop.unnamed(1) == 12
        assert shop.mixed(1, third=3) == "1234"
        for given in ((1,), (1, 2)):
            with pytest.raises(TypeError, match=r"missing 1 required keyword-only argument: 'third'$"):
                shop.mixed(*given)
        with pytest.raises(TypeError, match=r"missing 1 required positional argument: 'one'$"):
            shop.unnamed()


def python(shop: Any) -> dict[str, Any]:
    """The same functions in Python, which says what is wrong with a call as these have to."""

    def scaled(value: float, /, by: float, more: float = 1.0) -> None: ...
    def unnamed(one: int, two: int = 2, /) -> None: ...
    def named(*, one: int, two: int = 2, three: int) -> None: ...
    def mixed(first: int, second: int = 2, *, third: int, fourth: int = 4) -> None: ...
    def counted_from(start: int, /, *, more: int = 0) -> None: ...

    functions = (scaled, unnamed, named, mixed, counted_from)
    return {each.__name__: each for each in functions}


@pytest.mark.parametrize(
    ("name", "args", "keywords"),
    [
        ("scaled", (), {}),
        ("scaled", (1,), {}),
        ("scaled", (1, 2, 3, 4), {}),
        ("scaled", (), {"value": 1, "by": 2}),
        ("scaled", (1,), {"value": 1, "by": 2}),
        ("scaled", (1,), {"other": 1, "value": 2}),
        ("scaled", (1,), {"other": 1}),
        ("scaled", (1, 2), {"by": 2}),
        ("unnamed", (), {"two": 1, "one": 2}),
        ("unnamed", (), {"other": 1}),
        ("unnamed", (1, 2, 3), {}),
        ("named", (), {}),
        ("named", (1,), {}),
        ("named", (1, 2, 3), {}),
        ("named", (1,), {"one": 1, "three": 3}),
        ("named", (), {"one": 1}),
        ("named", (), {"one": 1, "two": 2}),
        ("named", (), {"one": 1, "three": 3, "four": 4}),
        ("mixed", (), {}),
        ("mixed", (1,), {}),
        ("mixed", (1, 2), {}),
        ("mixed", (1, 2, 3), {}),
        ("mixed", (1, 2, 3), {"third": 3}),
        ("mixed", (), {"third": 3}),
        ("mixed", (), {"third": 3, "second": 2}),
        ("counted_from", (1, 2), {}),
        ("counted_from", (), {"start": 2}),
    ],
)
def test_wrong_calls(shop: Any, name: str, args: Any, keywords: Any) -> None:
    with pytest.raises(TypeError) as wanted:
        python(shop)[name](*args, **keywords)
    with pytest.raises(TypeError) as caught:
        getattr(shop, name)(*args, **keywords)
    assert str(caught.value) == str(wanted.value).rpartition(".")[2]


def test_wrong_calls_of_methods_and_classes(shop: Any) -> None:
    def said(call: Any, *args: Any, **keywords: Any) -> str:
        with pytest.raises(TypeError) as caught:
            call(*args, **keywords)
        return str(caught.value)

    counter = shop.Counter(start=1)
    given = "takes 1 positional argument but 2 were given"
    assert said(shop.Counter, 1) == f"Counter.__init__() {given}"
    assert said(shop.Counter) == "Counter.__init__() missing 1 required keyword-only argument: 'start'"
    assert said(counter.moved, 1) == "Counter.moved() missing 1 required keyword-only argument: 'back'"
    assert said(counter.moved, 1, 2, back=True) == (
        "Counter.moved() takes 2 positional arguments but 3 positional arguments "
        "(and 1 keyword-only argument) were given"
    )
    unnamed = "got some positional-only arguments passed as keyword arguments: 'by'"
    assert said(counter.moved, by=1, back=True) == f"Counter.moved() {unnamed}"
    assert said(counter, by=1) == f"Counter.__call__() {unnamed}"
    assert said(counter, 1, 2) == "Counter.__call__() takes 2 positional arguments but 3 were given"
    assert said(type("Sub", (shop.Counter,), {}), 1) == f"Counter.__init__() {given}"


def test_forms_that_differ_in_how_arguments_are_given(shop: Any) -> None:
    assert shop.formed(1) == "unnamed"
    assert shop.formed(value=1) == "named"
    assert shop.formed(last=1) == "1" and shop.formed("a", last=2) == shop.formed(text="a", last=2) == "a2"
    for args, keywords in [((), {}), (("a",), {}), (("a", 1), {}), ((1,), {"value": 1})]:
        with pytest.raises(TypeError) as caught:
            shop.formed(*args, **keywords)
        assert str(caught.value).split("\n")[1:] == [
            "    formed(value: int, /) -> str",
            "    formed(*, value: int) -> str",
            '    formed(text: str = "", *, last: int) -> str',
        ]


def test_signatures(shop: Any) -> None:
    shown = {name: p.kind for name, p in inspect.signature(shop.mixed).parameters.items()}
    either, named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    assert shown == {"first": either, "second": either, "third": named, "fourth": named}
    assert inspect.signature(shop.mixed).parameters["third"].default is inspect.Parameter.empty
    kinds = [p.kind for p in inspect.signature(shop.unnamed).parameters.values()]
    assert kinds == [inspect.Parameter.POSITIONAL_ONLY] * 2
