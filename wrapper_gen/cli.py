"""The command `wrapper-gen`: the only module that prints, reads the command line or chooses an exit code."""

from __future__ import annotations

import functools
import json
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wrapper_gen import disk, streams
from wrapper_gen.diagnostics import Diagnostic, SpecError, ToolchainError

if TYPE_CHECKING:
    from wrapper_gen.batch import Batch, Found
    from wrapper_gen.files import Comparison
    from wrapper_gen.outcome import Summary

OK, OUT_OF_DATE, USAGE, BAD_SPEC, TOOLCHAIN = 0, 1, 2, 3, 4
BUG, UNPRINTABLE, INTERRUPTED, BROKEN_PIPE = 70, 74, 130, 141

_TAKE_A_VALUE = ("-o", "--output", "--tier", "--format", "--depfile")
_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan", "hint": "green", "gutter": "blue"}


class Edge(click.Group):
    """Inserts the default command, and turns whatever happens into an exit code."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _with_command(args, list(self.commands)))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except OSError as error:  # before click takes a closed pipe for its own
            return _stop_printing(error)

    def main(self, args: Sequence[str] | None = None, *more: Any, **extra: Any) -> Any:
        arguments = list(sys.argv[1:] if args is None else args)
        streams.prepare()
        try:
            code = self._run(arguments, *more, **extra)
        except OSError as error:
            code = _stop_printing(error)
        sys.exit(code if isinstance(code, int) else OK)

    def _run(self, arguments: list[str], *more: Any, **extra: Any) -> Any:
        try:
            return super().main(arguments, *more, **{**extra, "standalone_mode": False})
        except click.ClickException as error:
            error.show()
            return USAGE
        except (click.Abort, KeyboardInterrupt):
            return INTERRUPTED
        except Exception as error:
            if _is_of_printing(error):
                raise
            return _apologize(error, verbose="--verbose" in arguments or "-v" in arguments)


def _is_of_printing(error: Exception) -> bool:
    """Whether a standard stream failed, and no other file: all printing goes through one function."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code is not click.echo.__code__:
        trace = trace.tb_next
    return isinstance(error, OSError) and trace is not None


def _stop_printing(error: OSError) -> int:
    """A standard stream cannot be written: say so, if stderr still can."""
    if not _is_of_printing(error):
        raise error
    if not isinstance(error, BrokenPipeError):
        with suppress(OSError):
            click.echo(f"wrapper-gen: cannot print: {error.strerror}", err=True)
    streams.give_up()
    return BROKEN_PIPE if isinstance(error, BrokenPipeError) else UNPRINTABLE


def _with_command(args: list[str], commands: list[str]) -> list[str]:
    """Put the command first, where click wants it; without one, `generate`."""
    if not args or args[0] in ("--help", "-h", "--version"):
        return args
    skip = False
    for position, arg in enumerate(args):
        if skip or (arg.startswith("-") and len(arg) > 1 and arg != "--"):
            skip = not skip and arg in _TAKE_A_VALUE
            continue
        if arg in commands:
            return [arg, *args[:position], *args[position + 1 :]]
        _refuse_misspelt(arg, commands)
        break
    return ["generate", *args]


def _refuse_misspelt(arg: str, commands: list[str]) -> None:
    """A bare word that is no file is meant as a command."""
    if arg.isalpha() and not Path(arg).exists():
        from wrapper_gen.diagnostics import did_you_mean

        raise click.UsageError(f"no command and no file {arg!r}; {did_you_mean(arg, commands)}")


def _apologize(error: Exception, *, verbose: bool) -> int:
    if verbose:
        import traceback

        click.echo(traceback.format_exc(), err=True, nl=False)
    what = " ".join(f"{type(error).__name__}: {error}".split())
    more = "" if verbose else "; --verbose shows where"
    click.echo(f"wrapper-gen: its own mistake, please report it with the spec: {what}{more}", err=True)
    return BUG


# --- what the commands share -----------------------------------------------------------------------------------------


