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
PYTHONS = ("3.13", "3.14", "3.15", "3.13t", "pypy")
"""The names of the virtual environments in the tree."""
ENVIRONMENT = {"3.13t": {"PYTHON_GIL": "0"}}
"""Modules of the tests' own tools, PyYAML's for example, would turn the GIL on."""
TESTS = ("tests/behaviour", "-m", "not slow")
DESCRIBE = """\
import json, platform, sys
gil = getattr(sys, "_is_gil_enabled", lambda: True)()
print(json.dumps([platform.python_implementation(), platform.python_version(), gil]))
"""


def inside(tree: Path, name: str, *arguments: str) -> list[str]:
    """The command that runs a Python of the tree with these arguments."""
    variables = [f"{key}={value}" for key, value in {"PYTHONPATH": str(ROOT), **ENVIRONMENT.get(name, {})}.items()]
    return [str(HERE / "enter.sh"), str(tree), "env", *variables, f"/opt/{name}/bin/python", *arguments]


def describe(tree: Path, name: str) -> report.Python:
    said = subprocess.run(inside(tree, name, "-c", DESCRIBE), capture_output=True, text=True, check=True).stdout
    implementation, version, gil = json.loads(said)
    return report.Python(implementation, version, gil)


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
        command = inside(
            options.tree, name, "-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", "-p", "no:cacheprovider"
        )
        done = subprocess.run([*command, *(chosen or TESTS), f"--junitxml={file}"], cwd=ROOT, check=False)
        failed |= done.returncode != 0
    if not chosen:
        found = {name: results / f"{name}.xml" for name in PYTHONS}
        runs = [(describe(options.tree, name), file) for name, file in found.items() if file.exists()]
        (ROOT / "docs" / "pythons.md").write_text(report.page(runs), encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main())
