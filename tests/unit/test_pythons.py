"""The page of other Pythons: what it says of the tests that ran there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1] / "pythons"
RESULTS = """\
<testsuites><testsuite>
  <testcase name="test_a[cffi-1]"/>
  <testcase name="test_a[1-cpython]"/>
  <testcase name="test_a[cpython-2]"><failure message="no"/></testcase>
  <testcase name="test_b[cpython-cffi]"><error message="no"/></testcase>
  <testcase name="test_c"><skipped message="Skipped: no cffi | here"/></testcase>
  <testcase name="test_d"><skipped message="/x/test_d.py:12: no cffi | here"/></testcase>
  <testcase name="test_e"><skipped message="collection skipped">('/x/e.py', 1, "Skipped: no torch")</skipped></testcase>
</testsuite></testsuites>
"""


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(HERE), *sys.path])
    import report

    file = tmp_path / "results.xml"
    file.write_text(RESULTS)
    pythons = report.Python("CPython", "3.13.5", False, False), report.Python("PyPy", "3.11.15", True, False)
    page = report.page((python, file) for python in pythons)
    free = "CPython 3.13.5 without a GIL"
    rows = [f"| {free} | cpython | 1 | 1 | 0 |", f"| {free} | cffi | 1 | 0 | 0 |", f"| {free} |  | 0 | 1 | 3 |"]
    assert "\n".join(rows) in page
    assert "| PyPy 3.11.15 | cpython | 1 | 1 | 0 |" in page
    assert f"| no torch (whole files) | {free}: 1, PyPy 3.11.15: 1 |" in page
    assert rf"| no cffi \| here | {free}: 2, PyPy 3.11.15: 2 |" in page
