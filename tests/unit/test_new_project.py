"""`new` and `package`: what they write, what they leave, and that what is wrong writes nothing."""

from __future__ import annotations

import doctest
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner, Result

from wrapper_gen.cli import main
from wrapper_gen.cli.importing import import_
from wrapper_gen.project import RECORD
from wrapper_gen.version import VERSION

Run = Callable[..., Result]
SPEC = """\
wrapper_lib: {name: half, version: "2.1", doc: Halves.}
functions:
  - {def: "half(of: f64) -> f64", cpp: of / 2}
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command in an empty folder, and none that reads headers."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)  # what git knows of who runs the tests
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    monkeypatch.delitem(main.commands, "import", raising=False)

    def run(*arguments: str, code: int = 0) -> Result:
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == code, done.output
        return done

    return run


def files_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("lang", "ends"), [("c", ("c", "h")), ("c++", ("cpp", "hpp"))])
def test_a_new_project_has_all_that_wheels_are_built_with(
    run: Run, tmp_path: Path, lang: str, ends: tuple[str]
) -> None:
    said = run("new", "my-notes", "--lang", lang, "--gitlab").output
    root = tmp_path / "my-notes"
    files = {name for name in files_below(root) if not name.startswith("src/")}
    assert files == {
        ".github/workflows/wheels.yml",
        ".gitignore",
        ".gitlab-ci.yml",
        RECORD,
        "AGENTS.md",
        "CMakeLists.txt",
        "README.md",
        "cmake/wrapper_gen.cmake",
        "my_notes.wrapper_spec",
        *(f"native/my_notes.{end}" for end in ends),
        "pyproject.toml",
        "tests/test_package.py",
        "wrapper_spec.schema.json",
    }
    assert "\n# yaml-language-server: $schema=wrapper_spec.schema.json\nwrapper_lib:" in (
        root / "my_notes.wrapper_spec"
    ).read_text(encoding="utf-8")
    assert (root / "wrapper_spec.schema.json").read_text(encoding="utf-8") == run("schema").stdout
    assert (root / "src" / "my_notes_ffi" / "__init__.py").is_file()
    assert said.splitlines()[-1].startswith("next: edit my-notes/my_notes.wrapper_spec; cd my-notes && ")
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["name"] == "my-notes-ffi"
    assert project["tool"]["scikit-build"]["wheel"]["packages"] == []
    for name, jobs in ((".github/workflows/wheels.yml", "jobs"), (".gitlab-ci.yml", None)):
        found = yaml.safe_load((root / name).read_text(encoding="utf-8"))
        commands = json.dumps((found[jobs] if jobs else found)["check"])
        assert f"wrapper-gen=={VERSION}" in commands
        assert "wrapper-gen check my_notes.wrapper_spec" in commands
    assert run("check", "my-notes/my_notes.wrapper_spec", "-o", "my-notes/src").exit_code == 0


def test_texts_of_a_project_are_clean(run: Run, tmp_path: Path) -> None:
    for lang in ("c", "c++"):
        run("new", f"a{len(lang)}", "--lang", lang, "--gitlab")
    run("new", "a2", "--header", "zlib.h", "--header", "zconf.h", "--requires", "zlib", "--link", "m")
    for path in (tmp_path / name for name in files_below(tmp_path) if "/src/" not in name):
        if path.suffix == ".json":
            json.loads(path.read_bytes())
            continue
        text = path.read_text(encoding="utf-8")
        assert text.endswith("\n") and not text.endswith("\n\n"), path
        assert not [line for line in text.splitlines() if line != line.rstrip() or len(line) > 140], path


@pytest.mark.parametrize(
    ("shown", "is_fine"),
    [
        ("half_ffi.ClosedHandleError: gone", True),
        ("ClosedHandleError: gone", True),
        ("half_ffi._runtime.ClosedHandleError: gone", True),
        ("half_ffi.ClosedHandleError: here", False),
        ("half_ffi.HalfError: gone", False),
    ],
)
def test_an_example_names_exceptions_as_users_do(shown: str, is_fine: bool, run: Run, tmp_path: Path) -> None:
    (tmp_path / "half.wrapper_spec").write_text(SPEC, encoding="utf-8")
    run("package", "half.wrapper_spec")
    text = (tmp_path / "tests" / "test_package.py").read_text(encoding="utf-8")
    known: dict[str, Any] = {"doctest": doctest}
    exec(text[text.index("class PublicNames") : text.index("@pytest.mark.parametrize")], known)
    assert not known["PublicNames"]().check_output("half_ffi.7\n", "7\n", 0)
    assert not known["PublicNames"]().check_output("half_ffi.ValueError: gone\n", "ValueError: gone\n", 0)
    raised = type("ClosedHandleError", (Exception,), {"__module__": "half_ffi._runtime"})
    example = f">>> raise E('gone')\nTraceback (most recent call last):\n{shown}\n"
    runner = doctest.DocTestRunner(known["PublicNames"](), verbose=False)
    runner.run(doctest.DocTestParser().get_doctest(example, {"E": raised}, "e", None, 0), out=lambda _: None)
    assert (runner.failures == 0) is is_fine


def test_a_second_run_writes_what_nobody_has_changed(run: Run, tmp_path: Path) -> None:
    run("new", "notes")
    root = tmp_path / "notes"
    before = {name: (root / name).read_bytes() for name in files_below(root)}
    assert "0 written, 12 unchanged" in run("new", "notes").output
    assert before == {name: (root / name).read_bytes() for name in files_below(root)}
    (root / "README.md").write_text("mine\n", encoding="utf-8")
    (root / "AGENTS.md").unlink()
    spec = root / "notes.wrapper_spec"
    spec.write_text(spec.read_text(encoding="utf-8").replace("Statistics of", "About"), encoding="utf-8")
    said = run("package", "notes/notes.wrapper_spec").output
    assert "notes/README.md: you have changed it, so it stays" in said
    assert "notes/AGENTS.md: you have removed it, so it stays away" in said
    assert "notes/notes.wrapper_spec: you have changed it" in said
    assert (root / "README.md").read_text(encoding="utf-8") == "mine\n"
    assert not (root / "AGENTS.md").exists()
    assert 'description = "About numbers."' in (root / "pyproject.toml").read_text(encoding="utf-8")


def test_a_spec_that_is_there_gets_a_project(run: Run, tmp_path: Path) -> None:
    (tmp_path / "half.wrapper_spec").write_text(SPEC, encoding="utf-8")
    (tmp_path / "README.md").write_text("mine\n", encoding="utf-8")
    said = run("package", "half.wrapper_spec").output
    assert "README.md: wrapper-gen did not write it, so it stays" in said
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == "mine\n"
    assert "project(half_ffi LANGUAGES C CXX)" in (tmp_path / "CMakeLists.txt").read_text(encoding="utf-8")
    test = (tmp_path / "tests" / "test_package.py").read_text(encoding="utf-8")
    assert "def test_example(" in test
    assert "def test_a_name_is_used(" not in test
    assert not (tmp_path / "wrapper_spec.schema.json").exists()  # the spec does not name it
    assert said.splitlines()[-1] == "next: pip install . pytest && pytest tests"
    assert "half_ffi: 14 unchanged" in run("half.wrapper_spec").output  # pyproject.toml names the folder


def test_a_folder_is_no_spec(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "half.wrapper_spec").write_text(SPEC, encoding="utf-8")
    assert "'p' is a folder: wrapper-gen package p/half.wrapper_spec" in said(run("package", "p", code=2))
    monkeypatch.chdir(tmp_path / "p")
    assert "'.' is a folder: wrapper-gen package half.wrapper_spec" in said(run("package", ".", code=2))
    (tmp_path / "empty").mkdir()
    assert "no .wrapper_spec is in it; wrapper-gen new ../empty makes" in said(run("package", "../empty", code=2))
    assert files_below(tmp_path) == {"p/half.wrapper_spec"}


def said(done: Result) -> str:
    """All of it on one line, since a terminal's width breaks lines."""
    return " ".join(done.output.split())


