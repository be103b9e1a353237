"""The runtime's own functions, compiled once for all packages of a machine: found again, and never linked stale."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.disks import small_disk
from tests.limits import HANGS
from wrapper_gen.cli import main

SPEC = """\
wrapper_lib: {{name: {name}, include_paths: [include], sources: [{sources}], compile_args: [{flags}]}}
functions:
  - {{def: "answer(a: i64) -> i64", cpp_body: return a + {more};}}
"""
REFUSED = "try: d.answer('no')\nexcept TypeError as error: print(error)"
"""Says what a function of the runtime says."""
SAID, SAID_INSTEAD = " is wanted, not ", " was wanted, not "


class Project:
    """Packages that have the same of the runtime, and a compiler that notes what it is asked for."""

    def __init__(self, folder: Path, engine: str) -> None:
        self.folder, self.engine = folder, engine
        (folder / "include").mkdir()
        self._log = folder / "compiled.log"
        self.runtimes = folder / "cache" / "runtimes"
        self.sources, self.flags = "", ""

    def build(self, name: str = "first", more: int = 1) -> int:
        """Build a package anew; how often the runtime's object was compiled."""
        self._log.write_text("", encoding="utf-8")
        text = SPEC.format(name=name, more=more, sources=self.sources, flags=self.flags)
        (self.folder / f"{name}.wrapper_spec").write_text(text, encoding="utf-8")
        result = CliRunner().invoke(main, ["build", "--engine", self.engine, f"{name}.wrapper_spec"])
        assert result.exit_code == 0, result.stderr
        assert self.ask(name, "print(d.answer(1))") == str(1 + more)
        return len(self.compiled)

    def build_twice(self, name: str = "first") -> int:
        """A first build of few functions makes no object."""
        assert self.build(name, 1) == 0
        assert not self.is_apart
        return self.build(name, 2)

    @property
    def compiled(self) -> list[str]:
        """The commands that made the runtime's object in the last build."""
        return [line for line in self._log.read_text(encoding="utf-8").splitlines() if "-DWG_RUNTIME_OBJECT" in line]

    @property
    def is_apart(self) -> bool:
        """Whether the last build's units were compiled to be linked with the object."""
        return "-DWG_RUNTIME_APART" in self._log.read_text(encoding="utf-8")

    @property
    def objects(self) -> list[Path]:
        return sorted(self.runtimes.glob("*.o"))

    def ask(self, name: str, code: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(self.folder / "generated"), "WRAPPER_GEN_ENGINE": self.engine}
        command = [sys.executable, "-c", f"import {name}_ffi as d\n{code}"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=HANGS, check=True)
        return done.stdout.strip()

    def script(self, name: str = "first") -> list[str]:
        """What builds a package as it lies there."""
        return [sys.executable, f"generated/{name}_ffi/ffi_build.py", "--engine", self.engine]


@pytest.fixture
def project(tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch) -> Project:
    real = os.environ.get("WRAPPER_GEN_TEST_CLANG") or "g++"
    compiler = tmp_path / f"noting-{real}"
    compiler.write_text(f'#!/bin/sh\necho "$*" >>{tmp_path}/compiled.log\nexec {real} "$@"\n', encoding="utf-8")
    compiler.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WRAPPER_GEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("CXXFLAGS", "-O0")
    return Project(tmp_path, engine)


@pytest.mark.quick(1, slow=0)
def test_packages_share_it(project: Project) -> None:
    assert project.build_twice("first") == 1
    assert project.build("first", 3) == 0
    assert project.build("second", 4) == 0
    assert project.is_apart, "a package takes what another one has made, also in its first build"
    assert project.build("second", 5) == 0
    assert len(project.objects) == 1
    if project.engine == "cpython":
        assert SAID in project.ask("second", REFUSED)


