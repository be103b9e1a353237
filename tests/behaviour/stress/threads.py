"""Eight threads call, close, drop and take the same handles and iterators, pass and call callables, and convert
containers that others change. They tie handles in cycles that others close, and threads of the library ask objects of
Python meanwhile.

A call works, or says that a handle is closed or in use.

python threads.py ROUNDS        prints what came of it, and exits with 1 when anything else happened
"""

from __future__ import annotations

import gc
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable

import stress_ffi as stress

THREADS = 8
SLOTS = 6
"""Fewer than threads, so that they meet."""

boxes = [stress.box(i) for i in range(SLOTS)]
views = [box.view() for box in boxes]
soles = [stress.sole(i) for i in range(SLOTS)]

meters = [stress.meter() for _ in range(SLOTS)]
readings = [meter.reading() for meter in meters]
shelves = [stress.shelf() for _ in range(SLOTS)]
slots = [shelf.slot(0) for shelf in shelves]
hubs = [stress.hub() for _ in range(SLOTS)]
lines = [stress.row() for _ in range(SLOTS)]
walks = [line.numbers() for line in lines]
bells = [stress.bell() for _ in range(SLOTS)]
knots = [stress.knot(i) for i in range(SLOTS)]
panels = [stress.panel() for _ in range(SLOTS)]
floats = [float(i) for i in range(200)]
texts = ["\u00e9", "plain"] * 50
rows = [[i] * 20 for i in range(50)]
named = {str(i): [1.0, 2.0] for i in range(50)}
pairs = [stress.Pair(i, str(i)) for i in range(50)]
numbers = set(range(50))


def renew(i: int) -> None:
    """Drops what was there: on this thread, while others may be using it."""
    boxes[i] = stress.box(i)


def renew_view(i: int) -> None:
    views[i] = boxes[i].view().again()


def renew_sole(i: int) -> None:
    soles[i] = stress.sole(i)


def leave_block(i: int) -> None:
    with boxes[i] as box, box.view() as view:
        view.read()
        box.read_slowly()


def outlive(i: int) -> None:
    """The box is closed before the view of it."""
    view = stress.view_of(boxes[i])
    boxes[i].close()
    view.read_slowly()


def nobody_else(i: int) -> None:
    stress.box(i).view().read_slowly()


def renew_meter(i: int) -> None:
    meters[i] = stress.meter()
    readings[i] = meters[i].reading().again()


def renew_shelf(i: int) -> None:
    shelves[i] = stress.shelf()
    slots[i] = shelves[i].slot(1)


def borrow(i: int) -> None:
    """Slots end with their last reference, here or on another thread, while others empty the shelf."""
    found = [shelves[i].slot(n) for n in range(3)]
    slots[i] = found[1]
    found[0].again().read()


def renew_hub(i: int) -> None:
    hubs[i] = stress.hub()
    hubs[i].add(boxes[i])


def renew_line(i: int) -> None:
    lines[i] = stress.row()
    walks[i] = lines[i].numbers()


def walk(i: int) -> None:
    for number in walks[i]:
        assert 0 <= number < SLOTS


def sets_bell(i: int) -> None:
    box = boxes[i]
    bells[i].set(lambda value: value + (0 if box.closed else 1))


def rings(ring: Callable[[int], int], i: int) -> None:
    assert i <= ring(i) <= i + 1


def renew_knot(i: int) -> None:
    """What others hold stays in use until these are closed, too."""
    knots[i].close()
    knots[i] = stress.knot(i)


def tie(i: int) -> None:
    """A cycle, each of which other threads may close first, and last."""
    one, other = stress.knot(i), stress.knot(i - 1)
    end = other.next()
    one.hold(other)
    other.hold(one)
    one.hold(end)
    knots[i], knots[i - 1] = one, end
    end.read()
    other.close()


def end_of_tie(i: int) -> None:
    one, end = knots[i], knots[i - 1]
    one.replace(end)
    end.let_go(one)
    one.close()
    end.close()


