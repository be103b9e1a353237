"""Times calls on classes through all bindings of one of the libraries in `real/`, in one process.

python benchmarks/real_process.py FOLDER ROUNDS SEED CPU NAME...     prints nanoseconds a call, as JSON

FOLDER has the bindings, and is called as the library is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from interleaved_process import Operations, main

LOOP = "loop over 100"
"""How the rows begin that go over many objects."""

NODES = {
    "name of a node": "child.name",
    "value of an attribute": "short.value",
    "value of an attribute, 40 letters": "long.value",
    "child by name": "root.child('item')",
    "child by name, none": "root.child('none')",
    "attribute by name": "child.attribute('long')",
    "first child": "root.first_child()",
    "next sibling": "child.next_sibling()",
    "parent": "child.parent()",
    "==": "child == first",
    "hash": "hash(child)",
    "kind": "child.kind",
    "number of an attribute": "short.as_int()",
    "property set": "child.value = 'x'",
    "constructor": "make()",
    "count": "child.count()",
    "text below": "child.text()",
    f"{LOOP} children": "drain(root)",
    f"{LOOP} children, with their names": "names(root)",
    "find(lambda), the first": "root.find(always)",
    "find(lambda), none of 100": "root.find(never)",
}
ROWS = {
    "text of a row": "row.name",
    "number of a row": "row.score",
    "property set": "row.score = 2.5",
    "constructor": "make('a')",
    "count": "db.count()",
    "number by status": "db.score(7)",
    "row by key": "db.find(7)",
    "row by key, none": "db.find(1000)",
    "next row": "row.next()",
    "query of one row": "select_one(db)",
    f"{LOOP} rows": "drain(db)",
    f"{LOOP} rows of a query": "select_all(db)",
    "match(lambda), the first": "db.match(always)",
    "match(lambda), none of 100": "db.match(never)",
}
VECTORS = {
    "count": "index.size()",
    "property set": "index.scale = 1.0",
    "constructor": "make(8)",
    "constructor that keeps an argument": "named(index)",
    "memory of a vector": "index.vector(7)",
    "nearest of 100": "index.nearest(one)",
    "search of 100": "index.search(several, distances, labels)",
    "nearest_if(lambda) of 100": "index.nearest_if(one, always)",
}


def drain(items: Any) -> None:
    for _ in items:
        pass


def names(items: Any) -> None:
    for each in items:
        each.name  # noqa: B018 - to ask for it is what is timed


def nodes(module: Any) -> dict[str, Any]:
    """A document of 100 children with two attributes and a text each."""
    document = module.Document()
    document.fill(100)
    root = document.root()
    child = root.first_child()
    assert [child.name, child.attribute("long").value[:3], child.text()] == ["item", "012", "some text"]
    assert child == root.child("item") and child != child.next_sibling() and hash(child) == hash(root.first_child())
    assert root.child("none") is None and sum(1 for _ in root) == root.count() == 100
    assert root.find(lambda node: node.attribute("id").value == "99").attribute("id").as_int() == 99
    assert root.find(lambda node: False) is None and child.parent() == root

    class Depth(module.Walker):  # type: ignore[misc]
        most = 0

        def enter(self, node: Any, depth: int) -> bool:
            self.most = max(self.most, depth)
            return True

    walker = Depth()
    root.walk(walker)
    assert walker.most == 2
    used = {"document": document, "root": root, "child": child, "first": root.first_child(), "make": module.Document}
    return used | {"short": child.attribute("id"), "long": child.attribute("long")}


def rows(module: Any) -> dict[str, Any]:
    """A database of 100 rows."""
    db = module.Database("a database")
    for i in range(100):
        db.insert(i, f"row {i}", float(i))
    row = db.find(7)
    assert (row.id, row.name, row.score, row.next().id) == (7, "row 7", 7.0, 8)
    assert db.score(7) == 7.0 and db.find(1000) is None and sum(each.id for each in db) == 4950
    assert db.match(lambda each: each.id == 9).name == "row 9" and db.match(lambda each: False) is None
    try:
        db.score(1000)
    except module.NoSuchRow as error:
        assert "no such row" in str(error)

    def select_one(db: Any) -> str:
        query = db.select(99.0)
        assert query.step()
        return str(query.name)

    def select_all(db: Any) -> float:
        query, total = db.select(0.0), 0.0
        while query.step():
            total += query.score
        return total

    assert select_one(db) == "row 99" and select_all(db) == 4950.0
    return {"db": db, "row": row, "make": module.Database, "select_one": select_one, "select_all": select_all}


def vectors(module: Any) -> dict[str, Any]:
    """An index of 100 vectors of 8 numbers."""
    import numpy

    index = module.Index(8)
    index.add(numpy.arange(800, dtype=numpy.float32).reshape(100, 8))
    one = numpy.arange(56, 64, dtype=numpy.float32)
    several, distances = one.reshape(1, 8), numpy.empty((1, 4), numpy.float32)
    labels = numpy.empty((1, 4), numpy.int64)
    index.search(several, distances, labels)
    assert sorted(labels[0, :3].tolist()) == [6, 7, 8] and distances[0, 0] == 0.0
    assert numpy.asarray(index.vector(7)).tolist() == one.tolist() and index.size() == 100
    assert index.nearest(one).id == 7 and index.nearest_if(one, lambda i: i > 7).id == 8
    assert module.Named(index).nearest(one) == 7
    used = {"index": index, "one": one, "several": several, "distances": distances, "labels": labels}
    return used | {"make": module.Index, "named": module.Named}


LIBRARIES: Mapping[str, tuple[Mapping[str, str], Callable[[Any], dict[str, Any]]]] = {
    "nodes": (NODES, nodes),
    "rows": (ROWS, rows),
    "vectors": (VECTORS, vectors),
}
SHARED = {"drain": drain, "names": names, "always": lambda each: True, "never": lambda each: False}


def operations(library: str, module: Any) -> Operations:
    """By row: the expression, and what it uses; first it is checked that the binding does what it should."""
    expressions, prepare = LIBRARIES[library]
    used = SHARED | prepare(module)
    return {name: (expression, used) for name, expression in expressions.items()}


if __name__ == "__main__":
    of = Path(sys.argv[1]).name
    main(f"{of}_ffi", lambda module: operations(of, module))
