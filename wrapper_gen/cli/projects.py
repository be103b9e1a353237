"""The commands that make a project around a spec: `new` and `package`."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import click

from wrapper_gen.cli.commands import main, write_packages
from wrapper_gen.cli.exit_codes import OK
from wrapper_gen.cli.options import AnyPath, SpecPath, project_command
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
@click.option(
    "--lang", type=click.Choice(["c", "c++"]), help="The library's language (default: c, unless a header says)."
)
@click.option("--requires", multiple=True, metavar="NAME", help="Its name for pkg-config; repeatable.")
@click.option("--link", multiple=True, metavar="NAME", help="A library to link, as in -lNAME; repeatable.")
@_GITLAB
@project_command
def new(session: Session, name: Path | None, headers: tuple[str, ...], lang: str | None, **options: Any) -> int:
    """Make a project NAME: a spec, its package, tests, what wheels are built with, and CI.

    Without --header, the project has the source of a small library of its own. A second run writes anew what nobody has
    changed, and says which files it leaves. At a terminal, it asks for what is missing.
    """
    from wrapper_gen import project

    asks = session.text and sys.stdin.isatty()
    if name is None:
        if not asks:
            raise click.UsageError("Missing argument 'NAME'.")
        name = _asked_name()
    library = _library_of(name)
    if not library:
        message = f"{name.resolve().name!r} is no name of a package: {_LETTERS}"
        raise click.BadParameter(message, param_hint="NAME")
    is_decided = headers or lang or options["requires"] or options["link"] or (name / project.RECORD).exists()
    if asks and not is_decided:
        headers, options["requires"], options["link"] = _asked_library()
    is_cpp = lang == "c++" if lang else any(each.endswith(_ENDS_OF_CPP) for each in headers)
    there, folders = _places(name, headers)
    chosen = project.ProjectOptions(
        library, "cpp" if is_cpp else "c", there, options["requires"], folders, options["link"], options["gitlab"]
    )
    before = project.read_options(name)
    if before is not None and replace(chosen, gitlab=False) == project.ProjectOptions(library):
        chosen = replace(before, gitlab=before.gitlab or chosen.gitlab)
    spec = f"{library}.wrapper_spec"
    if headers and before is None and "import" in main.commands and not (name / spec).exists():
        code = _import(name, chosen)
        if code != OK:
            return code
        chosen = replace(chosen, is_imported=True)
    return _make(session, name, spec, chosen, is_new=before is None)


@main.command(short_help="Make what wheels of a spec are built with, around it.")
@click.argument("spec", type=SpecPath(path_type=Path))
@_GITLAB
@project_command
def package(session: Session, spec: Path, gitlab: bool) -> int:
    """Make a project around SPEC, in its folder: what wheels are built with, tests, and CI; the package in src.

    A second run writes anew what nobody has changed, and says which files it leaves.
    """
    from wrapper_gen import project

    if not re.fullmatch(r"[\w.+-]+", spec.name, re.ASCII):
        message = f"{spec.name!r} has characters that CMake or a shell reads: give it a name of letters, digits and '_'"
        raise click.BadParameter(message, param_hint="SPEC")
    root = spec.parent
    before = project.read_options(root) or project.ProjectOptions()
    return _make(session, root, spec.name, replace(before, gitlab=before.gitlab or gitlab), is_new=False)


# --- questions at a terminal -----------------------------------------------------------------------------------------

_LETTERS = "write letters, digits and '_'"


def _library_of(name: Path) -> str:
    """The name of the library of a project in this folder; empty where there is none."""
    library = name.resolve().name.replace("-", "_").replace(".", "_").lower()
    return library if library.isidentifier() and library.isascii() else ""


def _asked_name() -> Path:
    while not _library_of(name := Path(_asked("Name of the project, and its folder"))):
        click.echo(f"{name.name!r} is no name of a package: {_LETTERS}", err=True)
    return name


def _asked_library() -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The headers of the library, its names for pkg-config, and what is linked."""
    headers = tuple(
        _asked("Header of the library (a path, or as C includes it; none: a small library to begin with)").split()
    )
    if not headers:
        return (), (), ()
    known = "" if Path(headers[0]).is_file() else _known_package(Path(headers[0]).stem)
    requires = tuple(_asked("Its name for pkg-config, if it has one", known).split())
    return headers, requires, () if requires else tuple(_asked("What to link, as in -lNAME, if anything").split())


def _asked(question: str, proposed: str = "") -> str:
    answer: str = click.prompt(question, default=proposed, show_default=bool(proposed), err=True)
    return answer.strip()


def _known_package(stem: str) -> str:
    """What pkg-config may call the library of a header; empty where it knows no such name."""
    from wrapper_gen.headers import compilers

    names = (stem, f"lib{stem}", stem.removeprefix("lib"))
    return next((name for name in names if compilers.pkg_config(name) is not None), "")


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


def _import(root: Path, options: ProjectOptions) -> int:
    """Let `import` write the spec of a new project, with its questions beside it; its exit code."""
    given = ["--lib", options.name, "--lang", options.lang, "-o", str(root)]
    given += [word for folder in options.folders for word in ("--include", os.path.normpath(root / folder))]
    given += [word for name in options.requires for word in ("--requires", name)]
    given += [word for name in options.link for word in ("--link", name)]
    code: int = main.commands["import"].main([*options.headers, *given], "wrapper-gen import", standalone_mode=False)
    return code


def _make(session: Session, root: Path, spec: str, options: ProjectOptions, *, is_new: bool) -> int:
    """Write a project; nothing where its spec is wrong."""
    from wrapper_gen import project

    session.output = root / "src"
    result = _read(session, root, spec, options)
    (module,) = result.modules
    starter = project.starter(options, module.package) if options.has_starter else {}
    placed = project.view(module, options, PurePosixPath(spec))
    done = project.update(root, {**starter, **project.texts(placed, options)}, options)
    summary, _ = write_packages(session, [str(root / spec)])
    if session.text:
        click.echo(_told(session, root, done, summary.text(every_file=session.verbose)))
        if is_new:
            click.echo(_next(root, spec, options))
    session.result("", {"project": done.data(), "packages": summary.data()})
    return OK


def _told(session: Session, root: Path, done: Update, summary: str) -> str:
    return f"{done.text(root, every_file=session.verbose)}\n{summary}"


def _next(root: Path, spec: str, options: ProjectOptions) -> str:
    where = f"cd {shlex.quote(str(root))} && " if root != Path() else ""
    if options.is_imported:
        questions = root / f"{options.name}.import"
        return f"next: decide what {questions} asks; {where}wrapper-gen import --lib {options.name}"
    return f"next: edit {root / spec}; {where}pip install . pytest && pytest tests"


def _read(session: Session, root: Path, spec: str, options: ProjectOptions) -> Batch:
    """What the spec comes to, also where it is yet to be written.

    Raises:
        SpecError: it is wrong.
    """
    import tempfile

    from wrapper_gen import batch, project

    with tempfile.TemporaryDirectory(prefix="wrapper-gen-") as folder:
        there = root / spec
        if options.has_starter and not there.exists():
            for path, text in project.starter(options, "").items():
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
