"""What lifetimes, objects that are the same, and handles in structs are used with, for test_leaks_of_shapes.py."""

from __future__ import annotations

from array import array
from typing import Any

from tests.behaviour.leak_shapes import Raised, Shapes, nothing, raises
from tests.behaviour.packages import HERE


def names_of_lifetimes(lib: Any) -> dict[str, Any]:
    return {"nothing": nothing, "raises": raises, "names": lambda node: node.name == "", "note": lambda row: row.note()}


def names_of_same_objects(lib: Any) -> dict[str, Any]:
    class Mine(lib.Easy):  # type: ignore[misc]
        pass

    return {
        "Mine": Mine, "nothing": nothing, "raises": raises, "data": bytearray(b"0123456789"),
        "label": "a text that is long",
        "numbers": array("q", [1, 2, 3, 4]), "easy": lib.Easy(9), "multi": lib.Multi(),
    }  # fmt: skip


def names_of_graph(lib: Any) -> dict[str, Any]:
    class Twice(lib.Scorer):  # type: ignore[misc]
        def score(self, by: float) -> float:
            return 2 * by

    class Fails(lib.Scorer):  # type: ignore[misc]
        def score(self, by: float) -> float:
            raise Raised

    return {
        "Twice": Twice,
        "Fails": Fails,
        "raises": raises,
        "node": lib.Node("n"),
        "doc": lib.Doc("title"),
        "number": lambda: 1,
    }


LIFETIMES = Shapes(
    HERE / "lifetimes" / "lifetimes.wrapper_spec",
    (
        # what has an owner, which keeps that alive
        "d = lib.open('d'); n = d.root().add('a'); n.document.root(); n.find('a'); n.children(); n.by_name()",
        "d = lib.open('d'); lib.place(d.root()); lib.moved(lib.place(d.root())); lib.open_at('d'); lib.paths(d)",
        "d = lib.open('d'); lib.either(d, 0); lib.either(d, 1); lib.either(d, 2); lib.several(d)",
        "lib.of_two(lib.open('a'), lib.open('b')).name",
        "d = lib.open('d'); n = d.root(); d.close(); n.name",
        # what points into another result, is borrowed until a call, or ended by one
        "d = lib.open('d'); c = d.cursor(); r = c.row(); r.data; n = r.note(); n.number; r.field()",
        "d = lib.open('d'); c = d.cursor(); r = c.row(); c.step(); r = c.row(); c.rewind()",
        "d = lib.open('d'); n = d.root(); c = d.cursor(); d.clear(); d.root().alone()",
        "s = lib.store('s'); shelf = s.shelf().add('a'); reader = s.reader(); s.close()",
        "s = lib.store('s'); reader = s.reader(); reader.step_while(lambda: False)",
        # what an object holds, replaces and releases
        "h = lib.hub(); p = lib.plug(1); h.add(p); h.add_all([p, p]); h.remove(p); h.add(lib.plug(2)); h.clear()",
        "h = lib.hub(); h.light(lib.plug(1)); h.light(lib.plug(2)); h.light(None); h.light(lib.plug(3))",
        "h = lib.hub(); h.add(lib.plug(1)); h.close()",
        # what a call takes, shares or does not own; what is shared
        "lib.eat(lib.plug(3)); lib.swallow(lib.plug(1))",
        "lib.swallow_both(lib.hub(), lib.plug(1)); lib.swallow_small(lib.plug(1))",
        "c = lib.counted(3); lib.keep(c); lib.keep(c); c.number; lib.forget()",
        "lib.default_one(); lib.default_ones()",
        "lib.link(lib.link(lib.link(None)))",
        # handles that callables are called with
        "d = lib.open('d'); d.each(names); d.root().each(names)",
        "d = lib.open('d'); lib.each_node(d, d, names); d.each_by_several({'a': names})",
        "lib.with_document(nothing); lib.with_place(nothing); lib.with_plug(nothing)",
        "d = lib.open('d'); lib.listen(nothing); lib.tell(d.root()); lib.listen(None)",
    ),
    (
        "d = lib.open('d'); r = d.cursor().row(); d.clear(); r.number",
        "d = lib.open('d'); c = d.cursor(); r = c.row(); c.step(); r.data",
        "s = lib.store('s'); reader = s.reader(); s.close(); reader.step()",
        "s = lib.store('s'); reader = s.reader(); reader.step_while(lambda: s.close())",
        "d = lib.open('d'); d.each(lambda node: d.clear())",
        "d = lib.open('d'); d.replace(lib.open('other').root()); d.replace(None)",
        "h = lib.hub(); p = lib.plug(-1); h.add(p)",
        "h = lib.hub(); p = lib.plug(1); h.add(p); lib.eat(p)",
        "h = lib.hub(); h.add_all([lib.plug(1), None])",
        "lib.swallow(lib.plug(-1))",
        "lib.swallow_both(lib.hub(), lib.plug(-1))",
        "lib.swallow_both(lib.hub(), None)",
        "lib.swallow_small(lib.plug(300))",
        "lib.keep(None)",
        "d = lib.open('d'); d.each(raises)",
        "d = lib.open('d'); d.each_by_several({'a': names, 'b': 3})",
        "lib.with_document(raises)",
        "lib.with_place(raises)",
        "lib.with_plug(lib.eat)",
        "d = lib.open('d'); lib.either(d, 3)",
        "d = lib.open('d'); d.title(3)",
    ),
    names_of_lifetimes,
    lambda lib: tuple(lib.live()),
    "lib.sweep()",  # the library keeps what has ended until then
)


