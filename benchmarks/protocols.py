"""Times constructors, methods of protocols and attributes of structs, beside nanobind and pybind11; it always exits 0.

python benchmarks/protocols.py [--rounds 20] [--processes 3] [--short] [--json FILE] [--no-install]
"""

from __future__ import annotations

from calls import Times, ratio
from common import Wanted, summarize
from contenders import NANOBIND, OURS, PYBIND11
from interleaved import Benchmark, run

BOUND = 0.9
BOUNDS = {"attribute of a struct": 0.7, "attribute of a struct, text": 0.7}
"""Of rows that have one of their own."""
NOTES = """\
Below 1 is faster. A ratio is taken within its round; shown are the median over all rounds and half the distance of
its quartiles. All bindings wrap the same classes, and check positions alike. The time of the loop and of what Python
does before it calls is in all figures."""


def wanted(times: Times) -> list[Wanted]:
    """The cpython engine against the faster peer."""
    found = []
    for operation, row in times.items():
        peers = [name for name in (NANOBIND, PYBIND11) if name in row]
        if peers:
            fastest = min(peers, key=lambda name: summarize(row[name]).median)
            bound = BOUNDS.get(operation, BOUND)
            found.append(Wanted(f"{operation}: against {fastest}", bound, ratio(times, operation, OURS, fastest)))
    return found


if __name__ == "__main__":
    run(Benchmark("protocols", "Constructors and Python's protocols", NOTES, wanted), __doc__)
