"""What `wrapper_lib` says of the whole library: its start and end, and which threads may call it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.behaviour import packages
from tests.behaviour.threads import Running
from tests.limits import HANGS

CASE = packages.HERE.parent / "cases" / "lifetime" / "spec.wrapper_spec"
LIBRARY = """\
#include <stdio.h>
#include <stdlib.h>
typedef struct tank { int level; } tank;
static int is_on;
static void say(const char *what) { fprintf(stderr, "%s%s\\n", what, is_on ? "" : " while it is off"); fflush(stderr); }
int tank_init(void) {
    const char *wanted = getenv("TANK_STATUS");
    is_on = 1;
    say("init");
    return wanted ? atoi(wanted) : 0;
}
int tank_shutdown(void) { say("shutdown"); is_on = 0; return 0; }
int tank_level(int level) { say("level"); return level; }
tank *tank_new(void) { say("new"); return (tank *)malloc(sizeof(tank)); }
void tank_free(tank *t) { say("free"); free(t); }
"""
SPEC = """\
wrapper_lib: {name: tank, init: tank_init, shutdown: tank_shutdown()}
cpp_prelude: |
@@
errors:
  - type: tank_status
    cpp_type: int
    ok: 0
    message: 'value == 3 ? "it leaks" : "it failed"'
    exception: TankFault
handle_types:
  - {name: Tank, cpp_type: tank *, cpp_drop: tank_free(h.inner)}
functions:
  - {name: tank, cpp_fn: tank_new, return: Tank}
  - {name: level, cpp_fn: tank_level, params: [{name: level, type: i32}], raises: tank_status}
  - {name: take, cpp_body: tank_free(t.inner);, params: [{name: t, type: Tank, mode: take}]}
"""
DECLARATIONS = """\
typedef struct tank { int level; } tank;
extern "C" {
int tank_init(void);
int tank_shutdown(void);
int tank_level(int level);
tank *tank_new(void);
void tank_free(tank *t);
}
"""


def indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())


LINKED = SPEC.replace("@@\n", indented(LIBRARY))
DYNAMIC = SPEC.replace("@@\n", indented(DECLARATIONS)).replace(
    "tank_shutdown()}", "tank_shutdown(), dynamic: libtank.so}"
)


def said(text: str, program: str, engine: str, **environment: str) -> list[str]:
    """What the library says while a program runs."""
    done = packages.build_text(text, name="tank").python(program, engine=engine, **environment)
    assert done.stdout == ""
    return done.stderr.splitlines()


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_it_starts_at_import_and_ends_at_exit(engine: str) -> None:
    assert said(LINKED, "import tank_ffi", engine) == ["init", "shutdown"]
    assert said(LINKED, "import tank_ffi; tank_ffi.level(0)", engine) == ["init", "level", "shutdown"]


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_it_outlives_the_last_handle(engine: str) -> None:
    closed = "import tank_ffi\nwith tank_ffi.tank(): pass\ntank_ffi.level(0)"
    assert said(LINKED, closed, engine) == ["init", "new", "free", "level", "shutdown"]
    taken = "import tank_ffi\ntank_ffi.take(tank_ffi.tank())"
    assert said(LINKED, taken, engine) == ["init", "new", "free", "shutdown"]
    if sys.implementation.name == "cpython":  # elsewhere, what nobody closed is never released
        kept = "import tank_ffi\none, two = tank_ffi.tank(), tank_ffi.tank()"
        assert said(LINKED, kept, engine) == ["init", "new", "new", "free", "free", "shutdown"]


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_it_does_not_end_while_a_handle_lives(engine: str) -> None:
    leaked = """
import os, sys
import tank_ffi
handle = tank_ffi.tank()
import atexit
@atexit.register
def keep():  # runs before the package's own, and lives on with what refers to itself
    import ctypes
    if sys.implementation.name == "cpython":
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(handle))
"""
    assert said(LINKED, leaked, engine) == ["init", "new"]


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_a_failing_start_is_an_import_error(engine: str) -> None:
    program = """
