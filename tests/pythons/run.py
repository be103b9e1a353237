"""Runs the behaviour tests on the Pythons of the tree that `setup.sh` makes, and writes docs/pythons.md from them.

    run.py TREE [--only NAME]... [-- ARGUMENTS OF PYTEST]

The page has the last run of each. Arguments of pytest choose tests; then it stays as it is.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import report

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TSAN = "3.13t-tsan"
"""CPython without a GIL under ThreadSanitizer."""
PYTHONS = ("3.13", "3.14", "3.15", "3.13t", TSAN, "pypy")
"""The names of the virtual environments in the tree."""
_NO_GIL = {"PYTHON_GIL": "0"}  # modules of the tests' own tools, PyYAML's for example, would turn the GIL on
ENVIRONMENT = {
    "3.13t": _NO_GIL,
    TSAN: {
        **_NO_GIL,
        "WRAPPER_GEN_TEST_FLAGS": "-fsanitize=thread -fno-omit-frame-pointer -O1 -g1",
        # CPython has races that it knows of; at any other one the process ends, and no result is written.
        "TSAN_OPTIONS": f"halt_on_error=1 suppressions=/opt/python{TSAN}/tsan/suppressions_free_threading.txt",
    },
}
PYTEST = ("-q", "-n", "2", "--dist", "worksteal", "-p", "no:cacheprovider")
ALL = ("tests/behaviour", "-m", "not slow and not long")
_ABOUT_THREADS = "threads locks ownership handles identity kept_memory iterators callables_threads callables_exit exit"
TESTS = {TSAN: tuple(f"tests/behaviour/test_{name}.py" for name in _ABOUT_THREADS.split())}
"""What runs where that is not all of behaviour."""
DESCRIBE = """\
import json, platform, sys, sysconfig
gil = getattr(sys, "_is_gil_enabled", lambda: True)()
is_watched = "--with-thread-sanitizer" in (sysconfig.get_config_var("CONFIG_ARGS") or "")
print(json.dumps([platform.python_implementation(), platform.python_version(), gil, is_watched]))
"""


def inside(tree: Path, name: str, *arguments: str) -> list[str]:
    """The command that runs a Python of the tree with these arguments."""
    settings = {"PYTHONPATH": str(ROOT), "WRAPPER_GEN_TEST_CLANG": "clang++", **ENVIRONMENT.get(name, {})}
    variables = [f"{key}={value}" for key, value in settings.items()]
    python = ["setarch", "-R", f"/opt/{name}/bin/python"]  # sanitizers want addresses where they expect them
    return [str(HERE / "enter.sh"), str(tree), "env", *variables, *python, *arguments]


def describe(tree: Path, name: str) -> report.Python:
    said = subprocess.run(inside(tree, name, "-c", DESCRIBE), capture_output=True, text=True, check=True).stdout
    return report.Python(*json.loads(said))


def main() -> int:
    parser = argparse.ArgumentParser(
        usage="%(prog)s TREE [--only NAME]... [-- ARGUMENTS OF PYTEST]",
        description="Run the behaviour tests on the Pythons of a tree.",
    )
    parser.add_argument("tree", type=Path)
    parser.add_argument("--only", action="append", choices=PYTHONS, help="one of them, or several")
    # argparse gives what follows "--" to positional arguments only where no option stands before it.
    arguments = sys.argv[1:]
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options, chosen = parser.parse_args(arguments[:end]), arguments[end + 1 :]
    results = ROOT / "build" / "pythons"
    results.mkdir(parents=True, exist_ok=True)
    failed = False
    for name in options.only or PYTHONS:
        file = results / f"{'some-' if chosen else ''}{name}.xml"
        print(f"pythons: {name}", flush=True)
        file.unlink(missing_ok=True)
        tests = chosen or TESTS.get(name, ALL)
        command = inside(options.tree, name, "-m", "pytest", *PYTEST, *tests, f"--junitxml={file}")
        done = subprocess.run(command, cwd=ROOT, check=False)
        failed |= done.returncode != 0
    if not chosen:
        found = {name: results / f"{name}.xml" for name in PYTHONS}
        runs = [(describe(options.tree, name), file) for name, file in found.items() if file.exists()]
        (ROOT / "docs" / "pythons.md").write_text(report.page(runs), encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main())
