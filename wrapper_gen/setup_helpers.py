"""Packages of setuptools whose extension is generated: the only module that imports setuptools."""

from __future__ import annotations

import logging
import shutil
import sysconfig
from pathlib import Path
from typing import Any

from setuptools import Extension
from setuptools.command.build_ext import build_ext

from wrapper_gen import batch, compile, files, settings
from wrapper_gen.diagnostics import SpecError

_LOG = logging.getLogger("wrapper_gen")


class WrapperGenExtension(Extension):
    """The extension of the package that a spec describes, which is generated when this is made.

    Args:
        spec: the spec, relative to the folder of `setup.py`.
        output: the folder of the package.
        abi3: one extension for CPython 3.11 and all later versions; a Python without the GIL gets its own.

    Raises:
        SpecError: the spec is wrong.
    """

    def __init__(self, spec: str, *, output: str = "src", abi3: bool = True) -> None:
        found = batch.find([spec], Path(output))
        result = batch.generate_all(found, runtime=settings.read(Path(output)).runtime)
        if result.failed or len(result.modules) != 1:
            raise SpecError(result.findings)
        with files.updating(Path(output)):
            files.write(files.compare(result.files, Path(output), packages=result.folders))
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
        made = compile.build_extension(ext.folder, abi3=ext.abi3, report=_LOG.info)
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        if made.resolve() != target.resolve():
            shutil.copy2(made, target)
