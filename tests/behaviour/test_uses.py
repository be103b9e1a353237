"""Packages that take and give the handles, enums and structs of another one: the same objects, in the same cells."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES, HERE, with_abi3
from tests.compilers import compiling, environment, quick, quick_linking
from tests.limits import HANGS
from wrapper_gen import runtime_files

SOURCES = HERE / "uses"
START = """
import gc, sys
import scene_ffi as scene, paint_ffi as paint
from scene_ffi import *

def refused(kind, message, call, *arguments):
    try:
        call(*arguments)
    except kind as error:
        assert str(error) == message, error
    else:
        raise AssertionError(f"not refused: {message}")

def alive():
    gc.collect()
    return scene.alive()

assert (scene.ENGINE, paint.ENGINE) == (ENGINE, ENGINE)
"""
PROGRAMS = {
    "handles": """
shape = Shape(3.0)
assert paint.side(shape) == paint.side_by_lambda(shape) == 3.0
assert paint.side_or(None, 7.0) == 7.0 and paint.side_or(shape, 7.0) == 3.0
twice = paint.doubled(shape)
assert type(twice) is Shape and twice.side == 6.0
assert paint.half(shape).side == 1.5 and paint.half(Shape(0.5)) is None
class Square(Shape): pass
assert paint.side(Square(5.0)) == 5.0
assert alive()[0] == 2
del shape, twice
""",
    "handles in containers": """
shape = Shape(3.0)
assert paint.sides([shape, Shape(1)]) == [3.0, 1.0]
assert [each.side for each in paint.shapes([1.0, 2.0])] == [1.0, 2.0]
named = paint.named({"a": shape})
assert list(named) == ["a!"] and type(named["a!"]) is Shape and named["a!"].side == 3.0
del shape, named
""",
    "callables": """
shape = Shape(3.0)
seen = []
def twice(each):
    seen.append(each)
    return each.side * 2
assert paint.each_side([shape, shape], twice) == 12.0
assert {type(each) for each in seen} == {Shape} and all(each.closed for each in seen)
assert paint.chosen(Leaf) == "leaf" and paint.chosen(Node) == "node"
del shape, seen[:]
""",
    "refusals": """
refused(TypeError, "shape: a Shape is wanted, not int", paint.side, 3)
refused(TypeError, "shape: a Shape is wanted, not Document", paint.side, Document(1))
refused(TypeError, "shapes[1]: a Shape is wanted, not int", paint.sides, [Shape(1), 3])
refused(TypeError, "shapes['x']: a Shape is wanted, not Document", paint.named, {"x": Document(1)})
shape = Shape(1)
shape.close()
refused(ClosedHandleError, "shape: this Shape is closed", paint.side, shape)
refused(ClosedHandleError, "shape: this Shape is closed", paint.side_or, shape, 1.0)
refused(ClosedHandleError, "shapes[1]: this Shape is closed", paint.sides, [Shape(1), shape])
refused(ClosedHandleError, "shapes['x']: this Shape is closed", paint.named, {"x": shape})
refused(ValueError, "9 is not a valid Color", paint.mixed, 9)
refused(TypeError, "point: a Point is wanted, not tuple", paint.moved, (1, 2))
refused(TypeError, "leaf: a Leaf is wanted, not Node", paint.bare, Node())
""",
    "enums and structs": """
assert paint.mixed(Color.GREEN) is Color.BLUE and paint.mixed(Color.GREEN, Color.GREEN) is Color.GREEN
point = paint.moved(Point(1.0, 2.0))
assert type(point) is Point and point == Point(2.0, 3.0)
boxes = paint.boxes([point], Color.RED)
assert boxes == [Box(point, Color.RED)] and type(boxes[0]) is Box and type(boxes[0].corner) is Point
assert paint.first(boxes) == boxes[0] and paint.first([]) is None
assert not hasattr(paint, "Point") and "Color" not in paint.__all__
""",
    "owners of another package": """
document = Document(3)
view, cursor, page = paint.View(document), paint.cursor(document, 1), paint.page(document, 2)
other = cursor.page()
assert type(page) is type(other) is Page
assert cursor.document is page.document is other.document is document
assert (cursor.number, page.number, other.number) == (1, 2, 1)
assert paint.following(other).number == 2
try:
    paint.following(page)
except IndexError:
    pass
else:
    raise AssertionError("there are three pages")
del document
assert alive()[1] == 1 and page.number == 2 and view.count == 3
del cursor, page, other
assert alive()[1] == 1 and view.count == 3
del view
""",
    "calls of one package end what the other lends": """
