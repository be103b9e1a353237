"""What classes, records, iterators, arrays and interfaces do, many times: one process of test_leaks_classes.py.

python leak_classes.py CALLS GROUP [ONLY]     CALLS of each shape; prints what stayed, by shape, as JSON
"""

from __future__ import annotations

import builtins
import gc
import importlib.util
import json
import sys
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from tests.behaviour.leak_process import Growth, Scale, loop


@dataclass(frozen=True)
class Group:
    """Shapes of calls: by specs, beside these tests or among the cases, what makes values, and statements that use them."""

    specs: Mapping[str, str]
    setup: str
    calls: tuple[str, ...]
    failures: tuple[str, ...]
    """Statements that raise."""
    heavy: tuple[str, ...] = ()
    """Those that start a thread, and are made ten times less often; what raises, three times less often."""


BASE = "from array import array\nimport copy, gc, math, operator, os, pathlib, pickle, sys\nfrom datetime import timedelta\nfrom dataclasses import replace\n"
"""What every setup begins with."""

CLASSES = Group(
    {"c": "classes", "o": "overloads", "p": "properties"},
    """
class Mine(c.Vec):
    def __init__(self, *given): super().__init__(*(given or (1.0, 2.0)))
class Late(c.Vec):
    def __init__(self): pass
class Foreign:
    def __radd__(self, other): return 1
    def __eq__(self, other): return True
    __hash__ = None
v, w, u, mine, foreign = c.Vec(1, 2), c.Vec(3, 4), c.Vec(0, 0), Mine(), Foreign()
series, same, table, grid, bits, mask = c.Series(3, 1.5), c.Series(3, 1.5), c.Table(), c.Grid(2, 2), c.Bits(6), c.Bits(3)
file, answer, loud, squares = c.File("path"), c.Answer(True), c.Loud(True), c.Squares()
table["a"] = 1.0
class Ended: one = c.Series(1)
Ended.one.close()
box, other, options = o.Box("last"), o.Box("more"), p.options()
floats, doubles = array("f", [1.0]), array("d", [1.0])
""",
    (
        # constructors, static methods, class methods
        "c.Vec(1.0, 2.0)", "c.Vec(x=1.0, y=2.0)", "c.Series(3)", "c.Bits(7)", "c.File('x')", "Mine()", "Late()",
        "c.Vec.from_polar(1.0)", "Mine.from_polar(1.0)", "c.Vec.of('1')", "c.Vec.dimensions()", "c.Vec.distance(v, w)",
        "c.File.most()", "with c.Vec(1.0, 2.0) as made: made.x", "c.Vec(1.0, 2.0).close()", "c.open_file('x')",
        # protocols
        "len(series)", "bool(series)", "series[0]", "series[-1]", "series[1] = 2.0", "made = c.Series(2); del made[0]",
        "1.5 in series", "7.5 in series", "list(series)", "series == same", "series != same", "hash(series)",
        "str(series)", "repr(series)", "copy.copy(series)", "copy.deepcopy(series)", "v + w", "v - w", "1.0 - v",
        "v * 2.0", "2.0 * v", "v / 2.0", "v // 2.0", "v ** 2.0", "v @ w", "-v", "+v", "~v", "abs(v)", "float(v)",
        "int(v)", "v < w", "v <= w", "v > w", "v >= w", "v == w", "v != w", "v()", "v(2.0)", "v(t=2.0)",
        "operator.iadd(u, v)", "operator.imul(u, 1.0)", "mine + v", "v + mine", "v == 1", "v == None", "v + foreign",
        "v == foreign", "bits & mask", "bits | mask", "bits ^ mask", "bits << 1", "bits >> 1", "bits % 4",
        "divmod(bits, 4)", "operator.ior(bits, mask)", "operator.ilshift(bits, 0)", "operator.index(bits)",
        "hash(bits)", "copy.copy(bits)", "len(table)", "table['a']", "table['a'] = 2.0", "'a' in table",
        "table['z'] = 1.0; del table['z']", "with table as entered: pass", "grid[1, 1]", "grid[0, 1] = 3",
        "len(file)", "file['path']", "os.fspath(file)", "os.fsencode(file)", "bool(answer)", "str(loud)",
        "loud == loud", "answer.is_yes", "answer.is_yes = True", "squares[7]", "squares['text']", "table.entered",
        # overloads, each of the forms
        "o.scale(3)", "o.scale(1.5)", "o.scale(o.Mood.CALM)", "o.scale(1, by=0.5)", "o.total(floats)",
        "o.total(doubles)", "o.at([o.Mood.CALM, (1, 'x'), (2, None)])", "o.at([], {'x': box})",
        "o.at('path', timedelta(seconds=1))", "o.at(pathlib.PurePath('path'), timedelta(0))", "o.Box('x')", "o.Box(3)",
        "o.Box()", "o.box()", "o.box('x')", "o.Box.box('x')", "box + other", "box + 'more'", "box == other",
        "box == 'last'", "box == 1", "box[0]", "box[0, 1]", "box[0] = 65", "box[0] = 'text'", "other.put(1)",
        "other.put(True)", "other.put('more')",
        # properties
        "options.literal", "options.literal = True", "options.max_mem = 5", "options.title = 'title'", "options.title",
        "options.key = 'key'", "options.limit = 3", "options.limit", "options.size",
    ),
    (
        "c.Vec(math.nan, 1.0)", "c.Vec('x', 1.0)", "c.Vec()", "c.Vec(1.0, 2.0, 3.0)", "c.Vec(1.0, z=2.0)",
        "c.Series(1 << 62)", "c.Series(-1)", "c.File('')", "c.File('a\\0b')", "c.open_file('')", "Mine('x', 1.0)",
        "Late().x", "v.__init__(1.0, 2.0)", "mine.__init__()", "c.Vec.of(None)", "c.Vec.from_polar('x')", "c.Grid('x', 1)",
        "series[9]", "series['x']", "series[1 << 70]", "series[0] = 'x'", "series[9] = 1.0", "del series[9]",
        "series[0:1]", "'x' in series", "hash(v)", "hash(foreign)", "v + 'x'", "'x' + v", "v < 1", "v - 'x'", "v / 'x'",
        "2 ** bits", "v @ 1", "operator.iadd(u, 1)", "operator.ior(bits, 1)", "v('x')", "v(1.0, 2.0)", "int(series)",
        "float(series)", "copy.copy(file)", "copy.deepcopy(file)", "pickle.dumps(v)", "iter(v)", "reversed(v)",
        "table['nope']", "table[1]", "del table['nope']", "table['a'] = 'x'", "grid[5, 5]", "grid[0]", "grid['a', 'b']",
        "grid[5, 5] = 1", "grid[0, 0] = 1 << 40", "file['nope']", "squares[8]", "len(Ended.one)", "Ended.one[0]", "bool(Ended.one)",
        "Ended.one == series", "hash(Ended.one)", "str(Ended.one)", "copy.copy(Ended.one)",
        "with table: raise KeyError", "series.nothing", "series.nothing = 1",
        "o.scale(None)", "o.scale(1, by='x')", "o.scale()", "o.scale(1 << 70)", "o.scale(1, 2, 3)", "o.at(5)",
        "o.at([(1, 2)])", "o.at('x')", "o.total([1])", "box + 1", "o.Box(None)", "o.Box(-1)", "box[None]", "box[99]",
        "box[0] = None", "box[0] = 300", "box.put(b'x')",
        "del options.literal", "options.literal = 3", "options.limit = -1", "options.limit = 1 << 40", "options.key",
        "options.size = 1", "options.title = 5", "options.max_mem = 1 << 70",
    ),
)  # fmt: skip

