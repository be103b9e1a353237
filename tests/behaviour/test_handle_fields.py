"""Structs with handles in fields: records that refer to Python objects, over both engines alike."""

from __future__ import annotations

import copy
import dataclasses
import gc
import pickle
import weakref
from collections.abc import Callable, Hashable
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import HERE

SPEC = HERE / "handle_fields" / "graph.wrapper_spec"


@pytest.fixture
def graph(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


def collected(graph: Any) -> int:
    """How many nodes are there when no record refers to one."""
    gc.collect()
    gc.collect()
    return int(graph.living())


def failure(call: Callable[[], object]) -> str:
    with pytest.raises(Exception) as caught:
        call()
    return f"{type(caught.value).__name__}: {caught.value}"


def test_a_record_refers_to_the_handles_that_it_was_made_with(graph: Any) -> None:
    a, b = graph.Node("a"), graph.Node("b")
    edge = graph.Edge(a, end=b, weight=2)
    assert edge.start is a and edge.end is b and edge.weight == 2.0
    assert (graph.shown(edge), graph.shown(graph.Edge(b)), graph.shown(a)) == ("a>b", "b>-", "a")
    assert graph.starts([edge, graph.Edge(b)]) == ["a", "b"]
    assert graph.by_name({"x": edge, "y": edge}, (graph.Edge(a), 1)) == 5.0
    assert graph.is_there(edge) and not graph.is_there(None)
    assert repr(edge) == f"Edge(start={a!r}, end={b!r}, weight=2.0)"
    assert (edge.total(3), edge.names, len(edge), graph.Edge.alone("z").names) == (7.0, "ab", 2, "z")


def test_it_holds_them_alive(graph: Any) -> None:
    before = collected(graph)
    edge = graph.Edge(graph.Node("a"), graph.Leaf("b"))
    assert collected(graph) == before + 2 and (edge.start.name, type(edge.end)) == ("a", graph.Leaf)
    start = edge.start
    del edge
    assert collected(graph) == before + 1 and start.name == "a"


def test_results_own_their_handles(graph: Any) -> None:
    before = collected(graph)
    edge = graph.made("m", both=True)
    assert (edge.start.name, edge.end.name, edge.weight) == ("m", "m2", 3.0) and edge.start is edge.start
    assert graph.shown(edge) == "m>m2" and graph.living() == before + 2
    many = graph.several(3)
    assert [each.start.name for each in many] == ["0", "1", "2"] and graph.living() == before + 5
    assert graph.maybe(False) is None and graph.maybe(True).end is None
    found = graph.find(0)
    assert (found.start.name, found.weight) == ("found", 2.0)
    del edge, many, found
    assert collected(graph) == before
    assert failure(graph.broken).endswith("the library returned a null pointer where the spec declares a handle")
    assert failure(lambda: graph.find(3)).startswith("GraphError_: ")
    assert collected(graph) == before


def test_results_are_of_the_most_derived_class(graph: Any) -> None:
    edge = graph.leafy()
    assert [type(edge.start), type(edge.end)] == [graph.Leaf, graph.Node]
    assert graph.shown(edge) == "leaf>node"


def test_records_within_records(graph: Any) -> None:
    before = collected(graph)
    first, other = graph.Edge(graph.Node("x")), graph.made("y")
    joint = graph.Joint(first, other, 3)
    assert joint.first is first and joint.other is other and joint.count == 3 and graph.joined(joint) == "xy"
    made = graph.joint()
    assert (made.first.start.name, made.other.start.name, made.count, graph.joined(made)) == ("a", "b", 7, "ab")
    wide = graph.Joint(first, other, 1 << 20)
    with pytest.raises(OverflowError):
        graph.joined(wide)
    del wide, first, other, joint, made
    assert collected(graph) == before


def test_what_handles_hold_goes_into_members_of_other_types(graph: Any) -> None:
    doc = graph.Doc("title")
    link = graph.Link(doc, [1, 2], "!")
    assert link.of is doc and graph.linked(link) == "title!" and graph.linked(graph.Link(None, (), "?")) == "none?"
    link.marks.append(3)
    assert link.marks == [1, 2]
    assert graph.link(doc).of.title == "title" and graph.link(None).of is None and graph.link(None).marks == [1, 2]
    assert graph.read(graph.Page(doc, 7)) == "title7"


def test_results_keep_their_owners_alive(graph: Any) -> None:
    before = collected(graph)
    tree = graph.Tree()
    twig = tree.grow("a")
    tree.grow("b")
    assert twig.at.owner is tree and twig.depth == 1
    twigs = list(tree.twigs())
    del tree
    assert collected(graph) == before + 2
    assert [each.at.name for each in twigs] == ["a", "b"] and twig.at.name == "a"
    del twigs, twig
    assert collected(graph) == before


def test_interfaces_in_fields(graph: Any) -> None:
    class Twice(graph.Scorer):  # type: ignore[misc]
        def score(self, by: float) -> float:
            return 2 * by

    plan = graph.plans.Plan(Twice(), graph.Node("four"))
    gc.collect()
    assert graph.planned(plan) == 8.0 and type(plan.by) is Twice
    assert graph.planned(graph.plans.Plan(by=graph.Scorer(), from_node=plan.from_node)) == 4.0
    assert failure(lambda: graph.plans.Plan(1, plan.from_node)) == "TypeError: by: a Scorer is wanted, not int"


def test_it_is_compared_by_identity(graph: Any) -> None:
    a = graph.Node("a")
    edge, same = graph.Edge(a), graph.Edge(a)
    assert edge == edge and edge != same and edge in [same, edge] and [same].count(edge) == 0
    assert not isinstance(edge, Hashable)
    for call in (lambda: hash(edge), lambda: {edge: 1}, lambda: {edge}):
        assert "unhashable type: " in failure(call)


def test_it_is_copied_and_replaced_with_the_same_handles(graph: Any) -> None:
    a, b = graph.Node("a"), graph.Node("b")
    edge = graph.Edge(a, b, 2)
    for made in (copy.copy(edge), dataclasses.replace(edge), edge.__replace__()):
        assert made != edge and made.start is a and made.end is b and made.weight == 2.0
    assert dataclasses.replace(edge, end=None, weight=3).start is a
    assert failure(lambda: copy.deepcopy(edge)) == "TypeError: a Node cannot be copied: it is released exactly once"
    said = "TypeError: an Edge cannot be pickled: its handles stand for objects of this process"
    assert {failure(lambda i=i: pickle.dumps(edge, i)) for i in range(pickle.HIGHEST_PROTOCOL + 1)} == {said}
    assert [each.name for each in dataclasses.fields(edge)] == ["start", "end", "weight"]
    match edge:
        case graph.Edge(start, weight=weight):
            assert start is a and weight == 2.0
    for call in (lambda: setattr(edge, "start", b), lambda: delattr(edge, "start"), lambda: setattr(edge, "x", 1)):
        assert failure(call).startswith("AttributeError: cannot ")


def test_closed_handles_in_it(graph: Any) -> None:
    node = graph.Node("a")
    edge = graph.Edge(node)
    node.close()
    assert edge.start is node
    for call, said in [
        (lambda: graph.shown(edge), "edge.start: this Node is closed"),
        (lambda: graph.starts([graph.made("b"), edge]), "edges[1].start: this Node is closed"),
        (lambda: graph.joined(graph.Joint(edge, edge, 1)), "first.start: this Node is closed"),
        (lambda: graph.Edge(node), "start: this Node is closed"),
        (lambda: copy.copy(edge), "start: this Node is closed"),
        (lambda: edge.names, "start: this Node is closed"),
    ]:
        assert failure(call).startswith("ClosedHandleError: ") and failure(call).endswith(said)


def test_wrong_fields_and_wrong_arguments(graph: Any) -> None:
    a = graph.Node("a")
    for call, said in [
        (lambda: graph.Edge(1), "start: a Node is wanted, not int"),
        (lambda: graph.Edge(None), "start: a Node is wanted, not None"),
        (lambda: graph.Edge(a, "b"), "end: a Node is wanted, not str"),
        (lambda: graph.Edge(a, None, "x"), "weight: a float is wanted, not str"),
        (lambda: graph.Edge(), "Edge.__init__() missing 1 required positional argument: 'start'"),
        (lambda: graph.Edge(a, stop=a), "Edge.__init__() got an unexpected keyword argument 'stop'"),
        (lambda: graph.Joint(a, a, 1), "first: an Edge is wanted, not Node"),
        (lambda: graph.starts([graph.Edge(a), a]), "edges[1]: an Edge is wanted, not Node"),
        (lambda: graph.is_there(a), "edge: an Edge is wanted, not Node"),
        (lambda: graph.joined(None), "joint: a Joint is wanted, not None"),
    ]:
        assert failure(call) == f"TypeError: {said}"
    assert failure(lambda: graph.shown(1)).startswith("TypeError: shown() takes no (int)")


def test_a_callable_may_close_what_a_call_uses(graph: Any) -> None:
    before = collected(graph)
    node = graph.Node("four")
    assert graph.called(graph.Edge(node), lambda: node.close() or 1) == 5
    assert node.closed
    assert collected(graph) == before


def test_the_collector_sees_what_it_refers_to(graph: Any) -> None:
    before = collected(graph)

    class Named(graph.Node):  # type: ignore[misc]
        pass

    node = Named("a")
    node.edge = graph.Edge(node)
    seen = weakref.ref(node)
    del node
    assert collected(graph) == before and seen() is None


def test_the_type_stub() -> None:
    stub = (packages.build(SPEC).folder / "__init__.pyi").read_text()
    assert "@_dataclass(frozen=True, eq=False)\nclass Edge:\n" in stub
    assert "    __hash__: _ClassVar[None]  # type: ignore[assignment]\n" in stub
    assert "    start: Node\n    end: Node | None = ...\n" in stub
