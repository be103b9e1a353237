"""A package in other builds, as docs/packaging.md shows them: what has changed is compiled again, and nothing else."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.test_wheels import BIN, environment, passes_its_tests, pip, project, run
from wrapper_gen import cmake

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "packaging.md").read_text(encoding="utf-8")
PROGRAM = "import notes_ffi; print(notes_ffi.mean([1, 2]), hasattr(notes_ffi, 'half'))"

PYPROJECT = """\
[build-system]
requires = ["scikit-build-core>=1.1", "wrapper-gen"]
build-backend = "scikit_build_core.build"
[project]
name = "notes-ffi"
version = "1"
[tool.scikit-build]
wheel.py-api = "cp311"
wheel.packages = []
"""


def shown(language: str, number: int = 0) -> str:
    """The page's example in this language, the first of several."""
    return str(re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[number])


def source_tree(folder: Path, *options: str) -> Path:
    """A new project with nothing but its spec and its library."""
    root = project(folder, *options)
    for path in root.iterdir():
        if path.name not in ("notes.wrapper_spec", "native", "tests"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return root


def replace_in(path: Path, old: str, new: str) -> None:
    time.sleep(0.01)  # where the clock of files is coarse
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def follows_changes(root: Path, build: Callable[[], str], where: Path, idle: str, compiled: str) -> None:
    """Build; then again with nothing changed, and after each kind of change.

    Args:
        root: the project.
        build: builds it, and returns what that says.
        where: the folder of the package.
        idle: what it says when there is nothing to do.
        compiled: what it says when it compiles the bridge.
    """

    def imported() -> str:
        return run(sys.executable, "-c", PROGRAM, cwd=root.parent, PYTHONPATH=str(where)).strip()

    assert compiled in build()
    assert imported() == "1.5 False"
    assert idle in build()
    (root / "notes.wrapper_spec").touch()
    assert compiled not in build()  # it generates the same
    replace_in(root / "native" / "notes.c", "(double)count", "1")
    build()
    assert imported() == "3.0 False"
    replace_in(
        root / "notes.wrapper_spec", "functions:\n", 'functions:\n  - {def: "half(of: f64) -> f64", cpp: of / 2}\n'
    )
    assert compiled in build()
    assert imported() == "3.0 True"
    replace_in(root / "native" / "notes.h", "NOTES_EMPTY = 1", "NOTES_EMPTY = 2")
    assert compiled in build()
    assert imported() == "3.0 True"
    assert idle in build()


def test_cmake_compiles_what_has_changed(tmp_path: Path) -> None:
    pytest.importorskip("cmake")
    pytest.importorskip("ninja")
    root, objects = source_tree(tmp_path), tmp_path / "objects"
    (root / "CMakeLists.txt").write_text(shown("cmake"), encoding="utf-8")
    found = (f"-DCMAKE_MODULE_PATH={cmake.FOLDER}", f"-DPython_EXECUTABLE={sys.executable}")
    run(BIN / "cmake", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", *found, "-S", root, "-B", objects, cwd=tmp_path)

    def build() -> str:
        return run(BIN / "cmake", "--build", objects, cwd=tmp_path)

    follows_changes(root, build, objects / "wrapper_gen", "no work to do", "cpython.cpp.o")
    run(BIN / "cmake", "--install", objects, "--prefix", tmp_path / "installed", cwd=tmp_path)
    names = {path.name for path in (tmp_path / "installed" / "notes_ffi").rglob("*") if path.is_file()}
    assert {"__init__.py", "py.typed", "cffi.py"} < names
    assert not names & {"ffi_build.py", "build.py", "cpython.cpp", "notes.c"}


def test_scikit_build_core_finds_the_generator(tmp_path: Path) -> None:
    """By its entry point, where the build requires it: nothing generated is in the project."""
    pytest.importorskip("scikit_build_core")
    root = source_tree(tmp_path)
    (root / "CMakeLists.txt").write_text(shown("cmake"), encoding="utf-8")
    (root / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path / "dist", root, cwd=tmp_path)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert not (root / "src").exists()
    python = environment(tmp_path)
    pip(python, "--no-deps", "--no-index", wheel, cwd=tmp_path)
    passes_its_tests(python, root)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("wrapper_gen_add_module(notes notes.wrapper_spec STABLE)", "unknown argument STABLE"),
        ("wrapper_gen_add_module(notes none.wrapper_spec)", "WG001"),
        (
            "wrapper_gen_add_module(notes notes.wrapper_spec PACKAGE other)",
            "makes the package notes_ffi, and PACKAGE is",
        ),
        (
            "unset(WRAPPER_GEN_COMMAND)\nwrapper_gen_add_module(notes notes.wrapper_spec)",
            "call find_package(wrapper_gen",
        ),
    ],
)
def test_cmake_says_what_is_wrong(tmp_path: Path, call: str, message: str) -> None:
    pytest.importorskip("cmake")
    root = source_tree(tmp_path)
    head = shown("cmake").partition("wrapper_gen_add")[0]
    (root / "CMakeLists.txt").write_text(head + call, encoding="utf-8")
    found = (f"-DCMAKE_MODULE_PATH={cmake.FOLDER}", f"-DPython_EXECUTABLE={sys.executable}")
    said = run(BIN / "cmake", "-G", "Ninja", *found, "-S", root, "-B", tmp_path / "objects", cwd=tmp_path, code=1)
    assert message in " ".join(said.split())


