"""Files and folders that other processes use too: reads regular files only, replaces several at once, locks folders."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

_MOST_BYTES = 1 << 30  # of a file that may have to be put back
_TEMPORARY = re.compile(r"\..+\.(\d+)\.wgtmp")  # the name of a file that is not in its place yet, and who writes it
_PATIENCE, _PAUSE = 1.0, 0.01  # seconds, before and between trying to lock a folder without a word
_NO_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_KINDS = {stat.S_IFIFO: "a FIFO", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFSOCK: "a socket"}


def read_regular(path: Path, most: int) -> bytes:
    """The bytes of a regular file; a FIFO would wait for a writer, and a device may have no end.

    Raises:
        OSError: when it cannot be read, is no regular file, or has more than `most` bytes.
    """
    data = read_start(path, most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most >> 20} MiB", str(path))
    return data


def why_not_read(error: OSError | ValueError) -> str:
    """Why a file cannot be read, in words that no version of Python changes."""
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
    elif isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    else:
        reason = "no path has a NUL character" if "null" in str(error) else str(error)
    return reason[:1].lower() + reason[1:]


def read_start(path: Path, count: int) -> bytes:
    """The first bytes of a regular file, `count` at most.

    Raises:
        OSError: when it cannot be read, or is no regular file.
    """
    _refuse_special(path, path.stat().st_mode)  # to open a device may do something already
    descriptor = os.open(path, os.O_RDONLY | _NO_WAITING)
    with os.fdopen(descriptor, "rb") as file:
        _refuse_special(path, os.fstat(descriptor).st_mode)
        return file.read(count)


def _refuse_special(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "something else")
        raise OSError(errno.EINVAL, f"it is {kind}, not a regular file", str(path))


def lock(folder: Path, *, shared: bool = False, waiting: Callable[[Path], None] = lambda _: None) -> int:
    """Lock a folder until `unlock`, or until the process ends, however it does.

    The lock is on the folder itself, so there is no file to leave behind. Where a file system or a machine has no such
    locks, nothing is locked.

    Args:
        folder: it must exist.
        shared: others may hold it, too, as long as they all share it.
        waiting: called when another process holds it for more than a moment.

    Raises:
        OSError: when there is no such folder, also when the one that held the lock removed it.
    """
    while True:
        descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            _flock(descriptor, folder, shared, waiting)
            if os.path.samestat(os.fstat(descriptor), folder.stat()):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def unlock(descriptor: int) -> None:
    """Let go of what `lock` returned."""
    os.close(descriptor)


def _flock(descriptor: int, folder: Path, shared: bool, waiting: Callable[[Path], None]) -> None:
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    patience = time.monotonic() + _PATIENCE
    with suppress(OSError):  # a file system without locks, as some over a network are
        while time.monotonic() < patience:
            try:
                fcntl.flock(descriptor, how | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                time.sleep(_PAUSE)
        waiting(folder)
        fcntl.flock(descriptor, how)


def replace_together(wanted: Mapping[Path, str]) -> None:
    """Write files, all of them or none: each beside its place first, which proves that it can be written.

    Raises:
        OSError: when one cannot be written, or its place has something that is no regular file.
    """
    staged: list[tuple[Path, Path]] = []
    try:
        for target, text in wanted.items():
            staged.append((target.with_name(f".{target.name}.{os.getpid()}.wgtmp"), target))
            _stage(staged[-1][0], target, text)
        _replace_all(staged)
    except BaseException:
        for temporary, _ in staged:
            with suppress(OSError):
                temporary.unlink()
        raise


def is_temporary(name: str) -> bool:
    """Whether this is the name of a file that is not in its place yet."""
    return _TEMPORARY.fullmatch(name) is not None


def sweep(folder: Path) -> None:
    """Remove what processes that were killed left on the way to its place."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        temporary = _TEMPORARY.fullmatch(path.name)
        if temporary and not _is_running(int(temporary[1])):
            with suppress(OSError):
                path.unlink()


def _stage(temporary: Path, target: Path, text: str) -> None:
    mode = None
    with suppress(FileNotFoundError):
        mode = target.lstat().st_mode
        read_start(target, 0)  # refuses a folder, and a device whose place a file would take
    try:
        with _new(temporary) as file:
            file.write(text.encode())
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from error
    if mode is not None and stat.S_ISREG(mode):
        temporary.chmod(stat.S_IMODE(mode))


def _new(temporary: Path) -> IO[bytes]:
    """A file that is written for the first time, whatever a process of the same number left there."""
    try:
        return temporary.open("xb")
    except FileExistsError:
        temporary.unlink()
        return temporary.open("xb")


def _replace_all(staged: Sequence[tuple[Path, Path]]) -> None:
    """Put every file in its place; if one fails, put back those before it."""
    done: list[tuple[Path, bytes | None]] = []
    try:
        for temporary, target in staged:
            old = None
            with suppress(FileNotFoundError):
                old = read_regular(target, _MOST_BYTES)
            temporary.replace(target)  # replaces a symbolic link, never what it points to
            done.append((target, old))
    except BaseException:
        for target, old in reversed(done):
            with suppress(OSError):
                target.unlink() if old is None else target.write_bytes(old)
        raise


def _is_running(process: int) -> bool:
    """Whether there is a process with this number."""
    if os.name != "posix":
        return True  # there, asking with a signal would end it
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is another user's
        return True
    return process > 0
