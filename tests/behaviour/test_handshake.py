"""An extension that belongs to another spec is refused at import, by name and with the command that mends it."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES, Package

SPEC = """\
wrapper_lib: {{name: shake}}
enums:
  - {{name: Mood, cpp_type: int, values: {{{values}}}}}
handle_types:
  - {{name: Thing, cpp_type: std::string, doc: {doc}, {drop}}}
functions:
  - {{name: first, cpp_body: "return 1;", params: [{{name: a, type: {type}}}], return: i64}}
  - {{name: second, cpp_body: "return {result};", return: {returns}}}
  - {{name: take, cpp_body: "static_cast<void>(t);", params: [{{name: t, type: Thing, mode: {mode}}}]}}
{more}"""
SAME = {
    "values": "GOOD: 1, BAD: 2", "doc": "x", "drop": "drop_fn: rt_shake_drop", "type": "i64", "result": "2",
    "returns": "i64", "mode": "borrow", "more": "",
}  # fmt: skip


def command(package: Package) -> str:
    return shlex.join([sys.executable, str(package.folder / "ffi_build.py")])


def text(**changes: str) -> str:
    return SPEC.format(**{**SAME, **changes})


@pytest.fixture(scope="module")
def built() -> Package:
    return packages.build_text(text(), name="shake")


def with_sources_of(built: Package, changed: str, folder: Path) -> Package:
    """A package with the files that another spec generates, and the extension that was built before."""
    package = folder / "shake_ffi"
    shutil.copytree(
        packages.generate_text(changed, name="shake"), package, ignore=shutil.ignore_patterns("*.so", "build")
    )
    for extension in built.folder.glob("*.so"):
        shutil.copy(extension, package)
    return Package(package)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"type": "i32"}, ["rt_shake_first"]),
        ({"type": "text", "returns": "u64"}, ["rt_shake_first", "rt_shake_second"]),
        ({"returns": "f64"}, ["rt_shake_second"]),
        ({"mode": "take"}, ["rt_shake_take"]),
        ({"more": '  - {name: third, cpp_body: "return;"}\n'}, ["rt_shake_third"]),
        ({"values": "BAD: 2, GOOD: 1"}, ["Mood"]),
        ({"values": "GOOD: 1, BAD: 2, UGLY: 3"}, ["Mood"]),
        ({"values": "GOOD: 1"}, ["Mood"]),
        ({"drop": "drop_fn: rt_shake_other"}, ["rt_shake_other"]),
    ],
)
def test_another_spec(built: Package, engine: str, tmp_path: Path, changes: dict[str, str], named: list[str]) -> None:
    package = with_sources_of(built, text(**changes), tmp_path)
    done = package.python("import shake_ffi", engine=engine, check=False)
    assert done.returncode == 1, "it must not be imported, nor crash"
    last = done.stderr.strip().split("\n")[-1]
    assert last.startswith("ImportError: the extension of shake_ffi was built from another spec")
    assert last.endswith(f"; run: {command(package)}")
    assert all(name in last for name in named)
    assert "rt_shake_second" in named or "rt_shake_second" not in last


WITHOUT_DIGESTS = """\
#define wg_shake_fingerprints wg_shake_unfingerprints
#define PyModule_AddStringConstant(module, name, value) \\
    PyModule_AddStringConstant(module, sizeof(name) == sizeof("fingerprints") ? "un" name : name, value)
