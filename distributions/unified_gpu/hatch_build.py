"""Puts unified_gpu and the packages that it stands on into the archives; those of a wheel are compiled first.

A wheel has the extensions of the packages of the CPU, CUDA, NVRTC, Vulkan and DLPack, one for all CPythons from 3.11
on. CUDA, NVRTC and Vulkan load their libraries at first use. Torch's package is compiled where it is first used. Beside
them lie the CPU's kernels of the library's own functions, compiled, for machines without a compiler.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMPILED = ("cpu_ffi", "cuda_ffi", "nvrtc_ffi", "vulkan_ffi", "dlpack_ffi")
PACKAGES = (*COMPILED, "torch_ffi", "wg_runtime")
PRIVATE = "unified_gpu/_packages"
"""Where a wheel has them, so that they are no modules of everybody's."""
_SOURCES = ("bridge.cpp", "bridge.h", "cpython.cpp", "docs.hpp", "lines.hpp", "ffi_build.py", "_cffi_engine.py")
"""What a compiled package is made of, and does not need any more."""
_KERNELS = ("kernel_*.hpp", "cuda_*.h")
"""Headers that kernels are compiled with."""
_LEFT_OUT = ("*.so", "*.o", "__pycache__", "build")
_OF_THE_ARCHIVE = ("README.md", "hatch_build.py", "library_kernels.py", "pyproject.toml")
_SOLVE = "install the Debian packages g++, python3-dev and libvulkan-dev, or what they are called elsewhere"


class Build(BuildHookInterface[Any]):
    """Chooses the files; see the module."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        del version
        root = Path(self.root)
        is_archive = (root / "unified_gpu").is_dir()
        checkout = root if is_archive else root.parents[1]
        generated = root / "generated" if is_archive else checkout / "generated"
        files = build_data["force_include"]
        files.update((str(path), f"unified_gpu/{name}") for path, name in _within(checkout / "unified_gpu"))
        if self.target_name == "sdist":
            for package in PACKAGES:
                named = _within(generated / package)
                files.update((str(path), f"generated/{package}/{name}") for path, name in named)
            files[str(checkout / "LICENSE")] = "LICENSE"
            files.update({str(root / name): name for name in _OF_THE_ARCHIVE})
            return
        self._folder = tempfile.TemporaryDirectory(prefix="unified-gpu-")
        built = Path(self._folder.name)
        for package in PACKAGES:
            shutil.copytree(generated / package, built / package, ignore=shutil.ignore_patterns(*_LEFT_OUT))
        tags = {package: _compiled(built, package) for package in COMPILED}
        for package in PACKAGES:
            named = _within(built / package, compiled=package in COMPILED)
            files.update((str(path), f"{PRIVATE}/{package}/{name}") for path, name in named)
        _compile_kernels(root / "library_kernels.py", built, checkout)
        files.update((str(path), f"{PRIVATE}/{path.name}") for path in built.glob("library_kernels.*"))
        build_data["pure_python"] = False
        (build_data["tag"],) = {*tags.values()}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        del version, build_data, artifact_path
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def _compiled(folder: Path, package: str) -> str:
    """Compile one package; the tag of its extension."""
    script = folder / package / "ffi_build.py"
    done = subprocess.run(
        [sys.executable, str(script), "--abi3", "--require"], stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"unified-gpu: {package} does not compile; {_SOLVE}")
    tag: str = json.loads(done.stdout)["tag"]
    return tag


def _compile_kernels(program: Path, folder: Path, checkout: Path) -> None:
    """Compile the CPU's kernels of the library's own functions; see the program."""
    places = os.pathsep.join(map(str, (folder, checkout)))
    environment = {key: value for key, value in os.environ.items() if not key.startswith("DL_")}
    done = subprocess.run([sys.executable, program, folder], env={**environment, "PYTHONPATH": places}, check=False)
    if done.returncode:
        raise SystemExit(f"unified-gpu: the kernels of its functions do not compile; {_SOLVE}")


def _within(folder: Path, *, compiled: bool = False) -> Iterator[tuple[Path, str]]:
    """The files of a package with their names in it; of a compiled one those that are needed to run."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_dir() or {"__pycache__", "build"} & {*name.parts} or path.suffix in (".pyc", ".o"):
            continue
        if compiled and (path.name in _SOURCES or ("sources" in name.parts and not any(map(path.match, _KERNELS)))):
            continue
        if not compiled and path.suffix == ".so":
            continue
        yield path, name.as_posix()
