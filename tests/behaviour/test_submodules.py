"""`module:` - what entries of submodules are in Python, over both engines."""

from __future__ import annotations

import re
import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import HERE

CASE = HERE.parent / "cases" / "submodules" / "spec.wrapper_spec"


@pytest.fixture
def archive(engine: str) -> ModuleType:
    return packages.build(CASE).load(engine)


def module_of(value: Any, package: ModuleType) -> str:
    """The module that something says that it is of, below the package, which the tests load under another name."""
    return str(value.__module__).replace(package.__name__, "archive_ffi")


def test_what_each_module_has(archive: ModuleType) -> None:
    assert {"open", "options", "Archive", "Entry", "Kind", "ArchiveFault"} <= set(archive.__all__)
    public = {*archive.io.__all__}
    assert public == {
        *("open", "copy", "size", "level", "level_async"),
        *("Mode", "Options", "Reader", "ReadError", "LateError", "ReadValueError", "IoSizeResult"),
    }
    assert {*archive.json.__all__} == {"open", "dump"}
    assert not public & {*archive.__all__} - {"open"}
    assert archive.io.__doc__ == "The module io of archive_ffi."
    with pytest.raises(AttributeError, match="has no attribute 'Mode'"):
        _ = archive.Mode


@pytest.mark.parametrize(
    "name", ["open", "copy", "size", "level", "level_async", "Mode", "Options", "Reader", "LateError"]
)
def test_each_knows_its_module(archive: ModuleType, name: str) -> None:
    found = getattr(archive.io, name)
    assert module_of(found, archive) == "archive_ffi.io"
    assert found.__qualname__ == found.__name__ == name


def test_functions_of_one_name_in_several_modules(archive: ModuleType) -> None:
    assert len({archive.open, archive.io.open, archive.json.open}) == 3
    assert isinstance(archive.open("x"), archive.Archive)
    assert isinstance(archive.io.open("x"), archive.io.Reader)
    assert isinstance(archive.io.open(archive.Archive(["a"])), archive.io.Reader)
    assert archive.json.open("x") == "{x}"


def test_types_of_other_modules(archive: ModuleType) -> None:
    source = archive.Archive(["a", "b"])
    found = archive.io.size(source, archive.io.Mode.WRITE)
    assert type(found) is archive.io.IoSizeResult and found == (2, archive.io.Mode.WRITE)
    assert archive.io.Reader(source).next(archive.Kind.FOLDER) == archive.Entry("a", archive.Kind.FOLDER)
    options = archive.io.Options()
    assert options == archive.io.Options(archive.io.Mode.READ, archive.Kind.FOLDER, 6)
    assert options.doubled().level == 12
    assert source.mode(options) is archive.io.Mode.READ
    assert type(archive.options()) is archive.io.Options


def test_exceptions_of_a_submodule(archive: ModuleType) -> None:
    io = archive.io
    for name, kind, bases in (
        ("broken", io.ReadError, (archive.ArchiveError,)),
        ("late", io.LateError, (io.ReadError, TimeoutError)),
        ("bad", io.ReadValueError, (io.ReadError, ValueError)),
    ):
        with pytest.raises(kind) as raised:
            io.open(name)
        assert type(raised.value) is kind and kind.__bases__ == bases
    with pytest.raises(archive.ArchiveFault):
        archive.open("bad")


def test_a_class_method_makes_what_its_own_module_makes(archive: ModuleType) -> None:
    assert type(archive.io.Reader.open("x")) is archive.io.Reader
    assert type(archive.Archive.open("x")) is archive.Archive
    assert not hasattr(archive.Archive, "copy")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a: a.io.open(), "open() takes no ()"),
        (lambda a: a.io.open(1.5), "open() takes no (float)"),
        (lambda a: a.io.size(1), "archive: an Archive is wanted, not int"),
        (lambda a: a.io.size(a.Archive(), "x"), "mode: a Mode is wanted, not str"),
        (lambda a: a.json.open(), "open() missing 1 required positional argument: 'text'"),
        (lambda a: a.io.level(options=1), "level() got an unexpected keyword argument 'options'"),
        (lambda a: a.io.Reader(a.Archive(), kind=1), "Reader() got an unexpected keyword argument 'kind'"),
    ],
)
def test_bad_arguments(archive: ModuleType, call: Any, message: str, engine: str) -> None:
    with pytest.raises(TypeError) as raised:
        call(archive)
    assert str(raised.value).replace("Reader.__init__", "Reader").startswith(message)


def test_a_closed_handle_of_a_submodule(archive: ModuleType) -> None:
    reader = archive.io.open("x")
    reader.close()
    with pytest.raises(archive.ClosedHandleError):
        reader.next()


PROGRAM = """
import asyncio, importlib.util, inspect, json, pickle, sys
import archive_ffi.io
from archive_ffi import Archive, ArchiveFault, Entry, Kind, io
from archive_ffi.json import dump
assert sys.modules["archive_ffi.io"] is io and importlib.util.find_spec("archive_ffi.json").origin.endswith("json.py")
assert json.dumps([]) == "[]" and dump([Entry("x")]) == "x"
values = [io.Mode.READ | io.Mode.WRITE, io.Mode.WRITE, Kind.FILE, io.Options(level=3), io.size(Archive())]
for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
    for value in values:
        again = pickle.loads(pickle.dumps(value, protocol))
        assert again == value and type(again) is type(value)
    for error in (io.LateError("x"), io.ReadError("x"), io.ReadValueError("x"), ArchiveFault("x")):
        again = pickle.loads(pickle.dumps(error, protocol))
        assert type(again) is type(error) and again.args == ("x",)
assert pickle.loads(pickle.dumps(io.copy)) is io.copy and pickle.loads(pickle.dumps(io.open)) is io.open
assert asyncio.run(io.level_async(io.Options(level=4))) == 4
for function in (io.size, io.Reader, io.Reader.next, Archive.mode):
    print(str(inspect.signature(function)).replace("self, /", "self"))
"""


def test_in_a_process_of_its_own(engine: str) -> None:
    """Under its own name: what pickles, what is imported, and what a signature shows."""
    printed = packages.build(CASE).python(PROGRAM, engine=engine).stdout.splitlines()
    assert [
        re.sub(r"\w+: '\w+'", lambda hint: hint[0].partition(":")[0], line.partition(" ->")[0]).replace(" = ", "=")
        for line in printed
    ] == [
        "(archive, mode=<Mode.READ: 1>, kind=<Kind.FILE: 0>)",
        "(archive, mode=<Mode.READ|WRITE: 3>)",
        "(self, kind=<Kind.FILE: 0>)",
        "(self, of)",
    ]


def test_a_submodule_hides_no_module_of_python_from_the_build() -> None:
    """The build script lies beside `json.py`, and so would everything that it starts."""
    folder = packages.build(CASE).folder
    done = subprocess.run(
        [sys.executable, "ffi_build.py", "--help"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
