"""Counts the lines that an entry of a spec costs in each generated file; whatever the figures, it exits 0.

python benchmarks/text.py [SPEC …] [--json FILE] [--page FILE]

Without specs: those of the project, and the examples that wrap a library. An entry is a function, a method or a
property. Blank lines do not count, nor documentation (docstrings, comments, C strings that hold docstrings), nor what
the spec itself says in several lines of C++, which stands in the bridge as it is. The second table has the lines that
`git diff` shows when an entry is added at the end of its spec, removed ones as well as added ones: in all generated
files together, without documentation, and in each file. It needs git.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
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
FILES = (
    *("bridge.h", "bridge.cpp", "docs.hpp", "cpython.cpp", "_cffi_engine.py"),
    *("__init__.py", "__init__.pyi", "lines.hpp", "ffi_build.py"),
)
"""Those that an entry may change, in the order of the table."""
MOST_DIFFERENT = 45
"""How many lines may differ in all files when an entry is added."""
PAGE = """\
<!-- Generated: python benchmarks/text.py --page docs/text.md -->

# How long generated text is

Lines that an entry of a spec (a function, a method, a property) costs in each file, for the project's own specs
and the examples that wrap a library. Blank lines and documentation do not count, nor the spec's own C++ beyond its
first line. Then the lines that `git diff` shows when an entry is added at the end of its spec, removed ones and
added ones together.
"""
REASONS = """\
## What is over a bound, and why

`_cffi_engine.py` is laid out as `ruff format` leaves it: where a signature or a call does not fit on a line of 120
columns, each parameter has a line in both, and a statement that converts it. That is 30 to 70 lines for an entry
with 9 to 16 parameters, such as `export_memory` of dlpack, which has two entries, the operations on arrays of cpu,
and those of leveldb that take its options. To convert arguments within the call would save a line for each, but
would read a handle before later conversions have run, which may close it. Of torch, each form of an operator has
four lines that answer `NotImplemented`, and two in the table of forms: a function of the runtime in their place
would be one more call of Python for each operation.

Of the lines that an entry adds, documentation is 18 to 40: it stands in `docs.hpp`, from where both engines have
it, and in `__init__.pyi`, where editors and type checkers look for it; what the spec itself says is in `bridge.h`,
too. What an entry changes besides its own lines is the fingerprint, two lines each in `bridge.cpp` and
`__init__.py`, the digest of the spec, two in `ffi_build.py`, and one `#line` by which `bridge.cpp` returns to its own
numbers behind the entries.

The most lines differ where an entry brings something that C++ has to know before all functions: a named tuple, a
callable, a virtual function. It stands above some `#line` directives, each of which has the number of the next
line of `bridge.cpp`. A row that is added in front of the others of a `for` gives all of these its name in
`lines.hpp`.
"""
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
    added: list[dict[str, int]]
    """For each entry that is added, the lines that differ in each file."""
    undocumented: list[int]
    """The same in all files together, without documentation."""


def measure(spec: Path, *, adds: bool = True) -> Text:
    """Lines an entry; and, if `adds`, lines that one more entry changes."""
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
    before = list(_with_one_less(module)) if adds else []
    plain = _without_documentation(full)
    return Text(
        spec.stem,
        len(entries),
        lines,
        [_changed(without, full) for without in before],
        [sum(_changed(_without_documentation(without), plain).values()) for without in before],
    )


def _row(found: Text) -> list[str]:
    return [found.spec, str(found.entries), *(f"{found.lines[name]:.1f}" for name in BOUNDS)]


def _row_of_added(found: Text) -> list[str]:
    whole = [sum(each.values()) for each in found.added]
    files = (statistics.median(each.get(name, 0) for each in found.added) for name in FILES)
    shown = (f"{statistics.median(counts):.0f}, {max(counts)}" for counts in (whole, found.undocumented))
    return [found.spec, *shown, *(f"{each:.0f}" for each in files)]


def tables(found: Sequence[Text]) -> str:
    """Both, in Markdown."""
    files = (f"{name} (at most {most})" for name, most in BOUNDS.items())
    lines = table(["spec", "entries", *files], map(_row, found))
    whole = f"all files: median, most (at most {MOST_DIFFERENT})"
    return f"{lines}\n\n{table(['spec', whole, 'without documentation', *FILES], map(_row_of_added, found))}"


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
    documented = set(_documented(text))
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and number not in documented and not line.lstrip().startswith("#"):
            yield line


def _documented(text: str) -> Iterator[int]:
    """The numbers of the lines of a module's docstrings."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _of_cpp(text: str) -> Iterator[str]:
    """The lines of C++ without comments, and without strings that have a line of their own."""
    for line in text.split("\n"):
        if line.strip() and not line.lstrip().startswith("//") and not _TEXT_IN_C.fullmatch(line):
            yield line


def _with_one_less(module: Module) -> Iterator[dict[str, str]]:
    """The files without one function or one method, for some of those that nothing else of the spec stands on."""
    module = replace(module, digest="")  # the spec's text is another one, which `ffi_build.py` tells by the digest
    for each in module.functions[:: max(len(module.functions) // _ADDED, 1)]:
        with suppress(Exception):  # something else needs it: a length, an inverse, a factory
            yield _rendered(replace(module, functions=tuple(f for f in module.functions if f is not each)))
    for each in module.methods[:: max(len(module.methods) // _ADDED, 1)]:
        with suppress(Exception):
            yield _rendered(replace(module, methods=tuple(f for f in module.methods if f is not each)))


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, int]:
    """How many lines of each file a diff of both has, removed and added ones together."""
    with tempfile.TemporaryDirectory() as folder:
        for side, files in (("before", before), ("after", after)):
            (Path(folder) / side).mkdir()
            for name, text in files.items():
                (Path(folder) / side / name).write_text(text, encoding="utf-8")
        command = ("git", "diff", "--no-index", "--no-renames", "--numstat", "before", "after")
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    found = Counter[str]()
    for line in done.stdout.splitlines():
        added, removed, path = line.split("\t")
        found[path.rpartition("/")[2].rstrip("}")] += int(added) + int(removed)
    return dict(found)


_STRING = re.compile(r'R"_\(.*?\)_"', re.DOTALL)
_COMMENT = re.compile(r"^/\*.*?\*/\n", re.DOTALL | re.MULTILINE)


def _without_documentation(files: Mapping[str, str]) -> dict[str, str]:
    """The files without docstrings, and without the C strings and comments that hold them."""
    found = {}
    for name, text in files.items():
        if name.endswith((".py", ".pyi")):
            documented = set(_documented(text))
            lines = enumerate(text.split("\n"), 1)
            found[name] = "\n".join(line for number, line in lines if number not in documented)
        else:
            found[name] = _COMMENT.sub("", _STRING.sub('""', text))
    return found


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="*", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--page", type=Path, help="a page with what these figures mean, for the project's own specs")
    options = parser.parse_args(arguments)
    found = [measure(spec.resolve()) for spec in options.specs or SPECS]
    print(tables(found))
    if options.page:
        options.page.write_text(f"{PAGE}\n{tables(found)}\n\n{REASONS}", encoding="utf-8")
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in found], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
