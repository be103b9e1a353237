"""The generated packages that a wheel of unified_gpu carries; in a checkout they lie elsewhere on the path.

All but torch's are compiled in the wheel; see `torch_package` for that.
"""

from __future__ import annotations

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "_packages"
BUILD_TORCH = "python -m unified_gpu --build torch"


def how_to_build(*packages: str, needs: str = "") -> str:
    """What makes packages usable that are missing, or are stubs; `needs`: what to do before, where they are compiled.

    In a wheel they are compiled, but for torch's, and something has removed them or hides them.
    """
    if not FOLDER.is_dir():
        specs = " ".join(f"specs/{package.removesuffix('_ffi')}.wrapper_spec" for package in packages)
        before = f"{needs}, and " if needs else ""
        return f"{before}build the package with: wrapper-gen build {specs} (in {FOLDER.parents[1]})"
    return BUILD_TORCH if "torch_ffi" in packages else "python -m pip install --force-reinstall --no-deps unified-gpu"


def how_to_install(extra: str, *distributions: str) -> str:
    """The command that brings libraries of an optional dependency of the wheel."""
    return f"pip install 'unified-gpu[{extra}]'" if FOLDER.is_dir() else f"pip install {' '.join(distributions)}"


def add_to_path() -> None:
    """Let the packages of a wheel be imported, after any that are found elsewhere."""
    if FOLDER.is_dir() and str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
