"""The libraries of benchmarks/real.py: every row that it times runs, and does what it should, on both engines."""

from __future__ import annotations

import gc
import importlib
import weakref
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour import packages

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SPECS = {name: BENCHMARKS / "real" / name / f"{name}.wrapper_spec" for name in ("nodes", "rows", "vectors")}


def _program(monkeypatch: pytest.MonkeyPatch, name: str) -> Any:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module(name)


@pytest.mark.parametrize("library", SPECS)
@pytest.mark.parametrize("engine", packages.ENGINES)
def test_every_row_runs(monkeypatch: pytest.MonkeyPatch, library: str, engine: str) -> None:
    module = packages.build(SPECS[library]).load(engine)
    operations = _program(monkeypatch, "real_process").operations(library, module)
    assert operations
    for name, (expression, used) in operations.items():
        for _ in range(3):
            result = eval(expression, dict(used)) if name != "property set" else exec(expression, dict(used))
        assert (result is None) == (expression.startswith(("drain", "names")) or "none" in name or name in _NO_RESULT)


_NO_RESULT = {"property set", "search of 100"}


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_a_node_keeps_its_document_and_ends_with_it(engine: str) -> None:
    nodes = packages.build(SPECS["nodes"]).load(engine)
    document = nodes.Document("book")
    document.fill(3)
    found: list[Any] = []

    def is_second(each: Any) -> bool:
        found.append(each)
        return bool(each.attribute("id").value == "1")

    node = document.root().find(is_second)
    attribute = node.attribute("id")
    assert [each.closed for each in found] == [True, True], "what a callable is given is valid for that call"
    there = weakref.ref(document)
    del document
    gc.collect()
    assert there() is not None and attribute.value == "1" and [each.name for each in node] == [""]
    steps = iter(node)
    there().clear()
    with pytest.raises(nodes.ClosedHandleError):
        node.name  # noqa: B018 - to ask is what raises
    with pytest.raises(nodes.ClosedHandleError):
        next(steps)
    del node, attribute, steps
    gc.collect()
    assert there() is None


def test_bounds_are_those_of_the_faster_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    real = _program(monkeypatch, "real")
    row = {real.OURS: [9.0], "nanobind": [10.0], "pybind11": [20.0], "nanobind, safe": [30.0], "pybind11, safe": [12.0]}
    bounds = real.wanted(
        {"nodes: count": row, "nodes: loop over 100 children": row, "rows: match(lambda), the first": row}
    )
    assert [(each.what, each.bound, each.measured.median) for each in bounds[:2]] == [
        ("nodes: count: against pybind11, safe", 0.9, 0.75),
        ("nodes: count: against nanobind", 1.0, 0.9),
    ]
    assert [each.bound for each in bounds[2:]] == [0.9, 1.1, 0.9, 1.1]
