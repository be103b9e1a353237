"""Which headers and libraries of this machine a spec is about."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterator
from pathlib import Path

from wrapper_gen.frozen import frozen
from wrapper_gen.headers import HeaderSource, compilers
from wrapper_gen.model import Folders, Library, Module, PkgConfig, PythonPackage

_INCLUDED = re.compile(r"^[ \t]*#[ \t]*include[ \t]*([<\"][^>\"]+[>\"])", re.MULTILINE)
_OF_C = re.compile(
    r"(?:assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|stdalign|stdarg|"
    r"stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|tgmath|threads|time|uchar|wchar|wctype)\.h"
)
"""The headers of standard C; those of standard C++ have no dot."""


@frozen
class LinkedLibrary:
    """A library that a spec names; `path` is None where it is not on this machine."""

    name: str
    path: Path | None


@frozen
class SpecLibrary:
    """How the headers of a spec are read, with what the compiler is told, and the libraries that it links or loads."""

    source: HeaderSource
    options: tuple[str, ...]
    libraries: tuple[LinkedLibrary, ...]


def library_of(module: Module, spec: Path) -> SpecLibrary:
    """The headers and libraries of a spec, whose file is `spec`."""
    library = module.library
    said = [
        word
        for each in library.requires
        if isinstance(each, PkgConfig)
        for word in compilers.pkg_config(each.name) or ()
    ]
    folders = [*_folders(library, spec), *(word[2:] for word in said if word.startswith("-I"))]
    options = [*library.compile_args, *(word for word in said if not word.startswith(("-l", "-L", "-I", "-Wl")))]
    defines = tuple(word[2:] for word in options if word.startswith("-D"))
    own, others = _headers(module)
    language = "c" if module.language == "c" else "c++"
    source = HeaderSource(
        headers=tuple(own),
        language=language,
        standard=f"gnu++{library.cpp_std}" if language == "c++" else "",
        defines=defines,
        folders=tuple(dict.fromkeys(folders)),
        ours=tuple(_ours(own, folders)) if folders else (),
        text_before="".join(f"#include <{each}>\n" for each in others) if language == "c++" else "",
    )
    where = [*folders, *(word[2:] for word in said if word.startswith("-L"))]
    linked = dict.fromkeys([*library.link, *(word[2:] for word in said if word.startswith("-l"))])
    libraries = (
        *(LinkedLibrary(f"lib{each}", compilers.library_path(each, where) or _file(each, where)) for each in linked),
        *_loaded(library, where),
    )
    return SpecLibrary(source, (*options, f"-std=gnu++{library.cpp_std}"), libraries)


def _ours(headers: list[str], folders: list[str]) -> Iterator[str]:
    """Patterns of the library's files: those that the spec names, and all in their folders and in the spec's."""
    for header in headers:
        yield rf"(?:^|/){re.escape(header)}$"
        if "/" in header:
            yield rf"(?:^|/){re.escape(header.rpartition('/')[0])}/"
    yield from (f"^{re.escape(each)}/" for each in folders)


def _file(name: str, folders: list[str]) -> Path | None:
    return compilers.library_file(f"lib{name}.so", folders) or compilers.library_file(f"lib{name}.a", folders)


def _loaded(library: Library, folders: list[str]) -> Iterator[LinkedLibrary]:
    """The first that is there of those that are loaded at first use."""
    found = [LinkedLibrary(each, compilers.library_file(each, folders)) for each in library.dynamic]
    yield from [each for each in found if each.path][:1] or found[:1]


def _headers(module: Module) -> tuple[list[str], list[str]]:
    """The library's own headers, and those of the standard."""
    prelude = _INCLUDED.findall(module.prelude.text) if module.prelude else []
    named = [each.strip('<>"') for each in [*module.library.includes, *prelude]]
    own = [each for each in dict.fromkeys(named) if "." in each and not _OF_C.fullmatch(each)]
    return own, [each for each in dict.fromkeys(named) if "." not in each]


def _folders(library: Library, spec: Path) -> Iterator[str]:
    """The folders with headers or libraries that the spec names, or its sources are in."""
    for each in library.requires:
        if isinstance(each, Folders):
            for path in each.dirs:
                folder = spec.parent / Path(os.path.expandvars(path)).expanduser()
                if folder.is_dir():
                    yield os.path.normpath(folder)
        elif isinstance(each, PythonPackage):
            yield from _folders_of_package(each)
    for source in library.sources:
        yield os.path.normpath((spec.parent / source.path).parent)


def _folders_of_package(package: PythonPackage) -> Iterator[str]:
    try:
        found = importlib.util.find_spec(package.name)
    except (ImportError, ValueError):
        found = None
    for root in (found.submodule_search_locations or ()) if found else ():
        for path in package.dirs:
            if Path(root, path).is_dir():
                yield str(Path(root, path))
