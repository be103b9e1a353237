"""What calls of C, lifetimes and callables are made of, by package: statements for test_leaks_of_shapes.py."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.behaviour.packages import HERE

CASES = HERE.parent / "cases"


@dataclass(frozen=True)
class Shapes:
    """Statements that leave nothing behind, and that raise and leave nothing behind."""

    spec: Path
    quick: tuple[str, ...]
    failing: tuple[str, ...]
    values: Callable[[Any], Mapping[str, Any]] = lambda lib: {}
    """What they use besides `lib`, the package."""
    count: Callable[[Any], object] = lambda lib: None
    """How many objects the library has."""
    after: str = "pass"
    """What follows each, when nothing of it is there any more."""


def loop(statement: str, values: Mapping[str, Any], after: str, *, fails: bool) -> Callable[[int], None]:
    """A function that makes a call so often; one that should fail and does not is an error."""
    namespace: dict[str, Any] = dict(values)
    call = f"made()\n        {after}"
    if fails:
        call = f"try: made()\n        except Exception: pass\n        else: raise AssertionError({statement!r})"
        call += f"\n        {after}"
    exec(f"def made():\n    {statement}\ndef run(count):\n    for _ in range(count):\n        {call}\n", namespace)
    run: Callable[[int], None] = namespace["run"]
    return run


class Raised(Exception):
    """What a callable raises."""


def raises(*_given: object) -> Any:
    raise Raised


def nothing(*_given: object) -> None:
    pass


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


def names_of_callables(lib: Any) -> dict[str, Any]:
    return {
        "raises": raises, "nothing": nothing, "add": lambda value: value + 1, "named": lambda text, pixel: text,
        "item": lambda name, index: None, "visits": lambda name, index: False, "accepts": lambda node: node.value > 2,
        "later": lib.later(),
        "emitter": lib.emitter(), "weight": lambda parcel: parcel.weight, "parcel": lambda number: lib.Parcel(number),
        "parcels": lambda number: [lib.Parcel(1), lib.Parcel(number)], "look": lambda node: node.value if node else 0,
        "add_to": lambda parcel: parcel.add(1),
    }  # fmt: skip


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

REPRESENTATIONS = Shapes(
    CASES / "representations" / "spec.wrapper_spec",
    (
        "lib.make_names(3)",
        "lib.list_names(2)",
        "lib.read_buf(3); lib.no_buf()",
        "lib.shout('loud'); lib.view_numbers(3); lib.maybe_names(3, False)",
        "lib.groups(); lib.table(); lib.by_lambda()",
        "lib.split('abc')",
        "lib.any(0); lib.any(1); lib.any(2); lib.any(3); lib.any_out(2); lib.some_of_each()",
        "lib.json_of_all(); lib.json_each(nothing)",
        # what C has of Python's values
        "lib.joined(['a', 'text']); lib.joined([])",
        "lib.joined_at(None); lib.joined_at(['a']); lib.count_of(('a', 'b'))",
        "lib.joined_by_lambda(['a', 'b']); lib.sum_of(b'bytes')",
        "lib.scaled(2, [1.5, 2.5]); lib.lines({'a': ['x'], 'b': ['y', 'z']})",
        "lib.shown([None, 1, 'text', b'bytes', [2, ['deep']]])",
        "lib.same_node([1, ['text']]); lib.shown_by_lambda(['text'])",
        "lib.drawn(['a', ['b', 'c']]); lib.all_drawn(['a', ['b']])",
        "lib.value_of(3)",
        "lib.same(lib.Row('t', ['a'], [1.5], [1, 'x'])); lib.row_shown(lib.Row('t', ['a'], [1.5]))",
        "lib.for_names(size)",
        "lib.mapped([1, 'x'], same); lib.asked(some); lib.redrawn(['a', ['b']], same)",
    ),
    (
        "lib.list_names(-1)",
        "lib.odd_names(-1, True)",
        "lib.odd_names(2, True)",
        "lib.any(4)",
        "lib.any_out(-1)",
        "lib.json_broken()",
        "lib.json_each(raises)",
        "lib.joined(['a', 3])",
        "lib.joined(['a', 'b' + chr(0)])",
        "lib.sum_of(b'x' * 256)",
        "lib.scaled(-1, [1.5])",
        "lib.scaled(1, [1.5, 'x'])",
        "lib.lines({'a': ['x'], 'b': ['y', None]})",
        "lib.shown([1, 'text', [b'bytes', object()]])",
        "lib.shown([b'x' * 256])",
        "lib.shown([1 << 40])",
        "lib.all_drawn(['a', ['b', 3]])",
        "lib.value_of(3, True)",
        "lib.value_of('x')",
        "lib.same(lib.Row('t', ['a'], ['x']))",
        "lib.row_shown(lib.Row('t', ['a'], [1.5], [1, {}]))",
        "lib.for_names(raises)",
        "lib.mapped([1, 'x'], raises)",
        "lib.mapped([1, 'x'], lambda value: [value, {}])",
        "lib.asked(lambda count: ['a', 3])",
        "lib.redrawn(['a', ['b']], lambda value: 3)",
    ),
    lambda lib: {
        "nothing": nothing, "raises": raises, "same": lambda value: value, "some": lambda count: ["a"] * count,
        "size": lambda names, numbers: len(numbers),
    },
    lambda lib: lib.living(),
)  # fmt: skip

STATUSES = Shapes(
    CASES / "statuses" / "spec.wrapper_spec",
    (
        "lib.check(3); lib.write(0); lib.quiet(0); lib.number(True); lib.answer(0)",
        "reader.next(100); reader.line; reader['key']; lib.find(reader, 100); lib.find(reader, 101)",
        "lib.lines(100); lib.lines(101); lib.all([0, 1])",
        "reader.say(1); reader.get(1); lib.put(1)",
        "lib.open(2, 0)",
        "del reader[1]",
    ),
    (
        "lib.check(-7)",
        "lib.check(-1)",
        "lib.check(-2)",
        "lib.check(-17)",
        "lib.write(28)",
        "lib.quiet(28)",
        "reader.next(-1)",
        "lib.find(reader, -8)",
        "lib.answer(-1)",
        "lib.all([0, -1])",
        "lib.number(False)",
        "lib.weather(False)",
        "lib.storm(False)",
        "lib.plain(False)",
        "lib.in_the_prelude(reader, -1)",
        "lib.in_a_body(5)",
        "lib.put(-1)",
        "reader.say(-1)",
        "reader.say(-4)",
        "reader.get(-1)",
        "lib.reader(10).measure()",
        "lib.open(5, -1)",
        "lib.open(-1, -1)",
        "reader['!']",
        "reader['?']",
        "del reader[10]",
        "reader[3]",
    ),
    lambda lib: {"reader": lib.reader(2)},
    lambda lib: lib.texts_alive(),
)

C_CALLS = Shapes(
    HERE / "c_calls" / "c_calls.wrapper_spec",
    (
        "lib.open('x').close()",
        "reader.size(); reader.both(); reader.measured()",
        "reader.scan(3); reader.kind(); reader.maybe_name(); reader.point()",
        "reader.maybe_next(); reader.followed(); reader.sought(0)",
        "reader.sought(3); reader.sought(10); reader.seek(3)",
        "reader.print(); reader.print_bytes(); reader.dump(); reader.halves(); reader.repeat(3); lib.describe('a')",
        "reader.put_title('abcd'); reader.get_title()",
        "reader.get_ratio(); reader.option_text('four'); reader.option(4)",
        "reader.count(b'a-b', 45); reader.is_named('abcd')",
        "reader.swap(); reader.before(b'abc'); reader.pairs([1.5, 2.5])",
        "reader.read(10); reader.read_text(3); reader.noise(4); reader.pack(10); reader.read_back(4)",
        "lib.total([1.5, 2.5]); reader.found(3); reader.find(1)",
        "reader.find(0); reader.advance(1); reader.by_errno(0)",
    ),
    (
        "lib.open('!bad')",
        "reader.sought(-1)",
        "lib.open('').size()",
        "lib.open('?').name()",
        "reader.tiny_size(); lib.open('?').tiny_size(); lib.open('').tiny_size()",
        "reader.add(1 << 20, 1)",
        "reader.tiny(b'x' * 256)",
        "reader.option_text('fo' + chr(0))",
        "reader.pack(3)",
        "reader.noise(-1)",
        "reader.set_name('x' * 40)",
        "lib.open('bad').print(3)",
        "reader.by_errno(5)",
        "reader.find(-1)",
    ),
    lambda lib: {"reader": lib.open("abcd")},
    lambda lib: lib.alive(),
)

C_VALUES = Shapes(
    HERE / "c_values" / "values.wrapper_spec",
    (
        "lib.double(21, 2); lib.swap(1, 2); lib.flip()",
        "lib.advance(lib.Cursor(1, 4), 3.0); lib.take(1, 2); store.next(0)",
        "store.save(); store.save_text(); store.words(); store.dump(2); store.nothing()",
        "store.named(None); store.named('x'); store.sum(b'x'); store.sum(); lib.measure(None); lib.as_it_is('x')",
        "store.read(0); store.read_silently(0); store.print(0)",
        "long.read(1)",
        "long.print(1)",
    ),
    (
        "lib.double(1 << 20, 1)",
        "store.next(99)",
        "broken.save()",
        "broken.save_text()",
        "broken.read(0)",
        "lib.store('0').words()",
        "lib.store('1').nothing()",
        "lib.store('-').nothing()",
        "store.dump(-1)",
        "store.narrow()",
        "store.named('a' + chr(0))",
        "store.print(1 << 62)",
    ),
    lambda lib: {"store": lib.store("a word"), "broken": lib.store("!" + "x" * 1000), "long": lib.store("long" * 300)},
    lambda lib: lib.blocks(),
)

C_STRUCTS = Shapes(
    HERE / "c_structs" / "structs.wrapper_spec",
    (
        "lib.walker(lib.Place(1, 2)).meet([lib.walker(), lib.walker()])",
        "lib.walker().go(place); lib.walker().step(place)",
        "lib.middle(place, place); lib.copy(place)",
        "lib.maybe(None, 'x'); lib.by_reference(place); lib.grid(3).cell(place)",
        "lib.person(1); lib.maybe_person(0); lib.aged(lib.person(1)); lib.person_name_length(lib.Person('a', 'b'))",
        "lib.people([lib.Person('a'), lib.Person('b', 'nick')])",
        "lib.team_check(lib.team())",
        "lib.team_check(lib.Team(lib.Person('a'), lib.Person('b'), [1.5], ['x'], b'd', '', [place], []))",
        "lib.walkers_sum([lib.walker(), lib.walker()]); lib.words_count(['a', 'b']); lib.by_vector([lib.walker()])",
        "lib.letters(1); lib.maybe_letters(0); lib.letters_count('text'); lib.letters_equal('a', 'b', 'c')",
    ),
    (
        "lib.person(0)",
        "lib.person(2)",
        "lib.team(1)",
        "lib.team(2)",
        "lib.team(3).label",
        "lib.walker().go(lib.Place(-1))",
        "lib.sum(lib.Place(1 << 40))",
        "lib.team_check(lib.Team(lib.Person('a'), None, [1.5], ['x', 'y' + chr(0)]))",
        "lib.team_check(lib.Team(lib.Person('a'), None, [1.5], ['x'], b'x' * 300))",
        "lib.team_check(lib.Team(lib.Person('a'), None, [1.5], ['x'], None, '', [place, lib.Place(1 << 40)]))",
        "lib.people([lib.Person('a'), lib.Person('b', city='far too long')])",
        "lib.walkers_sum([lib.walker(), None])",
        "lib.words_count(['a', 3])",
    ),
    lambda lib: {"place": lib.Place(3, 4)},
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

CALLABLES = Shapes(
    HERE / "callables" / "callables.wrapper_spec",
    (
        # within lists, dicts, tuples and optionals
        "lib.chained([add, add], 3); lib.maybe_chained([add]); lib.maybe_chained()",
        "lib.chained_by_name({'none': [], 'some': [add, None]}, 'some', 4)",
        "lib.rendered((add, named)); lib.compared([max, min])",
        "lib.keep_steps([add, add]); lib.run_steps(1)",
        "lib.keep_steps_once([add]); lib.run_steps(1)",
        "lib.keep_steps_for_a_call([add])",
        "lib.keep_step_tuples([('a', [add], True), ('b', None, False)])",
        "emitter.on_all([nothing, nothing]); emitter.emit(1); emitter.clear()",
        "emitter.route({'a': nothing, 'b': None}); emitter.follow('a', 1)",
        # in structs
        "lib.watch(lib.Watcher(5, item, add), 2); lib.watch(lib.Watcher(5), 2)",
        "lib.keep_watcher_once(lib.WatcherOnce(add)); lib.run_watcher(1)",
        "later.watch(lib.WatcherOfObject(item, add)); later.run(2)",
        "lib.later().watch(lib.WatcherOfObject(item))",
        "lib.call_plain(lib.Plainly(add), 3); lib.plain_ones([lib.Plainly(add)] * 3)",
        "lib.go_both_ways(lib.BothWays(add, look))",
        "lib.ruled({'a': lib.Rule('a', add, accepts), 'b': lib.Rule('b', add)}, 'a', 3)",
        "lib.keep_rule(lib.Rule('a', add)); lib.apply_rule(3)",
        # with objects that are made
        "lib.weighed(weight); lib.weighed_copy(weight); lib.opened(add_to)",
        "lib.made_weight(parcel); lib.made_weights(parcels)",
        "lib.chosen(lib.node); lib.with_nodes_or_none(look)",
        "lib.visit_maybe(3); lib.visit_or(2, visits); lib.compare_twice(max, 1, 2)",
    ),
    (
        "lib.chained([add, 3], 3)",
        "lib.chained([add, raises], 3)",
        "lib.chained([add, lambda value: 'x'], 3)",
        "lib.chained_by_name({'some': [add, 'x']}, 'some', 4)",
        "lib.chained_by_name({'some': [add, raises]}, 'some', 4)",
        "lib.rendered((add, 3))",
        "lib.rendered((add, raises))",
        "lib.keep_steps([add, None])",
        "lib.keep_steps_for_a_call([add]); lib.run_steps(1)",
        "lib.keep_step_tuples([('a', [add], True), ('b', [add, 3], False)])",
        "emitter.route({'a': nothing, 'b': 3})",
        "lib.watch(lib.Watcher(5, raises, add), 2)",
        "lib.Watcher(5, 3)",
        "lib.plain_ones([lib.Plainly(add)] * 17)",
        "lib.go_both_ways(lib.BothWays(raises, look))",
        "lib.ruled({'a': lib.Rule('a', add, raises)}, 'a', 3)",
        "lib.ruled({'a': lib.Rule('a', add), 'b': 3}, 'a', 3)",
        "lib.weighed(raises)",
        "lib.made_weight(raises)",
        "lib.made_weights(lambda number: [lib.Parcel(1), 3])",
        "lib.opened(lambda parcel: parcel.add('x'))",
        "lib.visit_maybe(3, 3)",
    ),
    names_of_callables,
    lambda lib: lib.node_live(),
)

SHAPES = {
    "lifetimes": LIFETIMES, "same_objects": SAME_OBJECTS, "representations": REPRESENTATIONS, "statuses": STATUSES,
    "c_calls": C_CALLS, "c_values": C_VALUES, "c_structs": C_STRUCTS, "handle_fields": GRAPH, "callables": CALLABLES,
}  # fmt: skip
