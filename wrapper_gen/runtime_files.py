"""The runtime: how a package has it, and which of its files a package needs that carries its own."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import assert_never

from wrapper_gen import runtime_modules
from wrapper_gen.frozen import frozen
from wrapper_gen.resources import RUNTIME


class Runtime(StrEnum):
    """How a package has its runtime."""

    VENDORED = "vendored"
    """In the package: what it needs, and nothing else has to be there."""
    SHARED = "shared"
    """In one folder beside all packages of a project."""
    PACKAGE = "package"
    """In a distribution of its own, `wrapper-gen-runtime`."""

    @property
    def package(self) -> str:
        """How a package's own modules import the whole of it."""
        match self:
            case Runtime.VENDORED:
                return "._runtime"
            case Runtime.SHARED | Runtime.PACKAGE:
                return FOLDER
            case _:
                assert_never(self)

    @property
    def remedy(self) -> str:
        """What to do where it is not found; empty where every package has it."""
        match self:
            case Runtime.VENDORED:
                return ""
            case Runtime.SHARED:
                return f"copy the folder {FOLDER} beside the package too, or generate both"
            case Runtime.PACKAGE:
                return f"install {DISTRIBUTION} of that version beside the package"
            case _:
                assert_never(self)

    def file(self, module: str) -> str:
        """The module that has one of `runtime/`: itself, or what it is joined to; empty where that is the whole."""
        return runtime_modules.file_of(module) if self is Runtime.VENDORED else module

    def module(self, name: str) -> str:
        """How a package's own modules import one of `runtime/`."""
        return f"{self.package}.{self.file(name)}".rstrip(".")


FOLDER = "wg_runtime"
"""The folder, and the Python package, of a runtime that several packages have."""
DISTRIBUTION = "wrapper-gen-runtime"
"""What is installed for packages that have their runtime so."""
ORIGIN = "its runtime"
"""What the first lines of a shared file name instead of a spec."""
_ABI = re.compile(r"^ABI = (\d+)$", re.MULTILINE)
_INCLUDED = re.compile(r'#include "(wg/\w+/\w+\.hpp)"')
_INCLUDE_LINE = re.compile(rf"^{_INCLUDED.pattern}\n", re.MULTILINE)
_IMPORTED = re.compile(r'(?:from|import_module\(")[ .]*_runtime(?:\.(\w+)| import ([\w ,]+))?')


@lru_cache(maxsize=1)
def sources() -> Mapping[str, str]:
    """All files of the runtime, as a package's own files name them, and where each lies below `runtime/`."""
    folders = sorted(each.name for each in (RUNTIME / "include" / "wg").iterdir() if each.is_dir())
    headers = [f"wg/{folder}/{name}" for folder in folders for name in _files_in(f"include/wg/{folder}", ".hpp")]
    modules = [
        (folder, name) for folder in ("builder", "python") for name in _files_in(folder, ".py") if name[0] == "_"
    ]
    return {name: f"include/{name}" for name in headers} | {name: f"{folder}/{name}" for folder, name in modules}


def _files_in(folder: str, suffix: str) -> list[str]:
    """The names of the files in a folder below `runtime/` that end so."""
    return sorted(each.name for each in os.scandir(RUNTIME / folder) if each.name.endswith(suffix))


@lru_cache(maxsize=1)
def _headers_by_stem() -> Mapping[tuple[str, str], str]:
    """Where each header lies, by the engine whose own folder it is in (or none) and its name."""
    found = {}
    for name in sources():
        if name.endswith(".hpp"):
            _, folder, file = name.split("/")
            found[folder if folder in ("cffi", "cpython") else "", file.removesuffix(".hpp")] = name
    return found


def header(stem: str, engine: str = "") -> str:
    """The path by which generated C++ includes a header of the runtime; its folder is not the generator's business."""
    return _headers_by_stem()[engine, stem]


@lru_cache(maxsize=256)  # all packages of a run have it
def text(source: str) -> str:
    """A file below `runtime/`."""
    return (RUNTIME / source).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def abi() -> int:
    """The number that packages and their runtime have to agree on."""
    found = _ABI.search(text("python/__init__.py"))
    assert found is not None
    return int(found[1])


def shared() -> Mapping[str, str]:
    """All files of a runtime that several packages have, below the folder of their packages, and where each lies."""
    return {f"{FOLDER}/{name}": source for name, source in ({**sources(), "py.typed": "python/py.typed"}).items()}


HEADERS = "wg.hpp"
"""The file with all headers that a package carries."""


@frozen
class JoinedHeaders:
    """Headers of the runtime that a package includes in one place: there a part of one file, where it carries them."""

    headers: tuple[str, ...]
    macro: str = ""
    """What is defined where they are included; empty for those of the bridge, which come first."""
    is_alone: bool = False
    """Whether they are included without those of the bridge, in a unit that defines the macro."""

    def included(self, runtime: Runtime) -> tuple[str, ...]:
        """The lines that include them: their file where the package carries it, else themselves."""
        if runtime is not Runtime.VENDORED:
            return tuple(f'#include "{each}"' for each in self.headers)
        line = f'#include "_runtime/{HEADERS}"'
        return (f"#define {self.macro}", line, f"#undef {self.macro}") if self.macro and not self.is_alone else (line,)


def join(parts: Iterable[JoinedHeaders]) -> str:
    """The text of that file: each header in the place of the first line that includes it."""
    before = set[str]()
    alone, others = [], []
    for part in parts:
        seen = set[str]() if part.is_alone else before
        expanded = ("".join(_expanded(name, seen)) for name in part.headers)
        text_of_part = "\n".join(filter(None, expanded))
        if part.is_alone:
            alone.append(f"#ifdef {part.macro}  // cffi's part of the extension\n{text_of_part}#else  // the bridge\n")
        else:
            start = f"#ifdef {part.macro}  // with what cpython.cpp needs besides\n"
            others.append(f"{start}{text_of_part}#endif\n" if part.macro else text_of_part)
    return "".join([*alone, *others, *("#endif\n" for _ in alone)])


def _expanded(name: str, before: set[str]) -> list[str]:
    """The parts of a header's text, with those of what it includes; nothing of what is in `before`."""
    if name in before:
        return []
    before.add(name)
    own, included = _at_includes(name)
    parts = [own]
    for each, after in included:
        parts += _expanded(each, before)
        parts.append(after)
    return parts


@lru_cache(maxsize=512)  # all packages of a run have most of them
def _at_includes(name: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A header up to the first line that includes another; then each of these, and what stands behind it."""
    first, *others = _INCLUDE_LINE.split(text(sources()[name]))
    return first, tuple(zip(others[::2], others[1::2], strict=True))


@lru_cache(maxsize=64)
def _modules(files: frozenset[str]) -> Mapping[str, str]:
    return runtime_modules.needed(files, _text_of_module)


def _text_of_module(module: str) -> str:
    return text(sources()[f"{module}.py"])


def modules(own: Iterable[str]) -> Mapping[str, str]:
    """The runtime's Python in a package that carries it, each file by its name there.

    Args:
        own: the texts of the package's own files, which say what they import.
    """
    found = [match for each in own if "_runtime" in each for match in _IMPORTED.findall(each)]
    if not found:
        return {}
    names = {name for file, listed in found for name in (file, *re.findall(r"\w+", listed))}
    files = _modules(frozenset(names & runtime_modules.JOINED.keys()))
    return {f"{name or '__init__'}.py": text for name, text in files.items()}
