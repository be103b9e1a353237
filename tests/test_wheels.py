"""From an empty folder to a wheel: every project that `new` makes builds, installs and passes its tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

import pytest
from packaging import metadata

pytestmark = pytest.mark.slow

pytest.importorskip("scikit_build_core")
pytest.importorskip("build")

BIN = Path(sys.executable).parent
ZSTD = """\
wrapper_lib: {name: notes, version: "1", lang: c, cpp_include: zstd.h, requires: libzstd}
functions: [{def: "ZSTD_versionNumber() -> u32"}]
"""
PUBLISHED = ("--author", "Jane Doe <jane@example.org>", "--license", "mit", "--url", "https://example.org/notes")
EPOCH = {"SOURCE_DATE_EPOCH": "1700000000"}


def run(*command: str | Path, cwd: Path, code: int = 0, **environment: str) -> str:
    """What a command says, in an environment without this checkout's settings, and with the tools of this one first."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    path = f"{BIN}{os.pathsep}{inherited.get('PATH', '')}"
    done = subprocess.run(
        [str(each) for each in command],
        cwd=cwd,
        env={**inherited, "PATH": path, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout
    return done.stdout


def wrapper_gen(*arguments: str | Path, cwd: Path, code: int = 0) -> str:
    return run(sys.executable, "-m", "wrapper_gen", *arguments, cwd=cwd, code=code)


def project(folder: Path, *options: str) -> Path:
    """A new project `notes`."""
    wrapper_gen("new", "notes", *options, cwd=folder)
    return folder / "notes"


def environment(folder: Path) -> Path:
    """The Python of a new environment, which sees the tools of this one, and not this checkout."""
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    own = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
    lent = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    (own / "lent.pth").write_text("\n".join(lent), encoding="utf-8")  # what that names is added, not its .pth files
    return python


def pip(python: Path, *arguments: str | Path, cwd: Path, **more: str) -> str:
    return run(sys.executable, "-m", "pip", "--python", python, "install", "-q", *arguments, cwd=cwd, **more)


def build(root: Path, out: Path, *options: str, **more: str) -> Path:
    """The wheel of a project, through its source archive."""
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, *options, root, cwd=root.parent, **more)
    return next(out.glob("*.whl"))


def passes_its_tests(python: Path, root: Path) -> None:
    """Its tests pass over what is installed, from another folder."""
    away = root.parent / "away"
    away.mkdir(exist_ok=True)
    said = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", root / "tests", cwd=away)
    assert " passed" in said
    where = run(python, "-c", "import notes_ffi; print(notes_ffi.__file__)", cwd=away).strip()
    assert "venv" in Path(where).parts


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_a_wheel_has_no_sources_and_passes_the_tests(tmp_path: Path, lang: str) -> None:
    root = project(tmp_path, "--lang", lang, *PUBLISHED)
    (root / "src" / "notes_ffi" / f"_notes_ffi{EXTENSION_SUFFIXES[0]}").touch()  # as `wrapper-gen build` leaves it
    wheel = build(root, tmp_path / "dist", "--wheel", "--sdist")
    assert wheel.name.startswith("notes_ffi-0.1.0-cp311-abi3-")
    with zipfile.ZipFile(wheel) as opened:
        names = {name for name in opened.namelist() if ".dist-info/" not in name}
        is_published_as_said(opened.read("notes_ffi-0.1.0.dist-info/METADATA"))
        assert "notes_ffi-0.1.0.dist-info/licenses/LICENSE" in opened.namelist()
    assert names == {
        *(f"notes_ffi/{name}" for name in ("__init__.py", "__init__.pyi", "_cffi_engine.py", "py.typed")),
        *("notes_ffi/_runtime/__init__.py", "notes_ffi/_runtime/cffi.py", "notes_ffi/_notes_ffi.abi3.so"),
    }
    with tarfile.open(next((tmp_path / "dist").glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        is_published_as_said(archive.extractfile("notes_ffi-0.1.0/PKG-INFO").read())
    assert {"LICENSE", "notes.wrapper_spec", "cmake/wrapper_gen.cmake", "src/notes_ffi/cpython.cpp"} <= names
    assert not [name for name in names if name.endswith((".so", ".pyc", ".o"))]
    python = environment(tmp_path)
    pip(python, "--no-deps", "--no-index", wheel, cwd=tmp_path)
    passes_its_tests(python, root)


def is_published_as_said(data: bytes) -> None:
    """What PyPI and `twine check --strict` ask of the metadata of an archive, and what was said of the project."""
    said = metadata.Metadata.from_email(data, validate=True)  # raises where a field is wrong, or not of that version
    assert (said.license_expression, said.license_files) == ("MIT", ["LICENSE"])
    assert said.metadata_version >= "2.4"  # which has these two
    assert said.author_email == "Jane Doe <jane@example.org>"
    assert said.project_urls == {"Repository": "https://example.org/notes"}
    assert (said.summary, said.description_content_type) == ("Statistics of numbers.", "text/markdown")
    assert said.description is not None and said.description.startswith("# notes-ffi\n\nStatistics of numbers.\n")
    assert metadata.parse_email(data)[1] == {}  # fields that nobody knows


def test_pip_builds_it_where_there_is_no_generator(tmp_path: Path) -> None:
    """In an environment of the build's own, from the source archive, by pip and by uv."""
    pytest.importorskip("uv")
    root = project(tmp_path)
    python = environment(tmp_path)
    pip(python, root, cwd=tmp_path)
    passes_its_tests(python, root)
    run(BIN / "uv", "build", "-q", "--out-dir", tmp_path / "dist", root, cwd=tmp_path)
    pip(python, "--force-reinstall", next((tmp_path / "dist").glob("*.tar.gz")), cwd=tmp_path)
    passes_its_tests(python, root)


def test_a_wheel_is_not_made_of_what_was_generated_before(tmp_path: Path) -> None:
    """The build says what to run; what that writes, and the library as it is now, are in the wheel."""
    root = project(tmp_path)
    source = root / "native" / "notes.c"
    source.write_text(source.read_text(encoding="utf-8").replace("(double)count", "1"), encoding="utf-8")
    command = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path / "dist", root)
    said = run(*command, cwd=tmp_path, code=1)
    assert "native/notes.c has changed since src/notes_ffi was generated" in " ".join(said.split())
    wrapper_gen("notes.wrapper_spec", cwd=root)
    run(*command, cwd=tmp_path)
    python = environment(tmp_path)
    pip(python, "--no-deps", "--no-index", next((tmp_path / "dist").glob("*.whl")), cwd=tmp_path)
    assert run(python, "-c", "import notes_ffi; print(notes_ffi.mean([1, 2]))", cwd=tmp_path) == "3.0\n"


def test_two_builds_have_the_same_bytes(tmp_path: Path) -> None:
    """Also in two folders."""
    first, second = (
        build(project(folder), folder / "dist", "--wheel", "--sdist", **EPOCH) for folder in folders(tmp_path, "a", "b")
    )
    for one, other in ((first, second), *zip(archives(first), archives(second), strict=True)):
        assert (one.name, one.read_bytes()) == (other.name, other.read_bytes())


def folders(root: Path, *names: str) -> Iterator[Path]:
    for name in names:
        (root / name).mkdir()
        yield root / name


def archives(wheel: Path) -> Sequence[Path]:
    return sorted(wheel.parent.glob("*.tar.gz"))


def test_an_editable_install_sees_changes(tmp_path: Path) -> None:
    """With a rebuild on import, as the project's README says: of the library's source, of the spec."""
    root = project(tmp_path)
    python = environment(tmp_path)
    generator = next((tmp_path / "venv").glob("lib/*/site-packages")) / "generator.pth"
    generator.write_text(str(Path(__file__).parents[1]), encoding="utf-8")
    on = ("-C", "editable.rebuild=true", "-C", f"build-dir={tmp_path / 'objects'}", "-C", "cmake.define.WRAPPER_GEN=ON")
    pip(python, "--no-build-isolation", "--no-deps", *on, "-e", root, cwd=tmp_path)
    program = "import notes_ffi; print(notes_ffi.mean([1, 2]), hasattr(notes_ffi, 'half'))"
    assert run(python, "-c", program, cwd=tmp_path).splitlines()[-1] == "1.5 False"
    compiled = {path: path.stat().st_mtime_ns for path in (tmp_path / "objects").rglob("*.[os]*") if path.is_file()}
    assert any(path.name.endswith(".so") for path in compiled)
    assert run(python, "-c", program, cwd=tmp_path).splitlines()[-1] == "1.5 False"
    assert compiled == {path: path.stat().st_mtime_ns for path in compiled}  # nothing has changed
    source = root / "native" / "notes.c"
    source.write_text(source.read_text(encoding="utf-8").replace("(double)count", "1"), encoding="utf-8")
    spec = root / "notes.wrapper_spec"
    more = '  - {def: "half(of: f64) -> f64", cpp: of / 2}\n'
    spec.write_text(spec.read_text(encoding="utf-8") + more, encoding="utf-8")
    assert run(python, "-c", program, cwd=tmp_path).splitlines()[-1] == "3.0 True"


def test_a_plain_editable_install_works(tmp_path: Path) -> None:
    """It has no rebuild, and needs no generator."""
    root = project(tmp_path)
    python = environment(tmp_path)
    pip(python, "-e", root, cwd=tmp_path)
    program = "import notes_ffi; print(notes_ffi.mean([1, 2]), notes_ffi.STUB)"
    assert run(python, "-c", program, cwd=tmp_path) == "1.5 False\n"


def test_a_wheel_can_be_repaired(tmp_path: Path) -> None:
    """With what pkg-config finds: the library comes into the wheel."""
    pytest.importorskip("auditwheel")
    if not shutil.which("pkg-config") or subprocess.run(["pkg-config", "--exists", "libzstd"], check=False).returncode:
        pytest.skip("no libzstd with pkg-config")
    root = tmp_path / "notes"
    root.mkdir()
    (root / "notes.wrapper_spec").write_text(ZSTD, encoding="utf-8")
    wrapper_gen("package", "notes.wrapper_spec", cwd=root)
    wheel = build(root, tmp_path / "dist", "--wheel")
    run(BIN / "auditwheel", "repair", "-w", tmp_path / "repaired", wheel, cwd=tmp_path)
    (repaired,) = (tmp_path / "repaired").glob("*.whl")
    assert "manylinux" in repaired.name
    with zipfile.ZipFile(repaired) as opened:
        assert [name for name in opened.namelist() if "libzstd" in name]
    python = environment(tmp_path)
    pip(python, "--no-deps", "--no-index", repaired, cwd=tmp_path)
    passes_its_tests(python, root)


def test_workflows_are_what_their_servers_read(tmp_path: Path) -> None:
    pytest.importorskip("check_jsonschema")
    root = project(tmp_path, "--gitlab")
    for kind, path in (("github-workflows", ".github/workflows/wheels.yml"), ("gitlab-ci", ".gitlab-ci.yml")):
        run(BIN / "check-jsonschema", "--builtin-schema", f"vendor.{kind}", root / path, cwd=tmp_path)


def test_a_linter_for_workflows_has_no_objections(tmp_path: Path) -> None:
    """`jactionlint` checks what actionlint does: expressions, jobs and their needs, inputs of actions, shells."""
    linter = BIN / "jactionlint"
    if not linter.exists():
        pytest.skip("no jactionlint here: pip install --group wheels")
    workflow = project(tmp_path) / ".github" / "workflows" / "wheels.yml"
    command = (linter, "--profile", "correctness", "--shellcheck=", workflow)
    run(*command, cwd=tmp_path)
    text = workflow.read_text(encoding="utf-8")
    workflow.write_text(text.replace("matrix.os }}", "matrix.system }}", 1), encoding="utf-8")
    assert "undefined-property" in run(*command, cwd=tmp_path, code=1)


def test_cibuildwheel_builds_one_wheel_for_all_versions(tmp_path: Path) -> None:
    pytest.importorskip("cibuildwheel")
    root = project(tmp_path)
    for system, machine in (("linux", "x86_64"), ("macos", "arm64"), ("windows", "AMD64")):
        chosen = ("--print-build-identifiers", "--platform", system, "--archs", machine)
        found = [line for line in run(BIN / "cibuildwheel", *chosen, root, cwd=tmp_path).split() if line[:2] == "cp"]
        assert {line.partition("-")[0] for line in found} == {"cp311", "cp314t"}


def test_cibuildwheel_installs_the_library_on_each_system(tmp_path: Path) -> None:
    """As its own code reads pyproject.toml: a command for each image of Linux, and variables of the environment."""
    options = pytest.importorskip("cibuildwheel.options")
    (tmp_path / "notes.wrapper_spec").write_text(ZSTD, encoding="utf-8")
    wrapper_gen("package", "notes.wrapper_spec", cwd=tmp_path)
    given = options.CommandLineArguments.defaults()
    given.package_dir = tmp_path

    def read(system: str, build: str) -> Any:
        return options.Options(platform=system, command_line_arguments=given, env={}).build_options(build)

    assert read("linux", "cp311-manylinux_x86_64").before_all == "dnf -y install 'pkgconfig(libzstd)'"
    assert read("linux", "cp314t-musllinux_aarch64").before_all == "apk add pc:libzstd"
    assert read("macos", "cp311-macosx_arm64").before_all == "brew install zstd"
    tools = {"brew": "echo /opt/homebrew", "sw_vers": "echo 15.6.1"}
    (tmp_path / "bin").mkdir()
    for name, does in tools.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
        (tmp_path / "bin" / name).chmod(0o755)
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    of_macos = read("macos", "cp311-macosx_arm64").environment.as_dictionary({"PATH": path})
    assert of_macos["PKG_CONFIG_PATH"] == "/opt/homebrew/opt/zstd/lib/pkgconfig"
    assert of_macos["MACOSX_DEPLOYMENT_TARGET"] == "15.0"
    of_windows = read("windows", "cp311-win_amd64")
    assert "zstd:x64-windows-static-md" in of_windows.before_all
    folder = "C:/vcpkg/installed/x64-windows-static-md/lib/pkgconfig"
    assert of_windows.environment.as_dictionary({})["PKG_CONFIG_PATH"] == folder
