"""Microsoft's compiler: what it is told, and how what it prints is read. It runs nowhere here.

The options are those of its documentation, and clang-cl's driver reads them, too. A stand-in that takes no others
compiles a package by g++, so that each command of a build is made once.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest

from tests.limits import HANGS
from wrapper_gen.resources import RUNTIME

GENERATED = Path(__file__).parents[2] / "generated"
STANDIN = Path(__file__).with_name("standin_cl.py")
COMPILING = ["cl", "-std=c++17", "-ftemplate-backtrace-limit=0", "-O2", "-g0", "-fPIC", "-fvisibility=hidden"]
COMPILING += ["-Werror=return-type", "-Wall", "-DWG_HAS=1", '-DWG_MISSING="a b"', "-I.", "-isystem", "C:/lib/include"]
COMPILING += ["-idirafter.."]
SPEC = """\
wrapper_lib: {name: small, sources: [small.c, small.h], cpp_include: small.h}
functions:
  - {def: "small_add(a: i32, b: i32) -> i32"}
  - {def: "shout(what: text) -> text", cpp: what + "!"}
"""


@pytest.fixture(scope="module")
def msvc() -> ModuleType:
    spec = importlib.util.spec_from_file_location("msvc_of_builder", RUNTIME / "builder" / "_msvc.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def clang_cl(folder: Path) -> str:
    """clang by the name at which it takes these options; the test is skipped where it is not there."""
    clang = shutil.which("clang-cl") or shutil.which("clang")
    if clang is None:
        pytest.skip("no clang here")
    link = folder / "clang-cl"
    link.symlink_to(clang)
    return str(link)


# --- what it is told --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "is_it"),
    [
        ("cl", True),
        ("cl.exe", True),
        (r"C:\Program Files\VC\bin\Hostx64\x64\CL.EXE", True),
        ("/opt/llvm/bin/clang-cl", True),
        ("clang", False),
        ("tcl", False),
        ("g++", False),
    ],
)
def test_it_is_known_by_its_name(msvc: ModuleType, program: str, is_it: bool) -> None:
    assert msvc.is_msvc([program]) is is_it
    assert msvc.is_msvc(["sccache", program]) is is_it


def test_a_source_is_compiled(msvc: ModuleType) -> None:
    command = [*COMPILING, "-MD", "-MF", "0.o.d", "-c", "bridge.cpp", "-o", "0.o"]
    program, *words = msvc.as_cl(command, "")
    assert program == "cl"
    wanted = "/nologo /EHsc /utf-8 /MD /bigobj /permissive- /Zc:__cplusplus /Zc:preprocessor /external:W0"
    wanted += " /std:c++17 /O2 /we4716 -DWG_HAS=1"
    assert words[:13] == wanted.split()
    assert words[13:] == [
        *('-DWG_MISSING="a b"', "-I.", "/external:I", "C:/lib/include", "-I.."),
        *("/sourceDependencies", "0.o.d", "/c", "bridge.cpp", "/Fo0.o"),
    ]


@pytest.mark.parametrize(("version", "option"), [("17", "c++17"), ("20", "c++20"), ("23", "c++latest")])
def test_the_version_of_cpp(msvc: ModuleType, version: str, option: str) -> None:
    assert f"/std:{option}" in msvc.as_cl(["cl", f"-std=c++{version}", "-c", "a.cpp"], "")


def test_what_gcc_reads_from_its_standard_input_is_a_file(msvc: ModuleType) -> None:
    words = msvc.as_cl(["cl", "-o", os.devnull, "-E", "-P", "-x", "c++", "-"], "near/stdin.cpp")
    assert words[-2:] == ["/EP", "near/stdin.cpp"]


def test_an_extension_is_linked_by_the_linker_beside_it(msvc: ModuleType, tmp_path: Path) -> None:
    for name in ("cl.exe", "link.exe"):
        (tmp_path / name).touch(0o755)
    command = [str(tmp_path / "cl.exe"), "-s", "-shared", "0.o", "-LC:/lib", "-Wl,-rpath,C:/lib", "-lz"]
    words = msvc.as_cl([*command, "-l:own.lib", "/DEBUG", "-Wl,--trace", "-o", "_small.pyd"], "")
    assert words[:-1] == [
        *(str(tmp_path / "link.exe"), "/nologo", "/DLL", "0.o", "/LIBPATH:C:/lib", "z.lib", "own.lib", "/DEBUG"),
        "/OUT:_small.pyd",
    ]
    assert words[-1] == f"/LIBPATH:{Path(sys.base_prefix, 'libs')}"


def test_libraries_are_tried_without_an_object(msvc: ModuleType) -> None:
    command = ["cl", "-shared", "-fPIC", "-x", "c++", "-", "-x", "none", "-lz", "-o", "probe.so"]
    assert msvc.as_cl(command, "stdin.cpp")[1:-1] == ["/nologo", "/DLL", "/NOENTRY", "z.lib", "/OUT:probe.so"]


def test_clang_cl_takes_these_options(msvc: ModuleType, tmp_path: Path) -> None:
    """It reads a source, writes what that includes, and warns of no option."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "lib.h").write_text("#pragma once\ninline int two() { return 2; }\n", encoding="utf-8")
    (tmp_path / "a.cpp").write_text('#include "lib.h"\nint f() { return two(); }\n', encoding="utf-8")
    command = [clang_cl(tmp_path), *COMPILING[1:], "-isystem", "lib", "-ffunction-sections", "-include", "lib.h"]
    words = msvc.as_cl([*command, "-ferror-limit=0", "-MD", "-MF", "a.d", "-c", "a.cpp", "-o", "a.o"], "")
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=HANGS, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "a.o").is_file()
    assert "lib.h" in (tmp_path / "a.d").read_text(encoding="utf-8")