document = Document(3)
cursor, page, own = paint.cursor(document, 1), paint.page(document, 2), document.page(0)
paint.empty(document)
assert cursor.closed and page.closed and own.closed and not document.closed
refused(ClosedHandleError, "Cursor: this handle is closed", lambda: cursor.number)
refused(ClosedHandleError, "Page: this handle is closed", lambda: page.number)
document = Document(3)
cursor, page = paint.cursor(document, 1), paint.page(document, 2)
document.clear()
assert cursor.closed and page.closed
del document, cursor, page, own
""",
    "an owner whose own package lends nothing": """
library = Library("books")
reader = paint.reader(library)
assert reader.name == "books" and reader.owner is library
again = reader.owner
del library
assert alive() and reader.name == "books"
paint.burn(again)
assert reader.closed
refused(ClosedHandleError, "Reader: this handle is closed", lambda: reader.name)
""",
    "families": """
assert paint.kind(Node()) == "node" and paint.kind(Leaf()) == paint.bare(Leaf()) == "leaf"
assert type(paint.node(True)) is Leaf and type(paint.node(False)) is Node
""",
    "taken": """
file = File()
paint.shut(file)
assert file.closed and alive()[3] == 0
refused(ClosedHandleError, "file: this File is closed", paint.shut, file)
file = File()
refused(paint.PaintError, "no", paint.refuse, file)
assert not file.closed and alive()[3] == 1
file.close()
""",
    "one object for each pointer": """
window = scene.window(1)
assert paint.window(1) is window and paint.window(0).number == 0
""",
    "errors": """
assert paint.ClosedHandleError is scene.ClosedHandleError
assert issubclass(paint.PaintError, scene.SceneError.__base__)
""",
}
END = """
assert alive() == (0, 0, 0, 0), alive()
"""


def python(folder: Path, program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "generated"), **variables},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )


@contextmanager
def building(flags: str) -> Iterator[None]:
    """The compiler and the linker that flags of this run are for."""
    asked = packages.all_flags()
    compiler = packages.compiler_for(asked)
    with (
        compiling(flags, asked or quick_linking("g++")),
        environment(**({"CXX": compiler} if compiler else {})),
    ):
        yield


def wrapper_gen(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it, with compilers that are quick, or have the flags of all tests."""
    flags = packages.all_flags()
    is_usual = not {"--stub", "--abi3"}.intersection(arguments)  # what is compiled before is so for others
    with building(flags or (quick() if is_usual else "-O0")):
        return subprocess.run(
            [sys.executable, "-m", "wrapper_gen", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=False,
        )


def build(folder: Path, *arguments: str) -> None:
    done = wrapper_gen(folder, "build", "--engine", packages.BUILT, *arguments)
    assert done.returncode == 0, done.stderr


def library(folder: Path) -> None:
    """The library that all packages link with, and the project's settings."""
    (folder / "pyproject.toml").write_text('[tool.wrapper-gen]\nruntime = "shared"\n', encoding="utf-8")
    for source in SOURCES.iterdir():
        shutil.copy(source, folder)
    command = [os.environ.get("CXX", "g++"), "-shared", "-fPIC", "-O0", "scene.cpp", "-o", "libscene.so"]
    subprocess.run(command, cwd=folder, check=True, timeout=HANGS)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both packages, built."""
    folder = tmp_path_factory.mktemp("uses")
    library(folder)
    build(folder, "scene.wrapper_spec", "paint.wrapper_spec")
    return folder


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_objects_of_another_package(project: Path, program: str, engine: str) -> None:
    text = f"ENGINE = {engine!r}\n{START}{PROGRAMS[program]}{END}"
    done = python(project, text, WRAPPER_GEN_ENGINE=engine)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# --- packages that do not go together ---------------------------------------------------------------------------------


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


@pytest.mark.parametrize("engine", ENGINES)
def test_a_package_that_carries_its_runtime(copy: Path, engine: str) -> None:
    shutil.rmtree(copy / "generated" / "scene_ffi")
    build(copy, "--runtime", "vendored", "scene.wrapper_spec")
    assert wrapper_gen(copy, "generate", "probe.wrapper_spec").returncode == 0  # with the runtime of both
    said = refused(copy, WRAPPER_GEN_ENGINE=engine)
    hint = "generate both with the same --runtime, shared or package"
    assert said == f"probe_ffi uses scene_ffi, which has another runtime: {hint}"


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


def test_an_extension_that_was_built_for_another_spec_of_what_it_uses(copy: Path) -> None:
    edit(copy / "scene.wrapper_spec", "GREEN: ", "LIME: ")
    build(copy, "scene.wrapper_spec")
    assert wrapper_gen(copy, "generate", "probe.wrapper_spec").returncode == 0
    said = refused(copy)
    assert said.startswith("the extension of probe_ffi was built from another spec: wg_probe_use_scene; run: ")


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
