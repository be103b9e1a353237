"""Builds a package in a folder that does not last, and runs its conformance tests over each engine."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path

from wrapper_gen import compile, files
from wrapper_gen.compile import Tick
from wrapper_gen.diagnostics import Diagnostic, Span, ToolchainError
from wrapper_gen.explain.entries import shown_name
from wrapper_gen.fixes import fixes_of
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Module
from wrapper_gen.pipeline import rendered
from wrapper_gen.render import render_shared
from wrapper_gen.runtime_files import FOLDER, Runtime
from wrapper_gen.verify.conformance import Conformance

_TEST = re.compile(r"(\w+)(?:\[(.*)\])?$")
_CALLED = re.compile(r"where it calls \['([\w.]+)\(")
_HANGS = 300  # seconds for all tests of one engine
_WHAT = {
    "test_closing_twice": "closing it twice fails",
    "test_use_after_close": "it can be used after it is closed",
    "test_a_with_statement_closes": "a with statement does not close it",
    "test_many_are_collected": "objects of it cannot be made and collected again and again",
    "test_threads": "threads cannot use it at once",
    "test_what_is_lent_outlives_its_owner": "the result does not outlive its owner",
    "test_closing_an_owner": "closing the owner breaks the result",
    "test_what_is_held_lives_as_long": "it breaks when the argument that it holds is gone",
    "test_closing_what_is_held": "closing the argument that it holds breaks it",
    "test_what_is_taken_is_closed": "what it takes is released twice, or can still be used",
    "test_what_a_callable_raises_comes_out": "what the callable raises does not come out",
    "test_exit": "the interpreter does not end as it should",
    "test_both_engines_agree": "both engines do not do the same",
    "test_a_call": "a call ends the process",
}


@frozen
class Tested:
    """What conformance tests have shown."""

    passed: tuple[str, ...]
    """Each as `test[what]`."""
    skipped: tuple[tuple[str, str], ...]
    """With the reason."""
    failed: tuple[Diagnostic, ...]
    engines: tuple[str, ...]

    def reached(self, tests: Conformance) -> set[str]:
        """The classes and entries that a test has used to its end: one that skips has used nothing."""
        named = {match[2] for each in self.passed if (match := _TEST.match(each)) and match[2]}
        return named | set(tests.plain if "test_both_engines_agree" in self.passed else ())


def tested(
    module: Module,
    tests: Conformance,
    output: Path,
    *,
    report: Callable[[str], None],
    tick: Tick | None,
) -> Tested:
    """Build the package with both engines where this Python has them, and run its tests with each.

    Raises:
        ToolchainError: pytest is missing (WG336), or the package cannot be built.
    """
    if importlib.util.find_spec("pytest") is None:
        hint = "pip install pytest"
        raise ToolchainError(Diagnostic("WG336", "pytest, which runs the tests, is not installed", module.span, hint))
    engines = [each for each, is_there in (("cpython", _is_cpython()), ("cffi", _has_cffi())) if is_there]
    root = output / "tested"
    made = {**rendered(module, (), runtime=Runtime.SHARED).files, **render_shared()}
    files.write(files.compare(made, root, packages=[module.package, FOLDER]))
    compile.build(
        root / module.package,
        report=report,
        tick=tick,
        require=True,
        engine="both" if len(engines) > 1 else engines[0],
        fixes=fixes_of(module),
        places=module.library.places,
        statuses=[each.type for each in module.errors],
    )
    path = root / f"test_{module.package}.py"
    path.write_text(tests.text, encoding="utf-8")
    passed, skipped, failed = list[str](), dict[str, str](), list[Diagnostic]()
    for engine in engines:
        for name, state, why in _run(path, engine, root):
            if state == "passed":
                passed.append(name)
            elif state == "skipped":
                skipped[name] = why
            else:
                failed.append(_failure(name, why, engine, module))
    return Tested(tuple(dict.fromkeys(passed)), tuple(skipped.items()), tuple(failed), tuple(engines))


def _is_cpython() -> bool:
    return sys.implementation.name == "cpython"


def _has_cffi() -> bool:
    return importlib.util.find_spec("cffi") is not None


def _run(path: Path, engine: str, root: Path) -> Iterator[tuple[str, str, str]]:
    """Each test, how it ended, and why."""
    results = root / f"results_{engine}.xml"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly"]
    command += [f"--rootdir={root}", "-c", os.devnull, f"--junitxml={results}", "-v", str(path)]
    paths = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "PYTHONPATH": paths, "WRAPPER_GEN_ENGINE": engine}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}  # a process that dies has said all
    try:
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, timeout=_HANGS, check=False
        )
        said, code = done.stdout, done.returncode
    except subprocess.TimeoutExpired as error:
        said, code = (error.stdout or b"").decode("utf-8", "replace"), 1
        yield _last(said), "failed", f"it did not end within {_HANGS} seconds"
    if code < 0:
        yield _last(said), "failed", f"the process died of {signal.Signals(-code).name}"
    if not results.exists():
        if code >= 0 and not said:
            yield "test_exit", "failed", f"pytest ended with {code}"
        return
    for case in ElementTree.parse(results).iter("testcase"):
        name = case.get("name", "")
        problem = next((each for each in case if each.tag in ("failure", "error", "skipped")), None)
        if problem is None:
            yield name, "passed", ""
        else:
            why = (problem.get("message") or "").splitlines()[:1]
            yield name, "skipped" if problem.tag == "skipped" else "failed", "".join(why)


def _last(said: str) -> str:
    """The test that was running when a process ended."""
    names = re.findall(r"::(\S+)", said)
    return names[-1] if names else "test_exit"


def _failure(test: str, why: str, engine: str, module: Module) -> Diagnostic:
    matched = _TEST.match(test)
    name, of = (matched[1], matched[2] or "") if matched else (test, "")
    if called := _CALLED.search(why):
        name, of = "test_a_call", called[1]
    spans = {shown_name(each, module): each.span for each in module.callables}
    spans |= {each.name: each.span for each in module.handles}
    place = spans.get(of, module.span)
    what = f"{of}: {_WHAT.get(name, name)}" if of else _WHAT.get(name, name)
    hint = "compare what the spec says of owners with the library's documentation; --tests writes the test"
    return Diagnostic("WG335", f"{what} ({engine}): {why}", Span(*place), hint)
