"""The three ways in which packages have their runtime: their own, one beside all of them, a distribution."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.behaviour import packages
from tests.compilers import as_for_quick_tests, compiling, environment, quick, quick_linking
from tests.limits import HANGS
from wrapper_gen import runtime_files
from wrapper_gen.resources import RUNTIME
from wrapper_gen.runtime_files import FOLDER

SPEC = """\
wrapper_lib: {name: NAME}
cpp_prelude: "struct Thing { int value; };"
handle_types:
  - name: Thing
    cpp_type: "::Thing"
    methods:
      - {def: "Thing(value: i32)", cpp_body: "return Thing{value};"}
      - {def: "value() -> i32", cpp_body: return h.inner.value;}
      - {def: "old() -> i32", cpp_body: return 1;, deprecated: use value()}
functions:
  - {def: "fail()", cpp_body: 'throw std::runtime_error("NAME failed");'}
  - {def: "total(of: [i32]) -> i64", cpp_body: "i64 sum = 0; for (auto each : of) sum += each; return sum;"}
  - {def: "same(of: Thing) -> i32", cpp_body: return of.inner.value;}
  - {def: "count(of: [Thing]) -> i64", cpp_body: return static_cast<i64>(of.size());}
"""
USES = """
import one_ffi, two_ffi, warnings
assert one_ffi.ClosedHandleError is two_ffi.ClosedHandleError, "one class for all packages"
assert one_ffi.LibraryUnavailable is two_ffi.LibraryUnavailable
assert one_ffi.OneError.__base__ is two_ffi.TwoError.__base__
for package in (one_ffi, two_ffi):
    with package.Thing(7) as thing:
        assert thing.value() == 7 and package.total([1, 2]) == 3
    try:
        thing.value()
    except two_ffi.ClosedHandleError as error:
        assert str(error) == "Thing: this handle is closed" or str(error) == "this Thing is closed", error
    try:
        package.fail()
    except two_ffi.TwoError.__base__ as error:
        print(error)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        package.Thing(1).old()
    assert [each.filename for each in seen] == ["<string>"], seen
try:
    one_ffi.Thing.value(two_ffi.Thing(1))
except TypeError as error:
    print(type(error).__name__)
