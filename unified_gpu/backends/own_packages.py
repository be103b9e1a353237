"""The generated packages that a wheel of unified_gpu carries; in a checkout they lie elsewhere on the path.

All but torch's are compiled in the wheel. Torch's is compiled here, for the torch that is installed, into the folder
of compiled kernels.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from unified_gpu.backends import kernel_cache
from unified_gpu.errors import BackendUnavailable

FOLDER = Path(__file__).resolve().parents[1] / "_packages"
TORCH = ("torch_ffi", "wg_runtime")
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


def add_torch(*, build: bool) -> None:
    """Let torch's package be imported, compiled for the torch that is installed.

    Does nothing in a checkout, whose package `wrapper-gen build` compiles.

    Raises:
        BackendUnavailable: when torch is not installed; when the package does not compile; when it is not compiled
            yet, and `build` does not ask for it.
    """
    if not FOLDER.is_dir():
        return
    try:
        installed = version("torch")
    except PackageNotFoundError as missing:
        raise BackendUnavailable("torch is not installed: pip install torch") from missing
    try:
        place = kernel_cache.folder("packages") / _name(installed)
    except OSError as error:
        raise BackendUnavailable(f"its package has no place: {error}") from error
    if not place.is_dir():
        if not build:
            raise BackendUnavailable(
                f"its package is not compiled for torch {installed} yet, which takes a minute: {BUILD_TORCH}"
            )
        _compile(place, installed)
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))


def _name(installed: str) -> str:
    """What differs between compiled packages: the Python, the torch, and what they are compiled from."""
    digest = hashlib.sha256()
    for package in TORCH:
        for path in sorted((FOLDER / package).rglob("*.[ch]*")):
            digest.update(path.read_bytes())
    return f"torch-{installed}-{sys.implementation.cache_tag}{sys.abiflags}-{digest.hexdigest()[:12]}"


def _compile(place: Path, installed: str) -> None:
    print(f"unified_gpu: compiling its package for torch {installed}, once; this takes a minute", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=place.parent) as temporary:
        folder = Path(temporary) / "made"
        for package in TORCH:
            shutil.copytree(FOLDER / package, folder / package)
        command = [sys.executable, str(folder / "torch_ffi" / "ffi_build.py"), "--require"]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise BackendUnavailable(f"its package does not compile for torch {installed}:\n{done.stderr}")
        with suppress(OSError):  # another process was faster
            folder.rename(place)
    if not place.is_dir():
        raise BackendUnavailable(f"its package cannot be put into {place.parent}")
