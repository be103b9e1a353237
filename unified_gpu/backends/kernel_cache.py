"""Compiled kernels of GPUs on disk, found by what they were compiled from; safe with many processes at once."""

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


def folder() -> Path:
    """Where compiled kernels are kept; it need not exist."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "unified_gpu"


def cached(key: tuple[str, ...], make: Callable[[], bytes]) -> bytes:
    """What `make` gives, or gave earlier for the same key.

    A damaged file is written again, and a folder that cannot be written to only costs time.
    """
    name = hashlib.sha256("\0".join(f"{len(part)}:{part}" for part in key).encode()).hexdigest()
    file = folder() / "cuda" / name
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
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
