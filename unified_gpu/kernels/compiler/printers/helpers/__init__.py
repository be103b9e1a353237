"""The C++ and CUDA C that printed kernels call; it stands in front of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def helpers(name: str) -> str:
    return Path(__file__).with_name(f"{name}.hpp").read_text(encoding="utf-8")
