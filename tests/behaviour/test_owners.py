"""Who owns what a method returns is said, and what a call takes is closed for all who have it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.behaviour import objects, packages

TREES = """\
wrapper_lib: {name: trees}
cpp_prelude: |
  #include <memory>
  #include <string>
  #include <vector>
  struct tree_node { virtual ~tree_node() = default; std::string name; };
  struct tree_leaf : tree_node {};
  struct tree { std::vector<std::unique_ptr<tree_node>> nodes; };
  static int trees = 0;
  inline void tree_free(tree *t) {
    for (auto &each : t->nodes) each->name = "freed";
    --trees;
    delete t;
  }
  inline tree_node *tree_add(tree *t, const std::string &name) {
    t->nodes.push_back(name == "plain" ? std::make_unique<tree_node>() : std::make_unique<tree_leaf>());
    t->nodes.back()->name = name;
    return t->nodes.back().get();
  }
  inline void tree_remove(tree *t, tree_node *node) {
    for (auto each = t->nodes.begin(); each != t->nodes.end(); ++each)
      if (each->get() == node) { t->nodes.erase(each); return; }
  }
  inline tree_node *clone_into(tree_node *n, tree *target) { return tree_add(target, n->name); }
  inline tree_node *clone_beside(tree_node *n, tree_node *, tree *target) { return tree_add(target, n->name); }
  inline void set_label(tree_node *n, const char *label) {
    if (label == nullptr) throw std::invalid_argument("label: None is not possible");
    n->name = label;
  }
  struct seed { int size = 2; };
  inline int seed_size(const seed *of) { return of == nullptr ? -1 : of->size; }
  struct bed {
    std::unique_ptr<seed> own;
    int size = 0;
    explicit bed(const seed *like) : size(like == nullptr ? -1 : like->size) {}
    bed(std::unique_ptr<seed> sown, int more) : own(std::move(sown)), size(own->size + more) {}
    int grown(const seed *more, bool twice) const { return size + seed_size(more) * (twice ? 2 : 1); }
  };
  inline tree_node *merge(tree *t, tree *other) { return tree_add(other, t->nodes.at(0)->name); }
  inline tree_node *borrow_from(tree *t, tree *other) { return tree_add(t, other->nodes.at(0)->name); }
handle_types:
  - {name: Seed, cpp_type: std::unique_ptr<seed>, methods: [{def: "Seed()"}]}
  - name: Bed
    cpp_type: std::unique_ptr<bed>
    methods:
      - {def: "Bed(like: Seed?)"}
      - {def: "Bed(sown: Seed, more: i32)", takes: sown}
      - {def: "size -> i32", cpp_body: return h.inner->size;}
      - {def: "grown(more: Seed?, twice: bool = false) -> i32"}
  - name: Tree
    cpp_type: tree *
    release: tree_free
    prefix: tree_
    methods:
      - {def: "Tree()", cpp_body: "++trees; return new tree;"}
      - {def: "add(name: text) -> Node"}
      - {def: "get(i: i64) -> Node", cpp_body: "return h.inner->nodes.at(static_cast<std::size_t>(i)).get();"}
      - {def: "remove(node: Node)", takes: node}
      - {def: "merge(other: Tree) -> Node", cpp: merge, belongs_to: other}
      - {def: "borrow_from(other: Tree) -> Node", cpp: borrow_from, belongs_to: [self, other]}
      - {def: "length -> i64", cpp_body: "return static_cast<std::int64_t>(h.inner->nodes.size());"}
  - name: Node
    cpp_type: tree_node *
    belongs_to: Tree
    identity: true
    fields:
      label:
        type: text?
        cpp: "[](tree_node *n) { return n->name.empty() ? nullptr : n->name.c_str(); }"
        set: set_label
    methods:
      - {def: "name -> text", cpp_body: return h.inner->name;}
      - {def: "clone_into(target: Tree) -> Node", cpp: "::clone_into", belongs_to: target}
      - {def: "clone_beside(other: Node, target: Tree) -> Node", cpp: "::clone_beside", belongs_to: target}
  - name: Leaf
    cpp_type: tree_leaf *
    extends: Node
    methods:
      - {def: "rename(name: text)", cpp_body: h.inner->name = name;}
functions:
  - {def: "live() -> i32", cpp_body: return trees;}
  - {def: "seed_size(of: Seed?) -> i32"}
  - {def: "seed_in_a_lambda(of: Seed?) -> i32", cpp_fn: "[](const seed *of) { return seed_size(of); }"}
"""


COPIES = """\
wrapper_lib: {name: copies, cpp_include: vector}
cpp_prelude: |
  struct tree {
      std::vector<tree> below;
      inline static int alive = 0;
      tree() { ++alive; }
      tree(const tree &other) : below(other.below) { ++alive; }
      ~tree() { --alive; }
  };
  inline std::vector<tree *> twice(const tree &a, const tree &b) { return {new tree(a), new tree(b)}; }
