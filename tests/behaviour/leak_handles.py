"""What classes, kinds of handles and records do, for test_leaks_classes.py."""

from __future__ import annotations

from tests.behaviour.leak_groups import Group
from tests.behaviour.objects import HAS_GIL

SUBCLASSES = ("type('Own', (s.Point,), {})",) if HAS_GIL else ()
"""What CPython 3.13 without a GIL leaves of 100 000 classes that end, also of none of ours, is more than is lost here."""

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
place, sign, note = s.Place(1.0, 2.0, 3), s.Sign(1.0, words=["a"]), s.Note("t", "a")
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
        "s.Place(1.0)", "s.Place(colour=3)", "s.Sign(1.0, words=['a'])", "sign.words", "sign.x", "s.Point.x.__get__(sign)",
        "sign.length()", "sign.moved(1.0)", "sign + place", "sign == place", "hash(sign)", "repr(sign)", "replace(sign, x=2.0)",
        "copy.copy(sign)", "matched(sign)", "s.flip(sign)", "s.brighter(sign)", "s.start_of([sign])", "s.kind(sign)", "s.kind(place)",
        "s.total([sign, point])", "s.described(place)", "note.size()", "note.author", "s.caption_of(note)",
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
        "s.Sign('x')", "s.brighter(point)", "s.start_of([place])", *SUBCLASSES, "s.caption_of(place)",
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
