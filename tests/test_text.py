"""Generated text stays short: lines an entry, for the project's own specs and the examples that wrap a library."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from wrapper_gen.batch import SUFFIX

ROOT = Path(__file__).parents[1]
SPECS = {path.stem: path for path in (*ROOT.glob(f"specs/*{SUFFIX}"), *ROOT.glob(f"examples/libraries/*/*{SUFFIX}"))}
MOST = {"leveldb": 17, "yaml_cpp": 16, "zlib": 15}
"""Lines of the bridge an entry, where callables, buffers and streams take more than 12."""


@pytest.mark.parametrize("spec", sorted(SPECS))
def test_an_entry_has_few_lines_in_the_bridge(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    text = __import__("text")
    try:
        assert text.measure(SPECS[spec]).lines["bridge.cpp"] <= MOST.get(spec, text.BOUNDS["bridge.cpp"])
    finally:
        sys.modules.pop("text", None)
