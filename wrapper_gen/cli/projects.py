"""The commands that make a project around a spec: `new` and `package`."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import click

from wrapper_gen.cli import project_arguments as arguments
from wrapper_gen.cli.commands import main, write_packages
from wrapper_gen.cli.exit_codes import OK
from wrapper_gen.cli.importing import IS_SETTLED
from wrapper_gen.cli.options import AnyPath, SpecPath, language_option, project_command
from wrapper_gen.cli.publishing import Publishing, licence_of, publishing_options, wanted_lines, with_publishing
from wrapper_gen.cli.session import Session
from wrapper_gen.diagnostics import Diagnostic, Severity, Span, SpecError
from wrapper_gen.frozen import replace

if TYPE_CHECKING:
    from wrapper_gen.batch import Batch
    from wrapper_gen.model import Module
    from wrapper_gen.project import ProjectOptions, Update

_GITLAB = click.option("--gitlab", is_flag=True, help="Also write .gitlab-ci.yml.")
_ENDS_OF_CPP = (".hpp", ".hh", ".hxx")


@main.command(short_help="Make a project: from an empty folder to wheels.")
@click.argument("name", type=AnyPath(path_type=Path), required=False)
@click.option("--header", "headers", multiple=True, metavar="H", help="A header of the library; repeatable.")
@language_option("The library's language (default: c, unless a header says).")
@click.option("--requires", multiple=True, metavar="NAME", help="Its name for pkg-config; repeatable.")
@click.option("--link", multiple=True, metavar="NAME", help="A library to link, as in -lNAME; repeatable.")
@publishing_options
@_GITLAB
@project_command
def new(
    session: Session,
    name: Path | None,
    headers: tuple[str, ...],
    lang: str | None,
    published: Publishing,
    **options: Any,
) -> int:
    """Make a project NAME: a spec, its package, tests, what wheels are built with, and CI.

    Without --header, the project has the source of a small library of its own. A second run writes anew what nobody has
    changed, and says which files it leaves. At a terminal, it asks for what is missing.
    """
    from wrapper_gen import project

    asks = session.text and sys.stdin.isatty()
    if name is None:
        if not asks:
            raise click.UsageError("Missing argument 'NAME'.")
        name = arguments.asked_name()
    library = arguments.library_of(name)
    before = project.read_options(name)
    library = before.name if before and before.name else library  # the folder may have another name by now
    spec = f"{library}.wrapper_spec"
    arguments.check_other_project(name, spec, before)
    is_decided = headers or lang or options["requires"] or options["link"] or before
    if asks and not is_decided:
        headers, options["requires"], options["link"] = arguments.asked_library()
    arguments.check_library(headers, options["requires"], options["link"])
    is_cpp = lang == "cpp" if lang else any(each.endswith(_ENDS_OF_CPP) for each in headers)
    there, folders = _places(name, headers)
    chosen = project.ProjectOptions(
        library, "cpp" if is_cpp else "c", there, options["requires"], folders, options["link"], options["gitlab"]
    )
    if before is not None and before.is_imported:
        arguments.check_imported(name, chosen, before, lang=lang)
        chosen = replace(before, gitlab=before.gitlab or chosen.gitlab)
    elif before is not None and replace(chosen, gitlab=False, lang="c") == project.ProjectOptions(library) and not lang:
        chosen = replace(before, gitlab=before.gitlab or chosen.gitlab)
    chosen = with_publishing(chosen, before, published, name, asks=asks)
    if headers and before is None and "import" in main.commands and not (name / spec).exists():
        code, is_settled = _import(name, chosen)
        if code != OK:
            return code
        return _make(session, name, spec, replace(chosen, is_imported=True), None, is_settled=is_settled)
    return _make(session, name, spec, chosen, before)


@main.command(short_help="Make what wheels of a spec are built with, around it.")
@click.argument("spec", type=SpecPath(path_type=Path))
@publishing_options
@_GITLAB
@project_command
def package(session: Session, spec: Path, published: Publishing, gitlab: bool) -> int:
    """Make a project around SPEC, in its folder: what wheels are built with, tests, and CI; the package in src.

    A second run writes anew what nobody has changed, and says which files it leaves.
    """
    from wrapper_gen import project

    arguments.check_spec(spec)
    root = spec.parent
    before = project.read_options(root)
    if spec.exists():
        arguments.check_other_project(root, spec.name, before)
    if before is None or before.spec_name != spec.name:
        chosen = project.ProjectOptions(spec=spec.name, gitlab=bool(before and before.gitlab))
    else:
        chosen = before
    asks = session.text and sys.stdin.isatty() and spec.exists()
    options = with_publishing(replace(chosen, gitlab=chosen.gitlab or gitlab), before, published, root, asks=asks)
    return _make(session, root, spec.name, options, before, is_settled=True)  # after an import, which says what is open


# --- their parts -----------------------------------------------------------------------------------------------------


def _places(root: Path, headers: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """How the spec includes these headers, and in which folders those lie that are named as files."""
    names, folders = [], []
    for header in headers:
        path = Path(header)
        if path.is_file():
            names.append(path.name)
            folders.append(os.path.relpath(path.parent, root).replace(os.sep, "/"))
        else:
            names.append(header)
    return tuple(names), tuple(dict.fromkeys(folders))


def _import(root: Path, options: ProjectOptions) -> tuple[int, bool | None]:
    """Let `import` write the spec of a new project, with its questions beside it: its exit code, and whether all are
    answered."""
    given = ["--lib", options.name, "--lang", options.lang, "-o", str(root)]
    given += [word for folder in options.folders for word in ("--include", os.path.normpath(root / folder))]
    given += [word for name in options.requires for word in ("--requires", name)]
    given += [word for name in options.link for word in ("--link", name)]
    context = click.get_current_context()
    words = [*options.headers, *given]
    code: int = main.commands["import"].main(words, "wrapper-gen import", standalone_mode=False, parent=context)
    return code, context.meta.get(IS_SETTLED)


def _make(
    session: Session,
    root: Path,
    spec: str,
    options: ProjectOptions,
    before: ProjectOptions | None,
    *,
    is_settled: bool | None = None,
) -> int:
    """Write a project; nothing where its spec is wrong.

    Args:
        session: the command's.
        root: the folder.
        spec: the spec's name.
        options: what the project is made from now.
        before: what it was made from the last time; None where it is new.
        is_settled: whether all questions of its import are answered, where that has run just now.
    """
    from wrapper_gen import project

    begun = _former_files(root, options, before)
    licence = licence_of(root, options)
    session.output = root / "src"
    begins = bool(begun) or (before is None and not (root / spec).exists())
    result = _read(session, root, spec, options, begins=begins and options.has_starter)
    (module,) = result.modules
    starter = project.starter(options) if options.has_starter else {}
    placed = project.view(module, options, PurePosixPath(spec), licence.patterns)
    names_schema = project.SCHEMA in (starter.get(PurePosixPath(spec)) or (root / spec).read_text(encoding="utf-8"))
    texts = project.texts(placed, options, names_schema=names_schema)
    done = project.update(root, {**starter, **texts, **licence.texts}, options, [*begun, *licence.former])
    summary, _ = write_packages(session, [str(root / spec)])
    wanted = project.wanted(module, options, root, spec, has_licence_file=bool(licence.patterns))
    if session.text:
        click.echo(_told(session, root, done, summary.text(every_file=session.verbose)))
        for line in (*_new_address(options, before), *wanted_lines(wanted, root, spec)):
            click.echo(line)
        click.echo(_next(root, spec, options, is_new=before is None, is_settled=is_settled))
    session.result(
        "",
        {
            "project": done.data(),
            "packages": summary.data(),
            "wanted": [{"what": each.what, "option": each.option} for each in wanted],
        },
    )
    return OK


def _former_files(root: Path, options: ProjectOptions, before: ProjectOptions | None) -> Sequence[PurePosixPath]:
    """The files that the project was begun with, where it is to be of another language now.

    Raises:
        UsageError: the user has changed one of them.
    """
    from wrapper_gen import project

    if before is None or not (before.has_starter and options.has_starter) or before.begins_as(options):
        return ()
    former = [*project.starter(before)]
    for path in project.changed(root, former):
        message = f"{root / path} has changed since the project was made: it stays what it is"
        raise click.UsageError(f"{message}; name another folder for another library")
    return former


def _new_address(options: ProjectOptions, before: ProjectOptions | None) -> list[str]:
    """What is recorded from now on, and may be what git has said."""
    known = before.url if before else ""
    return [f"source: {options.url} (--url names another page)"] if options.url != known else []


def _told(session: Session, root: Path, done: Update, summary: str) -> str:
    return f"{done.text(root, every_file=session.verbose)}\n{summary}"


def _next(root: Path, spec: str, options: ProjectOptions, *, is_new: bool, is_settled: bool | None) -> str:
    where = f"cd {shlex.quote(str(root))} && " if root != Path() else ""
    again = f"{where}wrapper-gen import --lib {options.name}"
    if options.is_imported and is_settled is False:
        return f"next: {again} --answers  # or edit {options.name}.import there, and leave --answers out"
    if options.is_imported and is_settled is None:
        return f"next: {again}"
    first = f"edit {root / spec}; " if is_new and options.has_starter else ""
    return f"next: {first}{where}pip install . pytest && pytest tests"


def _read(session: Session, root: Path, spec: str, options: ProjectOptions, *, begins: bool) -> Batch:
    """What the spec comes to, also where it is yet to be written, since the project begins with one of ours.

    Raises:
        SpecError: it is wrong.
    """
    import tempfile

    from wrapper_gen import batch, project

    with tempfile.TemporaryDirectory(prefix="wrapper-gen-") as folder:
        there = root / spec
        if begins:
            for path, text in project.starter(options).items():
                target = Path(folder, path)
                target.parent.mkdir(exist_ok=True)
                target.write_text(text, encoding="utf-8")
            there = Path(folder, spec)
        found = batch.find([str(there)], session.output)
        session.shown = {each.shown: batch.from_here(root / spec) for each in found.specs}
        result = batch.generate_all(found, strict=session.strict, runtime=session.runtime)
    outside = _outside(result)
    if result.failed or (session.strict and outside):
        raise SpecError([*result.findings, *(replace(each, severity=Severity.ERROR) for each in outside)])
    session.report(outside)  # the other warnings are reported when the package is written
    return result


def _outside(result: Batch) -> list[Diagnostic]:
    """Warnings about folders that a source archive will not have: it has what lies in the project's."""
    found = []
    for module in result.modules:
        for path in module.library.dirs:
            if path.startswith(".."):
                message = f"the folder {path!r} lies outside of the project"
                hint = (
                    "move it into the folder of the spec, or find the library by 'requires' with a name of pkg-config"
                )
            elif Path(path).is_absolute():
                message, hint = f"the folder {path!r} is one of this machine", "write it relative to the spec"
            else:
                continue
            found.append(Diagnostic("WG352", message, _place(module), hint, Severity.WARNING))
    return found


def _place(module: Module) -> Span:
    """Where the spec says how the library is found."""
    return dict(module.library.places).get("", module.span)
