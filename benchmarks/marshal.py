"""Times values within values, in and out, beside nanobind and pybind11; it exits 0 whatever it finds.

python benchmarks/marshal.py [--rounds 20] [--processes 3] [--short] [--json FILE] [--no-install]
"""

from __future__ import annotations

from calls import Times, ratio
from common import Wanted, summarize
from contenders import BY_HAND, NANOBIND, OURS, PYBIND11
from interleaved import Benchmark, run
from marshal_process import BORROWED, NO_STATUS, OWN, SPELLED, STATUS

NOTES = """\
Below 1 is faster. A ratio is taken within its round; shown are the median over all rounds and half the distance of
its quartiles. The collector of cycles is on. The library keeps the values that it gives. The cffi engine encodes and
decodes in Python, and is shown without a bound. By hand there are only C's
calls, the callables, without a look at the GIL, and a list of lists, which
shows what of that is the C-API's, without a bound. A status and what was borrowed have to be looked at: what that
costs is the difference to the same call without."""


def wanted(times: Times) -> list[Wanted]:
    """The cpython engine against the faster peer; where the container's own memory is the bound, as fast as that."""
    found = []
    for operation, row in times.items():
        counted = (NANOBIND, PYBIND11) if operation.startswith(SPELLED["rows"]) else (NANOBIND, PYBIND11, BY_HAND)
        peers = [name for name in counted if name in row]
        if not peers:
            continue
        bound = 1.0 if operation.startswith("{") and operation.endswith("in") else 0.9
        fastest = min(peers, key=lambda name: summarize(row[name]).median)
        library = min((name for name in peers if name != BY_HAND), key=lambda name: summarize(row[name]).median)
        for peer in dict.fromkeys((fastest, library)):
            found.append(Wanted(f"{operation}: against {peer}", bound, ratio(times, operation, OURS, peer)))
    return [*found, *wanted_of_checks(times)]


def wanted_of_checks(times: Times) -> list[Wanted]:
    """What a check adds to a call of ours, in nanoseconds."""
    found = []
    for plain, checked, bound in ((NO_STATUS, STATUS, 2.0), (OWN, BORROWED, 3.0)):
        both = zip(times[checked][OURS], times[plain][OURS], strict=True)
        found.append(Wanted(f"{checked}: more than {plain}", bound, summarize([a - b for a, b in both]), unit=" ns"))
    return found


if __name__ == "__main__":
    run(Benchmark("marshal", "Values within values", NOTES, wanted), __doc__)
