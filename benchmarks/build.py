"""Measures builds of real classes beside hand-written nanobind and pybind11 modules; it always exits 0.

python benchmarks/build.py [--rounds 3] [--short] [--json FILE] [--no-install]
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from common import (
    REPOSITORY,
    SPREAD,
    Run,
    RunFailed,
    Wanted,
    alternate,
    first_line,
    machine,
    megabytes,
    progress,
    publish,
    ratios,
    run,
    seconds,
    summarize,
    table,
    times,
    write_json,
)
from contenders import (
    ASK_PYTHON,
    FLAGS,
    NANOBIND,
    NEEDED,
    OURS,
    PYBIND11,
    PYTHON,
    package_folder,
)
from peers import Missing, generate, installed

SOURCES = REPOSITORY / "benchmarks" / "real"
LIBRARIES = {
    "nodes": "a C++ class library with callables and lent handles",
    "rows": "a C library",
    "vectors": "a numeric one",
}
NOTHING, MODULE = "from nothing", "with the runtimes there"
BOUNDS = {NOTHING: 1.0, MODULE: 1.4}
SIZE_BOUND, PEAK_BOUND = 1.25, 1.0
NOTES = """\
{spread} Seconds of processor of all processes: our build script, which looks for the library, compiles, links and looks
for functions that nobody has; for the others the compiler and the linker alone. All have the same flags ({flags}), and
are stripped. `{nothing}`: ours with an empty cache, nanobind's module and its runtime. `{module}`: ours with the object
of the runtime's own functions in the cache, nanobind's module linked with its runtime. pybind11 has none. Sizes have
the runtime in them. The text of our packages was generated before: a person wrote the others'."""


@dataclass
class Measured:
    """What builds of one module took, by kind, and how large it is."""

    runs: dict[str, list[Run]] = field(default_factory=dict)
    size: int = 0

    def add(self, kind: str, parts: Sequence[Run]) -> None:
        """One build in these parts, after each other."""
        whole = Run(
            sum(each.seconds for each in parts),
            max(each.peak_bytes for each in parts),
            sum(each.processor_seconds for each in parts),
        )
        self.runs.setdefault(kind, []).append(whole)

    def processor(self, kind: str) -> list[float]:
        return [each.processor_seconds for each in self.runs.get(kind, ())]

    def peak(self, kind: str) -> list[float]:
        return [float(each.peak_bytes) for each in self.runs.get(kind, ())]


class Ours:
    """Our package, from the build script on; the cpython engine."""

    def __init__(self, library: Path, folder: Path) -> None:
        self._library, self._folder = library, folder
        run(generate([library / f"{library.name}.wrapper_spec"], folder))
        self._package = folder / f"{library.name}_ffi"

    def build(self) -> Measured:
        """One round: with an empty cache, and with the runtime's object in it."""
        found = Measured()
        cache = self._folder / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        for extension in self._extensions():
            extension.unlink()
        found.add(NOTHING, [self._run()])
        for extension in self._extensions():
            extension.unlink()
        self._run()  # a build that follows another one makes the object, where the first has not
        found.add(MODULE, [self._run("--force")])
        found.size = self._extensions()[0].stat().st_size
        return found

    def _run(self, *options: str) -> Run:
        flags = " ".join((*FLAGS, f"-I{self._library}"))
        command = [str(PYTHON), str(self._package / "ffi_build.py"), "--engine", "cpython", *options]
        return run(command, CXX="g++", CXXFLAGS=flags, WRAPPER_GEN_CACHE=str(self._folder / "cache"))

    def _extensions(self) -> list[Path]:
        return sorted(self._package.glob("*.so"))


class Theirs:
    """A hand-written module, and what is compiled of the tool itself."""

    def __init__(self, tool: str, library: Path, folder: Path) -> None:
        self._library, self._folder = library, folder
        self._module = f"with_{tool}"
        own = package_folder(tool)
        python = json.loads(first_line([str(PYTHON), "-c", ASK_PYTHON]))
        includes = [own / "include", library, Path(python["include"])]
        self._runtime: list[Path] = []
        if tool == NANOBIND:
            includes.append(own / "ext" / "robin_map" / "include")
            self._runtime = [own / "src" / "nb_combined.cpp"]
        self._command = ["g++", *FLAGS, f"-DMODULE={self._module}", *(f"-I{each}" for each in includes)]
        self._command += ["-fno-strict-aliasing"] if tool == NANOBIND else []
        self._target = folder / f"{self._module}{python['suffix']}"

    def build(self) -> Measured:
        """One round: the module and its runtime; of that, what the module takes."""
        found = Measured()
        own = [self._library / f"{self._module}.cpp", *self._library.glob(f"{self._library.name}.cpp")]
        objects = {source: self._folder / f"{source.stem}.o" for source in (*own, *self._runtime)}
        taken = {source: run([*self._command, "-c", str(source), "-o", str(made)]) for source, made in objects.items()}
        linked = run(["g++", "-shared", "-s", *map(str, objects.values()), "-o", str(self._target)])
        found.add(NOTHING, [*taken.values(), linked])
        found.add(MODULE, [*(taken[source] for source in own), linked])
        found.size = self._target.stat().st_size
        return found