def test_a_project_is_that_of_one_spec(run: Run, tmp_path: Path) -> None:
    """Another spec in its folder would make it a project of another library."""
    run("new", "notes")
    root = tmp_path / "notes"
    for name in ("half", "other"):
        (root / f"{name}.wrapper_spec").write_text(SPEC, encoding="utf-8")
    before = {name: (root / name).read_bytes() for name in files_below(root)}
    refused = "the folder 'notes' has the project of notes.wrapper_spec: put half.wrapper_spec into a folder of its own"
    assert refused in said(run("package", "notes/half.wrapper_spec", code=2))
    assert "hint: did you mean 'notes/half.wrapper_spec'" in run("package", "notes/hal.wrapper_spec", code=3).output
    assert before == {name: (root / name).read_bytes() for name in files_below(root)}
    (root / "notes.wrapper_spec").unlink()
    for words in (("new", "notes"), ("package", "notes/notes.wrapper_spec")):
        assert "notes/notes.wrapper_spec:1:1: error: no such file" in run(*words, code=3).output
    run("package", "notes/half.wrapper_spec")
    assert "has the project of half.wrapper_spec" in said(run("package", "notes/other.wrapper_spec", code=2))
    assert "has the project of half.wrapper_spec" in said(run("new", "notes", code=2))