SAME_OBJECTS = Shapes(
    HERE / "same_objects" / "same_objects.wrapper_spec",
    (
        # one object for each pointer
        "m = lib.Multi(); e = lib.Easy(1); m.add(e); m.at(0); m.find(1); m.find(2)",
        "m = lib.Multi(); e = lib.Easy(1); m.add(e); m.all(); m.twice(0); m.itself(); m.remove(e)",
        "m = lib.Multi(); m.add(Mine(1)); m.messages(); m.by_id(); list(m.each()); m.either(0); m.either(-1)",
        "e = lib.make(1); f = lib.passed(e); lib.finish(f); lib.Easy(2)",
        "m = lib.Multi(); m.add(lib.Easy(1)); m.listen(nothing); m.run(); m.close()",
        "e = lib.Easy(1); lib.given_to(e, nothing); lib.lent_to(nothing)",
        "t = lib.Tree('t'); n = t.root.grow('a'); n.above; n.tree; n.grow('b', True)",
        "t = lib.Tree('t'); n = t.root.grow('a'); t.root.below; n.beside(n); n.each(nothing)",
        "t = lib.Tree('t'); n = t.root.grow('a'); t.clear()",
        "lib.shared(1); lib.parts(); lib.uses_of(lib.shared(2)); lib.forget_parts()",
        # what keeps handles, text, bytes and memory alive
        "lib.window(data).after(2).data; lib.window_of(easy, data)",
        "lib.window_of(easy, is_there=False); lib.window_later(data)",
        "lib.windows(data, b'x'); lib.windows(data, data)",
        "r = lib.Reader(); r.feed(data); r.feed(b'other'); r.rename(label); r.scale(numbers); r.clear(); r.rename('x')",
        "lib.label(label).after(2).text; lib.label_of(easy, label); lib.label_of(easy, is_there=False)",
        "lib.labels(label, label); lib.labels_by_name(label)",
        "lib.mark(easy).again().value; lib.mark_of_any(None)",
        "lib.mark_of_any(easy); lib.mark_and_id(easy); lib.mark_or_id(easy)",
        "lib.marks([easy, easy]); lib.marks_by_name({'a': easy})",
        "lib.marks_within(easy); list(lib.each_mark(easy)); lib.write_mark(easy)",
        "lib.numbers(easy)[0]; lib.first_mark(numbers).value; lib.same_numbers(numbers, 4)[3]",
        "lib.mark(lib.Easy(3)).value",
    ),
    (
        "m = lib.Multi(); m.add(lib.Easy(1)); m.at(1)",
        "m = lib.Multi(); m.add(lib.Easy(1)); m.listen(raises); m.run()",
        "e = lib.Easy(1); e.close(); multi.add(e)",
        "e = lib.Easy(1); lib.finish(e); e.id",
        "lib.lent_to(raises)",
        "lib.lent_to(multi.add)",
        "lib.lent_to(lib.finish)",
        "t = lib.Tree('t'); n = t.root.grow('a'); t.clear(); n.name",
        "t = lib.Tree('t'); t.root.each(t); t.root.name",
        "lib.no_window(data)",
        "lib.Reader().feed(b'')",
        "lib.window('text')",
        "lib.windows(data, 'text')",
        "lib.window_of(easy, data, 3)",
        "lib.labels(label, b'bytes')",
        "lib.labels(label, chr(0xd800))",
        "lib.marks([easy, None])",
        "lib.marks_by_name({'a': easy, 'b': 3})",
        "lib.first_of_rows(numbers)",
        "lib.same_numbers(b'only to read', 1)",
        "lib.same_numbers(numbers, -1)",
        "Mine.first_of(multi)",
        "Mine('x')",
    ),
    names_of_same_objects,
    lambda lib: (lib.easies(), lib.multis(), len(lib.parts())),
)