def test_cmake_leaves_no_sources_in_c_out(tmp_path: Path) -> None:
    pytest.importorskip("cmake")
    root = source_tree(tmp_path)
    text = shown("cmake").replace("LANGUAGES C CXX", "LANGUAGES CXX")
    (root / "CMakeLists.txt").write_text(text, encoding="utf-8")
    found = (f"-DCMAKE_MODULE_PATH={cmake.FOLDER}", f"-DPython_EXECUTABLE={sys.executable}")
    said = run(BIN / "cmake", "-G", "Ninja", *found, "-S", root, "-B", tmp_path / "objects", cwd=tmp_path, code=1)
    assert "has sources in C; write project(... LANGUAGES C CXX)" in " ".join(said.split())


def test_meson_compiles_what_has_changed(tmp_path: Path) -> None:
    pytest.importorskip("mesonbuild")
    pytest.importorskip("ninja")
    root, objects = source_tree(tmp_path), tmp_path / "objects"
    (root / "meson.build").write_text(shown("meson"), encoding="utf-8")
    native = tmp_path / "native.ini"
    native.write_text(f"[binaries]\npython = '{sys.executable}'\n", encoding="utf-8")
    installed = ("--prefix", tmp_path / "installed", "-Dpython.install_env=prefix", "-Dbuildtype=debug")
    run(BIN / "meson", "setup", "--native-file", native, *installed, objects, root, cwd=tmp_path)

    def build() -> str:
        said = run(BIN / "meson", "compile", "-C", objects, cwd=tmp_path)
        run(BIN / "meson", "install", "-C", objects, cwd=tmp_path)
        return said

    where = tmp_path / "installed" / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    follows_changes(root, build, where, "no work to do", "cpython.cpp.o")


