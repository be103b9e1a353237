"""What stands where there is no default."""

from __future__ import annotations

from enum import Enum


class NoDefault(Enum):
    NO_DEFAULT = "no default"

    def __repr__(self) -> str:
        return "NO_DEFAULT"


NO_DEFAULT = NoDefault.NO_DEFAULT
"""Stands where a parameter has no default, or a function no stub value (None is a value)."""
