"""What is shipped works on its own: source archive → wheel → an environment without the checkout → a built package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from packaging import tags

ROOT = Path(__file__).parents[1]
SPEC = """\
wrapper_lib:
  name: small
functions:
  - name: half
    cpp_fn: "[](i64 value) { return value / 2; }"
    params: [{name: value, type: i64}]
    return: i64
"""


def run(*command: str | Path, cwd: Path) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source archive, and the wheel that was built from it and nothing else."""
    pytest.importorskip("build")
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def environment(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel, and beside it only the libraries that it needs."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    python = folder / "bin" / "python"
    wheel = next(shipped.glob("*.whl"))
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps", wheel)
    run(*pip, cwd=folder)
    own = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
    lent = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (own / "lent.pth").write_text(
        "\n".join(sorted(lent)), encoding="utf-8"
    )  # what it names is added, not its .pth files
    return folder


def test_the_archives_hold_what_they_should(shipped: Path) -> None:
    with zipfile.ZipFile(next(shipped.glob("*.whl"))) as wheel:
        names = wheel.namelist()
    assert {"wrapper_gen/py.typed", "wrapper_gen/spec/wrapper_spec.schema.json"} <= {*names}
    carried = {
        str(path.relative_to(ROOT))
        for folder in ("templates", "runtime")
        for path in (ROOT / folder).rglob("*.*")
        if "__pycache__" not in path.parts
    }
    assert {f"wrapper_gen/{name}" for name in carried} <= {*names}
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"wrapper_gen"}
    assert not [name for name in names if "unified_gpu" in name]  # which is a distribution of its own
    with tarfile.open(next(shipped.glob("*.tar.gz"))) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert {"pyproject.toml", "README.md", *carried} <= {*names}
    assert not [name for name in names if name.endswith((".pyc", ".so"))]


def test_it_generates_and_builds_without_the_checkout(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "small.wrapper_spec").write_text(SPEC, encoding="utf-8")
    python, command = environment / "bin" / "python", environment / "bin" / "wrapper-gen"
    where = run(python, "-c", "import wrapper_gen; print(wrapper_gen.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(environment)
    run(command, "build", "specs/small.wrapper_spec", cwd=tmp_path)
    run(command, "check", "specs", cwd=tmp_path)
    program = "import sys; sys.path.append('generated'); import small_ffi; print(small_ffi.half(84))"
    assert run(python, "-c", program, cwd=tmp_path) == "42\n"


PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "small"
version = "1"
"""


@pytest.mark.slow
def test_a_wheel_of_a_package_is_tagged_as_its_extension(tmp_path: Path) -> None:
    """As docs/packages.md shows it: a wheel for this Python, then one for all later ones that have a GIL.

    Whatever else lies in the folder comes neither into the wheel nor into the source archive.
    """
    (tmp_path / "small.wrapper_spec").write_text(SPEC, encoding="utf-8")
    pytest.importorskip("build")
    pytest.importorskip("hatchling")
    run(sys.executable, "-m", "wrapper_gen", "small.wrapper_spec", "-o", ".", cwd=tmp_path)
    page = (ROOT / "docs" / "packages.md").read_text(encoding="utf-8").partition("\n## Wheels\n")[2]
    hook, settings = re.findall(r"^```(?:python|toml)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[:2]
    (tmp_path / "pyproject.toml").write_text(PROJECT + settings, encoding="utf-8")
    (tmp_path / "small_ffi" / "_small_ffi.cpython-310-other.so").touch()
    own = next(tags.sys_tags())
    kinds = {"[]": (own.interpreter, own.abi)}
    if ".abi3.so" in EXTENSION_SUFFIXES:
        kinds["['--abi3']"] = ("cp311", "abi3")
    for options, kind in kinds.items():
        built = hook.replace('"small_ffi/ffi_build.py"]', f'"small_ffi/ffi_build.py", *{options}]')
        assert options == "[]" or built != hook
        (tmp_path / "hatch_build.py").write_text(built, encoding="utf-8")
        run(sys.executable, tmp_path / "small_ffi" / "ffi_build.py", cwd=tmp_path)  # as the developer has it
        for kind_of_archive in ("--wheel", "--sdist"):
            where = (kind_of_archive, "--no-isolation", "--outdir", tmp_path / "dist")
            run(sys.executable, "-m", "build", *where, cwd=tmp_path)
        with tarfile.open(tmp_path / "dist" / "small-1.tar.gz") as archive:
            names = archive.getnames()
        assert "small-1/small_ffi/ffi_build.py" in names
        assert not [name for name in names if name.endswith((".so", ".o")) or "/build/" in name]
        (wheel,) = (tmp_path / "dist").glob("*.whl")
        assert wheel.name.split("-")[2:4] == list(kind)
        with zipfile.ZipFile(wheel) as opened:
            (extension,) = (name for name in opened.namelist() if name.endswith(".so"))
        assert extension.endswith(".abi3.so") == (kind[1] == "abi3")
        wheel.unlink()


def test_unified_gpu_says_what_it_lacks(environment: Path, tmp_path: Path) -> None:
    """Without generated packages there is no backend, and each says how to build its own."""
    shutil.copytree(ROOT / "unified_gpu", tmp_path / "unified_gpu")
    python = environment / "bin" / "python"
    program = (
        "import unified_gpu; print([report.reason for report in unified_gpu.diagnose() if report.backend == 'cpu'])"
    )
    assert "wrapper-gen build specs/cpu.wrapper_spec" in run(python, "-c", program, cwd=tmp_path)
