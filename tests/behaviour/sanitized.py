"""Runs behaviour tests on builds that the address sanitizer and that for undefined behaviour look on.

    python -m tests.behaviour.sanitized [ARGUMENT OF PYTEST]...

Without a file among the arguments, those of this folder run that sanitizers have something to say of.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

from tests.behaviour import packages
from tests.limits import HANGS
from tests.sanitizers import FLAGS, NO_FORK, REPORTS, python_under, quickest_sanitizers

LEFT_OUT = {
    "abi3": "runs the same tests",
    "check_only": "compiles, and runs nothing",
    "compiled_alone": "compiles with flags of its own",
    "copies_refused": "compiles, and runs nothing",
    "debug_python": "runs the same tests",
    "drafts": "runs under the same sanitizers itself",
    "explain": "compiles, and runs nothing",
    "handshake": "imports what is refused",
    "hostile": "makes the same calls under the same sanitizers itself",
    "incremental": "compiles as the command does, which no sanitizer watches",
    "leaks": "measures memory, of which sanitizers keep some",
    "leaks_classes": "measures memory, of which sanitizers keep some",
    "leaks_of_shapes": "measures memory, of which sanitizers keep some",
    "mistakes": "compiles, and runs nothing",
    "operators_in_stubs": "runs mypy",
    "runtime_object": "compiles as the command does, which no sanitizer watches",
    "runtimes": "compiles as the command does, which no sanitizer watches",
    "sanitizers": "runs these tests",
    "type_stubs": "runs mypy",
    "undecided": "compiles, and runs nothing",
    "uses_refused": "imports what is refused",
    "warnings": "compiles, and runs nothing",
}
"""Files of behaviour tests that sanitizers have nothing to say of, with the reason; all others run."""
_NOTHING_TO_SAY = ("compiles_without_a_warning", "not_compile", "is_found_out", "type_checkers", "a_million", "100000")
"""Tests of other files: they only compile, use on purpose what has ended, or measure memory or how deep a stack is."""


def files() -> dict[str, str]:
    """The files that run, by what stands after `test_` in their names."""
    found = {path.stem.removeprefix("test_"): str(path) for path in sorted(packages.HERE.glob("test_*.py"))}
    assert not LEFT_OUT.keys() - found.keys()
    return {name: path for name, path in found.items() if name not in LEFT_OUT}


def run(
    arguments: Sequence[str],
    *,
    flags: str = "",
    abi3: bool = False,
    engines: str = "",
    chosen: str = "",
    shown: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run pytest in a process of its own, whose packages have the sanitizers; skips where they are not to be had.

    Args:
        arguments: of pytest.
        flags: those of the compiler; without any, those of the quickest sanitizers.
        abi3: build for any CPython from 3.11 on.
        engines: those that packages are built for, separated by spaces; without any, all.
        chosen: of these tests, an expression of `-k`.
        shown: what it says goes to the terminal, not into the result.
    """
    sanitizers = quickest_sanitizers()
    wanted = " and ".join([*(f"not {words}" for words in _NOTHING_TO_SAY), NO_FORK, *([chosen] if chosen else [])])
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", wanted]
    # One that hangs shows where all its threads are.
    options += ["-o", f"faulthandler_timeout={HANGS}", "-o", "faulthandler_exit_on_timeout=true"]
    return subprocess.run(
        [*python_under(sanitizers), "-m", "pytest", *options, *arguments],
        env={
            **os.environ,
            **REPORTS,
            packages.FLAGS: flags or FLAGS[sanitizers],
            packages.ABI3: "1" if abi3 else "",
            packages.CHOSEN_ENGINES: engines,
            "PYTHONMALLOC": "malloc",  # objects of Python are watched too
        },
        capture_output=not shown,
        text=True,
        timeout=None if shown else 3 * HANGS,  # threads that outlive the tests keep it from its end
        check=False,
    )


def main() -> int:
    arguments = sys.argv[1:]
    if not any(".py" in each for each in arguments):
        arguments += files().values()
    try:
        return run(arguments, shown=True).returncode
    except pytest.skip.Exception as missing:
        print(f"sanitized: {missing}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
