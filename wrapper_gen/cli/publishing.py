"""The options of a project that say how it is published: what is wrong with them, and questions about them."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from wrapper_gen.frozen import frozen, replace

if TYPE_CHECKING:
    from wrapper_gen.project import ProjectOptions, Wanted

_NONE = "-"
"""The answer that nothing is to be said."""


@frozen
class Publishing:
    """What the command line says of how a project is published."""

    authors: tuple[str, ...]
    license: str
    url: str
    system_packages: tuple[str, ...]


def publishing_options(function: Callable[..., int]) -> Callable[..., int]:
    """Adds the options that say how a project is published, as the argument `published`."""

    @functools.wraps(function)
    def run(
        author: tuple[str, ...], license: str | None, url: str | None, system_package: tuple[str, ...], **rest: object
    ) -> int:
        return function(published=Publishing(author, license or "", url or "", system_package), **rest)

    options = (
        click.option("--author", multiple=True, metavar="'NAME <MAIL>'", callback=_authors,
                     help="Who publishes the package; repeatable."),
        click.option("--license", metavar="SPDX-ID", callback=_licence,
                     help="Its licence, as an expression of SPDX; LICENSE with it, where its text is known."),
        click.option("--url", metavar="URL", callback=_url,
                     help="The page of its repository (default: that of git's remote origin)."),
        click.option("--system-package", multiple=True, metavar="MANAGER=NAME", callback=_packages,
                     help="What dnf, apk, brew or vcpkg calls the library, where wheels are built; repeatable."),
    )  # fmt: skip
    return functools.reduce(lambda inner, option: option(inner), reversed(options), run)


def with_publishing(
    chosen: ProjectOptions, before: ProjectOptions | None, given: Publishing, root: Path, *, asks: bool
) -> ProjectOptions:
    """The options of a project, with what is said now of how it is published, was said before, or git knows.

    Args:
        chosen: the other options.
        before: what the project was made from the last time; None where it is new.
        given: what the command line says.
        root: the folder of the project.
        asks: whether a person can be asked for what is missing.
    """
    from wrapper_gen.project import git

    known = before or chosen
    authors, licence = given.authors or known.authors, given.license or known.license
    if asks and before is None:
        authors = authors or _asked_author(root)
        licence = licence or _asked_licence(root)
    managers = {word.partition("=")[0] for word in given.system_packages}
    kept = [word for word in known.system_packages if word.partition("=")[0] not in managers]
    return replace(
        chosen,
        authors=authors,
        license=licence,
        url=given.url or known.url or git.address(root),
        system_packages=(*kept, *given.system_packages),
    )


@frozen
class LicenceFiles:
    """The files of a project's licence."""

    texts: Mapping[PurePosixPath, str]
    """What is written."""
    former: Sequence[PurePosixPath]
    """What was written before, of another licence."""
    patterns: tuple[str, ...]
    """Of all that are there when the project is written."""


def licence_of(root: Path, options: ProjectOptions) -> LicenceFiles:
    """The licence's text, unless a file with one is there, which a person has put there.

    Raises:
        SpecError: the record of the project is none (WG350).
    """
    from wrapper_gen import project

    path = PurePosixPath(project.LICENCE_FILE)
    state = project.state(root, path)
    is_anothers = not state and any(each != "NOTICE*" for each in project.file_patterns(root))
    texts = {} if is_anothers else project.licence_text(options)
    former = [path] if state == "written" and not texts else []
    written = [str(each) for each in texts if state != "removed"]
    patterns = project.file_patterns(root, written=written, removed=[*map(str, former)])
    return LicenceFiles(texts, former, patterns)


def wanted_lines(wanted: Sequence[Wanted], root: Path, spec: str) -> list[str]:
    """What to give on the next run, a line for each option, and what else is wanted."""
    if not wanted:
        return []
    command = f"wrapper-gen package {shlex.quote(str(root / spec))}"
    lines = [f"  {each.option}  # {each.what}" if each.option else f"  {each.what}" for each in wanted]
    return [f"to publish it, still wanted; give options to `{command}`:", *lines]


# --- what is wrong with them -----------------------------------------------------------------------------------------


def _authors(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    for each in given:
        if problem := _problem_of_author(each):
            raise click.BadParameter(problem, context, parameter)
    return tuple(each.strip() for each in given)


def _licence(context: click.Context, parameter: click.Parameter, given: str | None) -> str | None:
    from wrapper_gen.project import licences

    if given is None:
        return None
    if problem := licences.problem_of(given):
        raise click.BadParameter(problem, context, parameter)
    return licences.canonical(given)


def _url(context: click.Context, parameter: click.Parameter, given: str | None) -> str | None:
    if given is not None and (problem := _problem_of_url(given)):
        raise click.BadParameter(problem, context, parameter)
    return given


def _packages(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    if not given:
        return ()
    from wrapper_gen.project.system_packages import MANAGERS, NAME

    for each in given:
        manager, equals, name = each.partition("=")
        if not equals or manager not in MANAGERS:
            form = f"write MANAGER=NAME, with {', '.join(MANAGERS)} as the manager: such as brew=lmdb"
            raise click.BadParameter(f"{each!r} names no manager of packages: {form}", context, parameter)
        if not NAME.fullmatch(name):
            raise click.BadParameter(f"{name!r} is no name of a package", context, parameter)
    return given


def _problem_of_author(text: str) -> str:
    """Why that names no author; empty where it does."""
    from wrapper_gen.project.options import author_parts

    if any(author_parts(text)):
        return ""
    return f"{text!r} names no author: write NAME <MAIL>, or one of the two, without a comma; --author for each author"


def _problem_of_url(text: str) -> str:
    """Why that is no address of a page; empty where it is one."""
    try:
        parts = urlsplit(text)
        is_page = parts.scheme in ("http", "https") and bool(parts.hostname) and text.isprintable() and " " not in text
    except ValueError:
        is_page = False
    if not is_page:
        return f"{text!r} is no address of a page: write it as https://example.org/NAME"
    return "a password or name stands in the address, which everybody would see: leave it out" if parts.username else ""


# --- questions at a terminal -----------------------------------------------------------------------------------------


def _asked_author(root: Path) -> tuple[str, ...]:
    from wrapper_gen.project import git

    question = f"Author, as NAME <MAIL> ({_NONE}: not yet)"
    known = git.author(root)
    proposed = known if not _problem_of_author(known) else _NONE
    while (answer := _asked(question, proposed)) != _NONE and (problem := _problem_of_author(answer)):
        click.echo(problem, err=True)
    return () if answer == _NONE else (answer,)


def _asked_licence(root: Path) -> str:
    from wrapper_gen.project import licences

    question = f"Licence, as SPDX calls it: MIT, BSD-3-Clause, Apache-2.0 and so on ({_NONE}: not yet)"
    proposed = licences.recognized(root) or _NONE
    while (answer := _asked(question, proposed)) != _NONE and (problem := licences.problem_of(answer)):
        click.echo(problem, err=True)
    return "" if answer == _NONE else licences.canonical(answer)


def _asked(question: str, proposed: str) -> str:
    answer: str = click.prompt(question, default=proposed, err=True)
    return answer.strip()
