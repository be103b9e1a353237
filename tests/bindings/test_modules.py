"""Modules in the usual styles of pybind11 and nanobind: their specs build, and pass the modules' own tests."""

from __future__ import annotations

import pytest

from tests.behaviour.packages import ENGINES, build_text
from tests.bindings.modules import BINDERS, checks, converted, names_in, original, with_absolute_folders

pytest.importorskip("pybind11")
pytest.importorskip("nanobind")

_MARKS = {2: pytest.mark.slow, 3: pytest.mark.slow, 4: pytest.mark.long}
TESTS = [
    pytest.param(name, test, marks=_MARKS.get(number, ()))
    for number, name in enumerate(BINDERS)
    for test in names_in(name)
]
"""Those of the first two belong to `make test`."""
MOST_LEFT = 0.1
"""Of the definitions of a module, those that may be left."""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("name", "test"), TESTS)
def test_a_converted_module_passes_its_own_tests(name: str, test: str, engine: str) -> None:
    package = build_text(with_absolute_folders(converted(name).text), name=name)
    getattr(checks(name), test)(package.load(engine))


@pytest.mark.long
@pytest.mark.parametrize(("name", "test"), TESTS)
def test_a_module_passes_its_own_tests(name: str, test: str) -> None:
    getattr(checks(name), test)(original(name))


@pytest.mark.parametrize("name", BINDERS)
def test_few_definitions_are_left(name: str) -> None:
    report = converted(name).report
    assert len(report.left) <= MOST_LEFT * len(report.outcomes)
    assert len(report.outcomes) > 30
