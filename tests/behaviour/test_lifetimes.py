"""What is lent keeps its owner alive, whichever way it was reached, and is released before it."""

from __future__ import annotations

from threading import Barrier, Thread
from typing import Any

import pytest

from tests.behaviour import objects, packages

LONG = 1_000_000


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
    release: thing_free
    methods:
      - {def: "with_(other: Thing) -> Pair", cpp: "pair_new(self, other)", belongs_to: [self, other]}
      - {def: own() -> Pair, cpp: thing_pair, release: nothing}
  - {name: Pair, cpp_type: pair *, release: pair_free, belongs_to: {owner: Thing}}
functions:
  - {def: "thing(id: i32) -> Thing", cpp: thing_new}
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


def test_a_condition_reads_no_handle_that_another_thread_releases(forest: Any) -> None:
    document = forest.open("d")
    root = document.root()
    for name in ("a", "bb", "ccc"):
        root.add(name)
    start, failed = Barrier(4), []

    def release() -> None:
        start.wait()
        for _ in range(1500):
            found = [root.find("a"), root.find("bb")]
            del found

    def end() -> None:
        start.wait()
        for _ in range(300):
            try:
                document.prune(100)
            except ValueError as error:  # one of them is in use
                failed.append(str(error))

    threads = [Thread(target=each) for each in (release, release, release, end)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert {each for each in failed if "this call ends handles of which one is in use" not in each} == set()
    assert forest.wrong() == 0
