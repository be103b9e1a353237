"""The generated layers: modules of one shape, listed in one table. Who knows one tier knows all."""

from __future__ import annotations

from typing import Protocol

from wrapper_gen.model import Module
from wrapper_gen.tiers import bridge, cffi_build, cffi_engine, cpython, docs, package, type_stub

SUBMODULE = "{submodule}"
"""In the name of a file: there is one for each of the view's `submodules`, which is its view and has its `name`."""


class Tier(Protocol):
    """One generated layer. Templates get the view as `view`; static files are copied into every package."""

    @property
    def NUMBER(self) -> int: ...

    @property
    def TEMPLATES(self) -> tuple[tuple[str, str], ...]:
        """(template below `templates/`, file in the package)."""

    @property
    def STATIC(self) -> tuple[tuple[str, str], ...]:
        """(file below `runtime/`, file in the package), beside what `runtime_files` finds."""

    def view(self, module: Module) -> object:
        """What the templates place: finished texts, in the order in which they are needed."""


TIERS: tuple[Tier, ...] = (bridge, docs, cffi_build, package, type_stub, cffi_engine, cpython)
