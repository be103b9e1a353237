"""Every text that a spec of this repository has had is migrated to one that means the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def migration(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    try:
        yield __import__("migration")
    finally:
        sys.modules.pop("migration", None)


def test_some_texts_of_each_spec(migration: ModuleType) -> None:
    texts = migration.history(["specs/cpu.wrapper_spec", "specs/cuda.wrapper_spec", "tests/cases/callables"])
    if not texts:
        pytest.skip("this copy has no history")
    result = migration.migrated(texts[:: max(len(texts) // 5, 1)])
    assert (result.questions, result.wrong, result.different) == ([], [], [])
    assert result.texts >= 5
    assert "0 questions, 0 of them different" in migration.report(result)


@pytest.mark.slow
def test_all_texts(migration: ModuleType) -> None:
    texts = migration.history(migration.FOLDERS)
    if not texts:
        pytest.skip("this copy has no history")
    result = migration.migrated(texts)
    assert result.asked() <= migration.MOST, migration.report(result)
    assert result.different == []


def test_a_question_is_named_without_its_place(migration: ModuleType) -> None:
    result = migration.Result(texts=2, questions=[("a@1", "which 'x'; without that it is f(x)"), ("a@2", "which 'y'")])
    assert (result.reasons(), result.asked()) == ({"which …": 2}, 2)
    assert "| which … | a@1         |         2 |" in migration.report(result)
