"""`wrapper_gen.load`: from a spec to a module in one call, built once for each content."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import wrapper_gen
from wrapper_gen.diagnostics import SpecError, ToolchainError

SPEC = """\
wrapper_lib:
  name: loaded
functions:
  - {{name: answer, cpp_body: return {value};, stub: -1, params: [], return: i32}}
"""


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WRAPPER_GEN_CACHE", str(tmp_path / "cache"))
    for name in [name for name in sys.modules if name.split(".")[0] == "loaded_ffi"]:
        monkeypatch.delitem(sys.modules, name)
    path = tmp_path / "loaded.wrapper_spec"
    path.write_text(SPEC.format(value=42), encoding="utf-8")
    return path


def test_it_builds_what_the_spec_says_now(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = wrapper_gen.load(spec)
    assert first.answer() == 42
    assert sys.modules["loaded_ffi"] is first
    assert wrapper_gen.load(str(spec)) is first
    monkeypatch.chdir(spec.parent)
    assert wrapper_gen.load(spec.name) is first
    spec.write_text(SPEC.format(value=43), encoding="utf-8")
    second = wrapper_gen.load(spec)
    assert second.answer() == 43
    assert sys.modules["loaded_ffi"] is second
    assert first.answer() == 42, "what was loaded before keeps working"


@pytest.mark.slow
@pytest.mark.trial("stale-header")
def test_a_header_that_changed_makes_another_module(spec: Path) -> None:
    header = spec.parent / "value.h"
    text = SPEC.format(value="VALUE").replace(
        "name: loaded", "name: loaded\n  cpp_include: value.h\n  include_paths: [.]"
    )
    spec.write_text(text, encoding="utf-8")
    found = []
    for value in (1, 2, 2, 3, 1):
        header.write_text(f"#define VALUE {value}\n", encoding="utf-8")
        found.append(wrapper_gen.load(spec))
        assert found[-1].answer() == value
    assert found[1] is found[2]
    assert [each.answer() for each in found] == [1, 2, 2, 3, 1]
    program = f"import wrapper_gen; print(wrapper_gen.load({str(spec)!r}).answer())"
    header.write_text("#define VALUE 4\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "4\n", "another process"


@pytest.mark.slow
def test_a_stub_is_another_build(spec: Path) -> None:
    assert wrapper_gen.load(spec, stub=True).answer() == -1
    assert wrapper_gen.load(spec).answer() == 42


def test_a_missing_library_is_an_exception_or_a_warning(spec: Path) -> None:
    wanted = SPEC.format(value=42).replace("name: loaded\n", "name: loaded\n  cpp_include: absent.h\n")
    spec.write_text(wanted, encoding="utf-8")
    with pytest.raises(ToolchainError, match=r"header absent\.h was not found") as caught:
        wrapper_gen.load(spec)
    assert any("requires" in note for note in caught.value.__notes__)
    spec.write_text(wanted.replace("cpp_include", "optional: true\n  cpp_include"), encoding="utf-8")
    with pytest.warns(UserWarning, match=r"loaded_ffi is a stub, without its library: header absent\.h was not found"):
        assert wrapper_gen.load(spec).answer() == -1


def test_processes_share_the_cache_and_do_not_disturb_each_other(spec: Path) -> None:
    code = f"import wrapper_gen; print(wrapper_gen.load({str(spec)!r}).answer())"
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate()[0] for process in both] == ["42\n", "42\n"]
    built = list((spec.parent / "cache").glob("*/loaded_ffi/*.so"))
    assert len(built) == 1
    before = built[0].stat().st_mtime_ns
    wrapper_gen.load(spec)
    assert built[0].stat().st_mtime_ns == before


def test_mistakes_are_exceptions(spec: Path) -> None:
    spec.write_text(SPEC.format(value=42) + "nonsense: 1\n", encoding="utf-8")
    with pytest.raises(SpecError, match=r"loaded\.wrapper_spec:5:1: WG010"):
        wrapper_gen.load(spec)
    spec.write_text(SPEC.format(value="no_such_thing"), encoding="utf-8")
    with pytest.raises(ToolchainError, match="no_such_thing") as caught:
        wrapper_gen.load(spec)
    assert any("no_such_thing" in note for note in caught.value.__notes__)
    assert "loaded_ffi" not in sys.modules


def test_warnings_are_warnings(spec: Path) -> None:
    spec.write_text(SPEC.format(value=42) + "  - {name: todo, params: [], return: void}\n", encoding="utf-8")
    with pytest.warns(UserWarning, match=r"not implemented \[WG041\]"):
        wrapper_gen.load(spec)


def test_the_cache_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, spec: Path) -> None:
    monkeypatch.delenv("WRAPPER_GEN_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    wrapper_gen.load(spec, stub=True)
    assert [path.name for path in (tmp_path / "xdg").iterdir()] == ["wrapper-gen"]
