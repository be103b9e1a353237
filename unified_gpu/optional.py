"""Libraries that are used where they are installed."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any


@cache
def load_numpy() -> Any:
    """NumPy where it is installed, else None."""
    try:
        return importlib.import_module("numpy")
    except ImportError:
        return None
