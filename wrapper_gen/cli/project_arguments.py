"""The arguments of `new` and `package`: what is wrong with them, and questions about those that are missing."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from wrapper_gen.project import ProjectOptions

_LETTERS = "write lower case letters, digits and '_', starting with a letter, and no word of Python or C++"


def library_of(name: Path) -> str:
    """The name of the library of a project in this folder.

    Raises:
        BadParameter: no project can be there.
    """
    if problem := _problem_of(name):
        raise click.BadParameter(problem, param_hint="NAME")
    return _library(name)


def _library(name: Path) -> str:
    return name.resolve().name.replace("-", "_").replace(".", "_").lower()


def _problem_of(name: Path) -> str:
    """Why no project can be in this folder; empty where one can."""
    from wrapper_gen import names

    library = _library(name)
    if not names.LIBRARY.match(library) or library in names.PYTHON_WORDS | names.CPP_WORDS:
        return f"{name.resolve().name!r} cannot be the name of a library: {_LETTERS}"
    for each in (name, *name.parents):
        if os.path.lexists(each) and not os.path.isdir(each):  # noqa: PTH112 - raises nothing where nobody may look
            return f"{str(each)!r} is a file: name a folder, which is made where it is not there"
    return ""


def check_library(headers: Sequence[str], requires: Sequence[str], link: Sequence[str]) -> None:
    """Refuse options that find the library of a header where there is no header, or that find nothing.

    Raises:
        UsageError: it is so.
    """
    for option, given in (("--requires", requires), ("--link", link)):
        if given and not headers:
            message = f"{option} {given[0]} says how the library of a header is found: add --header, such as"
            raise click.UsageError(f"{message} --header {given[0]}.h")
    if not shutil.which(shlex.split(os.environ.get("PKG_CONFIG", "") or "pkg-config")[0]):
        return  # the build says that it is missing
    from wrapper_gen.headers import compilers

    for name in requires:
        if compilers.pkg_config(name) is None:
            message = f"pkg-config knows no {name!r}: install the library with its headers, or name it with --link"
            raise click.BadParameter(message, param_hint="--requires")


def check_spec(spec: Path) -> None:
    """Refuse what is no spec, or one that builds cannot name.

    Raises:
        BadParameter: it is so.
    """
    if os.path.isdir(spec):  # noqa: PTH112 - raises nothing where nobody may look
        found = sorted(each for each in spec.iterdir() if each.suffix == ".wrapper_spec")
        ways = " or ".join(f"wrapper-gen package {shlex.quote(str(each))}" for each in found[:5])
        remedy = ways or f"no .wrapper_spec is in it; wrapper-gen new {shlex.quote(str(spec))} makes a project"
        raise click.BadParameter(f"{str(spec)!r} is a folder: {remedy}", param_hint="SPEC")
    if not re.fullmatch(r"[\w.+-]+", spec.name, re.ASCII):
        message = f"{spec.name!r} has characters that CMake or a shell reads: give it a name of letters, digits and '_'"
        raise click.BadParameter(message, param_hint="SPEC")


def check_other_project(root: Path, spec: str, before: ProjectOptions | None) -> None:
    """Refuse a folder that has the project of another spec, which is there.

    Raises:
        UsageError: it is so.
    """
    of = before.spec_name if before else ""
    if of in ("", spec) or not (root / of).is_file():
        return
    where = root.resolve().name
    raise click.UsageError(
        f"the folder {where!r} has the project of {of}: put {spec} into a folder of its own, "
        f"or bring that project up to date with wrapper-gen package {shlex.quote(str(root / of))}"
    )


def check_imported(root: Path, chosen: ProjectOptions, before: ProjectOptions, *, lang: str | None) -> None:
    """Refuse headers, and what finds their library, that the import of a project has not been given.

    Raises:
        UsageError: it is so; it has the command that imports with them.
    """
    from wrapper_gen.drafts.answers import read_answers

    path = root / f"{before.name}.import"
    known = dict(read_answers(path, str(path)).options)
    headers = [str(each) for each in known.get("headers", before.headers)]
    more = [each for each in chosen.headers if each not in headers]
    words = [*headers, *more] if more else []
    folders = [each for each in chosen.folders if more and each not in known.get("include", before.folders)]
    options = (
        ("include", [*known.get("include", before.folders), *folders] if folders else []),
        ("requires", _other(chosen.requires, known.get("requires", before.requires))),
        ("link", _other(chosen.link, known.get("link", before.link))),
        ("lang", [lang] if lang and lang != known.get("lang", before.lang) else []),
    )
    added = [word for option, values in options for each in values for word in (f"--{option}", str(each))]
    if not (words or added):
        return
    cd = f"cd {shlex.quote(str(root))} && " if root != Path() else ""
    command = shlex.join(["wrapper-gen", "import", *words, "--lib", before.name, *added])
    what = f"this project is imported from {', '.join(headers)}, as {path} says"
    raise click.UsageError(f"{what}; to import with what is new here: {cd}{command}")


def _other(wanted: Sequence[str], known: Sequence[str]) -> Sequence[str]:
    """What is wanted, where it is not what is known."""
    return [] if set(wanted) <= set(known) else wanted


# --- questions at a terminal -----------------------------------------------------------------------------------------


def asked_name() -> Path:
    """The name that a person gives."""
    while problem := _problem_of(name := Path(_asked("Name of the project, and its folder"))):
        click.echo(problem, err=True)
    return name


def asked_library() -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
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
