"""Compiled kernels on disk: the folder of each kind, and those that are found by what they were compiled from.

A file counts only where it is whole, and only where nobody but this user, or root, can have written it: what it has is
run in this process.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

VARIABLE = "UNIFIED_GPU_CACHE"
"""The environment variable that names the folder; by default it is `unified_gpu` in the user's cache folder."""
_DIGEST_BYTES = 32
_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def folder(kind: str) -> Path:
    """Where compiled kernels of one kind (`cpu`, `cuda`) are kept, ready to be written to.

    Where the user's cache folder cannot be written to, or is not the user's own, it is one among temporary files.

    Raises:
        OSError: when the folder that UNIFIED_GPU_CACHE names cannot be made or written to, or belongs to someone else;
            the message names the variable.
    """
    chosen = os.environ.get(VARIABLE)
    base = Path(chosen or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "unified_gpu")
    try:
        return _ready(base.expanduser() / kind)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
        if chosen:
            raise _unusable(error, f"compiled kernels cannot be kept in {VARIABLE}={chosen}") from None
    try:
        own = Path(tempfile.gettempdir()) / f"unified_gpu-{os.getuid()}"
        own.mkdir(mode=0o700, exist_ok=True)
        _require_own(own)
        return _ready(own / kind)
    except OSError as error:
        raise _unusable(error, f"compiled kernels cannot be kept in {base}, nor in a temporary folder") from None


def _ready(place: Path) -> Path:
    """A folder that is made where it is missing; raises OSError where nothing can be put into it."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not os.access(place, os.W_OK):
        raise PermissionError(f"{place} cannot be written to")
    _require_own(place)
    return place


def _unusable(error: OSError | RuntimeError, what: str) -> OSError:
    kind = type(error) if isinstance(error, OSError) else OSError
    return kind(f"{what} ({error}): set {VARIABLE} to a folder of your own, which need not be there yet")


def cached(key: tuple[str, ...], make: Callable[[], bytes]) -> bytes:
    """What `make` gives, or gave earlier for the same key; for CUDA.

    A damaged file is written again, and a folder that cannot be written to only costs time.
    """
    name = hashlib.sha256("\0".join(f"{len(part)}:{part}" for part in key).encode()).hexdigest()
    try:
        file = folder("cuda") / name
    except OSError:
        return make()
    stored = _stored(file)
    if stored is None:
        stored = make()
        with suppress(OSError):
            _write(file, stored)
    return stored


def library(key: str, make: Callable[[Path], Path]) -> Path:
    """The shared library that `make` gives, or gave earlier for the same key; for the CPU.

    Its digest stands behind it, where loaders do not look. One that is damaged, or that someone else has put there, is
    made anew.

    Args:
        make: makes it in a folder that it is given, and returns where.

    Raises:
        OSError: as `folder` does.
    """
    file = folder("cpu") / f"{key}.so"
    if _stored(file) is None:
        with tempfile.TemporaryDirectory(dir=file.parent) as temporary:
            _write(file, make(Path(temporary)).read_bytes())
    return file


def _require_own(place: Path) -> None:
    """Raises PermissionError for a folder into which another user can put files."""
    if not _is_own(place.lstat()):
        raise PermissionError(f"{place} belongs to someone else, or others can write to it")


def _is_own(found: os.stat_result) -> bool:
    """Whether nobody but this user and root can have written it; a link is followed by nobody."""
    return found.st_uid in (0, os.getuid()) and not found.st_mode & _OTHERS and not stat.S_ISLNK(found.st_mode)


def _stored(file: Path) -> bytes | None:
    """What a file has before its digest; None where it is damaged, someone else's, or not there."""
    with suppress(OSError):
        if _is_own(file.lstat()):
            data = file.read_bytes()
            found, digest = data[:-_DIGEST_BYTES], data[-_DIGEST_BYTES:]
            if hashlib.sha256(found).digest() == digest:
                return found
    return None


def _write(file: Path, data: bytes) -> None:
    """Write the whole file and its digest, or nothing, also when other processes write it at the same time."""
    descriptor, temporary = tempfile.mkstemp(dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data + hashlib.sha256(data).digest())
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
