"""How long a program with one kernel takes until it is done: what is imported, compiled, and taken from the cache.

python benchmarks/gpu_cold_start.py [--rounds N] [--no-install]

Each figure is the median of N processes (5 by default), in processor time of the process, its threads and its
compilers, so that other work on the machine counts less. `first` is with an empty cache, `again` with what `first`
has kept. The kernel is a stencil of 1024x1024; numba's is the same loop by `njit(parallel=True, cache=True)`, in the
environment of the peers. NumPy is imported before anything is timed. It prints the table of
docs/gpu/where-the-time-goes.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from common import REPOSITORY, progress
from gpu_kernel_rows import NEEDED
from peers import ENVIRONMENT, Missing, installed

STEPS = ("import", "context", "first launch", "second kernel", "next launch, µs")
CLOCK = """
import json, sys
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
import numpy as np
def now():
    return sum(each.ru_utime + each.ru_stime for each in map(getrusage, (RUSAGE_SELF, RUSAGE_CHILDREN)))
"""
OURS = """
marks = [now()]
from unified_gpu import Array, BackendUnavailable, Context, f32, global_id, kernel
marks.append(now())
try:
    ctx = Context(sys.argv[1])
except BackendUnavailable as error:
    sys.exit(str(error))
marks.append(now())
@kernel
def stencil(source: Array[f32, 2], target: Array[f32, 2]):
    i, j = global_id(0), global_id(1)
    if 0 < i < source.shape[0] - 1 and 0 < j < source.shape[1] - 1:
        near = source[i - 1, j] + source[i + 1, j] + source[i, j - 1] + source[i, j + 1]
        target[i, j] = 0.25 * near
@kernel
def saxpy(a: f32, x: Array[f32, 1], y: Array[f32, 1]):
    y[global_id(0)] += a * x[global_id(0)]
x, y = ctx.alloc_upload(np.ones((1024, 1024), "f4")), ctx.alloc_upload(np.zeros((1024, 1024), "f4"))
ctx.sync()
start = now()
ctx.launch(stencil, x.shape, [x, y]); ctx.sync()
marks.append(marks[-1] + now() - start)
start = now()
ctx.launch(saxpy, 1024, [2.0, x[0], y[0]]); ctx.sync()
marks.append(marks[-1] + now() - start)
small = [x[:2, :2].copy(), y[:2, :2].copy()]
ctx.launch(stencil, (2, 2), small); ctx.sync()
def thousand():
    start = now()
    for _ in range(1000): ctx.launch(stencil, (2, 2), small)
    return now() - start
fastest = min(thousand() for _ in range(5))
print(json.dumps([b - a for a, b in zip(marks, marks[1:])] + [fastest]))
"""
NUMBA = """
marks = [now()]
import numba
marks += [now()] * 2
@numba.njit(parallel=True, cache=True)
def stencil(source, target):
    for i in numba.prange(1, source.shape[0] - 1):
        for j in range(1, source.shape[1] - 1):
            near = source[i - 1, j] + source[i + 1, j] + source[i, j - 1] + source[i, j + 1]
            target[i, j] = np.float32(0.25) * near
@numba.njit(parallel=True, cache=True)
def saxpy(a, x, y):
    for i in numba.prange(y.size):
        y[i] += a * x[i]
x, y = np.ones((1024, 1024), "f4"), np.zeros((1024, 1024), "f4")
start = now()
stencil(x, y)
marks.append(marks[-1] + now() - start)
start = now()
saxpy(np.float32(2), x[0], y[0])
marks.append(marks[-1] + now() - start)
small = x[:2, :2].copy(), y[:2, :2].copy()
stencil(*small)
def thousand():
    start = now()
    for _ in range(1000): stencil(*small)
    return now() - start
fastest = min(thousand() for _ in range(5))
print(json.dumps([b - a for a, b in zip(marks, marks[1:])] + [fastest]))
"""


def run(python: str, program: Path, backend: str, cache: Path) -> list[float] | str:
    """The seconds of each step in a process of its own, or why it does not run here."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, (REPOSITORY, REPOSITORY / "generated"))),
        "UNIFIED_GPU_CACHE": str(cache),
        "NUMBA_CACHE_DIR": str(cache),
        "MESA_SHADER_CACHE_DIR": str(cache),
        "PYTHONDONTWRITEBYTECODE": "",  # of whoever measures: what is installed has bytecode
    }
    done = subprocess.run([python, str(program), backend], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["it fails"])[-1]
    found: list[float] = json.loads(done.stdout)
    return found


def row(name: str, runs: list[list[float]]) -> str:
    """The medians in milliseconds; those of 1,000 launches are those of one in microseconds."""
    cells = [f"{median(each[at] for each in runs) * 1000:.2f}" for at in range(len(STEPS))]
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--no-install", action="store_true")
    given = parser.parse_args()
    peer = installed("numba", NEEDED["numba"], not given.no_install)
    contenders = [(name, sys.executable, OURS, name) for name in ("cpu", "vulkan", "cuda")]
    if isinstance(peer, Missing):
        print(f"numba is not measured: {peer.why}", file=sys.stderr)
    else:
        contenders.append(("numba", str(ENVIRONMENT / "bin" / "python"), NUMBA, ""))
    print(f"| ms | {' | '.join(STEPS)} |\n|---|{'---:|' * len(STEPS)}")
    for name, python, program, backend in contenders:
        progress(f"{name}: {given.rounds} times with an empty cache, and again")
        first: list[list[float]] = []
        again: list[list[float]] = []
        for _ in range(given.rounds):
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "program.py"
                file.write_text(CLOCK + program, encoding="utf-8")
                for runs in (first, again):
                    found = run(python, file, backend, Path(folder) / "cache")
                    if isinstance(found, str):
                        break
                    runs.append(found)
        if not again:
            print(f"{name} is not measured: {found}", file=sys.stderr)
            continue
        print(row(f"{name}, first", first))
        print(row(f"{name}, again", again))


if __name__ == "__main__":
    main()
