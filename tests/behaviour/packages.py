"""Builds the packages that behaviour tests use: each content once, also when several processes test at a time."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path, PurePosixPath
from types import ModuleType

import pytest

from tests.compilers import (
    CACHE,
    compiling,
    digest,
    environment,
    locked,
    precompiled,
    quick,
    quick_linking,
    quickest,
)
from tests.limits import HANGS
from tests.sanitizers import CLANGS_FLAG
from wrapper_gen import compile, files, pipeline
from wrapper_gen.diagnostics import ToolchainError
from wrapper_gen.fixes import Fixes, fixes_of
from wrapper_gen.model import Library
from wrapper_gen.render import render_shared
from wrapper_gen.runtime_files import FOLDER, Runtime

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SHAPES = HERE / "shapes" / "shapes.wrapper_spec"
CHOSEN_ENGINES = "WRAPPER_GEN_TEST_ENGINES"
"""The environment variable that names the engines to test, separated by spaces: all, where it is empty."""
ENGINES = tuple(
    engine
    for engine, is_there in (
        ("cffi", importlib.util.find_spec("cffi") is not None),
        ("cpython", sys.implementation.name == "cpython"),
    )
    if is_there and engine in (os.environ.get(CHOSEN_ENGINES) or engine).split()
)
"""The engines that every test of behaviour runs over: those of this Python."""
BUILT = "both" if len(ENGINES) > 1 else ENGINES[0]
"""What packages are built with, so that all these are there."""
LOADS_ABI3 = ".abi3.so" in EXTENSION_SUFFIXES and not sysconfig.get_config_var("Py_GIL_DISABLED")
"""Whether there is a limited API for this Python."""
with_abi3 = pytest.mark.skipif(not LOADS_ABI3, reason="this Python loads no abi3 extension")
FLAGS = "WRAPPER_GEN_TEST_FLAGS"
"""The environment variable with flags for the compiler and the linker of all builds (those of sanitizers)."""
ABI3 = "WRAPPER_GEN_TEST_ABI3"
"""The environment variable that, where it is not empty, makes all builds those for any CPython from 3.11 on."""
_KEPT = 3 * 24 * 3600
"""Seconds for which a build that nobody uses stays in the cache."""
_READY: dict[tuple[object, ...], Package] = {}
"""What this process has built of specs that no test rewrites.

