"""Torch's package of a wheel of unified_gpu, compiled for the torch that is installed, into the folder of kernels."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from unified_gpu.backends import kernel_cache, own_packages
from unified_gpu.errors import BackendUnavailable

TORCH = ("torch_ffi", "wg_runtime")


def add_to_path(*, build: bool) -> None:
    """Let torch's package be imported, compiled for the torch that is installed.

    Does nothing in a checkout, whose package `wrapper-gen build` compiles.

    Raises:
        BackendUnavailable: when torch is not installed; when the package does not compile; when it is not compiled
            yet, and `build` does not ask for it.
    """
    if not own_packages.FOLDER.is_dir():
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
            way = f"which takes a minute: {own_packages.BUILD_TORCH}"
            raise BackendUnavailable(f"its package is not compiled for torch {installed} yet, {way}")
        _compile(place, installed)
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))


def _name(installed: str) -> str:
    """What differs between compiled packages: the Python, the torch, and what they are compiled from."""
    digest = hashlib.sha256()
    for package in TORCH:
        for path in sorted((own_packages.FOLDER / package).rglob("*.[ch]*")):
            digest.update(path.read_bytes())
    return f"torch-{installed}-{sys.implementation.cache_tag}{sys.abiflags}-{digest.hexdigest()[:12]}"


def _compile(place: Path, installed: str) -> None:
    print(f"unified_gpu: compiling its package for torch {installed}, once; this takes a minute", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=place.parent) as temporary:
        folder = Path(temporary) / "made"
        for package in TORCH:
            shutil.copytree(own_packages.FOLDER / package, folder / package)
        command = [sys.executable, str(folder / "torch_ffi" / "ffi_build.py"), "--require"]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise BackendUnavailable(f"its package does not compile for torch {installed}:\n{done.stderr}")
        with suppress(OSError):  # another process was faster
            folder.rename(place)
    if not place.is_dir():
        raise BackendUnavailable(f"its package cannot be put into {place.parent}")
