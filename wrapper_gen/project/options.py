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
    spec: str = ""
    """The name of the spec, where it was there first."""

    @property
    def has_starter(self) -> bool:
        """Whether the spec is one to begin with, of our own."""
        return bool(self.name) and not self.is_imported

    @property
    def spec_name(self) -> str:
        """The name of the spec; empty where an earlier version has not said it."""
        return self.spec or (f"{self.name}.wrapper_spec" if self.name else "")

    def begins_as(self, other: ProjectOptions) -> bool:
        """Whether both begin with the same spec and library."""
        return all(
            getattr(self, field) == getattr(other, field)
            for field in ("name", "lang", "headers", "requires", "folders", "link")
        )
