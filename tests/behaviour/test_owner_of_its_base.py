"""A document is a node, and owns all nodes: the owner of a class extends it."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES

SPEC = """\
wrapper_lib: {name: dom, prefix: "lib::"}
cpp_prelude: |
  namespace lib {
  struct doc;
  struct node {
    int number = 1;
    doc *of = nullptr;
    int twice(int by) const { return 2 * by * number; }
  };
  struct element : node {};
  struct doc : node {
    element first;
    doc() { first.number = 7; }
    element *root() { return &first; }
  };
  inline int sum(const node &a, const node &b) { return a.number + b.number; }
  }
handle_types:
  - {name: Element, cpp_type: lib::element *, extends: Node, release: nothing, belongs_to: Doc}
  - name: Doc
    cpp_type: lib::doc *
    extends: Node
    release: delete value
    methods: [{def: Doc()}, {def: root() -> Element}]
  - name: Node
    cpp_type: lib::node *
    release: nothing
    belongs_to: Doc
    fields: {number: mut i32}
    methods: [{def: "twice(by: i32) -> i32"}]
functions:
  - {def: "sum(a: Node, b: Node) -> i32"}
"""


@pytest.fixture(params=ENGINES)
def dom(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build_text(SPEC, name="dom").load(request.param)


def test_each_is_a_node(dom: ModuleType) -> None:
    doc = dom.Doc()
    root = doc.root()
    assert isinstance(doc, dom.Node)
    assert isinstance(root, dom.Node)
    assert [doc.number, root.number, root.twice(2), dom.sum(doc, root)] == [1, 7, 28, 8]
    root.number = 3
    assert dom.sum(root, root) == 6


def test_a_node_keeps_its_document(dom: ModuleType) -> None:
    root = dom.Doc().root()
    assert root.number == 7
    assert root.doc.root().number == 7