KINDS = Group(
    {"k": "inheritance/inheritance"},
    """
class Mine(k.Node):
    pass
class Own(k.Cat):
    def __init__(self): super().__init__()
def fails(*given): raise ZeroDivisionError
node, element, circle, square = k.new_node("node"), k.new_element(), k.circle(), k.Square(2.0)
cat, pixel, point, grove = k.Cat(), k.pixel(), k.point(), k.new_forest(True)
taken = k.new_node("node")
k.swallow(taken)
""",
    (
        "k.new_node('node')", "k.new_node('element')", "k.new_node('comment')", "k.new_node('hidden')", "k.new_element()",
        "k.maybe('paragraph')", "k.maybe(None)", "k.both_of()", "k.named()", "node.twin()", "element.twin()",
        "k.kind_of(node)", "k.kind_of(element)", "k.kind_of_any(element)", "k.tag_of(element)", "element.tag", "element.label",
        "element.late()", "k.together([node, element])", "k.kinds({'a': node, 'b': element})", "k.either(element)", "k.either(3)",
        "k.swallow(k.new_node('paragraph'))", "k.walk(lambda seen: True)", "k.pick(lambda: k.new_node('comment'))",
        "node.same(element)", "copy.copy(node)", "copy.copy(element)", "with k.new_element() as made: made.tag",
        "k.plant(k.new_forest(True), True)", "k.plant(grove, True).forest", "k.beside(k.plant(grove, False))", "k.ellipse()",
        "k.circle().radius()", "k.Square(2.0).area()", "k.keep_shape(k.circle())", "k.get_shape()", "circle.alone()",
        "copy.copy(circle)", "k.total([circle, square])", "k.Cat()", "Own()", "k.Animal()", "k.make_animal(True).fetch()",
        "k.eaten(k.make_animal(True))", "k.eaten(k.Cat())", "k.speech(cat)", "copy.copy(k.make_animal(True))", "k.across(pixel)",
        "copy.copy(pixel)", "copy.deepcopy(pixel)", "pixel.colour", "isinstance(element, k.Node)", "Mine.new_node('node')",
    ),
    (
        "k.tag_of(node)", "k.kind_of(1)", "k.kind_of(taken)", "k.together([node, 1])", "k.together([node, taken])",
        "k.kinds({'a': 1})", "k.swallow(taken)", "k.swallow(1)", "k.pick(lambda: 3)",
        "k.pick(fails)", "copy.copy(cat)", "copy.copy(taken)", "pickle.dumps(element)", "k.new_node(1)", "k.Square('x')",
        "k.Cat(1)", "k.Node()", "k.Dog()", "k.total([circle, node])", "k.across(circle)", "element.tag = 1",
        "k.new_node('element').close().tag",
    ),
)  # fmt: skip