Builds = dict[str, dict[str, Measured]]
"""By library and tool."""


def measure(tools: Sequence[str], rounds: int) -> Builds:
    """Build all modules of all libraries, in turn.

    Raises:
        RunFailed: a compiler or generator failed.
    """
    found: Builds = {library: {tool: Measured() for tool in tools} for library in LIBRARIES}
    for library in LIBRARIES:
        with tempfile.TemporaryDirectory() as folder:
            builders: dict[str, Ours | Theirs] = {}
            for tool in tools:
                own = Path(folder) / tool.replace(", ", "_")
                own.mkdir()
                builders[tool] = Ours(SOURCES / library, own) if tool == OURS else Theirs(tool, SOURCES / library, own)
            for number in range(rounds):
                for tool in alternate(tools, number):
                    progress(f"{library}, round {number + 1}/{rounds}: {tool}")
                    one, whole = builders[tool].build(), found[library][tool]
                    whole.size = one.size
                    for kind, runs in one.runs.items():
                        whole.runs.setdefault(kind, []).extend(runs)
    progress("")
    return found


def wanted(found: Builds) -> list[Wanted]:
    """Against nanobind."""
    bounds = []
    for library, by_tool in found.items():
        if OURS not in by_tool or NANOBIND not in by_tool:
            continue
        ours, theirs = by_tool[OURS], by_tool[NANOBIND]
        for kind, bound in BOUNDS.items():
            ratio = ratios(ours.processor(kind), theirs.processor(kind))
            bounds.append(Wanted(f"{library}: processor time {kind}", bound, ratio))
        bounds.append(Wanted(f"{library}: stripped size", SIZE_BOUND, summarize([ours.size / theirs.size])))
        peak = ratios(ours.peak(NOTHING), theirs.peak(NOTHING))
        bounds.append(Wanted(f"{library}: peak memory {NOTHING}", PEAK_BOUND, peak))
    return bounds


def rows(found: Builds) -> list[list[str]]:
    shown = []
    for library, by_tool in found.items():
        for tool, each in by_tool.items():
            taken = [summarize(each.processor(kind)).text(seconds) for kind in BOUNDS]
            against = [ratios(each.processor(kind), by_tool[OURS].processor(kind)).text(times) for kind in BOUNDS]
            peaks = [megabytes(max(each.peak(kind))) for kind in BOUNDS]
            shown.append([f"{library}, {LIBRARIES[library]}", tool, *taken, *against, *peaks, megabytes(each.size)])
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description="Time builds of real classes beside nanobind and pybind11.")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is built")
    parser.add_argument("--short", action="store_true", help="one round, for a quick look")
    parser.add_argument("--json", type=Path, help="write every single run to this file")
    parser.add_argument("--no-install", action="store_true", help="leave out what is not installed yet")
    options = parser.parse_args()
    versions = {name: installed(name, NEEDED[name], not options.no_install) for name in (NANOBIND, PYBIND11)}
    missing = {name: each.why for name, each in versions.items() if isinstance(each, Missing)}
    tools = [OURS, *(name for name in versions if name not in missing)]
    try:
        found = measure(tools, 1 if options.short else max(options.rounds, 1))
    except RunFailed as failure:
        print(f"not available: {failure}")
        return
    header = ("library", "module", *BOUNDS, *(f"{kind}, times ours" for kind in BOUNDS))
    header += (*(f"peak MB {kind}" for kind in BOUNDS), "stripped MB")
    facts = {**machine(), **{name: version for name, version in versions.items() if isinstance(version, str)}}
    notes = NOTES.format(spread=SPREAD, flags=" ".join(FLAGS), nothing=NOTHING, module=MODULE)
    parts = [notes, table(header, rows(found), texts=2)]
    parts += [f"Left out: {name}, because {why}" for name, why in missing.items()]
    bounds = wanted(found)
    data = {library: {tool: asdict(each) for tool, each in by_tool.items()} for library, by_tool in found.items()}
    write_json(options.json, facts, publish("Building real classes", facts, parts, bounds), bounds, data)


if __name__ == "__main__":
    main()
