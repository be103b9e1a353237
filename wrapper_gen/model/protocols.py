"""Python's protocols: the methods with names of its own that a handle type may have, and what each has to look like."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from wrapper_gen.frozen import frozen


class Shape(StrEnum):
    """How Python calls a method of a protocol, and what it does with the result."""

    UNARY = "unary"  # of the object alone; gives any value
    LENGTH = "length"
    TRUTH = "truth"
    HASH = "hash"
    COMPARISON = "comparison"  # with another operand; what it does not know is `NotImplemented`
    BINARY = "binary"  # the same
    REFLECTED = "reflected"  # the same, where the other operand stands first
    IN_PLACE = "in_place"  # the same, and gives the object itself
    GET_ITEM = "get_item"  # with a key, or the items of a tuple
    SET_ITEM = "set_item"
    DELETE_ITEM = "delete_item"
    CONTAINS = "contains"
    CALL = "call"
    COPY = "copy"
    ITERATE = "iterate"  # gives an iterator
    NEXT = "next"  # gives an element, or nothing, which is the end
    ENTER = "enter"
    EXIT = "exit"
    BUFFER = "buffer"  # gives memory, which Python's buffer protocol exports


LOOKUPS = frozenset({Shape.GET_ITEM, Shape.DELETE_ITEM})
"""Methods with a key that may not be there."""


class Gives(StrEnum):
    """What a method of a protocol has to return."""

    VALUE = "a value"
    INTEGER = "an integer"
    NUMBER = "a number"
    TRUTH = "bool"
    ITERATOR = "an iterator"
    ELEMENT = "an element"
    TEXT = "text"
    PATH = "text, bytes or path"
    OBJECT = "an object"
    ITSELF = "nothing, or its own handle type"
    NOTHING = "nothing"
    MEMORY = "an array"
    ANYTHING = "anything"


@frozen
class Protocol:
    """One method of a protocol."""

    name: str
    shape: Shape
    gives: Gives
    least: int
    """How many parameters it has at least, besides the object."""
    most: int | None
    """And at most; None for any number."""
    cpp: str
    """What implements it in C++ where the spec does not say: an expression over `a`, the object, and the other operand,
    `b`, or the further ones; empty where C++ has nothing of the kind."""

    @property
    def word(self) -> str:
        """Its name without underscores."""
        return self.name.strip("_")

    def cpp_of(self, own: str, operands: Sequence[str]) -> str:
        """What implements it in C++ for this object and these further operands."""
        places = {"a": own, "b": operands[0] if operands else ""}
        return re.sub(r"\b[ab]\b", lambda found: places[found[0]], self.cpp).replace("$", ", ".join(operands))

    @property
    def is_operator(self) -> bool:
        """Whether an operand that it does not know is for the other operand to know."""
        return self.shape in (Shape.COMPARISON, Shape.BINARY, Shape.REFLECTED, Shape.IN_PLACE)

    @property
    def takes_anything(self) -> bool:
        """Whether Python compares the object with whatever there is."""
        return self.name in ("__eq__", "__ne__")

    @property
    def has_key(self) -> bool:
        """Whether its first parameters are a key, which is a tuple where there are several."""
        return self.shape in (Shape.GET_ITEM, Shape.SET_ITEM, Shape.DELETE_ITEM)


_OPERATORS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "matmul": "*",
    "truediv": "/",
    "floordiv": "",
    "mod": "%",
    "divmod": "",
    "pow": "",
    "lshift": "<<",
    "rshift": ">>",
    "and": "&",
    "or": "|",
    "xor": "^",
}
"""Python's binary operators, and C++'s for them."""
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _all() -> Iterator[Protocol]:
    def unary(word: str, gives: Gives, cpp: str, shape: Shape = Shape.UNARY) -> Protocol:
        return Protocol(f"__{word}__", shape, gives, 0, 0, cpp)

    yield unary("len", Gives.INTEGER, "wg::operators::size(a)", Shape.LENGTH)
    yield unary("bool", Gives.TRUTH, "wg::operators::as<bool>(a)", Shape.TRUTH)
    yield unary("hash", Gives.INTEGER, "wg::operators::hash(a)", Shape.HASH)
    yield unary("int", Gives.INTEGER, "wg::operators::as<i64>(a)")
    yield unary("index", Gives.INTEGER, "wg::operators::as<i64>(a)")
    yield unary("float", Gives.NUMBER, "wg::operators::as<f64>(a)")
    yield unary("str", Gives.TEXT, "wg::operators::text(a)")
    yield unary("repr", Gives.TEXT, "wg::operators::text(a)")
    yield unary("fspath", Gives.PATH, "wg::operators::path(a)")
    yield unary("neg", Gives.VALUE, "-a")
    yield unary("pos", Gives.VALUE, "+a")
    yield unary("invert", Gives.VALUE, "~a")
    yield unary("abs", Gives.VALUE, "wg::operators::absolute(a)")
    yield unary("copy", Gives.OBJECT, "wg::operators::copy(wg_own)", Shape.COPY)
    yield unary("deepcopy", Gives.OBJECT, "wg::operators::copy(wg_own)", Shape.COPY)
    yield unary("iter", Gives.ITERATOR, "a", Shape.ITERATE)
    yield unary("reversed", Gives.ITERATOR, "wg::reversed(a)", Shape.ITERATE)
    yield unary("next", Gives.ELEMENT, "", Shape.NEXT)
    yield unary("enter", Gives.ANYTHING, "", Shape.ENTER)
    yield unary("exit", Gives.NOTHING, "", Shape.EXIT)  # a true result would hide each exception of the block
    yield unary("buffer", Gives.MEMORY, "", Shape.BUFFER)
    for word, sign in _COMPARISONS.items():
        yield Protocol(f"__{word}__", Shape.COMPARISON, Gives.VALUE, 1, 1, f"a {sign} b")
    for word, sign in _OPERATORS.items():
        yield Protocol(f"__{word}__", Shape.BINARY, Gives.VALUE, 1, 1, f"a {sign} b" if sign else "")
        yield Protocol(f"__r{word}__", Shape.REFLECTED, Gives.VALUE, 1, 1, f"b {sign} a" if sign else "")
        if word != "divmod":
            yield Protocol(f"__i{word}__", Shape.IN_PLACE, Gives.ITSELF, 1, 1, f"a {sign}= b" if sign else "")
    yield Protocol("__getitem__", Shape.GET_ITEM, Gives.VALUE, 1, None, "wg::operators::item(a, $)")
    yield Protocol("__setitem__", Shape.SET_ITEM, Gives.ANYTHING, 2, None, "wg::operators::set_item(a, $)")
    yield Protocol("__delitem__", Shape.DELETE_ITEM, Gives.ANYTHING, 1, None, "wg::operators::erase(a, $)")
    yield Protocol("__contains__", Shape.CONTAINS, Gives.TRUTH, 1, 1, "wg::operators::contains(a, b)")
    yield Protocol("__call__", Shape.CALL, Gives.ANYTHING, 0, None, "a($)")


EXCHANGED = ("stream", "max_version", "dl_device", "copy")
"""What `__dlpack__` may be called with, by name."""
METHODS = ("__dlpack__", "__dlpack_device__")
"""Methods that libraries of Python look for, and Python itself does not: they are called as any other."""

PROTOCOLS = {each.name: each for each in _all()}
"""By name."""


def word_of_operator(protocol: Protocol) -> str:
    """`add` of `__add__`, `__radd__` and `__iadd__`."""
    return protocol.word[1:] if protocol.shape in (Shape.REFLECTED, Shape.IN_PLACE) else protocol.word
