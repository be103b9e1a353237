"""The changes that bring a document into the present language, each in the data and in its places; knows no spelling.

What a change leaves alone keeps its place; what it writes stands where the text stood that it comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from itertools import takewhile
from typing import Any

from wrapper_gen.diagnostics import Diagnostic, Fix, Span
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.spec.document import Document, Repeated
from wrapper_gen.spec.former import scalars
from wrapper_gen.spec.former.aliases import tell_apart
from wrapper_gen.spec.offsets import Offsets, composed
from wrapper_gen.spec.todo import OPEN
from wrapper_gen.spec.yaml_reader import Entry

Piece = str | tuple[int, int]
"""A part of a new text: new characters, or those of the former text from one index to another."""

Part = tuple[str, Offsets]
"""A part of a text that is made of several scalars, with the place of each character; without places, a new one."""


@frozen
class Changes:
    """What became of a document's text, as far as its data and places do not tell."""

    written: Mapping[tuple[int, str], Entry | None]
    """Keys that stood elsewhere, by the id of the container, with their former place; None for a new one."""
    made: set[int]
    """The ids of containers that the text does not have."""
    comments: Mapping[tuple[int, str], str]
    """What is said above a key, by the id of the container."""
    copies: Mapping[int, Any]
    """What an alias stands for, by the id of the copy that it has in the data."""
    findings: list[Diagnostic] = field(repr=False)