RECORDS = Group(
    {"s": "structs", "g": "handle_fields/graph", "op": "options"},
    """
class Double(g.Scorer):
    def score(self, by): return by * 2
class Bad(g.Scorer):
    def score(self, by): raise ZeroDivisionError
def matched(point):
    match point:
        case s.Point(x, y=0.0): return x
        case s.Point(x=x): return x
point, twin, shape, label = s.Point(1.0, 2.0), s.Point(1.0, 2.0), s.Shape("a", [s.Point(1.0)], 3), s.Label("t", "f", [1.0])
pixel, day, spot = s.Pixel(1, 2, "name"), s.Day(1, 2), s.Spot("x")
a, b, doc, double, bad = g.Node("a"), g.Node("b"), g.Doc("title"), Double(), Bad()
edge, joint, link, page = g.Edge(a, b), g.joint(), g.link(doc), g.Page(doc, 3)
closed = g.Node("closed")
closed.close()
pickled = pickle.dumps(shape)
store, family = op.store(), op.store().family("f")
""",
    (
        "s.Point(1.0)", "s.Point(x=1.0, y=2.0)", "point.x", "point.length()", "point.is_zero", "point.moved(1.0)",
        "s.Point.diagonal(2.0)", "point + twin", "point == twin", "point == 1", "hash(point)", "len(point)", "point[0]", "point[-1]",
        "list(point)", "repr(point)", "replace(point, x=2.0)", "copy.copy(point)", "copy.deepcopy(shape)", "pickle.dumps(shape)",
        "pickle.loads(pickled)", "matched(point)", "{point: 1}[twin]", "s.Shape('a', [point, twin], 3, 1.5)", "shape.points",
        "shape == s.Shape('a', [s.Point(1.0)], 3)", "hash(shape)", "s.flip(point)", "s.reach(point)", "s.reach(point, twin)",
        "s.outline(shape)", "s.find({'a': shape}, 'a')", "s.find({'a': shape}, 'b')", "s.Label('t', 'f', [1.0])", "s.wider(label)",
        "s.Pixel(1)", "s.moved(pixel)", "pixel.name", "s.Day(1, 2)", "s.later([day, day])", "s.Leg(spot)", "s.length_of([s.Leg(spot)])",
        "s.leg('x').start.name if hasattr(spot, 'name') else s.leg('x')",
        "g.Edge(a)", "g.Edge(a, b, 2.0)", "edge.start", "edge.end", "edge.total(2.0)", "edge.names", "len(edge)", "g.Edge.alone('x')",
        "edge == edge", "repr(edge)", "copy.copy(edge)", "replace(edge, weight=2.0)", "g.shown(edge)", "g.shown(a)",
        "g.starts([edge, edge])", "g.by_name({'a': edge}, (edge, 1))", "g.is_there(edge)", "g.is_there(None)", "g.made('x', True)",
        "g.leafy()", "g.several(2)", "g.maybe(True)", "g.maybe(False)", "g.find(0)", "g.joined(joint)", "g.joint()", "g.Joint(edge, edge, 1)",
        "g.link(doc)", "g.link(None)", "g.linked(link)", "g.read(page)", "g.planned(g.plans.Plan(double, a))",
        "g.Tree().grow('x').at.name", "g.called(edge, lambda: 3)",
        "op.print('x')", "op.print('x', width=3, language='de')", "op.by_pointer(1)", "op.by_pointer(1, paths=['a', 'b'], title='t')",
        "op.by_changed(context=4)", "op.by_value(ratio=0.7)", "op.quietly(level=3, loud=True)", "op.shelf(near=op.cache(3)).size()",
        "op.shelf(near=op.cache(3), far=None)", "store.get(family)", "store.get()", "store.diff(context=3)", "op.text_of(0)", "op.numbers(3)",
    ),
    (
        "s.Point('x')", "s.Point()", "s.Point(1.0, 2.0, 3.0)", "s.Point(z=1.0)", "point.x = 1.0", "del point.x", "point + 1", "point[5]",
        "point['x']", "point < twin", "replace(point, z=1.0)", "replace(point, x='x')", "s.flip(3)", "s.flip(shape)", "s.reach(point, 1)",
        "s.Shape('a', [1])", "s.Shape('a', [], 1 << 70)", "s.find({'a': 1}, 'a')", "s.wider(s.Label('a\\0b'))", "s.Pixel(1 << 70)",
        "point.moved('x')", "s.Point.diagonal(None)", "pickle.loads(pickled[:-3])",
        "g.Edge(1)", "g.Edge()", "g.Edge(None)", "hash(edge)", "pickle.dumps(edge)", "copy.deepcopy(edge)", "g.shown(g.Edge(closed))",
        "g.shown(1)", "g.broken()", "g.find(1)", "g.planned(g.plans.Plan(bad, a))", "g.called(edge, 1)", "g.starts([edge, 1])", "edge.weight = 1",
        "g.Edge(g.Edge(a))", "g.Joint(edge, a, 1)", "g.joined(g.Joint(edge, edge, 1 << 20))",
        "op.print('x', colour=1)", "op.print('x', width='y')", "op.print('x', width=1 << 40)", "op.print('x', width=None)", "op.old(1)",
        "op.by_pointer(1, paths=['a', 1])", "op.shelf(near=1)", "store.diff(context=101)", "op.text_of(1)", "op.text_of(-1)", "op.numbers(101)",
    ),
)  # fmt: skip

