"""Measures what one changed entry costs, from the spec to the new extension, in seconds of processor.

python benchmarks/rebuild.py [--sizes 100 400] [--rounds 3] [--short] [--json FILE]
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bindings import Library, header_of, spec_of
from common import (
    SPREAD,
    RunFailed,
    Summary,
    Wanted,
    machine,
    progress,
    publish,
    run,
    seconds,
    summarize,
    table,
    write_json,
)

COMPILERS = ("g++", "clang++")
WITHOUT = "no precompiled header"
BOUNDS = {"with one": 2.0, WITHOUT: 3.0}
STEPS = ("first build", "second build", "the same entry again", "another entry", "an entry added")
NOTES = """\
{spread} Each builds a made-up library of free functions and methods by `wrapper-gen build`, with the cpython engine
and `-O2`, from nothing, and then after changes of its spec. All processes of a build are counted: what reads the spec,
the build script, compilers, the linker. `no precompiled header`: a compiler that refuses to make one."""


@dataclass
class Project:
    """A library of so many entries, its spec in `folder`, and the seconds that each step has taken."""

    folder: Path
    entries: int
    environment: Mapping[str, str]
    """Names the compiler, and a cache of its own."""
    taken: dict[str, list[float]] = field(default_factory=lambda: {step: [] for step in STEPS})
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def start(self) -> None:
        """The library, and nothing that was built."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        library = Library(self.entries // 2, self.entries // 2)
        (self.folder / "bench.hpp").write_text(header_of(library))
        self._spec = spec_of(library).replace("  cpp_include:", "  include_paths: [.]\n  cpp_include:")

    def build(self, step: str, spec: str) -> None:
        """Raises RunFailed where it does not compile."""
        (self.folder / "bench.wrapper_spec").write_text(spec)
        command = [sys.executable, "-m", "wrapper_gen", "build", "--engine", "cpython"]
        places = ["-o", str(self.folder / "generated"), str(self.folder / "bench.wrapper_spec")]
        done = run([*command, *places], **self.environment)
        self.taken[step].append(done.processor_seconds)

    def change(self, function: int) -> str:
        """The spec, which has other code for one entry from now on."""
        code = f"[](auto &&...a) {{ static int calls{next(self._numbers)} = 0; return compute_{function}(a...); }}"
        before, name, after = self._spec.partition(f"  - name: compute_{function}\n")
        _, rest, others = after.partition("    params:")
        self._spec = f'{before}{name}    cpp_fn: "{code}"\n{rest}{others}'
        return self._spec

    def add(self) -> str:
        """The spec, which has one more entry from now on."""
        added = '  - {def: "added(a: i64) -> i64", cpp_fn: "[](i64 a) { return a; }"}\n'
        self._spec = self._spec.replace("functions:\n", f"functions:\n{added}")
        return self._spec

    def measure(self) -> None:
        """One round of all steps."""
        self.start()
        last = self.entries // 2 - 5
        for step, spec in zip(
            STEPS,
            (lambda: self._spec, *(partial(self.change, each) for each in (3, 3, last)), self.add),
            strict=True,
        ):
            progress(f"{self.entries} entries: {step}")
            self.build(step, spec())
        progress("")


def environment(compiler: str, folder: Path, *, precompiles: bool) -> Mapping[str, str]:
    """Lets builds use this compiler, and a cache of their own."""
    if not precompiles:
        script = folder / compiler
        script.write_text(f'#!/bin/sh\ncase "$*" in *" c++-header "*) exit 1;; esac\nexec {compiler} "$@"\n')
        script.chmod(0o755)
        compiler = str(script)
    return {"CXX": compiler, "WRAPPER_GEN_CACHE": str(folder / "cache"), "CXXFLAGS": "-DNDEBUG"}


def measure(sizes: list[int], rounds: int) -> Mapping[tuple[str, str, int], Project]:
    found: dict[tuple[str, str, int], Project] = {}
    compilers = [each for each in COMPILERS if shutil.which(each)]
    for compiler, kind, entries in itertools.product(compilers, BOUNDS, sizes):
        with tempfile.TemporaryDirectory() as folder:
            how = environment(compiler, Path(folder), precompiles=kind != WITHOUT)
            project = Project(Path(folder) / "bench", entries, how)
            try:
                for _ in range(rounds):
                    shutil.rmtree(Path(folder) / "cache", ignore_errors=True)
                    project.measure()
            except RunFailed as failure:
                print(f"not available: {compiler}, {entries} entries: {failure}")
                continue
            found[compiler, kind, entries] = project
    return found


def wanted(found: Mapping[tuple[str, str, int], Project]) -> list[Wanted]:
    return [
        Wanted(
            f"one entry of {size} changed again, {compiler}, precompiled header: {kind}", BOUNDS[kind], of, unit=" s"
        )
        for (compiler, kind, size), project in found.items()
        if (of := _summary(project, "the same entry again"))
    ]


def _summary(project: Project, step: str) -> Summary:
    return summarize(project.taken[step])


def main() -> None:
    parser = argparse.ArgumentParser(description="Time builds after one entry of a spec has changed.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 400], help="how many entries the specs have")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is built")
    parser.add_argument("--short", action="store_true", help="one round, for a quick look")
    parser.add_argument("--json", type=Path, help="write every single run to this file")
    options = parser.parse_args()
    found = measure(options.sizes, 1 if options.short else max(options.rounds, 1))
    header = ("compiler, precompiled header, entries", *STEPS)
    rows = [
        [f"{compiler}, {kind}, {entries}", *(_summary(project, step).text(seconds) for step in STEPS)]
        for (compiler, kind, entries), project in found.items()
    ]
    facts, bounds = machine(), wanted(found)
    page = publish("Building again", facts, [NOTES.format(spread=SPREAD), table(header, rows)], bounds)
    data = {", ".join(map(str, key)): project.taken for key, project in found.items()}
    write_json(options.json, facts, page, bounds, data)


if __name__ == "__main__":
    main()
