"""What torch was built for, found out without importing it, which takes seconds."""

from __future__ import annotations

import os
import sys
from ctypes import CDLL
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

from . import own_packages

_KINDS = ("cuda", "hip", "xpu")
_DRIVER = "libcuda.so.1"
_LIBRARY = "libc10.so"
"""Of torch, where what adds a device to it registers the device."""


def is_installed() -> bool:
    """Whether Python finds torch."""
    return find_spec("torch") is not None


def explained(why: str | ImportError) -> str:
    """Why torch_ffi cannot be used, and what to do: torch itself may be missing, which comes first."""
    is_there = is_installed()
    if isinstance(why, ImportError) and not isinstance(why, ModuleNotFoundError):
        build = f"{why}"  # of the package, which says how it is built
    else:
        build = f"{why}; {own_packages.how_to_build('torch_ffi')}"
    return build if is_there else f"torch is not installed: pip install torch; and {build}"


def finds_no_gpu() -> bool:
    """Whether torch would surely find no GPU: it was built without, or for NVIDIA's where their driver is missing.

    False where only torch itself knows it, where its libraries are loaded already, and where it is not installed.
    """
    if sys.platform != "linux" or _is_loaded():
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


def _is_loaded() -> bool:
    """Whether torch is in this process, by its Python, by torch_ffi, or by a library that adds a device to it."""
    try:
        CDLL(_LIBRARY, mode=os.RTLD_NOLOAD)
    except OSError:
        return False
    return True


def _has_driver() -> bool:
    try:
        CDLL(_DRIVER)
    except OSError:
        return False
    return True


def has_extension() -> bool:
    """Whether torch is there, and its Python would load what adds devices to it."""
    if not is_installed():
        return False
    from importlib.metadata import entry_points  # long to import, and needed nowhere else

    return bool(entry_points(group="torch.backends"))
