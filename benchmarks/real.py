"""Times calls on classes as libraries have them, beside nanobind and pybind11 in two forms each; it always exits 0.

python benchmarks/real.py [--rounds 20] [--processes 3] [--short] [--json FILE] [--no-install]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from calls import NotMeasured, Times, ratio, ratio_table, time_table
from common import REPOSITORY, Wanted, machine, publish, summarize, write_json
from contenders import (
    NANOBIND,
    NEEDED,
    OURS,
    PYBIND11,
    Contender,
    build_all,
    build_ours,
    described,
    extension,
    package_folder,
)
from interleaved import arguments, measure
from peers import Missing, installed
from real_process import LIBRARIES, LOOP

FOLDER = REPOSITORY / "build" / "benchmarks" / "real"
SOURCES = REPOSITORY / "benchmarks" / "real"
PROGRAM = REPOSITORY / "benchmarks" / "real_process.py"

SAFE = ", safe"
PLAIN_FORMS = (NANOBIND, PYBIND11)
SAFE_FORMS = tuple(f"{name}{SAFE}" for name in PLAIN_FORMS)

AGAINST_SAFE, AGAINST_PLAIN, AGAINST_PLAIN_MANY = 0.90, 1.00, 1.10
MANY = (LOOP, "find(lambda)", "match(lambda)", "nearest_if(lambda)")
"""How the rows begin whose time is that of a loop, or of a callable."""

NOTES = """\
Below 1 is faster. A ratio is taken within its round; shown are the median over all rounds and half the distance of its
quartiles. `nodes` is a document that owns a tree of nodes with attributes, `rows` a database in C with rows that it
owns and queries, `vectors` an index of vectors. nanobind and pybind11 bind each twice: as most authors write it, where
a node whose document has gone points to nothing; and safely, with `keep_alive` on every result that lies in its object
and on what callables are called with. Ours is always safe, and also refuses a node of a document that was cleared or
closed. A query of one row, and of 100, is Python code: its steps are calls, too."""


def contenders(library: Path, install: bool) -> list[Contender | Missing]:
    """Our cpython engine; nanobind and pybind11, each in both forms."""
    versions = {name: installed(name, NEEDED[name], install) for name in ("cffi", "nanobind", "numpy", "pybind11")}
    needed = {OURS: versions["cffi"], NANOBIND: versions["nanobind"], PYBIND11: versions["pybind11"]}
    build: dict[str, Callable[[Path], None]] = {
        OURS: lambda folder: build_ours(folder, "--engine", "cpython", library=library)
    }
    for name, of_peer in ((NANOBIND, with_nanobind), (PYBIND11, with_pybind11)):
        build[name] = partial(of_peer, library=library, is_safe=False)
        build[name + SAFE] = partial(of_peer, library=library, is_safe=True)
    found: list[Contender | Missing] = []
    for name, build_one in build.items():
        lacking = [v for v in (needed[name.removesuffix(SAFE)], versions["numpy"]) if isinstance(v, Missing)]
        version = "" if name.endswith(SAFE) else str(needed[name])
        found.append(Missing(name, lacking[0].why) if lacking else Contender(name, version, build_one))
    return found


def with_nanobind(folder: Path, library: Path, is_safe: bool) -> None:
    """Both forms run in one process: each has types of its own by a domain."""
    own = package_folder("nanobind")
    flags = [f"-I{own / 'include'}", f"-I{own / 'ext' / 'robin_map' / 'include'}", "-fno-strict-aliasing"]
    name, defined = _form("with_nanobind", is_safe)
    sources = [library / "with_nanobind.cpp", own / "src" / "nb_combined.cpp"]
    extension(folder, name, sources, [*flags, *defined, f"-DNB_DOMAIN={name}"], library)


def with_pybind11(folder: Path, library: Path, is_safe: bool) -> None:
    name, defined = _form("with_pybind11", is_safe)
    flags = [f"-I{package_folder('pybind11') / 'include'}", *defined]
    extension(folder, name, [library / "with_pybind11.cpp"], flags, library)


def _form(module: str, is_safe: bool) -> tuple[str, list[str]]:
    """What a form of a module is called, and what it is compiled with."""
    name = f"{module}_safe" if is_safe else module
    return name, [f"-DMODULE={name}", *(["-DSAFE"] if is_safe else [])]


def wanted(times: Times) -> list[Wanted]:
    """Against the faster peer of each form."""
    found = []
    for operation, row in times.items():
        is_many = operation.partition(": ")[2].startswith(MANY)
        plain_bound = AGAINST_PLAIN_MANY if is_many else AGAINST_PLAIN
        for names, bound in ((SAFE_FORMS, AGAINST_SAFE), (PLAIN_FORMS, plain_bound)):
            peers = [name for name in names if name in row]
            if peers:
                fastest = min(peers, key=lambda name: summarize(row[name]).median)
                found.append(Wanted(f"{operation}: against {fastest}", bound, ratio(times, operation, OURS, fastest)))
    return found


def measured(names: Sequence[str], processes: int, rounds: int) -> Times:
    """The rows of all libraries, each with the library's name before its own."""
    found: dict[str, dict[str, Sequence[float]]] = {}
    for library in LIBRARIES:
        for operation, row in measure(PROGRAM, FOLDER / library, names, processes, rounds).items():
            found[f"{library}: {operation}"] = dict(row)
    return found


def main() -> None:
    options = arguments(__doc__)
    missing: list[Missing] = []
    found: list[Contender] = []
    for library in LIBRARIES:
        (FOLDER / library).mkdir(parents=True, exist_ok=True)
        every = contenders(SOURCES / library, not options.no_install)
        found = [each for each in every if isinstance(each, Contender)]
        missing += [each for each in every if isinstance(each, Missing)]
        missing += build_all(found, FOLDER / library)
    gone = {each.name: each.why for each in missing}
    names = [each.name for each in found if each.name not in gone]
    facts = {**machine(), **described(found)}
    try:
        times = measured(names, options.processes, options.rounds)
    except NotMeasured as failure:
        print(f"not available: {failure}")
        return
    bounds = wanted(times)
    parts = [ratio_table(times, names, OURS), time_table(times, names), NOTES]
    parts += [f"Left out: {name}, because {why}" for name, why in gone.items()]
    write_json(options.json, facts, publish("Calls on real classes", facts, parts, bounds), bounds, times)


if __name__ == "__main__":
    main()
