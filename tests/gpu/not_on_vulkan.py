"""The tests that do not pass over Vulkan, as the table in docs/gpu/vulkan.md names them: each fails as its row says.

A row names tests as `test_cast[*bf16*]`, without the backend in the brackets, or all of a file as `test_kernels.py`;
those behind "but" pass.
"""

from __future__ import annotations

import builtins
import re
from dataclasses import dataclass

import pytest

import unified_gpu
from tests.gpu.places import ROOT

_TABLE = "| not there | raises | tests |\n"
_QUOTED = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Row:
    """What Vulkan does not have: what it raises, and which tests show it."""

    what: str
    raises: tuple[type[BaseException], ...]
    tests: tuple[str, ...]
    others: tuple[str, ...]  # that pass, although `tests` has them

    def has(self, file: str, test: str) -> bool:
        found = any(matches(pattern, file, test) for pattern in self.tests)
        return found and not any(matches(pattern, file, test) for pattern in self.others)


def matches(pattern: str, file: str, test: str) -> bool:
    """Whether a row's pattern names a test; `*` stands for any characters."""
    whole = re.escape(pattern).replace(r"\*", ".*")
    return any(re.fullmatch(whole, each) is not None for each in (file, test, re.sub(r"\[.*", "", test)))


def rows() -> list[Row]:
    """The rows of the table."""
    text = (ROOT / "docs" / "gpu" / "vulkan.md").read_text(encoding="utf-8")
    found = []
    for line in text.split(_TABLE)[1].splitlines()[1:]:
        if not line.startswith("|"):
            break
        what, raises, tests = (cell.strip() for cell in line.strip("|").split("|"))
        kinds = [getattr(unified_gpu, name, None) or getattr(builtins, name) for name in _QUOTED.findall(raises)]
        named, _, others = tests.partition(" but ")
        found.append(Row(what, tuple(kinds), tuple(_QUOTED.findall(named)), tuple(_QUOTED.findall(others))))
    return found


def file_and_test(item: pytest.Item) -> tuple[str, str]:
    """The file's name, and the test's with its parameters, without the backend among them."""
    name = re.sub(r"\bvulkan-|-vulkan\b|\[vulkan\]", "", item.name)
    return item.path.name, name


def row_of(item: pytest.Item, table: list[Row]) -> Row | None:
    """The row that names a test of Vulkan."""
    file, test = file_and_test(item)
    return next((row for row in table if row.has(file, test)), None)
