"""The options of a project, as the command line or the project's record has them."""

from __future__ import annotations

from wrapper_gen.frozen import frozen


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

    @property
    def has_starter(self) -> bool:
        """Whether the spec is one to begin with, of our own."""
        return bool(self.name) and not self.is_imported
