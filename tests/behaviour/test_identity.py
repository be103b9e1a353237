"""`identity: pointer`: what the library gives back is the object that is there already."""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random
from threading import Barrier, Thread, stack_size
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import COUNTS_REFERENCES, collect, let_go

ROUNDS = 500
SPEC = packages.HERE / "same_objects" / "same_objects.wrapper_spec"


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


def test_every_shape_of_result_is_the_object(lib: Any) -> None:
    multi, one, other = lib.Multi(), lib.Easy(1), lib.Easy(2)
    multi.add(one)
    multi.add(other)
    assert multi.at(0) is one and multi.at(1) is other
    assert multi.find(2) is other and multi.find(3) is None
    assert all(a is b for a, b in zip(multi.all(), [one, other], strict=True))
    assert multi.twice(0)[0] is one and multi.twice(0)[1] is one
    assert multi.messages() == [(one, 7), (other, 7)] and multi.messages()[1][0] is other
    assert multi.by_id()[1] is one and multi.either(1) is other and multi.either(-1) == -1
    assert next(iter(multi.each())) is one
    assert multi.itself() is multi


def test_which_handles_are_equal(lib: Any) -> None:
    purse = lib.Purse()
    for value in (5, 5, 6):
        purse.put(value)
    expected = {  # whether the same pointer is the same object, and equal; and whether equal values are
        "at": (False, False, False),
        "equal_at": (False, True, True),
        "same_at": (True, True, False),
        "known_at": (True, True, True),
    }
    for name, result in expected.items():
        at = getattr(purse, name)
        first, again, second, other = at(0), at(0), at(1), at(2)
        assert (first is again, first == again, first == second) == result, name
        assert (first != second) is not result[2]
        assert first != other and first != 5 and first is not second
        if name == "equal_at":
            with pytest.raises(TypeError, match=r"^unhashable type: '(\w+\.)*EqualCoin'$"):
                hash(first)
        else:
            assert len({first, again, second, other}) == len({id(first), id(again), 1, 2}) - (name == "known_at")
    gone = purse.known_at(0)
    kept = purse.same_at(0)
    gone.close()
    kept.close()
    assert kept == kept and hash(kept) == hash(kept)
    with pytest.raises(lib.ClosedHandleError):
        _ = gone == purse.known_at(1)
    with pytest.raises(lib.ClosedHandleError):
        hash(gone)


def test_each_of_many_objects_is_found_while_others_come_and_go(lib: Any) -> None:
    count, random = 700, Random(5)
    purse = lib.Purse()
    for value in range(count):
        purse.put(value)
    kept: dict[int, Any] = {}
    for _ in range(4 * count):
        at = random.randrange(count)
        if at in kept and random.random() < 0.5:
            del kept[at]
        else:
            found = purse.same_at(at)
            assert kept.setdefault(at, found) is found
    assert len({*kept.values()}) == len(kept) > count / 4
    assert all(purse.same_at(at) is each for at, each in kept.items())


def test_an_argument_of_a_callable_is_the_object(lib: Any) -> None:
    multi, easy, heard = lib.Multi(), lib.Easy(1), []
    multi.add(easy)
    multi.listen(lambda *given: heard.append(given))
    multi.run()
    assert heard == [(multi, easy)] and heard[0][0] is multi and heard[0][1] is easy
    lib.given_to(easy, heard.append)
    assert heard[1] is easy and not easy.closed and easy.id == 1
    multi.listen(lambda *_: None)


def test_what_only_the_library_has_ends_with_the_call(lib: Any) -> None:
    given: list[Any] = []
    lib.lent_to(given.append)
    assert given[0].closed
    with pytest.raises(lib.ClosedHandleError):
        given[0].id  # noqa: B018
    lib.lent_to(given.append)
    assert given[1] is not given[0]


