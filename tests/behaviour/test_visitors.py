"""Visitors in Python of trees in C++: who owns what they are given, and what they cannot end."""

from __future__ import annotations

import gc
from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = packages.HERE / "visitors" / "visitors.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def tree(lib: Any) -> Any:
    made = lib.Tree()
    made.grow("a").grow("b")
    return made


def walker(lib: Any, each: Callable[[Any], object]) -> Any:
    class Walker(lib.Walker):  # type: ignore[misc]
        def enter(self, part: Any) -> bool:
            each(part)
            return True

    return Walker()


def test_what_is_reached_belongs_to_the_tree_that_is_visited(lib: Any) -> None:
    found: list[Any] = []
    tree = lib.Tree()
    tree.grow("a").grow("b")
    tree.walk(walker(lib, lambda part: found.append(part.above)))
    assert [each and each.name for each in found] == [None, "tree", "a"]
    assert found[1].above is None and tree.name == "tree"
    del tree
    gc.collect()
    assert (found[2].name, lib.live()) == ("a", 1)
    found.clear()
    gc.collect()
    assert lib.live() == 0


def test_a_visitor_cannot_end_what_is_visited(lib: Any, tree: Any) -> None:
    def strip(part: Any) -> None:
        for each in (part, tree):
            with pytest.raises(ValueError, match="a call that is still running uses what this call ends"):
                each.strip()

    tree.walk(walker(lib, strip))
    with pytest.raises(ValueError, match="a call that is still running uses what this call ends"):
        tree.walk(walker(lib, lambda part: tree.strip()))
    tree.strip()


def test_nor_can_another_thread(lib: Any, tree: Any) -> None:
    seen: list[str] = []

    def strip() -> None:
        try:
            tree.strip()
        except ValueError as error:
            seen.append(str(error))

    def elsewhere(part: Any) -> None:
        other = Thread(target=strip)
        other.start()
        other.join()

    tree.walk(walker(lib, elsewhere))
    assert len(seen) == 3
