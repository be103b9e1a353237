"""Makes random calls of the library of lifetimes, beside a model of what has to come of them.

python machine.py RUNS [quick]      exits with 1 and the calls that went wrong: the shortest ones, unless it is quick
"""

from __future__ import annotations

import gc

import lifetimes_ffi as forest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule
from known import CHOICE, WHERE, Calls, Known, main

VOLTS = st.integers(1, 9)


class Stops(Exception):
    """What a callable raises."""


class Machine(Calls):
    """All objects that there are, and what the hubs and the library hold."""

    closed = forest.ClosedHandleError

    def __init__(self) -> None:
        super().__init__()
        self.kept: int | None = None
        self.heard: list[str] | None = None
        self.hears_badly = False

    # --- documents, nodes, cursors, rows ---

    @rule(there=WHERE)
    def open(self, there: bool) -> None:
        _, handle = self.call(there, lambda: forest.open("d"))
        self.add(Known("document", handle, "d"))

    @rule(choice=CHOICE, there=WHERE)
    def root(self, choice: int, there: bool) -> None:
        if document := self.pick("document", choice):
            made, handle = self.call(there, document.handle.root, document)
            if made:
                assert handle.document is document.handle, "wrong: another owner"
                self.add(Known("node", handle, "d", document))

    @rule(choice=CHOICE, there=WHERE, name=st.sampled_from("xyz"))
    def grow(self, choice: int, there: bool, name: str) -> None:
        if node := self.pick("node", choice):
            made, handle = self.call(there, lambda: node.handle.add(name), node)
            if made:
                assert node.of is not None
                assert node.of.handle in (None, handle.document), "wrong: another owner"
                self.add(Known("node", handle, name, node.of))

    @rule(choice=CHOICE, there=WHERE)
    def cursor(self, choice: int, there: bool) -> None:
        if document := self.pick("document", choice):
            made, handle = self.call(there, document.handle.cursor, document)
            if made:
                self.add(Known("cursor", handle, 0, document))

    @rule(choice=CHOICE, there=WHERE)
    def row(self, choice: int, there: bool) -> None:
        if cursor := self.pick("cursor", choice):
            made, handle = self.call(there, cursor.handle.row, cursor)
            if made:
                self.add(Known("row", handle, cursor.value, cursor))

    @rule(choice=CHOICE, there=WHERE)
    def note(self, choice: int, there: bool) -> None:
        if row := self.pick("row", choice):
            made, handle = self.call(there, row.handle.note, row)
            if made:
                self.add(Known("note", handle, row.value))

    @rule(choice=CHOICE, there=WHERE)
    def step(self, choice: int, there: bool) -> None:
        if cursor := self.pick("cursor", choice):
            made, steps = self.call(there, cursor.handle.step, cursor)
            if made:
                cursor.value += 1
                assert steps == cursor.value, "wrong: steps"
                for each in cursor.lends:
                    self.end(each)

    @rule(choice=CHOICE, there=WHERE)
    def clear(self, choice: int, there: bool) -> None:
        if document := self.pick("document", choice):
            made, _ = self.call(there, document.handle.clear, document)
            if made:
                for each in document.lends:
                    self.end(each)

    # --- callables ---

    @rule(choice=CHOICE, there=WHERE, does=st.sampled_from(["", "stop", "raise", "close", "clear"]))
    def each(self, choice: int, there: bool, does: str) -> None:
        if not (node := self.pick("node", choice)):
            return
        document, seen = node.of, []
        assert document is not None

        def visit(visited: forest.Node) -> bool:
            seen.append((visited.name, visited))
            if does == "raise":
                raise Stops
            if does == "close" and document.handle is not None:
                document.handle.close()
            if does == "clear":
                try:
                    visited.document.clear()
                except ValueError:
                    return True
                raise AssertionError("wrong: nodes are ended while someone looks at them")
            return does != "stop"

        try:
            made, _ = self.call(there, lambda: node.handle.each(visit), node)
        except Stops:
            assert does == "raise", "wrong: nobody raised"
            made = False
        else:
            assert not made or does != "raise", "wrong: an exception is lost"
        assert not seen or seen[0][0] == node.value, "wrong: the node that is visited first"
        assert all(visited.closed for _, visited in seen), "wrong: a node outlives its call"
        if made and does == "close" and document.handle is not None:
            document.is_open = False  # its nodes stay: they have it

    @rule(there=WHERE, how=st.sampled_from(["hear", "raise", "not"]))
    def listen(self, there: bool, how: str) -> None:
        heard: list[str] = []

        def hear(node: forest.Node) -> None:
            heard.append(node.name)
            if how == "raise":
                raise Stops

        self.call(there, lambda: forest.listen(None if how == "not" else hear))
        self.heard, self.hears_badly = None if how == "not" else heard, how == "raise"

    @rule(choice=CHOICE, there=WHERE)
    def tell(self, choice: int, there: bool) -> None:
        if node := self.pick("node", choice):
            before = list(self.heard or ())
            try:
                made, _ = self.call(there, lambda: forest.tell(node.handle), node)
            except Stops:
                assert self.hears_badly, "wrong: nobody raised"
                made = True
            else:
                assert not (made and self.hears_badly), "wrong: an exception is lost"
            if self.heard is not None:
                assert self.heard == [*before, *([node.value] if made else [])], "wrong: what was heard"

    # --- plugs and hubs ---

    @rule(there=WHERE, volts=VOLTS)
    def plug(self, there: bool, volts: int) -> None:
        self.add(Known("plug", self.call(there, lambda: forest.plug(volts))[1], volts))

    @rule(there=WHERE)
    def hub(self, there: bool) -> None:
        self.add(Known("hub", self.call(there, forest.hub)[1], {"in": [], "lamp": 0, "lit": None}))

    @rule(choice=CHOICE, other=CHOICE, there=WHERE, how=st.sampled_from(["add", "remove", "light"]))
    def wire(self, choice: int, other: int, there: bool, how: str) -> None:
        hub, plug = self.pick("hub", choice), self.pick("plug", other)
        if hub and plug:
            made, found = self.call(there, lambda: getattr(hub.handle, how)(plug.handle), plug, hub)
            if not made:
                return
            if how == "light":
                hub.value |= {"lamp": plug.value, "lit": plug}
            elif how == "add":
                hub.value["in"].append((plug, plug.value))
            else:
                if hub.value["lit"] is plug:
                    hub.value |= {"lamp": 0, "lit": None}
                if found:
                    hub.value["in"].remove((plug, plug.value))
                    hub.value["in"] = [each for each in hub.value["in"] if each[0] is not plug]
                    self.call(there, lambda: [hub.handle.remove(plug.handle) for _ in range(100)], plug, hub)

    @rule(choice=CHOICE, there=WHERE)
    def empty(self, choice: int, there: bool) -> None:
        if hub := self.pick("hub", choice):
            made, _ = self.call(there, hub.handle.clear, hub)
            if made:
                hub.value = {"in": [], "lamp": 0, "lit": None}

    @rule(choice=CHOICE, there=WHERE)
    def eat(self, choice: int, there: bool) -> None:
        if plug := self.pick("plug", choice):
            made, volts = self.call(there, lambda: forest.eat(plug.handle), plug)
            if made:
                assert volts == plug.value, "wrong: volts"
                plug.is_open = False

    # --- counted ---

    @rule(there=WHERE, volts=VOLTS)
    def counted(self, there: bool, volts: int) -> None:
        self.add(Known("counted", self.call(there, lambda: forest.counted(volts))[1], volts))

    @rule(there=WHERE)
    def default(self, there: bool) -> None:
        self.add(Known("counted", self.call(there, forest.default_one)[1], 0))

    @rule(choice=CHOICE, there=WHERE)
    def keep(self, choice: int, there: bool) -> None:
        if counted := self.pick("counted", choice):
            made, _ = self.call(there, lambda: forest.keep(counted.handle), counted)
            if made:
                self.kept = counted.value

    # --- the end of a handle ---

    @rule(choice=CHOICE, there=WHERE)
    def close(self, choice: int, there: bool) -> None:
        if known := self.pick("", choice):
            self.call(there, known.handle.close)
            known.is_open = False

    @rule(choice=CHOICE)
    def forget(self, choice: int) -> None:
        if known := self.pick("", choice):
            self.all.remove(known)
            known.handle = None

    # --- what is true at any time ---

    @invariant()
    def nothing_is_wrong(self) -> None:
        for each in self.all:
            assert each.handle.closed != each.is_open, (
                f"wrong: this {each.kind} should be {'open' if each.is_open else 'closed'}"
            )
            if each.is_open and each.kind != "document":
                self.look_at(each)
        if self.kept is not None:
            assert forest.kept() == self.kept, "wrong: what the library keeps"
        assert forest.wrong() == 0, "wrong: an object was used after its end"

    def look_at(self, known: Known) -> None:
        handle, value = known.handle, known.value
        if known.kind == "hub":
            assert handle.sum == value["lamp"] + sum(volts for _, volts in value["in"]), "wrong: what a hub holds"
        elif known.kind == "node":
            assert handle.name == value, "wrong: the name of a node"
        elif known.kind in ("row", "note", "counted"):
            assert handle.number == value, "wrong: a number"
            if known.kind == "row":
                assert handle.data == b"0123456789"[: value % 9], "wrong: the data of a row"

    def teardown(self) -> None:
        self.all.clear()
        forest.listen(None)
        forest.forget()
        gc.collect()
        live, wrong = tuple(forest.live()), forest.wrong()
        forest.sweep()
        assert (live, wrong) == ((0,) * 6, 0), f"wrong: {live} objects are left, {wrong} uses after the end"


if __name__ == "__main__":
    main(Machine)