handle_types:
  - name: Tree
    cpp_type: tree *
    release: delete value
    belongs_to: {root: Tree}
    fields: {twin: {type: Tree, cpp: "new tree(*self)", belongs_to: nothing}}
    methods:
      - {def: "Tree()"}
      - {def: "add() -> Tree", cpp_body: "return &h.inner->below.emplace_back();"}
      - {def: "copied() -> Tree", cpp: "new tree(*self)", belongs_to: nothing}
      - {def: "__copy__() -> Tree", cpp: "new tree(*self)", belongs_to: nothing}
      - {def: "copies(also: Tree) -> [Tree]", cpp: "::twice(*self, *also)", belongs_to: nothing}
functions:
  - {def: "alive() -> i32", cpp: "(tree::alive)"}
  - {def: "copy_of(of: Tree) -> Tree", cpp: new tree(*of), belongs_to: nothing}
"""


def test_what_belongs_to_nothing_owns_itself(engine: str) -> None:
    lib = packages.build_text(COPIES, name="copies").load(engine)
    objects.collect()
    tree = lib.Tree()
    part = tree.add()
    assert part.root is tree
    for make in (lib.Tree.copied, copy.copy, lib.copy_of, lambda of: of.twin):
        before = lib.alive()
        made = make(part)
        assert made.root is made and lib.alive() > before
        del made
        objects.collect()
        assert lib.alive() == before
    both = tree.copies(part)
    assert [each.root is each for each in both] == [True, True]
    del tree, part
    objects.collect()
    assert lib.alive() == 3
    del both
    objects.collect()
    assert lib.alive() == 0


@pytest.fixture
def lib(engine: str) -> Any:
    objects.collect()
    return packages.build_text(TREES, name="trees").load(engine)


def test_a_sole_owner_may_be_missing_where_the_call_only_looks_at_it(lib: Any) -> None:
    seed = lib.Seed()
    for looks in (lib.seed_size, lib.seed_in_a_lambda):
        assert [looks(seed), looks(None), looks(of=seed)] == [2, -1, 2]
    bed = lib.Bed(None)
    assert (bed.size, lib.Bed(seed).size, bed.grown(seed), bed.grown(seed, True), bed.grown(None)) == (-1, 2, 1, 3, -2)
    assert lib.Bed(seed, 5).size == 7
    with pytest.raises(lib.ClosedHandleError, match=r"^of: this Seed is closed$"):
        lib.seed_size(seed)


def test_an_argument_that_keep_alive_names_owns_what_a_method_returns(lib: Any) -> None:
    before = lib.live()
    source, target = lib.Tree(), lib.Tree()
    node = source.add("a")
    for made in (node.clone_into(target), node.clone_beside(node, target), source.merge(target)):
        assert made.tree is target
    source.close()
    target.close()
    del source, target, node
    objects.collect()
    assert (made.name, lib.live()) == ("a", before + 1)
    del made
    objects.collect()
    assert lib.live() == before


def test_the_object_of_the_method_owns_it_where_keep_alive_names_that_first(lib: Any) -> None:
    before = lib.live()
    tree, other = lib.Tree(), lib.Tree()
    other.add("b")
    made = tree.borrow_from(other)
    assert made.tree is tree
    tree.close()
    other.close()
    del tree, other
    objects.collect()
    assert (made.name, lib.live()) == ("b", before + 2)
    del made
    objects.collect()
    assert lib.live() == before


def test_what_is_taken_is_closed_for_all_who_have_it(lib: Any) -> None:
    tree = lib.Tree()
    tree.add("a"), tree.add("b")
    node, again = tree.get(0), tree.get(0)
    tree.remove(node)
    assert (node.closed, again.closed, tree.length) == (True, True, 1)
    with pytest.raises(lib.ClosedHandleError):
        _ = again.name
    with pytest.raises(lib.ClosedHandleError):
        tree.remove(again)
    assert tree.get(0).name == "b"


def test_a_method_of_one_class_refuses_an_object_of_another(lib: Any) -> None:
    tree = lib.Tree()
    leaf = tree.add("a")
    assert type(leaf) is lib.Leaf
    plain = tree.add("plain")
    assert type(plain) is lib.Node
    for wrong in (tree, plain):
        with pytest.raises(TypeError):
            lib.Leaf.rename(wrong, "x")
    lib.Leaf.rename(leaf, "x")
    assert leaf.name == "x"


def test_a_property_that_may_be_none_refuses_it(lib: Any) -> None:
    tree = lib.Tree()
    node = tree.add("a")
    with pytest.raises(ValueError, match=r"^label: None is not possible$"):
        node.label = None
    node.label = ""
    assert node.label is None
    node.label = "b"
    assert (node.label, node.name) == ("b", "b")
