"""Which files of `_runtime/` a package needs: those that its own files include or import, and what those do in turn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from wrapper_gen.resources import TEMPLATES

_WHERE = (("bridge", "wg_", ".hpp"), ("cpython", "wg_", ".hpp"), ("cffi", "_", ".py"), ("python", "_", ".py"))
_INCLUDED = re.compile(r'#include "(?:_runtime/)?(wg_\w+\.hpp)"')
_IMPORTED = {
    "from .": re.compile(r"from \.(?:_runtime(?:\.| import ))?(_\w+(?:, _\w+)*)"),
    'import_module("_runtime.': re.compile(r'import_module\("_runtime\.(_\w+)"'),
}
"""Each with how it begins, which is found sooner than an expression: most texts import nothing."""


@lru_cache(maxsize=1)
def sources() -> Mapping[str, str]:
    """All files that a package may need there, by name, and where each lies below `templates/`."""
    return {
        name: f"{folder}/{name}"
        for folder, start, end in _WHERE
        for name in sorted(path.name for path in (TEMPLATES / folder).iterdir())
        if name.startswith(start) and name.endswith(end)
    }


@lru_cache(maxsize=256)  # all packages of a run have it
def text(source: str) -> str:
    """A file below `templates/`."""
    return (TEMPLATES / source).read_text(encoding="utf-8")


def needed(texts: Iterable[str]) -> list[str]:
    """The files by name, in order, that stand behind a package's own ones."""
    found: set[str] = set()
    new = set[str]().union(*map(_named, texts))
    while new:
        found |= new
        new = set[str]().union(*map(_named_by, new)) - found
    return sorted(found)


@lru_cache(maxsize=256)
def _named_by(name: str) -> frozenset[str]:
    return _named(text(sources()[name]))


def _named(of_file: str) -> frozenset[str]:
    patterns = [pattern for start, pattern in _IMPORTED.items() if start in of_file]
    found = (listed for pattern in patterns for listed in pattern.findall(of_file))
    modules = {f"{name}.py" for listed in found for name in listed.split(", ")}
    return frozenset(sources().keys() & modules.union(_INCLUDED.findall(of_file)))