class Doubling(stress.Probe):  # type: ignore[misc]  # a class of a module that is only known when it is imported
    def of(self, value: int) -> int:
        return 2 * value + 0 * boxes[0].closed


def set_probe(i: int) -> None:
    panels[i].set(Doubling())


def asks(ask: Callable[[int], int], i: int) -> None:
    assert ask(i) in (2 * i, 4 * i)


def asks_elsewhere(i: int) -> None:
    assert panels[i].ask_elsewhere(i) in (4 * i, 6 * i, 8 * i)


def ask_all(i: int) -> None:
    assert stress.ask_all([Doubling(), Doubling()], i) == 4 * i


def renew_panel(i: int) -> None:
    panels[i] = stress.panel()


def kinds() -> None:
    """Which form a list is meant for, while others change it."""
    assert stress.kind(texts) == 1
    assert stress.kind(pairs) in (1, 2)  # it may have been empty
    assert stress.kind(named) == 3


def change(i: int) -> None:
    """What other threads are converting."""
    floats.extend([1.5] * 50)
    del floats[100:]
    floats[5:9] = [2.5, 3, True, 4.5]
    texts[:] = [f"\u00e9{i}"] * 60
    texts.clear()
    texts.extend(["plain", "\u00fc"] * 20)
    rows[i % len(rows)] = [i] * 30
    rows[0].append(i)
    del rows[0][5:]
    row = named[str(i)] = [float(i)] * 5
    row.clear()
    named.pop(str(i + 1), None)
    pairs[i:] = [stress.Pair(i, "x")] * 40
    numbers.add(i)
    numbers.discard(i + 1)


def sorts(i: int) -> None:
    assert stress.access(stress.Access.READ | stress.Access.WRITE) == 3
    assert stress.access(stress.Access.RUN) is stress.Access.RUN
    assert stress.either(i) == i and stress.either("x") == "x" and stress.either({i}) == {i}


def keywords(i: int) -> None:
    assert stress.scaled(i) == 3 * i
    assert stress.scaled(i, plus=1) == 3 * i + 1
    assert stress.scaled(value=i, by=2) == 2 * i
    assert stress.scaled(plus=5, value=i) == 3 * i + 5


def fails(i: int) -> None:
    try:
        stress.need(-1)
    except stress.StressError as error:
        assert str(error) == "too small"


def sets(i: int) -> None:
    try:
        stress.either(numbers)
    except RuntimeError as error:  # Python's own words: without a GIL, a set changes while it is iterated over
        assert "changed size during iteration" in str(error)


HAS_GIL = sys.version_info < (3, 13) or sys._is_gil_enabled()
IS_LOCKED = sys.implementation.name == "cpython" and (HAS_GIL or stress.ENGINE == "cpython")
"""Whether calls on one handle wait for each other."""
LOCKED: tuple[Callable[[int], object], ...] = (
    lambda i: meters[i].measure(),
    lambda i: readings[i].measure(),
    lambda i: stress.measure_both(meters[i], meters[i - 1]),
    lambda i: stress.measure_both(b=meters[i], a=meters[i - 1]),
    lambda i: stress.measure_all(list({id(m): m for m in meters[i:]}.values())),
    lambda i: stress.measure_named({str(id(m)): m for m in meters[i:]}),
    lambda i: stress.end(readings[i].again()),
    lambda i: meters[i].reading().measure(),
    lambda i: readings[i].close(),
    lambda i: meters[i].close(),
    renew_meter,
    renew_meter,
    lambda i: slots[i].read(),
    lambda i: slots[i].close(),
    lambda i: shelves[i].empty(),
    lambda i: shelves[i].close(),
    borrow,
    borrow,
    renew_shelf,
    lambda i: hubs[i].sum(),
    lambda i: hubs[i].add(boxes[i]),
    lambda i: hubs[i].add(boxes[i - 1]),
    lambda i: hubs[i].remove(boxes[i]),
    lambda i: hubs[i].clear(),
    lambda i: hubs[i].close(),
    renew_hub,
    walk,
    walk,
    lambda i: next(walks[i], None),
    lambda i: list(lines[i].copied()),
    lambda i: lines[i].put(i),
    lambda i: lines[i].close(),
    renew_line,
)

