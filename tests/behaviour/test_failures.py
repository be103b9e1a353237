"""What the library reports becomes the exception that the spec says, whole; no C++ exception goes further."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.behaviour.objects import live

MESSAGE = 'mé "ß"\n\\ 100% 😀'
STANDARD = {
    "bad_alloc": MemoryError,
    "bad_array_new_length": MemoryError,
    "invalid_argument": ValueError,
    "domain_error": ValueError,
    "out_of_range": IndexError,
    "overflow_error": OverflowError,
}
OTHERS = [
    "underflow_error", "range_error", "logic_error", "runtime_error", "system_error", "ios_failure",
    "filesystem_error", "bad_cast", "bad_any_cast", "bad_function_call", "bad_optional_access", "bad_variant_access",
    "exception", "int",
]  # fmt: skip
WITH_MESSAGE = {"invalid_argument", "domain_error", "out_of_range", "overflow_error", "underflow_error", "logic_error"}
WITH_MESSAGE |= {"range_error", "runtime_error", "system_error", "ios_failure", "filesystem_error"}


@pytest.mark.parametrize("name", [*STANDARD, *OTHERS])
def test_standard_exceptions(shapes: Any, name: str) -> None:
    expected = STANDARD.get(name, shapes.ShapesError)
    with pytest.raises(expected) as caught:
        shapes.throw_standard(name, MESSAGE)
    assert type(caught.value) is expected
    if name in WITH_MESSAGE:
        assert MESSAGE in str(caught.value)
    shapes.throw_standard("nothing", MESSAGE)


def test_the_librarys_own_error(shapes: Any) -> None:
    assert issubclass(shapes.ShapesError, RuntimeError)
    with pytest.raises(shapes.ShapesError) as caught:
        shapes.throw_standard("runtime_error", "")
    assert (caught.value.code, caught.value.name, str(caught.value)) == (None, None, "")


@pytest.mark.parametrize("function", ["number", "text", "enum", "nan", "none"])
def test_each_kind_of_result_can_fail(shapes: Any, function: str) -> None:
    call = getattr(shapes, f"throw_for_{function}")
    for name, expected in [*STANDARD.items(), ("Torn", shapes.TornError), ("Plain", LookupError)]:
        with pytest.raises(expected):
            call(name)
    result = call("nothing")
    assert {"number": result == -20210113, "text": result == "nothing", "enum": result is shapes.Colour.RED,
            "nan": result != result, "none": result is None}[function]  # fmt: skip


def test_declared_exceptions(shapes: Any) -> None:
    assert issubclass(shapes.TornError, shapes.ShapesError)
    with pytest.raises(shapes.TornError, match="^" + "torn" + "$") as caught:
        shapes.throw_standard("Torn", "torn")
    assert caught.value.code is None
    with pytest.raises(LookupError, match=r"^plain 4$"):  # by an expression; no std::exception at all
        shapes.throw_standard("Plain", "1234")


@pytest.mark.parametrize("call", ["set_status", "set_status_slowly"])
def test_statuses(shapes: Any, call: str) -> None:
    set_status = getattr(shapes, call)
    assert set_status(0) is None
    assert set_status(1) is None
    with pytest.raises(MemoryError) as no_memory:
        set_status(2)
    assert str(no_memory.value) == "the shape is «no_memory»"
    assert isinstance(no_memory.value, shapes.StatusError)
    assert (no_memory.value.code, no_memory.value.name) == (2, "no_memory")
    with pytest.raises(ValueError, match="bad_name") as bad_name:
        set_status(3)
    assert type(bad_name.value) is shapes.StatusValueError
    with pytest.raises(shapes.StatusError, match=r"^the shape is «broken»$") as broken:
        set_status(-7)
    assert (broken.value.code, broken.value.name) == (-7, "broken")
    assert isinstance(broken.value, shapes.ShapesError)
    assert shapes.StatusError.__doc__ == "The shape is in a bad state."
    assert set_status(0) is None


def test_a_status_without_name(shapes: Any) -> None:
    with pytest.raises(shapes.StatusError, match=r"^the shape is «\?»$") as caught:
        shapes.set_status(55)
    assert (caught.value.code, caught.value.name) == (55, None)


def test_a_status_within_the_code(shapes: Any) -> None:
    assert shapes.checked(1) == 2
    with pytest.raises(MemoryError):
        shapes.checked(2)


def test_what_is_not_implemented(shapes: Any) -> None:
    with pytest.raises(
        NotImplementedError, match=r"^later is not implemented: .*shapes\.wrapper_spec:\d+ gives it no cpp or cpp_body"
    ):
        shapes.later()
    with pytest.raises(
        NotImplementedError, match=r"^later is not implemented: .*shapes\.wrapper_spec:\d+ gives it no cpp or cpp_body"
    ):
        shapes.point().later()


def test_a_constructor_that_fails_leaves_nothing(shapes: Any) -> None:
    for _ in range(10):
        with pytest.raises(IndexError, match=r"^no point$"):
            shapes.failing_point()
    assert live(shapes, 0) == 0


def test_the_last_error_is_each_threads_own(shapes: Any) -> None:
    rounds = 300
    wrong: list[object] = []

    def fail(number: int) -> None:
        for i in range(rounds):
            message = f"{number}:{i}"
            try:
                shapes.throw_standard("logic_error", message)
            except shapes.ShapesError as error:
                if str(error) != message:
                    wrong.append(str(error))
            if shapes.throw_for_number("nothing") != -20210113:
                wrong.append(number)

    threads = [threading.Thread(target=fail, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_an_exception_while_another_is_handled(shapes: Any) -> None:
    with pytest.raises(IndexError) as caught:
        try:
            shapes.throw_standard("domain_error", "first")
        except ValueError:
            shapes.throw_standard("out_of_range", "second")
    assert str(caught.value.__context__) == "first"