# --- what it prints ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("printed", "read"),
    [
        ("a.cpp(3): error C2065: 'x': undeclared identifier", "a.cpp:3: error: 'x': undeclared identifier [C2065]"),
        ("a.cpp(3,7): error C2065: 'x': undeclared", "a.cpp:3:7: error: 'x': undeclared [C2065]"),
        ("a.cpp(3,7): error: use of undeclared 'x'", "a.cpp:3:7: error: use of undeclared 'x'"),
        (
            "specs/a.wrapper_spec (for T=int)(12): note: see reference to function template",
            "specs/a.wrapper_spec (for T=int):12: note: see reference to function template",
        ),
        ("a.cpp(3): message : see declaration of 'f'", "a.cpp:3: note: see declaration of 'f'"),
        ("a.cpp(3): warning C4996: 'f': was declared", "a.cpp:3: warning: 'f': was declared [C4996]"),
        (
            "<stdin>(1): fatal error C1083: Cannot open include file: 'zlib.h': No such file or directory",
            "<stdin>:1: fatal error: zlib.h: No such file or directory",
        ),
        (
            r"C:\package\wg\call.hpp(9): error C2338: static_assert failed: 'wrapper-gen: no'",
            "wg/call.hpp:9: error: static assertion failed: wrapper-gen: no",
        ),
        (
            r"C:\lib\a.h(9): error C2338: wrapper-gen: no",
            "../lib/a.h:9: error: static assertion failed: wrapper-gen: no",
        ),
        ("LINK : fatal error LNK1181: cannot open 'z.lib'", "LINK : fatal error LNK1181: cannot open 'z.lib'"),
    ],
)
def test_its_messages_are_read(msvc: ModuleType, printed: str, read: str) -> None:
    said = f"bridge.cpp\n{printed}\n"
    assert msvc.as_gcc(said, ["cl", "/c", r"C:\package\bridge.cpp"], r"c:\package") == f"{read}\n"


def test_messages_of_clang_cl_are_read(msvc: ModuleType, tmp_path: Path) -> None:
    text = '#line 7 "specs/small.wrapper_spec"\nint f() { return x; }\n'
    (tmp_path / "a.cpp").write_text(text, encoding="utf-8")
    words = msvc.as_cl([clang_cl(tmp_path), "-std=c++17", "-fsyntax-only", "a.cpp"], "")
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=HANGS, check=False)
    said = msvc.as_gcc(done.stdout + done.stderr, words, str(tmp_path))
    assert said.startswith("specs/small.wrapper_spec:7:18: error: use of undeclared identifier 'x'\n")