try:
    import tank_ffi
except ImportError as error:
    assert str(error) == "tank_ffi: the library cannot be started: it leaks", error
    assert error.name == "tank_ffi"
else:
    raise SystemExit("it was imported")
"""
    assert said(LINKED, program, engine, TANK_STATUS="3") == ["init"]
    other = "errors:\n  - {name: OtherFault, cpp_type: int, ok: value >= 0, message: '\"another\"'}\n"
    of_two = LINKED.replace("errors:\n", other).replace("init: tank_init", "raises: TankFault, init: tank_init")
    of_two = of_two.replace("  - type: tank_status", "  - name: TankFault").replace("    exception: TankFault\n", "")
    assert said(of_two.replace(", raises: tank_status", ""), program, engine, TANK_STATUS="3") == ["init"]


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_a_start_that_names_its_status_type(engine: str) -> None:
    """Two of the spec's status types are int in C++."""
    program = "import lifetime_ffi; print(lifetime_ffi.tank(2).level)"
    package = packages.build(CASE)
    assert package.python(program, engine=engine).stdout == "2\n"
    failed = package.python(program, engine=engine, check=False, LIFETIME_FAILS="1")
    assert failed.returncode == 1
    message = "ImportError: lifetime_ffi: the library cannot be started: it does not start"
    assert failed.stderr.splitlines()[-1] == message


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_imported_twice_it_starts_once(engine: str) -> None:
    program = """
import sys, tank_ffi
for name in [name for name in sys.modules if name.startswith("tank_ffi")]:
    del sys.modules[name]
import tank_ffi
"""
    assert said(LINKED, program, engine) == ["init", "shutdown"]


def test_a_stub_starts_nothing() -> None:
    stub = packages.build_text(LINKED, name="tank", stub=True)
    assert stub.python("import tank_ffi; assert tank_ffi.STUB", engine="cffi").stderr == ""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tank")
    (folder / "tank.c").write_text(LIBRARY, encoding="utf-8")
    out = folder / "libtank.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", out, folder / "tank.c"], check=True, timeout=HANGS)
    return out


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_loaded_at_first_use_it_starts_then(engine: str, library: Path) -> None:
    environment = {"TANK_FFI_LIBRARY": str(library)}
    assert said(DYNAMIC, "import tank_ffi", engine, **environment) == []
    used = "import tank_ffi\ntank_ffi.tank().close()\ntank_ffi.level(0)"
    assert said(DYNAMIC, used, engine, **environment) == ["init", "new", "free", "level", "shutdown"]
    assert said(DYNAMIC, "import tank_ffi", engine, TANK_FFI_LIBRARY="/nowhere.so") == []


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_loaded_at_first_use_a_failing_start_is_raised_there(engine: str, library: Path) -> None:
    program = """
import os
import tank_ffi
for _ in range(2):
    try:
        tank_ffi.tank()
    except tank_ffi.TankFault as error:
        assert str(error) == "it leaks" and error.code == 3
    else:
        raise SystemExit("it was started")
"""
    environment = {"TANK_FFI_LIBRARY": str(library), "TANK_STATUS": "3"}
    assert said(DYNAMIC, program, engine, **environment) == ["init", "init"]


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_a_library_that_any_thread_may_call_has_locks_only_where_a_type_wants_one(engine: str) -> None:
    lifetime = packages.build(CASE).load(engine)
    tank = lifetime.tank(3)
    assert tank.level == 3  # TankLevel, in the case of the library
    both = [Running(lambda: tank.meet(2, HANGS)) for _ in range(2)]
    assert [each.result() for each in both] == [True, True]
    assert [lifetime.meet_at_once(tank, calls) for calls in (1, 2)] == [False, True]
    valve = lifetime.valve()
    both = [Running(lambda: lifetime.valve_meet(valve, 2, 0.05)) for _ in range(2)]
    assert sorted(each.result() for each in both) == [False, True], "the first was inside alone"
