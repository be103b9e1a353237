"""Stub mode: without its library a package builds and imports, and says what is missing when it is used."""

from __future__ import annotations

import inspect
import math
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES, SHAPES, Package
from tests.compilers import quick
from tests.limits import HANGS

MESSAGE = "shapes_ffi was built without its library (stub mode): --stub left it out; install the library, then run: "


@pytest.fixture(scope="module")
def package() -> Package:
    return packages.build(SHAPES, stub=True)


@pytest.fixture(scope="module")
def stub(package: Package) -> Any:
    return package.load()


def test_it_says_that_it_is_one(stub: Any) -> None:
    assert stub.STUB is True
    assert stub.ENGINE == "cffi"


def test_it_has_all_names(stub: Any, shapes: Any) -> None:
    assert sorted(stub.__all__) == sorted(shapes.__all__)
    for name in stub.__all__:
        assert hasattr(stub, name)
        if name.islower():
            assert inspect.getdoc(getattr(stub, name)) == inspect.getdoc(getattr(shapes, name))


def test_stub_values(stub: Any) -> None:
    assert stub.stub_i64() == -7
    assert (stub.stub_f64(), type(stub.stub_f64())) == (2.0, float)
    assert math.isnan(stub.stub_nan())
    assert stub.stub_bool() is False
    assert stub.stub_text() == 'it\'s "nothing"\n'
    assert stub.stub_bytes() == "ü".encode()
    assert stub.stub_list() == [1, 2]
    assert stub.stub_empty() == []
    assert stub.stub_none() is None
    assert stub.stub_enum() is stub.Colour.BLUE
    assert stub.stub_void() is None
    assert stub.result(1, 2) == 1


def test_lists_are_new_each_time(stub: Any) -> None:
    stub.stub_list().append(3)
    assert stub.stub_list() == [1, 2]


def test_stub_values_are_for_stub_mode_only(shapes: Any) -> None:
    assert shapes.stub_i64() == 1
    assert shapes.stub_text() == ""
    assert shapes.stub_list() == [1]
    assert shapes.stub_enum() is shapes.Colour.RED
    assert shapes.stub_none() == 1


def test_everything_else_says_what_is_missing(stub: Any, package: Package) -> None:
    assert issubclass(stub.LibraryUnavailable, RuntimeError)
    calls = [
        lambda: stub.nothing(),
        lambda: stub.echo_i64(1),
        lambda: stub.echo_f32(1),
        lambda: stub.echo_bool(True),
        lambda: stub.echo_text("x"),
        lambda: stub.echo_list_text(["x"]),
        lambda: stub.maybe_i8(),
        lambda: stub.maybe_node(),
        lambda: stub.echo_colour(),
        lambda: stub.fill_u8(bytearray(2), 1),
        lambda: stub.point(1, 2),
        lambda: stub.Point.point(),
        lambda: stub.points(3),
        lambda: stub.set_status(0),
        lambda: stub.later(),
    ]
    for call in calls:
        with pytest.raises(stub.LibraryUnavailable) as caught:
            call()
        command = shlex.join([sys.executable, str(package.folder / "ffi_build.py")])
        assert str(caught.value) == MESSAGE + command, "which is right wherever it is run"


def test_arguments_are_checked_all_the_same(stub: Any) -> None:
    with pytest.raises(TypeError):
        stub.echo_i64("x")
    with pytest.raises(OverflowError):
        stub.echo_i8(300)
    with pytest.raises(TypeError):
        stub.nothing(1)


def test_enums_are_there(stub: Any) -> None:
    assert [c.name for c in stub.Colour] == ["RED", "GREEN", "BLUE"]
    assert len({c.value for c in stub.Colour}) == 3
    assert stub.Access.READ | stub.Access.WRITE != stub.Access.READ


def test_handles_cannot_be_made(stub: Any) -> None:
    for name in ("Point", "Canvas", "Gate"):
        with pytest.raises(TypeError, match="cannot be made directly"):
            getattr(stub, name)()


def test_it_imports_where_nothing_is(package: Package) -> None:
    done = package.python("import shapes_ffi; print(shapes_ffi.STUB, shapes_ffi.stub_i64())", engine="")
    assert done.stdout == "True -7\n"
    assert done.stderr == ""


ABSENT = """\
wrapper_lib: {name: absent, cpp_include: absent_library.h, optional: true}
functions:
  - {def: "depth() -> i64", cpp_fn: absent_depth, stub: -1}
  - {def: "dive()", cpp_fn: absent_dive}
"""


def built(folder: Path, text: str, engine: str) -> subprocess.CompletedProcess[str]:
    """What the command does with a spec whose library is not here."""
    (folder / "absent.wrapper_spec").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "wrapper_gen", "build", "--engine", engine, "absent.wrapper_spec"]
    if packages.watched():
        pytest.skip("a user's build has no sanitizer")
    variables = {**os.environ, "CXXFLAGS": quick()}
    return subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=HANGS
    )


@pytest.mark.skipif("cffi" not in ENGINES, reason="a stub has the cffi engine, and this Python has no cffi")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_library_that_may_be_missing_is_a_stub_which_says_so(engine: str, tmp_path: Path) -> None:
    done = built(tmp_path, ABSENT, engine)
    why = "header absent_library.h was not found"
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith(f"absent_ffi: STUB, WITHOUT ITS LIBRARY: {why} (")
    assert f"\nabsent_ffi: THIS IS A STUB, without the library: {why}; most calls will raise" in done.stderr
    program = """
import absent_ffi
assert absent_ffi.STUB
assert absent_ffi.depth() == -1
try:
    absent_ffi.dive()
except absent_ffi.LibraryUnavailable as error:
    print(error)
"""
    said = Package(tmp_path / "generated" / "absent_ffi").python(program, engine=engine).stdout
    assert said.startswith(f"absent_ffi was built without its library (stub mode): {why}; install the library")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_library_that_may_not_be_missing_is_an_error(engine: str, tmp_path: Path) -> None:
    done = built(tmp_path, ABSENT.replace(", optional: true", ""), engine)
    assert done.returncode == 4
    assert "error: header absent_library.h was not found (looked in the compiler's own folders) [WG062]" in done.stderr
    assert not list(tmp_path.glob("**/*.so"))


@pytest.mark.skipif(sys.platform != "linux", reason="the words are those of its linkers")
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"no library", "libheavy.so is no library that the linker knows"),
        (b"\x7fELF\x01\x01\x01" + bytes(9) + b"\x03\x00\x03\x00", "libheavy.so is "),  # of 32 bits
    ],
)
def test_a_library_that_the_linker_does_not_take_is_named(content: bytes, why: str, tmp_path: Path) -> None:
    (tmp_path / "libheavy.so").write_bytes(content)
    spec = 'wrapper_lib: {name: absent, link: [heavy], requires: [{dirs: [.]}]}\nfunctions: [{def: "f() -> i32"}]\n'
    done = built(tmp_path, spec, "cpython")
    assert done.returncode == 4
    found = re.search(r"error: library heavy was not found: (.*) \(looked in", done.stderr)
    assert found is not None, done.stderr
    assert why in found[1]
