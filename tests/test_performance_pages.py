"""The pages of what was measured: the peers first, then all figures; what is not reached has a page and reasons."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module of the benchmarks, which others may have one of the same name beside."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    monkeypatch.delitem(sys.modules, "report", raising=False)
    yield importlib.import_module("report")
    sys.modules.pop("report", None)


def run_of(*, median: float, held: str) -> dict[str, Any]:
    """What a run of two benchmarks wrote."""
    bound = {"what": "two floats: against C-API by hand", "bound": 1.1, "censored": False, "unit": "", "held": held}
    bound["measured"] = {"median": median, "low": median, "high": median}
    times = {"two floats": {"wrapper-gen, cpython": [2.0, 4.0], "nanobind": [4.0, 8.0], "pybind11": [8.0, 8.0]}}
    series = {"runs": [{"processor_seconds": 3.0}]}
    compiled = {"300": {"wrapper-gen, cpython": series, "nanobind": {"runs": [{"processor_seconds": 4.0}]}}}
    machine = {"cores": "2"}
    return {
        "calls": {"machine": machine, "page": "all calls", "wanted": [bound], "data": {"times": times}},
        "compile": {"machine": machine, "page": "all builds", "wanted": [], "data": compiled},
    }


def test_the_page_begins_with_one_table_beside_the_peers(report: ModuleType) -> None:
    page = report.index([run_of(median=1.0, held="yes")])
    headings = [line for line in page.splitlines() if line.startswith("#")]
    assert headings == ["# Performance", "## In short", "## All figures", "## The machine"]
    (row,) = [line for line in page.splitlines() if line.startswith("| two floats")]
    assert [cell.strip() for cell in row.strip("|").split("|")] == [
        "two floats",
        "0.50",
        "-",
        "1.00",
        "1.50",
        "-",
        "-",
        "-",
    ]
    assert "| 0.75 |" in " ".join(page.partition("to compile 300")[2].partition("\n")[0].split())
    assert "1 of 1 measured bounds held in this run. [The others](misses.md)" in page


def test_each_benchmark_has_its_section_on_the_page_of_its_subject(report: ModuleType) -> None:
    pages = {path.name: text for path, text in report.pages([run_of(median=1.0, held="yes")]).items()}
    assert "\n## Calls\n\nall calls\n" in pages["calls.md"]
    assert "\n## Compiling\n\nall builds\n" in pages["builds.md"]
    assert "\n## Generation\n\nNot measured: `python benchmarks/generate.py`.\n" in pages["builds.md"]
    for name, title in report.SECTIONS.items():
        assert [page for page, text in pages.items() if f"\n## {title}\n" in text], name
    linked = re.findall(r"\]\(([\w-]+\.md)", pages["index.md"])
    assert {*linked, "index.md"} == {*pages}


def test_what_is_missed_has_its_reason_on_a_page_of_its_own(report: ModuleType) -> None:
    runs = [run_of(median=1.5, held="no"), run_of(median=1.4, held="no")]
    assert "0 of 1 measured bounds held in each of 2 runs." in report.index(runs)
    (row,) = [line for line in report.misses(runs).splitlines() if line.startswith("| Calls")]
    assert "where the code lies in memory" in row
    assert row.split("|")[-2].strip() == "0 of 2"
    assert "where the code lies in memory" not in report.index(runs)


def test_one_page_alone_has_its_misses_and_leaves_the_others(
    report: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for number in ("1", "2"):
        (tmp_path / number).mkdir()
        (tmp_path / number / "calls.json").write_text(json.dumps(run_of(median=1.5, held="no")["calls"]))
    monkeypatch.setattr(report, "FOLDER", tmp_path)
    monkeypatch.setattr(report, "REPOSITORY", tmp_path)
    monkeypatch.setattr(sys, "argv", ["report.py", "--only", "calls", str(tmp_path / "1"), str(tmp_path / "2")])
    report.main()
    assert [each.name for each in tmp_path.glob("*.md")] == ["calls.md"]
    (row,) = [line for line in (tmp_path / "calls.md").read_text().splitlines() if "where the code lies" in line]
    assert row.startswith("| two floats: against C-API by hand") and row.rstrip(" |").endswith("0 of 2")
    monkeypatch.setattr(sys, "argv", ["report.py", "--only", "none"])
    with pytest.raises(SystemExit):
        report.main()


def test_the_committed_pages_have_these_parts(report: ModuleType) -> None:
    for name, page in report.PAGES.items():
        text = (report.FOLDER / f"{name}.md").read_text(encoding="utf-8")
        assert text.startswith(report.figures(page, []).partition("\n## ")[0])
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == [*page.sections.values()]
    page = (report.FOLDER / "index.md").read_text(encoding="utf-8")
    missed = (report.FOLDER / "misses.md").read_text(encoding="utf-8")
    assert page.startswith(report.OPENING.rstrip())
    assert missed.startswith(report.OPENING_OF_MISSES.rstrip())
    for name in report.OPERATIONS:
        assert f"\n| {name} " in page.partition("\n## The machine\n")[0]
