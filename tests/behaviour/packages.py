"""Builds the packages that behaviour tests use: each content once, also when several processes test at a time."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path, PurePosixPath
from types import ModuleType

import pytest

from tests.limits import HANGS
from wrapper_gen import compile, files, pipeline
from wrapper_gen.diagnostics import ToolchainError
from wrapper_gen.mends import Mends, mends_of
from wrapper_gen.model import Library

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SHAPES = HERE / "shapes" / "shapes.wrapper_spec"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "wrapper-gen" / "tests"
"""Outside of the checkout: another one with the same content, as CI's, needs no build of its own."""
ENGINES = tuple(
    engine
    for engine, is_there in (
        ("cffi", importlib.util.find_spec("cffi") is not None),
        ("cpython", sys.implementation.name == "cpython"),
    )
    if is_there
)
"""The engines that every test of behaviour runs over: those of this Python."""
BUILT = "both" if len(ENGINES) > 1 else ENGINES[0]
"""What packages are built with, so that all these are there."""
LOADS_ABI3 = ".abi3.so" in EXTENSION_SUFFIXES and not sysconfig.get_config_var("Py_GIL_DISABLED")
"""Whether there is a limited API for this Python."""
with_abi3 = pytest.mark.skipif(not LOADS_ABI3, reason="this Python loads no abi3 extension")
FLAGS = "WRAPPER_GEN_TEST_FLAGS"
"""The environment variable with flags for the compiler and the linker of all builds (those of sanitizers)."""
CLANG = "WRAPPER_GEN_TEST_CLANG"
"""The environment variable that names the clang++ of builds without flags; where it is empty, all are those of g++."""
_FOR_CLANG = ("-fpch-instantiate-templates",)  # once for all packages, as far as that goes
ABI3 = "WRAPPER_GEN_TEST_ABI3"
"""The environment variable that, where it is not empty, makes all builds those for any CPython from 3.11 on."""
_STANDARD = ("algorithm", "array", "atomic", "chrono", "cmath", "condition_variable", "cstdint", "cstring", "deque")
_STANDARD += ("filesystem", "functional", "map", "memory", "mutex", "optional", "sstream", "stdexcept", "string")
_STANDARD += ("thread", "tuple", "unordered_map", "unordered_set", "variant", "vector")
"""Headers that many builds include."""
_SMALLEST = ROOT / "tests" / "cases" / "minimal" / "spec.wrapper_spec"
"""What its package has of our static headers, all packages have."""
_NOT_BEFORE = ("wg_cffi.hpp",)
"""Those of them that include what only some builds do."""
_KEPT = 3 * 24 * 3600
"""Seconds for which a build that nobody uses stays in the cache."""


@dataclass(frozen=True)
class Package:
    """A generated and compiled package: the folder that it lies in."""

    folder: Path

    def load(self, engine: str = ENGINES[0]) -> ModuleType:
        """Import it, under a name of its own for each build and engine, so that several can be there at once."""
        name = f"{self.folder.name}_{engine}_{_digest(str(self.folder))[:6]}"
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


def build(spec: Path, *, stub: bool = False, flags: str = "", abi3: bool = False, require: bool = False) -> Package:
    """Generate and compile a package, or take it from the cache.

    Args:
        spec: the file.
        stub: build without the library.
        flags: flags of the compiler and the linker; without any, the build takes as little time as it can.
        abi3: build for any CPython from 3.11 on.
        require: a missing library is an error rather than stub mode.
    """
    flags = flags or all_flags()
    abi3 = abi3 or bool(os.environ.get(ABI3))
    if spec.parent == ROOT / "specs" and not (stub or flags or abi3):
        shipped = _shipped(spec, require)
        if shipped is not None:
            return shipped
    generated = pipeline.generate(spec, spec.name)
    variant = {"stub": stub, "abi3": abi3}
    refused: Path | None = None
    if not flags and _is_plain(generated.module.library) and quickest():
        quick_flags = precompiled("-O0", quickest(), is_whole=not abi3)
        package = _prepare(spec, generated, {**variant, "flags": quick_flags})
        if _made_by_clang(package, quick_flags, stub=stub, abi3=abi3, require=require):
            return Package(package)
        refused = _refused(package)
    if not flags or "-fsanitize" in flags:
        flags = quick(flags or "-O0", is_whole=not abi3)
    package = _prepare(spec, generated, {**variant, "flags": flags})
    with _locked(package.parent.parent):
        _compile(package, flags, "", stub=stub, abi3=abi3, require=require)
    if refused:
        refused.touch()  # it was clang++, and no library that is missing, nor a full disk
    return Package(package)


def _refused(package: Path) -> Path:
    """A file that is there where clang++ does not compile a package that g++ compiles."""
    return package.parent.parent / "refused"


