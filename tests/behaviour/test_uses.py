"""Packages that take and give the handles, enums and structs of another one: the same objects, in the same cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.behaviour.packages import ENGINES
from tests.behaviour.using import build, library, python

START = """
import gc, sys
import scene_ffi as scene, paint_ffi as paint
from scene_ffi import *

def refused(kind, message, call, *arguments):
    try:
        call(*arguments)
    except kind as error:
        assert str(error) == message, error
    else:
        raise AssertionError(f"not refused: {message}")

def alive():
    gc.collect()
    return scene.alive()

assert (scene.ENGINE, paint.ENGINE) == (ENGINE, ENGINE)
"""
PROGRAMS = {
    "handles": """
shape = Shape(3.0)
assert paint.side(shape) == paint.side_by_lambda(shape) == 3.0
assert paint.side_or(None, 7.0) == 7.0 and paint.side_or(shape, 7.0) == 3.0
twice = paint.doubled(shape)
assert type(twice) is Shape and twice.side == 6.0
assert paint.half(shape).side == 1.5 and paint.half(Shape(0.5)) is None
class Square(Shape): pass
assert paint.side(Square(5.0)) == 5.0
assert alive()[0] == 2
del shape, twice
""",
    "what cannot be copied": """
engine = scene.Engine()
assert paint.parts(engine) == engine.parts() == 3
""",
    "handles in containers": """
shape = Shape(3.0)
assert paint.sides([shape, Shape(1)]) == [3.0, 1.0]
assert [each.side for each in paint.shapes([1.0, 2.0])] == [1.0, 2.0]
named = paint.named({"a": shape})
assert list(named) == ["a!"] and type(named["a!"]) is Shape and named["a!"].side == 3.0
del shape, named
""",
    "callables": """
shape = Shape(3.0)
seen = []
def twice(each):
    seen.append(each)
    return each.side * 2
assert paint.each_side([shape, shape], twice) == 12.0
assert {type(each) for each in seen} == {Shape} and all(each.closed for each in seen)
assert paint.chosen(Leaf) == "leaf" and paint.chosen(Node) == "node"
del shape, seen[:]
""",
    "refusals": """
refused(TypeError, "shape: a Shape is wanted, not int", paint.side, 3)
refused(TypeError, "shape: a Shape is wanted, not Document", paint.side, Document(1))
refused(TypeError, "shapes[1]: a Shape is wanted, not int", paint.sides, [Shape(1), 3])
refused(TypeError, "shapes['x']: a Shape is wanted, not Document", paint.named, {"x": Document(1)})
shape = Shape(1)
shape.close()
refused(ClosedHandleError, "shape: this Shape is closed", paint.side, shape)
refused(ClosedHandleError, "shape: this Shape is closed", paint.side_or, shape, 1.0)
refused(ClosedHandleError, "shapes[1]: this Shape is closed", paint.sides, [Shape(1), shape])
refused(ClosedHandleError, "shapes['x']: this Shape is closed", paint.named, {"x": shape})
refused(ValueError, "9 is not a valid Color", paint.mixed, 9)
refused(TypeError, "point: a Point is wanted, not tuple", paint.moved, (1, 2))
refused(TypeError, "leaf: a Leaf is wanted, not Node", paint.bare, Node())
""",
    "enums and structs": """
assert paint.mixed(Color.GREEN) is Color.BLUE and paint.mixed(Color.GREEN, Color.GREEN) is Color.GREEN
point = paint.moved(Point(1.0, 2.0))
assert type(point) is Point and point == Point(2.0, 3.0)
boxes = paint.boxes([point], Color.RED)
assert boxes == [Box(point, Color.RED)] and type(boxes[0]) is Box and type(boxes[0].corner) is Point
assert paint.first(boxes) == boxes[0] and paint.first([]) is None
assert not hasattr(paint, "Point") and "Color" not in paint.__all__
""",
    "owners of another package": """
document = Document(3)
view, cursor, page = paint.View(document), paint.cursor(document, 1), paint.page(document, 2)
other = cursor.page()
assert type(page) is type(other) is Page
assert cursor.document is page.document is other.document is document
assert (cursor.number, page.number, other.number) == (1, 2, 1)
assert paint.following(other).number == 2
try:
    paint.following(page)
except IndexError:
    pass
else:
    raise AssertionError("there are three pages")
del document
assert alive()[1] == 1 and page.number == 2 and view.count == 3
del cursor, page, other
assert alive()[1] == 1 and view.count == 3
del view
""",
    "calls of one package end what the other lends": """
document = Document(3)
cursor, page, own = paint.cursor(document, 1), paint.page(document, 2), document.page(0)
paint.empty(document)
assert cursor.closed and page.closed and own.closed and not document.closed
refused(ClosedHandleError, "Cursor: this handle is closed", lambda: cursor.number)
refused(ClosedHandleError, "Page: this handle is closed", lambda: page.number)
document = Document(3)
cursor, page = paint.cursor(document, 1), paint.page(document, 2)
document.clear()
assert cursor.closed and page.closed
del document, cursor, page, own
""",
    "an owner whose own package lends nothing": """
library = Library("books")
reader = paint.reader(library)
assert reader.name == "books" and reader.owner is library
again = reader.owner
del library
assert alive() and reader.name == "books"
paint.burn(again)
assert reader.closed
refused(ClosedHandleError, "Reader: this handle is closed", lambda: reader.name)
""",
    "families": """
assert paint.kind(Node()) == "node" and paint.kind(Leaf()) == paint.bare(Leaf()) == "leaf"
assert type(paint.node(True)) is Leaf and type(paint.node(False)) is Node
""",
    "taken": """
file = File()
paint.shut(file)
assert file.closed and alive()[3] == 0
refused(ClosedHandleError, "file: this File is closed", paint.shut, file)
file = File()
refused(paint.PaintError, "no", paint.refuse, file)
assert not file.closed and alive()[3] == 1
file.close()
""",
    "one object for each pointer": """
window = scene.window(1)
assert paint.window(1) is window and paint.window(0).number == 0
""",
    "errors": """
assert paint.ClosedHandleError is scene.ClosedHandleError
assert issubclass(paint.PaintError, scene.SceneError.__base__)
""",
}
END = """
assert alive() == (0, 0, 0, 0), alive()
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both packages, built."""
    folder = tmp_path_factory.mktemp("uses")
    library(folder)
    build(folder, "scene.wrapper_spec", "paint.wrapper_spec")
    return folder


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_objects_of_another_package(project: Path, program: str, engine: str) -> None:
    text = f"ENGINE = {engine!r}\n{START}{PROGRAMS[program]}{END}"
    done = python(project, text, WRAPPER_GEN_ENGINE=engine)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
