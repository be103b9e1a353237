"""The runtime: how a package has it, and which of its files a package needs that carries its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import assert_never

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

    def module(self, name: str) -> str:
        """How a package's own modules import one of the runtime, or the whole of it where the name is empty."""
        match self:
            case Runtime.VENDORED:
                package = "._runtime"
            case Runtime.SHARED | Runtime.PACKAGE:
                package = FOLDER
            case _:
                assert_never(self)
        return f"{package}.{name}" if name else package


FOLDER = "wg_runtime"
"""The folder, and the Python package, of a runtime that several packages have."""
ORIGIN = "its runtime"
"""What the first lines of a shared file name instead of a spec."""
_ABI = re.compile(r"^ABI = (\d+)$", re.MULTILINE)
_INCLUDED = re.compile(r'#include "(wg/\w+/\w+\.hpp)"')
_INCLUDE_LINE = re.compile(rf"^{_INCLUDED.pattern}\n", re.MULTILINE)
_IMPORTED = {
    "from .": re.compile(r"from \.(?:_runtime(?:\.| import ))?(_\w+(?:, _\w+)*)"),
    'import_module("_runtime.': re.compile(r'import_module\("_runtime\.(_\w+)"'),
}
"""Each with how it begins, which is found sooner than an expression: most texts import nothing."""


@lru_cache(maxsize=1)
def sources() -> Mapping[str, str]:
    """All files of the runtime, as a package's own files name them, and where each lies below `runtime/`."""
    headers = sorted((RUNTIME / "include").glob("wg/*/*.hpp"))
    modules = sorted(path for folder in ("builder", "python") for path in (RUNTIME / folder).glob("_*.py"))
    names = {path.relative_to(RUNTIME / "include").as_posix(): path for path in headers} | {p.name: p for p in modules}
    return {name: path.relative_to(RUNTIME).as_posix() for name, path in names.items()}


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


@frozen
class Joined:
    """Headers of the runtime in one file of a package that carries them: its path there, and them in order."""

    path: str
    headers: tuple[str, ...]
    is_alone: bool = False
    """Whether no other of them precedes it in its unit."""


def included(joined: Joined, runtime: Runtime) -> tuple[str, ...]:
    """What generated C++ includes for these headers: their one file where the package carries it, else themselves."""
    return (joined.path,) if runtime is Runtime.VENDORED else joined.headers


def join(joined: Joined, before: set[str]) -> str:
    """The text of that file: each header in the place of the first line that includes it.

    Args:
        joined: the file.
        before: the headers that precede it in every unit, and are left out; those of this file are added.
    """
    parts = [_expanded(name, before) for name in joined.headers]
    return "\n".join(part for part in parts if part)


def _expanded(name: str, before: set[str]) -> str:
    if name in before:
        return ""
    before.add(name)
    return _INCLUDE_LINE.sub(lambda line: _expanded(line[1], before), text(sources()[name]))


def needed(texts: Iterable[str]) -> list[str]:
    """The modules by name, in order, that stand behind a package's own ones."""
    found: set[str] = set()
    new = set[str]().union(*map(_named, texts))
    while new:
        found |= new
        new = set[str]().union(*map(_named_by, new)) - found
    return sorted(["__init__.py", *found]) if found else []


@lru_cache(maxsize=256)
def _named_by(name: str) -> frozenset[str]:
    return _named(text(sources()[name]))


def _named(of_file: str) -> frozenset[str]:
    patterns = [pattern for start, pattern in _IMPORTED.items() if start in of_file]
    found = (listed for pattern in patterns for listed in pattern.findall(of_file))
    return frozenset(sources().keys() & {f"{name}.py" for listed in found for name in listed.split(", ")})
