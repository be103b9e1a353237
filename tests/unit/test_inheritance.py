"""Questions about handle types that extend others."""

from __future__ import annotations

from wrapper_gen.model.inheritance import with_relatives

EXTENDS = {"Element": "Node", "Text": "Node", "Special": "Element"}


def test_relatives_have_a_base_in_common() -> None:
    assert with_relatives(["Text", "Other"], EXTENDS) == {"Node", "Element", "Text", "Special", "Other"}
    assert with_relatives(["Other"], EXTENDS) == {"Other"}


def test_what_is_given_may_be_an_iterator() -> None:
    assert with_relatives((name for name in ["Other"]), EXTENDS) == {"Other"}
    assert with_relatives((name for name in ["Other"]), {}) == {"Other"}
