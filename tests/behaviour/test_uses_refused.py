"""Packages of which one uses another, and that do not go together: what an import says of them, and what a command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES, with_abi3
from tests.behaviour.using import build, building, library, python, wrapper_gen
from tests.compilers import quick
from tests.limits import HANGS
from wrapper_gen import runtime_files


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package that is used, and one that uses little of it."""
    folder = tmp_path_factory.mktemp("small")
    library(folder)
    build(folder, "scene.wrapper_spec", "probe.wrapper_spec")
    return folder


@pytest.fixture
def copy(small: Path, tmp_path: Path) -> Path:
    """A copy of both for a test to spoil; the library stays where it was linked."""
    folder = tmp_path / "copy"
    shutil.copytree(small, folder)
    return folder


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")


def refused(folder: Path, program: str = "import probe_ffi", **variables: str) -> str:
    """What an import is refused with: an ImportError, and nothing else."""
    done = python(folder, program, **variables)
    last = done.stderr.rstrip().rpartition("\n")[2]
    assert done.returncode == 1 and last.startswith("ImportError: "), done.stderr
    return last.removeprefix("ImportError: ")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_package_that_is_missing(copy: Path, engine: str) -> None:
    shutil.rmtree(copy / "generated" / "scene_ffi")
    said = refused(copy, WRAPPER_GEN_ENGINE=engine)
    assert said == "probe_ffi uses scene_ffi, which is not there: install it, or put it beside probe_ffi"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_package_of_another_version_of_the_runtime(copy: Path, engine: str) -> None:
    edit(copy / "generated" / "scene_ffi" / "__init__.py", f"abi={runtime_files.abi()}", "abi=1")
    said = refused(copy, WRAPPER_GEN_ENGINE=engine)
    assert said.startswith(
        "probe_ffi uses scene_ffi, which cannot be imported: scene_ffi was generated for version 1 of "
    )


@pytest.mark.quick(1, slow=0)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_package_that_carries_its_runtime(copy: Path, engine: str) -> None:
    shutil.rmtree(copy / "generated" / "scene_ffi")
    build(copy, "--runtime", "vendored", "scene.wrapper_spec")
    assert wrapper_gen(copy, "generate", "probe.wrapper_spec").returncode == 0  # with the runtime of both
    said = refused(copy, WRAPPER_GEN_ENGINE=engine)
    hint = "generate both with the same --runtime, shared or package"
    assert said == f"probe_ffi uses scene_ffi, which has another runtime: {hint}"


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("before", "after", "differs"),
    [
        ("GREEN: ", "LIME: ", "wg_scene_Color"),
        ("cpp_type: scene::Shape", 'cpp_type: "::scene::Shape"', "Shape"),
        ("- name: Shape", "- name: Shape\n    thread: any", "Shape"),
    ],
)
def test_a_package_of_another_spec_than_its_user_knows(copy: Path, before: str, after: str, differs: str) -> None:
    edit(copy / "scene.wrapper_spec", before, after)
    build(copy, "probe.wrapper_spec")
    for engine in ENGINES:
        said = refused(copy, WRAPPER_GEN_ENGINE=engine)
        assert said.startswith("probe_ffi was generated for another version of scene_ffi, which differs in: ")
        assert f": {differs}; run: " in said and said.endswith("ffi_build.py")


@pytest.mark.slow
def test_an_extension_that_was_built_for_another_spec_of_what_it_uses(copy: Path) -> None:
    edit(copy / "scene.wrapper_spec", "GREEN: ", "LIME: ")
    build(copy, "scene.wrapper_spec")
    assert wrapper_gen(copy, "generate", "probe.wrapper_spec").returncode == 0
    said = refused(copy)
    assert said.startswith("the extension of probe_ffi was built from another spec: wg_probe_use_scene; run: ")


@pytest.mark.slow
@pytest.mark.skipif(len(ENGINES) == 1, reason="this Python has one engine")
def test_packages_that_have_different_engines(copy: Path) -> None:
    for extension in (copy / "generated" / "scene_ffi").glob("*.so"):
        extension.unlink()
    done = wrapper_gen(copy, "build", "--engine", "cffi", "scene.wrapper_spec")
    assert done.returncode == 0, done.stderr
    done = python(copy, "import probe_ffi; print(probe_ffi.ENGINE)")
    assert (done.stdout, done.stderr) == ("cffi\n", "")  # that of what it uses
    for extension in (copy / "generated" / "probe_ffi").glob("*.so"):
        extension.unlink()
    done = wrapper_gen(copy, "build", "--engine", "cpython", "probe.wrapper_spec")
    assert done.returncode == 0, done.stderr
    assert "it was built without its cffi engine; run: " in refused(copy)


