"""Arguments that nobody gives in good faith: each kind by its name, made anew for each call."""

from __future__ import annotations

import ctypes
import math
import sys
from array import array
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Any


class Scene:
    """What happens during one call: hostile objects use it to do harm at the worst moment."""

    def __init__(self, package: Any) -> None:
        self.package = package
        self.arguments: list[Any] = []
        self.again: Callable[[], object] = lambda: None
        """Makes the same call again."""

    def close_all(self) -> None:
        for value in [*self.arguments, *(each for a in self.arguments if type(a) is list for each in a)]:
            if _is_handle(value):
                value.close()

    def change_all(self) -> None:
        for value in self.arguments:
            if type(value) in (list, dict, set):
                value.clear()
            elif type(value) in (bytearray, array):
                try:
                    del value[:]
                except BufferError:
                    value[:] = value[::-1]


def _is_handle(value: Any) -> bool:
    return hasattr(type(value), "close") and hasattr(type(value), "closed")


class Ends(BaseException):
    """No Exception: what only Python itself may end on."""


CONVERSIONS = (
    "__index__", "__int__", "__float__", "__bool__", "__len__", "__iter__", "__getitem__", "__str__", "__bytes__",
    "__fspath__", "__length_hint__", "__dlpack__", "__dlpack_device__", "__array_interface__", "__buffer__",
)  # fmt: skip
"""Whatever a conversion could call."""


def doing(act: Callable[[], Any], result: Any = 1, only: tuple[str, ...] = CONVERSIONS) -> Any:
    """An object that acts in each of these methods, and then gives the result."""

    def method(self: Any, *arguments: Any, **named: Any) -> Any:
        act()
        return result

    return type("Hostile", (), dict.fromkeys(only, method))()


def raising(error: BaseException, only: tuple[str, ...] = CONVERSIONS) -> Any:
    def act() -> None:
        raise error

    return doing(act, only=only)


def lying(name: str, result: Any) -> Any:
    return doing(lambda: None, result, (name,))


class Int(int):
    def __index__(self) -> int:
        return 7


class Float(float):
    def __float__(self) -> float:
        return math.nan


class Str(str):
    __slots__ = ()

    def __len__(self) -> int:
        return 1 << 40

    def encode(self, *_: Any) -> bytes:
        return b"lie"


class Bytes(bytes):
    def __len__(self) -> int:
        return 1 << 40


class Items(list[Any]):
    def __len__(self) -> int:
        return 1 << 40

    def __iter__(self) -> Iterator[Any]:
        return iter([1, "a", None])


class Pair(tuple[Any, ...]):
    __slots__ = ()

    def __len__(self) -> int:
        return -1


class Word(IntEnum):
    ONE = 1


