"""Times constructors and methods of Python's protocols through all bindings of one library, in one process.

python benchmarks/protocols_process.py FOLDER ROUNDS SEED CPU NAME...     prints nanoseconds a call, as JSON
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import random
import sys
from collections.abc import Sequence
from typing import Any

from calls_process import UNROLLED, Burst, burst, enough


def load(name: str) -> Any:
    if not name.startswith("wrapper-gen"):
        return importlib.import_module(f"with_{name.lower()}")
    for loaded in [each for each in sys.modules if each.partition(".")[0] == "protocols_ffi"]:
        del sys.modules[loaded]
    os.environ["WRAPPER_GEN_ENGINE"] = name.rpartition(" ")[2]
    return importlib.import_module("protocols_ffi")


EXPRESSIONS = {
    "len": "len(numbers)",
    "[]": "numbers[7]",
    "[], from the end": "numbers[-7]",
    "in": "1.5 in numbers",
    "over 100 items": "list(numbers)",
    "==": "a == b",
    "== with another type": "a == 1",
    "<": "a < b",
    "+": "a + b",
    "* a number": "a * 2.5",
    "-": "-a",
    "hash": "hash(a)",
    "bool": "not a",
    "a call": "a(2.0)",
    "constructor": "make(1.0, 2.0)",
    "constructor, by name": "make(x=1.0, y=2.0)",
}


def operations(module: Any) -> dict[str, tuple[str, dict[str, Any]]]:
    """By row: the expression, and what it uses."""
    a, b, numbers = module.Vector(1.0, 2.0), module.Vector(1.0, 2.0), module.Numbers(100)
    assert a == b and a + b == module.Vector(2.0, 4.0) and len(numbers) == 100 and sum(numbers) == 150.0
    assert hash(a) == 33 and a(2.0) == 5.0 and (a == 1) is False
    used = {"a": a, "b": b, "numbers": numbers, "make": module.Vector}
    return {name: (expression, used) for name, expression in EXPRESSIONS.items()}


def measure(names: Sequence[str], rounds: int) -> dict[str, dict[str, list[float]]]:
    """Nanoseconds a call, by row and binding, one figure a round: the best of three bursts."""
    timed: dict[str, dict[str, tuple[Burst, int]]] = {}
    for name in names:
        for operation, (expression, used) in operations(load(name)).items():
            function = burst(expression, used, False)
            timed.setdefault(operation, {})[name] = function, enough(function)
    gc.collect()
    gc.freeze()
    found: dict[str, dict[str, list[float]]] = {o: {name: [] for name in own} for o, own in timed.items()}
    for _ in range(rounds):
        for operation in random.sample(list(timed), len(timed)):
            for name in random.sample(list(timed[operation]), len(timed[operation])):
                function, count = timed[operation][name]
                found[operation][name].append(min(function(count) for _ in range(3)) / (count * UNROLLED))
    return found


if __name__ == "__main__":
    folder, rounds, seed, cpu, *chosen = sys.argv[1:]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(cpu)})
    random.seed(int(seed))
    sys.path.insert(0, folder)
    random.shuffle(chosen)
    json.dump(measure(chosen, int(rounds)), sys.stdout)