ITERATORS = Group(
    {"i": "iterators/iterators", "cu": "iterators/cursors"},
    """
def raises(at): raise ZeroDivisionError
def changed():
    over = gone.numbers()
    next(over)
    gone.fill(2)
    return over
def stopped():
    over = shelf.until_fill()
    shelf.set_first(0)
    return over
def shut():
    made = i.shelf()
    made.fill(2)
    over = made.numbers()
    made.close()
    return over
def half(over):
    next(over)
    return over
shelf, gone, tree, store, nodes, box = i.shelf(), i.shelf(), i.tree(), cu.Store(), cu.Nodes(), cu.Box([1, 2])
failing = cu.Store()
for at in range(3):
    shelf.put(str(at), at)
    gone.put(str(at), at)
    store.put(str(at), "x")
    failing.put(str(at), "x")
    nodes.add(at)
failing.fail_at(1)
root = i.root(tree)
root.add("a")
root.add("b")
""",
    (
        *(f"list(shelf.{name}())" for name in ("numbers", "names", "items", "flags", "few", "plain", "copied", "until_fill")),
        *(f"half(shelf.{name}())" for name in ("numbers", "names", "items", "flags", "few", "plain", "copied", "until_fill")),
        "shelf.numbers()", "list(shelf.between('0', '1'))", "list(shelf.both(gone))", "half(shelf.both(gone))", "list(shelf.numbers_property)",
        "i.upto(3)", "list(i.upto(3))", "half(i.upto(3))", "list(i.lasting(1))", "list(i.in_place('x'))", "list(i.count())", "half(i.count())",
        "list(i.shared())", "half(i.shared())", "list(i.texts([b'a', b'b']))", "list(i.views())", "list(i.points())", "half(i.points())",
        "list(i.lists())", "list(i.maybe())", "list(i.colours())", "list(i.triples())", "list(i.shelves(2))", "half(i.shelves(2))",
        "list(i.all_of([shelf]))", "list(i.called(lambda at: at))", "half(i.called(lambda at: at))", "list(root.children())", "half(root.children())",
        "[each.name for each in root.children()]", "operator.length_hint(shelf.numbers())", "over = i.upto(0); list(over); list(over)",
        "stopped()", "shut()",
        "list(store.scan())", "half(store.scan())", "store.scan()", "list(store.keys())", "half(store.keys())", "list(store)", "list(reversed(store))",
        "half(iter(store))", "list(nodes)", "half(iter(nodes))", "list(nodes.names())", "half(nodes.items())", "[each.size for each in nodes]",
        "list(box)", "list(reversed(box))", "half(reversed(box))", "list(cu.Query(2))", "half(cu.Query(2))", "list(cu.countdown(2))",
        "cu.Box([1, 2])",
    ),
    (
        "next(changed())", "next(stopped())", "next(shut())", "list(i.count(2))", "i.fails()", "i.is_null()", "list(i.narrow())", "i.upto('x')",
        "list(i.called(raises))", "list(i.called(lambda at: 'x'))", "next(i.upto(0))", "shelf.both(1)", "i.all_of([])", "i.all_of([1])",
        "len(shelf.numbers())", "shelf.numbers()[0]", "iter(shelf)", "copy.copy(shelf.numbers())", "pickle.dumps(shelf.numbers())",
        "list(cu.Query(9))", "list(failing.scan())", "list(failing.keys())", "store.none()", "list(cu.Box([1, 'x']))", "cu.countdown('x')",
        "cu.countdown(1)[1]",
    ),
)  # fmt: skip

