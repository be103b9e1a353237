"""Fixtures of behaviour tests: the packages that they use, each built once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

from tests.behaviour import objects, packages
from tests.behaviour.packages import ENGINES, HERE, SHAPES, Package

KINDS = ("point", "canvas", "part", "node", "gate", "token")
"""What the shapes library counts, in its order."""


def pytest_sessionstart() -> None:
    packages.forget_old_builds()


@pytest.fixture(scope="module", autouse=True)
def quick_collections() -> None:
    """The collector need not look at tests and imported packages, each time that a test asks for it."""
    if hasattr(gc, "freeze"):  # not on PyPy
        gc.collect()
        gc.freeze()


@pytest.fixture(scope="session")
def shapes_package() -> Package:
    return packages.build(SHAPES)


@pytest.fixture(scope="session", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def shapes_module(shapes_package: Package, engine: str) -> Any:
    return shapes_package.load(engine)


@pytest.fixture
def shapes(shapes_module: Any) -> Iterator[Any]:
    """The package of every shape; whatever objects a test makes must be gone after it."""
    objects.let_go()
    before = live(shapes_module)
    yield shapes_module
    objects.let_go()
    if live(shapes_module) != before:  # a cycle may have some; collecting takes long where torch is loaded
        gc.collect()
    assert live(shapes_module) == before, "objects of the library leaked, or were released twice"
    assert shapes_module.widows() == 0, "an object outlived what it refers to"


def live(shapes: Any) -> dict[str, int]:
    """How many objects of each kind the library has."""
    return {kind: shapes.live(i) for i, kind in enumerate(KINDS)}


@pytest.fixture(scope="module")
def forest_module(engine: str) -> Any:
    return packages.build(HERE / "lifetimes" / "lifetimes.wrapper_spec").load(engine)


@pytest.fixture
def forest(forest_module: Any) -> Iterator[Any]:
    """The package of lifetimes; its library has no objects after a test, and none was used after its end."""
    objects.let_go()
    yield forest_module
    objects.collect()
    assert (tuple(forest_module.live()), forest_module.wrong()) == ((0,) * 6, 0)
    forest_module.sweep()