"""
"""What lets the rows of the runtime, which name the functions, leave one out."""
WITHOUT_BOTH = """\
#define wg_shake_fingerprint wg_shake_unfingerprint
#define wg_shake_fingerprints wg_shake_unfingerprints
#define PyModule_AddStringConstant(module, name, value) PyModule_AddStringConstant(module, "un" name, value)
"""


@pytest.fixture(scope="module", params=["fingerprints?", "fingerprints"])
def older(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Package:
    """A package whose extension lacks a part of the handshake, as those of earlier generators do."""
    folder = tmp_path_factory.mktemp("older") / "shake_ffi"
    shutil.copytree(packages.generate_text(text(type="i32"), name="shake"), folder)
    for source in (*folder.glob("*.cpp"), *folder.glob("*.h")):
        written = source.read_text(encoding="utf-8")
        source.write_text(re.sub(rf"(?<=[_\"]){request.param}\b", r"un\g<0>", written), encoding="utf-8")
    engine = folder / "cpython.cpp"
    included = '#include "bridge.cpp"\n'
    renamed = WITHOUT_BOTH if request.param == "fingerprints?" else WITHOUT_DIGESTS
    engine.write_text(engine.read_text(encoding="utf-8").replace(included, included + renamed), encoding="utf-8")
    return packages.build_folder(folder)


@pytest.mark.quick(1)
def test_an_earlier_generator(older: Package, engine: str, tmp_path: Path) -> None:
    package = with_sources_of(older, text(), tmp_path)
    done = package.python("import shake_ffi", engine=engine, check=False)
    last = done.stderr.strip().split("\n")[-1]
    assert last == f"ImportError: the extension of shake_ffi was built from another spec; run: {command(package)}"


@pytest.mark.parametrize("changes", [{"doc": "other words"}, {"result": "3"}])
def test_what_no_caller_relies_on_may_change(
    built: Package, engine: str, tmp_path: Path, changes: dict[str, str]
) -> None:
    package = with_sources_of(built, text(**changes), tmp_path)
    done = package.python("import shake_ffi; print(shake_ffi.second(), shake_ffi.Mood.BAD.value)", engine=engine)
    assert done.stdout == "2 2\n"


def test_no_extension(tmp_path: Path, engine: str) -> None:
    package = tmp_path / "shake_ffi"
    shutil.copytree(
        packages.generate_text(text(), name="shake"), package, ignore=shutil.ignore_patterns("*.so", "build")
    )
    done = Package(package).python("import shake_ffi", engine=engine, check=False)
    last = done.stderr.strip().split("\n")[-1]
    assert last == f"ImportError: shake_ffi is not built for this Python; run: {command(Package(package))}"


def test_an_extension_that_is_none(built: Package, tmp_path: Path, engine: str) -> None:
    package = with_sources_of(built, text(), tmp_path)
    next(package.folder.glob("*.so")).write_bytes(b"no extension")
    done = package.python("import shake_ffi", engine=engine, check=False)
    assert done.returncode == 1
    assert "ImportError" in done.stderr.strip().split("\n")[-1]


def test_without_cffi(built: Package) -> None:
    """The cpython engine needs none; the other says so."""
    hide = "import sys; sys.modules['_cffi_backend'] = sys.modules['cffi'] = None\n"
    if "cpython" in ENGINES:
        done = built.python(hide + "import shake_ffi; print(shake_ffi.ENGINE)", engine="")
        assert done.stdout == "cpython\n"
    if "cffi" in ENGINES and sys.implementation.name == "cpython":  # PyPy's own cannot be hidden
        done = built.python(hide + "import shake_ffi", engine="cffi", check=False)
        assert "_cffi_backend" in done.stderr.strip().split("\n")[-1]


def test_engines_are_chosen_by_name(built: Package) -> None:
    for name in ENGINES:
        assert built.python("import shake_ffi; print(shake_ffi.ENGINE)", engine=name).stdout == f"{name}\n"
    for name in ("cpython", "native"):  # its former name
        done = built.python("import shake_ffi; print(shake_ffi.ENGINE)", engine=name, check=False)
        if "cpython" in ENGINES:
            assert done.stdout == "cpython\n"
        else:
            assert "shake_ffi: the cpython engine is for CPython; WRAPPER_GEN_ENGINE=cffi" in done.stderr
    done = built.python("import shake_ffi", engine="both", check=False)
    assert "WRAPPER_GEN_ENGINE is 'both'" in done.stderr
