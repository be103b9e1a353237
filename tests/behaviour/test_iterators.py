"""Iterators: what is gone over, what keeps it alive, and what ends it, over both engines alike."""

from __future__ import annotations

import copy
import gc
import operator
import pickle
import sys
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import COUNTS_REFERENCES, collect
from tests.behaviour.packages import ENGINES

SPEC = Path(__file__).parent / "iterators" / "iterators.wrapper_spec"
ENDED = "the container changed during the iteration"
CLOSED = "the handle that this iterator goes over is closed"


@pytest.fixture(params=ENGINES)
def lib(request: pytest.FixtureRequest) -> Any:
    return packages.build(SPEC).load(request.param)


@pytest.fixture
def shelf(lib: Any) -> Any:
    made = lib.shelf()
    for i, name in enumerate(("one", "two", "three")):
        made.put(name, i + 1)
    return made


def test_a_range_of_each_kind(lib: Any, shelf: Any) -> None:
    assert list(shelf.numbers()) == [1, 2, 3]
    assert list(shelf.names()) == ["one", "two", "three"]
    assert list(shelf.items()) == [("one", 1), ("three", 3), ("two", 2)]
    assert [each is True for each in shelf.flags()] == [True, False, True]
    assert list(shelf.few()) == [1, 2, 3]
    assert list(shelf.plain()) == [7, 8, 9]
    assert list(shelf.copied()) == [1, 2, 3]
    assert list(shelf.between("p", "u")) == [("three", 3), ("two", 2)]
    assert list(shelf.numbers_property) == [1, 2, 3]
    assert list(lib.upto(4)) == [0, 1, 2, 3]
    assert list(lib.lasting(4)) == [1, 2]
    assert list(lib.in_place("abc")) == [1, 3]
    assert list(lib.texts([b"a", b"b" * 99])) == ["a", "b" * 99]
    assert list(lib.count()) == [0, 1, 2, 3, 4]
    assert list(lib.shared()) == ["a", "b"]
    assert list(lib.views()) == ["left", "right"]
    assert list(lib.points()) == [lib.Point(1, "a"), lib.Point(2, "b")]
    assert list(lib.lists()) == [[1], [], [2, 3]]
    assert list(lib.maybe()) == ["a", None]
    assert list(lib.colours()) == [lib.Colour.RED, lib.Colour.BLUE]
    assert list(lib.triples()) == [(1, "a", 0.5)]
    assert list(lib.shelf().numbers()) == []


def test_it_is_an_iterator_and_nothing_more(lib: Any) -> None:
    it = lib.upto(3)
    assert isinstance(it, Iterator)
    assert iter(it) is it
    assert list(zip(it, "ab", strict=False)) == [(0, "a"), (1, "b")]
    with pytest.raises(TypeError):
        len(it)
    with pytest.raises(TypeError):
        it[0]
    with pytest.raises(TypeError, match="cannot create"):
        type(it)()
    assert "Iterator" in repr(it)
    for refused in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"^cannot pickle '.*Iterator' object$"):
            refused(it)


def test_how_many_are_left(lib: Any, shelf: Any) -> None:
    it = lib.upto(3)
    assert operator.length_hint(it) == 3
    next(it)
    assert operator.length_hint(it) == 2
    assert list(it) == [1, 2]
    assert operator.length_hint(it) == 0
    assert operator.length_hint(lib.count(), 41) == 41
    borrowed = shelf.names()
    shelf.close()
    assert operator.length_hint(borrowed, 41) == 41


def test_what_is_exhausted_stays_so(lib: Any, shelf: Any) -> None:
    it = shelf.copied()
    assert list(it) == [1, 2, 3]
    shelf.fill(9)
    shelf.close()
    assert list(it) == []
    assert next(it, None) is None


def test_the_call_itself_fails(lib: Any) -> None:
    with pytest.raises(IndexError, match="no range"):
        lib.fails()
    with pytest.raises(ValueError, match="the library returned a null pointer where the spec declares an iterator"):
        lib.is_null()
    with pytest.raises(TypeError, match="n: an int is wanted, not str"):
        lib.upto("3")


