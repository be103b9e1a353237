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
