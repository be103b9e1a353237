"""Docstrings say what the spec says, whatever it says; names are what Python allows; defaults are what is written."""

from __future__ import annotations

import inspect
import math
from typing import Any

import pytest

from tests.behaviour.packages import SHAPES, Package
from wrapper_gen import pipeline
from wrapper_gen.model import Module

DOCUMENTED = ["documented", "documented_quote", "documented_backslash", "documented_triple", "documented_slash"]


@pytest.fixture(scope="module")
def spec() -> Module:
    return pipeline.read(SHAPES, "shapes.wrapper_spec")[0]


def words(text: str) -> list[str]:
    """Long lines are broken to fit; nothing else of a text may change."""
    return text.split()


@pytest.mark.parametrize("name", DOCUMENTED)
def test_docs_are_the_specs(shapes: Any, spec: Module, name: str) -> None:
    said = inspect.getdoc(getattr(shapes, name))
    assert said is not None
    function = next(f for f in spec.functions if f.name == name)
    assert words(said.split("\n\nParameters\n")[0]) == words(function.doc)
    assert inspect.cleandoc(function.doc).split("\n")[-1] in said.split("\n"), "short lines stay as they are"
    for parameter in function.parameters:
        assert f"    {parameter.doc}\n" in said
    assert said.endswith(f"    {function.return_doc}" if function.return_doc else "")


def test_docs_of_the_package_and_its_classes(shapes: Any, spec: Module) -> None:
    assert words(shapes.__doc__) == words(spec.doc)
    assert shapes.Point.__doc__.strip() == 'A point "in" the plane.'
    assert shapes.Colour.__doc__ == "What is \\seen."
    assert "Make a point." in shapes.point.__doc__
    assert "Make a point." in shapes.Point.point.__doc__
    assert "Not written yet." in shapes.later.__doc__


def test_a_header_for_c(shapes_package: Package) -> None:
    """Comments of `bridge.h` hold the same texts: none of them ends a comment, or begins a line of C."""
    text = (shapes_package.folder / "bridge.h").read_text(encoding="utf-8")
    assert text.count("/*") == text.count("*/")
    assert "漢字" in text


def test_signatures(shapes_package: Package, engine: str) -> None:
    program = """
import inspect, math, shapes_ffi as shapes
def defaults(function): return {p.name: p.default for p in inspect.signature(function).parameters.values()}
none = inspect.Parameter.empty
assert defaults(shapes.documented) == {"value": none}
assert defaults(shapes.point) == defaults(shapes.Point.point) == {"x": 0, "y": 0, "label": 'a "label"'}
assert defaults(shapes.echo_colour) == {"value": shapes.Colour.GREEN}
assert list(defaults(shapes.Point.dot)) == ["self", "other"]
assert list(defaults(shapes.point(1).dot)) == ["other"]
assert list(defaults(shapes.nothing)) == []
every = defaults(shapes.defaults)
assert every["t"] == "a\\n\\"b\\"\\\\ 'c' \\0 {{ü}} */" and every["y"] == "ü\\0z".encode() and every["o"] is None
assert tuple(every["l"]) == (1, 2, 3) and list(every["l2"]) == ["x"]
assert every["inf"] == math.inf and every["c"] is shapes.Colour.BLUE
assert defaults(shapes.maybe_total) == {"values": None}
"""
    shapes_package.python(program, engine=engine)


def test_the_package_tells_what_it_has(shapes: Any, shapes_package: Package, engine: str) -> None:
    assert shapes.__version__ == "0.10", "as it is written, not as a number"
    assert shapes.STUB is False
    assert engine == shapes.ENGINE
    assert len(set(shapes.__all__)) == len(shapes.__all__)
    for name in shapes.__all__:
        assert hasattr(shapes, name), name
    assert {"ShapesError", "StatusError", "TornError", "Point", "Colour", "point"} <= set(shapes.__all__)
    assert (shapes_package.folder / "py.typed").exists()


# --- names -----------------------------------------------------------------------------------------------------------


def test_words_of_python(shapes: Any) -> None:
    assert shapes.import_(class_=3) == 3
    assert shapes.len(4) == 4
    assert shapes.delete(1, 2) == 4
    assert shapes.delete(int=1, namespace=2, lambda_=3) == 6
    assert shapes.python_name() is True
    assert not hasattr(shapes, "spec_name")


def test_names_that_we_use_ourselves(shapes: Any) -> None:
    assert shapes.e(1, h=2, i=3) == 6
    assert shapes.result(1, STUB=2) == 3
    assert shapes.close().x == shapes.closed().x == 0
    assert shapes.point().closed is False, "no function hides what every handle has"
    assert shapes.point().close() is None
    assert shapes.tag(5).value == 5
    assert shapes.Node.tag(tag=6).value == 6


# --- bodies ----------------------------------------------------------------------------------------------------------


def test_bodies(shapes: Any) -> None:
    assert [shapes.early(v) for v in (-5, 0, 4)] == [-1, 0, 8]
    from array import array

    values = array("q", [1, 2])
    assert shapes.set_early(values) is None
    assert list(values) == [42, 2]
    assert shapes.set_early(array("q")) is None
    assert [shapes.quoted_body(v) for v in (True, False)] == [2, 0]
    assert (shapes.empty_braces(), shapes.empty_braces_for_none()) == (0, None)
    assert shapes.empty_braces_for_point().label == ""
    assert shapes.folded_body(1) == 2
    assert shapes.comment_last() == 5


def test_functions_of_the_prelude_and_macros(shapes: Any) -> None:
    assert shapes.area(3, 4) == 12
    assert shapes.macro_without_arguments() == "1.2.3"
    assert shapes.product(3, 4) == 12
    assert shapes.of_prelude(1) == 2
    assert [shapes.overloaded_i64(1), shapes.overloaded_f64(1), shapes.overloaded_text("1")] == [1, 2, 3]


# --- defaults --------------------------------------------------------------------------------------------------------


def test_defaults(shapes: Any) -> None:
    text = "a\n\"b\"\\ 'c' \0 {{ü}} */"
    assert shapes.defaults() == ["-128", "1.500000", "yes", text, "ü\0z", "none", "3", "x", "30", "inf"]
    given = shapes.defaults(1, 2, False, "t", b"y", 5, [], ["l"], shapes.Colour.RED, math.pi)
    assert given == ["1", "2.000000", "no", "t", "y", "some", "0", "l", "10", f"{math.pi:.6f}"]
    assert shapes.defaults(c=shapes.Colour.RED)[8] == "10"
