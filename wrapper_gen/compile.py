"""Compiles a generated package, by running its own build script; knows nothing of how that works."""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from wrapper_gen import files
from wrapper_gen.diagnostics import Diagnostic, Span, ToolchainError
from wrapper_gen.frozen import frozen

_NO_TOOL, _NO_LIBRARY = 3, 4  # exit codes of the build script
_ERROR = re.compile(
    r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?error: (?P<what>.*)$",
    re.MULTILINE,
)
_MOST_ERRORS = 20
_TICK = 0.25  # seconds
_INSTALL = "install one: apt install g++ (Debian, Ubuntu), dnf install gcc-c++ (Fedora), xcode-select --install (macOS)"


@frozen
class BuildResult:
    """A compiled package: its extension module, whether it is a stub, and whether anything had to be done."""

    extension: Path
    stub: bool
    rebuilt: bool


def build(
    package: Path,
    *,
    report: Callable[[str], None],
    tick: Callable[[float], None] | None = None,
    stub: bool = False,
    require: bool = False,
    engine: str = "both",
    abi3: bool = False,
    force: bool = False,
) -> BuildResult:
    """Compile the package in this folder with the running Python.

    Args:
        package: the folder of a generated package.
        report: gets each line about progress, and the compiler's warnings.
        tick: gets the seconds since the start, a few times a second.
        stub: leave the library out, even where it is.
        require: a missing library is an error rather than stub mode.
        engine: "both", or just "native" (smaller and faster to build, CPython only) or "cffi".
        abi3: one extension for CPython 3.11 and all later versions, instead of one for this Python.
        force: compile even when nothing changed.

    Raises:
        ToolchainError: a tool is missing (WG060), or failed (WG061) with its own words.
    """
    script = package.absolute() / "ffi_build.py"
    spec = files.owner(script)
    if spec is None:
        raise ToolchainError(
            Diagnostic("WG061", "nothing to compile here", Span(package.as_posix(), 1, 1), "generate tier 2 first")
        )
    chosen = (("--stub", stub), ("--require", require), ("--abi3", abi3), ("--force", force))
    flags = [flag for flag, wanted in chosen if wanted]
    run = _Run([sys.executable, str(script), "--engine", engine, *flags])
    said, last = [], ""
    for line in run.lines(tick):
        if line.startswith(f"{package.name}: "):
            last = line.removeprefix(f"{package.name}: ")
            report(line)
        else:
            said.append(line)
    if run.code != 0:
        raise _error(run.code, last, "".join(f"{line}\n" for line in said), spec, package)
    for line in said:
        report(line)
    outcome = json.loads(run.output)
    return BuildResult(package / outcome["extension"], outcome["stub"], outcome["rebuilt"])


class _Run:
    """A running build script: yields the lines it says, and keeps its exit code and its standard output."""

    def __init__(self, command: Sequence[str]) -> None:
        self.code = 0
        self.output = ""
        self._process = subprocess.Popen(
            command,
            env={**os.environ, "LC_ALL": "C"},  # the compiler's messages as `_ERROR` knows them
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )

    def lines(self, tick: Callable[[float], None] | None) -> Iterator[str]:
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
                        tick(time.monotonic() - started)
                    continue
                if line is None:
                    break
                yield line.rstrip("\n")
            self.output = self._process.stdout.read()
            self.code = self._process.wait()
        finally:
            self._process.kill()  # when we are interrupted; nothing otherwise

    def _listen(self, lines: queue.Queue[str | None]) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            lines.put(line)
        lines.put(None)


# --- what went wrong -------------------------------------------------------------------------------------------------


def _error(code: int, last: str, output: str, spec: str, package: Path) -> ToolchainError:
    whole = Span(spec, 1, 1)
    if code == _NO_TOOL:
        hint = _INSTALL if "compiler" in last else ""
        return ToolchainError(Diagnostic("WG060", last, whole, hint), output)
    if code == _NO_LIBRARY:
        hint = "install the library, or build without --require to get a stub"
        return ToolchainError(Diagnostic("WG060", last, whole, hint), output)
    output = re.sub(rf"({re.escape(spec)}:\d+):\d+(?=[:,])", r"\1", output)  # its columns are those of the bridge
    failed = last.partition(":")[0]  # what follows is the command
    hint = "the compiler's own words are above"
    found = _blame(output, spec, package) or [(whole, f"the build {failed}")]
    if len(found) > _MOST_ERRORS:
        hint += f", and {len(found) - _MOST_ERRORS} more errors"
    shown = [Diagnostic("WG061", message, span, hint) for span, message in found[:_MOST_ERRORS]]
    return ToolchainError(shown[0], output, shown[1:])


def _blame(output: str, spec: str, package: Path) -> list[tuple[Span, str]]:
    """The errors, the first of each line: at the spec's line where that is at fault, or where it led to the error."""
    errors = list(_ERROR.finditer(output))
    found: dict[tuple[str, int], tuple[Span, str]] = {}
    for i, error in enumerate(errors):
        before = output[errors[i - 1].end() if i else 0 : error.start()]
        after = output[error.end() : errors[i + 1].start() if i + 1 < len(errors) else len(output)]
        line = int(error["line"]) if error["path"] == spec else _led_to_it(before, after, spec)
        if line:
            span = _line_of(spec, line, package)
        else:
            span = Span(f"{package.name}/{error['path']}", int(error["line"]), int(error["column"] or 1))
        found.setdefault((span.path, span.line), (span, f"the compiler says: {error['what']}"))
    return list(found.values())


def _led_to_it(before: str, after: str, spec: str) -> int:
    """The spec's line that led to an error in a header: gcc names it before the error, clang after it; 0 for none."""
    place = rf"\b{re.escape(spec)}:(\d+)"
    required = re.findall(rf"{place}:? +(?:recursively )?required", before)
    mentioned = required[-1:] or re.findall(rf"{place}: note", after)[:1] or re.findall(place, before)[-1:]
    return int(mentioned[0]) if mentioned else 0


def _line_of(spec: str, line: int, package: Path) -> Span:
    """The whole line: the compiler's columns are those of the bridge."""
    try:
        lines = (package.absolute().parent.parent / spec).read_text(encoding="utf-8").split("\n")
        text = lines[line - 1].rstrip()
    except (OSError, IndexError):
        return Span(spec, line, 1)
    return Span(spec, line, len(text) - len(text.lstrip()) + 1, len(text) + 1)