def test_a_subclass_stays_what_it_is(lib: Any) -> None:
    class Download(lib.Easy):  # type: ignore[misc]
        def __init__(self, number: int) -> None:
            super().__init__(number)
            self.about = f"download {number}"

    collect()
    before = lib.easies()
    multi = lib.Multi()
    multi.add(Download(4))  # held, and nothing else in Python refers to it
    collect()
    assert type(multi.at(0)) is Download and multi.at(0).about == "download 4"
    multi.remove(multi.at(0))
    let_go()
    assert lib.easies() == before
    easy = lib.Easy(9)
    multi.add(easy)
    with pytest.raises(TypeError, match=r"a Download is wanted, and the library made an Easy: call this on Easy$"):
        Download.first_of(multi)
    assert not easy.closed and lib.Easy.first_of(multi) is easy


def test_a_pointer_that_is_used_again_is_a_new_object(lib: Any) -> None:
    first = lib.Easy(1)
    first.close()
    second = lib.Easy(2)  # at the same address
    assert second is not first and first.closed and second.id == 2
    assert lib.finish(second) == 2 and second.closed
    third = lib.make(3)
    assert third is not second and third.id == 3 and second.closed
    fourth = lib.passed(third)  # the same pointer, in a new object: the other one was taken
    assert fourth is not third and third.closed and fourth.id == 3
    del first, second, third
    collect()
    multi = lib.Multi()
    multi.add(fourth)
    assert multi.at(0) is fourth
    fifth = lib.make(5)
    del fifth
    collect()
    assert lib.make(6).id == 6


def test_what_is_closed_and_still_in_use_is_not_returned(lib: Any) -> None:
    multi, easy = lib.Multi(), lib.Easy(1)
    multi.add(easy)
    easy.close()
    again = multi.at(0)
    assert again is not easy and again.id == 1 and easy.closed
    assert multi.at(0) is again
    before = lib.easies()
    multi.remove(easy) if False else multi.remove(again)
    assert again.id == 1 and lib.easies() == before
    del multi


def test_what_is_closed_and_still_in_use_is_released_once(lib: Any) -> None:
    collect()
    before = lib.easies()
    easy = lib.lasting()
    mark = lib.mark(easy)
    easy.close()
    for _ in range(3):
        again = lib.lasting()
        assert again is lib.lasting() and again.id == 8
        again.close()
    again = lib.lasting()
    assert lib.easies() == before + 1
    del mark
    collect()
    assert again.id == 8 and lib.easies() == before + 1
    lib.forget_lasting()
    again.close()
    assert lib.easies() == before


def test_nodes_of_a_tree_are_themselves(lib: Any) -> None:
    tree = lib.Tree("t")
    root = tree.root
    a, b = root.grow("a"), root.grow("b", True)
    assert type(a) is lib.Node and type(b) is lib.Leaf
    assert a.above is root and root.below[1] is b and tree.root is root and b.tree is tree
    found: list[Any] = []
    root.each(found.append)
    assert found[0] is a and found[1] is b and not b.closed
    for _ in range(1000):
        assert a.beside(b) is root
    del root, a, found
    collect()
    assert [each.name for each in tree.root.below] == ["a", "b"] and tree.root.below[1] is b
    del tree
    collect()
    assert b.above.name == "t" and b.tree.root is b.above


def test_what_a_call_ends_is_not_returned(lib: Any) -> None:
    tree = lib.Tree("t")
    root = tree.root
    a = root.grow("a")
    tree.clear()
    assert a.closed and root.closed
    again = tree.root
    assert again is not root and tree.root is again and again.below == ()


def test_a_call_ends_what_has_the_name_that_it_is_given(lib: Any) -> None:
    tree = lib.Tree("t")
    long, others = "é" * 40, ["a", ""]
    gone, *left = (tree.root.grow(name) for name in (long, *others))
    leaf = gone.grow("a")
    tree.cut(long)
    assert gone.closed and leaf.closed and [each.name for each in left] == others
    with pytest.raises(TypeError, match=r"^name: a str is wanted, not int$"):
        tree.cut(1)
    tree.cut(name="")
    assert [each.closed for each in left] == [False, True] and [*tree.root.below] == left[:1]


def test_what_lends_the_object_that_it_keeps_alive_may_go_first(lib: Any) -> None:
    for _ in range(200):
        first = lib.ring_of(2)
        second = first.next
        again = second.next
        assert again is first
        del again, second, first
    first = lib.ring_of(3)
    second = first.next
    assert second.next.next is first
    del second
    collect()
    assert first.next.next.next is first and not first.closed