def test_a_step_that_fails_is_the_last_one(lib: Any) -> None:
    it = lib.count(throws_at=2)
    assert [next(it), next(it)] == [0, 1]
    with pytest.raises(IndexError, match="too far"):
        next(it)
    assert list(it) == []
    it = lib.narrow()
    assert next(it) == 1
    with pytest.raises(OverflowError, match="does not fit"):
        next(it)
    assert list(it) == []
    it = lib.texts([b"good", b"\xff", b"late"])
    assert next(it) == "good"
    with pytest.raises(UnicodeDecodeError):
        next(it)


def test_it_keeps_its_container_alive(lib: Any) -> None:
    collect()
    before = lib.live_shelves()

    def numbers() -> Any:
        made = lib.shelf()
        made.put("one", 1)
        return made.numbers()

    it = numbers()
    collect()
    assert lib.live_shelves() == before + 1
    assert next(it) == 1
    del it
    collect()
    assert lib.live_shelves() == before


def test_it_lets_go_at_its_end(lib: Any) -> None:
    collect()
    before = lib.live_shelves()
    it = lib.shelf().numbers()
    assert list(it) == []
    collect()
    assert lib.live_shelves() == before


def test_it_keeps_arguments_alive(lib: Any, shelf: Any) -> None:
    def over(*numbers: int) -> Any:
        other = lib.shelf()
        for number in numbers:
            other.put("x", number)
        return shelf.both(other), lib.all_of([other, shelf])

    both, all_of = over(4, 5)
    collect()
    assert list(both) == [4, 5]
    assert list(all_of) == [4, 5]


def test_a_container_that_is_closed(lib: Any, shelf: Any) -> None:
    it, copied = shelf.numbers(), shelf.copied()
    assert next(it) == next(copied) == 1
    shelf.close()
    for _ in range(2):
        with pytest.raises(lib.ClosedHandleError, match=CLOSED):
            next(it)
    assert list(copied) == [2, 3]
    with pytest.raises(lib.ClosedHandleError, match="Shelf: this handle is closed"):
        shelf.numbers()


def test_a_container_that_changes(lib: Any, shelf: Any) -> None:
    its = [shelf.numbers(), shelf.names(), shelf.items(), shelf.numbers()]
    for it in its:
        next(it)
    copied, done = shelf.copied(), shelf.numbers()
    assert list(done) == [1, 2, 3]
    shelf.put("four", 4)
    for it in its:
        with pytest.raises(lib.ClosedHandleError, match=ENDED):
            next(it)
        with pytest.raises(lib.ClosedHandleError, match=ENDED):
            next(it)
    assert list(copied) == [1, 2, 3]
    assert list(done) == []
    assert list(shelf.numbers()) == [1, 2, 3, 4]


def test_a_result_that_one_method_ends(lib: Any, shelf: Any) -> None:
    it, other = shelf.until_fill(), shelf.numbers()
    next(it), next(other)
    shelf.set_first(9)
    with pytest.raises(lib.ClosedHandleError, match=ENDED):
        next(it)
    assert next(other) == 2


def test_handles_that_are_lent(lib: Any) -> None:
    tree = lib.tree()
    root = lib.root(tree)
    for name in "abc":
        root.add(name)
    it = root.children()
    assert [each.name for each in it] == ["a", "b", "c"]
    it = root.children()
    first = next(it)
    assert first.tree is tree
    root.clear()
    with pytest.raises(lib.ClosedHandleError, match="Node: this handle is closed"):
        _ = first.name
    with pytest.raises(lib.ClosedHandleError, match=ENDED):
        next(it)


@pytest.mark.parametrize("is_named", (True, False))
def test_closing_an_owner_is_no_change_of_a_container(lib: Any, is_named: bool) -> None:
    tree = lib.tree()
    root = lib.root(tree)
    root.add("a")
    it = root.children()
    if not is_named:
        del root
    tree.close()
    for _ in range(2):
        with pytest.raises(lib.ClosedHandleError, match=CLOSED):
            next(it)


def test_elements_outlive_their_iterator(lib: Any) -> None:
    def names() -> list[Any]:
        root = lib.root(lib.tree())
        root.add("a"), root.add("b")
        return list(root.children())

    found = names()
    collect()
    assert [each.name for each in found] == ["a", "b"]


