"""The table in docs/gpu/vulkan.md of what Vulkan does not have names tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

from tests.gpu import not_on_vulkan

HERE = Path(__file__).parent


def test_the_table_names_tests_that_there_are() -> None:
    """That each of them fails as its row says, and that no other does, is seen where they run."""
    table = not_on_vulkan.rows()
    assert len(table) >= 3 and all(row.raises and row.tests for row in table)
    files = {file.name: file.read_text(encoding="utf-8") for file in HERE.glob("*.py")}
    there = {*files, *re.findall(r"^def (test_\w+)\(", "\n".join(files.values()), re.MULTILINE)}
    named = [re.sub(r"\[.*", "", name) for row in table for name in (*row.tests, *row.others)]
    assert [name for name in named if name not in there] == []


def test_what_a_row_names() -> None:
    row = not_on_vulkan.Row("x", (ValueError,), ("test_cast[*bf16*]", "test_kernels.py"), ("test_that_passes",))
    assert row.has("test_operations.py", "test_cast[f32-bf16]")
    assert not row.has("test_operations.py", "test_cast[f32-f16]")
    assert row.has("test_kernels.py", "test_any[1]")
    assert not row.has("test_kernels.py", "test_that_passes[2]")
