"""What the type stub says of operators in place, and of objects with items that say nothing of an iterator."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour import packages

ROWS = """
wrapper_lib: {name: rows, cpp_include: [vector]}
cpp_prelude: |
  struct row {
    std::vector<double> cells = {1, 2};
    row times(double by) const { row out = *this; for (double &each : out.cells) each *= by; return out; }
  };
handle_types:
  - name: Row
    cpp_type: "::row"
    methods:
      - {def: "Row()"}
      - {def: "__len__() -> usize", cpp_body: "return h.inner.cells.size();"}
      - {def: "__getitem__(i: position) -> f64", cpp_body: "return h.inner.cells[static_cast<usize>(i)];"}
      - {def: "__mul__(other: Row) -> Row", cpp_body: "return h.inner.times(other.inner.cells[1]);"}
      - {def: "__mul__(by: f64) -> Row", cpp_body: "return h.inner.times(by);"}
      - {def: "__imul__(by: f64)", cpp_body: "h.inner = h.inner.times(by);"}
      - {def: "__add__(by: f64) -> Row", cpp_body: "return h.inner.times(1 + by);"}
      - {def: "__iadd__(by: f64)", cpp_body: "h.inner = h.inner.times(1 + by);"}
      - {def: "__iadd__(other: Row)", cpp_body: "h.inner = h.inner.times(1 + other.inner.cells[0]);"}
      - {def: "__sub__(by: i64) -> Row", cpp_body: "return h.inner.times(static_cast<f64>(1 - by));"}
      - {def: "__isub__(by: f64)", cpp_body: "h.inner = h.inner.times(1 - by);"}
  - name: Lasting
    cpp_type: "::row"
    extends: Row
    methods:
      - {def: "__isub__(by: f64)", cpp_body: "static_cast<void>(by);"}
"""

USE = """\
from collections.abc import Iterable

import rows_ffi


def total(cells: Iterable[float]) -> float:
    return sum(cells)


total(rows_ffi.Row())
for cell in rows_ffi.Row():
    cell.is_integer()
"""


def test_items_at_positions_are_iterated_over(engine: str) -> None:
    row: Any = packages.build_text(ROWS, name="rows").load(engine).Row()
    assert list(row) == [1.0, 2.0] and list(reversed(row)) == [2.0, 1.0]
    assert callable(type(row).__iter__)
    iterator = iter(row)
    assert (next(iterator), next(iterator), next(iterator, "end")) == (1.0, 2.0, "end")
    row *= 2.0
    row *= row
    assert list(row) == [8.0, 16.0]
    row.close()
    with pytest.raises(ValueError, match="closed"):
        list(row)


def test_type_checkers_take_the_stub(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    folder = packages.generate_text(ROWS, name="rows")
    user = tmp_path / "user.py"
    user.write_text(USE, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, str(folder / "__init__.pyi"), str(user)],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(folder.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