To find out that there is nothing to do takes a tenth of a second, under a sanitizer three, and fixtures ask often.
"""


@dataclass(frozen=True)
class _How:
    """How a package is compiled, besides the compiler and its flags."""

    stub: bool = False
    abi3: bool = False
    require: bool = False
    engine: str = BUILT


@dataclass(frozen=True)
class Package:
    """A generated and compiled package: the folder that it lies in."""

    folder: Path

    def load(self, engine: str = ENGINES[0]) -> ModuleType:
        """Import it, under a name of its own for each build and engine, so that several can be there at once."""
        name = f"{self.folder.name}_{engine}_{digest(str(self.folder))[:6]}"
        if name in sys.modules:
            return sys.modules[name]
        found = importlib.util.spec_from_file_location(
            name, self.folder / "__init__.py", submodule_search_locations=[str(self.folder)]
        )
        assert found is not None and found.loader is not None
        module = importlib.util.module_from_spec(found)
        sys.modules[name] = module
        try:
            with environment(WRAPPER_GEN_ENGINE=engine):
                found.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        return module

    def python(
        self, code: str, *, engine: str = ENGINES[0], check: bool = True, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a program in a new process that can import the package."""
        paths = os.pathsep.join([str(self.folder.parent), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": paths, "WRAPPER_GEN_ENGINE": engine, **environment},
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=False,
        )
        assert not check or done.returncode == 0, f"exit code {done.returncode}\n{done.stderr}"
        return done


def build(
    spec: Path,
    *,
    stub: bool = False,
    flags: str = "",
    abi3: bool = False,
    require: bool = False,
    engine: str = BUILT,
) -> Package:
    """Generate and compile a package, or take it from the cache.

    Args:
        spec: the file.
        stub: build without the library.
        flags: flags of the compiler and the linker; without any, the build takes as little time as it can.
        abi3: build for any CPython from 3.11 on.
        require: a missing library is an error rather than stub mode.
        engine: what to compile; fewer than all take less time.
    """
    flags = flags or all_flags()
    how = _How(stub=stub, abi3=abi3 or bool(os.environ.get(ABI3)), require=require, engine=engine)
    if not spec.is_relative_to(ROOT) and spec.parents[1] != CACHE / "specs":
        return _build(spec, flags, how)
    key = (spec, flags, how, quickest(), os.environ.get("CXX"))
    if key not in _READY:
        _READY[key] = _build(spec, flags, how)
    return _READY[key]


def _build(spec: Path, flags: str, how: _How) -> Package:
    stub, abi3, require, engine = how.stub, how.abi3, how.require, how.engine
    if spec.parent == ROOT / "specs" and not (stub or flags or abi3):
        shipped = _shipped(spec, require)
        if shipped is not None:
            return shipped
    generated = pipeline.generate(spec, spec.name)
    variant = {"stub": stub, "abi3": abi3, **({} if engine == BUILT else {"engine": engine})}
    is_plain = _is_plain(generated.module.library)
    refused: Path | None = None
    if not flags and is_plain and quickest():
        quick_flags = precompiled("-O0", quickest(), is_whole=not abi3)
        package = _prepare(spec, generated, {**variant, "flags": quick_flags})
        if _made_by_clang(package, quick_flags, how):
            return Package(package)
        refused = _refused(package)
    compiler = compiler_for(flags)
    quick_flags = _quick(flags, compiler, is_plain=is_plain, is_whole=not abi3)
    package = _prepare(spec, generated, {**variant, "flags": quick_flags})
    try:
        with locked(package.parent.parent):
            _compile(package, quick_flags, compiler, how, linked=flags)
    except ToolchainError:
        if compiler:  # g++ says what is wrong, in the words that tests wait for
            build(spec, stub=stub, flags="-O0", abi3=abi3, require=require, engine=engine)
        raise
    if refused:
        refused.touch()  # it was clang++, and no library that is missing, nor a full disk
    return Package(package)


def compiler_for(flags: str) -> str:
    """The compiler that flags of a run are for, where that is not the usual one."""
    return "clang++" if CLANGS_FLAG in flags.split() else ""


def _quick(flags: str, compiler: str, *, is_plain: bool, is_whole: bool) -> str:
    """The flags of a run, with what makes its builds quick; those that a test chose for itself stay as they are."""
    if compiler:
        return precompiled(flags, compiler, is_whole=is_whole) if is_plain else flags
    return quick(flags or "-O0", is_whole=is_whole) if not flags or "-fsanitize" in flags else flags


def _refused(package: Path) -> Path:
    """A file that is there where clang++ does not compile a package that g++ compiles."""
    return package.parent.parent / "refused"


def _made_by_clang(package: Path, flags: str, how: _How) -> bool:
    """Whether clang++ compiles it; what it does not, it is asked for once."""
    with locked(package.parent.parent):
        if _refused(package).exists():
            return False
        try:
            _compile(package, flags, quickest(), how)
        except ToolchainError:  # g++ says what is wrong, where anything is
            return False
    return True


def _is_plain(library: Library) -> bool:
    """Whether it is compiled as what clang++ compiles before: it takes that for no other options of the language."""
    return library.cpp_std == 17 and not library.compile_args and not library.requires


def _shipped(spec: Path, require: bool) -> Package | None:
    """A package of the project as `make test` compiles it in `generated/`, unless that is not what the spec makes now.

    It is copied, since a process that imports one extension under two names has the newer one's classes.
    """
    generated = pipeline.generate(spec, f"specs/{spec.name}", runtime=Runtime.SHARED)
    folder = ROOT / "generated" / generated.module.package
    if not files.compare(generated.files, folder.parent, packages=[folder.name]).up_to_date:
        return None
    extension = _compile(folder, "", "", _How(require=require)).extension
    state = extension.stat()
    root = CACHE / digest(f"{generated.files} {render_shared()} {extension.name} {state.st_size} {state.st_mtime_ns}")
    root.mkdir(parents=True, exist_ok=True)
    os.utime(root)
    copy = root / "generated" / folder.name
    with locked(root):
        if not (copy / extension.name).is_file():
            whole = root / "copied"  # under its name only when all of it is there
            shutil.rmtree(whole, ignore_errors=True)
            for each in (folder, folder.with_name(FOLDER)):
                shutil.copytree(each, whole / each.name, ignore=shutil.ignore_patterns("build", "__pycache__"))
            shutil.rmtree(copy.parent, ignore_errors=True)
            whole.rename(copy.parent)
    return Package(copy)


def _compile(package: Path, flags: str, compiler: str, how: _How, *, linked: str = "") -> compile.BuildResult:
    if how.stub and "cffi" not in ENGINES:
        pytest.skip("a stub has the cffi engine, and this Python has no cffi")
    if flags:
        linked = f"{linked} {quick_linking(compiler or os.environ.get('CXX', 'g++'))}"
    try:
        with compiling(flags, linked), environment(**({"CXX": compiler} if compiler else {})):
            return compile.build(
                package,
                report=lambda line: None,
                engine=how.engine,
                stub=how.stub,
                abi3=how.abi3,
                require=how.require,
            )
    except ToolchainError as error:
        error.add_note(error.output)
        raise


def build_text(text: str, *, name: str = "written", stub: bool = False, flags: str = "") -> Package:
    """The same for a spec that a test writes itself."""
    return build(_written(text, name), stub=stub, flags=flags)


def build_folder(folder: Path) -> Package:
    """Compile a package that a test generated and changed."""
    flags = all_flags()
    _compile(folder, flags or quick(), compiler_for(flags), _How(abi3=bool(os.environ.get(ABI3))), linked=flags)
    return Package(folder)


def generate(spec: Path) -> Path:
    """Only generate: the folder of a package that is not compiled."""
    return _prepare(spec, pipeline.generate(spec, spec.name), {"generated": "only"})


def generate_text(text: str, *, name: str = "written") -> Path:
    """The same for a spec that a test writes itself."""
    return generate(_written(text, name))


def fixes(text: str, *, name: str = "written") -> Fixes:
    """What may mend calls of such a spec that do not compile."""
    return fixes_of(pipeline.read(_written(text, name), name)[0])


def _written(text: str, name: str) -> Path:
    spec = CACHE / "specs" / digest(text) / f"{name}.wrapper_spec"
    spec.parent.mkdir(parents=True, exist_ok=True)
    with locked(spec.parent):
        _put(spec, text.encode())
    return spec


def _put(path: Path, content: bytes) -> None:
    """The file with this content, which another process may read meanwhile: never a part of it."""
    if path.is_file() and path.read_bytes() == content:
        return
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_bytes(content)
    part.replace(path)


def _prepare(spec: Path, generated: pipeline.Generated, variant: Mapping[str, object]) -> Path:
    """The generated files, in a folder of the cache that has the spec as a user's folder would."""
    content = [[str(path), text] for path, text in sorted(generated.files.items())]
    machine = [sys.version, sysconfig.get_config_var("EXT_SUFFIX"), os.environ.get("CXX", "")]
    root = CACHE / digest(json.dumps([content, dict(variant), machine]))
    root.mkdir(parents=True, exist_ok=True)
    os.utime(root)
    with locked(root):
        _put(root / spec.name, spec.read_bytes())
        files.write(files.compare(generated.files, root / "generated"))
    return root / "generated" / PurePosixPath(generated.module.package)


def forget_old_builds() -> None:
    """Remove what was not used for days."""
    now = time.time()
    for folder in CACHE.glob("*"):
        if folder.is_dir() and now - folder.stat().st_mtime > _KEPT:
            shutil.rmtree(folder, ignore_errors=True)


def all_flags() -> str:
    """What all builds of this run are compiled with; empty where nobody asked for anything."""
    return os.environ.get(FLAGS, "")


def watched() -> bool:
    """Whether a sanitizer looks on, which keeps memory that was freed and gives out memory of its own."""
    return "-fsanitize" in all_flags()


def fewer(count: int) -> int:
    """How often to repeat what shows only after so many times that memory leaks, or that a stack is too deep.

    A sanitizer, which looks for other mistakes, sees the first bad access, and takes its time.
    """
    return count // 50 if watched() else count
