"""One process of calls.py: loads every contender, times their calls in turn, prints the times as JSON.

It runs in the peers' environment. A round goes through the operations in a random order, and through all contenders of
an operation in a random order: what disturbs a round disturbs all of them alike.

python calls_process.py FOLDER ROUNDS SEED CPU CONTENDER…
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

OPERATIONS: Mapping[str, str] = {
    "two ints": "add(3, 4)",
    "by keyword": "add(a=3, b=4)",
    "two floats": "scale(1.5, 2.5)",
    "method": "counter.get()",
    "method(int)": "counter.add(1)",
    "bool": "counter.positive()",
    "property": "counter.value",
    "property set": "counter.level = 5",
    "third of three overloads": "pick(1.5)",
    "constructor": "make(5)",
    "clone, drop": "counter.clone()",
    "array of 1000": "total(ARRAY)",
    "list of 1000": "total_of_list(LIST)",
    "text": "upper(TEXT)",
    "exception": "counter.need(1 << 60)",
}
"""What is timed, as it is written in Python."""

_MEMBERS = frozenset({"property set", "third of three overloads"})
"""What only the peers that are compared have."""
ABSENT: Mapping[str, frozenset[str]] = {
    "SWIG -builtin -O": _MEMBERS | {"by keyword"},  # it takes no keywords
    "raw cffi": _MEMBERS | {"by keyword", "property", "exception"},  # bare C functions
    **dict.fromkeys(("C-API by hand", "Cython", "ctypes"), _MEMBERS),
}

RAW: Mapping[str, str] = {
    "method": "get(counter)",
    "method(int)": "counter_add(counter, 1)",
    "bool": "positive(counter)",
    "constructor": "free(new(5))",
    "clone, drop": "free(clone(counter))",
    "array of 1000": "total(from_buffer(doubles, ARRAY), 1000)",
    "list of 1000": "total(LIST, 1000)",
    "text": "unpack(upper(TEXT.encode()), 43).decode()",
}
"""The same for raw cffi, which has no classes."""

BURST = 200_000
"""Nanoseconds that one timing takes at least."""

UNROLLED = 20
"""Calls in the body of the loop, so that the loop itself costs next to nothing."""

Burst = Callable[[int], int]


def load(name: str) -> dict[str, Any]:
    """What the expressions of one contender use."""
    if name.startswith("wrapper-gen"):
        return _own(name.rpartition(" ")[2])
    if name == "raw cffi":
        return _raw_cffi()
    modules = {"C-API by hand": "by_hand", "SWIG -builtin -O": "with_swig"}
    module = importlib.import_module(modules.get(name, f"with_{name.lower()}"))
    return _names(module, module.Counter)


def _own(which: str) -> dict[str, Any]:
    """Our package through one engine, or its build for abi3, which lies in a folder of its own.

    All can be loaded at once, under the same name one after the other.
    """
    for loaded in [each for each in sys.modules if each.partition(".")[0] == "tiny_ffi"]:
        del sys.modules[loaded]
    engine = "cpython" if which == "abi3" else which
    os.environ["WRAPPER_GEN_ENGINE"] = engine
    folder = sys.path[0]
    sys.path[0] = str(Path(folder) / which) if which == "abi3" else folder
    module = importlib.import_module("tiny_ffi")
    sys.path[0] = folder
    assert engine == module.ENGINE, f"{engine} is wanted, not {module.ENGINE}"
    return _names(module, module.make)


def _names(module: ModuleType, make: Callable[[int], Any]) -> dict[str, Any]:
    functions = ("add", "scale", "total", "total_of_list", "upper")
    more = {"pick": module.pick} if hasattr(module, "pick") else {}
    return {each: getattr(module, each) for each in functions} | more | {"make": make, "counter": make(5)}


def _raw_cffi() -> dict[str, Any]:
    module = importlib.import_module("raw_cffi")
    ffi, lib = module.ffi, module.lib

    def upper(text: bytes) -> Any:
        out = ffi.new("char[]", len(text))
        lib.tiny_upper(text, len(text), out)
        return out

    own = {each: getattr(lib, f"tiny_{each}") for each in ("add", "scale", "total")}
    own |= {each: getattr(lib, f"tiny_counter_{each}") for each in ("get", "positive", "new", "free", "clone")}
    more = SimpleNamespace(from_buffer=ffi.from_buffer, unpack=ffi.unpack, doubles=ffi.typeof("double[]"))
    counter = ffi.gc(lib.tiny_counter_new(5), lib.tiny_counter_free)
    return own | vars(more) | {"upper": upper, "counter_add": lib.tiny_counter_add, "counter": counter}


def burst(expression: str, names: Mapping[str, Any], fails: bool) -> Burst:
    """A function that evaluates the expression `UNROLLED` times n, and tells how many nanoseconds that took.

    Everything it uses is a local variable, bound before the clock starts.
    """
    line = f"        try: {expression}\n        except RuntimeError: pass\n" if fails else f"        {expression}\n"
    used = [name for name in names if name in compile(expression, "", "exec").co_names]
    parameters = ", ".join(f"{name}={name}" for name in (*used, "clock"))
    source = (
        f"def timed(count, {parameters}):\n    start = clock()\n    for _ in range(count):\n"
        f"{line * UNROLLED}    return clock() - start\n"
    )
    namespace = {**names, "clock": time.perf_counter_ns}
    exec(source, namespace)
    timed: Burst = namespace["timed"]
    return timed


def check(name: str, names: Mapping[str, Any]) -> None:
    """No figure is worth anything when the call does something else."""
    want: dict[str, object] = {
        "two ints": 7,
        "by keyword": 7,
        "two floats": 3.75,
        "method": 5,
        "bool": True,
        "property": 5,
        "third of three overloads": 3.0,
    }
    want |= {"array of 1000": sum(LIST), "list of 1000": sum(LIST), "text": TEXT.upper()}
    for operation, expression in expressions(name).items():
        if operation in want:
            got = eval(expression, dict(names))
            assert got == want[operation], f"{name}: {operation} gives {got!r}"


def expressions(name: str) -> dict[str, str]:
    own = {**OPERATIONS, **RAW} if name == "raw cffi" else OPERATIONS
    return {operation: text for operation, text in own.items() if operation not in ABSENT.get(name, ())}


def measure(names: Sequence[str], rounds: int) -> dict[str, dict[str, list[float]]]:
    """Nanoseconds a call, by operation and contender, one figure a round: the best of three bursts."""
    timed: dict[str, dict[str, tuple[Burst, int]]] = {operation: {} for operation in OPERATIONS}
    for name in names:
        values = {"ARRAY": ARRAY, "LIST": LIST, "TEXT": TEXT, **load(name)}
        check(name, values)
        for operation, expression in expressions(name).items():
            function = burst(expression, values, operation == "exception")
            timed[operation][name] = (function, enough(function))
    gc.collect()
    gc.freeze()
    gc.disable()
    found: dict[str, dict[str, list[float]]] = {o: {name: [] for name in own} for o, own in timed.items()}
    for _ in range(rounds):
        for operation in random.sample(list(timed), len(timed)):
            for name in random.sample(list(timed[operation]), len(timed[operation])):
                function, count = timed[operation][name]
                best = min(function(count) for _ in range(3))
                found[operation][name].append(best / (count * UNROLLED))
    return found


def enough(function: Burst) -> int:
    """How many turns of the loop take as long as a burst should; also warms up."""
    count = 1
    while function(count) < BURST:
        count *= 2
    return count


if __name__ == "__main__":
    folder, rounds, seed, cpu, *chosen = sys.argv[1:]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(cpu)})
    random.seed(int(seed))
    sys.path.insert(0, folder)
    import numpy

    ARRAY = numpy.arange(1000.0)
    LIST: list[float] = ARRAY.tolist()
    TEXT = "The quick brown fox jumps over the lazy dog"
    random.shuffle(chosen)  # which is loaded first decides where it lies in memory
    json.dump(measure(chosen, int(rounds)), sys.stdout)
