"""The spine: text → Document → schema check → Module → one view per tier → {path: text}; touches no output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from wrapper_gen.diagnostics import Diagnostic, raise_errors
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import Module
from wrapper_gen.runtime_files import Runtime


@frozen
class Generated:
    """What one spec comes to: its module, the text of every file by its path below the output folder, and warnings."""

    module: Module
    files: Mapping[PurePosixPath, str]
    warnings: Sequence[Diagnostic]


def read(spec: Path, shown: str) -> tuple[Module, list[Diagnostic]]:
    """Read, check and resolve one spec.

    Args:
        spec: the file.
        shown: its path as diagnostics, headers and `#line` show it (relative, with forward slashes).

    Raises:
        SpecError: with all errors that can be told: what has the wrong shape is left out of the rest.
    """
    from wrapper_gen.resolve import resolve
    from wrapper_gen.spec import check, read_document, repeat, undecided, without

    document = repeat(read_document(spec, shown))
    document.mark_entries()
    shape = check(document)
    module, findings = resolve(document, shape.broken)
    left_open = undecided(document)
    raise_errors([*left_open, *without([*shape.findings, *findings], left_open)])
    return module, findings


def generate(
    spec: Path, shown: str, tiers: Sequence[int] = (1, 2, 3), runtime: Runtime = Runtime.VENDORED
) -> Generated:
    """Everything that one spec generates, as text; a runtime that it does not carry is not among it.

    Raises:
        SpecError: when the spec is wrong.
    """
    from wrapper_gen.render import render

    module, warnings = read(spec, shown)
    module = replace(module, runtime=runtime)
    return Generated(module, render(module, tiers), warnings)
