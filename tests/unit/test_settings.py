"""Settings of a project: found above the output folder, and never guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from wrapper_gen import settings
from wrapper_gen.diagnostics import SpecError
from wrapper_gen.runtime_files import Runtime


def write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return folder / "generated"


def test_they_are_those_of_the_nearest_project_that_has_some(tmp_path: Path) -> None:
    write(tmp_path, '[tool.wrapper-gen]\nruntime = "shared"\n')
    inner = write(tmp_path / "inner", "[project]\nname = 'inner'\n")
    assert settings.read(inner).runtime is Runtime.SHARED
    write(tmp_path / "inner", '[tool.wrapper-gen]\nruntime = "package"\n')
    assert settings.read(inner).runtime is Runtime.PACKAGE
    assert settings.read(tmp_path / "generated").runtime is Runtime.SHARED


def test_without_a_project_each_package_carries_its_runtime(tmp_path: Path) -> None:
    assert settings.read(tmp_path / "generated").runtime is Runtime.VENDORED
    assert settings.read(write(tmp_path, "[tool.wrapper-gen]\n")).runtime is Runtime.VENDORED


def test_a_broken_file_of_another_tool_is_none_of_ours(tmp_path: Path) -> None:
    assert settings.read(write(tmp_path, "[tool.black\n")).runtime is Runtime.VENDORED


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ('[tool.wrapper-gen]\nruntime = "share"\n', 2, "'runtime' is 'share'", "'vendored', 'shared', 'package'"),
        ("[tool.wrapper-gen]\n\nruntime = 3\n", 3, "'runtime' is 3", "'vendored', 'shared', 'package'"),
        ('# x\n[tool.wrapper-gen]\nruntim = "shared"\n', 3, "unknown setting 'runtim'", "'runtime'?"),
        ("[tool.wrapper-gen]\nengine = 1\n", 2, "unknown setting 'engine'", "the settings are: runtime"),
        ("[tool.wrapper-gen]\noutput = 3\n", 2, "'output' is 3", "write a folder, relative to this file"),
        ('[tool.wrapper-gen]\noutput = ""\n', 2, "'output' is ''", "write a folder, relative to this file"),
        ("[tool.wrapper-gen]\nversion = 0.3\n", 2, "'version' is 0.3", 'write one, as in "0.3.0"'),
        ("[tool]\nwrapper-gen = 1\n", 1, "'tool.wrapper-gen' is no table", "write [tool.wrapper-gen]"),
        ("[tool.wrapper-gen]\nruntime = shared\n", 2, "not TOML: Invalid value", "mend the file"),
    ],
)
def test_what_is_wrong_is_said_at_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, line: int, message: str, hint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecError) as raised:
        settings.read(write(tmp_path, text))
    (found,) = raised.value.diagnostics
    assert (found.code, found.message) == ("WG270", message)
    assert str(found.span).startswith(f"pyproject.toml:{line}:")
    assert hint in (found.hint or "")


def test_a_project_names_the_folder_of_its_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, '[tool.wrapper-gen]\noutput = "src"\n')
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert settings.output_of(tmp_path) == Path("src")
    assert settings.output_of(tmp_path / "below") == Path("../src")
    write(tmp_path, "[tool.wrapper-gen]\n")
    assert settings.output_of(tmp_path) == Path("generated")