def test_what_is_lent_in_a_cycle_while_a_call_ends_it(lib: Any) -> None:
    first, made = lib.ring_of(3), list[Any]()

    def during() -> None:
        made.extend([first.next, first.next.next])
        assert made[1].next is first

    for _ in range(2):
        first.turn(during)
        assert [each.closed for each in (first, *made)] == [False, *[True] * len(made)]
        made.clear()
        collect()
    assert first.next.next.next is first


def test_a_long_chain_is_lent_while_a_call_ends_it(lib: Any) -> None:
    count = 2_000
    first, made = lib.ring_of(count + 1), list[Any]()

    def during() -> None:
        made.append(first)
        for _ in range(count):
            made.append(made[-1].next)

    before = stack_size(256 * 1024)  # one that a call for each of the chain would not fit in
    try:
        thread = Thread(target=first.turn, args=(during,))
        thread.start()
    finally:
        stack_size(before)
    thread.join()
    assert len(made) == count + 1 and not first.closed and all(each.closed for each in made[1:])


def test_a_step_along_a_chain_takes_no_longer_at_its_end(lib: Any) -> None:
    def calls_of(steps: int) -> int:
        """Calls that Python and C make for so many steps: counted, since any machine may be busy."""
        made = 0

        def count(_frame: object, event: str, _argument: object) -> None:
            nonlocal made
            made += event in ("call", "c_call")

        at = lib.ring_of(steps)
        sys.setprofile(count)
        try:
            for _ in range(steps - 1):
                at = at.next
        finally:
            sys.setprofile(None)
        return made

    calls_of(10)
    assert calls_of(800) < 9 * calls_of(100)


def test_a_long_ring_is_the_same_objects_each_time_round(lib: Any) -> None:
    ring = [lib.ring_of(600)]
    for _ in range(599):
        ring.append(ring[-1].next)
    for _ in range(2):
        assert all(each.next is then for each, then in zip(ring, [*ring[1:], ring[0]], strict=True))
    last = ring[-1]
    del ring
    let_go()
    collect()
    assert last.next.next is last.next.next


def test_shared_pointers(lib: Any) -> None:
    one = lib.shared(7)
    assert lib.parts()[0] is one and lib.parts()[0] is one
    assert lib.uses_of(one) == 2
    del one
    collect()
    other = lib.parts()[0]
    assert other.number == 7 and lib.uses_of(other) == 2
    lib.forget_parts()
    assert lib.uses_of(other) == 1


def test_nothing_stays(lib: Any) -> None:
    collect()
    before = lib.easies(), lib.multis()
    for i in range(300):
        multi = lib.Multi()
        for each in [lib.Easy(i) for i in range(3)]:
            multi.add(each)
        assert len(multi.all()) == 3 == len(list(multi.each()))
        assert multi.itself() is multi and multi.at(i % 3) is multi.twice(i % 3)[1]
    del multi, each
    collect()
    assert (lib.easies(), lib.multis()) == before


