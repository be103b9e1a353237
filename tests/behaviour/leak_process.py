"""Makes each kind of call many times, and tells what of it stayed: one process of test_leaks.py.

python leak_process.py CALLS [ONLY]     CALLS of each kind that is quick; prints what stayed, by kind, as JSON
"""

from __future__ import annotations

import builtins
import json
import sys
import weakref
from array import array
from collections.abc import Mapping
from typing import Any

from tests.behaviour.leak_scale import Growth, Scale, loop, pass_over_what_is_there

CALLS: Mapping[str, str] = {
    "two ints": "s.product(3, 4)",
    "two ints, large": "s.product(3 << 40, 4)",
    "keywords": "s.product(a=3, b=4)",
    "keywords in another order": "s.product(b=4, a=3)",
    "float": "s.echo_f64(1.5)",
    "float of 32 bits": "s.echo_f32(1.5)",
    "float from int": "s.echo_f64(3)",
    "int by __index__": "s.echo_i64(index)",
    "bool": "s.echo_bool(True)",
    "nothing": "s.nothing()",
    "method": "point.constant()",
    "method with a float": "point.scaled(2.0)",
    "method with a default": "point.move(0.0)",
    "method with a handle": "point.dot(point)",
    "blocking method": "gate.pass_(0)",
    "method of a handle with a lock": "token.weight",
    "blocking method of a handle with a lock": "token.weighed_slowly()",
    "handle with a lock": "s.token(0).weighed_slowly()",
    "property": "point.x",
    "property of text": "point.label",
    "bound method": "point.dot",
    "constructor": "s.point(1.0, 2.0, 'label')",
    "constructor with defaults": "s.point()",
    "constructor by keyword": "s.point(y=2.0)",
    "class method": "s.Point.point(1.0)",
    "class method of a subclass": "Mine.point(1.0)",
    "clone": "node.shared()",
    "close": "s.point(1.0).close()",
    "close a subclass": "Mine.point(1.0).close()",
    "with": "with s.canvas('x') as canvas_: canvas_.size()",
    "repr": "repr(point)",
    "closed": "point.closed",
    "weak reference": "weakref.ref(s.point())",
    "weak reference with a callback": "weakref.ref(s.point(), ignore)",
    "weak reference to what stays": "weakref.ref(point)",
    "buffer of floats": "s.total_f64(doubles)",
    "buffer of floats to write": "s.fill_f64(doubles, 1.5)",
    "bytes as a buffer": "s.total_u8(b'bytes')",
    "optional buffer": "s.maybe_total(doubles)",
    "no buffer": "s.maybe_total()",
    "list of floats": "s.echo_list_f64(floats)",
    "list of ints": "s.echo_list_i64(ints)",
    "list of bytes": "s.echo_list_u8(small)",
    "list of bools": "s.echo_list_bool(bools)",
    "tuple of ints": "s.echo_list_i64((1, 2, 3))",
    "generator of ints": "s.echo_list_i64(i for i in small)",
    "array as a list": "s.echo_list_f64(doubles)",
    "list of str": "s.echo_list_text(words)",
    "1000 floats": "s.echo_list_f64(thousand)",
    "1000 str": "s.echo_list_text(thousand_words)",
    "optional list": "s.maybe_list(small)",
    "optional list of str": "s.maybe_texts(words)",
    "str": "s.echo_text('text')",
    "str beyond ASCII": "s.echo_text('t\\u00e4xt \\u4e16')",
    "str as a view": "s.view_of('text')",
    "bytes": "s.echo_bytes(b'bytes')",
    "bytes of a bytearray": "s.echo_bytes(bytearray(b'bytes'))",
    "many defaults": "s.defaults()",
    "enum": "s.echo_colour(s.Colour.RED)",
    "enum by default": "s.echo_colour()",
    "enum from int": "s.echo_colour(10)",
    "flags": "s.echo_access(s.Access.READ | s.Access.WRITE)",
    "optional int": "s.maybe_i64(5)",
    "optional float": "s.maybe_f64(2.5)",
    "optional bool": "s.maybe_bool(True)",
    "optional str": "s.maybe_text('text')",
    "optional bytes": "s.maybe_bytes(b'bytes')",
    "optional enum": "s.maybe_colour(s.Colour.BLUE)",
    "no int": "s.maybe_i64()",
    "None as an int": "s.maybe_i64(None)",
    "optional handle": "s.maybe_node(node)",
    "no handle": "s.maybe_node(None)",
    "handles": "s.same_node(node, node)",
    "handle as an optional": "s.maybe_point_x(point)",
    "list of handles in": "s.total_of_nodes([node, node])",
    "list of a subclass in": "s.total_x([mine, point])",
    "list of handles out": "s.points(3)",
    "list of owners out": "s.soles(3)",
    "keep alive": "canvas.part()",
    "keep two alive": "s.part_after(part, canvas)",
    "keep a chain alive": "canvas.part().following().following()",
    "close what is kept alive": "close_first(s.canvas('x'))",
    "a cycle that is collected": "cycle(s.canvas('x'))",
    "take": "s.grind(s.sole(1))",
    "take, slowly": "s.grind_slowly(s.sole(1), 1, 1.0, node)",
    "take and give": "s.rewrap(s.sole(1))",
    "take and give what keeps alive": "s.rewrap_part(canvas.part())",
    "docstring": "s.point.__doc__",
}
"""By kind, what is written in Python."""

