"""What the commands share while one runs: its options, what was found, and the one place that prints."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import click

from wrapper_gen import disk
from wrapper_gen.diagnostics import UNDECIDED, Diagnostic, SpecError
from wrapper_gen.version import VERSION

if TYPE_CHECKING:
    from wrapper_gen.batch import Found
    from wrapper_gen.compile import BuildProgress, Tick
    from wrapper_gen.runtime_files import Runtime

_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan", "hint": "green", "gutter": "blue"}


@dataclass(eq=False, repr=False)
class Session:
    """The options that all commands share, and the one place that prints."""

    output: Path
    tiers: tuple[int, ...]
    strict: bool
    verbose: bool
    format: str
    chosen_runtime: str = ""
    """What the command line says of it; empty where the project's settings do, or nothing."""
    shown: dict[str, str] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    tool_output: str = ""
    ticking: bool = False

    @property
    def text(self) -> bool:
        return self.format == "text"

    @property
    def runtime(self) -> Runtime:
        """How packages have their runtime."""
        from wrapper_gen import settings
        from wrapper_gen.runtime_files import Runtime

        chosen = settings.read(self.output).runtime
        return Runtime(self.chosen_runtime) if self.chosen_runtime else chosen

    def find(self, arguments: Sequence[str]) -> Found:
        from wrapper_gen import batch

        found = batch.find(arguments, self.output)
        self.shown = {spec.shown: batch.from_here(spec.path) for spec in found.specs}
        return found

    def report(self, findings: Sequence[Diagnostic], output: str = "") -> None:
        """Show diagnostics at once as text; keep them for `close`, which makes one document, otherwise.

        What a tool says comes after them, and only where it is asked for: it may be a thousand lines of templates.
        """
        findings = self._quoted([each.placed(self._from_here) for each in findings])
        self.findings.extend(findings)
        self.tool_output += output
        output = output if self.verbose else ""
        if self.text and (findings or output):
            from wrapper_gen import report

            text = report.as_text(findings, self._source, paint)
            click.echo(self._over_the_clock() + text + output, err=True, nl=False)

    def _quoted(self, findings: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
        """These, with the declarations of what is not decided."""
        if not any(each.code in UNDECIDED for each in findings):
            return findings
        from wrapper_gen.lsp.quotes import quoted

        return quoted(findings, list(self.shown.values()))

    def record(self, findings: Sequence[Diagnostic]) -> None:
        """Keep diagnostics of what the command tells in words of its own, for the document that `close` makes."""
        self.findings.extend(findings)

    def close(self) -> None:
        if self.text:
            return
        from wrapper_gen import report

        if self.format == "json":
            click.echo(report.as_json(self.findings, self.tool_output), err=True, nl=False)
        else:
            click.echo(report.as_sarif(self.findings, VERSION), err=True, nl=False)

    def say(self, line: str) -> None:
        """A line about progress: for people only."""
        if self.text:
            click.echo(self._over_the_clock() + line, err=True)

    @property
    def clock(self) -> Tick | None:
        """What shows how far a build is; None where nobody would see it."""
        return self._tick if self.text and is_terminal() else None

    def _tick(self, progress: BuildProgress) -> None:
        """How far a build is, on a line that the next words take over."""
        click.echo(f"\r\033[K{progress_text(progress)}", err=True, nl=False)
        self.ticking = True

    def result(self, text: str, data: object) -> None:
        """What the command has to tell on stdout: as text, or as JSON."""
        if self.format == "json":
            click.echo(json.dumps(data, indent=2, ensure_ascii=False))
        elif text:
            click.echo(text)

    def suggest(self, command: str) -> None:
        """The command that usually comes next: for people only, who have a terminal."""
        if self.text and is_terminal():
            click.echo(paint(f"next: {command}", "hint"), err=True)

    def again(self, arguments: Sequence[str]) -> str:
        """The command that mends what `check` found."""
        options = [] if self.output == default_output() else ["-o", str(self.output)]
        options += ["--runtime", self.chosen_runtime] if self.chosen_runtime else []
        return shlex.join(["wrapper-gen", *arguments, *options])

    def _over_the_clock(self) -> str:
        erase, self.ticking = ("\r\033[K" if self.ticking else ""), False
        return erase

    def _from_here(self, path: str) -> str:
        """A spec, or a Python file beside one, as it is reached from the working directory."""
        if path not in self.shown and path.endswith(".py"):
            for shown, here in list(self.shown.items()):
                if PurePosixPath(path).is_relative_to(folder := PurePosixPath(shown).parent):
                    self.shown[path] = (PurePosixPath(here).parent / PurePosixPath(path).relative_to(folder)).as_posix()
                    break
        return self.shown.get(path, path)

    def _source(self, path: str) -> str | None:
        if path not in self.shown.values():
            return None
        try:
            return disk.read_start(Path(path), 1 << 24).decode("utf-8", "replace")
        except OSError:
            return None

    def waiting(self, folder: Path) -> None:
        self.say(f"{folder}: in use by another process; waiting for it")


def progress_text(progress: BuildProgress) -> str:
    """Elapsed time; of several files how many are compiled, and how long the others may take."""
    text = f"{progress.seconds:4.0f} s"
    if progress.count < 2:
        return text
    text += f", {progress.done} of {progress.count} compiled"
    if progress.done == progress.count:
        return f"{text}, linking"
    left = progress.seconds / progress.done * (progress.count - progress.done) if progress.done else 0
    return f"{text}, about {left:.0f} s left" if left else text


def is_terminal() -> bool:
    """Whether a person may be looking."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def has_colours() -> bool:
    """Whether text has colours: on a terminal, or where the environment asks for them."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal()


def paint(text: str, role: str) -> str:
    """Text in the colour of its role, where colours are seen."""
    if not has_colours():
        return text
    return click.style(text, fg=_COLOURS.get(role), bold=role != "gutter")


def default_output() -> Path:
    """The folder of the packages where none is named: the one of the current folder's project, or `generated`."""
    from wrapper_gen import settings

    try:
        return settings.output_of(Path.cwd())
    except (SpecError, OSError):  # whoever needs the other settings will say what is wrong
        return Path("generated")