def _made_by_clang(package: Path, flags: str, *, stub: bool, abi3: bool, require: bool) -> bool:
    """Whether clang++ compiles it; what it does not, it is asked for once."""
    with _locked(package.parent.parent):
        if _refused(package).exists():
            return False
        try:
            _compile(package, flags, quickest(), stub=stub, abi3=abi3, require=require)
        except ToolchainError:  # g++ says what is wrong, where anything is
            return False
    return True


@cache
def quickest() -> str:
    """The other compiler that this run is to use where it can: clang++ takes half the time of g++. Empty without one.

    A few packages are too much for clang++ 14, and are compiled by g++ after all. So are builds with flags of their
    own, those for sanitizers among them, and all that is shipped.
    """
    compiler = os.environ.get(CLANG, "")
    if not compiler or "CXX" in os.environ or shutil.which(compiler) is None:
        return ""
    command = [compiler, *_FOR_CLANG, "-fsyntax-only", "-x", "c++", "-"]
    tried = subprocess.run(command, input="#include <vector>\n", capture_output=True, text=True, check=False)
    return "" if tried.returncode else compiler


@contextmanager
def as_for_quick_tests() -> Iterator[None]:
    """Build as `make test` does, which takes no time where that ran before."""
    with environment(**{CLANG: os.environ.get(CLANG) or "clang++"}):
        quickest.cache_clear()
        try:
            yield
        finally:
            quickest.cache_clear()


def _is_plain(library: Library) -> bool:
    """Whether it is compiled as what clang++ compiles before: it takes that for no other options of the language."""
    return library.cpp_std == 17 and not library.compile_args and not library.requires


def _shipped(spec: Path, require: bool) -> Package | None:
    """A package of the project as `make test` compiles it in `generated/`, unless that is not what the spec makes now.

    It is copied, since a process that imports one extension under two names has the newer one's classes.
    """
    generated = pipeline.generate(spec, f"specs/{spec.name}")
    folder = ROOT / "generated" / generated.module.package
    if not files.compare(generated.files, folder.parent, packages=[folder.name]).up_to_date:
        return None
    extension = _compile(folder, "", "", require=require).extension
    state = extension.stat()
    root = CACHE / _digest(f"{generated.files} {extension.name} {state.st_size} {state.st_mtime_ns}")
    root.mkdir(parents=True, exist_ok=True)
    os.utime(root)
    copy = root / "generated" / folder.name
    with _locked(root):
        if not (copy / extension.name).is_file():
            whole = root / "copied"  # under its name only when all of it is there
            shutil.rmtree(whole, ignore_errors=True)
            shutil.copytree(folder, whole / folder.name, ignore=shutil.ignore_patterns("build", "__pycache__"))
            shutil.rmtree(copy.parent, ignore_errors=True)
            whole.rename(copy.parent)
    return Package(copy)


def _compile(
    package: Path, flags: str, compiler: str, *, stub: bool = False, abi3: bool = False, require: bool = False
) -> compile.BuildResult:
    if stub and "cffi" not in ENGINES:
        pytest.skip("a stub has the cffi engine, and this Python has no cffi")
    try:
        with compiling(flags), environment(**({"CXX": compiler, "LDFLAGS": ""} if compiler else {})):
            return compile.build(package, report=lambda line: None, engine=BUILT, stub=stub, abi3=abi3, require=require)
    except ToolchainError as error:
        error.add_note(error.output)
        raise


def build_text(text: str, *, name: str = "written", stub: bool = False, flags: str = "") -> Package:
    """The same for a spec that a test writes itself."""
    return build(_written(text, name), stub=stub, flags=flags)


def generate(spec: Path) -> Path:
    """Only generate: the folder of a package that is not compiled."""
    return _prepare(spec, pipeline.generate(spec, spec.name), {"generated": "only"})


def generate_text(text: str, *, name: str = "written") -> Path:
    """The same for a spec that a test writes itself."""
    return generate(_written(text, name))


def mends(text: str, *, name: str = "written") -> Mends:
    """What may mend calls of such a spec that do not compile."""
    return mends_of(pipeline.read(_written(text, name), name)[0])


def _written(text: str, name: str) -> Path:
    spec = CACHE / "specs" / _digest(text) / f"{name}.wrapper_spec"
    spec.parent.mkdir(parents=True, exist_ok=True)
    with _locked(spec.parent):
        spec.write_text(text, encoding="utf-8")
    return spec


def _prepare(spec: Path, generated: pipeline.Generated, variant: Mapping[str, object]) -> Path:
    """The generated files, in a folder of the cache that has the spec as a user's folder would."""
    content = [[str(path), text] for path, text in sorted(generated.files.items())]
    machine = [sys.version, sysconfig.get_config_var("EXT_SUFFIX"), os.environ.get("CXX", "")]
    root = CACHE / _digest(json.dumps([content, dict(variant), machine]))
    root.mkdir(parents=True, exist_ok=True)
    os.utime(root)
    with _locked(root):
        shutil.copy(spec, root / spec.name)
        files.write(files.compare(generated.files, root / "generated"))
    return root / "generated" / PurePosixPath(generated.module.package)