NUMPY: Mapping[str, str] = {
    "array": "s.total_f64(ARRAY)",
    "array to write": "s.fill_f64(ARRAY, 1.5)",
    "array by DLPack": "s.total_f64(lends)",
}
"""The same, with NumPy."""

FAILURES: Mapping[str, str] = {
    "invalid_argument": "s.throw_standard('invalid_argument', 'message')",
    "bad_alloc": "s.throw_standard('bad_alloc', '')",
    "out_of_range": "s.throw_standard('out_of_range', 'message')",
    "runtime_error": "s.throw_standard('runtime_error', 'message')",
    "no exception class": "s.throw_standard('int', '')",
    "an exception of the library": "s.throw_standard('Torn', 'message')",
    "an exception as a built-in one": "s.throw_standard('Plain', 'message')",
    "a failure instead of a number": "s.throw_for_number('invalid_argument')",
    "a failure instead of a str": "s.throw_for_text('invalid_argument')",
    "a failure instead of an enum": "s.throw_for_enum('invalid_argument')",
    "a failure instead of a handle": "s.failing_point()",
    "a status": "s.set_status(-7)",
    "a status with a class of its own": "s.set_status(3)",
    "a status without the GIL": "s.set_status_slowly(-1)",
    "not implemented": "s.later()",
    "text that is no UTF-8": "s.bad_text()",
    "texts that are no UTF-8": "s.bad_texts()",
    "a value out of an enum": "s.colour_of(11)",
    "a result that does not fit": "s.i64_as_i8(300)",
    "wrong type": "s.product('x', 4)",
    "wrong type of a float": "s.echo_f64('x')",
    "wrong type of a bool": "s.echo_bool(1)",
    "wrong type of a str": "s.echo_text(b'x')",
    "wrong type of bytes": "s.echo_bytes('x')",
    "wrong type of an enum": "s.echo_colour('x')",
    "wrong type of a handle": "s.same_node(node, point)",
    "wrong type of an optional handle": "s.maybe_node(point)",
    "wrong type in a list": "s.echo_list_i64([1, 2, 'x'])",
    "wrong type in a list of str": "s.echo_list_text(['x', 1])",
    "wrong type in a list of handles": "s.total_x([point, 1])",
    "no list": "s.echo_list_i64(5)",
    "no buffer": "s.total_f64(5)",
    "wrong buffer": "s.total_i8(doubles)",
    "buffer to read only": "s.fill_u8(b'bytes', 1)",
    "an int that is too large": "s.echo_i8(300)",
    "an int that is far too large": "s.echo_i64(1 << 200)",
    "a float that is too large": "s.echo_f32(1e300)",
    "an __index__ that fails": "s.echo_i64(fails)",
    "DLPack that refuses": "s.total_f64(refuses)",
    "DLPack of another device": "s.total_f64(elsewhere)",
    "a str with half a character": "s.echo_text('\\ud800')",
    "one argument missing": "s.product(3)",
    "two arguments missing": "s.product()",
    "an argument too many": "s.product(1, 2, 3)",
    "an unknown keyword": "s.product(1, c=2)",
    "an argument twice": "s.product(1, 2, a=1)",
    "an argument to a property's class": "point.constant(1)",
    "closed": "closed.dot(point)",
    "closed, as an argument": "point.dot(closed)",
    "closed, in a list": "s.total_x([point, closed])",
    "closed, with": "with closed: pass",
    "take of what is used": "s.grind_canvas(canvas)",
    "take, with a wrong argument": "s.grind_slowly(sole, 300)",
    "take that fails": "s.grind_slowly(s.sole(-1), 1)",
    "made directly": "s.Point()",
    "copied": "copy(point)",
    "pickled": "dumps(point)",
    "an attribute to set": "setattr(point, 'x', 1)",
}
"""By kind, what raises an exception."""