ARRAYS = Group(
    {"a": "arrays/arrays"},
    """
import numpy
class Tensor:
    def __dlpack__(self, **given): return square.__dlpack__(**given)
    def __dlpack_device__(self): return square.__dlpack_device__()
class Refuses:
    def __dlpack__(self, **given): raise BufferError("not now")
    def __dlpack_device__(self): return 1, 0
class Elsewhere(Refuses):
    def __dlpack_device__(self): return 2, 0
square, wide, tall = numpy.ones((2, 2)), numpy.ones((2, 3)), numpy.ones((3, 2))
columns, out, line, empty = numpy.asfortranarray(wide), numpy.zeros((2, 2)), numpy.ones(4), numpy.ones((0, 2))
image, bools, ints = numpy.zeros((2, 2, 3), "f"), numpy.zeros((2, 2), "?"), numpy.ones((2, 2), "i4")
locked, backwards = numpy.ones(4), numpy.ones(4)[::-1]
locked.flags.writeable = False
misaligned = numpy.frombuffer(bytes(33), "u1")[1:].view("f8").reshape(2, 2)
matrix, board, picture, series, keys, shared, tensor = a.matrix(2, 3), a.Board(2, 3), a.Picture(2, 2), a.Series([1.0, 2.0, 3.0]), a.Keys(), a.Shared([1.0]), Tensor()
refuses, elsewhere, closed = Refuses(), Elsewhere(), a.matrix(1, 1)
closed.close()
view = memoryview(matrix.view())
can_export = a.ENGINE == "cpython" or sys.version_info >= (3, 12)
held = a.matrix(2, 2)
held_view = held.view()
""",
    (
        "a.total(square)", "a.shape_of(wide)", "a.layout(wide[::-1, ::-1])", "a.layout(columns)", "a.at(tall, 1, 1)", "a.line(backwards)",
        "a.fortran(columns)", "a.paint(image, 1.0)", "a.product(wide, tall, out)", "a.first(line, 4)", "a.trace(square)",
        "a.trace_f(square.T)", "a.sum_c(wide)", "a.sum_int(wide)", "a.sum_square(square)", "a.scale_c(wide, 1.0)", "a.any_true(bools)", "a.maybe(square)",
        "a.maybe(square, square)", "a.sum_i32(ints)", "a.view_total(line)", "a.by_index(line, 1)", "a.total(empty)", "a.total(tensor)",
        "a.total(view)", "a.identity(2)", "a.twice(wide)", "numpy.asarray(a.twice(wide))", "numpy.from_dlpack(a.identity(2))",
        "memoryview(a.identity(2))", "bytes(a.identity(2))", "a.identity(2).tolist()", "a.identity(2)[1, 1]",
        "made = a.identity(2); made.shape, made.strides, made.format, made.nbytes, made.readonly, len(made)", "a.identity(2).__dlpack__()",
        "a.identity(2).__dlpack__(max_version=(1, 1))", "a.grid_of(2, 2)", "a.known(2, 2)", "a.columns(2, 2)", "a.every_other(2)", "a.fixed()",
        "a.integers(2)", "a.letters()", "a.total(a.identity(2))", "matrix.view()", "memoryview(matrix.view())", "numpy.asarray(matrix.view())[0]",
        "numpy.from_dlpack(matrix.view())", "matrix.frozen()", "matrix.row(1)", "matrix.column(1)", "matrix.whole", "a.total(matrix.view())",
        "a.matrix(2, 2).view()", "board.cells()", "board.copied()", "board.by_pointer()", "board.transposed()", "board.flat()",
        "board.patch(1, 1)", "board.row(0).sum()", "board.row(0).cells()", "board.lasting()", "board.fixed()",
        "made = a.Board(2, 2); made.row(0); made.resize(1, 1)",
        "series[0:2]", "series[::-1]", "series[-1]", "del series[3::2]", "len(series)", "keys[0, 1:, ..., None]", "keys[1:2:3]", "keys[0] = 1",
        "slice(1) in keys", "a.same_slice(slice(1, 2))", "a.keys_within([slice(1)], {'x': 3, 'y': None})", "a.positions(slice(1), 3)",
        "a.width(slice(1, 3))", "a.which(slice(1))", "a.which(1)", "a.which('x')", "a.may_be()", "a.overloaded((1, 2))", "a.overloaded(1)",
        "can_export and memoryview(picture)", "can_export and bytes(picture)", "can_export and numpy.asarray(picture)[0]", "can_export and a.total(picture)",
        "a.Picture(2, 2)", "a.Poster(2)", "2.0 * picture", "picture.sum()",
        "shared.__dlpack__()", "shared.__dlpack__(max_version=(1, 0))", "numpy.from_dlpack(shared)", "shared.__dlpack_device__()", "a.plain([1.0])",
    ),
    (
        "a.total(ints)", "a.total(line)", "a.total(columns)", "a.fortran(wide)", "a.total(misaligned)", "a.total(backwards)", "a.line(locked)",
        "a.product(wide, wide, out)", "a.product(wide, tall, image)", "a.paint(image[:, :, :2], 1.0)", "a.first(line, 3)", "a.first(line)", "board.swapped()", "a.trace(wide)", "a.total(5)",
        "a.total([[1.0]])", "a.total(None)", "a.total(refuses)", "a.total(elsewhere)", "a.sum_c(wide[:, ::2])", "a.too_few(9)", "a.negative(-1)",
        "a.huge(1 << 40)", "a.null()", "a.fails(1)", "a.identity('x')", "a.identity(2)[5, 5]", "a.identity(2)['x']", "a.fixed()[0, 0] = 1.0",
        "a.identity(2)[0, 0] = 'x'", "a.identity(2).__dlpack__(stream=3)", "matrix.row(9)", "matrix.column(9)", "held.close()", "closed.view()",
        "a.total(closed)", "copy.copy(matrix)", "pickle.dumps(a.identity(2))", "memoryview(matrix.frozen())[0, 0] = 1.0", "memoryview(a.Broken())",
        "numpy.sin(picture) + None", "series['x']", "series[9]", "series[::0]", "series[:'end']", "keys[True]", "keys['x']", "keys[0, 'x']",
        "a.same_slice(3)", "a.overloaded(1.5)", "shared.__dlpack__(stream=3)", "shared.__dlpack__(copy=False)", "shared.__dlpack__(1)", "a.no_memory()",
        "a.no_export()", "a.plain(['x'])", "board.patch('x', 1)",
    ),
)  # fmt: skip

