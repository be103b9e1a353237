"""Who may give an object away, and what the finalizers of a cycle still use: nothing is released twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import collect

SPEC = packages.HERE / "claims" / "claims.wrapper_spec"
NOT_OWNED = "this handle does not own its object, so no call can take it"


@pytest.fixture
def lib(engine: str) -> Iterator[Any]:
    lib = packages.build(SPEC).load(engine)
    yield lib
    collect()
    assert lib.wrongs() == 0


@pytest.mark.trial("not-owned-handle-taken")
def test_a_handle_that_releases_nothing_is_not_taken(lib: Any) -> None:
    rack, plate = lib.Rack(), lib.Plate(1)
    rack.put(plate)
    last = rack.last()
    for take in (lib.scrap, lambda it: lib.try_to_scrap(it, fails=False)):
        with pytest.raises(ValueError, match=NOT_OWNED):
            take(last)
        with pytest.raises(ValueError, match="in use"):
            take(plate)
    assert (last.id, plate.id) == (1, 1)  # both stay open
    last.close()
    rack.close()
    before = lib.ends()
    with pytest.raises(RuntimeError, match="no"):
        lib.try_to_scrap(plate, fails=True)
    lib.try_to_scrap(plate, fails=False)
    del plate
    collect()
    assert lib.ends() == before + 1


@pytest.mark.trial("identity-closed-then-taken")
def test_what_still_owns_the_object_is_asked(lib: Any) -> None:
    rack, badge = lib.Rack(), lib.Badge(2)
    rack.pin(badge)
    badge.close()
    again = rack.pinned()
    assert again is not badge
    for _ in range(2):  # also of an object that has it from one that has it from the first
        for take in (lib.shred, lambda it: lib.try_to_shred(it, fails=True)):
            with pytest.raises(ValueError, match="in use"):
                take(again)
            assert again.id == 2
        rack.pin(again)
        again.close()
        again = rack.pinned()
    before = lib.ends()
    rack.unpin(again)  # what it stands for is let go of, whichever handle that was given by
    rack.close()
    with pytest.raises(RuntimeError, match="no"):
        lib.try_to_shred(again, fails=True)
    assert again.id == 2 and lib.ends() == before
    lib.shred(again)
    del again, badge
    collect()
    assert lib.ends() == before + 1


def test_what_was_let_go_of_by_another_handle_is_released(lib: Any) -> None:
    rack, badge = lib.Rack(), lib.Badge(3)
    rack.pin(badge)
    badge.close()
    again, before = rack.pinned(), lib.ends()
    rack.unpin(again)
    assert lib.ends() == before
    again.close()
    collect()
    assert lib.ends() == before + 1


def test_what_has_its_own_part_in_an_object_is_taken(lib: Any) -> None:
    mould, before = lib.Mould(), lib.ends()
    press = lib.Press()
    press.load(mould)
    mould.close()
    again = press.mould()
    lib.melt(again)
    assert again.closed and lib.ends() == before
    press.close()
    collect()
    assert lib.ends() == before + 1


def test_what_lends_itself_is_taken_as_a_whole(lib: Any) -> None:
    first = lib.Kin("first")
    child = first.child("child")
    with pytest.raises(ValueError, match=NOT_OWNED):
        lib.fell(child)
    with pytest.raises(ValueError, match="in use"):
        lib.fell(first)
    assert child.name == "child"
    del child
    collect()
    lib.fell(first)


@pytest.mark.parametrize("survives", [False, True])
def test_finalizers_of_a_cycle_are_lent_what_they_ask_for(lib: Any, survives: bool) -> None:
    said, kept = list[str](), list[Any]()

    class Last:
        def __init__(self, owner: Any) -> None:
            self.owner, self.me = owner, self

        def __del__(self) -> None:
            owner = self.owner
            if isinstance(owner, lib.Kin):
                said.extend((owner.child("a").name, owner.child("b").owner.child("c").name))
            else:
                said.extend((owner.top().name, owner.top().name, owner.top().tree.top().name, lib.top_of(owner).name))
            if survives:
                kept.append(owner)

    for make in (lib.Tree, lambda: lib.Kin("first")):
        Last(make())
        collect()
    assert said == ["top"] * 4 + ["a", "c"]
    for owner in kept:
        if isinstance(owner, lib.Tree):
            top = owner.top()
            owner.prune()
            assert top.closed and owner.top().name == "top"
        else:
            assert owner.child("d").name == "d"
        owner.close()
        assert owner.closed
        with pytest.raises(lib.ClosedHandleError):
            _ = owner.top() if isinstance(owner, lib.Tree) else owner.name
