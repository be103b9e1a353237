"""The packages that the golden tests compare as text also compile, and both engines do the same with each function."""

from __future__ import annotations

from collections import ChainMap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES, HERE
from tests.behaviour.test_engines_agree import fitting, outcome
from wrapper_gen import names, pipeline
from wrapper_gen.model import NO_DEFAULT, Function, Module
from wrapper_gen.types.model import Handle, List, Optional, Type

CASES = sorted(each for each in (HERE.parent / "cases").glob("*/spec.wrapper_spec") if each.parent.name != "uses")
"""Those whose packages carry their runtime; `test_uses.py` has the others."""
MADE_UP = {"wild_format"}
"""Cases about libraries that do not exist."""


def is_made_of_handles(type_: Type) -> bool:
    match type_:
        case Handle():
            return True
        case List(element=inner) | Optional(of=inner):
            return is_made_of_handles(inner)
        case _:
            return False


def callable_with(function: Function, package: Any) -> list[list[Any]]:
    """Rows of arguments: those without a default, then all; none where a handle is needed."""
    needed = [p for p in function.parameters if p.default is NO_DEFAULT]
    rows = [] if any(is_made_of_handles(p.type) for p in needed) else [needed]
    if not any(is_made_of_handles(p.type) for p in function.parameters):
        rows.append(list(function.parameters))
    return [[fitting(p.type, package) for p in row] for row in rows]


def function_of(function: Function, package: Any) -> Any:
    """The function of Python, which a submodule may have."""
    return getattr(getattr(package, function.module) if function.module else package, names.of_function(function))


def everything(package: Any, module: Module) -> SimpleNamespace:
    """What the package has, and its submodules."""
    below = (vars(getattr(package, each.name)) for each in module.submodules)
    return SimpleNamespace(**ChainMap(vars(package), *below))


@pytest.mark.quick(3, slow=9)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.parent.name)
def test_both_engines_do_the_same(case: Path) -> None:
    module = pipeline.read(case, case.name)[0]
    package = packages.build(case, stub=case.parent.name in MADE_UP)
    said = []
    for engine in ENGINES:
        loaded = package.load(engine)
        said.append(
            [
                (function.name, outcome(lambda: function_of(function, loaded)(*row)))  # noqa: B023 - called at once
                for function in module.functions
                for row in callable_with(function, everything(loaded, module))
            ]
        )
    assert said[0] == said[-1]
