"""One process of torch_calls.py: adds tensors through our package and through torch in turn, prints the times as JSON.

python torch_calls_process.py FOLDER ROUNDS SEED CPU
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import random
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from calls_process import UNROLLED, Burst, burst, enough

CPYTHON, CFFI = "torch_ffi, cpython", "torch_ffi, cffi"
CONTENDERS: Mapping[str, str] = {
    CPYTHON: "a.add(b)",
    CFFI: "a.add(b)",
    "a + b": "a + b",
    "a.add(b)": "a.add(b)",
    "torch.add(a, b)": "add(a, b)",
}
"""Who adds, and how that is written in Python."""

SIZES = (1, 1000)
"""Elements of FLOAT32 in each of the two tensors."""

MODES = ("as it is", "no_grad", "inference_mode")
"""What torch's own calls may leave out: by its own words, in the order of how much."""


def rows() -> list[str]:
    return [f"{size} of float32, {mode}" for size in SIZES for mode in MODES]


def load(engine: str) -> Any:
    """Our package through one engine; both can be loaded at once, under the same name one after the other."""
    for loaded in [each for each in sys.modules if each.partition(".")[0] == "torch_ffi"]:
        del sys.modules[loaded]
    os.environ["WRAPPER_GEN_ENGINE"] = engine
    module = importlib.import_module("torch_ffi")
    assert engine == module.ENGINE and not module.STUB
    return module


def tensors(name: str, ours: Mapping[str, Any], size: int) -> dict[str, Any]:
    """What a contender's expression uses."""
    import torch

    if name in ours:
        return {"a": ours[name].ones([size]), "b": ours[name].ones([size])}
    return {"a": torch.ones(size), "b": torch.ones(size), "add": torch.add}


def check(expression: str, names: Mapping[str, Any], size: int) -> None:
    """No figure is worth anything when the call does something else."""
    total = eval(expression, dict(names))
    assert (total.to_list() if hasattr(total, "to_list") else total.tolist()) == [2.0] * size


def measure(rounds: int) -> dict[str, dict[str, list[float]]]:
    """Nanoseconds a call, by row and contender, one figure a round: the best of three bursts."""
    import torch

    torch.set_num_threads(1)
    modes: dict[str, Callable[[], AbstractContextManager[object]]] = {
        "as it is": nullcontext,
        "no_grad": torch.no_grad,
        "inference_mode": torch.inference_mode,
    }
    ours = {CPYTHON: load("cpython"), CFFI: load("cffi")}
    timed: dict[str, dict[str, tuple[Burst, int]]] = {}
    for row in rows():
        size, mode = int(row.split()[0]), row.split(", ")[1]
        with modes[mode]():
            for name, expression in CONTENDERS.items():
                names = tensors(name, ours, size)
                check(expression, names, size)
                function = burst(expression, names, fails=False)
                timed.setdefault(row, {})[name] = (function, enough(function))
    gc.collect()
    gc.freeze()
    gc.disable()
    found: dict[str, dict[str, list[float]]] = {row: {name: [] for name in CONTENDERS} for row in timed}
    for _ in range(rounds):
        for row in random.sample(list(timed), len(timed)):
            with modes[row.split(", ")[1]]():
                for name in random.sample(list(CONTENDERS), len(CONTENDERS)):
                    function, count = timed[row][name]
                    found[row][name].append(min(function(count) for _ in range(3)) / (count * UNROLLED))
    return found


if __name__ == "__main__":
    folder, rounds, seed, cpu = sys.argv[1:]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(cpu)})
    random.seed(int(seed))
    sys.path.insert(0, folder)
    json.dump(measure(int(rounds)), sys.stdout)
