"""What the module does, whichever tool has made it: `m` is the module."""

import pytest


def test_nodes(m):
    node, leaf = m.Node("a"), m.Leaf("b")
    assert (node.name, node.kind, leaf.kind, leaf.weight) == ("a", "node", "leaf", 1) and isinstance(leaf, m.Node)
    node.link(leaf)
    node.link(to=m.Leaf(name="c", weight=3))
    assert [each.name for each in node.next] == ["b", "c"] and type(node.next[1]) is m.Leaf
    node.name = "x"
    node.next = [node.next[1]]
    assert node.name == "x" and [each.weight for each in node.next] == [3]


def test_edges(m):
    edge = m.Edge(1, end=2)
    assert (edge.start, edge.end) == (1, 2) and edge == m.Edge(1, 2) and edge < m.Edge(2, 0)
    assert hash(edge) == 33 and edge and not m.Edge(3, 3) and len({edge, m.Edge(1, 2)}) == 1


def test_graphs(m):
    graph = m.Graph.chain(3)
    graph.add(m.Leaf("end", 2))
    assert len(graph) == 4 and str(graph) == "n0 n1 n2 end " and graph.find("end").weight == 2
    assert graph["n1"].name == "n1" and graph.find("end") is graph["end"]
    assert [each.name for each in graph.nodes] == ["n0", "n1", "n2", "end"]


def test_paths(m):
    graph = m.Graph.chain(3)
    path = graph.path()
    assert len(path) == 2 and path[1] == m.Edge(1, 2) and [each.end for each in path] == [1, 2]
    path.add(edge=m.Edge(5, 6))
    with pytest.raises(IndexError):
        path[3]
    assert graph.length(path, scale=2) == 6


def test_boxes(m):
    box = m.IntBox(5)
    box.set(to=6)
    assert box.get() == 6 and box.value == 6 and box == m.IntBox(value=6)
    text = m.TextBox("a")
    text.value = "b"
    assert text.get() == "b"


def test_text(m):
    assert m.text.number_or_text("12") == 12 and m.text.number_or_text("x") == "x"
    assert m.text.longest(words=["a", "list", "of"]) == "list"


def test_containers(m):
    weights = m.Weights([1.0, 2.0])
    weights.append(3)
    weights.extend([4.0])
    weights[0] = 5
    del weights[1]
    assert list(weights) == [5, 3, 4] and len(weights) == 3 and weights[-1] == 4 and weights and m.sum(weights) == 12
    assert weights == m.Weights([5.0, 3.0, 4.0])
    weights.clear()
    assert not weights
    depths = m.depths(m.Graph.chain(2))
    depths["x"] = 7
    assert "n0" in depths and depths["x"] == 7 and len(depths) == 3 and sorted(depths) == ["n0", "n1", "x"]
    del depths["n0"]
    assert dict(depths.items()) == {"n1": 0, "x": 7}
    with pytest.raises(KeyError):
        depths["n0"]
