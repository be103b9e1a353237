"""Makes random calls of the classes of a garden, beside a model of what has to come of them.

python garden_machine.py RUNS [quick]      exits with 1 and the calls that went wrong: the shortest ones, unless quick
"""

from __future__ import annotations

import gc
import sys
import weakref
from dataclasses import dataclass
from typing import Any

import garden_ffi as garden
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule
from known import CHOICE, WHERE, Calls, Known, main

HEIGHT = st.integers(0, 9)
DOES = st.sampled_from(["", "stop", "raise", "close", "clear"])


@dataclass(eq=False)
class Growth:
    """A plant of C++, of which there may be many handles."""

    height: int
    rings: int | None = None


def bed_of(size: int) -> dict[str, Any]:
    return {
        "plants": [Growth(height) for height in range(size)],
        "walker": None,
        "size": size,
        "beside": [],
        "taken": None,
    }


COLLECTIONS = 1 if sys.implementation.name == "cpython" else 4
"""What a finalizer lets go of, a walker of a bed, is found by the next one."""


class Stops(Exception):
    """What a walker raises."""


class Own(garden.Bed):
    """A class of Python, whose objects are made by its own constructor, or not at all."""

    def __init__(self, size: int, name: str) -> None:
        if name:
            super().__init__(size)
        self.name = name


class Walker(garden.Walker):
    """Counts what it sees, and does at the third plant, or where there are fewer at the last, what it is made for."""

    def __init__(self, does: str, bed: Known) -> None:
        super().__init__()
        self.does, self.of, self.seen = does, weakref.ref(bed), 0  # a bed that keeps it is no cycle
        self.left: list[Any] = []

    def visit(self, seen: garden.Plant) -> bool:
        self.seen += 1
        bed = self.of()
        assert bed is not None
        assert (seen.rings == 7) if isinstance(seen, garden.Tree) else not hasattr(seen, "rings")
        self.left.append(seen)
        if bed.value["taken"] is not None:
            bed.value["taken"] += [*(bed.handle[i] for i in range(len(bed.handle))), iter(bed.handle)]
        if self.seen < min(3, bed.value["size"]):
            return True
        if self.does == "raise":
            raise Stops
        if self.does == "close":
            bed.handle.close()
        if self.does == "clear":
            try:
                bed.handle.clear()
            except ValueError:
                return True
            raise AssertionError("wrong: plants are cleared while someone looks at them")
        return self.does != "stop"


class Heavy(Walker):
    """Overrides what has an implementation in C++."""

    def weight(self, height: int) -> int:
        return 100 + super().weight(height)