@pytest.mark.slow
def test_a_package_without_its_library(copy: Path) -> None:
    """As one that is used it is of no use; as the user, its calls say that it is a stub."""
    edit(copy / "scene.wrapper_spec", "link: [scene]", "link: [scene]\n  optional: true")
    done = wrapper_gen(copy, "build", "--stub", "--engine", packages.BUILT, "scene.wrapper_spec")
    assert done.returncode == 0, done.stderr
    said = refused(copy)
    assert said.startswith("probe_ffi uses scene_ffi, which was built without its library; run: ")
    done = wrapper_gen(copy, "build", "--stub", "--engine", packages.BUILT, "probe.wrapper_spec")
    assert done.returncode == 0, done.stderr
    program = """
import probe_ffi
try:
    probe_ffi.blue()
except probe_ffi.LibraryUnavailable as error:
    print(probe_ffi.STUB)
"""
    done = python(copy, program)
    assert (done.stdout, done.stderr) == ("True\n", "")


@pytest.mark.skipif(len(ENGINES) == 1, reason="this Python has one engine")
def test_a_stub_goes_with_what_it_uses(copy: Path) -> None:
    done = wrapper_gen(copy, "build", "--stub", "probe.wrapper_spec")
    assert done.returncode == 0, done.stderr
    program = "import probe_ffi, scene_ffi; print(probe_ffi.STUB, scene_ffi.STUB, probe_ffi.ENGINE)"
    done = python(copy, program, WRAPPER_GEN_ENGINE="cffi")
    assert (done.stdout, done.stderr) == ("True False cffi\n", "")
    program = """
import probe_ffi, scene_ffi
assert (probe_ffi.ENGINE, scene_ffi.ENGINE) == ("cffi", "cpython")
shape, point = scene_ffi.Shape(1.0), scene_ffi.Point(1.0, 2.0)
for call in (lambda: probe_ffi.side(shape), lambda: probe_ffi.moved(point), lambda: probe_ffi.sides([shape])):
    try:
        call()
    except probe_ffi.LibraryUnavailable:
        print("unavailable")
"""
    done = python(copy, program)  # its calls need no objects of the same engine
    assert (done.stdout, done.stderr) == ("unavailable\n" * 3, "")


def test_check_knows_what_a_spec_uses(copy: Path) -> None:
    specs = ("scene.wrapper_spec", "probe.wrapper_spec")
    assert wrapper_gen(copy, "check", *specs).returncode == 0
    edit(copy / "scene.wrapper_spec", "GREEN: ", "LIME: ")
    done = wrapper_gen(copy, "check", *specs)
    assert done.returncode == 1
    assert "changed  generated/probe_ffi/bridge.cpp" in done.stdout


def test_type_checkers_read_both(copy: Path) -> None:
    program = copy / "program.py"
    text = "import probe_ffi\nimport scene_ffi\n\nside: float = probe_ffi.side(scene_ffi.Shape(1.0))\n"
    program.write_text(f"{text}color: scene_ffi.Color = probe_ffi.blue()\nprobe_ffi.side(3)\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(copy / "cache"), str(program)]
    done = subprocess.run(
        [*command, *map(str, sorted((copy / "generated").glob("*_ffi")))],
        env={**os.environ, "MYPYPATH": str(copy / "generated"), "LD_PRELOAD": ""},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    wanted = 'program.py:6: error: Argument 1 to "side" has incompatible type "int"; expected "Shape"  [arg-type]'
    assert done.stdout.splitlines()[:-1] == [f"{copy}/{wanted}"], done.stdout


@with_abi3
@pytest.mark.slow
def test_one_extension_for_all_versions(copy: Path) -> None:
    build(copy, "--abi3", "scene.wrapper_spec", "probe.wrapper_spec")
    for engine in ENGINES:
        program = "import probe_ffi, scene_ffi; print(probe_ffi.side(scene_ffi.Shape(2.0)), probe_ffi.blue().name)"
        done = python(copy, program, WRAPPER_GEN_ENGINE=engine)
        assert (done.stdout, done.stderr) == ("2.0 BLUE\n", "")


def test_a_spec_is_loaded_with_those_that_it_uses(small: Path) -> None:
    program = """
import wrapper_gen
probe = wrapper_gen.load("probe.wrapper_spec")
scene = wrapper_gen.load("scene.wrapper_spec")
assert probe.side(scene.Shape(2.0)) == 2.0 and probe.blue() is scene.Color.BLUE
assert wrapper_gen.load("probe.wrapper_spec") is probe
"""
    with building(packages.all_flags() or quick()):
        done = python(small, program, PYTHONPATH=str(packages.ROOT), WRAPPER_GEN_CACHE=str(small / "cache"))
    assert (done.returncode, done.stderr) == (0, "")
