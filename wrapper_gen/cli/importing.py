"""The command `import`: from headers to questions and a draft."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from wrapper_gen import names
from wrapper_gen.cli import answering
from wrapper_gen.cli.exit_codes import BAD_SPEC, INTERRUPTED, OK, OUT_OF_DATE
from wrapper_gen.cli.options import command_of_headers, language_option
from wrapper_gen.cli.session import Session

IS_SETTLED = "wrapper_gen.is_settled"
"""The key, in `meta` of a context, of whether no question is open: `new` tells by it what comes next."""


@click.command("import", short_help="Write the questions about HEADERs, and the spec that follows.")
@click.argument("headers", nargs=-1, metavar="[HEADER]...")
@click.option(
    "--lib", "name", required=True, metavar="NAME", help="The library: writes NAME.import and NAME.wrapper_spec."
)
@click.option(
    "--from",
    "binder",
    type=click.Choice(["pybind11", "nanobind"]),
    help="HEADERs are C++ files with the binding code of another tool: writes NAME.wrapper_spec of them.",
)
@click.option("--force", is_flag=True, help="With --from: replace the spec that is there.")
@language_option("The language of the headers (default: by their names).")
@click.option("--prefix", metavar="TEXT", help="What names of the library begin with (default: as most of them do).")
@click.option("--define", "defines", multiple=True, metavar="NAME[=VALUE]", help="A macro; repeatable.")
@click.option("--include", multiple=True, metavar="DIR", help="A folder of headers; repeatable.")
@click.option("--std", metavar="STANDARD", help="The standard of the language: c11, c++20.")
@click.option("--only", multiple=True, metavar="REGEX", help="Paths of files that are the library's; repeatable.")
@click.option("--link", multiple=True, metavar="LIBRARY", help="A library to link, without lib and .so; repeatable.")
@click.option("--requires", multiple=True, metavar="PACKAGE", help="A name of pkg-config; repeatable.")
@click.option("--build", is_flag=True, help="Compile the draft, too: comment out what C++ does not take.")
@click.option("--answers", "interactive", is_flag=True, help="Ask at the terminal, one question after the other.")
@click.option(
    "--check",
    "only_checks",
    is_flag=True,
    help="Write nothing; exit with 1 if a question is open, or a declaration is new, changed or gone.",
)
@command_of_headers  # fmt: skip
def import_(
    session: Session,
    headers: tuple[str, ...],
    name: str,
    build: bool,
    interactive: bool,
    only_checks: bool,
    binder: str | None,
    force: bool,
    **said: Any,
) -> int:
    """Read C or C++ HEADERs; write what has to be decided about them, and a spec of all that follows.

    NAME.import has a line for each question, with what is proposed and why. Edit it and run the command again: your
    answers stay, and so does what you have changed in NAME.wrapper_spec.

    With --from pybind11 or nanobind, the files are the C++ files of a module: all that they define becomes an entry of
    NAME.wrapper_spec, or a TODO with the reason.
    """
    _refuse_name(name)
    if binder is not None:
        said |= {"build": build, "answers": interactive}
        return _converted(session, headers, name, binder, {**said, "force": force, "only_checks": only_checks})
    if force:
        raise click.UsageError("--force is for --from: a second run keeps what you have changed in a spec")
    from wrapper_gen.drafts import imported

    outcome = imported.import_(name, session.output, {**said, "headers": headers}, builds=build, report=session.say)
    is_stopped = False
    if interactive:
        outcome, is_stopped = answering.asked(session, outcome)
    session.report(outcome.findings)
    click.get_current_context().meta[IS_SETTLED] = outcome.is_settled
    if not only_checks:
        outcome.write()
    session.result(outcome.text(lists_all=session.verbose, is_written=not only_checks), outcome.data())
    if click.get_current_context().info_name == import_.name and not only_checks:  # `new` says itself what is next
        where = session.output / name
        folder = [] if session.output == Path() else ["-o", str(session.output)]
        again = shlex.join(["wrapper-gen", "import", "--lib", name, *folder])
        spec = shlex.quote(f"{where}.wrapper_spec")
        by_hand = f"# or edit {where}.import, and leave --answers out"
        session.suggest(f"wrapper-gen build {spec}" if outcome.is_settled else f"{again} --answers  {by_hand}")
    if any(each.is_error for each in outcome.findings):
        return BAD_SPEC
    if is_stopped:
        kept = (
            "nothing is written, by --check"
            if only_checks
            else f"the answers so far are in {session.output / name}.import"
        )
        session.say(f"stopped: {kept}; --answers asks for the rest")
        return INTERRUPTED
    return OUT_OF_DATE if only_checks and not outcome.is_settled else OK


def _refuse_name(name: str) -> None:
    if not names.LIBRARY.match(name) or name in names.PYTHON_WORDS or name in names.CPP_WORDS:
        what = "lower case letters, digits and underscores, starting with a letter, and no word of Python or C++"
        raise click.UsageError(f"--lib: {name!r} cannot be the name of a library: {what}")


def _converted(session: Session, files: tuple[str, ...], name: str, binder: str, said: dict[str, Any]) -> int:
    """A spec from binding code."""
    from wrapper_gen.cli.conversion import converted

    foreign = {"answers", "build", "lang", "prefix", "only", "link", "requires"}
    if unused := sorted(key for key in foreign if said[key]):
        raise click.UsageError(f"--{unused[0]} is for headers, and not for --from")
    if not files:
        raise click.UsageError("name the C++ files that have the bindings")
    return converted(
        session,
        files,
        binder=binder,
        lib=name,
        folders=said["include"],
        defines=said["defines"],
        standard=said["std"] or "",
        force=said["force"],
        only_checks=said["only_checks"],
    )
