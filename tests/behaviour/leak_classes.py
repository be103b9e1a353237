"""What classes, records, iterators, arrays, interfaces and awaited calls do, many times: one process of test_leaks_classes.py.

python leak_classes.py CALLS GROUP [ONLY]     CALLS of each shape; prints what stayed, by shape, as JSON
"""

from __future__ import annotations

import builtins
import importlib.util
import json
import sys
import warnings
from collections.abc import Mapping
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any

from tests.behaviour.leak_awaitables import AWAITABLES, awaited
from tests.behaviour.leak_handles import CLASSES, KINDS, RECORDS
from tests.behaviour.leak_interfaces import HIERARCHY, INTERFACES
from tests.behaviour.leak_scale import Growth, Scale, loop, pass_over_what_is_there
from tests.behaviour.leak_sequences import ARRAYS, ITERATORS

BASE = "from array import array\nimport copy, gc, math, operator, os, pathlib, pickle, sys\nfrom datetime import timedelta\nfrom dataclasses import replace\n"
"""What every setup begins with."""

GROUPS = {
    "classes": CLASSES, "kinds": KINDS, "records": RECORDS, "iterators": ITERATORS, "arrays": ARRAYS, "interfaces": INTERFACES, "hierarchy": HIERARCHY,
    "awaitables": AWAITABLES,
}  # fmt: skip


def load(folders: Mapping[str, str]) -> dict[str, Any]:
    """The packages, by the name that a setup has for each."""
    found = {}
    for name, folder in folders.items():
        path = Path(folder)
        spec = importlib.util.spec_from_file_location(
            path.name, path / "__init__.py", submodule_search_locations=[folder]
        )
        assert spec is not None and spec.loader is not None
        found[name] = sys.modules[path.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found[name])
    return found


def watched(packages: Mapping[str, Any], values: Mapping[str, Any]) -> list[Any]:
    """Objects that a call may count once too often, or too rarely."""
    public = [getattr(package, name) for package in packages.values() for name in package.__all__]
    members = [each for enum in public if isinstance(enum, type) and issubclass(enum, Enum) for each in enum]
    common = [None, True, False, NotImplemented, (), "", b"", *range(257)]
    common += [each for each in vars(builtins).values() if isinstance(each, type)]
    return [*common, *public, *members, *(each for name, each in values.items() if not name.startswith("__"))]


def main(calls: int, group: str, folders: Mapping[str, str], only: str = "") -> None:
    warnings.simplefilter("ignore")  # what is deprecated is called, too
    chosen, packages = GROUPS[group], load(folders)
    values: dict[str, Any] = dict(packages)
    with suppress(ImportError):  # without NumPy, there are no arrays
        exec(BASE + chosen.setup, values)
    values.pop("__builtins__")
    scale = Scale(watched(packages, values))
    pass_over_what_is_there()
    report: dict[str, Growth] = {}
    for statements, fails in ((chosen.calls, False), (chosen.failures, True)):
        for statement in statements:
            if only in statement:
                run = awaited(statement, values) if chosen is AWAITABLES else loop(statement, values, fails=fails)
                report[statement] = scale.measure(
                    run, calls // (10 if chosen is AWAITABLES or statement in chosen.heavy else 1)
                )
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]), *sys.argv[4:])
