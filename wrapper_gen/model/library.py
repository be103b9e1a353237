"""The library itself: how it is found, compiled against, linked with, loaded, started and ended."""

from __future__ import annotations

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen
from wrapper_gen.model.code import Code


@frozen
class Source:
    """A further file of the user's: its name in the package, and its text; headers are only copied."""

    name: str
    path: str
    """As the spec has it, relative to the spec."""
    text: str
    compiled: bool


@frozen
class Export:
    """A name that a Python file of the user's binds."""

    name: str
    span: Span
    is_imported: bool = False


@frozen
class PythonSource:
    """A Python file of the user's: a module of the package, which has the names that it exports."""

    name: str
    path: str
    """As the spec has it, relative to the spec."""
    text: str
    exports: tuple[Export, ...]
    span: Span


@frozen
class PkgConfig:
    """Ask pkg-config for this name."""

    name: str


@frozen
class PythonPackage:
    """An installed Python package that ships headers and libraries, in these folders of it."""

    name: str
    dirs: tuple[str, ...]


@frozen
class Folders:
    """Folders with headers or libraries: absolute, or relative to the spec."""

    dirs: tuple[str, ...]


Requirement = PkgConfig | PythonPackage | Folders


@frozen
class LibraryInit:
    """What starts the library, and what ends it; of several errors of one C++ type, `raises` is the one to test."""

    init: Code | None = None
    raises: str | None = None
    shutdown: Code | None = None


@frozen
class Library:
    """How to compile against the library and link with it."""

    includes: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    requires: tuple[Requirement, ...] = ()
    dynamic: tuple[str, ...] = ()
    """The file names of a library that is loaded at first use; none where it is linked."""
    sources: tuple[Source, ...] = ()
    cpp_std: int = 17
    compile_args: tuple[str, ...] = ()
    link_args: tuple[str, ...] = ()
    optional: bool = False
    """Where it is missing, a stub is what is wanted."""
    init: LibraryInit | None = None
    python_sources: tuple[PythonSource, ...] = ()
    places: tuple[tuple[str, Span], ...] = ()
    """Where the spec names each header and library that may be missing; with no name, what else says how to find it."""

    @property
    def dirs(self) -> tuple[str, ...]:
        """The folders that the spec names itself."""
        return tuple(path for each in self.requires if isinstance(each, Folders) for path in each.dirs)
