"""Which functions of interfaces Python overrides: overloads, private ones, those with pointers, static ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviour import packages

SPEC = packages.HERE.parent / "cases" / "interfaces" / "spec.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


def test_an_object_that_cpp_passes_by_reference_is_a_handle_that_is_a_pointer(lib: Any) -> None:
    class Refills(lib.Tool):  # type: ignore[misc]
        def refill(self, with_: Any, by: int) -> None:
            super().refill(with_, by * 10)

        def thickness(self, with_: Any) -> int:
            self.given = with_
            return -int(super().thickness(with_))

    pen, own = lib.Pen(2), Refills(1)
    assert lib.refilled(lib.plain(1), pen) == 5
    assert lib.refilled(own, pen) == -35
    with pytest.raises(lib.ClosedHandleError):
        lib.plain(1).thickness(own.given)
    assert lib.plain(1).thickness(pen) == lib.Tool(1).thickness(pen) == 35
    with pytest.raises(TypeError, match=r"^with_: a Pen is wanted, not int$"):
        lib.plain(1).refill(1, 2)


def test_each_of_several_functions_of_one_name_is_itself(lib: Any) -> None:
    class Says(lib.Tool):  # type: ignore[misc]
        def say(self, what: str) -> str:
            return f"<{super().say(what)}>"

        def say_pointer(self, what: str) -> str:
            return f"({super().say_pointer(what)})"

        def say_number(self, what: float) -> str:
            return f"[{super().say_number(what)} {what}]"

    plain = "a string x, a pointer x, a number"
    assert lib.said(lib.plain(1)) == lib.said(lib.Tool(1)) == plain
    assert lib.said(Says(1)) == "<a string x>, (a pointer x), [a number 1.5]"
    for tool in (lib.plain(1), lib.Tool(1)):
        assert ", ".join([tool.say("x"), tool.say_pointer("x"), tool.say_number(1)]) == plain


def test_a_static_function_of_an_interface(lib: Any) -> None:
    class Largest(lib.Tool):  # type: ignore[misc]
        @staticmethod
        def most() -> int:
            return 2 * int(lib.Tool.most())

    assert (lib.Tool.most(), lib.plain(1).most(), Largest.most(), Largest(1).most()) == (100, 100, 200, 200)
    made = lib.Tool.of_size(3)
    assert (type(made), made.size()) == (lib.Tool, 3)


def test_a_private_function_of_cpp_is_overridden(lib: Any) -> None:
    class Steps(lib.Pattern):  # type: ignore[misc]
        def step(self, by: int) -> int:
            return by * 10

    assert Steps().run() == 50
    with pytest.raises(TypeError, match=r"cannot be made: it has to override step$"):
        lib.Pattern()