class Rewriter:
    """Changes a document's data and places; both stay those of one document all the time."""

    def __init__(self, document: Document, *, is_written: bool = False) -> None:
        self._originals: dict[tuple[int, str | int], tuple[str | None, Offsets]] = {}
        self.document = replace(document, repeated=Repeated({}, self._originals))
        self.is_written = is_written
        """Whether the file is written anew: what only the former spelling could say is left to a person then."""
        self.findings: list[Diagnostic] = []
        self._is_told = True
        """Whether anything is said of what the rule at work changes."""
        self.steps: list[str] = []
        """What it has changed, in words; empty where it has changed nothing."""
        self.fixes: list[Fix] = []
        """Those of its changes that one replacement makes."""
        self._emptied: set[int] = set()
        """Steps of which nothing is told."""
        self.touched: set[int] = set()
        """The ids of the mappings and lists that it has changed."""
        self.has_changed = False
        self.left: set[int] = set()
        """The ids of mappings that no further rule looks at."""
        self.classes: tuple[int, Mapping[str, Any]] | None = None
        """How many classes the file had when a rule asked for one, and these by their names."""
        self.over_held: dict[str, int] = {}
        """Functions of the prelude that took the handle of an object and take what it holds now: which argument."""
        self.reasons: dict[Span, str] = {}
        """Why a value is left to a person, by its place."""
        self._copies = tell_apart(document)
        self._places = document.places
        self._written: dict[tuple[int, str], Entry | None] = {}
        self._made: set[int] = set()
        self._comments: dict[tuple[int, str], str] = {}
        self._original_entries: set[int] = set()

    def told(self) -> str:
        """What the rule at work has changed, as a hint: of each key what it is in the end."""
        last = {step.partition(":")[0]: i for i, step in enumerate(self.steps)}
        return "; ".join(
            step for i, step in enumerate(self.steps) if i not in self._emptied and last[step.partition(":")[0]] == i
        )

    def start_rule(self, *, is_told: bool) -> None:
        """Forget what the rule before has changed; of what this one changes something is said, or nothing."""
        self._is_told = is_told
        if is_told:
            for each in (self.steps, self.fixes, self.touched, self._emptied):
                each.clear()

    @property
    def changes(self) -> Changes:
        return Changes(self._written, self._made, self._comments, self._copies, self.findings)

    def done(self) -> Document:
        """The document as it is now."""
        return replace(
            self.document, reasons=tuple(self.reasons.items()), original_entries=frozenset(self._original_entries)
        )

    def has_written(self, container: dict[str, Any], key: str) -> bool:
        """Whether a rule has written this key, which the text does not have."""
        return self._written.get((id(container), key), ...) is None

    # --- changes ---

    def rename(self, container: dict[str, Any], key: str, new: str) -> None:
        """Give a key another name; where the container has that name already, the key is an error (WG075)."""
        if new in container:
            self.error(container, key, "WG075", f"{key!r} is the former name of {new!r}, which is here, too")
            self.remove(container, key)
            return
        if self._is_told:
            written = scalars.scalar(new, is_flow=True)
            self.fixes.append(Fix(f"the present name of {key}", self.document.key_span(container, key), written))
        _rename(container, key, new)
        _rename(self._entries(container), key, new)
        self._rekey(container, key, container, new)
        self._did(lambda: f"write {new} in place of {key}", container)

    def replace(self, container: Any, key: str | int, value: object, pieces: Sequence[Piece] | None = None) -> None:
        """Write another value.

        Args:
            container: a mapping or a list of the document.
            key: one of its keys or indices.
            value: text, a number, a boolean, None, or a mapping or list; what of the document is in it keeps its place.
            pieces: which parts of a new text are parts of the former one; without, its start and its end are compared.
        """
        entries = self._entries(container)
        key_start, key_end, start, end, style, raw = entries[key]
        before = container[key]
        was = "" if isinstance(before, dict | list) else before if isinstance(before, str) else raw or ""
        if start < 0:
            _, _, start, end = self._places[id(before)]
        elif self._is_told and style not in ("|", ">") and "\n" not in self.document.source.text[start:end]:
            new = scalars.flow(value)
            self.fixes.append(Fix("as it is said now", self.document.span(container, key), new))
        container[key] = value
        if isinstance(value, dict | list):
            self._make(value, start, end)
            entries[key] = (key_start, key_end, -1, -1, "", None)
            self._originals.pop((id(container), key), None)
        else:
            text = scalars.written(value)
            if isinstance(before, dict | list):
                style = ""
            entries[key] = (key_start, key_end, start, end, style, None if isinstance(value, str) else text)
            self._map(container, key, was, text, pieces)
        named = f"write {key}:" if isinstance(key, str) else "write"
        self._did(lambda: f"{named} {scalars.flow(value)}", container)

    def compose(self, container: dict[str, Any], key: str, parts: Sequence[Part]) -> None:
        """Write text that is made of several scalars.

        Args:
            container: a mapping of the document.
            key: one of its keys.
            parts: texts, and where their characters stand; what is new stands at the end of what is before it.
        """
        entries = self._entries(container)
        key_start, key_end, start, end, _, _ = entries[key]
        if start < 0:
            _, _, start, end = self._places[id(container[key])]
        characters: Offsets = []
        for text, places in parts:
            characters += places or [characters[-1] if characters else (start, end)] * len(text)
        container[key] = "".join(text for text, _ in parts)
        entries[key] = (key_start, key_end, start, end, "", None)
        self._originals[id(container), key] = None, characters
        self._did(lambda: f"write {key}: {scalars.flow(container[key])}", container)

    def place(self, container: Any, key: str | int) -> tuple[int, int]:
        """Where a value stands in the text."""
        _, _, start, end, _, _ = self._entries(container)[key]
        if start < 0:
            _, _, start, end = self._places[id(container[key])]
        return start, end

    def key_place(self, container: dict[str, Any], key: str) -> tuple[int, int]:
        """Where a key stands in the text."""
        start, end, *_ = self._entries(container)[key]
        return start, end

    def wrap(self, container: dict[str, Any], key: str, inner: str) -> None:
        """Put a scalar into a new mapping, which takes its place."""
        made: dict[str, Any] = {inner: container[key]}
        place, original = self._entries(container)[key], self._originals.get((id(container), key))
        self.replace(container, key, made)
        self._entries(made)[inner] = place
        self._originals.pop((id(made), inner), None)
        if original is not None:
            self._originals[id(made), inner] = original

    def keep_key_place(self, container: dict[str, Any], key: str, origin: dict[str, Any], of: str) -> None:
        """Let a key of a new mapping stand where a value stands."""
        self._entries(container)[key] = (*self.place(origin, of), -1, -1, "", None)

    def mark_original(self, entry: dict[str, Any]) -> None:
        """Let the document know that an entry had no `def`."""
        self._original_entries.add(id(self._entries(entry)))

    def remove(self, container: dict[str, Any], key: str) -> None:
        """Take a key away, with its value."""
        if container[key] in ({}, []):  # what emptied it goes without saying
            self._emptied |= {i for i, step in enumerate(self.steps) if step.startswith("remove ")}
        if self.has_written(container, key):  # which the text does not have
            self._emptied.add(len(self.steps))
        self._forget(container, key)
        self._did(lambda: f"remove {key}", container)

    def insert(
        self, container: dict[str, Any], key: str, value: object, *, because: str, after: str | None = None
    ) -> None:
        """Write a new key.

        Args:
            container: a mapping of the document, which does not have the key.
            key: the new key.
            value: as `replace` takes it.
            because: the key of this mapping where the new one stands to diagnostics.
            after: the key that it follows in the text; without, `because`.
        """
        entries = self._entries(container)
        key_start, key_end, start, end, _, _ = entries[because]
        if start < 0:
            _, _, start, end = self._places[id(container[because])]
        place: Entry = (key_start, key_end, start, end, "", None)
        if isinstance(value, dict | list):
            self._make(value, start, end)
            place = (key_start, key_end, -1, -1, "", None)
        else:
            if not isinstance(value, str):
                place = (key_start, key_end, start, end, "", scalars.written(value))
            self._originals[id(container), key] = "", []
        _put_after(container, key, value, after or because)
        _put_after(entries, key, place, after or because)
        self._written[id(container), key] = None
        self._did(lambda: f"write {key}: {scalars.flow(value)}", container)

    def move(
        self, container: dict[str, Any], key: str, into: dict[str, Any], new: str, *, after: str | None = None
    ) -> None:
        """Put a key with its value into another mapping, or behind another key of its own.

        Args:
            container: the mapping that has the key.
            key: the key.
            into: the mapping that gets it, which does not have `new`.
            new: its name there.
            after: the key of `into` that it follows; without, it comes first.
        """
        entries = self._entries(container)
        value, place = container.pop(key), entries.pop(key)
        if (id(container), key) not in self._written:
            self._written[id(container), key] = place
        self._rekey(container, key, into, new)
        _put_after(into, new, value, after)
        _put_after(self._entries(into), new, place, after)
        self._did(lambda: f"write {new}: {scalars.flow(value)}", container, into)

    def add(self, into: list[Any], value: dict[str, Any], because: dict[str, Any], key: str) -> None:
        """Put a new mapping at the end of a list of the document.

        Args:
            into: the list.
            value: as `replace` takes it.
            because: a mapping of the document.
            key: its key where the new mapping stands to diagnostics.
        """
        _, _, start, end, _, _ = self._entries(because)[key]
        if start < 0:
            _, _, start, end = self._places[id(because[key])]
        self._make(value, start, end)
        into.append(value)
        self._entries(into).append((start, end, -1, -1, "", None))
        self._did(lambda: f"add {scalars.flow(value)}", into)

    def append(self, container: dict[str, Any], key: str, into: list[Any]) -> None:
        """Take a list away, and put its items at the end of another list of the document.

        Args:
            container: the mapping that has the list.
            key: its key.
            into: the list that gets the items.
        """
        listed = container[key]
        entries, more = self._entries(into), self._entries(listed)
        for i in range(len(listed)):
            if (id(listed), i) in self._originals:
                self._originals[id(into), len(into) + i] = self._originals.pop((id(listed), i))
        into += listed
        entries += more
        self._forget(container, key)
        self._did(lambda: f"move the entries of {key}", container, into)

    def leave(self, container: dict[str, Any]) -> None:
        """Let a mapping stay as it is."""
        self.left.add(id(container))

    def undecided(self, container: dict[str, Any], key: str, reason: str) -> None:
        """Leave a value to a person: `TODO` in its place, with the reason as a comment above."""
        self.replace(container, key, OPEN)
        self.reasons[self.document.span(container, key)] = reason
        self.comment(container, key, reason)

    def comment(self, container: dict[str, Any], key: str, text: str) -> None:
        """Say something above a key."""
        self._comments[id(container), key] = text

    def keep_place(self, container: Any, key: str | int, origin: Any, of: str | int) -> None:
        """Let a scalar of a new container stand where another one stands, which it is a copy of."""
        self._entries(container)[key] = self._entries(origin)[of]
        self._originals.pop((id(container), key), None)
        if (id(origin), of) in self._originals:
            self._originals[id(container), key] = self._originals[id(origin), of]

    def error(self, container: Any, key: str | int, code: str, message: str, hint: str = "remove one of them") -> None:
        """Find a mistake at this key."""
        self.error_at(self.document.key_span(container, key), code, message, hint)

    def error_at(self, span: Span, code: str, message: str, hint: str, *related: tuple[Span, str]) -> None:
        """Find a mistake at this place."""
        self.findings.append(Diagnostic(code, message, span, hint, related=related))

    def _forget(self, container: dict[str, Any], key: str) -> None:
        del container[key], self._entries(container)[key]
        for about in (self._originals, self._written, self._comments):
            about.pop((id(container), key), None)

    def _did(self, what: Callable[[], str], *containers: object) -> None:
        self.has_changed = True
        if self._is_told:
            self.touched.update(map(id, containers))
            self.steps.append(what())

    # --- places ---

    def _entries(self, container: Any) -> Any:
        return self._places[id(container)][1]

    def _rekey(self, container: dict[str, Any], key: str, into: dict[str, Any], new: str) -> None:
        for about in (self._originals, self._written, self._comments):
            listed: dict[Any, Any] = about
            if (id(container), key) in listed:
                listed[id(into), new] = listed.pop((id(container), key))

    def _make(self, value: Any, start: int, end: int) -> None:
        """Give a new container, and what is new in it, the place of what it comes from."""
        if id(value) in self._places:
            return
        self._made.add(id(value))
        place: Entry
        made: Any = {} if isinstance(value, dict) else []
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(each, dict | list):
                self._make(each, start, end)
                place = (start, end, -1, -1, "", None)
            else:
                place = (start, end, start, end, "", None if isinstance(each, str) else scalars.written(each))
                self._originals[id(value), key] = "", []
            if isinstance(made, dict):
                made[key] = place
            else:
                made.append(place)
        self._places[id(value)] = (value, made, start, end)

    def _map(self, container: Any, key: str | int, was: str, text: str, pieces: Sequence[Piece] | None) -> None:
        """Where each character of a new text stood in the text of the document."""
        found = _offsets(was, _alike(was, text) if pieces is None else pieces) if was else []
        earlier = self._originals.get((id(container), key))
        self._originals[id(container), key] = (was, found) if earlier is None else composed(earlier, found)


def _alike(was: str, text: str) -> list[Piece]:
    """The pieces of a text that starts or ends as the former one."""
    start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(was, text, strict=False)))
    most = min(len(was), len(text)) - start
    reversed_ = zip(was[::-1][:most], text[::-1][:most], strict=True)
    end = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], reversed_))
    return [(0, start), text[start : len(text) - end], (len(was) - end, len(was))]


def _offsets(was: str, pieces: Sequence[Piece]) -> Offsets:
    found: Offsets = []
    for piece in pieces:
        if isinstance(piece, str):
            found += [(0, len(was))] * len(piece)
        else:
            found += [(i, i + 1) for i in range(*piece)]
    return found


def _rename(listed: dict[str, Any], key: str, new: str) -> None:
    """Give a key another name where it is."""
    items = [(new if each == key else each, value) for each, value in listed.items()]
    listed.clear()
    listed.update(items)


def _put_after(listed: dict[str, Any], key: str, value: object, after: str | None) -> None:
    """Add a key behind another one; first, where that is None."""
    items = list(listed.items())
    at = 0 if after is None else list(listed).index(after) + 1
    listed.clear()
    listed.update([*items[:at], (key, value), *items[at:]])
