"""The spine: text → Document → schema check → Module → one view per tier → {path: text}; touches no output."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from wrapper_gen.diagnostics import Diagnostic, SpecError, in_order, raise_errors
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.inputs import digest
from wrapper_gen.model import Module, Uses
from wrapper_gen.runtime_files import Runtime

if TYPE_CHECKING:
    from wrapper_gen.resolve.uses import Other


@frozen
class Generated:
    """What one spec comes to: its module, the text of every file by its path below the output folder, and warnings."""

    module: Module
    files: Mapping[PurePosixPath, str]
    warnings: Sequence[Diagnostic]


Texts = Mapping[Path, str]
"""What stands for the texts of specs, by their normalised paths: an editor's, of files that are not saved."""


def read(spec: Path, shown: str, texts: Texts | None = None) -> tuple[Module, list[Diagnostic]]:
    """Read, check and resolve one spec.

    Args:
        spec: the file.
        shown: its path as diagnostics, headers and `#line` show it (relative, with forward slashes).
        texts: what stands for the texts of files.

    Raises:
        SpecError: with all errors that can be told: what has the wrong shape is left out of the rest.
    """
    other, findings = _read(spec, shown, (), texts or {})
    return other.module, findings


def _read(spec: Path, shown: str, within: tuple[Path, ...], texts: Texts) -> tuple[Other, list[Diagnostic]]:
    """The same with the names that it knows; `within` are the specs that use it, in order."""
    from wrapper_gen.resolve import resolve
    from wrapper_gen.resolve.shorter_forms import with_shorter_forms
    from wrapper_gen.resolve.uses import Other
    from wrapper_gen.spec import check, join_classes, modern, read_document, repeat, undecided, without

    original = read_document(spec, shown, texts.get(Path(os.path.normpath(spec))))
    document, earlier = modern(original)
    document = repeat(document)
    join_classes(document)
    with_shorter_forms(document)
    document.mark_entries()
    shape = check(document)
    chain = (*within, spec)
    try:
        module, findings, scope = resolve(document, shape.broken, lambda path: _used(path, spec, shown, chain, texts))
    except SpecError as error:
        raise SpecError(in_order([*earlier, *shape.findings, *error.diagnostics])) from None
    left_open = undecided(document)
    raise_errors([*left_open, *without([*earlier, *shape.findings, *findings], left_open)])
    module = replace(module, digest=digest(original.source.text))
    return Other(module, scope), [*earlier, *findings]


def _used(path: str, spec: Path, shown: str, within: tuple[Path, ...], texts: Texts) -> Other:
    """A spec that another one uses.

    Raises:
        CannotUse: it is not there, has mistakes, or uses one that uses it.
    """
    from wrapper_gen.resolve.uses import CannotUse, refused

    found = spec.parent / path
    if not found.is_file():
        raise CannotUse(f"there is no spec {path!r}", "the path is relative to this spec")
    circle = [each.name for each in within if os.path.realpath(each) == os.path.realpath(found)]
    if circle:
        names = [each.name for each in within]
        chain = " uses ".join([*names[names.index(circle[0]) :], found.name])
        raise CannotUse(f"{chain}", "move what both need into a third spec, which both use")
    try:
        return _read(found, posixpath.normpath(posixpath.join(posixpath.dirname(shown), path)), within, texts)[0]
    except SpecError as error:
        raise refused(error, path) from None


def generate(
    spec: Path, shown: str, tiers: Sequence[int] = (1, 2, 3), runtime: Runtime = Runtime.VENDORED
) -> Generated:
    """Everything that one spec generates, as text; a runtime that it does not carry is not among it.

    Raises:
        SpecError: when the spec is wrong.
    """
    return rendered(*read(spec, shown), tiers, runtime)


def rendered(
    module: Module,
    warnings: Sequence[Diagnostic],
    tiers: Sequence[int] = (1, 2, 3),
    runtime: Runtime = Runtime.VENDORED,
) -> Generated:
    """The same of a spec that was read, with what was found in it.

    Raises:
        SpecError: it uses another one, and its package would carry its own runtime (WG280).
    """
    from wrapper_gen.render import render

    if runtime is Runtime.VENDORED and module.uses:
        raise SpecError([_needs_runtime(each) for each in module.uses])
    module = replace(module, runtime=runtime)
    return Generated(module, render(module, tiers), warnings)


def _needs_runtime(uses: Uses) -> Diagnostic:
    """A package that carries its runtime shares no objects with others."""
    message = f"a package that carries its own runtime cannot use {uses.path!r}"
    hint = 'generate both packages with --runtime shared or package, or write runtime = "shared" in pyproject.toml'
    return Diagnostic("WG280", message, uses.span, hint)
