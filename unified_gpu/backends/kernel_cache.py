"""Compiled kernels on disk: the folder of each kind, and those that are found by what they were compiled from."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

VARIABLE = "UNIFIED_GPU_CACHE"
"""The environment variable that names the folder; by default it is `unified_gpu` in the user's cache folder."""
_DIGEST_BYTES = 32


def folder(kind: str) -> Path:
    """Where compiled kernels of one kind (`cpu`, `cuda`) are kept, ready to be written to.

    Where the user's cache folder cannot be written to, it is one of the user's own among temporary files.

    Raises:
        OSError: when the folder that UNIFIED_GPU_CACHE names cannot be written to.
    """
    chosen = os.environ.get(VARIABLE)
    base = Path(chosen or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "unified_gpu")
    try:
        found = base.expanduser() / kind
        found.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.access(found, os.W_OK):
            return found
    except (OSError, RuntimeError):  # RuntimeError: there is no home folder
        if chosen:
            raise
    own = Path(tempfile.gettempdir()) / f"unified_gpu-{os.getuid()}"
    own.mkdir(mode=0o700, exist_ok=True)
    if own.stat().st_uid != os.getuid():
        raise PermissionError(f"{own} belongs to someone else: set {VARIABLE} to a folder of your own")
    found = own / kind
    found.mkdir(mode=0o700, exist_ok=True)
    return found


def cached(key: tuple[str, ...], make: Callable[[], bytes]) -> bytes:
    """What `make` gives, or gave earlier for the same key; for CUDA.

    A damaged file is written again, and a folder that cannot be written to only costs time.
    """
    name = hashlib.sha256("\0".join(f"{len(part)}:{part}" for part in key).encode()).hexdigest()
    try:
        file = folder("cuda") / name
    except OSError:
        return make()
    with suppress(OSError):
        stored = file.read_bytes()
        if hashlib.sha256(stored[_DIGEST_BYTES:]).digest() == stored[:_DIGEST_BYTES]:
            return stored[_DIGEST_BYTES:]
    made = make()
    with suppress(OSError):
        _write(file, hashlib.sha256(made).digest() + made)
    return made


def _write(file: Path, data: bytes) -> None:
    """Write the whole file or nothing, also when other processes write it at the same time."""
    descriptor, temporary = tempfile.mkstemp(dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
