"""Generated text stays short: lines an entry, for the project's own specs and the examples that wrap a library."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from wrapper_gen.batch import SUFFIX

ROOT = Path(__file__).parents[1]
SPECS = {path.stem: path for path in (*ROOT.glob(f"specs/*{SUFFIX}"), *ROOT.glob(f"examples/libraries/*/*{SUFFIX}"))}
MOST = {"cpu": 16, "cuda": 11, "dlpack": 24, "leveldb": 14, "torch": 14}
"""Lines of `_cffi_engine.py` an entry, of specs whose entries have many parameters: docs/text.md."""


@pytest.mark.parametrize("spec", sorted(SPECS))
def test_an_entry_has_few_lines(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    text = __import__("text")
    try:
        most = text.BOUNDS | ({"_cffi_engine.py": MOST[spec]} if spec in MOST else {})
        lines = text.measure(SPECS[spec], adds=False).lines
        assert {name: count for name, count in lines.items() if count > most[name]} == {}
    finally:
        sys.modules.pop("text", None)
