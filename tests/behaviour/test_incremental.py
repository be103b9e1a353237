"""Builds that follow another one: only groups of functions that changed are compiled, and nothing stale is linked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.limits import HANGS
from wrapper_gen.cli import main

NAMES = [f"fn{i}" for i in range(60)]
HEADER = "".join(f"inline long {name}(long a) {{ return a + {i}; }}\n" for i, name in enumerate(NAMES))
HEAD = "wrapper_lib: {name: demo, cpp_include: demo.h, include_paths: [.]}\nfunctions:\n"
WITHOUT_CFFI = """\
import importlib.util, runpy, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "cffi" else find(name, *rest)
sys.argv[1:] = ["--engine", "both"]
runpy.run_path("generated/demo_ffi/ffi_build.py", run_name="__main__")
"""
PARTS = re.compile(r"compiling (\d+) of (\d+) parts")


class Project:
    """A package of sixty functions, and what its builds compile."""

    def __init__(self, folder: Path, engine: str) -> None:
        self.folder, self.engine = folder, engine
        self.head = HEAD
        self.entries = {name: f'  - {{def: "{name}(a: i64) -> i64", cpp_fn: {name}}}\n' for name in NAMES}
        (folder / "demo.h").write_text(f"#pragma once\n{HEADER}", encoding="utf-8")

    def build(self, *options: str) -> tuple[int, int]:
        """Build it; how many parts were compiled, and of how many: none of a whole build."""
        result = self.run(*options)
        assert result[0] == 0, result[1]
        found = PARTS.search(result[1])
        return (int(found[1]), int(found[2])) if found else (0, 0)

    def run(self, *options: str) -> tuple[int, str]:
        text = self.head + "".join(self.entries.values())
        (self.folder / "demo.wrapper_spec").write_text(text, encoding="utf-8")
        result = CliRunner().invoke(main, ["build", "--engine", self.engine, *options, "demo.wrapper_spec"])
        return result.exit_code, result.stderr

    def ask(self, expression: str) -> str:
        code = f"import demo_ffi as d; print(({expression}))"
        environment = {**os.environ, "PYTHONPATH": str(self.folder / "generated"), "WRAPPER_GEN_ENGINE": self.engine}
        command = [sys.executable, "-c", code]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=HANGS, check=True
        ).stdout.strip()

    def change(self, name: str, result: str) -> None:
        code = f'"[](i64 a) -> i64 {{ static_cast<void>(a); return {result}; }}"'
        self.entries[name] = f'  - {{def: "{name}(a: i64) -> i64", cpp_fn: {code}}}\n'

    @property
    def objects(self) -> list[Path]:
        return sorted((self.folder / "cache" / "builds").rglob("objects/*.o"))


@pytest.fixture
def project(tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WRAPPER_GEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CXX", os.environ.get("WRAPPER_GEN_TEST_CLANG", "g++"))
    monkeypatch.setenv("CXXFLAGS", "-O0")
    return Project(tmp_path, engine)


@pytest.mark.quick(1, slow=0)
def test_what_did_not_change_is_not_compiled(project: Project) -> None:
    """Also of functions that only moved, since another one was added before them or taken away."""
    assert project.build() == (0, 0)
    assert project.ask("d.fn7(1)") == "8"
    project.change("fn7", "70")
    compiled, parts = project.build()
    assert compiled == parts > 2
    assert project.ask("d.fn7(1), d.fn59(1)") == "(70, 60)"
    project.change("fn7", "71")
    assert project.build() == (1, parts)
    assert project.ask("d.fn7(1), d.fn8(1)") == "(71, 9)"
    project.change("fn50", "50")
    assert project.build()[0] <= 2, "its group, and what has its documentation"
    assert project.ask("d.fn7(1), d.fn50(1), d.fn51(1)") == "(71, 50, 52)"
    later = dict(project.entries)
    project.entries = {"added": '  - {def: "added(a: i64) -> i64", cpp_fn: "[](i64 a) { return 2 * a; }"}\n', **later}
    compiled, with_one = project.build()
    declarations = project.engine == "cffi"  # which cffi makes of all at once
    assert compiled <= 3 + declarations
    assert parts <= with_one <= parts + 1
    assert project.ask("d.added(4), d.fn7(1)") == "(8, 71)"
    del project.entries["added"]
    assert project.build()[0] <= 3 + declarations
    assert project.ask("hasattr(d, 'added'), d.fn7(1), d.fn59(1)") == "(False, 71, 60)"
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_CFFI], capture_output=True, text=True, timeout=HANGS, check=False
    )
    assert (done.returncode, "cffi is not installed" in done.stderr, "removed" in done.stderr) == (3, True, False)
    assert project.ask("d.fn7(1)") == "71"


@pytest.mark.quick(1, slow=0)
def test_nothing_stale_is_linked(project: Project) -> None:
    """A header that changed, an object that was damaged or is another's, and one that was removed."""
    project.build()
    project.change("fn7", "70")
    _, parts = project.build()
    header = project.folder / "demo.h"
    header.write_text(header.read_text(encoding="utf-8").replace("a + 9", "a + 900"), encoding="utf-8")
    assert project.build()[0] >= parts - (project.engine == "cffi")
    assert project.ask("d.fn9(1)") == "901"
    first, second, third, *_ = project.objects
    first.write_bytes(first.read_bytes()[:-1] + b"x")
    second.write_bytes(third.read_bytes())
    third.with_suffix(".json").write_text("[]", encoding="utf-8")
    project.change("fn7", "71")
    compiled, _ = project.build()
    assert 3 <= compiled <= 4
    assert project.ask("[d.fn7(1), d.fn9(1), d.fn30(1), d.fn59(1)]") == "[71, 901, 31, 60]"


