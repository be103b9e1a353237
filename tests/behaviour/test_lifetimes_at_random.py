"""Random calls on handles that lend, hold, share, take and end each other: nothing is used after its end.

Each run is a process of its own. The library counts uses of what has ended, and does not crash by them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.behaviour import objects, packages
from tests.limits import HANGS

pytest.importorskip("hypothesis")

LIFETIMES = packages.HERE / "lifetimes"
MACHINES = {"lifetimes": "machine.py", "garden": "garden_machine.py"}
"""The specs, and what calls their packages: a C library with handles and callables, and one of C++ classes."""
RUNS = int(os.environ.get("LIFETIMES_RUNS", "60"))
"""Sequences of calls in each process; `LIFETIMES_RUNS=2000` takes minutes."""
SWAPPED = {
    "a parameter that is taken is borrowed": ("lifetimes", "    takes: plug\n", ""),
    "a parameter that is shared is taken": (
        "lifetimes",
        "cpp: counted_keep}",
        "cpp: counted_keep, takes: counted}",
    ),
    "a result keeps nothing alive": (
        "lifetimes",
        'std::make_shared<row *>(r); }"\n        belongs_to: self',
        'std::make_shared<row *>(r); }"',
    ),
    "a length is another": ("lifetimes", "length: row_size(h.inner)", "length: row_size(h.inner) + 1"),
    "a callable is kept, and is of the call": ("lifetimes", "cpp: listen, scope: held", "cpp: listen, scope: call"),
    "an object does not hold what it keeps": ("garden", ", holds_last: looks", ""),
    "a call ends what it ends, and does not say so": ("garden", ", ends: {all: value == gone.inner}", ""),
    "a container changes, and nobody is told": ("garden", ", ends: {all: value == nullptr}", ""),
}
"""Specs that say something else of who owns what than the library does: text of them, and the other."""


CLAIMS = packages.HERE / "claims"
CLAIMED_WRONGLY = {
    "a parameter that is taken is borrowed": (", takes: plate", ""),
    "an object does not hold what it keeps": ("holds: badge, ", ""),
    "a result is the library's own, and is released": ("release: nothing, belongs_to: self", "holds: {result: self}"),
}
"""The same of the specs of programs with objects that are given away: text, and the other.

One that holds longer than it has to harms nothing, and is not found out.
"""


def run(
    package: packages.Package, engine: str, machine: str, *how: str, folder: Path = LIFETIMES
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(folder / machine), *how],
        env={**os.environ, "PYTHONPATH": str(package.folder.parent), "WRAPPER_GEN_ENGINE": engine},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_no_sequence_of_calls_breaks_anything(name: str, engine: str) -> None:
    done = run(packages.build(LIFETIMES / f"{name}.wrapper_spec"), engine, MACHINES[name], str(RUNS))
    assert (done.stderr[-4000:], done.returncode) == ("", 0), done.stdout[-4000:]


@pytest.mark.quick(0, slow=2)
@pytest.mark.parametrize("what", SWAPPED)
def test_a_spec_that_is_wrong_is_found_out(what: str, engine: str, tmp_path: Path) -> None:
    name, right, other = SWAPPED[what]
    text = (LIFETIMES / f"{name}.wrapper_spec").read_text(encoding="utf-8")
    assert right in text
    spec = tmp_path / f"{name}.wrapper_spec"
    spec.write_text(text.replace(right, other), encoding="utf-8")
    for header in ("library.h", "garden.h"):
        (tmp_path / header).write_bytes((LIFETIMES / header).read_bytes())
    done = run(packages.build(spec), engine, MACHINES[name], "3000", "quick")  # which ends at the first that goes wrong
    assert done.returncode != 0, "nobody found out"
    assert "wrong" in done.stderr or done.returncode < 0


@pytest.mark.slow
def test_no_program_releases_an_object_twice_or_never(engine: str) -> None:
    """What is taken, found again by its pointer, not owned, or held in a cycle; finalizers use it, too."""
    package = packages.build(CLAIMS / "claims.wrapper_spec")
    done = run(package, engine, "programs.py", "0", str(10 * RUNS), folder=CLAIMS)
    assert (done.stderr[-4000:], done.returncode) == ("", 0), done.stdout[-4000:]


@pytest.mark.quick(0, slow=2)
@pytest.mark.parametrize("what", CLAIMED_WRONGLY)
def test_a_spec_that_gives_away_what_it_must_not_is_found_out(what: str, engine: str, tmp_path: Path) -> None:
    right, other = CLAIMED_WRONGLY[what]
    text = (CLAIMS / "claims.wrapper_spec").read_text(encoding="utf-8")
    assert right in text
    spec = tmp_path / "claims.wrapper_spec"
    spec.write_text(text.replace(right, other), encoding="utf-8")
    done = run(packages.build(spec), engine, "programs.py", "0", "600", folder=CLAIMS)
    assert done.returncode != 0, "nobody found out"
    assert "wrong" in done.stderr or done.returncode < 0


@pytest.mark.slow
def test_what_is_held_outlives_its_holder_when_both_are_collected(engine: str) -> None:
    garden = packages.build(LIFETIMES / "garden.wrapper_spec").load(engine)

    class Walker(garden.Walker):  # type: ignore[misc, name-defined]  # of a package that is built here
        def visit(self, _seen: object) -> bool:
            return True

    bed = garden.Bed(1)
    bed.keep(Walker())
    cycle = [bed[0]]  # which keeps the bed, whose end is later than the collector's look at it
    cycle.append(cycle)
    del bed, cycle
    objects.collect()
    assert (tuple(garden.live()), garden.wrong()) == ((0, 0), 0)


@pytest.mark.slow
@pytest.mark.skipif(sys.implementation.name != "cpython", reason="the cpython engine is CPython's")
def test_objects_that_hold_each_other_are_collected() -> None:
    garden = packages.build(LIFETIMES / "garden.wrapper_spec").load("cpython")
    beds = [garden.Bed(size) for size in range(3)]
    for bed, other in zip(beds, beds[1:] + beds[:1], strict=True):
        bed.beside(other)
    plant = beds[2][1]
    del beds, bed, other
    objects.collect()
    assert garden.live()[0] == 3  # the plant has a bed, and that has the others
    assert plant.height == 1
    del plant
    objects.collect()
    assert (tuple(garden.live()), garden.wrong()) == ((0, 0), 0)
