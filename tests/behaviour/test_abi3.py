"""One extension for CPython 3.11 and all later versions: it behaves as any other, and asks only what they keep."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from abi3info import DATAS, FUNCTIONS
from abi3info.models import PyVersion, Symbol

from tests.behaviour import packages
from tests.behaviour.packages import SHAPES, Package
from tests.limits import HANGS

pytestmark = [packages.with_abi3, pytest.mark.slow]

TESTS = (
    "c_structs", "callables", "callables_in_structs", "callables_listed", "callables_raising", "callables_threads",
    "complex", "enums", "failures", "handles", "lists", "locks", "nested", "optionals", "options", "ownership",
    "records", "scalars", "spans", "text", "threads",
)  # fmt: skip
"""What both engines do with objects of Python."""
OPTIMISED = ("enums", "failures", "handles", "lists", "optionals", "ownership", "scalars", "spans", "text")
"""Those of them that run on an optimised extension too, one for all; all of them run under the sanitizers."""
OLDEST = PyVersion(3, 11)
PROGRAM = """\
import array, gc, sys, weakref
import shapes_ffi as s

assert s.ENGINE == "cpython"
assert (s.echo_i64(-(2**62)), s.echo_u64(2**64 - 1), s.echo_f64(value=0.1), s.echo_text("Ünïcode")) == (
    -(2**62), 2**64 - 1, 0.1, "Ünïcode"
)
assert s.echo_list_f64([0.5] * 1000) == [0.5] * 1000 and s.echo_list_u8(range(200)) == list(range(200))
assert s.echo_list_text(("a", "b")) == ["a", "b"] and s.total_f64(array.array("d", [1.5, 2.5])) == 4
for call, said in (
    (lambda: s.echo_bool(b""), "value: a bool is wanted, not bytes"),
    (lambda: s.echo_list_i8([1, 1000]), "values[1]: 1000 does not fit i8"),
    (lambda: s.Point(), "Point cannot be made directly"),
):
    try:
        call()
    except (TypeError, OverflowError) as error:
        assert said in str(error), error
    else:
        raise AssertionError(said)

class Mine(s.Point):
    pass

for _ in range(100):
    mine = Mine.point(1.5)
    mine.itself = mine
    gone = weakref.ref(mine)
    assert type(mine) is Mine and not mine.closed and repr(mine).startswith("<Mine at")
    parts = [s.canvas("title").part()]
    for _ in range(100):
        parts.append(parts[-1].following())
    last = parts[-1]
    assert (last.depth, s.live(2)) == (101, 101)
    del mine, parts, last
    gc.collect()
    assert gone() is None and [s.live(i) for i in range(3)] == [0, 0, 0]
with s.origin() as point:
    assert point.x == 0
try:
    point.x
except s.ClosedHandleError:
    print(sys.version_info[:2])
"""
"""What the tests above do a thousand times, for a Python that has neither cffi nor pytest."""


def other_pythons() -> list[str]:
    """Further versions of CPython that are installed: on the PATH, or beside this one."""
    beside = Path(sys.base_prefix).parent.glob("3.*/bin/python3.*")
    paths = [str(path) for path in sorted(beside) if re.fullmatch(r"python3\.\d+", path.name)]
    paths += [found for minor in range(11, 30) if (found := shutil.which(f"python3.{minor}"))]
    return [path for path in paths if _takes_abi3(path)]


def _takes_abi3(python: str) -> bool:
    asked = (
        "import sys, importlib.machinery as m; print(sys.version_info > (3, 12) and '.abi3.so' in m.EXTENSION_SUFFIXES)"
    )
    done = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=False)
    return done.stdout == "True\n"


@pytest.fixture(scope="module")
def package() -> Package:
    return packages.build(SHAPES, abi3=True)


def extension(package: Package) -> Path:
    (found,) = package.folder.glob("*.so")
    return found


def test_its_name_says_so(package: Package) -> None:
    assert extension(package).name == "_shapes_ffi.abi3.so"


@pytest.mark.long
def test_it_behaves_as_any_other(package: Package) -> None:
    files = [str(packages.HERE / f"test_{name}.py") for name in OPTIMISED]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *files],
        env={**os.environ, packages.ABI3: "1", packages.FLAGS: "-O2"},  # as users compile it
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-8000:]


def test_it_uses_only_what_later_versions_keep(package: Package) -> None:
    if shutil.which("nm") is None:
        pytest.skip("no nm")
    listed = subprocess.run(
        ["nm", "-D", "--undefined-only", str(extension(package))], capture_output=True, text=True, check=True
    ).stdout
    used = re.findall(r"\b_?Py\w+", listed)
    shown = {"PyType_FromSpecWithBases", "_Py_NoneStruct", "PyImport_ImportModule"}
    assert shown <= set(used), "nm shows what both engines use"
    added = {name: (FUNCTIONS.get(Symbol(name)) or DATAS.get(Symbol(name))) for name in used}
    assert [name for name, known in added.items() if known is None or known.added > OLDEST] == []


def test_headers_use_it_too() -> None:
    """Later headers declare some of the rest all the same, and then an older CPython does not load the package."""
    newer = {symbol.name for symbol, known in FUNCTIONS.items() if known.added > OLDEST}
    newer -= {"Py_TYPE", "Py_REFCNT"}  # for older versions, they read the object
    used = re.compile(rf"\b({'|'.join(sorted(newer))})\(")
    found: list[str] = []
    for header in sorted((packages.ROOT / "runtime/include/wg/cpython").glob("*.hpp")):
        around: list[str] = []
        for number, line in enumerate(header.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("#if"):
                around.append(line)
            elif line.startswith("#elif"):
                around[-1] += line
            elif line.startswith("#endif"):
                around.pop()
            elif used.search(line) and not re.search("Py_LIMITED_API|Py_GIL_DISABLED", " ".join(around)):
                found.append(f"{header.name}:{number}: {line.strip()}")
    assert found == []


def test_one_file_for_all_versions(package: Package) -> None:
    pythons = other_pythons()
    if not pythons:
        pytest.skip("there is no later CPython here")
    for python in pythons:
        done = subprocess.run(
            [python, "-c", PROGRAM],
            env={**os.environ, "PYTHONPATH": str(package.folder.parent), "WRAPPER_GEN_ENGINE": "cpython"},
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), f"{python}: {done.stderr}"
        assert re.fullmatch(r"\(3, \d+\)\n", done.stdout)
