"""`build --watch`: builds again whenever a spec, or a file that its package is made of, changes."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import click

from wrapper_gen import batch
from wrapper_gen.cli.exit_codes import OK
from wrapper_gen.cli.session import Session, paint
from wrapper_gen.diagnostics import SpecError, ToolchainError

BuildOnce = Callable[[list[Path]], Iterator[str]]
"""One build: yields what became of each package, and adds the files that it is made of."""

_PAUSE = 0.2  # seconds
_NAMED = 3  # files of a change

_Stamp = tuple[int, int, int] | None
"""What tells a file from what it was; None of one that is not there."""


def watch_and_build(session: Session, specs: Sequence[str], build: BuildOnce, test: Sequence[str]) -> int:
    """Build; and once more after each change, with a line each, until it is interrupted.

    Args:
        session: the options of the command.
        specs: the specs, or folders of some.
        build: builds them.
        test: the command that is run after each build; empty where there is none.

    Raises:
        SpecError: a spec is not there at the start.
    """
    watched = _Watched(session, specs)
    if not all(spec.path.exists() for spec in session.find(specs).specs):
        list(build([]))  # which says so
    number = 0
    with suppress(KeyboardInterrupt):
        while True:
            number += 1
            what = f"round {number}" + (f": {watched.changed}" if number > 1 else "")
            started = time.time_ns()
            files: list[Path] = []
            outcome = _round(session, build, test, files)
            watched.add(files, started)
            session.say(f"{what}: {outcome}")
            if number == 1:
                session.say("watching; Ctrl-C ends")
            watched.wait()
    session.say("ended")
    return OK


def _round(session: Session, build: BuildOnce, test: Sequence[str], files: list[Path]) -> str:
    """What came of one build and its test."""
    session.findings.clear()
    started = time.monotonic()
    try:
        outcome = f"{', '.join(build(files))} in {time.monotonic() - started:.1f} s"
    except SpecError as error:
        session.report(error.diagnostics)
        return paint(f"nothing built, {_counted(len(error.diagnostics), 'finding')}", "error")
    except ToolchainError as error:
        session.report([error.diagnostic, *error.more], error.output)
        return paint(f"not compiled, {_counted(1 + len(error.more), 'finding')}", "error")
    return f"{outcome}; {_tested(session, test)}" if test else outcome


def _tested(session: Session, command: Sequence[str]) -> str:
    """Run the test command; what it says is shown where it fails."""
    path = os.pathsep.join(filter(None, [str(session.output.resolve()), os.environ.get("PYTHONPATH", "")]))
    started = time.monotonic()
    try:
        done = subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError as error:
        return paint(f"{command[0]} cannot run: {error.strerror}", "error")
    took = f"{time.monotonic() - started:.1f} s"
    if done.returncode == 0:
        return f"{command[0]} passed in {took}"
    click.echo(done.stdout, err=True, nl=False)
    return paint(f"{command[0]} FAILED with {done.returncode} in {took}", "error")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


class _Watched:
    """The files that a build is made of, and what they were when it began."""

    def __init__(self, session: Session, specs: Sequence[str]) -> None:
        self.stamps: dict[Path, _Stamp] = {}
        self.changed = ""
        """The names of what changed last."""
        self._output, self._specs = session.output, specs

    def add(self, files: Iterable[Path], started: int) -> None:
        """Watch these, too; what changed after the build had begun counts as changed: it may have been read before."""
        for path in {*self._found(), *(each.absolute() for each in files)} - self.stamps.keys():
            stamp = _stamp(path)
            self.stamps[path] = None if stamp is not None and stamp[0] > started else stamp

    def wait(self) -> None:
        """Wait until a file changes, and until no more do: editors write in several steps."""
        while not (changes := self._changes()):
            time.sleep(_PAUSE)
        while changes:
            names = sorted(path.name for path in changes)
            self.changed = ", ".join(names[:_NAMED]) + (
                f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            )
            self.stamps |= changes
            time.sleep(_PAUSE)
            changes = self._changes()

    def _changes(self) -> dict[Path, _Stamp]:
        now = {path: _stamp(path) for path in {*self.stamps, *self._found()}}
        return {path: stamp for path, stamp in now.items() if path not in self.stamps or stamp != self.stamps[path]}

    def _found(self) -> list[Path]:
        """The specs that there are now: in a folder there may be more than before."""
        try:
            return [spec.path.absolute() for spec in batch.find(self._specs, self._output).specs]
        except SpecError:
            return []


def _stamp(path: Path) -> _Stamp:
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size, about.st_ino
