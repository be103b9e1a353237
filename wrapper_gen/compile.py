"""Compiles a generated package, by running its own build script; knows nothing of how that works."""

from __future__ import annotations

import hashlib
import json
import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from wrapper_gen import compiler_errors, files
from wrapper_gen.diagnostics import Diagnostic, Span, ToolchainError
from wrapper_gen.fixes import Fixes
from wrapper_gen.frozen import frozen

_FAILED, _NO_TOOL, _NO_LIBRARY, _UNDEFINED, _NOT_WRITTEN, _STALE = 1, 3, 4, 5, 6, 7  # exit codes of the build script
_TICK = 0.25  # seconds
_PROGRESS = re.compile(r"progress: (\d+) of (\d+)")
_INSTALL = "install one: apt install g++ (Debian, Ubuntu), dnf install gcc-c++ (Fedora), xcode-select --install (macOS)"


@frozen
class BuildResult:
    """A compiled package: its extension module, whether it is a stub, and whether anything had to be done."""

    extension: Path
    stub: bool
    rebuilt: bool
    missing: str
    """What of the library was not there, of a stub."""
    files: Mapping[str, str]
    """The digest of each file outside of the package that it was built from, headers of the system with them."""
    warnings: Sequence[Diagnostic] = ()
    """What the compiler warned of that is a matter of the spec."""

    def is_current(self) -> bool:
        """Whether none of those files has changed since."""
        return digests(self.files) == self.files


@frozen
class BuildProgress:
    """How far a build is: the seconds since its start, and how many files are compiled, of how many."""

    seconds: float
    done: int = 0
    count: int = 0


Tick = Callable[[BuildProgress], None]
"""Called a few times a second while a build runs."""


def digests(paths: Iterable[str]) -> dict[str, str]:
    """The digest of each file by its path; empty of one that is gone."""
    found = {}
    for path in paths:
        found[path] = ""
        with suppress(OSError), Path(path).open("rb") as file:
            found[path] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def build(
    package: Path,
    *,
    report: Callable[[str], None],
    tick: Tick | None = None,
    stub: bool = False,
    allow_stub: bool = False,
    require: bool = False,
    engine: str = "auto",
    abi3: bool = False,
    force: bool = False,
    check_only: bool = False,
    jobs: int | None = None,
    fixes: Fixes | None = None,
    places: Sequence[tuple[str, Span]] = (),
    statuses: Sequence[str] = (),
) -> BuildResult:
    """Compile the package in this folder with the running Python.

    Args:
        package: the folder of a generated package.
        report: gets each line about progress, and the compiler's warnings.
        tick: gets how far the build is, a few times a second.
        stub: leave the library out, even where it is.
        allow_stub: leave the library out if it is not there, which otherwise only a spec with `optional` allows.
        require: a missing library is an error even when it is optional.
        engine: "cpython", "cffi" or "both"; "auto" is the one that the running Python uses.
        abi3: one extension for CPython 3.11 and all later versions, instead of one for this Python.
        force: compile even when nothing changed.
        check_only: let the compiler read it, and make nothing; `extension` is the package's folder then.
        jobs: how many compilers run at a time; where nothing is said, one for each core.
        fixes: by line of the spec and row of a `for`, what may mend a call there whose arguments C++ refuses.
        places: where the spec names what may be missing of the library, as `Library` has them.
        statuses: what `raises` calls the entries of `errors`, in order.

    Raises:
        ToolchainError: a tool is missing (WG060), or failed (WG061) with its own words; the library is missing (WG062),
            or a function of it (WG063).
    """
    chosen = {"--stub": stub, "--allow-stub": allow_stub, "--require": require, "--abi3": abi3, "--force": force}
    chosen["--check-only"] = check_only
    flags = [flag for flag, wanted in chosen.items() if wanted] + ([f"--jobs={jobs}"] if jobs else [])
    ended = _ended(package, engine, flags, report, tick)
    spec = _shown(ended.spec, package)
    if ended.code != 0:
        raise _error(ended, spec, package, fixes or {}, dict(places))
    warnings, others = compiler_errors.warnings(ended.said, spec, fixes or {}, statuses)
    for line in others.splitlines():
        report(line)
    outcome = json.loads(ended.output)
    return BuildResult(
        package / outcome["extension"],
        outcome["stub"],
        outcome["rebuilt"],
        outcome["missing"],
        _recorded(Path(outcome["record"])),
        warnings,
    )


def read_bridge(
    package: Path,
    *,
    report: Callable[[str], None],
    tick: Tick | None = None,
    places: Sequence[tuple[str, Span]] = (),
) -> tuple[str, bool]:
    """Let the compiler read the bridge of a package, which it needs the library for; nothing is made.

    Args:
        package: the folder of a generated package.
        report: gets each line about progress.
        tick: gets how far the build is, a few times a second.
        places: where the spec names what may be missing of the library.

    Returns:
        All that the compiler says, and whether it takes it all.

    Raises:
        ToolchainError: a tool (WG060) or the library (WG062) is missing, or the compiler cannot start (WG061).
    """
    ended = _ended(package, "cffi", ["--check-only", "--require"], report, tick)
    if ended.code not in (0, _FAILED) or (ended.code == _FAILED and not compiler_errors.all_blamed(ended.said)):
        raise _error(ended, _shown(ended.spec, package), package, {}, dict(places))
    return ended.said, ended.code == 0