class Claims:
    """Says that it is of another class."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    @property
    def __class__(self) -> type:  # type: ignore[override]  # that is the lie
        return self._kind


class Opaque:
    def __getattribute__(self, name: str) -> Any:
        raise ZeroDivisionError(name)


class Recurses:
    def __index__(self) -> int:
        return self.__index__()

    __float__ = __len__ = __index__  # type: ignore[assignment]  # of any type

    def __iter__(self) -> Iterator[Any]:
        return self.__iter__()


def released() -> memoryview:
    view = memoryview(bytearray(8))
    view.release()
    return view


def steps(act: Callable[[], Any], *values: Any) -> Iterator[Any]:
    """Values, with an act between them."""
    for value in values:
        yield value
        act()


def nested(depth: int) -> list[Any]:
    made: list[Any] = []
    for _ in range(depth):
        made = [made]
    return made


def in_itself() -> list[Any]:
    made: list[Any] = [1]
    made.append(made)
    return made


def changing(scene: Scene) -> list[Any]:
    """A list whose second item empties it."""
    made: list[Any] = [1]
    made += [doing(made.clear), 3]
    return made


def growing(scene: Scene) -> list[Any]:
    made: list[Any] = [1]
    made += [doing(lambda: made.extend([5] * 1000)), 3]
    return made


def shrinking_bytes(scene: Scene) -> list[Any]:
    data = bytearray(100)
    scene.arguments.append(data)
    return [1, doing(scene.change_all), 2]


NUMBERS: dict[str, Any] = {
    str(n): n
    for n in (-1, 127, 128, 255, 256, -129, 2**31, 2**31 + 5, 2**63, 2**64 - 1, 2**64, -(2**63) - 1, 10**40, -(10**40))
}
ERRORS: tuple[BaseException, ...] = (
    ZeroDivisionError("z"), TypeError("t"), OverflowError("o"), ValueError("v"), MemoryError("m"), BufferError("b"),
    AttributeError("a"), StopIteration("s"), RecursionError("r"), UnicodeError("u"), Ends("e"), SystemExit(3),
)  # fmt: skip

KINDS: dict[str, Callable[[Scene], Any]] = {
    **{name: lambda _, n=n: n for name, n in NUMBERS.items()},
    **{repr(x): lambda _, x=x: x for x in (math.nan, math.inf, -math.inf, -0.0, 1e39, -1e308, 1.5, 1j, 2.0**63)},
    **{f"raises {type(e).__name__}": lambda _, e=e: raising(e) for e in ERRORS},
    **{f"has [raises {type(e).__name__}]": lambda _, e=e: [1, raising(e)] for e in ERRORS[:5]},
    "10**5000": lambda _: 10**5000,
    "None": lambda _: None,
    "True": lambda _: True,
    "...": lambda _: ...,
    "object": lambda _: object(),
    "a class": lambda _: int,
    "a surrogate": lambda _: "a\ud800b",
    "a NUL": lambda _: "a\0b",
    "an astral text": lambda _: "\U0010ffff" * 3,
    "a long text": lambda _: "x" * 1_000_000,
    "a long bytes": lambda _: b"\xff" * 1_000_000,
    "a list of surrogates": lambda _: ["a", "\udfff"],
    "a list of NULs": lambda _: ["a\0", ""],
    "a mixed list": lambda _: [1, "a", None, 2.5, b"x"],
    "a list of huge numbers": lambda _: [1, 2**64, -(2**63) - 1],
    "a list of NaN": lambda _: [math.nan, math.inf, -0.0],
    "a long list": lambda _: [1] * 100_000,
    "a list in itself": lambda _: in_itself(),
    "a deep list": lambda _: nested(100_000),
    "a set": lambda _: {1, 2},
    "a dict": lambda _: {1: 2},
    "a range that is huge": lambda _: range(2**70),
    "an iterator": lambda _: iter([1, 2]),
    "a list that is emptied": changing,
    "a list that grows": growing,
    "a list that shrinks others": shrinking_bytes,
    "an Int": lambda _: Int(3),
    "a Float": lambda _: Float(2.5),
    "a Str": lambda _: Str("word"),
    "a Bytes": lambda _: Bytes(b"data"),
    "Items": lambda _: Items([1, 2, 3]),
    "a Pair": lambda _: Pair((1, 2)),
    "another enum": lambda _: Word.ONE,
    "claims int": lambda _: Claims(int),
    "claims str": lambda _: Claims(str),
    "claims list": lambda _: Claims(list),
    "claims bytes": lambda _: Claims(bytes),
    "opaque": lambda _: Opaque(),
    "recurses": lambda _: Recurses(),
    **{
        f"{name} gives {result!r}"[:40]: lambda _, name=name, result=result: lying(name, result)
        for name, results in {
            "__index__": ("x", True, 10**40, 1.5, None, Int(5)),
            "__float__": ("x", 1, None, Float(1.5), math.nan),
            "__bool__": ("x", 2, None),
            "__len__": (-1, sys.maxsize, "x", 2**70),
            "__length_hint__": (-1, sys.maxsize, "x"),
            "__iter__": (5, None, "x", ()),
            "__dlpack__": (None, 5, "x"),
            "__dlpack_device__": (None, (1, 0), (2**70, 0), ("a", "b")),
            "__array_interface__": (None, {}),
            "__fspath__": ("x", 5),
        }.items()
        for result in results
    },
    "bytes": lambda _: b"abc",
    "a bytearray": lambda _: bytearray(b"abc"),
    "an odd length": lambda _: memoryview(bytearray(7)),
    "every second": lambda _: memoryview(bytearray(16))[::2],
    "backwards": lambda _: memoryview(array("d", [1, 2, 3]))[::-1],
    "no element": lambda _: array("d"),
    "doubles": lambda _: array("d", [1, math.nan]),
    "floats": lambda _: array("f", [1, math.inf]),
    "bytes as bools": lambda _: memoryview(bytearray(b"\x02\xff")).cast("?"),
    "64 bits": lambda _: array("q", [-1, 2**31]),
    "read only": lambda _: memoryview(bytes(16)).cast("d"),
    "released": lambda _: released(),
    "two axes": lambda _: memoryview(bytearray(32)).cast("d", (2, 2)),
    "no axis": lambda _: memoryview(bytearray(8)).cast("d", ()),
    "big endian": lambda _: (ctypes.c_double.__ctype_be__ * 2)(1, 2),
    "structs": lambda _: (type("S", (ctypes.Structure,), {"_fields_": [("a", ctypes.c_int8)]}) * 2)(),
    "pointers": lambda _: (ctypes.c_void_p * 2)(),
    "closes all": lambda scene: doing(scene.close_all),
    "changes all": lambda scene: doing(scene.change_all),
    "closes all, and raises": lambda scene: doing(scene.close_all, "x"),
    "has what closes all": lambda scene: [1, doing(scene.close_all), 2],
    "closes all between": lambda scene: list(steps(lambda: None, 1, doing(scene.close_all))),
    "a generator that closes": lambda scene: steps(scene.close_all, 1, 2, 3),
    "calls again": lambda scene: doing(scene.again),
    "has what calls again": lambda scene: [1, doing(scene.again), 2],
    "the package": lambda scene: scene.package,
}

UNSETTLED = {
    r"\[.*: released": "CPython 3.11 gives an iterator for such a memoryview, and sets an exception",
    r"\[.*: a list that": "a list is copied first, or read as it is converted",
    r"\[.*: .*(closes|changes|calls|generator)": "the same, when an element changes the others",
}
"""What engines still say in different words, by type and kind, with the reason: made, but not compared."""