def test_meson_generates_in_a_target(tmp_path: Path) -> None:
    """Whose outputs are the names of `outputs --flat`: again when the spec changes, and only then."""
    pytest.importorskip("mesonbuild")
    pytest.importorskip("ninja")
    root, objects = source_tree(tmp_path), tmp_path / "objects"
    (root / "notes_ffi").mkdir()
    head = "project('notes', meson_version: '>=1.3')\npy = import('python').find_installation()\nsubdir('notes_ffi')\n"
    (root / "meson.build").write_text(head, encoding="utf-8")
    (root / "notes_ffi" / "meson.build").write_text(shown("meson", 1), encoding="utf-8")
    native = tmp_path / "native.ini"
    native.write_text(f"[binaries]\npython = '{sys.executable}'\n", encoding="utf-8")
    run(BIN / "meson", "setup", "--native-file", native, objects, root, cwd=tmp_path)

    def build() -> str:
        return run(BIN / "meson", "compile", "-C", objects, cwd=tmp_path)

    build()
    made = objects / "notes_ffi" / "cpython.cpp"
    assert "mean" in made.read_text(encoding="utf-8")
    assert "no work to do" in build()
    replace_in(
        root / "notes.wrapper_spec", "functions:\n", 'functions:\n  - {def: "half(of: f64) -> f64", cpp: of / 2}\n'
    )
    build()
    assert "half" in made.read_text(encoding="utf-8")


def test_two_specs_are_built_at_the_same_time(tmp_path: Path) -> None:
    """In one folder, by two processes, each with compilers of its own."""
    code = "wrapper_lib: {{name: {0}}}\nfunctions: [{{def: 'twice(x: f64) -> f64', cpp: x * 2}}]\n"
    running = []
    for name in ("first", "second"):
        (tmp_path / f"{name}.wrapper_spec").write_text(code.format(name), encoding="utf-8")
        command = [sys.executable, "-m", "wrapper_gen", "build", "-j", "1", f"{name}.wrapper_spec"]
        running.append(
            subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        )
    said = [each.communicate()[0] for each in running]
    assert [each.returncode for each in running] == [0, 0], said
    program = "import first_ffi, second_ffi; print(first_ffi.twice(1), second_ffi.twice(2))"
    assert run(sys.executable, "-c", program, cwd=tmp_path, PYTHONPATH=str(tmp_path / "generated")) == "2.0 4.0\n"


def test_setuptools_compiles_what_has_changed(tmp_path: Path) -> None:
    pytest.importorskip("setuptools")
    root = source_tree(tmp_path)
    (root / "setup.py").write_text(shown("python"), encoding="utf-8")

    def build() -> str:
        return run(sys.executable, "setup.py", "-v", "build_ext", "--inplace", cwd=root)

    follows_changes(root, build, root / "src", "notes_ffi: up to date", "compiling cpython.cpp")
    replace_in(root / "native" / "notes.c", "/ 1;", "/ (double)count;")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path / "dist", root, cwd=tmp_path)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert "-cp311-abi3-" in wheel.name
    python = environment(tmp_path)
    pip(python, "--no-deps", "--no-index", wheel, cwd=tmp_path)
    passes_its_tests(python, root)


def test_make_compiles_what_has_changed(tmp_path: Path) -> None:
    root = source_tree(tmp_path)
    (root / "Makefile").write_text(shown("make"), encoding="utf-8")

    def build() -> str:
        return run("make", f"PYTHON={sys.executable}", cwd=root)

    follows_changes(root, build, root / "src", "Nothing to be done", "compiling cpython.cpp")


def test_another_generator_makes_the_package_anew(tmp_path: Path) -> None:
    """What depends on its files: another template is compiled, another version is only named."""
    generator = tmp_path / "generator"
    for name in ("wrapper_gen", "templates", "runtime"):
        shutil.copytree(ROOT / name, generator / name, ignore=shutil.ignore_patterns("__pycache__"))
    root = source_tree(tmp_path)
    (root / "Makefile").write_text(shown("make"), encoding="utf-8")

    def build() -> str:
        return run("make", f"PYTHON={sys.executable}", cwd=root, PYTHONPATH=str(generator))

    assert "compiling cpython.cpp" in build()
    assert "Nothing to be done" in build()
    version = generator / "wrapper_gen" / "version.py"
    version.write_text(re.sub(r'"\d[^"]*"', '"9.8.7"', version.read_text(encoding="utf-8"), count=1), encoding="utf-8")
    assert "compiling" not in build()
    assert '"wrapper-gen 9.8.7"' in (root / "src" / "notes_ffi" / "__init__.py").read_text(encoding="utf-8")
    template = generator / "templates" / "cpython" / "cpython.cpp.jinja"
    template.write_text(template.read_text(encoding="utf-8") + "\nstatic_assert(1 + 1 == 2);\n", encoding="utf-8")
    assert "compiling cpython.cpp" in build()
    assert "Nothing to be done" in build()


