"""Entries that build need not be right: a hundred of them, drawn by lot, were read against the documentation."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.imports.judged import EACH, drafted, drawn, judged, version_of
from wrapper_gen.diagnostics import SpecError, ToolchainError

pytest.importorskip("clang.cindex")

MOST_WRONG = 3
"""Of a hundred, those that are wrong and do not say so."""


def test_a_hundred_entries_are_judged_and_few_are_wrong() -> None:
    entries: list[Any] = [each for said in judged().values() for each in said["entries"].values()]  # type: ignore[attr-defined]
    found = Counter(each["verdict"] for each in entries)
    assert set(found) <= {"right", "marked", "wrong"}
    assert found.total() == 5 * EACH
    assert found["wrong"] <= MOST_WRONG
    assert all(each.get("marks") for each in entries if each["verdict"] == "marked")


@pytest.mark.parametrize("library", judged())
def test_what_is_drawn_is_what_was_judged(library: str) -> None:
    said: Any = judged()[library]
    macro, version = said["version"]
    try:
        outcome = drafted(library)
    except (SpecError, ToolchainError) as error:
        pytest.skip(f"{library} is missing: {error}")
    if version_of(outcome, macro) != version:
        pytest.skip(f"judged was {library} {version}, and this machine has {version_of(outcome, macro)}")
    now = {each.function.key: (each.text, each.marks) for each in drawn(library, outcome)}
    assert now == {key: (each["entry"], each.get("marks", "")) for key, each in said["entries"].items()}, (
        f"read what is new, and write its verdict: python -m tests.imports.judged {library}"
    )
