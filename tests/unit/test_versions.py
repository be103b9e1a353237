"""Versions of the generator: said once in a package, pinned by a project, and told apart from a change by hand."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from wrapper_gen.cli import main
from wrapper_gen.resources import RUNTIME
from wrapper_gen.version import VERSION

Run = Callable[..., Result]
SPEC = """\
wrapper_lib: {name: half}
functions:
  - {def: "half(of: f64) -> f64", cpp: of / 2}
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command in a folder with a spec and its package."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "half.wrapper_spec").write_text(SPEC, encoding="utf-8")

    def run(*arguments: str, code: int = 0) -> Result:
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == code, done.output
        return done

    run("half.wrapper_spec")
    return run


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_runtime_that_is_installed_has_the_same_version() -> None:
    project = tomllib.loads((RUNTIME / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == VERSION


def test_one_line_of_a_package_names_the_version(run: Run, tmp_path: Path) -> None:
    package = tmp_path / "generated" / "half_ffi"
    said = [
        (path.name, line)
        for path in package.rglob("*.*")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(rf"wrapper-gen {re.escape(VERSION)}", line)
    ]
    assert said == [("__init__.py", f'__generator__ = "wrapper-gen {VERSION}"')]


def test_another_version_is_told_apart_from_a_change_by_hand(run: Run, tmp_path: Path) -> None:
    package = tmp_path / "generated" / "half_ffi"
    edit(package / "bridge.cpp", "half", "third")
    assert "changed  generated/half_ffi/bridge.cpp\n" in run("check", "half.wrapper_spec", code=1).output
    edit(package / "__init__.py", f"wrapper-gen {VERSION}", "wrapper-gen 0.0.9")
    (package / "docs.hpp").unlink()
    said = run("check", "half.wrapper_spec", code=1).output.splitlines()
    assert said == [
        f"generated/half_ffi: made by 0.0.9, this is {VERSION}",
        "to mend it, run: wrapper-gen half.wrapper_spec",
    ]
    found = json.loads(run("check", "half.wrapper_spec", "--format", "json", code=1).stdout)
    assert found["made_by"] == {"half_ffi": "0.0.9"}
    assert found["changed"] == ["generated/half_ffi/__init__.py", "generated/half_ffi/bridge.cpp"]
    run("half.wrapper_spec")
    run("check", "half.wrapper_spec")


def test_a_package_of_before_says_no_version(run: Run, tmp_path: Path) -> None:
    edit(tmp_path / "generated" / "half_ffi" / "__init__.py", f'__generator__ = "wrapper-gen {VERSION}"\n', "")
    said = run("check", "half.wrapper_spec", code=1).output
    assert f"generated/half_ffi: made by an earlier version, this is {VERSION}" in said


def test_findings_name_the_package_once(run: Run, tmp_path: Path) -> None:
    edit(tmp_path / "generated" / "half_ffi" / "__init__.py", f"wrapper-gen {VERSION}", "wrapper-gen 9.0.0")
    done = run("check", "half.wrapper_spec", "--format", "sarif", code=1)
    (found,) = json.loads(done.stderr)["runs"][0]["results"]
    assert found["ruleId"] == "WG353"
    assert "made by 9.0.0" in found["message"]["text"]


@pytest.mark.parametrize("wanted", [VERSION, VERSION.rpartition(".")[0], VERSION.partition(".")[0]])
def test_a_version_that_is_pinned_is_taken(run: Run, tmp_path: Path, wanted: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[tool.wrapper-gen]\nversion = "{wanted}"\n', encoding="utf-8")
    run("check", "half.wrapper_spec")


@pytest.mark.parametrize("wanted", ["0.1", "9", f"{VERSION}.1"])
def test_another_version_than_the_pinned_one_writes_nothing(run: Run, tmp_path: Path, wanted: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[tool.wrapper-gen]\nversion = "{wanted}"\n', encoding="utf-8")
    edit(tmp_path / "half.wrapper_spec", "/ 2", "/ 3")
    for command in ("generate", "check", "build"):
        said = run(command, "half.wrapper_spec", code=3).output
        assert (
            f"pyproject.toml:2:1: error: this project wants wrapper-gen {wanted}, and this is {VERSION} [WG351]" in said
        )
    assert "of / 2" in (tmp_path / "generated" / "half_ffi" / "bridge.cpp").read_text(encoding="utf-8")