GRAPH = Shapes(
    HERE / "handle_fields" / "graph.wrapper_spec",
    (
        "lib.Edge(lib.Node('a'), lib.Leaf('b')).start; lib.Edge(node); lib.Edge.alone('z').names",
        "lib.shown(lib.Edge(node, node, 2))",
        "lib.starts([lib.Edge(node)]); lib.by_name({'x': lib.Edge(node)}, (lib.Edge(node), 1))",
        "lib.made('m', True).end; lib.made('m'); lib.leafy()",
        "lib.several(3); lib.maybe(True); lib.maybe(False); lib.find(0)",
        "lib.joined(lib.Joint(lib.made('x'), lib.Edge(node), 3)); lib.joint().first.start",
        "lib.linked(lib.Link(doc, [1, 2], '!')); lib.link(doc).of; lib.link(None); lib.read(lib.Page(doc, 3))",
        "t = lib.Tree(); t.grow('a').at.name; list(t.twigs())",
        "lib.planned(lib.plans.Plan(Twice(), node)); lib.planned(lib.plans.Plan(lib.Scorer(), lib.Node('x')))",
        "lib.called(lib.Edge(node), number)",
    ),
    (
        "lib.broken()",
        "lib.find(3)",
        "lib.Edge(None)",
        "lib.Edge(lib.Node('a'), 3)",
        "lib.joined(lib.Joint(lib.made('x'), lib.Edge(node), 1 << 20))",
        "lib.starts([lib.made('x'), 3])",
        "lib.by_name({'x': lib.made('x')}, (lib.made('y'), 'z'))",
        "n = lib.Node('x'); e = lib.Edge(n); n.close(); lib.shown(e)",
        "lib.planned(lib.plans.Plan(Fails(), node))",
        "lib.called(lib.made('x'), raises)",
    ),
    names_of_graph,
    lambda lib: lib.living(),
)


def names_of_made(_lib: Any) -> dict[str, Any]:
    return {"data": bytearray(b"0123456789"), "numbers": array("d", [1.0, 2.0]), "label": "a text that is long"}


MADE = Shapes(
    HERE / "kept_by_constructors" / "kept_by_constructors.wrapper_spec",
    (
        "lib.Line(label).text; lib.Title(label).text; lib.Maybe(label).text; lib.Maybe(); lib.Word(label).text",
        "lib.Folder(label).where; lib.Blob(data).data; lib.Series(numbers).sum(); lib.Named(label).shown()",
        "lib.Sums([1.0, 2.0]).values; lib.Names([label, label]).all; lib.Table([[1.0], []]).rows; lib.Owned([[1.0]])",
        "lib.Machine(data, numbers, name=label).other; lib.Machine(scale=2.0)",
        "lib.Copied(data); lib.Place(label, data)",
        "list(lib.split(label)); next(lib.split(label, 't')); list(lib.Text(label).split('e'))",
        "list(lib.sequence(numbers)); next(lib.listed([1.0, 2.0]))",
        "s = lib.Series(numbers); s.close(); b = lib.Blob(data); b.close(); n = lib.Names([label]); n.close()",
    ),
    (
        "lib.Line('')",
        "lib.Series(numbers, data)",
        "lib.Names([label, 3])",
        "lib.Machine(data, numbers, name=3)",
        "next(lib.split(label, 3))",
    ),
    names_of_made,
)
