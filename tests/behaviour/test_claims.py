"""Who may give an object away, whose results a call ends, and objects in cycles: each is released, and once."""

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


# --- whose results a call ends ---------------------------------------------------------------------------------------


@pytest.mark.trial("swapped-owners")
def test_what_arguments_have_lent_ends_too(lib: Any) -> None:
    def branches() -> tuple[Any, Any, Any, Any]:
        one, two = lib.Tree(), lib.Tree()
        return one, two, one.top(), two.top()

    one, two, a, b = branches()
    one.trade(two)
    assert a.closed and b.closed and one.top().name == two.top().name == "top"
    one, two, a, b = branches()
    lib.exchange(one, two)
    assert a.closed and b.closed
    one, two, a, b = branches()
    lib.exchange(one, None)
    assert a.closed and not b.closed
    one, two, a, b = branches()
    other_a, other_b = one.top(), two.top()
    a.graft(b)
    assert not a.closed and not b.closed and other_a.closed and other_b.closed
    one, two, a, b = branches()
    one.trade(one)
    assert a.closed and not b.closed


def test_what_is_still_needed_of_any_of_them_stops_the_call(lib: Any) -> None:
    one, two = lib.Tree(), lib.Tree()
    a, b = one.top(), two.top()
    leaf = b.leaf()  # keeps `b` alive
    for call in (one.trade, lambda it: lib.exchange(one, it), lambda it: one.shake_both(it, fails=False)):
        with pytest.raises(ValueError, match="still needed"):
            call(two)
        assert (a.name, b.name) == ("top", "top")  # none of them was ended
    del leaf
    collect()
    one.trade(two)
    assert a.closed and b.closed


def test_a_call_that_fails_ends_nothing_where_the_spec_says_so(lib: Any) -> None:
    one, two = lib.Tree(), lib.Tree()
    a, b = one.top(), two.top()
    for fails in (True, False):
        for call in (one.shake, lambda fails: one.shake_both(two, fails)):
            if fails:
                with pytest.raises(RuntimeError, match="no"):
                    call(fails=True)
                assert (a.name, b.name) == ("top", "top")
            else:
                call(fails=False)
    assert a.closed and b.closed


# --- closed objects that hold each other -----------------------------------------------------------------------------


@pytest.mark.trial("holders-in-a-cycle")
@pytest.mark.parametrize("hook_first", [False, True])
def test_closed_objects_that_hold_each_other_are_released(lib: Any, hook_first: bool) -> None:
    before = lib.ends()
    hook = lib.Hook()
    line = lib.Line(hook)
    hook.hang(line)
    first, second = (hook, line) if hook_first else (line, hook)
    first.close()
    collect()
    assert lib.ends() == before
    second.close()
    assert lib.ends() == before + 2


def test_what_something_open_needs_is_released_with_it(lib: Any) -> None:
    before, hooks = lib.ends(), [lib.Hook() for _ in range(4)]
    for hook, other in zip(hooks, hooks[1:] + hooks[:1], strict=True):
        hook.beside(other)
    line = lib.Line(hooks[2])
    for hook in hooks:
        hook.close()
    assert lib.ends() == before
    line.close()
    assert lib.ends() == before + 5