def build_extension(package: Path, *, abi3: bool, report: Callable[[str], None]) -> Path:
    """Compile the cpython engine of the package in this folder, unless nothing has changed; its extension module.

    The package may be of an earlier run, whose spec is not there.

    Raises:
        ToolchainError: as `build`.
    """
    ended = _ended(package, "cpython", ["--require", *(["--abi3"] if abi3 else [])], report, None)
    if ended.code != 0:
        raise _error(ended, _shown(ended.spec, package), package, {}, {})
    outcome: dict[str, str] = json.loads(ended.output)
    return package / outcome["extension"]


def version_of(program: str) -> str:
    """The first line of what a program says of its version."""
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "which does not run"
    return next(iter(f"{done.stdout}{done.stderr}".splitlines()), "which says no version")


@frozen
class _Ended:
    """How a build script ended: its code, its last line, its hint, what compilers said, and what it printed."""

    spec: str
    code: int
    last: str
    hint: str
    said: str
    output: str


def _ended(
    package: Path,
    engine: str,
    flags: Sequence[str],
    report: Callable[[str], None],
    tick: Tick | None,
) -> _Ended:
    """Run the build script of a package.

    Raises:
        ToolchainError: it has none (WG061).
    """
    script = package.absolute() / "ffi_build.py"
    spec = files.owner(script)
    if spec is None:
        raise ToolchainError(
            Diagnostic("WG061", "nothing to compile here", Span(package.as_posix(), 1, 1), "generate tier 2 first")
        )
    shown = ["--progress"] if tick else []
    run = _Run([sys.executable, str(script), "--engine", engine, "--ends-with-stdin", *shown, *flags])
    said: list[str] = []
    last, hint = "", ""
    for line in run.lines(tick):
        if progress := _PROGRESS.fullmatch(line.removeprefix(f"{package.name}: ")):
            run.done, run.count = int(progress[1]), int(progress[2])
        elif line.startswith(f"{package.name}: hint: "):
            hint = line.removeprefix(f"{package.name}: hint: ")
        elif line.startswith(f"{package.name}: "):
            last = line.removeprefix(f"{package.name}: ")
            (said.append if last.startswith("failed") else report)(line)  # a command of a compiler
        else:
            said.append(line)
    return _Ended(spec, run.code, last, hint, "".join(f"{line}\n" for line in said), run.output)


def _recorded(record: Path) -> dict[str, str]:
    """The files that the build script remembers; none where it has no place for that."""
    try:
        found: dict[str, str] = json.loads(record.read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError):
        return {}
    return found


class _Run:
    """A running build script: yields the lines it says, and keeps its exit code and its standard output."""

    def __init__(self, command: Sequence[str]) -> None:
        self.code = 0
        self.output = ""
        self.done = self.count = 0
        self._process = subprocess.Popen(
            command,
            env={**os.environ, "LC_ALL": "C"},  # the compiler's messages as `_ERROR` knows them
            stdin=subprocess.PIPE,  # it ends when this does, also when this process is killed
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )

    def lines(self, tick: Tick | None) -> Iterator[str]:
        assert self._process.stdout is not None
        lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._listen, args=(lines,), daemon=True).start()
        started = time.monotonic()
        try:
            while True:
                try:
                    line = lines.get(timeout=_TICK if tick else None)
                except queue.Empty:
                    if tick:
                        tick(BuildProgress(time.monotonic() - started, self.done, self.count))
                    continue
                if line is None:
                    break
                yield line.rstrip("\n")
            self.output = self._process.stdout.read()
            self.code = self._process.wait()
        finally:
            self._process.terminate()  # when we are interrupted; nothing otherwise
            self._process.wait()

    def _listen(self, lines: queue.Queue[str | None]) -> None:
        assert self._process.stderr is not None
        try:
            for line in self._process.stderr:
                lines.put(line)
        finally:
            lines.put(None)  # whatever happens: who reads the lines waits for it


# --- what went wrong -------------------------------------------------------------------------------------------------


_MISSING = re.compile(r"(?:header|library) (.+?)(?:, which (.+?) includes,)? was not found")


def _shown(spec: str, package: Path) -> str:
    """The spec as the build script shows it: relative to the current folder, if it is there."""
    path = Path(os.path.realpath(package)).parent.parent / spec
    return os.path.relpath(path).replace(os.sep, "/") if path.is_file() else spec


def _place_of_missing(missing: str, places: Mapping[str, Span], spec: str) -> Span:
    """Where the spec names the header or the library that this message is about, or what finds it."""
    named = _MISSING.match(missing)
    found = places.get((named[2] or named[1]) if named else "") or places.get("")
    return found._replace(path=spec) if found else Span(spec, 1, 1)


def _error(failure: _Ended, spec: str, package: Path, fixes: Fixes, named: Mapping[str, Span]) -> ToolchainError:
    whole = Span(spec, 1, 1)
    last, hint, output = failure.last, failure.hint, failure.said
    more: list[Diagnostic] = []
    if failure.code == _NO_TOOL:
        found = Diagnostic("WG060", last, whole, _INSTALL if "compiler" in last else hint)
    elif failure.code == _NO_LIBRARY:
        found = Diagnostic("WG062", last, _place_of_missing(last, named, spec), hint)
    elif failure.code == _NOT_WRITTEN:
        found = Diagnostic("WG051", f"the build cannot write its files: {last}", whole, hint)
    elif failure.code == _STALE:
        found = Diagnostic("WG061", last, whole, hint)
    elif failure.code == _UNDEFINED:
        places = compiler_errors.all_blamed(failure.said) or [(whole, last)]
        found, *more = (Diagnostic("WG063", message, span, hint) for span, message in places)
    else:
        output = compiler_errors.without_columns(output, spec)  # they are the bridge's
        what = f"the build {last.partition(':')[0]}"  # what follows is the command
        found, *more = compiler_errors.findings(failure.said, spec, package, fixes, what)
    return ToolchainError(found, output, more)