def test_handles_that_are_moved_out(lib: Any) -> None:
    collect()
    before = lib.live_shelves()
    it = lib.shelves(4)
    kept = next(it)
    next(it)
    del it
    collect()
    assert lib.live_shelves() == before + 1
    kept.close()


def test_a_step_that_calls_back(lib: Any) -> None:
    assert list(lib.called(lambda i: i * i)) == [0, 1, 4, 9]

    def fail(i: int) -> int:
        if i == 1:
            raise KeyError(i)
        return i

    it = lib.called(fail)
    assert next(it) == 0
    with pytest.raises(KeyError):
        list(it)


def test_a_step_within_itself(lib: Any) -> None:
    found: list[BaseException] = []

    def again(i: int) -> int:
        try:
            next(it)
        except ValueError as error:
            found.append(error)
        return i

    it = lib.called(again)
    assert list(it) == [0, 1, 2, 3]
    assert [str(each) for each in found] == ["iterator already executing"] * 4


def test_a_cycle_through_an_iterator(lib: Any) -> None:
    class Own(lib.Shelf):  # type: ignore[misc]
        pass

    collect()
    before = lib.live_shelves()
    own = Own.shelf()
    own.it = own.numbers()
    gone = weakref.ref(own)
    del own
    collect()
    assert gone() is None
    assert lib.live_shelves() == before