print(one_ffi.ENGINE, two_ffi.ENGINE)
"""


def run(*command: object, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )


def wrapper_gen(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "-m", "wrapper_gen", *arguments, folder=folder)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two packages that share a runtime, as `pyproject.toml` says."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "pyproject.toml").write_text('[tool.wrapper-gen]\nruntime = "shared"\n', encoding="utf-8")
    build(folder)
    return folder


def build(folder: Path, *options: str) -> None:
    (folder / "specs").mkdir()
    for name in ("one", "two"):
        text = SPEC.replace("NAME", name)
        (folder / "specs" / f"{name}.wrapper_spec").write_text(text, encoding="utf-8")
    with compiling(quick(), quick_linking("g++")):
        done = wrapper_gen("build", "--engine", packages.BUILT, *options, "specs", folder=folder)
    assert done.returncode == 0, done.stderr


def use(folder: Path, engine: str, *paths: Path, program: str = USES) -> subprocess.CompletedProcess[str]:
    found = os.pathsep.join(map(str, [folder / "generated", *paths]))
    return run(sys.executable, "-c", program, folder=folder, PYTHONPATH=found, WRAPPER_GEN_ENGINE=engine)


SAID = "one failed\ntwo failed\nTypeError\n"


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_packages_that_share_one_have_one_class_of_each_error(project: Path, engine: str) -> None:
    done = use(project, engine)
    assert (done.stdout, done.stderr) == (f"{SAID}{engine} {engine}\n", "")
    assert not [*(project / "generated").glob("*/_runtime")]


def test_a_shared_runtime_is_whole_whichever_spec_is_generated(project: Path) -> None:
    there = {path.relative_to(project / "generated").as_posix() for path in (project / "generated" / FOLDER).rglob("*")}
    assert set(runtime_files.shared()) <= there
    assert wrapper_gen("check", "specs", folder=project).returncode == 0
    assert wrapper_gen("check", "specs/one.wrapper_spec", folder=project).returncode == 0


def test_check_sees_a_runtime_that_is_edited_incomplete_or_has_too_much(project: Path) -> None:
    runtime = project / "generated" / FOLDER
    edited, missing, extra = runtime / "_support.py", runtime / "wg" / "base" / "gil.hpp", runtime / "_old.py"
    before = {path: path.read_bytes() for path in (edited, missing)}
    try:
        edited.write_bytes(before[edited] + b"# edited\n")
        missing.unlink()
        extra.write_text(f"# Generated by wrapper-gen from {runtime_files.ORIGIN}. DO NOT EDIT.\n", encoding="utf-8")
        done = wrapper_gen("check", "specs/two.wrapper_spec", folder=project)
        assert done.returncode == 1
        for state, path in (("changed", edited), ("missing", missing), ("stale", extra)):
            assert f"{state:8} {path.relative_to(project)}" in done.stdout
        assert wrapper_gen("specs/two.wrapper_spec", folder=project).returncode == 0
        assert {path: path.read_bytes() for path in before} == before and not extra.exists()
    finally:
        extra.unlink(missing_ok=True)
        for path, content in before.items():
            path.write_bytes(content)


def test_check_names_a_runtime_that_is_missing_once(project: Path) -> None:
    """And not its two hundred files; generating any spec brings it back."""
    runtime, away = project / "generated" / FOLDER, project / "away"
    runtime.rename(away)
    try:
        done = wrapper_gen("check", "specs/two.wrapper_spec", folder=project)
        assert (done.returncode, done.stdout) == (
            1,
            f"missing  generated/{FOLDER}/\nto mend it, run: wrapper-gen specs/two.wrapper_spec\n",
        )
        done = wrapper_gen("check", "--format", "sarif", "specs/two.wrapper_spec", folder=project)
        found = json.loads(done.stderr)["runs"][0]["results"]
        assert [each["message"]["text"].partition("\n")[0] for each in found] == ["this is generated, and missing"]
        assert wrapper_gen("specs/two.wrapper_spec", folder=project).returncode == 0
        assert {path.name for path in runtime.iterdir()} >= {"__init__.py", "_support.py", "wg"}
    finally:
        shutil.rmtree(runtime, ignore_errors=True)
        away.rename(runtime)


def test_a_runtime_that_is_the_users_own_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "one.wrapper_spec").write_text(SPEC.replace("NAME", "one"), encoding="utf-8")
    own = tmp_path / "generated" / FOLDER / "__init__.py"
    own.parent.mkdir(parents=True)
    own.write_text("mine\n", encoding="utf-8")
    done = wrapper_gen("--runtime", "shared", "one.wrapper_spec", folder=tmp_path)
    assert done.returncode == 3
    assert f"generated/{FOLDER}/__init__.py:1:1: error: cannot write the output: a file that wrapper" in done.stderr
    assert own.read_text(encoding="utf-8") == "mine\n"
    assert [path.name for path in own.parent.parent.iterdir()] == [FOLDER]


@pytest.mark.slow
def test_what_was_built_with_another_text_of_the_runtime_is_built_again(tmp_path: Path) -> None:
    (tmp_path / "one.wrapper_spec").write_text(SPEC.replace("NAME", "one"), encoding="utf-8")
    with compiling(quick(), quick_linking("g++")):
        done = wrapper_gen("build", "--stub", "--runtime", "shared", "one.wrapper_spec", folder=tmp_path)
        assert done.returncode == 0, done.stderr
        for name, ending in (("wg/errors/support.hpp", "// edited\n"), ("_dependencies.py", "# edited\n"), ("", "")):
            path = tmp_path / "generated" / FOLDER / name
            if name:
                path.write_text(path.read_text(encoding="utf-8") + ending, encoding="utf-8")
            done = run(sys.executable, "generated/one_ffi/ffi_build.py", "--stub", folder=tmp_path)
            assert json.loads(done.stdout)["rebuilt"] is bool(name), (name, done.stderr)


def test_a_project_that_no_longer_shares_one_is_rid_of_it(project: Path) -> None:
    done = wrapper_gen("--dry-run", "--runtime", "vendored", "specs", folder=project)
    assert f"to remove generated/{FOLDER}/_support.py" in done.stdout
    assert "to write  generated/one_ffi/_runtime/build.py" in done.stdout


@pytest.fixture(scope="module")
def vendored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package that carries its own runtime."""
    folder = tmp_path_factory.mktemp("vendored")
    (folder / "three.wrapper_spec").write_text(SPEC.replace("NAME", "three"), encoding="utf-8")
    with compiling(quick(), quick_linking("g++")):
        done = wrapper_gen("build", "--engine", packages.BUILT, "three.wrapper_spec", folder=folder)
    assert done.returncode == 0, done.stderr
    return folder / "generated"


