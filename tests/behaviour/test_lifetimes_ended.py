"""Calls that end what an object lends, all of it or some."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviour import objects, packages
from tests.behaviour.leak_scale import Scale, loop

# --- calls that end what an object lends -----------------------------------------------------------------------------


def test_a_call_ends_what_its_object_lends(forest: Any) -> None:
    document, other = forest.open("d"), forest.open("e")
    root, far, cursor = document.root(), other.root(), document.cursor()
    nodes = [root, root.add("a"), *root.children()]
    document.clear()
    assert all(each.closed for each in [*nodes, cursor])
    assert not far.closed
    assert forest.live()[:2] == (2, 0)
    with pytest.raises(forest.ClosedHandleError, match=r"^Node: this handle is closed$"):
        root.add("b")
    with pytest.raises(forest.ClosedHandleError, match=r"^Node: this handle is closed$"):
        _ = root.document
    with pytest.raises(forest.ClosedHandleError, match=r"^node: this Node is closed$"):
        forest.place(root)
    with pytest.raises(forest.ClosedHandleError, match=r"^this Cursor is closed$"), cursor:
        pass
    assert repr(root) == "<Node closed>"
    root.close()
    cursor.close()
    again = document.root()
    assert (again.name, again.document is document, again.children()) == ("d", True, [])


def test_a_close_ends_what_its_object_lends(forest: Any) -> None:
    store, other = forest.store("s"), forest.store("t")
    shelf, reader, far = store.shelf(), store.reader(), other.shelf()
    lent = [shelf, shelf.add("a"), reader]
    with store:
        assert shelf.name == "s"
    assert all(each.closed for each in lent)
    assert (far.name, forest.live()[:2]) == ("t", (1, 0))
    with pytest.raises(forest.ClosedHandleError, match=r"^Shelf: this handle is closed$"):
        _ = shelf.name
    with pytest.raises(forest.ClosedHandleError, match=r"^Reader: this handle is closed$"):
        reader.step()
    store.close()
    other.close()


def test_what_is_in_use_ends_after_it(forest: Any) -> None:
    store = forest.store("s")
    reader = store.reader()

    def close() -> bool:
        store.close()
        assert reader.closed
        assert forest.live()[:2] == (1, 1)
        return False

    assert reader.step_while(close) == 1
    assert forest.live()[:2] == (0, 0)


def test_who_only_lets_go_of_the_owner_keeps_what_it_lent(forest: Any) -> None:
    shelf = forest.store("s").shelf()
    objects.collect()
    assert shelf.name == "s"
    shelf.owner.close()
    assert shelf.closed


def test_all_but_the_object_itself(forest: Any) -> None:
    document = forest.open("d")
    root = document.root()
    one, other = root.add("a"), root.add("b")
    one.alone()
    assert (root.closed, one.closed, other.closed) == (True, False, True)
    assert document.root().name == one.name == "a"


# --- some of what is lent --------------------------------------------------------------------------------------------


def test_only_those_end_for_which_the_condition_holds(forest: Any) -> None:
    document = forest.open("d")
    root = document.root()
    branch, other = root.add("a"), root.add("b")
    leaf, cursor, place = branch.add("c"), document.cursor(), forest.place(branch)
    elsewhere = forest.place(other)
    root.remove(branch)
    assert (branch.closed, leaf.closed, place.closed) == (True, True, True)
    assert (root.closed, other.closed, elsewhere.closed, cursor.closed) == (False, False, False, False)
    assert (other.name, elsewhere.name, cursor.step()) == ("b", "b", 1)
    with pytest.raises(forest.ClosedHandleError):
        root.remove(branch)


def test_the_object_of_the_call_ends_where_the_condition_is_true_for_it(forest: Any) -> None:
    root = forest.open("d").root()
    branch, other = root.add("a"), root.add("b")
    with pytest.raises(ValueError, match=r"^no child of this node$"):
        branch.remove(other)
    assert (branch.closed, branch.name, other.closed) == (False, "a", True)
    with pytest.raises(ValueError, match=r"^no child of this node$"):
        branch.remove(root)  # which the object is below
    assert (branch.closed, root.closed) == (True, True)
    with pytest.raises(forest.ClosedHandleError, match=r"^Node: this handle is closed$"):
        _ = branch.name


def test_what_lends_itself_ends_in_part(forest: Any) -> None:
    root = forest.element()
    one, other = root.add(), root.add()
    below = one.add()
    root.remove(one)
    assert (root.closed, one.closed, below.closed, other.closed) == (False, True, True, False)
    assert root.count == 2


def test_a_condition_over_a_number(forest: Any) -> None:
    document = forest.open("document")
    root = document.root()
    short, long, cursor = root.add("ab"), root.add("abc"), document.cursor()
    document.prune(2)
    assert (short.closed, long.closed, root.closed, cursor.closed) == (True, False, False, False)


def test_a_condition_that_throws_ends_nothing(forest: Any) -> None:
    document = forest.open("d")
    node = document.root().add("a")
    with pytest.raises(ValueError, match=r"^a length is not negative$"):
        document.prune(-1)
    assert (node.closed, node.name) == (False, "a")


def test_a_handle_of_another_type_is_refused_before_anything_ends(forest: Any) -> None:
    document = forest.open("d")
    node = document.root().add("a")
    with pytest.raises(TypeError, match=r"^child: a Node is wanted, not Document$"):
        document.root().remove(document)
    assert node.name == "a"


def test_what_the_call_is_given_ends_too(forest: Any) -> None:
    document = forest.open("d")
    node = document.root().add("a")
    assert document.replace(node) == "a"
    assert node.closed
    document.root().add("b")
    assert document.replace(document.root()) == "d"


def test_a_result_that_ends_with_the_next_call(forest: Any) -> None:
    cursor = forest.open("d").cursor()
    cursor.step()
    row = cursor.row()
    field = row.field()
    same = cursor.row()
    assert (row.number, field.number, field.owner is row, row.owner is cursor) == (1, 1, True, True)
    cursor.step()
    assert row.closed and field.closed and same.closed
    with pytest.raises(forest.ClosedHandleError, match=r"^Field: this handle is closed$"):
        _ = field.number
    row = cursor.row()
    cursor.rewind()
    assert row.closed
    row = cursor.row()
    cursor.root()
    assert row.number == 2


def test_what_is_lent_in_turn_ends_first(forest: Any) -> None:
    document = forest.open("d")
    rows = [document.cursor().row() for _ in range(3)]
    fields = [row.field() for row in rows]
    document.clear()
    assert all(each.closed for each in [*rows, *fields])
    assert forest.live().cursors == 0


def test_nothing_ends_that_something_else_needs(forest: Any) -> None:
    document = forest.open("d")
    cursor = document.cursor()
    row, node = cursor.row(), document.root()
    note = row.note()
    message = "this call ends a Row that is still needed: a Note keeps it alive, or another call uses it"
    for call in (cursor.step, document.clear):
        with pytest.raises(ValueError, match=f"^{message}$"):
            call()
    assert (row.number, note.number, node.name, row.closed, node.closed) == (0, 0, "d", False, False)
    note.close()
    document.clear()
    assert row.closed and node.closed


def test_what_a_subclass_lends(forest: Any) -> None:
    class Mine(forest.Document):  # type: ignore[misc]
        pass

    document = Mine.open("d")
    node = document.root()
    document.clear()
    assert node.closed


def test_many_come_and_go(forest: Any) -> None:
    import weakref

    document, cursor = forest.open("d"), forest.open("e").cursor()
    for _ in range(200):
        nodes = [document.root().add("x") for _ in range(20)]
        gone = []
        seen = [weakref.ref(node, gone.append) for node in nodes[:10]]
        del nodes[5:]
        cursor.row(), cursor.row()
        cursor.step()
        document.clear()
        assert all(node.closed for node in nodes)
        del nodes
        objects.collect()
        assert len(gone) == len(seen)


# --- leaks -----------------------------------------------------------------------------------------------------------

ENDED = (
    "root = lib.element(); one = root.add(); more = one.add(); root.remove(one); del root, one, more; lib.sweep()",
    "root = lib.element(); one = root.add(); other = root.add(); root.remove(one); del root, one, other; lib.sweep()",
    "d = lib.open('d'); one = d.root().add('a'); c = d.cursor(); d.root().remove(one); del d, one, c; lib.sweep()",
    "d = lib.open('d'); one = d.root().add('a'); place = lib.place(one); d.prune(1); del d, one, place; lib.sweep()",
)  # what has ended, the library keeps until it sweeps


@pytest.mark.slow
@pytest.mark.skipif(not objects.COUNTS_REFERENCES, reason="this Python counts no references")
def test_nothing_stays_of_handles_that_a_condition_ends(forest: Any) -> None:
    count = packages.fewer(30_000)
    scale = Scale([None, forest.Document, forest.Node, forest.Cursor, forest.Element])
    growth = {each: scale.measure(loop(each, {"lib": forest}, fails=False), count) for each in ENDED}
    assert {each: what for each, what in growth.items() if what} == {}
