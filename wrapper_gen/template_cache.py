"""Compiled templates in the user's cache folder: saves time, and nothing depends on it; decides nothing else."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import time
import zlib
from contextlib import suppress
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from threading import get_ident

import jinja2

from wrapper_gen import caches

_CHECK = 4  # bytes before the code, which tell whether it is whole: to load a part of one can end Python
_NAME = re.compile(r"[0-9a-f]{32}(\.\d+\.\d+)?")
"""Of our files: one template, or what a process is writing of it."""
_MOST_AGE = 30 * 24 * 3600.0  # seconds, after which a file is compiled anew or used by nobody


class TemplateCache(jinja2.BytecodeCache):
    """One file a template. Several processes may use it at once, also of other versions: they share no file.

    Jinja itself refuses the code of another source.
    """

    def __init__(self, folder: Path, options: str) -> None:
        """`options` are those of the environment, on which compiled code depends, too.

        Raises:
            OSError: nothing tells which Jinja this is, as in an archive.
        """
        self._folder = folder
        compiler = Path(jinja2.compiler.__file__).stat()  # changes with every version
        of_jinja = f"{compiler.st_size} {compiler.st_mtime_ns}"
        self._versions = f"{sys.implementation.cache_tag} {MAGIC_NUMBER.hex()} {of_jinja} {options}"
        self._is_swept = False

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        return hashlib.sha256(f"{name}|{filename}|{self._versions}".encode()).hexdigest()[:32]

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        try:
            stored = self._file(bucket).read_bytes()
        except OSError:  # there is none yet
            return
        if stored[:_CHECK] == _check(stored[_CHECK:]):
            bucket.bytecode_from_string(stored[_CHECK:])

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        code = bucket.bytecode_to_string()
        target = self._file(bucket)
        own = target.with_name(f"{target.name}.{os.getpid()}.{get_ident()}")
        try:
            own.write_bytes(_check(code) + code)
            own.replace(target)  # whoever reads it meanwhile reads the whole old one
        except OSError:  # a full disk, a folder that cannot be written
            with suppress(OSError):
                own.unlink()
        self._sweep()

    def _file(self, bucket: jinja2.bccache.Bucket) -> Path:
        return self._folder / bucket.key

    def _sweep(self) -> None:
        """Remove what is old, once a run in which anything is new: of other versions, or of killed processes."""
        if self._is_swept:
            return
        self._is_swept = True
        oldest = time.time() - _MOST_AGE
        with suppress(OSError):
            for path in self._folder.iterdir():
                with suppress(OSError):  # another process was quicker
                    if _NAME.fullmatch(path.name) and path.stat().st_mtime < oldest:
                        path.unlink()


def template_cache(options: str) -> TemplateCache | None:
    """The user's cache, or None where there can be none; then templates are compiled at every start."""
    folder = cache_folder()
    try:
        return TemplateCache(folder, options) if folder else None
    except OSError:
        return None


def cache_folder() -> Path | None:
    """Where compiled templates are, or None where no folder can be made."""
    try:
        folder = caches.base() / "templates"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if caches.is_own(folder) else None
    except (OSError, RuntimeError):  # RuntimeError: nothing says where the user's home is
        return None


def _check(code: bytes) -> bytes:
    return zlib.crc32(code).to_bytes(_CHECK, "big")
