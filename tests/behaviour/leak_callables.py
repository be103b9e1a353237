"""What callables are passed in, for test_leaks_of_shapes.py."""

from __future__ import annotations

from typing import Any

from tests.behaviour.leak_shapes import Shapes, nothing, raises
from tests.behaviour.packages import HERE


def names_of_callables(lib: Any) -> dict[str, Any]:
    return {
        "raises": raises, "nothing": nothing, "add": lambda value: value + 1, "named": lambda text, pixel: text,
        "item": lambda name, index: None, "visits": lambda name, index: False, "accepts": lambda node: node.value > 2,
        "later": lib.later(),
        "emitter": lib.emitter(), "weight": lambda parcel: parcel.weight, "parcel": lambda number: lib.Parcel(number),
        "parcels": lambda number: [lib.Parcel(1), lib.Parcel(number)], "look": lambda node: node.value if node else 0,
        "add_to": lambda parcel: parcel.add(1),
    }  # fmt: skip


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
