"""Times the operations of one library through all of its bindings, in one process: what `interleaved.py` starts.

python benchmarks/<name>_process.py FOLDER ROUNDS SEED CPU NAME...     prints nanoseconds a call, as JSON
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import random
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from calls_process import UNROLLED, Burst, burst, enough

Operations = Mapping[str, tuple[str, dict[str, Any]]]
"""By row: the expression, and what it uses."""


def load(name: str, package: str) -> Any:
    """The module of one binding; our package is imported anew for each of its engines."""
    if name == "C-API by hand":
        return importlib.import_module("by_hand")
    if not name.startswith("wrapper-gen"):
        return importlib.import_module("with_" + "_".join(re.findall(r"\w+", name.lower())))
    for loaded in [each for each in sys.modules if each.partition(".")[0] == package]:
        del sys.modules[loaded]
    os.environ["WRAPPER_GEN_ENGINE"] = name.rpartition(" ")[2]
    return importlib.import_module(package)


def measure(
    package: str, operations: Callable[[Any], Operations], names: Sequence[str], rounds: int
) -> dict[str, dict[str, list[float]]]:
    """Nanoseconds a call, by row and binding, one figure a round: the best of three bursts."""
    timed: dict[str, dict[str, tuple[Burst, int]]] = {}
    for name in names:
        for operation, (expression, used) in operations(load(name, package)).items():
            function = burst(expression, used, False)
            timed.setdefault(operation, {})[name] = function, enough(function)
    gc.collect()
    gc.freeze()  # the collector stays on: what a conversion makes of objects is part of its price
    found: dict[str, dict[str, list[float]]] = {o: {name: [] for name in own} for o, own in timed.items()}
    for _ in range(rounds):
        for operation in random.sample(list(timed), len(timed)):
            for name in random.sample(list(timed[operation]), len(timed[operation])):
                function, count = timed[operation][name]
                found[operation][name].append(min(function(count) for _ in range(3)) / (count * UNROLLED))
    return found


def main(package: str, operations: Callable[[Any], Operations]) -> None:
    """Measure as the command line says, and print it."""
    folder, rounds, seed, cpu, *chosen = sys.argv[1:]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(cpu)})
    random.seed(int(seed))
    sys.path.insert(0, folder)
    random.shuffle(chosen)
    json.dump(measure(package, operations, chosen, int(rounds)), sys.stdout)