def test_threads_that_share_an_iterator(lib: Any) -> None:
    it = lib.upto(20_000)
    found: list[list[int]] = [[] for _ in range(4)]

    def run(own: list[int]) -> None:
        own.extend(it)

    threads = [threading.Thread(target=run, args=(each,)) for each in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(each for own in found for each in own) == list(range(20_000))


@pytest.mark.slow
@pytest.mark.skipif(not COUNTS_REFERENCES, reason="memory is counted by references")
def test_a_million_steps_allocate_nothing_that_lasts(lib: Any, shelf: Any) -> None:
    shelf.fill(1_000_000)
    for _ in shelf.numbers():
        pass
    gc.collect()
    before = sys.getallocatedblocks()
    it = shelf.numbers()
    total = 0
    for number in it:
        total += number
    during = sys.getallocatedblocks()
    assert total == sum(range(1_000_000))
    assert during - before < 50


def test_an_iterator_at_exit() -> None:
    package = packages.build(SPEC)
    code = f"""
import {package.folder.name} as lib
shelf = lib.shelf(); shelf.put("one", 1)
class Late:
    def __del__(self): print(next(self.it))
late = Late(); late.it = shelf.numbers(); late.me = late
kept = lib.called(lambda i: i); next(kept)
"""
    for engine in ENGINES:
        assert package.python(code, engine=engine).stdout.strip() in ("", "1")


# --- cursors, linked lists, and the methods of Python's protocols ----------------------------------------------------


@pytest.fixture(params=ENGINES)
def cursors(request: pytest.FixtureRequest) -> Any:
    return packages.build(SPEC.with_name("cursors.wrapper_spec")).load(request.param)


@pytest.fixture
def store(cursors: Any) -> Any:
    made = cursors.Store()
    for key in "abc":
        made.put(key, key.upper())
    return made


def test_a_cursor(cursors: Any, store: Any) -> None:
    assert list(store.scan()) == [("a", "A"), ("b", "B"), ("c", "C")]
    assert list(store.keys()) == ["a", "b", "c"]
    assert list(cursors.Store().scan()) == []
    assert operator.length_hint(store.scan(), 41) == 41
    with pytest.raises(ValueError, match="the library returned a null pointer where the spec declares an iterator"):
        store.none()


def test_a_cursor_is_released_at_its_end(cursors: Any, store: Any) -> None:
    collect()
    before = cursors.live_cursors()
    it, other = store.scan(), store.keys()
    assert next(it) == ("a", "A")
    assert next(other) == "a"
    assert cursors.live_cursors() == before + 2
    assert len(list(it)) == 2
    assert cursors.live_cursors() == before + 1
    del other
    collect()
    assert cursors.live_cursors() == before
    it = store.scan()
    next(it)
    store.put("d", "D")
    assert cursors.live_cursors() == before
    with pytest.raises(cursors.ClosedHandleError, match=ENDED):
        next(it)


def test_a_cursor_that_fails(cursors: Any, store: Any) -> None:
    store.fail_at(2)
    it = store.scan()
    assert [next(it), next(it)] == [("a", "A"), ("b", "B")]
    with pytest.raises(cursors.StoreError, match="corruption 7"):
        next(it)
    assert list(it) == []


def test_a_linked_list(cursors: Any) -> None:
    nodes = cursors.Nodes()
    assert list(nodes.names()) == list(nodes) == []
    for size in (3, 2, 1):
        nodes.add(size)
    assert list(nodes.names()) == ["odd", "even", "odd"]
    assert list(nodes.sizes()) == [size for _, size in nodes.items()]
    assert list(nodes.items()) == [("odd", 1), ("even", 2), ("odd", 3)]
    assert [node.size for node in nodes] == [1, 2, 3]
    found = next(iter(nodes))
    assert found.owner is nodes


def test_a_class_that_is_a_cursor(cursors: Any, store: Any) -> None:
    before = cursors.live_cursors()
    scan = cursors.scan(store)
    scan.skip()
    assert list(scan) == list(scan) == list(store), "`first` goes to the start each time"
    steps = iter(scan)
    next(steps)
    scan.close()
    with pytest.raises(cursors.ClosedHandleError, match=CLOSED):
        next(steps)
    with pytest.raises(cursors.ClosedHandleError):
        iter(scan)
    del steps, scan
    collect()
    assert cursors.live_cursors() == before
    store.fail_at(1)
    with pytest.raises(cursors.StoreError, match="corruption 7"):
        list(cursors.scan(store))
    digits = cursors.Digits(123)
    steps = iter(digits)
    assert next(steps) == 3
    assert list(digits) == [3, 2, 1], "without `first` it starts where the cursor is"
    assert list(steps) == list(digits) == []
    assert list(cursors.more_digits(45)) == [5, 4]
    steps = iter(cursors.scan(store))
    collect()
    assert next(steps)[0] == next(iter(store))[0], "the iterator keeps the cursor alive"


def test_a_class_that_is_a_linked_list(cursors: Any) -> None:
    nodes = cursors.Nodes()
    for size in range(3):
        nodes.add(size)
    chain = cursors.chain(nodes)
    assert list(chain) == list(chain) == [("even", 2), ("odd", 1), ("even", 0)]
    assert list(cursors.row(nodes)) == [2, 1, 0]
    steps = iter(chain)
    nodes.add(3)
    with pytest.raises(cursors.ClosedHandleError):
        next(steps)
    assert [each.size for each in cursors.links(4)] == [3, 2, 1, 0]
    assert list(cursors.sibling(3)) == [3, 2, 1]
    assert list(cursors.sibling(0)) == []


def test_a_class_that_is_gone_over(cursors: Any, store: Any) -> None:
    assert list(store) == [("a", "A"), ("b", "B"), ("c", "C")]
    assert list(reversed(store)) == [("c", "C"), ("b", "B"), ("a", "A")]
    assert dict(iter(store)) == {"a": "A", "b": "B", "c": "C"}
    box = cursors.Box([1, 2, 3])
    assert list(box) == [1, 2, 3]
    assert list(reversed(box)) == [3, 2, 1]
    assert 2 in box
    assert operator.length_hint(reversed(box)) == 3
    it = iter(box)
    assert it is not iter(box)
    box.close()
    with pytest.raises(cursors.ClosedHandleError, match=CLOSED):
        next(it)
    with pytest.raises(cursors.ClosedHandleError, match="Box: this handle is closed"):
        iter(box)


def test_a_class_that_is_its_own_iterator(cursors: Any) -> None:
    query = cursors.Query(3)
    assert iter(query) is query
    assert isinstance(query, Iterator)
    assert list(query) == [0, 1, 2]
    assert next(query, None) is None
    query = cursors.Query(9)
    with pytest.raises(cursors.QueryError):
        list(query)
    query.close()
    with pytest.raises(cursors.ClosedHandleError):
        next(query)
    countdown = cursors.countdown(3)
    assert iter(countdown) is countdown
    assert list(countdown) == [3, 2, 1]
    assert countdown["four"] == 4
