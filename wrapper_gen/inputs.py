"""Digests of what a package is made from: by them a build without the generator knows that something has changed."""

from __future__ import annotations

import hashlib
from pathlib import PurePosixPath

from wrapper_gen.model import Module

_DIGITS = 16


def digest(text: str) -> str:
    """The digest of a text, without a byte order mark and with the ends of lines of Unix; `_dependencies.py` has it."""
    return hashlib.sha256(text.lstrip("\ufeff").replace("\r\n", "\n").encode()).hexdigest()[:_DIGITS]


def digests(module: Module) -> dict[str, str]:
    """Of the spec, those that it uses, and their sources; by the path from the folder that holds the output folder."""
    folder = PurePosixPath(module.spec).parent
    specs = {each.spec: each.digest for each in (module, *(uses.module for uses in module.uses))}
    library = module.library
    sources = {each.path: each.text for each in library.sources} | {e.path: e.text for e in library.python_sources}
    return specs | {str(folder / path): digest(text) for path, text in sources.items()}
