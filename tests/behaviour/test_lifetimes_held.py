"""Arguments that objects hold, that calls take, and that are shared."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviour import objects

# --- objects that hold arguments -------------------------------------------------------------------------------------


def test_an_object_holds_what_it_was_given(forest: Any) -> None:
    hub, plug = forest.hub(), forest.plug(5)
    hub.add(plug)
    plug.close()
    hub.add(forest.plug(7))
    hub.add_all([forest.plug(1), forest.plug(2)])
    objects.collect()
    assert (hub.sum, forest.live().plugs) == (15, 4)
    with pytest.raises(forest.ClosedHandleError):
        hub.add(plug)
    hub.close()
    objects.collect()
    assert forest.live()[3:5] == (0, 0)


def test_it_lets_go_of_what_it_is_told_to(forest: Any) -> None:
    hub, kept = forest.hub(), forest.plug(5)
    hub.add(kept)
    hub.add(forest.plug(7))
    assert hub.remove(kept)
    kept.close()
    objects.collect()
    assert (hub.sum, forest.live().plugs) == (7, 1)
    hub.light(forest.plug(3))
    hub.clear()
    objects.collect()
    assert (hub.sum, forest.live().plugs) == (0, 0)


def test_what_is_replaced_is_let_go_of(forest: Any) -> None:
    hub = forest.hub()
    hub.add(forest.plug(1))
    for volts in (5, 6):
        hub.light(forest.plug(volts))
        objects.collect()
        assert (hub.sum, forest.live().plugs) == (1 + volts, 2)
    plug = forest.plug(9)
    hub.light(plug)
    hub.light(plug)
    del plug
    objects.collect()
    assert (hub.sum, forest.live().plugs) == (10, 2)
    hub.light(None)
    objects.collect()
    assert (hub.sum, forest.live().plugs) == (1, 1)


def test_a_call_that_fails_holds_nothing(forest: Any) -> None:
    hub, wrong, right = forest.hub(), forest.plug(-1), forest.plug(1)
    hub.add(right)
    with pytest.raises(ValueError, match="no volts"):
        hub.add(wrong)
    with pytest.raises(TypeError, match=r"^plugs\[1\]: a Plug is wanted, not None$"):
        hub.add_all([wrong, None])
    wrong.close()
    objects.collect()
    assert forest.live().plugs == 1
    right.close()
    assert (hub.sum, forest.live().plugs) == (1, 1)


def test_to_be_given_again_and_again_takes_no_memory(forest: Any) -> None:
    hub, plug = forest.hub(), forest.plug(1)
    hub.light(forest.plug(2))
    for _ in range(20_000):
        hub.light(plug)
    for _ in range(20_000):
        hub.add(plug)
        hub.remove(plug)  # which is the lamp no more, either
    assert hub.sum == 0
    hub.add(plug)
    assert hub.sum == 1


def test_what_is_held_cannot_be_taken(forest: Any) -> None:
    hub, plug = forest.hub(), forest.plug(1)
    hub.add(plug)
    with pytest.raises(ValueError, match="in use, or kept alive"):
        forest.eat(plug)
    hub.remove(plug)
    assert forest.eat(plug) == 1
    assert plug.closed


# --- calls that take an argument, and fail ---------------------------------------------------------------------------


def test_a_call_that_fails_gives_back_what_it_was_to_take(forest: Any) -> None:
    bad, good, hub = forest.plug(-1), forest.plug(3), forest.hub()
    for _ in range(2):
        with pytest.raises(forest.PlugError):
            forest.swallow(bad)
        with pytest.raises(RuntimeError, match="no volts"):
            forest.swallow_both(hub, bad)
    assert (bad.closed, hub.closed, hub.sum, forest.live().plugs) == (False, False, 0, 2)
    assert forest.swallow_both(hub, good) == 3
    assert (hub.closed, good.closed, forest.live().plugs) == (True, True, 1)
    with pytest.raises(forest.ClosedHandleError):
        forest.swallow(good)
    bad.close()
    objects.collect()
    assert forest.live().plugs == 0


def test_what_fails_after_the_call_gives_nothing_back(forest: Any) -> None:
    plug = forest.plug(300)
    with pytest.raises(OverflowError, match=r"^the result: 300 does not fit u8$"):
        forest.swallow_small(plug)
    assert (plug.closed, forest.live().plugs) == (True, 0)


def test_a_call_that_fails_has_taken_its_argument_otherwise(forest: Any) -> None:
    plug = forest.plug(-1)
    with pytest.raises(forest.PlugError):
        forest.swallow_any(plug)
    assert plug.closed
    forest.drop_lost_plug()


# --- who releases ----------------------------------------------------------------------------------------------------


def test_what_is_shared_is_released_by_both(forest: Any) -> None:
    counted = forest.counted(5)
    forest.keep(counted)
    counted.close()
    assert (forest.kept(), forest.live().counted) == (5, 1)
    forest.keep(forest.counted(6))
    objects.collect()
    assert (forest.kept(), forest.live().counted) == (6, 1)
    forest.forget()
    assert forest.live().counted == 0


def test_what_is_shared_twice_is_released_once_for_each(forest: Any) -> None:
    counted = forest.counted(5)
    forest.keep(counted)
    forest.keep(counted)  # the first reference is given back
    assert (counted.number, forest.live().counted) == (5, 1)
    forest.forget()
    assert (counted.number, forest.live().counted) == (5, 1)
    counted.close()
    assert forest.live().counted == 0


def test_only_an_open_handle_is_shared(forest: Any) -> None:
    closed = forest.counted(5)
    closed.close()
    with pytest.raises(forest.ClosedHandleError):
        forest.keep(closed)
    for wrong in (None, 5, forest.default_one):
        with pytest.raises(TypeError, match=r"^counted: a Counted is wanted, not "):
            forest.keep(wrong)
    assert forest.live().counted == 0


def test_what_stays_the_library_s_own_is_not_released(forest: Any) -> None:
    one, several = forest.default_one(), forest.default_ones()
    assert [each.number for each in (one, *several)] == [0, 0, 0]
    one.close()
    assert one.closed
    del several, one
    objects.collect()
    assert forest.default_one().number == 0


# --- lists -----------------------------------------------------------------------------------------------------------


def test_a_list_in_which_one_is_missing_leaves_nothing(forest: Any) -> None:
    assert len(forest.plugs([1, 2])) == 2
    for volts in ([0, 1, 2], [1, 0, 2], [1, 2, 0]):
        with pytest.raises(ValueError, match="the library returned a null pointer where the spec declares a handle"):
            forest.plugs(volts)
    objects.collect()
    assert forest.live().plugs == 0


@pytest.mark.parametrize(
    "name", ["plug_rows", "plugs_by_number", "plugs_of_a_call", "plug_rows_or_none", "three_plugs"]
)
def test_a_container_in_which_one_is_missing_leaves_nothing(forest: Any, name: str) -> None:
    make = getattr(forest, name)
    assert make([1, 2, 3])
    may_be_none = name == "three_plugs"
    for volts in ([0, 1, 2], [1, 0, 2], [1, 2, 0]):
        if may_be_none and volts[1] == 0:
            assert make(volts)[1] is None
            continue
        with pytest.raises(ValueError, match="the library returned a null pointer where the spec declares a handle"):
            make(volts)
    objects.collect()
    assert forest.live().plugs == 0


def test_a_handle_beside_a_number_that_does_not_fit_is_released(forest: Any) -> None:
    number, plug = forest.plug_with_volts(100)
    assert (number, forest.eat(plug)) == (100, 100)
    with pytest.raises(OverflowError):
        forest.plug_with_volts(300)
    objects.collect()
    assert forest.live().plugs == 0