FOREIGN = """
import one_ffi, three_ffi
for taking, giving in ((one_ffi, three_ffi), (three_ffi, one_ffi)):
    assert taking.same(taking.Thing(3)) == 3 and taking.count([taking.Thing(1)]) == 1
    for take in (lambda: taking.same(giving.Thing(1)), lambda: taking.count([taking.Thing(1), giving.Thing(1)])):
        try:
            take()
        except TypeError as error:
            print(error)
print(one_ffi.ENGINE, three_ffi.ENGINE)
"""
REFUSED = """\
of: a Thing is wanted, not Thing of three_ffi, another package with another runtime
of[1]: a Thing is wanted, not Thing of three_ffi, another package with another runtime
of: a Thing is wanted, not Thing of one_ffi, another package with another runtime
of[1]: a Thing is wanted, not Thing of one_ffi, another package with another runtime
"""


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_packages_of_two_runtimes_refuse_each_others_handles(project: Path, vendored: Path, engine: str) -> None:
    done = use(project, engine, vendored, program=FOREIGN)
    assert (done.stdout, done.stderr) == (f"{REFUSED}{engine} {engine}\n", "")


@pytest.mark.parametrize("runtime", ["shared", "package"])
def test_a_package_without_its_runtime_says_what_is_missing(project: Path, tmp_path: Path, runtime: str) -> None:
    """Copied alone, or where nothing is installed: imported, and built."""
    if runtime == "shared":
        shutil.copytree(project / "generated" / "one_ffi", tmp_path / "one_ffi")
    else:
        assert wrapper_gen("--runtime", runtime, project / "specs", "-o", tmp_path, folder=project).returncode == 0
    hint = {
        "shared": f"copy the folder {FOLDER} beside the package too, or generate both",
        "package": "install wrapper-gen-runtime of that version beside the package",
    }[runtime]
    missing, version = f"No module named '{FOLDER}'", runtime_files.abi()
    done = run(sys.executable, "-S", "-c", "import one_ffi", folder=tmp_path)  # without what is installed
    assert (
        done.stderr.splitlines()[-1] == f"ImportError: one_ffi needs version {version} of {FOLDER} ({missing}): {hint}"
    )
    done = run(sys.executable, "-S", "one_ffi/ffi_build.py", folder=tmp_path)
    said = f"one_ffi: it needs version {version} of {FOLDER} to be built: {missing}\none_ffi: hint: {hint}\n"
    assert (done.returncode, done.stderr) == (3, said)


def test_a_build_by_a_runtime_of_another_version_is_refused(project: Path) -> None:
    path = project / "generated" / FOLDER / "__init__.py"
    before = path.read_text(encoding="utf-8")
    try:
        path.write_text(before.replace(f"ABI = {runtime_files.abi()}", "ABI = 99"), encoding="utf-8")
        done = run(sys.executable, "generated/one_ffi/ffi_build.py", folder=project)
    finally:
        path.write_text(before, encoding="utf-8")
    first, second = done.stderr.splitlines()
    assert done.returncode == 3
    assert first.startswith(f"one_ffi: it needs version {runtime_files.abi()} of {FOLDER} to be built: the one in ")
    assert first.endswith(f"{Path(FOLDER) / '_build.py'} is version 99")
    assert second == f"one_ffi: hint: copy the folder {FOLDER} beside the package too, or generate both"


