"""What is lent keeps its owner alive, whichever way it was reached, and is released before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.behaviour import objects, packages
from tests.behaviour.leak_process import Scale, loop

SPEC = packages.HERE / "lifetimes" / "lifetimes.wrapper_spec"
LONG = 1_000_000


@pytest.fixture(scope="module")
def module(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def forest(module: Any) -> Iterator[Any]:
    """The package; the library has no objects after a test, and none was used after its end."""
    objects.let_go()
    yield module
    objects.collect()
    assert (tuple(module.live()), module.wrong()) == ((0,) * 6, 0)
    module.sweep()


def test_the_owner_is_the_object_itself(forest: Any) -> None:
    document = forest.open("d")
    node = document.root().add("a")
    assert node.document is document
    assert node.add("b").document is document
    assert document.cursor().owner is document
    assert forest.root_of(document).document is document


def test_what_is_lent_keeps_its_owner(forest: Any) -> None:
    node = forest.open("d").root().add("a").add("b")
    objects.collect()
    assert node.name == "b"
    assert forest.live().documents == 1
    assert node.document.title == "d"
    node.close()
    objects.collect()
    assert forest.live().documents == 0


def test_the_root_is_kept_and_no_sibling(forest: Any) -> None:
    import weakref

    document = forest.open("d")
    first = document.root().add("a")
    second = first.add("b")
    seen = weakref.ref(first)
    del first
    objects.collect()
    assert seen() is None
    assert second.name == "b"


def test_every_shape_of_result(forest: Any) -> None:
    document = forest.open("d")
    root = document.root()
    root.add("a"), root.add("b")
    shapes = [
        root.find("a"),
        *root.children(),
        *root.by_name().values(),
        forest.paths(document)["root"][0],
        *forest.paths(document)["root"][1],
        forest.place(root),
        forest.moved(forest.place(root)),
    ]
    assert root.find("none") is None
    del root
    owners = [each.document if hasattr(each, "document") else each.owner for each in shapes]
    assert all(owner is document for owner in owners)
    document.close()
    del document, owners
    objects.collect()
    assert forest.live().documents == 1
    assert [each.name for each in shapes] == ["a", "a", "b", "a", "b", "d", "a", "b", "d", "d"]


def test_one_of_several_types(forest: Any) -> None:
    document = forest.open("d")
    node, cursor, number = (forest.either(document, which) for which in range(3))
    assert (type(node), type(cursor), number) == (forest.Node, forest.Cursor, 7)
    found = forest.several(document)
    assert [type(each) for each in found] == [forest.Node, forest.Cursor]
    assert (node.document is document, cursor.owner is document, found[1].owner is document) == (True,) * 3
    with pytest.raises(ValueError, match="null pointer"):
        forest.either(document, 3)
    document.close()
    del document
    assert (node.name, found[1].step()) == ("d", 1)


def test_a_closed_owner_lives_on_and_stays_the_owner(forest: Any) -> None:
    document = forest.open("d")
    root = document.root()
    document.close()
    again = root.add("a")
    assert again.document is document
    assert document.closed
    with pytest.raises(forest.ClosedHandleError, match="this handle is closed"):
        document.root()
    assert again.name == "a"


def test_another_part_of_the_result_is_the_owner(forest: Any) -> None:
    node, document = forest.open_at("d")
    assert node.document is document
    del document
    objects.collect()
    assert (node.name, node.document.title) == ("d", "d")
    node, _ = forest.open_at("e")
    objects.collect()
    assert node.add("f").document is node.document
    assert (node.document.title, forest.live().documents) == ("e", 1)


def test_which_argument_owns_may_be_said(forest: Any) -> None:
    a, b = forest.open("a"), forest.open("b")
    node = forest.of_two(a, b)
    assert node.document is b


TWO_OWNERS = """\
wrapper_lib: {name: owners, lang: c}
cpp_prelude: |
  #include <utility>
  struct thing { int id; };
  struct pair { thing *one, *other; };
  static int last = 0;
  inline thing *thing_new(int id) { return new thing{id}; }
  inline void thing_free(thing *t) { last = last * 10 + t->id; t->id = 0; delete t; }
  inline pair *pair_new(thing *one, thing *other) { return new pair{one, other}; }
  inline void pair_free(pair *p) { last = last * 10 + p->one->id + p->other->id; delete p; }
  inline pair *thing_pair(thing *t) { static pair own{t, t}; own = {t, t}; return &own; }
handle_types:
  - name: Thing
    cpp_type: thing *
    cpp_drop: thing_free
    methods:
      - {def: "with_(other: Thing) -> Pair", cpp_fn: pair_new, cpp_params: [h, other], keep_alive: other}
      - {def: own() -> Pair, cpp_fn: thing_pair, transfer: none}
  - {name: Pair, cpp_type: pair *, cpp_drop: pair_free, lent_by: Thing}
