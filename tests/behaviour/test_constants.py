"""Constants: attributes of the module, read when it is imported, over both engines alike."""

from __future__ import annotations

import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES
from tests.compilers import environment, quick
from wrapper_gen import compile

SPEC = """
wrapper_lib:
  name: constants
  cpp_include: [chrono, complex, ctime, filesystem, optional, string, tuple]
  prefix: notes_
cpp_prelude: |
  #define NOTES_VERSION "1.2"
  #define NOTES_LIMIT 65536
  #define NOTES_FLAGS (NOTES_READ | NOTES_WRITE)
  #define LIB_BIG 0xFFFFFFFFFFFFFFFFull
  #define LIB_DATA "a\\0b"
  constexpr unsigned NOTES_READ = 1, NOTES_WRITE = 2;
  inline const double notes_scale = 0.5;
  struct size { int width, height; };
  inline int calls = 0;
  inline int notes_counted() { return ++calls; }
enums:
  - {name: Mode, cpp_type: unsigned, flags: true, values: {READ: NOTES_READ, WRITE: NOTES_WRITE}}
structs:
  - {name: Size, cpp_type: "::size", fields: {width: i32, height: i32}}
constants:
  VERSION: text
  LIMIT: {type: i32, doc: The most entries of one file.}
  scale: f64
  FLAGS: Mode
  BIG: {type: u64, cpp: LIB_BIG}
  DATA: {type: bytes, cpp: "std::string(LIB_DATA, 3)"}
  IS_SET: {type: bool, cpp: NOTES_LIMIT > 5}
  START: {type: "datetime[s]", cpp: std::time_t(90)}
  WAIT: {type: "duration[ms]", cpp: "1500"}
  HOME: {type: path, cpp: 'std::filesystem::path("/tmp")'}
  ROOT: {type: c128, cpp: "std::complex<double>(0, 1)"}
  NOTHING: {type: "text?", cpp: std::optional<std::string>()}
  PAIR: {type: "(i32, text)", cpp: 'std::make_tuple(3, "x")'}
  PAGE: {type: Size, cpp: "size{3, 4}"}
  COUNTED: {type: i32, cpp: notes_counted()}
functions:
  - {def: "counted() -> i32"}
"""

WANTED = {
    "VERSION": "1.2",
    "LIMIT": 65536,
    "scale": 0.5,
    "BIG": 2**64 - 1,
    "DATA": b"a\0b",
    "IS_SET": True,
    "START": datetime(1970, 1, 1, 0, 1, 30, tzinfo=UTC),
    "WAIT": timedelta(milliseconds=1500),
    "HOME": Path("/tmp"),
    "ROOT": 1j,
    "NOTHING": None,
    "PAIR": (3, "x"),
}

DYNAMIC = """
wrapper_lib:
  name: constants_of_none
  lang: c
  cpp_include: stdio.h
  dynamic: libthereisnone.so.0
cpp_prelude: |
  #define NONE_VERSION 3
  extern "C" int none_count(void);
constants:
  VERSION: {type: i32, cpp: NONE_VERSION}
  COUNT: {type: i32, cpp: none_count()}
functions:
  - {def: "count() -> i32", cpp_fn: none_count}
"""

STUB = """
wrapper_lib: {name: constants_of_stub, cpp_include: there_is_no_such_header.h}
constants: {VERSION: {type: text, cpp: LIB_VERSION}}
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_constants_are_attributes(engine: str) -> None:
    lib = packages.build_text(SPEC, name="constants").load(engine)
    read = vars(lib)
    assert {name: read[name] for name in WANTED} == WANTED
    assert (read["FLAGS"], type(read["FLAGS"])) == (lib.Mode.READ | lib.Mode.WRITE, lib.Mode)
    assert read["PAGE"] == lib.Size(3, 4)
    assert {"VERSION", "LIMIT", "scale", "PAGE"} <= {*lib.__all__}


@pytest.mark.parametrize("engine", ENGINES)
def test_they_are_read_once(engine: str) -> None:
    lib = packages.build_text(SPEC, name="constants").load(engine)
    first = lib.counted()
    assert first > lib.COUNTED
    assert lib.counted() == first + 1
    assert first > lib.COUNTED
    with pytest.raises(AttributeError, match="has no attribute 'MISSING'"):
        _ = lib.MISSING


def _checked_without_library(lib: ModuleType, name: str) -> None:
    from_package: dict[str, object] = {}
    exec(f"from {lib.__name__} import *", from_package)
    assert name not in from_package
    assert name not in lib.__all__
    for _ in range(2):
        with pytest.raises(lib.LibraryUnavailable):
            getattr(lib, name)


@pytest.mark.parametrize("engine", ENGINES)
def test_of_a_library_that_is_not_there(engine: str) -> None:
    lib = packages.build_text(DYNAMIC, name="constants_of_none").load(engine)
    sys.modules.setdefault(lib.__name__, lib)
    _checked_without_library(lib, "COUNT")


@pytest.mark.parametrize("engine", ENGINES)
def test_of_a_stub(engine: str) -> None:
    lib = packages.build_text(STUB, name="constants_of_stub", stub=True).load(engine)
    assert lib.STUB
    sys.modules.setdefault(lib.__name__, lib)
    _checked_without_library(lib, "VERSION")


def test_the_type_stub_has_them() -> None:
    built = packages.build_text(SPEC, name="constants")
    text = next(built.folder.rglob("__init__.pyi")).read_text(encoding="utf-8")
    assert 'LIMIT: _Final[int]\n"""The most entries of one file."""\n' in text
    assert "START: _Final[_datetime]\n" in text
    assert "def LIMIT" not in text


@pytest.mark.quick(1)
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_each_compiler_finds_the_functions_that_are_loaded(compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    package = packages.generate_text(DYNAMIC, name="constants_by_compiler")
    with environment(CXX=compiler, CXXFLAGS=quick("-O0", compiler)):
        built = compile.build(package, report=lambda line: None, engine=ENGINES[0])
    assert built.extension.is_file()