def test_a_project_stays_one_where_its_folder_gets_another_name(run: Run, tmp_path: Path) -> None:
    run("new", "notes")
    (tmp_path / "notes").rename(tmp_path / "diary")
    assert "diary: 0 written, 12 unchanged" in run("new", "diary").output


def test_a_project_that_nobody_has_changed_can_be_of_another_language(run: Run, tmp_path: Path) -> None:
    run("new", "notes")
    native = tmp_path / "notes" / "native"
    done = run("new", "notes", "--lang", "c++").output
    assert "notes/native/notes.c: removed, since the project has no use for it now" in done
    assert files_below(native) == {"notes.cpp", "notes.hpp"}
    assert files_below(tmp_path / "notes" / "src" / "notes_ffi" / "sources") == {"notes.cpp", "notes.hpp"}
    assert "over a C++ library" in (tmp_path / "notes" / "AGENTS.md").read_text(encoding="utf-8")
    assert "0 written, 12 unchanged" in run("new", "notes").output
    (native / "notes.hpp").write_text("// mine\n", encoding="utf-8")
    before = {name: (tmp_path / name).read_bytes() for name in files_below(tmp_path)}
    assert "notes/native/notes.hpp has changed since" in said(run("new", "notes", "--lang", "c", code=2))
    assert before == {name: (tmp_path / name).read_bytes() for name in files_below(tmp_path)}


@pytest.mark.parametrize("option", ["--requires", "--link"])
def test_what_finds_a_library_needs_a_header(run: Run, tmp_path: Path, option: str) -> None:
    done = said(run("new", "notes", option, "zlib", code=2))
    assert f"{option} zlib says how the library of a header is found: add --header, such as --header zlib.h" in done
    assert files_below(tmp_path) == set()


def test_a_library_that_pkg_config_does_not_know_is_told(run: Run, tmp_path: Path) -> None:
    if not shutil.which("pkg-config"):
        pytest.skip("no pkg-config")
    (tmp_path / "half.h").touch()
    done = said(run("new", "half", "--header", "half.h", "--requires", "none-such", code=2))
    assert "pkg-config knows no 'none-such': install the library with its headers, or name it with --link" in done
    assert files_below(tmp_path) == {"half.h"}


@pytest.mark.parametrize(
    ("more", "function", "used"),
    [
        ("", "version() -> text", "isinstance(half_ffi.version(), str)"),
        ("", "version_number() -> i32", "isinstance(half_ffi.version_number(), int)"),
        ("constants: {LIMIT: {type: i32, cpp: '7'}}", "state() -> i32", "isinstance(half_ffi.LIMIT, int)"),
        ("enums: [{name: E, cpp_type: int, values: {name: 3}}]", "state() -> i32", "half_ffi.E.name_ in half_ffi.E"),
        ("", "state() -> i32", ""),
    ],
)
def test_the_test_of_a_project_uses_a_name(run: Run, tmp_path: Path, more: str, function: str, used: str) -> None:
    """One that is safe to use: what a function without arguments does is not known."""
    spec = f"wrapper_lib: {{name: half}}\n{more}\nfunctions: [{{def: '{function}', cpp: of()}}]\n"
    (tmp_path / "half.wrapper_spec").write_text(spec, encoding="utf-8")
    run("package", "half.wrapper_spec")
    test = (tmp_path / "tests" / "test_package.py").read_text(encoding="utf-8")
    assert (f"\n\n\ndef test_a_name_is_used() -> None:\n    assert {used}\n" in test) == bool(used)
    assert "half_ffi.state" not in test