ACTIONS: tuple[Callable[[int], object], ...] = (
    lambda i: boxes[i].number,
    lambda i: boxes[i].read(),
    lambda i: boxes[i].read_slowly(),
    lambda i: boxes[i].plus(boxes[i - 1]),
    lambda i: stress.sum_of_two(boxes[i], boxes[i - 1]),
    lambda i: stress.maybe(boxes[i]),
    lambda i: stress.total([boxes[i], boxes[i - 1]]),
    lambda i: views[i].read(),
    lambda i: views[i].read_slowly(),
    lambda i: soles[i].read_slowly(),
    lambda i: stress.take(soles[i]),
    lambda i: stress.take_slowly(soles[i]),
    lambda i: boxes[i].close(),
    lambda i: views[i].close(),
    lambda i: soles[i].close(),
    lambda i: [renew(i), renew_view(i)],
    lambda i: [renew_sole(i), soles[i].read_slowly()],
    lambda i: [renew(i), stress.total([boxes[i], boxes[i]])],
    renew,
    renew_view,
    renew_sole,
    leave_block,
    outlive,
    nobody_else,
    change,
    lambda i: stress.floats(floats),
    lambda i: stress.texts(texts),
    lambda i: stress.rows(rows),
    lambda i: stress.named(named),
    lambda i: stress.pairs(pairs),
    sets,
    sorts,
    keywords,
    fails,
    sets_bell,
    lambda i: rings(bells[i].ring, i),
    lambda i: rings(bells[i].ring_slowly, i),
    lambda i: rings(bells[i].ring_elsewhere, i),
    lambda i: kinds(),
    renew_knot,
    tie,
    tie,
    end_of_tie,
    lambda i: knots[i].hold(knots[i - 1]),
    lambda i: knots[i].replace(knots[i - 2]),
    lambda i: knots[i].let_go(knots[i - 1]),
    lambda i: knots[i].let_go_of_all(),
    lambda i: knots[i].next().read(),
    lambda i: knots[i].read_slowly(),
    lambda i: knots[i].close(),
    set_probe,
    lambda i: asks(panels[i].ask, i),
    asks_elsewhere,
    ask_all,
    lambda i: panels[i].close(),
    renew_panel,
    *(LOCKED if IS_LOCKED else ()),
)

outcomes: Counter[str] = Counter()
surprises: Counter[str] = Counter()


def work(seed: int, rounds: int, start: threading.Barrier) -> None:
    choose = random.Random(seed)
    found: Counter[str] = Counter()
    start.wait()
    for _ in range(rounds):
        try:
            choose.choice(ACTIONS)(choose.randrange(SLOTS))
            found["done"] += 1
        except stress.ClosedHandleError:
            found["closed"] += 1
        except ValueError as error:
            found["in use"] += 1
            if "in use" not in str(error):
                surprises[repr(error)] += 1
        except BaseException as error:
            surprises[repr(error)] += 1
    outcomes.update(found)


def main(rounds: int) -> int:
    sys.setswitchinterval(1e-5)
    start = threading.Barrier(THREADS)
    threads = [threading.Thread(target=work, args=(seed, rounds, start)) for seed in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for made in (boxes, views, soles, meters, readings, shelves, slots, hubs, lines, walks, bells, knots, panels):
        made.clear()
    for _ in range(3):  # what a finalizer lets go of is found by the next one
        gc.collect()
    print(f"{stress.ENGINE}: live {stress.live()}, wrong {stress.wrong()}, surprises {dict(surprises)}")
    print(*(f"{what}: {count}" for what, count in sorted(outcomes.items())), sep=", ")
    return int(bool(stress.live() or stress.wrong() or surprises) or len(outcomes) < 3)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
