"""The words for how long objects live: each does what it says, nothing is used after its end, and nothing leaks."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import collect

SPEC = packages.HERE / "lifetime_words" / "lifetime_words.wrapper_spec"


@pytest.fixture
def lib(engine: str) -> Iterator[Any]:
    lib = packages.build(SPEC).load(engine)
    collect()
    before = lib.living()
    yield lib
    collect()
    assert (lib.wrongs(), lib.living()) == (0, before)


# --- belongs_to ------------------------------------------------------------------------------------------------------


def test_what_belongs_to_an_object_keeps_it_alive(lib: Any) -> None:
    note = lib.Store().add(3)
    collect()
    assert note.depth == 3 and note.store.add(4).depth == 4
    mark = note.mark()
    assert mark.marked.depth == 3
    store, note = note.store, None
    assert mark.marked.store is store
    store.close()
    assert mark.closed


def test_an_entry_says_which_argument_a_result_belongs_to(lib: Any) -> None:
    one, two = lib.Store(), lib.Store()
    same = one.beside(two.add(1))
    assert same.store is two
    one.close()
    assert same.depth == 1


def test_what_belongs_to_the_object_ends_with_the_entry_that_says_so(lib: Any) -> None:
    hub = lib.Hub(lib.Plug(1))
    slot = hub.slot()
    assert slot.now == 0
    hub.step()
    with pytest.raises(lib.ClosedHandleError):
        _ = slot.now
    assert hub.slot().now == 1


# --- holds, holds_last, lets_go --------------------------------------------------------------------------------------


def test_an_object_holds_what_it_was_made_of_and_given(lib: Any) -> None:
    hub = lib.Hub(lib.Plug(1))
    for volts in (2, 4):
        hub.add(lib.Plug(volts))
    collect()
    assert hub.sum == 7


def test_only_the_last_is_held_where_the_spec_says_so(lib: Any) -> None:
    hub, before = lib.Hub(lib.Plug(1)), lib.living()
    for volts in (2, 4):
        hub.light(lib.Plug(volts))
        collect()
        assert (hub.sum, lib.living()) == (volts, before + 1)
    hub.light(None)
    collect()
    assert (hub.sum, lib.living()) == (0, before)


def test_a_new_object_holds_what_the_spec_says(lib: Any) -> None:
    part = lib.Hub(lib.Plug(1)).part(lib.Plug(2))
    collect()
    assert part.sum == 3
    hub = lib.Hub(lib.Plug(1))
    other = hub.lit(lib.Plug(4))
    other.close()
    collect()
    assert hub.sum == 5


def test_a_copy_holds_what_the_object_held(lib: Any) -> None:
    """Also when the object lets go of it; what the copy lets go of itself is gone then."""
    hub = lib.Hub(lib.Plug(1))
    hub.add(lib.Plug(2))
    hub.light(lib.Plug(4))
    other, part = copy.copy(hub), hub.part(lib.Plug(8))
    hub.clear()
    hub.light(None)
    collect()
    assert (hub.sum, other.sum, part.sum) == (0, 6, 8)
    third = copy.copy(other)
    other.close()
    collect()
    assert third.sum == 6
    third.clear()
    third.light(plug := lib.Plug(16))
    assert third.sum == 16
    third.light(None)
    lib.send(plug, fails=False)


def test_an_object_lets_go(lib: Any) -> None:
    hub, plug = lib.Hub(lib.Plug(1)), lib.Plug(2)
    hub.add(plug)
    hub.add(lib.Plug(4))
    with pytest.raises(ValueError, match="in use"):
        lib.send(plug, fails=False)
    hub.drop(plug)
    lib.send(plug, fails=False)
    before = lib.living()
    hub.clear()
    collect()
    assert (hub.sum, lib.living()) == (0, before - 1)


def test_text_is_held_where_it_was_given(lib: Any) -> None:
    for made in (lib.Reader("ab" * 40), lib.reader("ab" * 40)):
        collect()
        assert made.text == "ab" * 40


# --- takes, on_failure -----------------------------------------------------------------------------------------------


def test_what_is_taken_is_gone(lib: Any) -> None:
    plug, before = lib.Plug(1), lib.living()
    lib.send(plug, fails=False)
    assert plug.closed and lib.living() == before - 1
    with pytest.raises(lib.ClosedHandleError):
        lib.send(plug, fails=False)


def test_what_is_taken_stays_where_the_call_fails_and_says_so(lib: Any) -> None:
    plug = lib.Plug(1)
    with pytest.raises(lib.Refused):
        lib.try_send(plug, fails=True)
    assert plug.volts == 1
    lib.try_send(plug, fails=False)
    assert plug.closed


def test_what_a_failing_call_wrote_is_no_object_where_the_spec_says_so(lib: Any) -> None:
    for _ in range(3):
        with pytest.raises(lib.Refused):
            lib.make(fails=True)
    assert lib.make(fails=False).volts == 0


# --- ends ------------------------------------------------------------------------------------------------------------


def test_a_call_ends_what_belongs_to_its_object(lib: Any) -> None:
    store = lib.Store()
    note = store.add(1)
    mark = note.mark()
    store.touch()
    assert note.depth == 1
    del mark
    collect()
    store.clear()
    assert note.closed and store.add(2).depth == 2


def test_what_is_needed_is_not_ended(lib: Any) -> None:
    store, other = lib.Store(), lib.Store()
    note = store.add(1)
    part = note.mark()
    store.clear()  # the mark belongs to the note, and ends with it
    assert note.closed and part.closed
    note = store.add(1)
    other.swap(store)
    assert note.closed


def test_a_call_that_fails_ends_nothing_where_the_spec_says_so(lib: Any) -> None:
    store = lib.Store()
    note = store.add(1)
    with pytest.raises(lib.Refused):
        store.try_clear(fails=True)
    assert note.depth == 1
    store.try_clear(fails=False)
    assert note.closed


def test_what_belongs_to_arguments_ends(lib: Any) -> None:
    one, two = lib.Store(), lib.Store()
    a, b = one.add(1), two.add(2)
    one.swap(two)
    assert a.closed and b.closed
    a, b = one.add(1), two.add(2)
    lib.empty(one, None)
    assert a.closed and b.depth == 2
    lib.empty(one, two)
    assert b.closed


def test_a_condition_says_what_ends(lib: Any) -> None:
    store = lib.Store()
    notes = [store.add(depth) for depth in range(4)]
    store.prune(2)
    assert [note.closed for note in notes] == [False, False, False, True]
    notes[0].cut(1)
    assert [note.closed for note in notes] == [False, False, True, True]
    notes[0].only()
    assert [note.closed for note in notes] == [False, True, True, True] and notes[0].depth == 0


def test_closing_an_object_ends_what_belongs_to_it(lib: Any) -> None:
    with lib.Store() as store:
        note = store.add(1)
    assert note.closed


# --- the object of the call ------------------------------------------------------------------------------------------


def test_a_condition_ends_the_object_of_the_call(lib: Any) -> None:
    root = lib.Twig()
    one, other = root.add(), root.add()
    below = one.add()
    one.remove()
    assert (one.closed, below.closed, other.closed, root.closed) == (True, True, False, False)
    with pytest.raises(lib.ClosedHandleError):
        _ = one.size
    assert (root.size, lib.wrongs()) == (1, 0)
    note = lib.Store().add(1)
    note.drop()
    assert note.closed


def test_what_python_would_release_is_taken_then(lib: Any) -> None:
    before = lib.living()
    root = lib.Twig()
    one = root.add()
    root.remove()
    assert (root.closed, one.closed, lib.living(), lib.wrongs()) == (True, True, before, 0)
    root, other = lib.Twig(), lib.Twig()
    one = other.add()
    other.drop(root)  # an argument that has no owner
    assert (root.closed, other.closed, one.closed) == (True, False, False)
    other.drop(other)
    assert (other.closed, one.closed, lib.living(), lib.wrongs()) == (True, True, before, 0)
    root.close()
    other.close()


def test_what_the_call_ends_may_be_its_result(lib: Any) -> None:
    root = lib.Twig()
    one = root.add()
    below = one.add()
    free = one.detach()
    assert (one.closed, below.closed, free.size, free.root is free, root.size) == (True, True, 1, True, 0)
    again = free.detach()
    assert (free.closed, again.size) == (True, 1)
    del root
    collect()
    assert again.size == 1


def test_what_stands_for_a_pointer_begins_anew_then(lib: Any) -> None:
    before = lib.living()
    root = lib.Branch()
    one = root.add()
    free = one.detach()
    assert (one.closed, free.root is free, root.size) == (True, True, 0)
    root.close()
    assert (free.size, lib.wrongs()) == (0, 0)
    free.close()
    del one
    collect()
    assert (lib.living(), lib.wrongs()) == (before, 0)


def test_a_tree_and_all_of_it_come_to_belong_to_another(lib: Any) -> None:
    before = lib.living()
    root, bough, leaf = lib.Branch(), lib.Branch(), lib.Branch()
    assert bough.graft(leaf) is leaf and leaf.root is bough
    twig = leaf.add()
    assert root.graft(bough) is bough
    assert bough.root is leaf.root is twig.root is root.root is root
    for other in (root, bough, twig):
        with pytest.raises(ValueError, match="it is in a tree already"):
            twig.graft(other)
    bough.close()  # no longer what its tree belongs to
    del root, bough, leaf
    collect()
    assert (twig.size, twig.root.size, twig.root.first().first().first() is twig, lib.wrongs()) == (0, 1, True, 0)
    del twig, other
    collect()
    assert (lib.living(), lib.wrongs()) == (before, 0)


def test_a_call_ends_what_came_to_belong_to_its_owner(lib: Any) -> None:
    before = lib.living()
    root, bough = lib.Branch(), lib.Branch()
    leaf = bough.add()
    twig = leaf.add()
    root.graft(bough)
    free = leaf.detach()
    assert (leaf.closed, twig.closed, bough.closed, root.closed, free.root is free) == (True, True, False, False, True)
    assert (bough.graft(free) is free, free.root is root, free.first().root is root) == (True, True, True)
    del root, bough, leaf, twig, free
    collect()
    assert (lib.living(), lib.wrongs()) == (before, 0)


def test_trees_that_grow_in_any_order(lib: Any) -> None:
    before = lib.living()
    for seed in range(30):
        drawn = random.Random(seed)
        roots = [lib.Branch() for _ in range(8)]
        every = [*roots, *(each.add() for each in roots)]
        while len(roots) > 1:
            bough = roots.pop(drawn.randrange(len(roots)))
            drawn.choice([each for each in every if each.root is not bough]).graft(bough)
        assert all(each.root is roots[0] for each in every)
        roots.clear()
        drawn.shuffle(every)
        while every:
            last = every.pop()
            assert last.size == last.size and last.root.size > 0
        del bough, last
    collect()
    assert (lib.living(), lib.wrongs()) == (before, 0)


def test_a_call_takes_its_object(lib: Any) -> None:
    before = lib.living()
    plug = lib.Plug(1)
    plug.send(False)
    assert (plug.closed, lib.living()) == (True, before)
    with pytest.raises(lib.ClosedHandleError, match=r"^Plug: this handle is closed$"):
        plug.send(False)
    plug.close()
    plug = lib.Plug(2)
    with pytest.raises(lib.Refused):
        plug.try_send(True)
    assert plug.volts == 2
    plug.try_send(False)
    assert (plug.closed, lib.living()) == (True, before)
    made = lib.Plug(3).wire(lib.Plug(4))
    assert made.volts == 7


def test_an_object_in_use_cannot_be_taken(lib: Any) -> None:
    plug = lib.Plug(1)
    hub = lib.Hub(plug)
    with pytest.raises(ValueError, match=r"^Plug: this handle is in use, or kept alive for another one$"):
        plug.send(False)
    with pytest.raises(ValueError, match=r"in use, or kept alive"):
        plug.wire(plug)
    assert (plug.volts, hub.sum) == (1, 1)
