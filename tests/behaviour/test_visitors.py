"""Visitors in Python of trees in C++: who owns what they are given, and what they cannot end."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any

import pytest

from tests.behaviour import packages

SPEC = packages.HERE / "visitors" / "visitors.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def tree(lib: Any) -> Iterator[Any]:
    made = lib.Tree()
    made.grow("a").grow("b")
    yield made
    made.watch(None)  # who watches it may have it: the cffi engine never ends such a cycle


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


# --- what is made while a call ends what is lent ---------------------------------------------------------------------


def watching(lib: Any, tree: Any, work: Callable[[], list[Any]]) -> list[Any]:
    """Lets `work` run while parts of the tree are cut: what that makes."""
    made: list[Any] = []
    tree.watch(walker(lib, lambda part: made.extend(work())))
    return made


def test_what_is_made_while_a_call_ends_such_handles_ends_with_it(lib: Any, tree: Any) -> None:
    before, gone = tree.grow("c"), tree.at(0)
    made = watching(lib, tree, lambda: [tree.at(0), tree.at(0).at(0), tree.at(1), tree.grow("d")])
    above = tree.cut(gone)
    assert [each.closed for each in [gone, *made]] == [True] * 5
    assert (before.name, before.closed, above.name, above.closed) == ("c", False, "tree", False)
    with pytest.raises(lib.ClosedHandleError, match=r"^Part: this handle is closed$"):
        _ = made[0].name
    tree.watch(None)
    later = tree.at(1)
    tree.cut(before)
    assert (before.closed, later.name, above.name, tree.at(0).name) == (True, "d", "tree", "d")


@pytest.mark.parametrize("raises", ["callable", "call"])
def test_so_does_what_is_made_where_the_call_raises(lib: Any, tree: Any, raises: str) -> None:
    class Stopped(Exception):
        pass

    def work() -> list[Any]:
        made.append(tree.at(0))
        if raises == "callable":
            raise Stopped
        return []

    before = tree.grow("c")
    made = watching(lib, tree, work)
    with pytest.raises(Stopped if raises == "callable" else RuntimeError):
        tree.cut(tree.at(0), is_late=raises == "call")
    assert [each.closed for each in made] == [True]
    assert before.name == "c"


def test_what_another_thread_makes_meanwhile_ends_too(lib: Any, tree: Any) -> None:
    def elsewhere() -> list[Any]:
        made: list[Any] = []
        other = Thread(target=lambda: made.append(tree.at(0)))
        other.start()
        other.join()
        return made

    made = watching(lib, tree, elsewhere)
    tree.cut(tree.at(0))
    assert [each.closed for each in made] == [True]


def test_a_call_within_a_call_ends_its_own(lib: Any, tree: Any) -> None:
    made: list[Any] = []

    def shake() -> list[Any]:
        part, place = tree.at(0), tree.place()
        tree.shake(walker(lib, lambda each: made.extend([tree.place(), tree.at(0)])))
        assert [each.closed for each in [part, place, *made]] == [False, True, True, False]
        return [part]

    made += watching(lib, tree, shake)
    tree.cut(tree.at(0))
    assert len(made) == 2 and all(each.closed for each in made)


def test_what_is_borrowed_during_the_call_that_ends_it(lib: Any, tree: Any) -> None:
    made: list[Any] = []
    after = tree.place_after(walker(lib, lambda each: made.append(tree.place())))
    assert [each.closed for each in made] == [False]  # it ends with another call
    assert [each.name for each in after] == ["tree"]
    tree.shake(walker(lib, lambda each: made.append(tree.place())))
    assert [each.closed for each in [*made, *after]] == [True, True, True]