@pytest.mark.quick(0, slow=1)
def test_what_a_header_of_the_package_includes_counts(project: Project) -> None:
    """Also where it is called as no header is."""
    included = project.folder / "values.inc"
    included.write_text(HEADER, encoding="utf-8")
    (project.folder / "inner.h").write_text('#pragma once\n#include "values.inc"\n', encoding="utf-8")
    project.head = "wrapper_lib: {name: demo, cpp_include: inner.h, sources: [inner.h, values.inc]}\nfunctions:\n"
    project.build()
    project.change("fn7", "70")
    project.build()
    included.write_text(HEADER.replace("a + 8;", "a + 800;"), encoding="utf-8")
    assert project.build()[0] > 0
    assert project.ask("d.fn7(1), d.fn8(1)") == "(70, 801)"


@pytest.mark.long
@pytest.mark.parametrize("has_long_headers", [True, False])
def test_long_headers_are_not_read_for_each_group(has_long_headers: bool, project: Project) -> None:
    """What is linked may be as long as it likes."""
    (project.folder / "large.c").write_text("char large[33000000] = {1};\n", encoding="utf-8")
    subprocess.run(["gcc", "-c", "-fPIC", "large.c"], check=True)
    subprocess.run(["ar", "rc", "liblarge.a", "large.o"], check=True)
    header = project.folder / "demo.h"
    text = header.read_text(encoding="utf-8") + 'extern "C" char large[];\n'
    header.write_text(f"{text}/*{' ' * 33_000_000}*/\n" if has_long_headers else text, encoding="utf-8")
    project.head = HEAD.replace("[.]", "[.], search_paths: [.], link: [large]")
    project.change("fn7", "70 + large[0]")
    project.build()
    project.change("fn7", "80 + large[0]")
    assert (project.build() == (0, 0)) is has_long_headers
    assert project.ask("d.fn7(1)") == "81"


@pytest.mark.long
def test_code_that_tells_its_line_is_compiled_where_it_moved(project: Project) -> None:
    project.build()
    project.change("fn30", "__LINE__")
    project.build()
    line = int(project.ask("d.fn30(1)"))
    project.entries = {"first": '  - {def: "first(a: i64) -> i64", cpp_fn: fn0}\n', **project.entries}
    project.build()
    assert project.ask("d.fn30(1)") == str(line + 1)


@pytest.mark.quick(0, slow=1)
def test_a_mistake_is_at_its_line_and_what_was_compiled_beside_it_stays(project: Project) -> None:
    project.build()
    project.change("fn7", "70")
    _, parts = project.build()
    project.change("fn7", "missing")
    code, said = project.run()
    assert code == 4
    assert "demo.wrapper_spec:10:" in said
    assert "missing" in said
    project.change("fn7", "72")
    assert project.build() == (1, parts)
    assert project.ask("d.fn7(1)") == "72"


def without_precompiled_headers(folder: Path, monkeypatch: pytest.MonkeyPatch, instead: str) -> None:
    compiler = folder / "compiler"
    script = f'#!/bin/sh\ncase "$*" in *" c++-header "*) {instead};; esac\nexec {os.environ["CXX"]} "$@"\n'
    compiler.write_text(script, encoding="utf-8")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))


def damage(path: Path) -> None:
    path.write_bytes(b"\0" * path.stat().st_size)


@pytest.mark.quick(1, slow=1)
@pytest.mark.parametrize("how", ["refused", "made_of_nothing", "damaged", "folder_in_the_way"])
def test_a_compiler_without_precompiled_headers_works_without(
    how: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefixes = project.folder / "cache" / "prefixes"
    ways: dict[str, Callable[[], object]] = {
        "refused": lambda: without_precompiled_headers(project.folder, monkeypatch, "exit 1"),
        "made_of_nothing": lambda: without_precompiled_headers(project.folder, monkeypatch, "exit 0"),
        "folder_in_the_way": lambda: prefixes.write_text("", encoding="utf-8"),
        "damaged": lambda: None,
    }
    ways[how]() if how != "folder_in_the_way" else None
    project.build()
    if how == "folder_in_the_way":
        ways[how]()
    project.change("fn7", "70")
    project.build()
    if how == "damaged":
        (made,) = [*prefixes.glob("*/*.gch"), *prefixes.glob("*/*.pch")]
        damage(made)
    project.change("fn7", "71")
    assert project.build()[0] == 1
    assert project.ask("d.fn7(1), d.fn59(1)") == "(71, 60)"