@pytest.mark.parametrize(
    ("abi", "said"),
    [
        (99, "it was generated for version 99 of "),
        (runtime_files.abi(), "a later wrapper-gen made it: this runtime knows no 'made_at'"),
    ],
)
def test_a_build_of_what_a_later_generator_describes_is_refused(project: Path, abi: int, said: str) -> None:
    """As packages ask for it that do not look at the version themselves."""
    script = project / "generated" / "one_ffi" / "later_build.py"
    text = (script.parent / "ffi_build.py").read_text(encoding="utf-8")
    text = text.replace(f"build.ABI != {runtime_files.abi()}", "False").replace(
        '"made_from"', '"made_at": "", "made_from"'
    )
    script.write_text(text.replace(f"abi={runtime_files.abi()})", f"abi={abi})"), encoding="utf-8")
    done = run(sys.executable, "generated/one_ffi/later_build.py", folder=project)
    script.unlink()
    first, second = done.stderr.splitlines()
    assert done.returncode == 3
    assert first.startswith(f"one_ffi: {said}")
    assert second.startswith("one_ffi: hint: generate it anew")


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_an_extension_of_another_runtime_is_an_error_at_import(project: Path, tmp_path: Path, engine: str) -> None:
    """Everything was generated anew, and nothing built."""
    shutil.copytree(project / "generated", tmp_path / "generated")
    one, runtime = tmp_path / "generated" / "one_ffi" / "__init__.py", tmp_path / "generated" / FOLDER / "__init__.py"
    for path, old, new in (
        (one, f"abi={runtime_files.abi()},", "abi=99,"),
        (one, 'fingerprint="', 'fingerprint="f'),  # of which the version is a part
        (runtime, f"ABI = {runtime_files.abi()}", "ABI = 99"),
    ):
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
    done = use(tmp_path, engine, program="import one_ffi")
    said = "ImportError: the extension of one_ffi was built with another version of its runtime; run: "
    assert done.stderr.splitlines()[-1].startswith(said), done.stderr


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_a_runtime_of_another_version_is_an_error_at_import(project: Path, engine: str) -> None:
    path = project / "generated" / FOLDER / "__init__.py"
    before = path.read_text(encoding="utf-8")
    try:
        path.write_text(before.replace(f"ABI = {runtime_files.abi()}", "ABI = 99"), encoding="utf-8")
        done = use(project, engine, program="import one_ffi")
    finally:
        path.write_text(before, encoding="utf-8")
    assert "ImportError: one_ffi was generated for version" in done.stderr
    assert "which is 99; run: wrapper-gen build specs/one.wrapper_spec" in done.stderr


def test_a_mistake_in_a_spec_is_still_told_at_its_line(project: Path) -> None:
    text = SPEC.replace("NAME", "bad").replace("return h.inner.value;", "return h.inner.volume;")
    (project / "bad.wrapper_spec").write_text(text, encoding="utf-8")
    with as_for_quick_tests(), environment(CXXFLAGS="-O0"):
        done = wrapper_gen("build", "bad.wrapper_spec", "-o", "elsewhere", folder=project)
    assert done.returncode == 4
    assert "bad.wrapper_spec:8:" in done.stderr


@pytest.mark.slow
def test_the_distribution_is_all_that_a_package_needs(tmp_path: Path) -> None:
    """Built, and installed into a folder that stands for an environment."""
    installed = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", installed]
    done = run(*pip, RUNTIME, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    with environment(PYTHONPATH=str(installed)):
        build(tmp_path, "--runtime", "package")
    assert sorted(path.name for path in (tmp_path / "generated").iterdir()) == ["one_ffi", "two_ffi"]
    for engine in packages.ENGINES:
        done = use(tmp_path, engine, installed)
        assert (done.stdout, done.stderr) == (f"{SAID}{engine} {engine}\n", "")
