"""Counts the lines that an entry of a spec costs in each generated file; whatever the figures, it exits 0.

python benchmarks/text.py [SPEC …] [--json FILE]

Without specs: those of the project, and the examples that wrap a library. An entry is a function, a method or a
property. Blank lines do not count, nor documentation (docstrings, comments, C strings that hold docstrings), nor what
the spec itself says in several lines of C++, which stands in the bridge as it is. The last column has the lines that
differ when an entry is added at the end of its spec: in the median, and at most, in all generated files together.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import re
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from common import REPOSITORY, table

from wrapper_gen.frozen import replace
from wrapper_gen.model import Body, Function, Lambda, Module
from wrapper_gen.pipeline import read
from wrapper_gen.render import render
from wrapper_gen.runtime_files import Runtime

SPECS = (
    *sorted((REPOSITORY / "specs").glob("*.wrapper_spec")),
    *sorted((REPOSITORY / "examples/libraries").rglob("*.wrapper_spec")),
)
BOUNDS = {"bridge.cpp": 12, "cpython.cpp": 8, "_cffi_engine.py": 10}
"""How many lines an entry may have in each file."""
MOST_DIFFERENT = 45
"""How many lines may differ in all files when an entry is added."""
_ADDED = 8
"""So many entries are taken away, one by one."""
_TEXT_IN_C = re.compile(r'\s*"(?:[^"\\]|\\.)*"[,;)]*')
"""A line that is a string: a part of a docstring."""


@dataclass
class Text:
    """What one spec comes to."""

    spec: str
    entries: int
    lines: dict[str, float]
    """An entry's lines in each file."""
    median_diff: float
    most_diff: int


def measure(spec: Path) -> Text:
    """Lines an entry, and lines that one more entry changes."""
    module, _ = read(spec, spec.relative_to(REPOSITORY).as_posix())
    module = replace(module, runtime=Runtime.SHARED)
    entries = module.callables
    full = _rendered(module)
    bare = _rendered(replace(module, functions=(), statics=(), constructors=(), methods=(), record_methods=()))
    own = sum(_own_lines(each) for each in entries)
    lines = {
        name: (_count(name, full) - _count(name, bare) - own * (name == "bridge.cpp")) / max(len(entries), 1)
        for name in BOUNDS
    }
    changed = sorted(_changed(without, full) for without in _with_one_less(module))
    return Text(spec.stem, len(entries), lines, statistics.median(changed), max(changed))


def _row(found: Text) -> list[str]:
    lines = (f"{found.lines[name]:.1f}" for name in BOUNDS)
    return [found.spec, str(found.entries), *lines, f"{found.median_diff:.0f}, {found.most_diff}"]


def _rendered(module: Module) -> dict[str, str]:
    """The package's files, by their names."""
    return {path.name: text for path, text in render(module, (1, 2, 3)).items()}


def _own_lines(function: Function) -> int:
    """Lines of C++ that the spec has, beyond the first."""
    match function.implementation:
        case Lambda(code) | Body(code):
            return len([line for line in code.text.strip().split("\n") if line.strip()]) - 1
        case _:
            return 0


def _count(name: str, files: Mapping[str, str]) -> int:
    text = files[name]
    return sum(1 for _ in (_of_python(text) if name.endswith(".py") else _of_cpp(text)))


def _of_python(text: str) -> Iterator[str]:
    """The lines of a module without its documentation."""
    documented = set[int]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            documented.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and number not in documented and not line.lstrip().startswith("#"):
            yield line


def _of_cpp(text: str) -> Iterator[str]:
    """The lines of C++ without comments, and without strings that have a line of their own."""
    for line in text.split("\n"):
        if line.strip() and not line.lstrip().startswith("//") and not _TEXT_IN_C.fullmatch(line):
            yield line


def _with_one_less(module: Module) -> Iterator[dict[str, str]]:
    """The files without one function or one method, for some of those that nothing else of the spec stands on."""
    for each in module.functions[:: max(len(module.functions) // _ADDED, 1)]:
        with suppress(Exception):  # something else needs it: a length, an inverse, a factory
            yield _rendered(replace(module, functions=tuple(f for f in module.functions if f is not each)))
    for each in module.methods[:: max(len(module.methods) // _ADDED, 1)]:
        with suppress(Exception):
            yield _rendered(replace(module, methods=tuple(f for f in module.methods if f is not each)))


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> int:
    """How many lines a diff of both has, removed and added ones together."""
    count = 0
    for name, text in after.items():
        diff = difflib.unified_diff(before.get(name, "").split("\n"), text.split("\n"), n=0, lineterm="")
        count += sum(1 for line in diff if line[:1] in "+-" and line[:3] not in ("+++", "---"))
    return count


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="*", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    found = [measure(spec.resolve()) for spec in options.specs or SPECS]
    files = (f"{name} (at most {most})" for name, most in BOUNDS.items())
    print(table(["spec", "entries", *files, f"one entry added (at most {MOST_DIFFERENT})"], map(_row, found)))
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in found], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
