"""Eight threads call, close, drop and take the same handles; a call works, or says that one is closed or in use.

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
    for made in (boxes, views, soles):
        made.clear()
    gc.collect()
    print(f"{stress.ENGINE}: live {stress.live()}, wrong {stress.wrong()}, surprises {dict(surprises)}")
    print(*(f"{what}: {count}" for what, count in sorted(outcomes.items())), sep=", ")
    return int(bool(stress.live() or stress.wrong() or surprises) or len(outcomes) < 3)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
