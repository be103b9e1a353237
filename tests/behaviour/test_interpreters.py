"""A package in several interpreters of one process: who may import it, and that nobody breaks the main one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.behaviour.packages import ENGINES, Package

pytestmark = pytest.mark.skipif("cpython" not in ENGINES, reason="this Python has one interpreter in a process")
with_cffi = pytest.mark.skipif("cffi" not in ENGINES, reason="this Python has no cffi")
ONE_GIL = "interpreters share one GIL"

HEADER = """\
import sys
try:
    import _interpreters
except ImportError:
    import _xxsubinterpreters as _interpreters

def run(code, *, isolated=False):
    kind = ("isolated" if isolated else "legacy") if sys.version_info >= (3, 13) else None
    made = _interpreters.create(kind) if kind else _interpreters.create(isolated=isolated)
    failed = _interpreters.run_string(made, f"import sys; sys.path[:] = {sys.path!r}\\n" + code)
    assert failed is None, failed
    _interpreters.destroy(made)
"""
USE = """
import {package} as s
canvas = s.canvas("x")
part, closed = canvas.part(), s.point(1, 2)
closed.close()
try:
    closed.x
    raise SystemExit("open")
except s.ClosedHandleError as error:
    assert str(error) == "Point: this handle is closed"
try:
    s.checked(4)
except s.StatusError:
    pass
assert part.title == "x" and s.Colour.RED is s.echo_colour(s.Colour.RED)
assert s.ENGINE == {engine!r}, s.ENGINE
"""
REFUSED = """
try:
    import {package}
except ImportError as error:
    said = str(error)
assert said == {said!r}, said
"""


def program(*steps: str) -> str:
    return HEADER + "".join(steps)


def in_another(code: str, *, isolated: bool = False) -> str:
    return f"run({code!r}, isolated={isolated})\n"


def use(engine: str) -> str:
    return USE.format(package="shapes_ffi", engine=engine)


def refused(said: str, package: str = "shapes_ffi") -> str:
    return REFUSED.format(package=package, said=said)


ORDERS = {"the main one first": (0, 1, 0, 1, 0), "the main one last": (1, 0, 1, 0)}


@with_cffi
@pytest.mark.parametrize("order", ORDERS)
def test_the_cpython_engine_refuses_all_but_the_main_one(shapes_package: Package, order: str) -> None:
    said = (
        "shapes_ffi: the cpython engine of shapes_ffi works in the main interpreter only; "
        "WRAPPER_GEN_ENGINE=cffi takes the other one"
    )
    steps = (use("cpython"), in_another(refused(said)))
    done = shapes_package.python(program(*(steps[which] for which in ORDERS[order])), engine="cpython")
    assert done.stderr == ""


@with_cffi
@pytest.mark.parametrize("order", ORDERS)
def test_the_cffi_engine_works_in_each(shapes_package: Package, order: str) -> None:
    steps = (use("cffi"), in_another(use("cffi")))
    done = shapes_package.python(program(*(steps[which] for which in ORDERS[order])), engine="cffi")
    assert done.stderr == ""


@with_cffi
@pytest.mark.parametrize("order", ORDERS)
def test_by_default_others_take_the_cffi_engine(shapes_package: Package, order: str) -> None:
    warned = f"""
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
{"".join(f"    {line}" for line in use("cffi").splitlines(keepends=True))}
(warning,) = caught
assert "because the cpython one fails: the cpython engine of shapes_ffi works in the main" in str(warning.message)
"""
    steps = (use("cpython"), in_another(warned))
    done = shapes_package.python(program(*(steps[which] for which in ORDERS[order])), engine="")
    assert done.stderr == ""


@pytest.mark.skipif(sys.version_info < (3, 12), reason=ONE_GIL)
@pytest.mark.parametrize("engine", ["cpython", pytest.param("cffi", marks=with_cffi), ""])
def test_a_gil_of_its_own(shapes_package: Package, engine: str) -> None:
    code = """
try:
    import shapes_ffi
    raise SystemExit("imported")
except ImportError as error:
    assert "interpreter" in str(error), error
"""
    chosen = use(engine or "cpython")
    done = shapes_package.python(program(chosen, in_another(code, isolated=True), chosen), engine=engine)
    assert done.stderr == ""


@pytest.mark.parametrize(
    "isolated", [False, pytest.param(True, marks=pytest.mark.skipif(sys.version_info < (3, 12), reason=ONE_GIL))]
)
def test_without_a_cffi_engine(tmp_path: Path, isolated: bool) -> None:
    """A package with the cpython engine only says why there is none."""
    spec = tmp_path / "only.wrapper_spec"
    spec.write_text("wrapper_lib: {name: only}\nfunctions: [{name: one, cpp_body: return 1;, return: i64}]\n")
    # `native` is the engine's former name.
    command = [sys.executable, "-m", "wrapper_gen", "build", "--engine", "native", spec.name, "-o", "."]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    said = (
        "only_ffi: the cpython engine of only_ffi works in the main interpreter only, "
        "and it was built without its cffi engine; "
        f"run: {sys.executable} {tmp_path / 'only_ffi' / 'ffi_build.py'} --engine both"
    )
    code = program(
        "import only_ffi\n", in_another(refused(said, "only_ffi"), isolated=isolated), "assert only_ffi.one() == 1\n"
    )
    assert Package(tmp_path / "only_ffi").python(code, engine="").stderr == ""
