"""Packages of setuptools whose extension is generated: the only module that imports setuptools."""

from __future__ import annotations

import logging
import shutil
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from setuptools import Extension
from setuptools.command.build_ext import build_ext

from wrapper_gen import batch, compile, files, report, settings
from wrapper_gen.diagnostics import Diagnostic, Span, SpecError, ToolchainError

_LOG = logging.getLogger("wrapper_gen")
_BAD_SPEC, _TOOLCHAIN = 3, 4  # as the command ends


class WrapperGenExtension(Extension):
    """The extension of the package that a spec describes, which is generated when this is made.

    Args:
        spec: the spec, relative to the folder of `setup.py`.
        output: the folder of the package.
        abi3: one extension for CPython 3.11 and all later versions; a Python without the GIL gets its own.

    Raises:
        SystemExit: the spec is wrong, or the package cannot be written; why is on stderr, as the command says it.
    """

    def __init__(self, spec: str, *, output: str = "src", abi3: bool = True) -> None:
        found, result = _generated(spec, Path(output))
        self.folder = Path(output, result.packages[0])
        self.packages = sorted(result.folders)
        """What `packages` of `setup` has to list."""
        self.package_dir = {"": output}
        self.package_data = {"": ["*.pyi", "py.typed"]}
        self.abi3 = abi3 and not sysconfig.get_config_var("Py_GIL_DISABLED")
        self.options: dict[str, dict[str, str]] = {"bdist_wheel": {"py_limited_api": "cp311"}} if self.abi3 else {}
        """What `options` of `setup` has to have, so that the wheel is tagged as its extension."""
        (package,) = result.packages
        self.packages += [f"{package}._runtime"] if (self.folder / "_runtime").is_dir() else []
        depends = [str(path) for path in batch.inputs(found, result)]
        super().__init__(f"{package}._{package}", [], depends=depends, py_limited_api=self.abi3)


class BuildExtension(build_ext):
    """`build_ext` that also compiles extensions of wrapper-gen, by the build script of their packages."""

    def build_extension(self, ext: Any) -> None:
        """Compile one extension; one of wrapper-gen only where something has changed."""
        if not isinstance(ext, WrapperGenExtension):
            super().build_extension(ext)
            return
        try:
            made = compile.build_extension(ext.folder, abi3=ext.abi3, report=_LOG.info)
        except ToolchainError as error:
            _report([error.diagnostic, *error.more], {})
            sys.stderr.write(error.output)
            raise SystemExit(_TOOLCHAIN) from None
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        if made.resolve() != target.resolve():
            shutil.copy2(made, target)


def _generated(spec: str, output: Path) -> tuple[batch.Found, batch.Batch]:
    """The package of a spec, which is written.

    Raises:
        SystemExit: it cannot be.
    """
    shown: dict[str, str] = {}
    try:
        found = batch.find([spec], output)
        shown = {each.shown: batch.from_here(each.path) for each in found.specs}
        result = batch.generate_all(found, runtime=settings.read(output).runtime)
        if len(found.specs) > 1:
            hint = "make an extension for each of the specs in it"
            raise SpecError([Diagnostic("WG001", "this is a folder, not a spec", Span(spec, 1, 1), hint)])
        if result.failed:
            raise SpecError(result.findings)
        with files.updating(output):
            files.write(files.compare(result.files, output, packages=result.folders))
    except SpecError as error:
        _report(error.diagnostics, shown)
        raise SystemExit(_BAD_SPEC) from None
    _report(result.findings, shown)
    return found, result


def _report(findings: Sequence[Diagnostic], shown: Mapping[str, str]) -> None:
    """Write diagnostics to stderr; paths are relative to the folder of `setup.py`."""
    placed = [each.placed(lambda path: shown.get(path, path)) for each in findings]
    sys.stderr.write(report.as_text(placed, lambda path: _text_of(path) if path in shown.values() else None))


def _text_of(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
