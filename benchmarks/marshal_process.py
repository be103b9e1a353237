"""Times conversions of values through all bindings of the marshal library, in one process.

python benchmarks/marshal_process.py FOLDER ROUNDS SEED CPU NAME...     prints nanoseconds a call, as JSON
"""

from __future__ import annotations

from collections import deque
from typing import Any

from interleaved_process import Operations, main

SINGLE = ("pair", "either", "point")
SEVERAL = ("texts", "rows", "counts", "pairs", "eithers", "points")
SPELLED = {
    "texts": "[text]",
    "rows": "[[f64]]",
    "counts": "{text: i64}",
    "pair": "(i64, text)",
    "pairs": "[(i64, text)]",
    "either": "i64 | text",
    "eithers": "[i64 | text]",
    "point": "a struct",
    "points": "[struct]",
}


def word(i: int) -> str:
    return f"word number {i}"


def value(kind: str, size: int, module: Any) -> Any:
    """What Python gives: built-in types, and the binding's own class of the struct."""
    match kind:
        case "texts":
            return [word(i) for i in range(size)]
        case "rows":
            return [[float(i)] * 4 for i in range(size)]
        case "counts":
            return {word(i): i for i in range(size)}
        case "pair" | "pairs":
            pairs = [(i, word(i)) for i in range(size)]
            return pairs[0] if kind == "pair" else pairs
        case "either" | "eithers":
            either = [i if i % 2 else word(i) for i in range(size)]
            return either[0] if kind == "either" else either
    points = [module.Point(float(i), 0.5, i) for i in range(size)]
    return points[0] if kind == "point" else points


NO_STATUS, STATUS = "no status", "a status that is ok"
OWN, BORROWED = "a method of a handle", "a method of a borrowed one"
"""Each, and the same with what our packages check."""

CALLS = 1000


def callables(module: Any) -> Operations:
    """C++ calls a callable so often."""

    def of_number(x: float) -> float:
        return x

    def of_point(point: Any) -> float:
        return 1.0

    with_number, with_point = module.call_with_number, module.call_with_point
    assert with_number(4, of_number) == 6.0 and with_point(3, of_point) == 3.0
    assert with_point(2, lambda point: point.x) == 1.0
    return {
        f"{CALLS} calls back, a number": (
            "call(size, back)",
            {"call": with_number, "size": CALLS, "back": of_number},
        ),
        f"{CALLS} calls back, a struct": ("call(size, back)", {"call": with_point, "size": CALLS, "back": of_point}),
    }


def calls_of_c(module: Any) -> Operations:
    """Functions as C libraries have them; what only our packages check is timed beside the same call without it."""
    assert module.half(7) == 3 and module.halves(7) == (3, 4) and module.fill(3) == b"xxx"
    found: dict[str, tuple[str, dict[str, Any]]] = {
        "an out-parameter": ("call(7)", {"call": module.half}),
        "two out-parameters": ("call(7)", {"call": module.halves}),
        "a buffer of 64 bytes": ("call(64)", {"call": module.fill}),
        "a buffer of 64 KiB": ("call(65536)", {"call": module.fill}),
    }
    if hasattr(module, "open_book"):
        book = module.open_book()
        found[NO_STATUS] = "call(7)", {"call": module.put}
        found[STATUS] = "call(7)", {"call": module.put_checked}
        found[OWN] = "book.number()", {"book": book}
        found[BORROWED] = "page.number()", {"page": book.first_page()}
    return found


def iterations(module: Any) -> Operations:
    """Going over a container of the library's, to its end."""
    if not hasattr(module, "each_number"):
        return {}
    assert list(module.each_number(3)) == [0, 1000, 2000] and list(module.each_word(1)) == [word(0)]
    assert dict(module.each_pair(CALLS)) == {word(i): i for i in range(CALLS)}
    over = {"numbers": module.each_number, "texts": module.each_word, "pairs of a map": module.each_pair}
    return {
        f"{CALLS} steps of iteration, {what}": (
            "drain(each(size))",
            {"drain": deque(maxlen=0).extend, "each": each, "size": CALLS},
        )
        for what, each in over.items()
    }


def arrays(module: Any) -> Operations:
    """Memory with two dimensions: an argument, a result, and the result as NumPy's; nothing is copied."""
    if not hasattr(module, "corners"):
        return {}
    try:
        from numpy import asarray
    except ImportError:
        return {}
    grid = module.Grid()
    cells = asarray(grid.cells())
    cells[0, 0] = 7.0
    assert cells.shape == (100, 100) and grid.first() == 7.0 and module.corners(cells) == 8.0
    return {
        "&[f64; n, m], in": ("call(cells)", {"call": module.corners, "cells": cells}),
        "array[f64; 100, 100], out": ("give()", {"give": grid.cells}),
        "array[f64; 100, 100], out, as NumPy's": ("asarray(give())", {"give": grid.cells, "asarray": asarray}),
    }


def operations(module: Any) -> Operations:
    """By row: the expression, and what it uses."""
    found = callables(module) | calls_of_c(module) | iterations(module) | arrays(module)
    for kind in (kind for kind in SPELLED if hasattr(module, f"give_{kind}")):
        for size in (1, 1000) if kind in SEVERAL else (1,):
            of = f" of {size}" if kind in SEVERAL else ""
            give = getattr(module, f"give_{kind}")
            given = value(kind, size, module)
            if take := getattr(module, f"take_{kind}", None):
                take(given)
                found[f"{SPELLED[kind]}{of}, in"] = "take(given)", {"take": take, "given": given}
            expression = "give(size)" if kind in SEVERAL else "give()"
            made = give(size) if kind in SEVERAL else give()
            if "oint" not in kind and kind not in SINGLE:
                assert made == given, f"{module.__name__}: {kind} gives {made!r}"
            found[f"{SPELLED[kind]}{of}, out"] = expression, {"give": give, "size": size}
    return found


if __name__ == "__main__":
    main("marshal_ffi", operations)
