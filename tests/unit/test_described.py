"""`ffi_build.py --describe`: what other build systems compile and link, or why they cannot."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

SPEC = """\
wrapper_lib:
  name: half
  lang: c
  cpp_include: half.h
  requires: [{dirs: [include]}]
  sources: [half.c]
  std: 20
  compile_args: [-DLIMIT=3]
  link: [m]
  prefix: half_
functions:
  - {def: "of(value: f64) -> f64"}
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a package, which is not built."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "half.h").write_text("double half_of(double);\n", encoding="utf-8")
    (tmp_path / "half.c").write_text("double half_of(double value) { return value / 2; }\n", encoding="utf-8")
    (tmp_path / "half.wrapper_spec").write_text(SPEC, encoding="utf-8")
    subprocess.run([sys.executable, "-m", "wrapper_gen", "half.wrapper_spec"], check=True, capture_output=True)
    return tmp_path / "generated" / "half_ffi"


def describe(package: Path, *options: str, code: int = 0) -> str:
    command = [sys.executable, package / "ffi_build.py", "--describe", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def test_all_of_it_is_json(package: Path) -> None:
    found = json.loads(describe(package))
    assert (found["package"], found["module"], found["std"]) == ("half_ffi", "_half_ffi", 20)
    assert found["sources"] == [str(package / "cpython.cpp"), str(package / "sources" / "half.c")]
    assert found["library_include"] == [str(package.parents[1] / "include")]
    assert "HAS_HALF=1" in found["define"]
    assert found["compile_args"] == ["-DLIMIT=3"]
    assert "-lm" in found["link_args"]
    assert not list(package.glob("*.so"))


def test_a_key_has_one_value_a_line(package: Path) -> None:
    assert describe(package, "module") == "_half_ffi\n"
    flags = describe(package, "cppflags").splitlines()
    assert {"-DHAS_HALF=1", f"-isystem{package.parents[1] / 'include'}", "-DLIMIT=3"} <= {*flags}
    assert flags[-1] == f"-idirafter{package}"
    assert f"-I{package}" not in flags
    assert "invalid choice: 'flags'" in describe(package, "flags", code=2)


def test_no_header_of_the_library_is_hidden_by_one_of_the_package(package: Path) -> None:
    """A build system of another kind has the folders in the order of ours."""
    library = package.parents[1]
    (library / "include" / "lines.hpp").write_text("inline int half_lines(void) { return 42; }\n", encoding="utf-8")
    spec = library / "half.wrapper_spec"
    text = spec.read_text(encoding="utf-8").replace("half.h\n", "[half.h, lines.hpp]\n")
    spec.write_text(f'{text}  - {{def: "lines() -> i32"}}\n', encoding="utf-8")
    subprocess.run([sys.executable, "-m", "wrapper_gen", "half.wrapper_spec"], check=True, capture_output=True)
    python = f"-I{sysconfig.get_path('include')}"
    command = ["c++", "-std=c++20", "-fsyntax-only", *describe(package, "cppflags").split(), python]
    done = subprocess.run([*command, package / "cpython.cpp"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_it_says_what_is_missing(package: Path) -> None:
    (package.parents[1] / "include" / "half.h").unlink()
    assert "header half.h was not found" in describe(package, code=4)