def test_the_last_line_is_what_to_type_next(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("clang.cindex")
    monkeypatch.setitem(main.commands, "import", import_)
    (tmp_path / "half.h").write_text("double half_of(double x);\n", encoding="utf-8")
    (tmp_path / "asks.h").write_text("char *asks_name(void);\nvoid asks_put(int n);\n", encoding="utf-8")
    build = "pip install . pytest && pytest tests"

    def last(*words: str) -> str:
        return run(*words).stdout.splitlines()[-1]

    assert last("new", "notes") == f"next: edit notes/notes.wrapper_spec; cd notes && {build}"
    assert last("new", "notes") == f"next: cd notes && {build}"
    assert last("package", "notes/notes.wrapper_spec") == f"next: cd notes && {build}"
    assert last("new", "half", "--header", "half.h") == f"next: cd half && {build}"
    assert last("new", "half") == "next: cd half && wrapper-gen import --lib half"
    assert last("package", "half/half.wrapper_spec") == f"next: cd half && {build}"
    assert last("new", "asks", "--header", "asks.h") == (
        "next: cd asks && wrapper-gen import --lib asks --answers  # or edit asks.import there, and leave --answers out"
    )


def test_a_header_that_is_nowhere_is_named_by_its_path(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The option of `import` for folders is none of this command."""
    pytest.importorskip("clang.cindex")
    monkeypatch.setitem(main.commands, "import", import_)
    done = run("new", "half", "--header", "nowhere.h", "--lang", "cpp", code=3).output
    assert "nowhere.h:1:1: error: the header does not parse: 'nowhere.h' file not found [WG301]" in done
    assert "hint: name it by its path, such as include/nowhere.h, or install what has it" in done
    assert files_below(tmp_path) == set()


def test_a_second_run_with_other_headers_names_the_import(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("clang.cindex")
    monkeypatch.setitem(main.commands, "import", import_)
    for name in ("half", "more"):
        (tmp_path / f"{name}.h").write_text(f"namespace {name} {{ int {name}_f(int a); }}\n", encoding="utf-8")
    run("new", "half", "--header", "half.h", "--lang", "c++")
    again = ("new", "half", "--header", "half.h", "--header", "more.h")
    done = run(*again, code=2).output
    where = "this project is imported from half.h, as half/half.import says; to import with what is new here: cd half"
    assert f"{where} && wrapper-gen import half.h more.h --lib half\n" in done
    assert "import --lib half --link m\n" in run("new", "half", "--header", "half.h", "--link", "m", code=2).output
    assert "stays" not in run("new", "half", "--header", "half.h", "--lang", "cpp").stdout
    run("import", "half.h", "more.h", "--lib", "half", "-o", "half")
    assert "more_f" in (tmp_path / "half" / "half.wrapper_spec").read_text(encoding="utf-8")
    assert "stays" not in run(*again).stdout


def test_comments_behind_commands_line_up(run: Run, tmp_path: Path) -> None:
    run("new", "a_rather_long_name")
    readme = (tmp_path / "a_rather_long_name" / "README.md").read_text(encoding="utf-8")
    lines = [line for line in readme.splitlines() if re.match(r"[a-z].*\S +# ", line)]
    assert len(lines) == 5
    assert any("wrapper-gen verify a_rather_long_name.wrapper_spec " in line for line in lines)
    assert len({line.index("# ") for line in lines}) == 1


def test_a_header_that_lies_there_is_found_from_the_spec(run: Run, tmp_path: Path) -> None:
    (tmp_path / "lib" / "include").mkdir(parents=True)
    (tmp_path / "lib" / "include" / "lib.hpp").touch()
    run("new", "lib", "--header", "lib/include/lib.hpp")
    spec = yaml.safe_load((tmp_path / "lib" / "lib.wrapper_spec").read_text(encoding="utf-8"))
    assert spec["wrapper_lib"]["cpp_include"] == "lib.hpp"
    assert spec["wrapper_lib"]["requires"] == [{"dirs": ["include"]}]
    assert spec["wrapper_lib"]["lang"] == "cpp"


@pytest.mark.parametrize("code", [0, 3])
def test_import_writes_the_spec_where_it_can(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    asked: list[list[str]] = []

    @click.command(context_settings={"ignore_unknown_options": True})
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def reads_headers(arguments: tuple[str, ...]) -> int:
        asked.append([*arguments])
        if code == 0:
            (tmp_path / "half").mkdir()
            (tmp_path / "half" / "half.wrapper_spec").write_text(SPEC, encoding="utf-8")
        return code

    monkeypatch.setitem(main.commands, "import", reads_headers)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "half.h").touch()
    said = run("new", "half", "--header", "lib/half.h", "--link", "half", code=code).output
    given = ["--lib", "half", "--lang", "c", "-o", "half", "--include", "lib", "--link", "half"]
    assert asked == [["half.h", *given]]
    if code:
        assert files_below(tmp_path) == {"lib/half.h"}
        return
    assert "stays" not in said
    assert (tmp_path / "half" / "half.wrapper_spec").read_text(encoding="utf-8") == SPEC
    assert "stays" not in run("new", "half").output
    assert len(asked) == 1


def test_a_folder_outside_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "lib.h").touch()
    assert (
        "warning: the folder '..' lies outside of the project [WG352]" in run("new", "lib", "--header", "lib.h").output
    )
    run("new", "other", "--header", "lib.h", "--strict", code=3)
    spec = SPEC.replace("name: half,", "name: half, requires: [{dirs: [/opt/half]}],")
    (tmp_path / "half.wrapper_spec").write_text(spec, encoding="utf-8")
    assert (
        "warning: the folder '/opt/half' is one of this machine [WG352]" in run("package", "half.wrapper_spec").output
    )
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("changed", ["native/notes.c", "native/notes.h", "notes.wrapper_spec"])
def test_a_build_without_the_generator_stops_where_something_has_changed(
    run: Run, tmp_path: Path, changed: str
) -> None:
    """It would compile what was copied before."""
    run("new", "notes")
    root = tmp_path / "notes"
    command = [sys.executable, "src/notes_ffi/ffi_build.py", "--describe"]

    def described() -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)

    found = json.loads(described().stdout)
    assert {Path(each) for each in found["made_from"]} == {
        root / name for name in ("notes.wrapper_spec", "native/notes.c", "native/notes.h")
    }
    path = root / changed
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))  # as git may have it on Windows
    assert described().returncode == 0
    path.write_bytes(path.read_bytes() + (b"// another\n" if changed.startswith("native") else b"# another\n"))
    done = described()
    assert (done.returncode, done.stdout) == (7, "")
    assert done.stderr.splitlines() == [
        f"notes_ffi: {changed} has changed since src/notes_ffi was generated from it",
        "notes_ffi: hint: run `wrapper-gen notes.wrapper_spec -o src`, and commit what that writes",
    ]
    run("notes/notes.wrapper_spec", "-o", "notes/src")
    assert described().returncode == 0
    path.unlink()  # a package that is built without what it was made from
    assert described().returncode == 0


@pytest.mark.parametrize("name", ["1st", "no es", "für", "a*", "class", "int"])
def test_a_name_that_is_none_is_refused(run: Run, tmp_path: Path, name: str) -> None:
    assert f"'{name}' cannot be the name of a library: write lower case" in run("new", name, code=2).output
    assert files_below(tmp_path) == set()


def test_a_wrong_spec_writes_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "half.wrapper_spec").write_text(SPEC.replace("f64)", "f65)"), encoding="utf-8")
    assert "half.wrapper_spec:3:" in run("package", "half.wrapper_spec", code=3).output
    run("package", "none.wrapper_spec", code=3)
    assert files_below(tmp_path) == {"half.wrapper_spec"}


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"options": {"headers": 1}, "files": {}}', '{"options": {"headers": [1]}, "files": {}}']
)
def test_a_record_that_is_none_is_told(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "half.wrapper_spec").write_text(SPEC, encoding="utf-8")
    (tmp_path / RECORD).write_text(text, encoding="utf-8")
    assert (
        f"{RECORD}:1:1: error: the record of this project cannot be read"
        in run("package", "half.wrapper_spec", code=3).output
    )
    assert files_below(tmp_path) == {"half.wrapper_spec", RECORD}


def test_the_record_has_what_the_project_was_made_from(run: Run, tmp_path: Path) -> None:
    run("new", "z", "--header", "zlib.h", "--requires", "zlib")
    record = json.loads((tmp_path / "z" / RECORD).read_text(encoding="utf-8"))
    assert record["options"] == {"name": "z", "lang": "c", "headers": ["zlib.h"], "requires": ["zlib"]}
    assert "0 written" in run("new", "z").output


def test_the_folder_itself_can_be_the_project(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes").mkdir()
    monkeypatch.chdir(tmp_path / "notes")
    assert run("new", ".").output.splitlines()[-1].startswith("next: edit notes.wrapper_spec; pip install . pytest")
    assert "src/notes_ffi/__init__.py" in files_below(tmp_path / "notes")


def test_the_language_for_assistants_is_one_that_is_read(run: Run, tmp_path: Path) -> None:
    run("new", "notes")
    page = (tmp_path / "notes" / "AGENTS.md").read_text(encoding="utf-8")
    assert page.count("\n") < 100
    (spec,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "page.wrapper_spec").write_text(spec, encoding="utf-8")
    assert "page.wrapper_spec: fine (2 handle types" in run("validate", "--strict", "page.wrapper_spec").output


def test_outputs_are_listed_for_build_systems(run: Run, tmp_path: Path) -> None:
    run("new", "notes")
    listed = run("outputs", "notes/notes.wrapper_spec", "-o", "out").stdout.split()
    assert {"out/notes_ffi/cpython.cpp", "out/notes_ffi/sources/notes.c"} <= {*listed}
    data = json.loads(run("outputs", "notes/notes.wrapper_spec", "--format", "json").stdout)
    assert data["packages"] == ["notes_ffi"]
    inputs = {Path(each).name for each in data["inputs"]}
    assert {"notes.wrapper_spec", "notes.c", "notes.h", "pipeline.py"} <= inputs
    assert not (tmp_path / "out").exists()


def test_doctor_says_what_is_where(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    said = run("doctor").output
    assert f"wrapper-gen    {VERSION}, " in said
    assert "settings       runtime vendored" in said
    monkeypatch.setenv("CXX", "none-such")
    said = run("doctor", code=4).output
    assert "C++ compiler   MISSING\n" in said
    data = json.loads(run("doctor", "--format", "json", code=4).stdout)
    assert {"what": "C++ compiler", "where": "", "needed": True} in data


def test_doctor_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    there = importlib.util.find_spec
    gone = ("clang", "pygls")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name in gone else there(name, *more))
    lines = run("doctor").output.splitlines()
    needed = "MISSING; only `import`, `verify` and `compare` need it: pip install 'wrapper-gen[import]'"
    assert f"libclang       {needed}" in lines
    assert "pygls          MISSING; only `lsp` needs it: pip install 'wrapper-gen[lsp]'" in lines


def test_doctor_says_where_the_library_of_a_spec_is(run: Run, tmp_path: Path) -> None:
    run("new", "notes")
    (tmp_path / "bad.wrapper_spec").write_text(
        "wrapper_lib: {name: bad, lang: c, cpp_include: [zlib.h, none_such.h], link: [z, none_such]}\n",
        encoding="utf-8",
    )
    lines = run("doctor", "notes/notes.wrapper_spec").output.splitlines()
    assert "notes_ffi: header notes.h notes/native/notes.h" in lines
    assert len(lines) == len({*lines})
    lines = run("doctor", "bad.wrapper_spec", code=4).output.splitlines()
    assert "bad_ffi: header none_such.h was not found" in lines
    assert "bad_ffi: library libnone_such was not found" in lines
    assert [line for line in lines if line.startswith("bad_ffi: library libz /") and line.endswith("/libz.so")]
    assert len([line for line in lines if "(looked in" in line]) == 1


def test_shells_complete_commands_and_specs(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("new", "notes")
    (tmp_path / "half.wrapper_spec").write_text(SPEC, encoding="utf-8")
    (tmp_path / "hello.txt").touch()

    def completed(*words: str) -> list[str]:
        asked = {"_WRAPPER_GEN_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["wrapper-gen", *words])}
        command = [sys.executable, "-m", "wrapper_gen"]
        environment = {**os.environ, **asked, "COMP_CWORD": str(len(words))}
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
        return [line.partition(",")[2] for line in done.stdout.splitlines() if line]

    assert completed("build", "h") == ["half.wrapper_spec"]
    assert completed("package", "notes/no") == ["notes/notes.wrapper_spec"]
    assert completed("n") == ["new", "notes/"]
    assert completed("validate", "none/") == []
    assert "_WRAPPER_GEN_COMPLETE" in run("completion", "bash").output


def test_other_ends_of_lines_are_no_change(run: Run, tmp_path: Path) -> None:
    run("new", "notes")
    readme = tmp_path / "notes" / "README.md"
    readme.write_bytes(readme.read_bytes().replace(b"\n", b"\r\n"))
    assert "changed" not in run("new", "notes").output.replace("unchanged", "")


@pytest.mark.parametrize("spec", ["a b.wrapper_spec", "a;b.wrapper_spec", "a$b.wrapper_spec", "'.wrapper_spec"])
def test_a_spec_whose_name_builds_cannot_say_is_refused(run: Run, tmp_path: Path, spec: str) -> None:
    (tmp_path / spec).write_text(SPEC, encoding="utf-8")
    assert "characters that CMake or a shell reads" in run("package", spec, code=2).output
    assert files_below(tmp_path) == {spec}


@pytest.mark.parametrize(
    "options",
    [
        ("--header", 'a"b.h'),
        ("--header", "a\nb.h"),
        ("--header", "<a.h>", "--header", "x: y"),
        ("--header", "a.h", "--link", "b c"),
        ("--header", "a.h", "--link", "{"),
        ("--header", "a.h", "--requires", "a]"),
        ("--header", "a.h", "--requires", ""),
        ("--header", ""),
    ],
)
def test_odd_options_make_a_spec_or_a_diagnostic(run: Run, tmp_path: Path, options: tuple[str, ...]) -> None:
    done = CliRunner().invoke(main, ["new", "notes", *options])
    assert done.exit_code in (0, 2, 3), done.output
    assert "its own mistake" not in done.output
    if done.exit_code:
        assert files_below(tmp_path) == set()
        return
    spec = yaml.safe_load((tmp_path / "notes" / "notes.wrapper_spec").read_text(encoding="utf-8"))
    headers = spec["wrapper_lib"]["cpp_include"]
    assert (headers if isinstance(headers, list) else [headers])[0] == options[1]


def test_a_folder_that_cannot_be_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("file", "file/notes"):
        assert "'file' is a file: name a folder" in run("new", name, code=2).output
    assert files_below(tmp_path) == {"file"}


def test_a_document_of_odd_characters_comes_into_toml(run: Run, tmp_path: Path) -> None:
    odd = SPEC.replace("doc: Halves.", r'doc: "a \"b\" \\ \x7f \x1b € \U0001f600 }} {{ x }}"')
    (tmp_path / "half.wrapper_spec").write_text(odd, encoding="utf-8")
    run("package", "half.wrapper_spec")
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["description"] == 'a "b" \\     € \U0001f600 }} {{ x }}'


HEADER = "typedef struct tally tally;\ntally *tally_new(int most);\nvoid tally_free(tally *t);\n"


@pytest.mark.parametrize(
    ("arguments", "answers", "spec", "said"),
    [
        ([], "no name!\ndiary\n\n\n\n", "sources: [native/diary.c", "cannot be the name of a library"),
        (["diary"], "\n\n\n", "sources: [native/diary.c", "Header of the library"),
        (["diary"], "tally.h\n\nm\n\n\n", "link: [m]", "Its name for pkg-config"),
        (["diary", "--lang", "c++"], "\n\n", "sources: [native/diary.cpp", "next: edit"),
        (["diary", "--author", "A <a@b.c>", "--license", "MIT"], "\n", "sources: [native/diary.c", "next: edit"),
    ],
)
def test_it_asks_at_a_terminal_for_what_is_missing(
    tmp_path: Path, arguments: list[str], answers: str, spec: str, said: str
) -> None:
    pty = pytest.importorskip("pty")
    (tmp_path / "tally.h").write_text(HEADER, encoding="utf-8")
    ours, theirs = pty.openpty()
    try:
        os.write(ours, answers.encode())
        command = [sys.executable, "-m", "wrapper_gen", "new", *arguments]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 0, done.stdout
    assert said in done.stdout
    assert spec in (tmp_path / "diary" / "diary.wrapper_spec").read_text(encoding="utf-8")


def test_it_asks_nothing_elsewhere(run: Run) -> None:
    assert "Missing argument 'NAME'" in run("new", code=2).stderr
