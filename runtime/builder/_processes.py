"""The processes of a build: whatever ends the build ends them, too, and leaves no work folder."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ._msvc import as_cl, as_gcc, is_msvc

_HAS_GROUPS = hasattr(os, "fork") and hasattr(os, "killpg")  # not on Windows
_ATTEMPTS, _PAUSE = 5, 0.02  # seconds: a compiler may write a file while it ends
_group: int | None = None
"""The group of the compilers and of what watches this process, its leader; None where nothing watches."""


def watch(remove: Callable[[], None], *, ends_with_stdin: bool) -> Callable[[], None]:
    """Let a process of its own end the compilers, and call `remove`, when this one is killed.

    It keeps the files that are open now, and with them the lock of the package. Call this before there are threads.

    Args:
        remove: removes what a build leaves in the file system.
        ends_with_stdin: whether this process ends when its standard input does: when what started it is gone.

    Returns:
        what ends all of these processes; the last call of a build.
    """
    global _group
    if not _HAS_GROUPS:
        return lambda: None
    build = os.getpid()
    end_of_build, kept_by_build = os.pipe()
    watcher = os.fork()
    if watcher == 0:
        try:
            os.close(kept_by_build)
            os.setpgid(0, 0)
            _wait(build, end_of_build, ends_with_stdin=ends_with_stdin)
            os.killpg(0, signal.SIGTERM)  # at which compilers remove their temporary files
            for _ in range(_ATTEMPTS):
                remove()
                time.sleep(_PAUSE)
            os.killpg(0, signal.SIGKILL)
        finally:
            os._exit(1)
    os.close(end_of_build)
    with suppress(OSError):  # both processes do so, since either may be the first to need it
        os.setpgid(watcher, watcher)
    _group = watcher

    def end() -> None:
        os.killpg(watcher, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(watcher, 0)
        os.close(kept_by_build)

    return end


def _wait(build: int, end_of_build: int, *, ends_with_stdin: bool) -> None:
    """Wait for the end of the build; end it when its standard input ends."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # which is for the compilers
    silent = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # who reads them waits for every process that has them
        os.dup2(silent, stream)
    waiting = [end_of_build, *([0] if ends_with_stdin else [])]
    while end_of_build in waiting:
        for ready in select.select(waiting, [], [])[0]:
            if os.read(ready, 1024) == b"":
                waiting.remove(ready)
                if ready == 0:
                    with suppress(ProcessLookupError):  # it ended, too, and what started it has seen so
                        os.kill(build, signal.SIGTERM)


def end_compilers() -> None:
    """End the compilers that run, with the processes that they started."""
    if _group is not None:
        os.killpg(_group, signal.SIGTERM)


def remove_tree(folder: Path) -> None:
    """Remove a folder with all that is in it, and the one that holds it where that is empty then."""
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        folder.parent.rmdir()


def execute(
    command: Sequence[str], folder: Path, *, text: str | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a compiler, or what finds a library, to its end; `text` is what it reads."""
    if not is_msvc(command):
        return _run(command, folder, text, environment)
    with tempfile.TemporaryDirectory(prefix="wrapper-gen-") as near:  # it reads no standard input
        source = Path(near, "stdin.cpp")
        source.write_text(text or "", encoding="utf-8")
        words = as_cl(command, str(source))
        in_english = {**(os.environ if environment is None else environment), "VSLANG": "1033"}
        done = _run(words, folder, None, in_english)
    printed = done.stdout if "-E" in command else ""
    said = as_gcc(done.stdout.removeprefix(printed) + done.stderr, words, str(folder))
    said = said.replace(str(source).replace("\\", "/"), "<stdin>")
    return subprocess.CompletedProcess(words, done.returncode, printed, said)


def _run(
    command: Sequence[str], folder: Path, text: str | None, environment: Mapping[str, str] | None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        input=text,
        stdin=subprocess.DEVNULL if text is None else None,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        cwd=folder,
        env=environment,
        check=False,
        process_group=_group,
    )