@pytest.mark.parametrize(
    ("suffix", "abi"), [(".cp311-win_amd64.pyd", "cp311"), (".cp313t-win_amd64.pyd", "cp313t"), (".abi3.so", "abi3")]
)
def test_wheels_of_windows_are_tagged(suffix: str, abi: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(GENERATED)
    wheel_tag = importlib.import_module("wg_runtime._toolchain").wheel_tag
    monkeypatch.setattr(sysconfig, "get_platform", lambda: "win-amd64")
    version = "311" if abi == "abi3" else f"{sys.version_info.major}{sys.version_info.minor}"
    assert wheel_tag(suffix) == f"cp{version}-{abi}-win_amd64"


# --- a build ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a spec, and stand-ins for the compiler and its linker."""
    if shutil.which("g++") is None:
        pytest.skip("no g++ here")
    (tmp_path / "bin").mkdir()
    for name in ("cl", "link"):
        program = tmp_path / "bin" / name
        program.write_text(f"#!{sys.executable}\n{STANDIN.read_text(encoding='utf-8')}", encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("CXX", str(tmp_path / "bin" / "cl"))
    monkeypatch.setenv("MSVC_CALLS", str(tmp_path / "calls"))
    monkeypatch.setenv("WRAPPER_GEN_CACHE", str(tmp_path / "cache"))
    for name in ("CC", "CXXFLAGS", "CFLAGS", "CPPFLAGS", "LDFLAGS"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "small.h").write_text(
        '#ifdef __cplusplus\nextern "C"\n#endif\nint small_add(int a, int b);\n', encoding="utf-8"
    )
    (tmp_path / "small.c").write_text(
        '#include "small.h"\nint small_add(int a, int b) { return a + b; }\n', encoding="utf-8"
    )
    (tmp_path / "small.wrapper_spec").write_text(SPEC, encoding="utf-8")
    return tmp_path


def build(project: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wrapper_gen", "build", *options, "small.wrapper_spec"]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=HANGS, check=False)


def calls(project: Path) -> list[list[str]]:
    """What the compiler and the linker were called with, which is forgotten then."""
    lines = (project / "calls").read_text(encoding="utf-8").splitlines()
    (project / "calls").unlink()
    return [json.loads(line) for line in lines]


@pytest.mark.slow
def test_a_package_is_built_by_commands_of_its_words(project: Path) -> None:
    done = build(project, "--engine", "both")
    assert done.returncode == 0, done.stderr
    program = "import small_ffi; print(small_ffi.add(2, 3), small_ffi.shout('hey'))"
    environment = {**os.environ, "PYTHONPATH": str(project / "generated")}
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert ran.stdout == "5 hey!\n", ran.stderr
    made = calls(project)
    assert {name for name, *_ in made} == {"cl", "link"}
    assert any(word.endswith("small.c") for _, *words in made for word in words)
    assert "up to date" in build(project, "--engine", "both").stderr
    header = project / "small.h"
    header.write_text(f"/* new */\n{header.read_text(encoding='utf-8')}", encoding="utf-8")
    again = build(project, "--engine", "both")
    assert (again.returncode, "up to date" in again.stderr) == (0, False), again.stderr


def test_an_error_is_at_its_line_of_the_spec(project: Path) -> None:
    spec = project / "small.wrapper_spec"
    spec.write_text(SPEC.replace("what +", "watt +"), encoding="utf-8")
    done = build(project)
    assert done.returncode == 4
    assert "small.wrapper_spec:4:" in done.stderr and "[WG061]" in done.stderr, done.stderr
    assert "watt" in done.stderr


def test_a_header_that_is_missing_is_named(project: Path) -> None:
    spec = project / "small.wrapper_spec"
    spec.write_text(SPEC.replace("cpp_include: small.h", "cpp_include: nowhere.h"), encoding="utf-8")
    done = build(project)
    assert (done.returncode, "nowhere.h was not found" in done.stderr) == (4, True), done.stderr