HEADER = "static inline double tally_mean(double a, double b) { return (a + b) / 2; }\n"


@pytest.mark.parametrize(
    ("system", "start"),
    [
        ("cmake", "c++"),
        ("setuptools", "header"),
        *(pytest.param(system, "c++", marks=pytest.mark.long) for system in ("meson", "setuptools", "make")),
        *(pytest.param(system, "header", marks=pytest.mark.long) for system in ("cmake", "meson", "make")),
    ],
)
def test_each_start_is_built_by_each_system(tmp_path: Path, system: str, start: str) -> None:
    """The library in C++, and the draft of a header that lies in the project."""
    if start == "header":
        (tmp_path / "notes" / "native").mkdir(parents=True)
        (tmp_path / "notes" / "native" / "tally.h").write_text(HEADER, encoding="utf-8")
        root, ends, program = (
            source_tree(tmp_path, "--header", "notes/native/tally.h"),
            ("tally.h",),
            "notes_ffi.tally_mean(1, 2)",
        )
    else:
        root, ends, program = (
            source_tree(tmp_path, "--lang", "c++"),
            ("notes.cpp", "notes.hpp"),
            "notes_ffi.mean([1, 2])",
        )
    where = BUILDS[system](root, tmp_path / "objects", ends)
    said = run(sys.executable, "-c", f"import notes_ffi; print({program})", cwd=tmp_path, PYTHONPATH=str(where))
    assert said == "1.5\n"


def by_cmake(root: Path, objects: Path, _: tuple[str, ...]) -> Path:
    pytest.importorskip("cmake")
    (root / "CMakeLists.txt").write_text(shown("cmake"), encoding="utf-8")
    found = (f"-DCMAKE_MODULE_PATH={cmake.FOLDER}", f"-DPython_EXECUTABLE={sys.executable}")
    run(BIN / "cmake", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", *found, "-S", root, "-B", objects, cwd=root)
    run(BIN / "cmake", "--build", objects, cwd=root)
    return objects / "wrapper_gen"


def by_meson(root: Path, objects: Path, sources: tuple[str, ...]) -> Path:
    pytest.importorskip("mesonbuild")
    inputs = ", ".join(f"'native/{name}'" for name in sources)
    text = shown("meson").replace("'native/notes.c', 'native/notes.h'", inputs)
    (root / "meson.build").write_text(text, encoding="utf-8")
    native = root.parent / "native.ini"
    native.write_text(f"[binaries]\npython = '{sys.executable}'\n", encoding="utf-8")
    installed = ("--prefix", objects / "installed", "-Dpython.install_env=prefix", "-Dbuildtype=debug")
    run(BIN / "meson", "setup", "--native-file", native, *installed, objects, root, cwd=root)
    run(BIN / "meson", "install", "-C", objects, cwd=root)
    return objects / "installed" / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"


def by_setuptools(root: Path, _: Path, __: tuple[str, ...]) -> Path:
    pytest.importorskip("setuptools")
    (root / "setup.py").write_text(shown("python"), encoding="utf-8")
    run(sys.executable, "setup.py", "build_ext", "--inplace", cwd=root)
    return root / "src"


def by_make(root: Path, _: Path, __: tuple[str, ...]) -> Path:
    (root / "Makefile").write_text(shown("make"), encoding="utf-8")
    run("make", f"PYTHON={sys.executable}", cwd=root)
    return root / "src"


BUILDS = {"cmake": by_cmake, "meson": by_meson, "setuptools": by_setuptools, "make": by_make}
