"""What changed between two versions of a package, and which version that asks for."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from wrapper_gen.cli import main
from wrapper_gen.compare import ApiChange, next_version

SPEC = """\
wrapper_lib: {name: demo, version: 1.2.3, lang: c}
cpp_prelude: |
  typedef struct pair { int first, second; } pair;
  typedef struct store store;
  store *store_open(const char *path, int mode);
  void store_close(store *of);
  int store_put(store *of, const char *key, int times);
  int count(void);
  pair both(void);
enums:
  - {name: Mode, cpp_type: int, values: {READ: 1, WRITE: 2}}
structs:
  - {name: Pair, cpp_type: pair, fields: {first: i32, second: i32}}
handle_types:
  - name: Store
    cpp_type: store *
    release: store_close
    methods:
      - {def: "Store(path: text, mode: Mode = READ)", cpp: "store_open(path, mode)"}
      - {def: "put(key: text, times: i32 = 1) -> i32", cpp_body: "return 0;"}
      - {def: "size -> i32", cpp: "store_put(self, \\"\\", 0)"}
constants: {LIMIT: {type: i32, cpp: "7"}}
functions:
  - {def: "count() -> i32"}
  - {def: "both() -> Pair"}
"""
BREAKING = {
    "a function is gone": ('  - {def: "count() -> i32"}\n', ""),
    "a parameter is gone": ("put(key: text, times: i32 = 1)", "put(key: text)"),
    "a parameter has no default any more": ("times: i32 = 1", "times: i32"),
    "a parameter has another name": ("key: text, times", "name: text, times"),
    "a parameter is new": ("put(key: text, times: i32 = 1)", "put(key: text, flags: i32, times: i32 = 1)"),
    "a parameter takes less": ("put(key: text, times: i32 = 1)", "put(key: text, times: bool = False)"),
    "a result may be None": ("count() -> i32", "count() -> i32?"),
    "an enum value is gone": ("{READ: 1, WRITE: 2}", "{READ: 1}"),
    "an enum value is another": ("{READ: 1, WRITE: 2}", "{READ: 1, WRITE: 3}"),
    "enum values changed places": ("{READ: 1, WRITE: 2}", "{READ: 2, WRITE: 1}"),
    "a constant is another": ('{type: i32, cpp: "7"}', '{type: i32, cpp: "8"}'),
    "a field is gone": ("{first: i32, second: i32}", "{first: i32}"),
    "fields changed places": ("{first: i32, second: i32}", "{second: i32, first: i32}"),
    "a property is a method": ('"size -> i32"', '"size() -> i32"'),
    "a default is another": ("times: i32 = 1", "times: i32 = 2"),
}
FINE = {
    "a function is new": ("functions:\n", 'functions:\n  - {def: "more() -> i32", cpp: count}\n'),
    "a parameter takes more": ("Store(path: text,", "Store(path: text?,"),
    "an enum value is new": ("{READ: 1, WRITE: 2}", "{READ: 1, WRITE: 2, BOTH: 3}"),
    "a value has a name": ("{READ: 1, WRITE: 2}", "{READ: 1, WRITE: O_CREAT}"),
    "documentation": ('{def: "count() -> i32"}', '{def: "count() -> i32", doc: How many there are.}'),
    "a parameter at the end with a default": ("times: i32 = 1)", "times: i32 = 1, more: bool = False)"),
}


def compare(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["compare", *arguments])


def written(folder: Path, right: str, wrong: str) -> tuple[str, str]:
    assert SPEC.count(right) == 1
    old, new = folder / "old.wrapper_spec", folder / "new.wrapper_spec"
    old.write_text(SPEC, encoding="utf-8")
    new.write_text(SPEC.replace(right, wrong), encoding="utf-8")
    return str(old), str(new)


@pytest.mark.parametrize("name", BREAKING)
def test_what_breaks_callers(name: str, tmp_path: Path) -> None:
    done = compare(*written(tmp_path, *BREAKING[name]))
    assert done.exit_code == 1, done.output
    assert "the next version is 2.0.0" in done.stdout


@pytest.mark.parametrize("name", FINE)
def test_what_breaks_nobody(name: str, tmp_path: Path) -> None:
    done = compare(*written(tmp_path, *FINE[name]))
    assert done.exit_code == 0, done.output
    assert "Python callers are not broken" in done.stdout or "Nothing that callers see has changed." in done.stdout


def test_data(tmp_path: Path) -> None:
    done = compare(*written(tmp_path, *FINE["a function is new"]), "--format", "json")
    data = json.loads(done.stdout)
    assert (data["suggested"], data["breaking"]) == ("1.3.0", False)
    assert {"of": "Python", "name": "more", "kind": "added", "breaking": False, "what": "a new function"} in data[
        "changes"
    ]
    assert {each["name"] for each in data["changes"]} == {"more", "rt_demo_more"}


def test_a_package_and_its_spec_are_the_same(tmp_path: Path) -> None:
    spec = tmp_path / "demo.wrapper_spec"
    spec.write_text(SPEC, encoding="utf-8")
    assert CliRunner().invoke(main, [str(spec), "-o", str(tmp_path / "generated")]).exit_code == 0
    done = compare(str(spec), str(tmp_path / "generated" / "demo_ffi"))
    assert (done.exit_code, "Nothing that callers see has changed." in done.stdout) == (0, True)
    done = compare(str(spec), str(tmp_path / "generated"))
    assert "is no generated package: it has no __init__.pyi with a bridge.h; demo_ffi in it is one" in done.stderr


def test_other_packages_and_specs_without_a_version(tmp_path: Path) -> None:
    one, two = tmp_path / "one.wrapper_spec", tmp_path / "two.wrapper_spec"
    for spec in (one, two):
        spec.write_text(f"wrapper_lib: {{name: {spec.stem}}}\n", encoding="utf-8")
    said = compare(str(one), str(two)).stdout
    assert "one_ffi and two_ffi are two packages" in said
    assert "The spec says no `version` under `wrapper_lib`" in said


@pytest.mark.skipif(not shutil.which("git"), reason="there is no git")
def test_a_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "specs").mkdir()
    spec = tmp_path / "specs" / "demo.wrapper_spec"
    spec.write_text(SPEC, encoding="utf-8")
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *command], check=True, cwd=tmp_path)
    spec.write_text(SPEC.replace("count() -> i32", "count() -> i32?"), encoding="utf-8")
    done = compare("HEAD:specs/demo.wrapper_spec", "specs/demo.wrapper_spec")
    assert "- `count` changed: the result was int, and is int | None" in done.stdout
    assert compare("never:specs/demo.wrapper_spec", "specs/demo.wrapper_spec").exit_code == 3
    assert compare("HEAD:specs/other.wrapper_spec", "specs/demo.wrapper_spec").exit_code == 3
    assert "HEAD is a revision: which file of it says HEAD:FILE" in compare("HEAD", str(spec)).stderr
    assert "HEAD: names no file of the revision 'HEAD'" in compare("HEAD:", str(spec)).stderr


@pytest.mark.parametrize("argument", ["nothing", ".", "notes.txt"])
def test_what_cannot_be_compared(argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("", encoding="utf-8")
    done = compare(argument, argument)
    assert done.exit_code == 3
    assert "[WG334]" in done.stderr


@pytest.mark.parametrize(
    ("old", "kinds", "new"),
    [
        ("1.2.3", [], "1.2.3"),
        ("1.2.3", ["changed"], "1.2.4"),
        ("1.2.3", ["added", "changed"], "1.3.0"),
        ("1.2.3", ["added", "breaking"], "2.0.0"),
        ("0.2", ["breaking"], "0.3.0"),
        ("0.2.1", ["added"], "0.2.2"),
        ("tomorrow", ["added"], ""),
    ],
)
def test_the_next_version(old: str, kinds: list[str], new: str) -> None:
    changes = [ApiChange("Python", "x", each, each == "breaking", "") for each in kinds]
    assert next_version(old, [*changes, ApiChange("C", "y", "changed", True, "")] if changes else []) == new
