"""Makes random programs with objects that are given away, shared, in cycles, and found again by their pointers.

python programs.py FIRST COUNT      exits with 1 and the calls of the first program that goes wrong
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from random import Random
from typing import Any

import claims_ffi as lib

STEPS = 60
REFUSED = (ValueError, RuntimeError, lib.ClosedHandleError)
"""What a call may raise that the library or the package refuses."""


class Last:
    """An object of a cycle, whose finalizer still uses what it has."""

    def __init__(self, owner: Any, kept: list[Any] | None) -> None:
        self.owner, self.kept, self.me = owner, kept, self

    def __del__(self) -> None:
        owner = self.owner
        try:
            if isinstance(owner, lib.Tree):
                assert owner.top().name == owner.top().tree.top().name == "top"
            elif isinstance(owner, lib.Kin):
                assert owner.child("a").owner.child("b").name == "b"
            elif isinstance(owner, lib.Rack):
                owner.last()
                owner.pinned()
        except lib.ClosedHandleError:
            return
        if self.kept is not None:
            self.kept.append(owner)


class Program:
    """One of them: what it has, and how many objects of the library it made that count their end."""

    def __init__(self, seed: int) -> None:
        self.random, self.made, self.said = Random(seed), 0, list[str]()
        self.has: list[Any] = []
        self.racks: dict[int, int] = {}
        """Of racks, and of plates that they returned, by identity: the number of the rack."""
        self.before = lib.ends()

    def any(self, kind: type) -> Any:
        found = [each for each in self.has if type(each) is kind]
        return self.random.choice(found) if found else None

    def counted(self, made: Any) -> Any:
        self.made += 1
        return made

    def put(self, rack: Any, plate: Any) -> None:
        if (
            self.racks.get(id(plate), -1) <= self.racks[id(rack)]
        ):  # racks whose ends need each other's plates have no order
            rack.put(plate)

    def last(self, rack: Any) -> Any:
        found = rack.last()
        if found is not None:
            self.racks[id(found)] = self.racks[id(rack)]
        return found

    def rack(self) -> Any:
        made = lib.Rack()
        self.racks[id(made)] = len(self.said)
        return made

    def finalized(self, owner: Any) -> None:
        self.has.remove(owner)
        Last(owner, self.has if self.random.random() < 0.3 else None)

    def hidden(self, several: list[Any]) -> None:
        """Lets go of some, in a cycle of Python's."""
        several.append(several)

    def step(self) -> None:
        lists: list[tuple[str, tuple[type, ...], Callable[..., Any]]] = [
            ("plate", (), lambda: self.counted(lib.Plate(1))),
            ("badge", (), lambda: self.counted(lib.Badge(1))),
            ("rack", (), self.rack),
            ("mould", (), lambda: self.counted(lib.Mould())),
            ("press", (), lib.Press),
            ("tree", (), lib.Tree),
            ("kin", (), lambda: lib.Kin("first")),
            ("hook", (), lambda: self.counted(lib.Hook())),
            ("line", (lib.Hook,), lambda hook: self.counted_if(lib.Line, hook)),
            ("put", (lib.Rack, lib.Plate), self.put),
            ("last", (lib.Rack,), self.last),
            ("pin", (lib.Rack, lib.Badge), lambda rack, badge: rack.pin(badge)),
            ("pinned", (lib.Rack,), lambda rack: rack.pinned()),
            ("unpin", (lib.Rack, lib.Badge), lambda rack, badge: rack.unpin(badge)),
            ("scrap", (lib.Plate,), lib.scrap),
            ("try_to_scrap", (lib.Plate,), lambda plate: lib.try_to_scrap(plate, self.random.random() < 0.5)),
            ("shred", (lib.Badge,), lib.shred),
            ("try_to_shred", (lib.Badge,), lambda badge: lib.try_to_shred(badge, self.random.random() < 0.5)),
            ("id of a plate", (lib.Plate,), lambda plate: self.check(plate.id)),
            ("id of a badge", (lib.Badge,), lambda badge: self.check(badge.id)),
            ("load", (lib.Press, lib.Mould), lambda press, mould: press.load(mould)),
            ("mould again", (lib.Press,), lambda press: press.mould()),
            ("melt", (lib.Mould,), lib.melt),
            ("top", (lib.Tree,), lambda tree: tree.top()),
            ("prune", (lib.Tree,), lambda tree: tree.prune()),
            ("trade", (lib.Tree, lib.Tree), lambda tree, other: tree.trade(other)),
            ("exchange", (lib.Tree, lib.Tree), lib.exchange),
            ("shake", (lib.Tree, lib.Tree), lambda a, b: a.shake_both(b, self.random.random() < 0.5)),
            ("graft", (lib.Branch, lib.Branch), lambda branch, other: branch.graft(other)),
            ("leaf", (lib.Branch,), lambda branch: branch.leaf()),
            ("child", (lib.Kin,), lambda kin: kin.child("child")),
            ("fell", (lib.Kin,), lib.fell),
            ("hang", (lib.Hook, lib.Line), lambda hook, line: hook.hang(line)),
            ("beside", (lib.Hook, lib.Hook), lambda hook, other: hook.beside(other)),
            ("finalize a tree", (lib.Tree,), self.finalized),
            ("finalize a kin", (lib.Kin,), self.finalized),
            ("finalize a rack", (lib.Rack,), self.finalized),
        ]
        choice = self.random.randrange(len(lists) + 6)
        if choice >= len(lists):
            self.end(choice - len(lists))
            return
        name, kinds, call = lists[choice]
        given = [self.any(kind) for kind in kinds]
        if None in given:
            return
        self.said.append(f"{name}({', '.join(f'{id(each):x}' for each in given)})")
        try:
            made = call(*given)
        except REFUSED as error:
            self.said[-1] += f" raised {error!r}"
            return
        if made is not None and not any(made is each for each in self.has):
            self.said[-1] += f" -> {id(made):x}"
            self.has.append(made)

    def counted_if(self, make: Callable[..., Any], *given: Any) -> Any:
        made = make(*given)  # which may be refused
        return self.counted(made)

    def check(self, value: int) -> None:
        assert value == 1

    def end(self, how: int) -> None:
        if not self.has:
            return
        chosen = self.random.randrange(len(self.has))
        self.said.append(f"{('close', 'close', 'drop', 'drop', 'hide', 'collect')[how]} {id(self.has[chosen]):x}")
        if how < 2:
            self.has[chosen].close()
        elif how < 4:
            del self.has[chosen]
        elif how == 4:
            self.hidden([self.has.pop(chosen)])
        else:
            gc.collect()

    def run(self) -> None:
        for _ in range(STEPS):
            self.step()
            assert lib.wrongs() == 0, "wrong: something is used, or released, after its end"
        self.random.shuffle(self.has)
        while self.has:
            each = self.has.pop()
            if self.random.random() < 0.5:
                each.close()
            del each
        for _ in range(4):  # what a finalizer lets go of is found by the next one
            gc.collect()
            self.has.clear()
        assert lib.wrongs() == 0, "wrong: something is used, or released, after its end"
        ended = lib.ends() - self.before
        assert ended == self.made, f"wrong: {self.made} objects were made, and {ended} ended"


def main() -> None:
    first, count = map(int, sys.argv[1:])
    for seed in range(first, first + count):
        program = Program(seed)
        try:
            program.run()
        except BaseException:
            print(f"program {seed}:", *program.said, sep="\n  ", file=sys.stderr)
            raise


if __name__ == "__main__":
    main()