@pytest.mark.quick(1, slow=0)
def test_another_text_or_flag_has_an_object_of_its_own(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is linked has the runtime's functions as the package's text has them."""
    project.build_twice()
    monkeypatch.setenv("CXXFLAGS", "-O0 -DNDEBUG")
    assert project.build(more=3) == 1
    if project.engine == "cffi":
        return
    carried = project.folder / "generated" / "first_ffi" / "_runtime" / "wg.hpp"
    text = carried.read_text(encoding="utf-8")
    assert SAID in text
    carried.write_text(text.replace(SAID, SAID_INSTEAD), encoding="utf-8")
    subprocess.run(project.script(), check=True, capture_output=True, timeout=HANGS)
    assert SAID_INSTEAD in project.ask("first", REFUSED)


@pytest.mark.quick(0, slow=1)
def test_a_header_that_hides_one_of_the_systems_counts(project: Project) -> None:
    """The package's units read it, and so does their object; no other package gets that."""
    project.build_twice()
    hiding = project.folder / "include" / "cstring"
    hiding.write_text("#pragma once\n#include_next <cstring>\n", encoding="utf-8")
    assert project.build(more=3) == 1
    assert str(hiding.parent.name) in project.compiled[0]
    assert project.build(more=4) == 0
    hiding.write_text("#pragma once\n#include_next <cstring>\n#define ANOTHER\n", encoding="utf-8")
    assert project.build(more=5) == 1
    hiding.unlink()
    assert project.build(more=6) == 0, "the object of all packages is there"


@pytest.mark.quick(0, slow=1)
def test_a_source_that_hides_a_header_of_the_systems_counts(project: Project) -> None:
    hiding = project.folder / "string.h"
    hiding.write_text("#pragma once\n#include_next <string.h>\n", encoding="utf-8")
    project.build_twice("first")
    project.sources = hiding.name
    assert project.build_twice("second") == 1
    assert project.build("second", 3) == 0
    hiding.write_text("#pragma once\n#include_next <string.h>\n#define ANOTHER\n", encoding="utf-8")
    assert project.build("second", 4) == 1


@pytest.mark.long
def test_a_file_that_a_flag_names_by_its_place_counts(project: Project) -> None:
    """Each package has another one there."""
    named = project.folder / "flags.h"
    named.write_text("", encoding="utf-8")
    project.sources, project.flags = named.name, f"-include, sources/{named.name}"
    assert project.build_twice("first") == 1
    assert project.build_twice("second") == 1
    named.write_text("#define ANOTHER\n", encoding="utf-8")
    assert project.build("first", 3) == 1
    assert project.build("first", 4) == 0


def _damage(project: Project) -> None:
    (path,) = project.objects
    path.write_bytes(path.read_bytes()[:-1] + b"x")


def _put_in_anothers_place(project: Project) -> None:
    (path,) = project.objects
    other = next((project.folder / "generated").rglob("*.so"))
    path.write_bytes(other.read_bytes())


def _spoil_record(project: Project) -> None:
    (path,) = project.objects
    path.with_suffix(".json").write_text('{"object": 1, "files": []}', encoding="utf-8")


def _let_others_write(project: Project) -> None:
    project.runtimes.chmod(0o777)


def _put_a_file_there(project: Project) -> None:
    for path in project.runtimes.iterdir():
        path.unlink()
    project.runtimes.rmdir()
    project.runtimes.write_text("", encoding="utf-8")


_SPOILT: dict[Callable[[Project], None], bool] = {
    _damage: True,
    _put_in_anothers_place: True,
    _spoil_record: True,
    _let_others_write: False,
    _put_a_file_there: False,
}
"""How an object is spoilt, and whether the next one can be kept where it lay."""


@pytest.mark.long
def test_what_is_not_as_it_was_made_is_not_linked(project: Project) -> None:
    """It is made anew, and kept where a folder can be used that only this user writes."""
    project.build_twice()
    more = 3
    for spoil, stays in _SPOILT.items():
        spoil(project)
        made = project.build(more=more), project.build(more=more + 1)
        assert made == (1, 0 if stays else 1), spoil.__name__
        more += 2
        if not stays:  # it is a folder of the cache again, with an object as it was made
            if project.runtimes.is_file():
                project.runtimes.unlink()
            else:
                project.runtimes.chmod(0o700)
            project.build(more=more)
            more += 1


@pytest.mark.long
def test_a_full_disk_keeps_none(project: Project) -> None:
    """What is compiled is linked, and nothing is left of what did not fit."""
    with small_disk(project.runtimes):
        assert project.build_twice() == 1
        assert [*project.runtimes.iterdir()] == []
        assert project.build(more=3) == 1
    assert project.build(more=4) == 1
    assert len(project.objects) == 1
    assert project.build(more=5) == 0


@pytest.mark.quick(0, slow=1)
def test_two_builds_at_once_make_it(project: Project) -> None:
    for name in ("first", "second"):
        project.build(name)
        text = (project.folder / f"{name}.wrapper_spec").read_text(encoding="utf-8")
        (project.folder / f"{name}.wrapper_spec").write_text(text.replace("a + 1", "a + 7"), encoding="utf-8")
        assert CliRunner().invoke(main, ["generate", f"{name}.wrapper_spec"]).exit_code == 0
    running = [subprocess.Popen(project.script(name), stdout=subprocess.DEVNULL) for name in ("first", "second")]
    assert [each.wait(HANGS) for each in running] == [0, 0]
    assert [project.ask(name, "print(d.answer(1))") for name in ("first", "second")] == ["8", "8"]
    assert project.build("second", 9) == 0
