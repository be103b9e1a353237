"""What classes of Python do that C++ calls, for test_leaks_classes.py."""

from __future__ import annotations

from tests.behaviour.leak_groups import Group

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

HIERARCHY = Group(
    {"f": "inheritance/overridden"},
    """
class Dot(f.Shape):
    def area(self): return 1.0
class Large(f.Circle):
    def __init__(self): super().__init__(5.0)
    def area(self): return super().area() + 1
    def radius(self): return 9.0
    def decorated(self, text): return super().decorated(text).upper()
    def packed(self, data): return len(data) + int(self.scaled(2.0))
class Blue(f.Tile):
    def colour(self): return "blue"
    def name(self): raise ZeroDivisionError
dot, large, blue, square, ring = Dot(), Large(), Blue(), f.Square(), f.make("ring")
closed = Large()
closed.close()
""",
    (
        "Dot()", "Large()", "Blue()", "f.Circle(2.0)", "f.Ring()", "f.Square()", "f.Tile()", "Large().close()", "type('Other', (f.Circle,), {})(1.0)",
        "f.make('circle')", "f.make('ring')", "f.make('square')", "f.make('tile')", "f.make('')", "f.described(dot)", "f.described(large)",
        "f.described(square)", "f.measure(large)", "f.measure(ring)", "f.kind_of(large)", "f.kind_of(square)", "large.twice()", "large.shown()",
        "large.measured()", "large.kind", "large.at(1)", "ring.at(1)", "large.pack(b'abc')", "f.Shape.name(large)", "f.Circle.area(large)",
        "blue.colour()", "ring.name()", "f.areas([dot, large, square, ring])", "f.keep(Large()); f.total(); f.forget()",
        "f.keep(Large()); f.last().area(); f.forget()", "f.keep(f.Square()); f.last(); f.forget()", "f.visit(f.described)", "f.chosen(lambda: large)",
        "f.chosen(Large)",
    ),
    (
        "f.Shape()", "f.measure(dot)", "f.measure(square)", "f.described(blue)", "blue.painted()", "f.described(closed)", "closed.twice()",
        "f.Shape.area(large)", "f.Shape.decorated(large, 'a')", "ring.decorated('a')", "ring.scaled(1.0)", "ring.packed(b'a')",
        "f.Shape.hidden_at(large, 1)", "type('Own', (f.Square,), {})", "type('Own', (f.Thing,), {})", "f.Circle('x')", "f.areas([dot, 1])", "f.visit(f.measure)",
        "f.chosen(lambda: 1)", "f.chosen(f.Shape)",
    ),
    ("type('Other', (f.Circle,), {})(1.0)", "type('Own', (f.Square,), {})", "type('Own', (f.Thing,), {})"),
)  # fmt: skip