HEAVY: Mapping[str, int] = {
    "1000 floats": 50,
    "1000 str": 100,
    "a cycle that is collected": 5,
    "many defaults": 5,
}
"""What takes so much longer than the rest that it is done this many times less; a failure, three times."""


class Index:
    def __index__(self) -> int:
        return 3


class Fails:
    def __index__(self) -> int:
        raise ZeroDivisionError("index")


class Device:
    """Memory that is lent by DLPack, but not on the CPU, or not at all."""

    def __init__(self, kind: int) -> None:
        self.kind = kind

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind, 0

    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("not now")


def close_first(canvas: Any) -> None:
    part = canvas.part()
    canvas.close()
    part.close()


def cycle(canvas: Any) -> None:
    held: list[Any] = [canvas, canvas.part()]
    held.append(held)


def names() -> dict[str, Any]:
    """What the calls are made with."""
    import copy
    import pickle

    import shapes_ffi as s

    class Mine(s.Point):  # type: ignore[misc, name-defined]
        pass

    canvas, closed = s.canvas("x"), s.point()
    closed.close()
    return {
        "s": s, "Mine": Mine, "point": s.point(1, 2), "mine": Mine.point(3), "canvas": canvas, "part": canvas.part(),
        "node": s.node(1), "sole": s.sole(1), "gate": s.gate(), "token": s.token(0),
        "closed": closed, "index": Index(), "fails": Fails(),
        "refuses": Device(1), "elsewhere": Device(2),
        "doubles": array("d", [1.0, 2.0]), "floats": [1.5, 2.5], "ints": [1, 2, 1 << 40], "small": [1, 2, 3],
        "bools": [True, False], "words": ["a", "text", "\u4e16"], "thousand": [float(i) for i in range(1000)],
        "thousand_words": [str(i) for i in range(1000)], "ignore": lambda reference: None, "weakref": weakref,
        "copy": copy.copy, "dumps": pickle.dumps, "close_first": close_first, "cycle": cycle,
    }  # fmt: skip


def arrays() -> dict[str, Any]:
    """What the calls with NumPy are made with."""
    import numpy

    class Lends:
        """Has DLPack and no buffer, as a tensor has."""

        def __dlpack__(self, **options: Any) -> Any:
            return ones.__dlpack__(**options)

        def __dlpack_device__(self) -> tuple[int, int]:
            return ones.__dlpack_device__()

    ones = numpy.ones(5)
    return {"ARRAY": ones, "lends": Lends()}


def watched(values: Mapping[str, Any]) -> list[Any]:
    """Objects that a call may count once too often, or too rarely: no memory tells, as long as they stay."""
    package = values["s"]
    public = [getattr(package, name) for name in package.__all__]
    common: list[Any] = [None, True, False, (), "", b"", *range(257)]
    common += [each for each in vars(builtins).values() if isinstance(each, type)]
    members = [m for enum in (package.Colour, package.Access) for m in enum]
    elements = [e for v in values.values() if isinstance(v, list) for e in v[:5]]
    return [*common, *public, *members, *elements, *values.values()]


def main(calls: int, only: str = "") -> None:
    values, made = names(), dict(CALLS)
    if not hasattr(sys, "gettotalrefcount"):  # NumPy is no debug build: what it counts, that does not
        values |= arrays()
        made |= NUMPY
    scale = Scale(watched(values))
    pass_over_what_is_there()
    report: dict[str, Growth] = {}
    for kinds, fails in ((made, False), (FAILURES, True)):
        for kind, statement in kinds.items():
            if only in kind:
                times = max(calls // (3 if fails else HEAVY.get(kind, 1)), 200)
                report[f"{kind}: {statement}"] = scale.measure(loop(statement, values, fails=fails), times)
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
