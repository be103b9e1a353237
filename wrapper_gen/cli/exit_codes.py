"""Where the command meets the shell: the default command, and an exit code for whatever happens."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from wrapper_gen import streams

OK, OUT_OF_DATE, USAGE, BAD_SPEC, TOOLCHAIN = 0, 1, 2, 3, 4
BUG, UNPRINTABLE, INTERRUPTED, BROKEN_PIPE = 70, 74, 130, 141

_TAKE_A_VALUE = (
    "-o",
    "--output",
    "--tier",
    "--runtime",
    "--format",
    "--depfile",
    "--lock",
    "--tests",
    "-j",
    "--jobs",
    "--test",
)


class Command(click.Command):
    """Reads short options as long ones: for each short one, click loads difflib to look for a long one like it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _with_long_options(args, self.params))


class Edge(click.Group):
    """Inserts the default command, and turns whatever happens into an exit code."""

    command_class = Command

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


def _with_long_options(args: list[str], parameters: Sequence[click.Parameter]) -> list[str]:
    options = {name: each for each in parameters if isinstance(each, click.Option) for name in each.opts}
    found: list[str] = []
    is_value = False
    for position, arg in enumerate(args):
        if arg == "--" and not is_value:
            return found + args[position:]
        option = None if is_value else options.get(arg)
        is_value = option is not None and not option.is_flag
        lacks_value = is_value and position == len(args) - 1  # of which click tells, by the name that was typed
        found.append(arg if option is None or lacks_value else option.opts[-1])
    return found


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
