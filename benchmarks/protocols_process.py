"""Times constructors and methods of Python's protocols through all bindings of one library, in one process.

python benchmarks/protocols_process.py FOLDER ROUNDS SEED CPU NAME...     prints nanoseconds a call, as JSON
"""

from __future__ import annotations

from collections import deque
from typing import Any

from interleaved_process import Operations, main

EXPRESSIONS = {
    "len": "len(numbers)",
    "[]": "numbers[7]",
    "[], from the end": "numbers[-7]",
    "in": "1.5 in numbers",
    "over 100 items": "list(numbers)",
    "==": "a == b",
    "== with another type": "a == 1",
    "<": "a < b",
    "+": "a + b",
    "* a number": "a * 2.5",
    "-": "-a",
    "hash": "hash(a)",
    "bool": "not a",
    "a call": "a(2.0)",
    "constructor": "make(1.0, 2.0)",
    "constructor, by name": "make(x=1.0, y=2.0)",
    "attribute of a struct": "place.x",
    "attribute of a struct, text": "place.name",
    "method of a struct": "place.reach(2.0)",
    "100 calls of an override": "total(square, 100)",
    "a method of a child handle": "node.value()",
    "a step to a child handle": "node.first_child().next()",
    "100 steps of iteration over handles": "drain(tree.children())",
}


def operations(module: Any) -> Operations:
    """By row: the expression, and what it uses."""
    a, b, numbers = module.Vector(1.0, 2.0), module.Vector(1.0, 2.0), module.Numbers(100)
    assert a == b and a + b == module.Vector(2.0, 4.0) and len(numbers) == 100 and sum(numbers) == 150.0
    assert hash(a) == 33 and a(2.0) == 5.0 and (a == 1) is False
    place = module.place("the name of a place")
    assert (place.x, place.name, place.reach(2.0)) == (1.5, "the name of a place", 3.0)

    class Square(module.Shape):  # type: ignore[misc]
        def area(self, scale: float) -> float:
            return scale

    square = Square()
    assert module.total(square, 4) == 6.0
    used = {"a": a, "b": b, "numbers": numbers, "make": module.Vector}
    used |= {"place": place, "square": square, "total": module.total}
    tree = module.Tree(100)
    node = tree.root()
    assert node.first_child().next().value() == 1 and sum(each.value() for each in tree.children()) == 4950
    used |= {"tree": tree, "node": node, "drain": deque(maxlen=0).extend}
    return {name: (expression, used) for name, expression in EXPRESSIONS.items()}


if __name__ == "__main__":
    main("protocols_ffi", operations)