functions:
  - {def: "thing(id: i32) -> Thing", cpp_fn: thing_new}
  - {def: dropped() -> i32, cpp_body: "return std::exchange(last, 0);"}
"""


def test_a_method_lends_also_where_it_keeps_an_argument(engine: str) -> None:
    lib = packages.build_text(TWO_OWNERS, name="owners").load(engine)
    one, other = lib.thing(1), lib.thing(2)
    pair = one.with_(other)
    assert pair.owner is one
    one.close()
    other.close()
    del one, other
    objects.collect()
    assert lib.dropped() == 0
    pair.close()
    del pair
    objects.collect()
    assert lib.dropped() in (312, 321)


def test_what_is_lent_may_be_its_owner_s_own(engine: str) -> None:
    lib = packages.build_text(TWO_OWNERS, name="owners").load(engine)
    thing = lib.thing(4)
    thing.own().close()
    thing.close()
    objects.collect()
    assert lib.dropped() == 4


def test_what_is_lent_is_released_before_its_owner(forest: Any) -> None:
    document = forest.open("d")
    cursors = [document.cursor(), document.root().cursor()]
    assert cursors[1].owner is document
    assert cursors[1].root().document is document
    document.close()
    assert forest.live()[:2] == (1, 2)
    cursors[0].close()
    assert cursors[1].step() == 1
    assert forest.live()[:2] == (1, 1)
    del cursors
    objects.collect()
    assert forest.live()[:2] == (0, 0)


def test_the_owner_of_what_is_closed(forest: Any) -> None:
    node = forest.open("d").root()
    node.close()
    with pytest.raises(forest.ClosedHandleError, match=r"^Node: this handle is closed$"):
        _ = node.document
    with pytest.raises(AttributeError):
        forest.open("d").root().document = None


def test_a_tree_whose_root_owns_the_rest(forest: Any) -> None:
    root = forest.element()
    assert root.owner is root
    below = root.add().add()
    assert below.owner is root
    assert below.above.owner is root
    assert root.above is None
    below.close()
    assert (root.count, forest.live().elements) == (3, 3)
    leaf = root.add()
    del root, below
    objects.collect()
    assert (leaf.owner.count, forest.live().elements) == (4, 4)
    leaf.close()
    objects.collect()
    assert forest.live().elements == 0


def test_subclasses_have_owners_too(forest: Any) -> None:
    class Mine(forest.Document):  # type: ignore[misc]
        pass

    document = Mine.open("d")
    assert document.root().document is document
    assert document.root().add("a").document is document


def test_close_in_any_order(forest: Any) -> None:
    import random

    order = random.Random(4)
    for _ in range(50):
        handles = [forest.open("d")]
        handles += [handles[0].root(), handles[0].cursor(), handles[0].cursor()]
        for _ in range(6):
            nodes = [each for each in handles if isinstance(each, forest.Node)]
            handles.append(order.choice(nodes).add("x"))
        order.shuffle(handles)
        for each in handles[:5]:
            each.close()
        del handles, nodes, each
        objects.collect()
        assert forest.live()[:2] == (0, 0)


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


def test_the_object_of_the_call_stays(forest: Any) -> None:
    root = forest.open("d").root()
    branch = root.add("a")
    with pytest.raises(ValueError, match=r"^no child of this node$"):
        branch.remove(root)  # what the condition chose has ended, and the object has not
    assert (branch.closed, branch.name) == (False, "a")


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
    for call in (cursor.step, document.clear):
        with pytest.raises(ValueError, match="one is in use, or kept alive for another one"):
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


def test_what_stays_the_library_s_own_is_not_released(forest: Any) -> None:
    one, several = forest.default_one(), forest.default_ones()
    assert [each.number for each in (one, *several)] == [0, 0, 0]
    one.close()
    assert one.closed
    del several, one
    objects.collect()
    assert forest.default_one().number == 0


@pytest.mark.slow
def test_a_million_in_a_chain(forest: Any) -> None:
    node = forest.open("d").root()
    for _ in range(LONG):
        node = node.add("x")
    assert node.document.title == "d"
    link = forest.link(None)
    for _ in range(LONG):
        link = forest.link(link)
    del node, link


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
    count = 2000 if packages.watched() else 30_000
    scale = Scale([None, forest.Document, forest.Node, forest.Cursor, forest.Element])
    growth = {each: scale.measure(loop(each, {"lib": forest}, fails=False), count) for each in ENDED}
    assert {each: what for each, what in growth.items() if what} == {}
