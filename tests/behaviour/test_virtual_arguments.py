"""Virtual functions whose arguments and results are others in C++ than in Python."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviour import packages

SPEC = packages.HERE.parent / "cases" / "interfaces" / "spec.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture(scope="module")
def plain(lib: Any) -> Any:
    """A class that overrides only what it has to."""

    class Plain(lib.Sink):  # type: ignore[misc]
        def order(self, a: str, b: str) -> int:
            return len(a) - len(b)

    return Plain


def test_a_format_and_its_arguments_are_a_text(lib: Any, plain: Any) -> None:
    class Printer(plain):  # type: ignore[misc]
        def line(self, text: str) -> None:
            lines.append(text)

    lines: list[str] = []
    lib.printed(Printer(), "x" * 5000, -7)
    lib.printed(Printer(), "é%s", 100)
    assert lines == ["x" * 5000 + " is -7%", "é%s is 100%"]


def test_an_expression_gives_cpp_the_result(lib: Any, plain: Any) -> None:
    class Shortener(plain):  # type: ignore[misc]
        def shorten(self, text: str, most: int) -> str:
            return text[:most]

        def summarize(self, texts: list[bytes]) -> str:
            return b", ".join(texts).decode()

    assert lib.shortened(Shortener(), "a long text", 6) == "a long"
    assert lib.summary(Shortener(), ["one", "", "a\0b"]) == "so: one, , a\0b"
    assert lib.summary(Shortener(), []) == "so: "


def test_what_is_optional_need_not_be_overridden(lib: Any, plain: Any) -> None:
    sink = plain()
    lib.printed(sink, "nothing", 1)
    assert lib.shortened(sink, "stays", 1) == "stays"
    assert lib.summary(sink, ["a"]) == "so: "
    with pytest.raises(TypeError, match="has to override order"):
        lib.Sink()


def test_exceptions_become_statuses_and_back(lib: Any, plain: Any) -> None:
    class Saver(plain):  # type: ignore[misc]
        def save(self, data: bytes) -> int:
            if data == b"full":
                raise lib.SinkFull("no room")
            return data.index(b"here")

    assert lib.saved(Saver(), "it is here") == 6
    with pytest.raises(lib.SinkFull, match="no room"):
        lib.saved(Saver(), "full")
    with pytest.raises(ValueError, match="not found"):
        lib.saved(Saver(), "elsewhere".replace("here", "there"[:2]))


def test_an_exception_gives_cpp_a_value_of_its_arguments(lib: Any, plain: Any) -> None:
    class Failing(plain):  # type: ignore[misc]
        calls = 0

        def order(self, a: str, b: str) -> int:
            self.calls += 1
            raise LookupError("cannot compare")

    assert lib.ordered(plain(), "aaa", "b") == 2
    failing = Failing()
    with pytest.raises(LookupError, match="cannot compare"):
        lib.ordered(failing, "aaa", "b")  # C++ takes no exception there
    assert failing.calls == 1


def test_results_of_other_types_name_the_method(lib: Any, plain: Any) -> None:
    class Wrong(plain):  # type: ignore[misc]
        def shorten(self, text: str, most: int) -> Any:
            return most

        def order(self, a: str, b: str) -> Any:
            return 1 << 40

    with pytest.raises(TypeError, match=r"Sink\.shorten\(\).*str"):
        lib.shortened(Wrong(), "text", 1)
    with pytest.raises(OverflowError, match=r"Sink\.order\(\)"):
        lib.ordered(Wrong(), "a", "b")


def test_python_does_not_call_what_has_other_arguments_in_cpp(lib: Any, plain: Any) -> None:
    with pytest.raises(NotImplementedError, match=r"Sink\.shorten\(\) is for C\+\+ to call"):
        plain().shorten("text", 1)


def test_python_calls_what_has_the_same_arguments_whatever_an_exception_gives(lib: Any, plain: Any) -> None:
    with pytest.raises(NotImplementedError, match=r"^Sink\.order\(\) is abstract$"):
        lib.Sink.order(plain(), "a", "b")


def test_an_argument_that_nothing_uses_is_hidden(lib: Any, plain: Any) -> None:
    class Flushes(plain):  # type: ignore[misc]
        def flush(self, how: int) -> int:
            return how * 2

    assert (lib.flushed(plain(), 4), lib.flushed(Flushes(), 4)) == (0, 8)

    class Wrong(plain):  # type: ignore[misc]
        def flush(self, how: int, reserved: object) -> int:
            return how

    with pytest.raises(TypeError, match=r"flush\(\)"):
        lib.flushed(Wrong(), 4)
