"""What is still wanted before a project is published, and how to give it; prints nothing."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from wrapper_gen.frozen import frozen
from wrapper_gen.model import Module
from wrapper_gen.project import git
from wrapper_gen.project.licences import LICENCE_FILE, TEXTS, needs_holders
from wrapper_gen.project.options import ProjectOptions, author_parts
from wrapper_gen.project.system_packages import MANAGERS, system_packages


@frozen
class Wanted:
    """One thing that is not known of a project."""

    what: str
    option: str = ""
    """What gives it, on a command line; empty where no option does."""


def wanted(
    module: Module, options: ProjectOptions, root: Path, spec: str, *, has_licence_file: bool
) -> tuple[Wanted, ...]:
    """What PyPI would show of a package, and is not known; and which packages its wheels are built with."""
    found = [*_of_people(options, root), *_of_licence(options, root, has_file=has_licence_file)]
    if not module.doc.strip():
        found.append(Wanted(f"a `doc` in wrapper_lib of {root / spec}: what the package is, for PyPI and README.md"))
    return (*found, *_of_packages(module, options))


def _of_people(options: ProjectOptions, root: Path) -> Iterator[Wanted]:
    if not options.authors:
        known = git.author(root) if any(author_parts(git.author(root))) else ""
        why = ", as git knows you" if known else ""
        text = f"; {LICENCE_FILE} names its holder" if needs_holders(options.license) else ""
        yield Wanted(f"who publishes it{why}{text}", f"--author {shlex.quote(known or 'NAME <MAIL>')}")
    if not options.url:
        yield Wanted("where its source is; git's remote `origin` does as well", "--url URL")


def _of_licence(options: ProjectOptions, root: Path, *, has_file: bool) -> Iterator[Wanted]:
    if not options.license:
        yield Wanted("its licence, such as MIT, BSD-3-Clause or Apache-2.0", "--license SPDX-ID")
    elif not has_file and options.license not in TEXTS:
        place = root / LICENCE_FILE
        yield Wanted(f"the text of {options.license} in {place}, from https://spdx.org/licenses/; then run it again")


def _of_packages(module: Module, options: ProjectOptions) -> Iterator[Wanted]:
    found = system_packages(module.library, options.system_packages)
    if found is None:
        return
    for manager, system in MANAGERS.items():
        if manager not in found:
            what = f"what {manager} calls the library: wheels for {system} are built with its package"
            yield Wanted(what, f"--system-package {manager}=NAME")
