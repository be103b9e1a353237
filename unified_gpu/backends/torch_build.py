"""What torch was built for, found out without importing it, which takes seconds."""

from __future__ import annotations

import sys
from ctypes import CDLL
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

_KINDS = ("cuda", "hip", "xpu")
_DRIVER = "libcuda.so.1"


def finds_no_gpu() -> bool:
    """Whether torch would surely find no GPU: it was built without, or for NVIDIA's where their driver is missing.

    False where only torch itself can tell, where it is imported already, and where it is not installed.
    """
    if "torch" in sys.modules or sys.platform != "linux":
        return False
    found = find_spec("torch")
    if found is None or found.origin is None:
        return False
    try:
        version = run_path(str(Path(found.origin).with_name("version.py")))
    except Exception:  # then it is no torch that we know
        return False
    kinds = [kind for kind in _KINDS if version.get(kind)]
    if kinds and (kinds != ["cuda"] or _has_driver()):
        return False
    return not has_extension()


def _has_driver() -> bool:
    try:
        CDLL(_DRIVER)
    except OSError:
        return False
    return True


def has_extension() -> bool:
    """Whether torch is there, and its Python would load what adds devices to it."""
    if find_spec("torch") is None:
        return False
    from importlib.metadata import entry_points  # long to import, and needed nowhere else

    return bool(entry_points(group="torch.backends"))
