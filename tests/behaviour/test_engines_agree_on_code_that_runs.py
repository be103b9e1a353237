"""Two engines, one API: what arguments do whose conversion runs code of the caller's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES

SPEC = """
wrapper_lib: {name: runs}
enums: [{name: Mood, cpp_type: int, values: {GOOD: 1, BAD: 2}}]
handle_types: [{name: Box, cpp_type: i64, doc: A box.}]
functions:
  - {name: box, cpp_body: return value;, params: [{name: value, type: i64, default: 0}], return: Box}
  - {name: eat_other, cpp_body: return;, params: [{name: a, type: Box, mode: take}, {name: b, type: Box}]}
  - {name: other_eat, cpp_body: return;, params: [{name: a, type: Box}, {name: b, type: Box, mode: take}]}
  - {name: eat_both, cpp_body: return;, params: [{name: a, type: Box, mode: take}, {name: b, type: Box, mode: take}]}
  - {name: eat_listed, cpp_body: return;, params: [{name: a, type: Box, mode: take}, {name: all, type: '[Box]'}]}
  - {name: eat_optional, cpp_body: return;, params: [{name: a, type: Box, mode: take}, {name: b, type: 'Box?'}]}
  - {name: small, cpp_body: return n;, params: [{name: n, type: i8}], return: i64}
  - {name: wide, cpp_body: return n;, params: [{name: n, type: u64}], return: u64}
  - {name: real, cpp_body: return x;, params: [{name: x, type: f64}], return: f64}
  - {name: single, cpp_body: return x;, params: [{name: x, type: f32}], return: f32}
  - {name: flag, cpp_body: return x;, params: [{name: x, type: bool}], return: bool}
  - {name: listed, cpp_body: return n.size();, params: [{name: n, type: '[i8]'}], return: i64}
  - {name: reals, cpp_body: return x.size();, params: [{name: x, type: '[f64]'}], return: i64}
  - {name: optional, cpp_body: return 1;, params: [{name: n, type: 'i8?'}], return: i64}
  - {name: memory, cpp_body: return n.size();, params: [{name: n, type: '&[f64]'}], return: i64}
  - {name: data, cpp_body: return n.size();, params: [{name: n, type: bytes}], return: i64}
  - {name: two, cpp_body: return 1;, params: [{name: a, type: i8}, {name: b, type: i8}], return: i64}
KINDS
methods:
  - {handle: Box, name: value, cpp_body: return h.inner;, return: i64, property: true}
  - {handle: Box, name: eat, cpp_body: return;, params: [{name: b, type: Box, mode: take}]}
  - {handle: Box, name: plus, cpp_body: return h.inner + n;, params: [{name: n, type: i64}], return: i64}
  - {handle: Box, name: sum, cpp_body: 'return h.inner + i64(n.size());', params: [{name: n, type: '[i64]'}], return: i64}