INTERFACES = Group(
    {"f": "interfaces"},
    """
class Square(f.Shape):
    def __init__(self, side):
        super().__init__()
        self.side = side
    def area(self, scale): return self.side**2 * scale
    def name(self, language): return "square"
class Wrong(Square):
    def area(self, scale): return "x"
    def name(self, language): raise ZeroDivisionError
class Late(Square):
    def __init__(self): pass
class Half(f.Shape):
    def name(self, language): return super().name(language)
class Busy(f.Tool):
    def size(self): return super().size() + 1
    def fits(self, values, at): return int(sum(values) + at.x)
    def place(self, data): return f.Spot(len(data), 7)
    def use(self, pen): super().use(pen)
    def quick(self, by): return by * 2
    def at(self, i): return 1.0
    def at_const(self, i): return 2.0
    def label(self): return "busy"
    def prepare(self, what): return super().prepare(what) + "!"
    def refill(self, pen, by): super().refill(pen, by)
class Fails(f.Tool):
    def size(self): raise ZeroDivisionError
    def quick(self, by): raise ZeroDivisionError
    def label(self): return 5
    def fits(self, values): return 0
    def place(self, data): return f.Spot(1, "x")
    def at(self, i): raise KeyError(i)
class Sink(f.Sink):
    def line(self, text): pass
    def order(self, a, b): return len(a) - len(b)
    def shorten(self, text, most): return text[:most]
    def summarize(self, texts): return b", ".join(texts).decode()
    def save(self, data):
        if data == b"full": raise f.SinkFull("no room")
        return data.index(b"here")
    def flush(self, how): return how
class Unsorted(Sink):
    def order(self, a, b): raise LookupError
    def shorten(self, text, most): return most
    def line(self, text): raise ZeroDivisionError
class Steps(f.Pattern):
    def step(self, by): return by
class Plain(f.Sink):
    def order(self, a, b): return 0
sys.unraisablehook = lambda what: None
square, wrong, late, busy, tool, fails, pen = Square(2.0), Wrong(2.0), Late(), Busy(3), f.Tool(3), Fails(3), f.Pen(3)
sink, unsorted, plain, steps, stand, made = Sink(), Unsorted(), Plain(), Steps(), f.Stand(), f.plain(3)
closed = Busy(1)
closed.close()
""",
    (
        "Square(2.0)", "f.Tool(3)", "Busy(3)", "Steps()", "f.plain(3)", "f.Tool.of_size(3)", "f.Tool.most()", "Square(2.0).close()",
        "f.described(square)", "square.area(2.0)", "drawing = f.Drawing(); drawing.add(square); drawing.area()",
        "drawing = f.Drawing(); drawing.add(Square(2.0)); drawing.area()", "f.fits(busy)", "f.fits(tool)", "f.place(busy)", "f.place(tool)",
        "f.place(None)", "f.use(busy, pen)", "f.quick(busy, 2)", "f.both(busy, 1)", "f.both(tool, 1)", "f.label(busy)", "f.label(tool)", "f.said(busy)",
        "f.refilled(busy, pen)", "f.same(busy)", "f.same(tool).size()", "busy.size()", "tool.size()", "busy.run()", "tool.prepare('x')", "tool.is_large()",
        "tool.left(1)", "busy.left(0.5)", "f.keep(Busy(1)); f.size_of_kept()", "f.keep(tool); f.let_go_elsewhere()", "stand.put(busy); stand.size_on()",
        "stand.put(Busy(1)); stand.clear()", "stand.put(busy); stand.lift(busy)", "f.Bench(tool)", "f.Bench(Busy(1))", "f.printed(sink, 'x', 1)",
        "f.printed(plain, 'x', 1)", "f.ordered(sink, 'a', 'bb')", "f.shortened(sink, 'text', 2)", "f.shortened(plain, 'text', 2)",
        "f.summary(sink, ['a', 'b'])", "f.summary(plain, ['a'])", "f.saved(sink, 'is here')", "f.flushed(sink, 3)", "steps.run()",
    ),
    (
        "f.Shape()", "Half()", "f.described(Late())", "f.described(late)", "late.area(1.0)", "f.described(wrong)", "f.Drawing().add(1)", "f.Drawing().add(tool)",
        "drawing = f.Drawing(); drawing.add(wrong); drawing.area()", "f.Tool(-1)", "Busy(-1)", "f.Tool()", "f.Tool('x')", "f.label(fails)", "f.fits(fails)",
        "f.place(fails)", "f.quick(fails, 2)", "f.both(fails, 1)", "fails.is_large()", "f.label(closed)", "closed.size()",
        "f.place(1)", "f.plain(1).prepare('x')", "f.plain(1).left(1)", "tool.left('x')", "square.area('x')", "super(Square, square).area(1.0)",
        "f.ordered(unsorted, 'aaa', 'b')", "f.shortened(unsorted, 'text', 1)", "f.printed(unsorted, 'x', 1)", "f.saved(sink, 'full')", "f.saved(sink, 'x')",
        "f.Sink()", "plain.shorten('x', 1)", "super(Steps, steps).step(1)", "tool.__init__(1)", "pickle.dumps(tool)", "copy.copy(tool)",
        "f.keep(fails); f.size_of_kept()",
    ),
    ("f.keep(tool); f.let_go_elsewhere()",),
)  # fmt: skip