def test_threads_get_the_same_object(lib: Any) -> None:
    multi, easy = lib.Multi(), lib.Easy(1)
    multi.add(easy)
    tree = lib.Tree("t")
    tree.root.grow("a").grow("b")
    start, wrong = Barrier(4), []

    def look() -> None:
        start.wait()
        for _ in range(2000):
            node = tree.root.below[0]
            if multi.at(0) is not easy or node.below[0].above is not node:
                wrong.append(node)

    threads = [Thread(target=look) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []


def test_threads_that_ask_first_get_the_same_object(lib: Any) -> None:
    collect()
    before, made = lib.easies(), [None, None, None, None]
    start, done = Barrier(5), Barrier(5)

    def ask(place: int) -> None:
        for _ in range(ROUNDS):
            start.wait()
            made[place] = lib.lasting()
            done.wait()

    threads = [Thread(target=ask, args=(i,)) for i in range(4)]
    for each in threads:
        each.start()
    wrong = 0
    for _ in range(ROUNDS):
        start.wait()
        done.wait()
        wrong += len({id(each) for each in made}) != 1
        lib.forget_lasting()
        made[:] = [None] * 4
    for each in threads:
        each.join()
    let_go()
    assert (wrong, lib.easies()) == (0, before)


SHAPES: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]] = {
    "T": (lambda lib, easy: lib.mark(easy), lambda made: made),
    "T?": (lambda lib, easy: lib.mark_of_any(easy), lambda made: made),
    "[T]": (lambda lib, easy: lib.marks([easy]), lambda made: made[0]),
    "{K: T}": (lambda lib, easy: lib.marks_by_name({"a": easy}), lambda made: made["a"]),
    "(T, i64)": (lambda lib, easy: lib.mark_and_id(easy), lambda made: made[0]),
    "T | i64": (lambda lib, easy: lib.mark_or_id(easy), lambda made: made),
    "[(T?, [T])], first": (lambda lib, easy: lib.marks_within(easy), lambda made: made[0][0]),
    "[(T?, [T])], within": (lambda lib, easy: lib.marks_within(easy), lambda made: made[1][1][0]),
    "iter[T]": (lambda lib, easy: lib.each_mark(easy), next),
    "an out-parameter": (lambda lib, easy: lib.write_mark(easy), lambda made: made),
    "what is reached from it": (lambda lib, easy: lib.mark(easy).again(), lambda made: made.again()),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_keep_alive_holds_in_every_shape_of_result(lib: Any, shape: str) -> None:
    make, pick = SHAPES[shape]
    collect()
    before = lib.easies()
    made = make(lib, lib.Easy(42))
    collect()
    assert lib.easies() == before + 1
    mark = pick(made)
    del made
    collect()
    assert (mark.value, lib.easies()) == (42, before + 1)
    del mark
    collect()
    assert lib.easies() == before


@pytest.mark.skipif(not COUNTS_REFERENCES, reason="arrays as results need CPython")
def test_keep_alive_holds_for_arrays_and_iterators_that_wait(lib: Any) -> None:
    collect()
    before = lib.easies()
    view = memoryview(lib.numbers(lib.Easy(43)))
    marks = lib.each_mark(lib.Easy(44))
    collect()
    assert (view[0], next(marks).value, next(marks).value, lib.easies()) == (43, 44, 44, before + 2)
    assert lib.mark_of_any(None) is None and lib.marks([]) == [] and lib.marks_by_name({}) == {}
    view.release()
    del view, marks
    collect()
    assert lib.easies() == before


def test_an_argument_that_is_closed_cannot_be_kept_alive(lib: Any) -> None:
    easy = lib.Easy(1)
    easy.close()
    for name, given in (("mark", easy), ("marks", [easy]), ("marks_by_name", {"a": easy}), ("numbers", easy)):
        with pytest.raises(lib.ClosedHandleError, match="this Easy is closed"):
            getattr(lib, name)(given)


def test_a_text_stays_where_the_result_points_to_it(lib: Any) -> None:
    for shown in ("x" * 3, "ä" * 40, ""):
        made = lib.label("".join(shown))
        collect()
        assert made.text == shown and made.after(0).text == shown
    after = lib.label("abc").after(1)
    collect()
    assert after.text == "bc"
    labels = lib.labels("first" * 10, "second" * 10)
    label, number = lib.labels_by_name("named" * 10)["a"]
    collect()
    assert [each.text for each in labels] == ["first" * 10, "second" * 10]
    assert (label.text, number) == ("named" * 10, 1)


def test_a_text_is_kept_alive_beside_handles(lib: Any) -> None:
    collect()
    before = lib.easies()
    label = lib.label_of(lib.Easy(1))
    other = lib.label_of(lib.Easy(2), text="other" * 9)
    collect()
    assert (label.text, other.text, lib.easies()) == ("none", "other" * 9, before + 2)
    assert lib.label_of(lib.Easy(3), "x", is_there=False) is None
    del label, other
    collect()
    assert lib.easies() == before


@pytest.mark.parametrize("given", [b"x", None, 1, "\ud800"])
def test_what_is_no_text_is_refused(lib: Any, given: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^text: "):
        lib.label(given)