"""  # noqa: E501 - a line a method
HANDLES = {"box": "Box", "taken": "Box, mode: take", "maybe": "'Box?'", "boxes": "'[Box]'"}
RUN = {
    "index": "i64", "real": "f64", "list": "'[i64]'", "memory": "'&[f64]'", "data": "bytes", "maybe_index": "'i64?'",
}  # fmt: skip
"""What a parameter with a handle stands beside: conversions that run code."""


def kinds() -> Iterator[str]:
    for handle, handle_type in HANDLES.items():
        for other, type_ in RUN.items():
            parameters = [f"{{name: h, type: {handle_type}}}", f"{{name: x, type: {type_}}}"]
            for name, order in (("first", parameters), ("last", parameters[::-1])):
                yield f"  - {{name: {handle}_{other}_{name}, params: [{', '.join(order)}], cpp_body: return;}}"


@pytest.fixture(scope="module")
def both() -> list[Any]:
    if len(ENGINES) < 2:
        pytest.skip("there is one engine")
    built = packages.build_text(SPEC.replace("KINDS", "\n".join(kinds())), name="runs")
    return [built.load(engine) for engine in ENGINES]


def agreed(both: list[Any], call: Callable[[Any], Any]) -> str:
    """What a call comes to, which is the same for both."""
    said = []
    for package in both:
        try:
            said.append(f"{call(package)!r}")
        except BaseException as error:
            said.append(re.sub(r" at 0x[0-9a-f]+", "", f"{type(error).__name__}: {error}"))
    assert said[0] == said[1]
    return said[0]


class Runs:
    """Runs code wherever a conversion asks it something."""

    def __init__(self, code: Callable[[], Any]) -> None:
        self.code = code

    def __index__(self) -> int:
        self.code()
        return 1

    def __float__(self) -> float:
        self.code()
        return 1.0

    def __iter__(self) -> Iterator[int]:
        self.code()
        return iter([1])

    def __dlpack_device__(self) -> tuple[int, int]:
        self.code()
        return (1, 0)

    def __dlpack__(self) -> object:
        raise BufferError("lent to nobody")


@pytest.mark.parametrize("order", ["first", "last"])
@pytest.mark.parametrize("other", RUN)
@pytest.mark.parametrize("handle", HANDLES)
def test_a_handle_that_another_argument_closes(both: list[Any], handle: str, other: str, order: str) -> None:
    def call(package: Any) -> None:
        box = package.box()
        given = [[box] if handle == "boxes" else box, Runs(box.close)]
        getattr(package, f"{handle}_{other}_{order}")(*(given if order == "first" else given[::-1]))

    said = agreed(both, call)
    if other == "memory":
        assert said.startswith("TypeError: x: ")
    elif other == "data":
        assert said == "TypeError: x: a contiguous bytes-like object is wanted, not Runs"
    else:
        assert said == f"ClosedHandleError: h{'[0]' * (handle == 'boxes')}: this Box is closed"


@pytest.mark.parametrize("method", ["plus", "sum"])
def test_an_instance_that_an_argument_closes(both: list[Any], method: str) -> None:
    def call(package: Any) -> Any:
        box = package.box(5)
        return getattr(box, method)(Runs(box.close))

    assert agreed(both, call) == "ClosedHandleError: Box: this handle is closed"


EATEN = {
    "eat_other": "ValueError: a: this handle is in use, or kept alive for another one",
    "other_eat": "ValueError: b: this handle is in use, or kept alive for another one",
    "eat_both": "ClosedHandleError: b: this handle is closed",
    "eat_listed": "ValueError: a: this handle is in use, or kept alive for another one",
    "eat_optional": "ValueError: a: this handle is in use, or kept alive for another one",
    "eat": "ValueError: b: this handle is in use, or kept alive for another one",
}


@pytest.mark.parametrize("name", EATEN)
def test_one_handle_given_twice(both: list[Any], name: str) -> None:
    boxes = []

    def call(package: Any) -> None:
        box = package.box(5)
        boxes.append(box)
        if name == "eat":
            box.eat(box)
        else:
            getattr(package, name)(box, [box] if name == "eat_listed" else box)

    assert agreed(both, call) == EATEN[name]
    assert [box.value for box in boxes] == [5, 5], "nothing was taken"


NESTED = ["small", "wide", "real", "single", "listed", "reals", "optional", "memory"]


class Nested(Runs):
    """Calls the function again, one level deeper, and fails at the bottom."""

    def __init__(self, function: Callable[[Any], Any], depth: int, failure: BaseException) -> None:
        self.asked = 0

        def code() -> None:
            self.asked += 1
            if depth == 0:
                raise failure
            inner = Nested(function, depth - 1, failure)
            try:
                function([inner] if function.__name__ in ("listed", "reals") else inner)
            finally:
                self.asked += inner.asked

        super().__init__(code)


@pytest.mark.parametrize("name", NESTED)
@pytest.mark.parametrize("failure", [ZeroDivisionError, TypeError, OverflowError, KeyboardInterrupt])
def test_nested_calls_run_once_a_level(both: list[Any], name: str, failure: type[BaseException]) -> None:
    asked = []

    def call(package: Any) -> None:
        function = getattr(package, name)
        nested = Nested(function, 15, failure("deep down"))
        try:
            function([nested] if name in ("listed", "reals") else nested)
        finally:
            asked.append(nested.asked)

    said = agreed(both, call)
    assert asked == [16, 16]
    if failure in (ZeroDivisionError, KeyboardInterrupt):
        assert said == f"{failure.__name__}: deep down"


def test_code_runs_once_and_in_order(both: list[Any]) -> None:
    """Also when a later argument is refused."""
    ran: list[str] = []

    def call(package: Any) -> Any:
        return package.two(Runs(lambda: ran.append("a")), 300)

    assert agreed(both, call) == "OverflowError: b: 300 does not fit i8"
    assert ran == ["a", "a"], "once in each engine"


@pytest.mark.parametrize("failure", [KeyboardInterrupt, MemoryError, ZeroDivisionError, SystemExit])
@pytest.mark.parametrize("where", ["__dlpack__", "__dlpack_device__", "attribute"])
def test_failures_of_who_lends_memory(both: list[Any], failure: type[BaseException], where: str) -> None:
    class Lends:
        def __dlpack_device__(self) -> tuple[int, int]:
            if where == "__dlpack_device__":
                raise failure("mine")
            return (1, 0)

        @property
        def __dlpack__(self) -> Callable[[], object]:
            if where == "attribute":
                raise failure("mine")
            return self.lend

        def lend(self) -> object:
            raise failure("mine")

    assert agreed(both, lambda package: package.memory(Lends())) == f"{failure.__name__}: mine"


@pytest.mark.parametrize("failure", [AttributeError, BufferError, RuntimeError, TypeError, ValueError])
@pytest.mark.parametrize("where", ["__dlpack__", "__dlpack_device__"])
def test_refusals_to_lend_memory(both: list[Any], failure: type[BaseException], where: str) -> None:
    def fails(self: object) -> object:
        raise failure("not now")

    lends = type("Lends", (), {"__dlpack__": fails, "__dlpack_device__": lambda self: (1, 0), where: fails})
    said = agreed(both, lambda package: package.memory(lends()))
    assert said == ("TypeError: n: a one-dimensional, contiguous array of float64 is wanted; this one refuses: not now")


def test_what_calls_itself_a_bool_of_numpy(both: list[Any]) -> None:
    def fails(self: object) -> bool:
        raise ZeroDivisionError("neither")

    for name, module in (("bool", "numpy"), ("bool_", "numpy"), ("numpy.bool", "numpy"), ("numpy.bool_", "mine")):
        lies = type(name, (), {"__bool__": fails, "__module__": module})
        said = agreed(both, lambda package: package.flag(lies()))  # noqa: B023 - called at once
        assert said.startswith("TypeError: x: a bool is wanted" if "." in name else "ZeroDivisionError: neither")


def test_no_half_made_handle(both: list[Any]) -> None:
    said = "TypeError: Box cannot be made directly; use Box.box()"
    assert agreed(both, lambda package: package.Box()) == said
    assert agreed(both, lambda package: package.Box.__new__(package.Box)) == said
    assert agreed(both, lambda package: type("Mine", (package.Box,), {})()) == said.replace("Box cannot", "Mine cannot")
    assert agreed(both, lambda package: package.Box.__new__(package.Box, 1, a=2)) == said
    for package in both:
        assert type("Mine", (package.Box,), {}).box(3).value == 3
