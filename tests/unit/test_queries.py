"""Questions about a module are answered once for each module."""

from __future__ import annotations

from pathlib import Path

import pytest

from wrapper_gen import pipeline
from wrapper_gen.model import Module
from wrapper_gen.queries import once

SPEC = "wrapper_lib: {name: demo}\nfunctions:\n  - {name: f, cpp_fn: f, params: [{name: a, type: i64}], return: i64}\n"


@pytest.fixture
def modules(tmp_path: Path) -> tuple[Module, Module]:
    """Two of one spec."""
    spec = tmp_path / "demo.wrapper_spec"
    spec.write_text(SPEC, encoding="utf-8")
    one, other = (pipeline.read(spec, spec.name)[0] for _ in range(2))
    return one, other


def test_a_module_is_asked_once(modules: tuple[Module, Module]) -> None:
    asked = []

    @once
    def count(module: Module) -> int:
        asked.append(module)
        return len(asked)

    one, other = modules
    assert [count(one), count(one), count(other), count(other)] == [1, 1, 2, 2]


def test_modules_are_not_compared(modules: tuple[Module, Module], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object, other: object) -> bool:
        raise AssertionError("to compare two modules is to look at everything in them")

    @once
    def name(module: Module) -> str:
        return module.name

    monkeypatch.setattr(Module, "__eq__", refuse)
    assert [name(each) for each in modules] == ["demo", "demo"]
