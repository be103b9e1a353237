"""The options of a project, as the command line or the project's record has them."""

from __future__ import annotations

import re

from wrapper_gen.frozen import frozen

_AUTHOR = re.compile(r"([^<>,]*?)\s*(?:<\s*([^\s<>,@]+@[^\s<>,@]+)\s*>)?")
_MAIL = re.compile(r"[^\s<>,@]+@[^\s<>,@]+")


def author_parts(text: str) -> tuple[str, str]:
    """The name and the mail address of an author, of which one may be empty; both are where it is no author."""
    found = _AUTHOR.fullmatch(text.strip())
    if found is None or not text.isprintable():
        return "", ""
    return ("", found[1]) if _MAIL.fullmatch(found[1]) and not found[2] else (found[1], found[2] or "")


@frozen
class ProjectOptions:
    """The answers that a project was made from."""

    name: str = ""
    """The library's, of a project that `new` made; empty where the spec was there first."""
    lang: str = "c"
    headers: tuple[str, ...] = ()
    """As the spec includes them; without any, the library's source is in the project."""
    requires: tuple[str, ...] = ()
    """Names of pkg-config."""
    folders: tuple[str, ...] = ()
    """The folders of the headers, from the project's own."""
    link: tuple[str, ...] = ()
    gitlab: bool = False
    is_imported: bool = False
    """Whether `import` has written the spec."""
    spec: str = ""
    """The name of the spec, where it was there first."""
    authors: tuple[str, ...] = ()
    """Who publishes the package, each as `NAME <MAIL>`, or one of the two."""
    license: str = ""
    """Its licence, as an expression of SPDX."""
    url: str = ""
    """The page of the repository that has its source."""
    system_packages: tuple[str, ...] = ()
    """What package managers call the library, each as `MANAGER=NAME`."""

    @property
    def has_starter(self) -> bool:
        """Whether the spec is one to begin with, of our own."""
        return bool(self.name) and not self.is_imported

    @property
    def spec_name(self) -> str:
        """The name of the spec; empty where an earlier version has not said it."""
        return self.spec or (f"{self.name}.wrapper_spec" if self.name else "")

    @property
    def holders(self) -> str:
        """Who holds the copyright: the names of the authors."""
        return ", ".join(author_parts(each)[0] or each for each in self.authors)

    def begins_as(self, other: ProjectOptions) -> bool:
        """Whether both begin with the same spec and library."""
        return all(
            getattr(self, field) == getattr(other, field)
            for field in ("name", "lang", "headers", "requires", "folders", "link")
        )