@dataclass(eq=False, repr=False)
class Session:
    """The options that all commands share, and the one place that prints."""

    output: Path
    tiers: tuple[int, ...]
    strict: bool
    verbose: bool
    format: str
    shown: dict[str, str] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    tool_output: str = ""
    ticking: bool = False

    @property
    def text(self) -> bool:
        return self.format == "text"

    def find(self, arguments: Sequence[str]) -> Found:
        from wrapper_gen import batch

        found = batch.find(arguments, self.output)
        self.shown = {spec.shown: batch.from_here(spec.path) for spec in found.specs}
        return found

    def report(self, findings: Sequence[Diagnostic], output: str = "") -> None:
        """Show diagnostics at once as text; keep them for `close`, which makes one document, otherwise."""
        findings = [each.placed(lambda path: self.shown.get(path, path)) for each in findings]
        self.findings.extend(findings)
        self.tool_output += output
        if self.text and (findings or output):
            from wrapper_gen import report

            text = report.as_text(findings, self._source, _paint)
            click.echo(self._over_the_clock() + output + text, err=True, nl=False)

    def close(self) -> None:
        if self.text:
            return
        from wrapper_gen import report

        if self.format == "json":
            click.echo(report.as_json(self.findings, self.tool_output), err=True, nl=False)
        else:
            click.echo(report.as_sarif(self.findings, _version()), err=True, nl=False)

    def say(self, line: str) -> None:
        """A line about progress: for people only."""
        if self.text:
            click.echo(self._over_the_clock() + line, err=True)

    def tick(self, seconds: float) -> None:
        """Elapsed time, on a terminal, on a line that the next words take over."""
        click.echo(f"\r{seconds:4.0f} s", err=True, nl=False)
        self.ticking = True

    def result(self, text: str, data: object) -> None:
        """What the command has to tell on stdout: as text, or as JSON."""
        if self.format == "json":
            click.echo(json.dumps(data, indent=2, ensure_ascii=False))
        elif text:
            click.echo(text)

    def again(self, arguments: Sequence[str]) -> str:
        """The command that mends what `check` found."""
        options = [] if self.output == Path("generated") else ["-o", str(self.output)]
        return shlex.join(["wrapper-gen", *arguments, *options])

    def _over_the_clock(self) -> str:
        erase, self.ticking = ("\r\033[K" if self.ticking else ""), False
        return erase

    def _source(self, path: str) -> str | None:
        if path not in self.shown.values():
            return None
        try:
            return disk.read_start(Path(path), 1 << 24).decode("utf-8", "replace")
        except OSError:
            return None

    def waiting(self, folder: Path) -> None:
        self.say(f"{folder}: in use by another process; waiting for it")


def _terminal() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _paint(text: str, role: str) -> str:
    if os.environ.get("NO_COLOR") or not _terminal():
        return text
    return click.style(text, fg=_COLOURS.get(role), bold=role != "gutter")


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("wrapper-gen")
    except PackageNotFoundError:
        return "0"  # run from a checkout that is not installed


def _print_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"wrapper-gen {_version()}")
        ctx.exit()


