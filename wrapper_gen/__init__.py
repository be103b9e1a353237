"""wrapper-gen: one reviewable YAML file about a C or C++ library becomes a Python package."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wrapper_gen.loading import load

__all__ = ["load"]


def __getattr__(name: str) -> object:
    if name == "load":
        from wrapper_gen.loading import load

        return load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
