"""Handles that callables are called with: what is reached from them, and what may not end meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.behaviour import objects, packages

SPEC = packages.HERE / "lifetimes" / "lifetimes.wrapper_spec"


@pytest.fixture
def forest(engine: str) -> Iterator[Any]:
    """The package; the library has no objects after a test, and none was used after its end."""
    module = packages.build(SPEC).load(engine)
    objects.let_go()
    yield module
    module.listen(None)
    objects.collect()
    assert (tuple(module.live()), module.wrong()) == ((0,) * 6, 0)
    module.sweep()


def test_the_owner_is_that_of_the_call(forest: Any) -> None:
    document, kept = forest.open("d"), []
    document.root().add("a")
    expected = {"owner": document}

    def visit(node: Any) -> bool:
        assert node.document is expected["owner"]
        kept.append(node.add("below"))
        assert kept[-1].document is expected["owner"]
        kept.append(node)
        return False

    document.each(visit)
    document.root().each(visit)
    forest.each_node(document, document, visit)
    assert [each.closed for each in kept] == [False, True] * 3
    del document, expected["owner"]
    objects.collect()
    assert (forest.live().documents, [each.name for each in kept[::2]]) == (1, ["below"] * 3)
    with pytest.raises(forest.ClosedHandleError, match=r"^Node: this handle is closed$"):
        kept[1].add("c")


def test_without_an_owner_all_ends_with_the_call(forest: Any) -> None:
    kept: list[Any] = []

    def visit(document: Any) -> None:
        root = document.root()
        assert root.document is document
        kept.extend([document, root, *root.children(), root.add("b").cursor(), document.cursor(), forest.place(root)])
        kept.append(kept[3].row() if kept[3].step() else None)
        kept.append(kept[-1].note())
        assert forest.live().cursors == 2
        assert not any(each.closed for each in kept)

    forest.with_document(visit)
    assert [each.closed for each in kept] == [True] * 8
    assert forest.live()[:2] == (0, 0)
    for each in kept[1:3]:
        with pytest.raises(forest.ClosedHandleError, match=r"^Node: this handle is closed$"):
            each.children()
    with pytest.raises(forest.ClosedHandleError):
        _ = kept[-1].number
    assert repr(kept[1]) == "<Node closed>"


def test_of_two_that_may_own_it_neither_does(forest: Any) -> None:
    kept: list[Any] = []

    def visit(node: Any) -> bool:
        kept.append(node.add("below"))
        return False

    one, other = forest.open("d"), forest.open("e")
    forest.each_node(one, other, visit)
    assert kept[0].closed


def test_handles_in_other_values(forest: Any) -> None:
    kept: list[Any] = []

    def visit(place: Any, nodes: list[Any]) -> None:
        assert place.name == "made"
        kept.extend(
            [place, *nodes, *nodes[0].add("x").add("y").children(), nodes[1].add("c"), *nodes[1].by_name().values()]
        )

    forest.with_place(visit)
    assert len(kept) == 5
    assert all(each.closed for each in kept)


def test_what_is_called_later_knows_no_owner(forest: Any) -> None:
    document, kept = forest.open("d"), []

    def heard(node: Any) -> None:
        kept.extend([node, node.add("a"), forest.place(node.add("b"))])
        assert not any(each.closed for each in kept)

    forest.listen(heard)
    forest.tell(document.root())
    assert all(each.closed for each in kept)
    assert forest.live()[:2] == (1, 0)
    assert [each.name for each in document.root().children()] == ["a", "b"]


def test_what_is_lent_for_a_call_is_not_held(forest: Any) -> None:
    hub, links = forest.hub(), []

    def visit(plug: Any) -> None:
        with pytest.raises(ValueError, match="valid only while the callable is called"):
            hub.add(plug)
        with pytest.raises(ValueError, match="valid only while the callable is called"):
            hub.add_all([plug])
        with pytest.raises(ValueError, match="in use, or kept alive"):
            forest.eat(plug)
        links.append(plug)

    forest.with_plug(visit)
    assert (hub.sum, links[0].closed) == (0, True)


def test_who_raises_ends_it_too(forest: Any) -> None:
    kept: list[Any] = []

    def visit(document: Any) -> None:
        kept.append(document.cursor())
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        forest.with_document(visit)
    assert kept[0].closed


def test_nothing_ends_what_a_running_call_uses(forest: Any) -> None:
    document, other = forest.open("d"), forest.open("e")
    root, far = document.root(), other.root()
    root.add("a")
    running, seen = "a call that is still running uses what this call ends", []

    def visit(node: Any) -> bool:
        for ending in (document.clear, root.alone, node.alone, lambda: document.replace(root)):
            with pytest.raises(ValueError, match=running):
                ending()
        seen.append(node.name)
        other.clear()
        return True

    document.each(visit)
    root.each(visit)
    assert seen == ["d", "a"] * 2
    assert (root.closed, far.closed) == (False, True)
    root.alone()
    document.clear()
    assert root.closed


def test_callables_in_a_dict_run_under_the_same_call(forest: Any) -> None:
    document, kept = forest.open("d"), []

    def visit(node: Any) -> bool:
        with pytest.raises(ValueError, match="still running"):
            document.clear()
        kept.append(node.add("b"))
        return False

    document.each_by_several({"a": visit})
    assert not kept[0].closed and kept[0].name == "b"
    document.clear()
    assert kept[0].closed


def test_nothing_ends_it_further_in(forest: Any) -> None:
    document, other = forest.open("d"), forest.open("e")

    def inner(_node: Any) -> bool:
        with pytest.raises(ValueError, match="still running"):
            document.clear()
        return False

    def outer(_node: Any) -> bool:
        other.each(inner)
        other.clear()
        return False

    document.each(outer)
    document.clear()


def test_what_a_held_callable_runs_under(forest: Any) -> None:
    document = forest.open("d")
    root, seen = document.root(), []

    def heard(node: Any) -> None:
        with pytest.raises(ValueError, match="still running"):
            document.clear()
        seen.append(node.name)

    forest.listen(heard)
    forest.tell(root)
    assert (seen, root.closed) == (["d"], False)
    document.clear()


def test_an_object_may_be_closed_under_a_call(forest: Any) -> None:
    document, kept = forest.open("d"), []
    document.root().add("a")

    def visit(node: Any) -> bool:
        document.close()
        kept.append(node.add("b"))
        return True

    document.each(visit)
    assert [each.name for each in kept] == ["b", "b"]
    assert kept[0].document is document


# --- pointers to objects that C++ passes, and wants ------------------------------------------------------------------


@pytest.fixture
def calls(engine: str) -> Any:
    return packages.build(packages.HERE / "callables" / "callables.wrapper_spec").load(engine)


def test_objects_go_to_callables_as_pointers_to_them(calls: Any) -> None:
    kept: list[Any] = []

    def weight(parcel: Any) -> int:
        kept.append(parcel)
        return int(parcel.weight)

    given = [calls.weighed(weight), calls.weighed_copy(weight), calls.maybe_weighed(weight)]
    assert (given, calls.opened(lambda parcel: parcel.add(10))) == ([4, 5, 7], 16)
    for parcel in kept:
        with pytest.raises(calls.ClosedHandleError):
            parcel.add(1)


def test_pointers_that_callables_return_are_the_objects_that_cpp_wants(calls: Any) -> None:
    null = calls.Parcel(0)
    null.to_null()
    assert calls.made_weight(calls.Parcel) == 1
    assert calls.made_weights(lambda count: [calls.Parcel(10)] * count) == 20
    for call in (lambda: calls.made_weight(lambda _: null), lambda: calls.made_weights(lambda _: [null])):
        with pytest.raises(ValueError, match=r"^this handle holds a null pointer$"):
            call()