class _Path(click.Path):
    """A path as it was typed: anything but the empty one, which is no path, and would stand for the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("a path cannot be empty", param, ctx)
        return super().convert(value, param, ctx)


def _command(function: Callable[..., int]) -> Callable[..., int]:
    """Adds the options of every command that reads specs, and maps what it raises to an exit code."""

    @functools.wraps(function)
    def run(output: Path, tier: tuple[str, ...], strict: bool, verbose: bool, format: str, **rest: Any) -> int:
        tiers = tuple(sorted(int(each) for each in tier)) or (1, 2, 3)
        session = Session(output, tiers, strict, verbose, format)
        try:
            code = function(session, **rest)
        except SpecError as error:
            session.report(error.diagnostics)
            code = BAD_SPEC
        except ToolchainError as error:
            session.report([error.diagnostic, *error.more], error.output)
            code = TOOLCHAIN
        session.close()
        return code

    options = (
        click.option("-o", "--output", type=_Path(path_type=Path), default=Path("generated"), metavar="DIR",
                     help="Folder of the generated packages (default: generated)."),
        click.option("--tier", multiple=True, type=click.Choice(["1", "2", "3"]), help="Only this tier; repeatable."),
        click.option("--strict", is_flag=True, help="Warnings are errors."),
        click.option("-v", "--verbose", is_flag=True, help="Name every file; show where a mistake of ours happened."),
        click.option("--format", type=click.Choice(["text", "json", "sarif"]), default="text",
                     help="Diagnostics (on stderr) and results (on stdout) in this form."),
    )  # fmt: skip
    return functools.reduce(lambda inner, option: option(inner), reversed(options), run)


ENGINES = ("both", "cpython", "cffi")


def _engine(context: click.Context, parameter: click.Parameter, name: str) -> str:
    """The name of an engine; `native` is a former one."""
    return "cpython" if name == "native" else name


_specs = click.argument("specs", nargs=-1, required=True, metavar="SPEC...", type=_Path(path_type=str))


# --- the commands ----------------------------------------------------------------------------------------------------


@click.group(cls=Edge, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version.",
)
def main() -> None:
    """Turn specs about C and C++ libraries into Python packages; without a command, `generate`.

    Exit codes: 0 fine, 1 out of date, 2 wrong usage, 3 bad spec, 4 compiler or linker failed.
    """


@main.command()
@_specs
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@click.option(
    "--depfile",
    type=_Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a Makefile rule, too.",
)
@click.option("--force", is_flag=True, help="Replace files, too, that wrapper-gen did not write.")
@_command
def generate(session: Session, specs: tuple[str, ...], dry_run: bool, depfile: Path | None, force: bool) -> int:
    """Write the package of each SPEC (or of all specs in a folder)."""
    summary, _ = _generate(session, specs, dry_run=dry_run, depfile=depfile, force=force)
    session.result(summary.text(every_file=session.verbose or dry_run), summary.data())
    return OK


@main.command()
@_specs
@_command
def check(session: Session, specs: tuple[str, ...]) -> int:
    """Exit with 1 if any file is changed, missing or too many; write nothing."""
    from wrapper_gen import outcome

    comparison = _compare(session, specs)
    mend = session.again(specs)
    session.result(outcome.out_of_date(comparison, mend), outcome.out_of_date_data(comparison, mend))
    return OK if comparison.up_to_date else OUT_OF_DATE


@main.command()
@_specs
@_command
def diff(session: Session, specs: tuple[str, ...]) -> int:
    """Like check, printed as a unified diff."""
    from wrapper_gen import files

    comparison = _compare(session, specs)
    for path in comparison.blocked:
        session.say(f"{session.output / path}: not ours, and in the way")
    for line in files.diff(comparison):
        click.echo(line, nl=False)
    return OK if comparison.up_to_date else OUT_OF_DATE


@main.command()
@_specs
@click.option("--stub", is_flag=True, help="Build in stub mode even where the library is.")
@click.option("--allow-stub", is_flag=True, help="Build in stub mode where the library is missing.")
@click.option("--require", is_flag=True, help="A library that is missing is an error, even one that is optional.")
@click.option(
    "--engine",
    type=click.Choice((*ENGINES, "native")),
    metavar=f"[{'|'.join(ENGINES)}]",
    callback=_engine,
    default="both",
    help="What to compile (default: both engines).",
)
@click.option("--abi3", is_flag=True, help="One extension for CPython 3.11 and all later versions.")
@click.option("--force", is_flag=True, help="Compile even when nothing changed.")
@_command
def build(session: Session, specs: tuple[str, ...], **options: Any) -> int:
    """Generate, then compile."""
    from wrapper_gen import compile

    summary, result = _generate(session, specs)
    if session.text:
        click.echo(summary.text(every_file=session.verbose))
    data = summary.data()
    lines, stubs = [], []
    for package in result.packages:
        done = compile.build(
            session.output / package,
            report=session.say,
            tick=session.tick if session.text and _terminal() else None,
            **options,
        )
        where = done.extension.as_posix()
        data[package] |= {"extension": where, "stub": done.stub, "missing": done.missing, "rebuilt": done.rebuilt}
        if done.stub:
            stubs.append(_paint(f"{package}: STUB, WITHOUT ITS LIBRARY: {done.missing} ({where})", "warning"))
        else:
            lines.append(f"{package}: built {where}")
    session.result("\n".join([*lines, *stubs]), data)  # a stub is the last that is seen
    return OK


@main.command()
@_specs
@_command
def validate(session: Session, specs: tuple[str, ...]) -> int:
    """Check schema and meaning only."""
    from wrapper_gen import batch

    result = batch.read_all(session.find(specs), strict=session.strict)
    _barrier(session, result)
    lines = []
    for module in result.modules:
        counts = f"{len(module.handles)} handle types, {len(module.functions)} functions, {len(module.methods)} methods"
        lines.append(f"{session.shown[module.spec]}: fine ({counts})")
    session.result("\n".join(lines), [{"spec": each.spec, "package": each.package} for each in result.modules])
    return OK


@main.command()
@click.argument("spec", type=_Path(path_type=str))
@_command
def inspect(session: Session, spec: str) -> int:
    """Print the resolved meaning of SPEC as JSON."""
    from wrapper_gen import batch, dump

    result = batch.read_all(session.find([spec]), strict=session.strict)
    _barrier(session, result)
    modules = [dump.plain(module) for module in result.modules]
    click.echo(json.dumps(modules[0] if len(modules) == 1 else modules, indent=2, ensure_ascii=False))
    return OK


@main.command()
def schema() -> None:
    """Print the JSON Schema of specs, for editors."""
    from wrapper_gen.resources import SCHEMA

    click.echo(SCHEMA.read_text(encoding="utf-8"), nl=False)


# --- their parts -----------------------------------------------------------------------------------------------------


def _barrier(session: Session, result: Batch) -> None:
    """Report what was found, or stop when any of it is an error."""
    if result.failed:
        raise SpecError(result.findings)
    session.report(result.findings)


def _render(session: Session, specs: Sequence[str]) -> tuple[Found, Batch]:
    from wrapper_gen import batch

    found = session.find(specs)
    result = batch.generate_all(found, session.tiers, strict=session.strict)
    _barrier(session, result)
    return found, result


def _against_disk(session: Session, found: Found, result: Batch, *, force: bool = False) -> Comparison:
    """With only some of the tiers, other files are none of our business."""
    from wrapper_gen import files

    every_tier = session.tiers == (1, 2, 3)
    return files.compare(
        result.files,
        session.output,
        packages=result.packages if every_tier else (),
        specs=[spec.shown for spec in found.specs] if found.whole and every_tier else None,
        force=force,
    )


def _compare(session: Session, specs: Sequence[str]) -> Comparison:
    from wrapper_gen import files

    found, result = _render(session, specs)
    with files.reading(session.output, session.waiting):
        return _against_disk(session, found, result)


def _generate(
    session: Session,
    specs: Sequence[str],
    *,
    dry_run: bool = False,
    depfile: Path | None = None,
    force: bool = False,
) -> tuple[Summary, Batch]:
    from wrapper_gen import batch, files, outcome

    found, result = _render(session, specs)
    hold = files.reading if dry_run else files.updating
    with hold(session.output, session.waiting):
        comparison = _against_disk(session, found, result, force=force)
        for path in comparison.foreign:
            session.say(f"{session.output / path}: not ours, left alone (no spec makes it)")
        files.refuse_blocked(comparison)
        if not dry_run:
            also = {depfile: batch.depfile(found, result, session.output)} if depfile else None
            files.write(comparison, also, session.waiting)
    return outcome.Summary(comparison, result.packages, dry_run), result
