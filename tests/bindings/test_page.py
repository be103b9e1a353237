"""The spec on the page about moving is what the command makes of the page's module."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wrapper_gen.bindings import convert

PAGE = Path(__file__).parents[2] / "docs" / "moving.md"

pytest.importorskip("pybind11")


def test_the_page_shows_what_the_command_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = dict(re.findall(r"^```(cpp|yaml)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))
    Path("accounts.cpp").write_text(blocks["cpp"], encoding="utf-8")
    assert convert(["accounts.cpp"], "accounts", "pybind11").text == blocks["yaml"]