class Machine(Calls):
    """All beds and plants, the walkers that beds keep, and who goes over them."""

    closed = garden.ClosedHandleError

    def planted(self, bed: Known, handle: Any, plant: Growth) -> None:
        assert type(handle) is (garden.Plant if plant.rings is None else garden.Tree), "wrong: the class of a plant"
        assert handle.bed is bed.handle, "wrong: another owner"
        self.add(Known("plant", handle, plant, bed))

    def changed(self, bed: Known) -> None:
        """Who goes over a bed sees that it has changed."""
        for each in bed.lends:
            if each.kind == "iterator":
                each.is_open = False

    # --- constructors ---

    @rule(size=st.integers(-2, 4), there=WHERE)
    def bed(self, size: int, there: bool) -> None:
        try:
            made, handle = self.call(there, lambda: garden.Bed(size))
        except AssertionError:
            assert size < 0, "wrong: no bed of that size"
            return
        assert made and size >= 0, "wrong: a bed of that size"
        self.add(Known("bed", handle, bed_of(size)))

    @rule(size=st.integers(0, 3), named=st.booleans())
    def own(self, size: int, named: bool) -> None:
        handle = Own(size, "own" if named else "")
        self.add(Known("bed", handle, bed_of(size), is_open=named))

    # --- plants, of two classes ---

    @rule(choice=CHOICE, there=WHERE, height=HEIGHT, is_tree=st.booleans())
    def grow(self, choice: int, there: bool, height: int, is_tree: bool) -> None:
        if bed := self.pick("bed", choice):
            work = (lambda: bed.handle.tree(height, 7)) if is_tree else (lambda: bed.handle.plant(height))
            made, handle = self.call(there, work, bed)
            if made:
                self.changed(bed)
                bed.value["plants"].append(Growth(height, 7 if is_tree else None))
                self.planted(bed, handle, bed.value["plants"][-1])

    @rule(choice=CHOICE, there=WHERE, index=st.integers(-5, 5))
    def at(self, choice: int, there: bool, index: int) -> None:
        if bed := self.pick("bed", choice):
            plants = bed.value["plants"]
            try:
                made, handle = self.call(there, lambda: bed.handle[index], bed)
            except IndexError:
                assert not -len(plants) <= index < len(plants), "wrong: no plant there"
                return
            if made:
                self.planted(bed, handle, plants[index])

    @rule(choice=CHOICE, other=CHOICE, there=WHERE)
    def cut(self, choice: int, other: int, there: bool) -> None:
        bed, plant = self.pick("bed", choice), self.pick("plant", other)
        if bed and plant:
            try:
                made, _ = self.call(there, lambda: bed.handle.cut(plant.handle), bed, plant)
            except AssertionError as error:
                if "not a plant of this bed" in str(error):
                    assert plant.of is not bed, "wrong: a plant of this bed"
                    self.changed(bed)
                    return
                raise
            if made:
                bed.value["plants"].remove(plant.value)
                self.changed(bed)
                for each in bed.lends:
                    if each.value is plant.value:
                        self.end(each)

    @rule(choice=CHOICE, other=CHOICE, there=WHERE, is_late=st.booleans())
    def fell(self, choice: int, other: int, there: bool, is_late: bool) -> None:
        """Cuts a plant, which the walker of the bed sees before: what that takes meanwhile ends with the call."""
        bed, plant = self.pick("bed", choice), self.pick("plant", other)
        if not bed or not plant:
            return
        bed.value["size"], bed.value["taken"] = len(bed.value["plants"]), []
        made, is_cut = True, True
        try:
            made, _ = self.call(there, lambda: bed.handle.fell(plant.handle, is_late), bed, plant)
        except Stops:
            assert bed.value["walker"] == "raise", "wrong: nobody raised"
            is_cut = False
        except AssertionError as error:
            is_cut = "it is too late" in str(error) and is_late
            if not is_cut and "not a plant of this bed" not in str(error):
                raise
            assert is_cut == (plant.of is bed), "wrong: a plant of another bed"
        taken, bed.value["taken"] = bed.value["taken"], None
        if not made:
            assert not taken, "wrong: a call that is refused was made"
            return
        self.changed(bed)
        for each in bed.lends:
            if each.value is plant.value:
                self.end(each)
        if is_cut:
            bed.value["plants"].remove(plant.value)
        for each in taken:
            if isinstance(each, garden.Plant):
                assert each.closed, "wrong: a plant outlives the call that ends such handles"
                continue
            try:
                next(each)
            except garden.ClosedHandleError:
                continue
            raise AssertionError("wrong: an iterator outlives the call that ends it")

    @rule(choice=CHOICE, there=WHERE)
    def clear(self, choice: int, there: bool) -> None:
        if bed := self.pick("bed", choice):
            made, _ = self.call(there, bed.handle.clear, bed)
            if made:
                bed.value["plants"].clear()
                for each in bed.lends:
                    self.end(each)

    @rule(choice=CHOICE, several=st.integers(0, 4), there=WHERE)
    def tallest(self, choice: int, several: int, there: bool) -> None:
        chosen = [each for i in range(several) if (each := self.pick("plant", choice + i))]
        made, height = self.call(there, lambda: garden.tallest([each.handle for each in chosen]), *chosen)
        if made:
            assert height == max((each.value.height for each in chosen), default=-1), "wrong: the tallest"

    # --- beds that hold others ---

    @rule(choice=CHOICE, other=CHOICE, there=WHERE)
    def beside(self, choice: int, other: int, there: bool) -> None:
        bed, held = self.pick("bed", choice), self.pick("bed", other)
        if bed and held and self.all.index(held) < self.all.index(bed):  # no cycle: the cffi engine never ends one
            made, _ = self.call(there, lambda: bed.handle.beside(held.handle), bed, held)
            if made:
                bed.value["beside"].append(held.value["plants"])

    # --- iteration ---

    @rule(choice=CHOICE, there=WHERE)
    def go_over(self, choice: int, there: bool) -> None:
        if bed := self.pick("bed", choice):
            made, handle = self.call(there, lambda: iter(bed.handle), bed)
            if made:
                self.add(Known("iterator", handle, 0, bed))

    @rule(choice=CHOICE, there=WHERE, steps=st.integers(1, 3))
    def step(self, choice: int, there: bool, steps: int) -> None:
        if over := self.pick("iterator", choice):
            bed = over.of
            assert bed is not None
            if over.value is None:  # one that has ended has ended for good
                assert next(over.handle, None) is None, "wrong: there are more plants"
                return
            for _ in range(steps):
                made, handle = self.call(there, lambda: next(over.handle, None), over)
                if not made:
                    return
                plants = bed.value["plants"]
                assert (handle is None) == (over.value >= len(plants)), "wrong: the number of plants"
                if handle is None:
                    over.value = None
                    return
                self.planted(bed, handle, plants[over.value])
                over.value += 1

    # --- functions that Python overrides ---

    @rule(
        choice=CHOICE, there=WHERE, does=st.sampled_from(["", "stop", "raise", "close", "clear"]), heavy=st.booleans()
    )
    def walk(self, choice: int, there: bool, does: str, heavy: bool) -> None:
        if bed := self.pick("bed", choice):
            bed.value["size"] = len(bed.value["plants"])
            walker = (Heavy if heavy else Walker)(does, bed)
            self.walked(bed, walker, there, lambda: bed.handle.walk(walker))

    @rule(choice=CHOICE, does=st.sampled_from(["", "stop", "raise", "clear", "none"]), there=WHERE)
    def keep(self, choice: int, does: str, there: bool) -> None:
        if bed := self.pick("bed", choice):
            walker = None if does == "none" else Heavy(does, bed)
            made, _ = self.call(there, lambda: bed.handle.keep(walker), bed)
            if made:
                bed.value["walker"] = None if does == "none" else does

    @rule(choice=CHOICE, there=WHERE)
    def walk_kept(self, choice: int, there: bool) -> None:
        if bed := self.pick("bed", choice):
            does = bed.value["walker"]
            bed.value["size"] = len(bed.value["plants"])
            if does is None:
                made, weight = self.call(there, bed.handle.walk_kept, bed)
                assert not made or weight == -1, "wrong: nobody is kept"
            else:
                self.walked(bed, None, there, bed.handle.walk_kept)

    def walked(self, bed: Known, walker: Walker | None, there: bool, work: Any) -> None:
        plants = bed.value["plants"]
        does = bed.value["walker"] if walker is None else walker.does
        try:
            made, weight = self.call(there, work, bed)
        except Stops:
            assert bed.is_open and does == "raise" and plants, "wrong: nobody raised"
            return
        if not made:
            return
        assert does != "raise" or not plants, "wrong: an exception is lost"
        if walker is None:
            return
        stops = min(3, len(plants)) - 1 if does == "stop" else len(plants)
        each_weight = 100 if isinstance(walker, Heavy) else 0
        assert weight == sum(each.height + each_weight for each in plants[:stops]), "wrong: the weight of plants"
        assert all(seen.closed for seen in walker.left) or does == "close", "wrong: a plant outlives its call"
        if does == "close" and plants:
            self.end(bed)

    # --- the end of a handle ---

    @rule(choice=CHOICE, there=WHERE)
    def close(self, choice: int, there: bool) -> None:
        known = self.pick("", choice)
        if known and known.kind != "iterator":
            self.call(there, known.handle.close)
            self.end(known)

    @rule(choice=CHOICE)
    def forget(self, choice: int) -> None:
        if known := self.pick("", choice):
            self.all.remove(known)
            known.handle = None if known.kind != "bed" else known.handle

    # --- what is true at any time ---

    @invariant()
    def nothing_is_wrong(self) -> None:
        for each in self.all:
            if each.kind == "iterator":
                continue
            assert each.handle.closed != each.is_open, f"wrong: is this {each.kind} open?"
            if each.is_open and each.kind == "plant":
                height, rings = each.value.height, each.value.rings
                assert each.handle.height == garden.height_of(each.handle) == height, "wrong: the height of a plant"
                assert rings is None or each.handle.rings == rings, "wrong: the rings of a tree"
            elif each.is_open:
                assert len(each.handle) == len(each.value["plants"]), "wrong: how many plants"
                around = sum(len(plants) for plants in each.value["beside"])
                assert each.handle.around() == around, "wrong: what a bed holds"
        assert garden.wrong() == 0, "wrong: an object was used after its end"

    def teardown(self) -> None:
        self.all.clear()
        for _ in range(COLLECTIONS):
            gc.collect()
        live, wrong = tuple(garden.live()), garden.wrong()
        garden.sweep()
        assert (live, wrong) == ((0, 0), 0), f"wrong: {live} beds and walkers are left, {wrong} uses after the end"


if __name__ == "__main__":
    main(Machine)