def forget_old_builds() -> None:
    """Remove what was not used for days."""
    now = time.time()
    for folder in CACHE.glob("*"):
        if folder.is_dir() and now - folder.stat().st_mtime > _KEPT:
            shutil.rmtree(folder, ignore_errors=True)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def all_flags() -> str:
    """What all builds of this run are compiled with; empty where nobody asked for anything."""
    return os.environ.get(FLAGS, "")


def quick(flags: str = "-O0", compiler: str = os.environ.get("CXX", "g++"), *, is_whole: bool = True) -> str:
    """Flags with which a build takes less time: as they are, tests ask what code does, not how fast it is.

    Where the compiler is g++, it reads what `precompiled` says.
    """
    if compiler != "g++" or shutil.which(compiler) is None:
        return flags
    return precompiled(flags, compiler, is_whole=is_whole)


@cache
def precompiled(flags: str, compiler: str, *, is_whole: bool) -> str:
    """These flags and more, for g++ or clang++: it reads what it compiled before with the same flags.

    That is most of the standard library, and where the API of Python is the whole one, those static headers of ours too
    that all packages have. g++ makes the functions of what was compiled before in every unit: where a package has no
    use for a header, to read it so costs more than it saves. A header is known by its content. Builds of
    `test_warnings` and `test_compiled_alone` do without, and show that each file includes what it needs.
    """
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    if compiler == "g++":
        flags += " --param=ggc-min-heapsize=512000"  # in KiB: it looks for memory to use again only when it has so much
        if "-O0" in flags.split() and int(version.partition(") ")[2].partition(".")[0] or 0) >= 12:
            flags += " -ffold-simple-inlines"  # not a function for each std::move; with -O1 it is so anyway
    command = [compiler, "-std=c++17", "-g0", "-fPIC", "-fvisibility=hidden", *flags.split(), "-x", "c++-header"]
    headers = _static_headers() if is_whole else []
    text = "".join(f"#include <{name}>\n" for name in _STANDARD)
    if headers:
        command += [f"-I{sysconfig.get_path(kind)}" for kind in ("include", "platinclude")]
        text += "#define PY_SSIZE_T_CLEAN\n#include <Python.h>\n"
        text += "".join(f'#include "{header.name}"\n' for header in headers)
    if compiler != "g++":  # its preprocessor alone reads the source again, which is empty without this folder
        text = f'#if __has_include("is_compiled.hpp")\n{text}#endif\n'
        command += [*_FOR_CLANG, "-Ionce"]
    contents = [header.read_text(encoding="utf-8") for header in headers]
    api = (Path(sysconfig.get_path("include")) / "Python.h").stat()  # which clang++ compares, too
    contents.append(f"{api.st_size} {api.st_mtime_ns}")
    root = CACHE / _digest(f"{version} {command} {text} {contents}")
    root.mkdir(parents=True, exist_ok=True)
    os.utime(root)
    header = root / "before.hpp"  # empty: g++ reads it where it cannot use what was compiled
    compiled = header.with_suffix(".hpp.gch" if compiler == "g++" else ".hpp.pch")
    with _locked(root):
        if not compiled.is_file():
            header.touch()
            for each in headers:
                shutil.copy(each, root)
            source, whole = root / "source.hpp", root / "whole"  # under its name only when all of it is there
            source.write_text(text, encoding="utf-8")
            (root / "once").mkdir(exist_ok=True)
            (root / "once" / "is_compiled.hpp").touch()
            with environment(LD_PRELOAD=""):
                subprocess.run([*command, str(source), "-o", str(whole)], check=True, cwd=root)
            whole.rename(compiled)
    return f"{flags} -include {header}"


def _static_headers() -> list[Path]:
    """Ours that every build of this Python includes."""
    generated = pipeline.generate(_SMALLEST, _SMALLEST.name).files
    folders = [ROOT / "templates" / "bridge", *([ROOT / "templates" / "cpython"] if "cpython" in ENGINES else [])]
    named = {path.name for path in generated if path.suffix == ".hpp"} - {*_NOT_BEFORE}
    return [header for folder in folders for header in sorted(folder.glob("*.hpp")) if header.name in named]


def watched() -> bool:
    """Whether a sanitizer looks on, which keeps memory that was freed and gives out memory of its own."""
    return "-fsanitize" in all_flags()


@contextmanager
def compiling(flags: str) -> Iterator[None]:
    """The environment of a build: with these flags, and without what was loaded to watch Python."""
    with environment(CXXFLAGS=flags, LDFLAGS=flags, LD_PRELOAD=""):
        yield


@contextmanager
def environment(**values: str) -> Iterator[None]:
    """These variables for a while; an empty one is left out."""
    before = {name: os.environ.get(name) for name in values}
    _set({name: value or None for name, value in values.items()})
    try:
        yield
    finally:
        _set(before)


def _set(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
