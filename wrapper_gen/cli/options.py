"""The options and arguments that commands share."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wrapper_gen.cli.exit_codes import BAD_SPEC, TOOLCHAIN
from wrapper_gen.cli.session import Session, default_output
from wrapper_gen.diagnostics import SpecError, ToolchainError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class AnyPath(click.Path):
    """A path as it was typed: anything but the empty one, which is no path, and would stand for the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("a path cannot be empty", param, ctx)
        return super().convert(value, param, ctx)


def language_option(meaning: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option for the language of headers, which is `c` or `cpp` for the command; `c++` may be written as well."""

    def named(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
        return "cpp" if value == "c++" else value

    return click.option("--lang", type=click.Choice(["c", "cpp", "c++"]), callback=named, help=meaning)


_STRICT = click.option("--strict", is_flag=True, help="Warnings are errors.")
_VERBOSE = click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Name every file; show all that a compiler says, and where a mistake of ours happened.",
)
_FORMAT = click.option(
    "--format",
    type=click.Choice(["text", "json", "sarif"]),
    default="text",
    help="Diagnostics (on stderr) and results (on stdout) in this form.",
)


def command(function: Callable[..., int]) -> Callable[..., int]:
    """Adds the options of every command that reads specs, and maps what it raises to an exit code."""

    @functools.wraps(function)
    def run(
        output: Path, tier: tuple[str, ...], runtime: str | None, strict: bool, verbose: bool, format: str, **rest: Any
    ) -> int:
        tiers = tuple(sorted(int(each) for each in tier)) or (1, 2, 3)
        return _code(Session(output, tiers, strict, verbose, format, runtime or ""), function, rest)

    options = (
        click.option("-o", "--output", type=AnyPath(path_type=Path), callback=_output, metavar="DIR",
                     help="Folder of the packages (default: generated, unless pyproject.toml says another)."),
        click.option("--tier", multiple=True, type=click.Choice(["1", "2", "3"]), help="Only this tier; repeatable."),
        click.option("--runtime", type=click.Choice(["vendored", "shared", "package"]),
                     help="Where packages have their runtime: each its own (the default, unless pyproject.toml says "
                     "another), one folder beside all, or the distribution wrapper-gen-runtime."),
        _STRICT,
        _VERBOSE,
        _FORMAT,
    )  # fmt: skip
    return functools.reduce(lambda inner, option: option(inner), reversed(options), run)


def _code(session: Session, function: Callable[..., int], rest: dict[str, Any]) -> int:
    """What a command ends with, once what it raises is reported."""
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


def project_command(function: Callable[..., int]) -> Callable[..., int]:
    """The same of a command that makes a project, which decides where packages are."""

    @functools.wraps(function)
    def run(strict: bool, verbose: bool, format: str, **rest: Any) -> int:
        return _code(Session(Path("generated"), (1, 2, 3), strict, verbose, format), function, rest)

    return _STRICT(_VERBOSE(_FORMAT(run)))


def command_of_headers(function: Callable[..., int]) -> Callable[..., int]:
    """The same of a command that reads headers, and writes files for a person to edit."""

    @functools.wraps(function)
    def run(output: Path, verbose: bool, format: str, **rest: Any) -> int:
        return _code(Session(output, (1, 2, 3), False, verbose, format), function, rest)

    folder = AnyPath(path_type=Path, file_okay=False)
    output = click.option(
        "-o", "--output", type=folder, default=Path(), metavar="DIR", help="Folder of the files (default: this one)."
    )
    return output(_VERBOSE(_FORMAT(run)))


def _output(context: click.Context, parameter: click.Parameter, named: Path | None) -> Path:
    """The folder of the packages: the one that is named, or that the current folder's project names."""
    return default_output() if named is None else named


class SpecPath(AnyPath):
    """A spec, or a folder of some: what shells complete."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return specs_from(incomplete)


def specs_from(incomplete: str) -> list[CompletionItem]:
    """The specs, and the folders, whose paths begin so."""
    from click.shell_completion import CompletionItem

    folder, _, start = incomplete.rpartition("/")
    above = f"{folder}/" if "/" in incomplete else ""
    try:
        found = sorted(os.scandir(above or "."), key=lambda each: each.name)
    except OSError:
        return []
    shown = [each for each in found if each.name.startswith(start) and (start or not each.name.startswith("."))]
    specs = [CompletionItem(above + each.name) for each in shown if each.name.endswith(_SUFFIX) and each.is_file()]
    return [*specs, *(CompletionItem(f"{above}{each.name}/") for each in shown if each.is_dir())]


_SUFFIX = ".wrapper_spec"

ENGINES = ("auto", "cpython", "cffi", "both")


def engine_of(context: click.Context, parameter: click.Parameter, name: str) -> str:
    """The name of an engine; `native` is a former one."""
    return "cpython" if name == "native" else name


SPECS = click.argument("specs", nargs=-1, required=True, metavar="SPEC...", type=SpecPath(path_type=str))
