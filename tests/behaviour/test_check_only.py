"""`build --check-only`: the compiler reads what a build would compile, says the same, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from wrapper_gen.cli import main

SPEC = """\
wrapper_lib: {name: demo, sources: [more.cpp]}
cpp_prelude: |
  inline long half(long value) { return value / 2; }
  inline long other(const char *value) { return *value; }
functions:
  - {def: "half(value: i64) -> i64", cpp_fn: half}
  - {def: "other(value: i64) -> i64", cpp_fn: WHICH}
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "more.cpp").write_text("int more() { return 1; }\n", encoding="utf-8")
    return tmp_path


def write(which: str) -> None:
    Path("demo.wrapper_spec").write_text(SPEC.replace("WHICH", which), encoding="utf-8")


def files() -> set[str]:
    return {path.as_posix() for path in Path().rglob("*")}


def test_it_says_what_a_build_says_and_writes_nothing(engine: str) -> None:
    write("other")
    before = files()
    checked = run("build", "--check-only", "--engine", engine, "demo.wrapper_spec")
    assert files() == before
    built = run("build", "--engine", engine, "demo.wrapper_spec")
    assert (checked.exit_code, built.exit_code) == (4, 4)
    assert "demo.wrapper_spec:7:" in checked.stderr
    found = [line for line in built.stderr.splitlines() if not line.startswith("demo_ffi: ")]
    assert [line for line in checked.stderr.splitlines() if not line.startswith("demo_ffi: ")] == found


@pytest.mark.slow
def test_an_extension_that_is_there_stays() -> None:
    write("half")
    built = run("build", "demo.wrapper_spec")
    assert built.exit_code == 0, built.stderr
    extension = next(Path("generated/demo_ffi").glob("_demo_ffi*.so"))
    made = extension.read_bytes()
    before = files()
    checked = run("build", "--check-only", "demo.wrapper_spec")
    assert (checked.exit_code, checked.stdout) == (0, "demo_ffi: compiles\n"), checked.stderr
    write("other")
    assert run("build", "--check-only", "demo.wrapper_spec").exit_code == 4
    assert (files(), extension.read_bytes()) == (before, made)
    write("half")
    assert "up to date" in run("build", "demo.wrapper_spec").stderr


def test_the_users_own_sources_are_read_too(folder: Path) -> None:
    write("half")
    (folder / "more.cpp").write_text("int more() { return missing; }\n", encoding="utf-8")
    checked = run("build", "--check-only", "demo.wrapper_spec")
    assert checked.exit_code == 4
    assert "'missing' was not declared" in checked.stderr or "undeclared identifier 'missing'" in checked.stderr
    assert "more.cpp:1" in checked.stderr
