"""What the spec's C++ expressions mention and call."""

from __future__ import annotations

import pytest

from wrapper_gen.expressions import called, is_function_name, mentions


@pytest.mark.parametrize(
    "text", ["value", "value >= 0", "-value", "f(value)", "a ? b:value", "1 >value", "value.x", "value->x", "(value)"]
)
def test_a_name_is_mentioned(text: str) -> None:
    assert mentions(text, "value")
    assert mentions(text, "result", "value")
    assert not mentions(text, "result", "valu")


@pytest.mark.parametrize(
    "text", ["", "values", "a.value", "a->value", "n::value", "value::n", '"a value"', r'"\"value"']
)
def test_a_part_of_something_else_is_not_mentioned(text: str) -> None:
    assert not mentions(text, "value")


@pytest.mark.parametrize(("text", "is_name"), [
    ("free", True), ("::free", True), ("a::b::free", True), ("", False), ("free(value)", False), ("a::", False),
    ("a.b", False), ("1", False), ("a::::b", False), ("f<int>", False),
])  # fmt: skip
def test_names_of_functions(text: str, is_name: bool) -> None:
    assert is_function_name(text) is is_name


def test_only_a_name_is_called() -> None:
    assert called(" geo::free ", "value") == "geo::free(value)"
    assert called("start") == "start()"
    assert called("free(value.data)", "value") == "free(value.data)"
    assert called("value", "h.inner") == "value"