GROUPS = {
    "classes": CLASSES, "kinds": KINDS, "records": RECORDS, "iterators": ITERATORS, "arrays": ARRAYS, "interfaces": INTERFACES,
}  # fmt: skip


def load(folders: Mapping[str, str]) -> dict[str, Any]:
    """The packages, by the name that a setup has for each."""
    found = {}
    for name, folder in folders.items():
        path = Path(folder)
        spec = importlib.util.spec_from_file_location(
            path.name, path / "__init__.py", submodule_search_locations=[folder]
        )
        assert spec is not None and spec.loader is not None
        found[name] = sys.modules[path.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found[name])
    return found


def watched(packages: Mapping[str, Any], values: Mapping[str, Any]) -> list[Any]:
    """Objects that a call may count once too often, or too rarely."""
    public = [getattr(package, name) for package in packages.values() for name in package.__all__]
    members = [each for enum in public if isinstance(enum, type) and issubclass(enum, Enum) for each in enum]
    common = [None, True, False, NotImplemented, (), "", b"", *range(257)]
    common += [each for each in vars(builtins).values() if isinstance(each, type)]
    return [*common, *public, *members, *(each for name, each in values.items() if not name.startswith("__"))]


def main(calls: int, group: str, folders: Mapping[str, str], only: str = "") -> None:
    warnings.simplefilter("ignore")  # what is deprecated is called, too
    chosen, packages = GROUPS[group], load(folders)
    values: dict[str, Any] = dict(packages)
    with suppress(ImportError):  # without NumPy, there are no arrays
        exec(BASE + chosen.setup, values)
    values.pop("__builtins__")
    scale = Scale(watched(packages, values))
    gc.collect()
    gc.freeze()  # what is there already, no collection has to look at
    report: dict[str, Growth] = {}
    for statements, fails in ((chosen.calls, False), (chosen.failures, True)):
        for statement in statements:
            if only in statement:
                run = loop(statement, values, fails)
                report[statement] = scale.measure(
                    run, calls // (10 if statement in chosen.heavy else 3 if fails else 1)
                )
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]), *sys.argv[4:])
