"""The behaviour tests again on a build with sanitizers; handles and their cells used by threads at once."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.behaviour import packages, sanitized, test_abi3
from tests.behaviour.packages import SHAPES
from tests.limits import HANGS
from tests.sanitizers import (
    BY_CLANG,
    CLANGS_LIBRARY,
    FLAGS,
    KNOWN_RACES,
    REPORTS,
    SANITIZERS,
    WATCHED,
    WITH_CLASSES,
    compilers_are_gcc,
    python_under,
    quickest_sanitizers,
    runtime,
)
from wrapper_gen.resources import RUNTIME

pytestmark = pytest.mark.slow

APART = (
    "c_calls", "c_values", "cuda", "engines_agree", "exit", "golden_packages", "lifetimes",
    "lifetimes_at_random", "nested", "statuses", "streams", "type_trees",
)  # fmt: skip
"""What takes longest, each in a process of its own, so that cores can share them; the rest in others."""
RESTS = ("rest", "rest, second part", "rest, third part", "rest, fourth part")
AT_ONCE = ("engines_agree", "golden_packages")
"""Those of them that compare the engines."""
CLASSES = (
    "handle_fields", "inheritance", "inheritance_of_c", "inheritance_overridden", "interfaces", "interfaces_functions",
    "owners", "statuses_by_owner", "virtual_arguments", "visitors",
)  # fmt: skip
"""What has classes of C++ that have others as bases: there, an object may be taken for one of another class."""
STRESS = packages.HERE / "stress"
ROUNDS = 3000
"""What each of the eight threads does at random; a pin that is missing anywhere shows within 300."""


@pytest.mark.parametrize(
    ("code", "flags", "said"),
    [
        ("int *there = new int[4]; delete[] there; return there[argc];", FLAGS[SANITIZERS], "heap-use-after-free"),
        ("return 2147483647 + argc;", FLAGS[SANITIZERS], "AddressSanitizer: ILL"),
        ("int *none = argc ? nullptr : &argc; int &it = *none; return !&it;", FLAGS[SANITIZERS], "Sanitizer: ILL"),
        ("int *there = new int[4]; delete[] there; return there[argc];", FLAGS[BY_CLANG], "heap-use-after-free"),
        ("int *it = 0; { int in = argc; it = &in; } return *it;", FLAGS[BY_CLANG], "stack-use-after-scope"),
        ("return 2147483647 + argc;", FLAGS[BY_CLANG], "AddressSanitizer: ILL"),
        ("int *none = argc ? nullptr : &argc; int &it = *none; return !&it;", FLAGS[BY_CLANG], "Sanitizer: ILL"),
        ("A a; return static_cast<B &>(a).is();", FLAGS[BY_CLANG], "an object of type 'B'"),
        ("B b; return static_cast<B &>(b).is();", FLAGS[BY_CLANG], ""),
        ("return 2147483647 + argc;", WITH_CLASSES, "signed integer overflow"),
        ("A a; return static_cast<B &>(a).is();", WITH_CLASSES, "an object of type 'B'"),
        ("B b; return static_cast<B &>(b).is();", WITH_CLASSES, ""),
    ],
    ids=[
        *("ended", "overflow", "null", "ended, clang", "left, clang", "overflow, clang", "null, clang"),
        *("another class, clang", "nothing, clang", "overflow, in words", "another class", "nothing"),
    ],
)
def test_what_sanitizers_find(code: str, flags: str, said: str, tmp_path: Path) -> None:
    compilers_are_gcc()
    by_clang = flags == FLAGS[BY_CLANG]
    if by_clang and quickest_sanitizers() != BY_CLANG:
        pytest.skip("there is no clang++ with its sanitizers, or no linker for it")
    source, program = tmp_path / "wrong.cpp", tmp_path / "wrong"
    classes = "struct A { virtual ~A() {} }; struct B : A { int is() { return 0; } };"
    source.write_text(f"{classes}\nint main(int argc, char **) {{ {code} }}\n", encoding="utf-8")
    compiler = "clang++" if by_clang else "c++"
    subprocess.run([compiler, "-w", *flags.split(), str(source), "-o", str(program)], check=True)
    loaded = {"LD_LIBRARY_PATH": str(Path(runtime(CLANGS_LIBRARY, compiler)).parent)} if by_clang else {}
    environment = {**os.environ, **REPORTS, **loaded}
    done = subprocess.run([program], env=environment, capture_output=True, text=True, check=False)
    assert said in done.stderr
    assert bool(done.stderr) == bool(said) == (done.returncode != 0)


def parts() -> Iterator[object]:
    """Each part with each engine. `make test-slow` has that for CPython, which is C++ of ours throughout."""
    names = [*(name for name in APART if name not in AT_ONCE), "callables", "classes", *RESTS, "torch"]
    for name, engine in itertools.product(names, packages.ENGINES):
        is_long = engine != "cpython" or name in (*RESTS[1:], "type_trees", "lifetimes_at_random", "exit")
        yield pytest.param(name, engine, marks=[pytest.mark.torch] * (name == "torch") + [pytest.mark.long] * is_long)
    yield pytest.param("abi3", "cpython", marks=pytest.mark.long)
    for name in AT_ONCE:
        yield pytest.param(name, " ".join(packages.ENGINES), marks=pytest.mark.long)


@pytest.mark.parametrize(("part", "engine"), [*parts()])
def test_no_call_breaks_memory(part: str, engine: str) -> None:
    compilers_are_gcc()
    names = sanitized.files()
    callables = {name for name in names if name.startswith("callables")}
    assert not {*APART, *CLASSES} - names.keys()
    abi3 = part == "abi3"  # the same with Python's limited API, for what both engines do with objects of Python
    # Tests that need torch are a part of their own, whole files and single ones.
    texts = {name: Path(path).read_text(encoding="utf-8") for name, path in names.items()}
    torch = sorted(name for name, text in texts.items() if "pytest.mark.torch" in text)
    wholly = {name for name in torch if "\npytestmark = pytest.mark.torch" in texts[name]}
    rest = sorted(names.keys() - {*APART, *CLASSES, *callables, *wholly})
    several = {"abi3": [*test_abi3.TESTS], "callables": sorted(callables), "classes": [*CLASSES], "torch": torch}
    several |= {name: rest[i :: len(RESTS)] for i, name in enumerate(RESTS)}
    paths = [names[name] for name in several.get(part, [part])]
    sanitizers = quickest_sanitizers()
    flags = WITH_CLASSES if part == "classes" and sanitizers == SANITIZERS else FLAGS[sanitizers]
    built = packages.build(SHAPES, flags=flags, abi3=abi3, engine="both" if " " in engine else engine)
    machine_code = next(built.folder.glob("*.so")).read_bytes()
    assert WATCHED[sanitizers] in machine_code, "it looks on"
    assert (b"__ubsan_handle_dynamic_type" in machine_code) == (part == "classes" or sanitizers == BY_CLANG)
    mark = ("torch" if part == "torch" else "not torch") + " and not long"
    done = sanitized.run(["-x", "-m", mark, *paths], flags=flags, abi3=abi3, engines=engine)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-8000:]
    assert "runtime error" not in done.stderr


@pytest.mark.parametrize("sanitizer", ["thread", SANITIZERS])
def test_handles_that_threads_fight_for(engine: str, sanitizer: str) -> None:
    compilers_are_gcc()
    sanitizer = quickest_sanitizers() if sanitizer == SANITIZERS else sanitizer
    python = python_under(sanitizer)
    package = packages.build(STRESS / "stress.wrapper_spec", flags=FLAGS[sanitizer])
    assert WATCHED[sanitizer] in next(package.folder.glob("*.so")).read_bytes()
    done = subprocess.run(
        [*python, str(STRESS / "threads.py"), str(ROUNDS)],
        env={
            **os.environ,
            "PYTHONPATH": str(package.folder.parent),
            "WRAPPER_GEN_ENGINE": engine,
            "PYTHONMALLOC": "malloc",  # memory that is free for Python is free for the sanitizer too
            "TSAN_OPTIONS": f"suppressions={KNOWN_RACES}",
            **REPORTS,
        },
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert (done.stderr, done.returncode) == ("", 0), done.stdout + done.stderr[:8000]
    assert done.stdout.startswith(f"{engine}: live 0, wrong 0, surprises {{}}\n")


def test_finalizers_that_use_handles_of_their_cycle(engine: str) -> None:
    compilers_are_gcc()
    sanitizers = quickest_sanitizers()
    package = packages.build(SHAPES, flags=FLAGS[sanitizers])
    done = subprocess.run(
        [*python_under(sanitizers), str(STRESS / "cycles.py")],
        env={
            **os.environ,
            "PYTHONPATH": str(package.folder.parent),
            "WRAPPER_GEN_ENGINE": engine,
            "PYTHONMALLOC": "malloc",
            **REPORTS,
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("as it should\n", "", 0)


@pytest.mark.parametrize("sanitizer", ["thread", SANITIZERS])
def test_cells(sanitizer: str, tmp_path: Path) -> None:
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no c++")
    program = tmp_path / "cells"
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-O1", "-g", f"-I{RUNTIME / 'include'}"]
    flags += [f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all", "-pthread"]
    source = packages.HERE / "cells" / "cells.cpp"
    built = subprocess.run([compiler, *flags, source, "-o", program], capture_output=True, text=True, check=False)
    if "cannot find" in built.stderr:
        pytest.skip(f"no runtime of -fsanitize={sanitizer}")
    assert built.returncode == 0, built.stderr
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("live 0, wrong 0\n", "", 0)
