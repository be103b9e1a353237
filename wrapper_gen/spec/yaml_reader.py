"""YAML text to plain data and places, in one pass over the parser's events; never recurses.

The events are PyYAML's: `yaml.compose` takes as long, stops at the first mistake, and crashes on deep nesting
(docs/adr/0011). Aliases share the container that they name; what they would expand to is counted, never built.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn, Protocol

import yaml

from wrapper_gen.diagnostics import Diagnostic, Nearest, SpecError, did_you_mean
from wrapper_gen.frozen import frozen
from wrapper_gen.spec.source import SpecText
from wrapper_gen.spec.yaml_scalars import Scalar, TwoReadings, plain_value

MAX_DEPTH = 100
"""How deep containers may nest, aliases included; later phases recurse over the data."""
MAX_ALIASED = 1_000_000
"""How many values aliases may stand for, all together."""

Container = dict[str, object] | list[object]
Entry = tuple[int, int, int, int, str, str | None]
"""Key start and end, value start and end, style, raw text (None: the value). A container starts at -1."""
Entries = dict[str, Entry] | list[Entry]
Place = tuple[Container, Entries, int, int]
"""A container (kept alive: its id finds it), what is in it, start and end. Offsets count characters."""

_FAST_LOADER = getattr(yaml, "CSafeLoader", None)
"""libyaml's parser, where PyYAML was built with it; PyYAML's own decides wherever the two could differ."""
_DIFFERENT = re.compile(r"\t|[|>][-+0-9]*#")
"""What libyaml takes in places where PyYAML refuses it."""
_QUOTE_BRACKETS = "quote it if brackets or braces belong to it"
_CONTAINER_TAGS = (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_TEXT_TAGS = ("!", "tag:yaml.org,2002:str")


class _Mark(Protocol):
    index: int


class _Event(Protocol):
    """What the parser's events have, each kind a part of it; its own type hints leave every mark optional."""

    start_mark: _Mark
    end_mark: _Mark
    anchor: str | None
    tag: str | None
    value: str
    style: str | None
    flow_style: bool


class _Open:
    """A container whose end has not been read yet."""

    __slots__ = (
        "aliased",
        "anchor",
        "container",
        "entries",
        "flow",
        "height",
        "key",
        "size",
        "start",
    )

    def __init__(self, container: Container, event: _Event) -> None:
        self.container = container
        self.entries: Entries = {} if isinstance(container, dict) else []
        self.start = event.start_mark.index
        self.flow = event.flow_style
        self.anchor: str | None = event.anchor
        self.key: tuple[str, int, int] | None = None  # read, and waiting for its value
        self.size = 1
        self.aliased = 0
        self.height = 1


@frozen
class _Anchored:
    """What an anchor marks; a container has no `start` of its own here, and counts all that is in it."""

    value: object
    start: int
    end: int
    style: str
    raw: str | None
    size: int = 1
    height: int = 0


def read_yaml(source: SpecText) -> tuple[object, dict[int, Place]]:
    """The data of the source's one document (None when it is empty), and the place of each container, by id.

    Raises:
        SpecError: WG004, WG006 or WG007.
    """
    if _FAST_LOADER is None or _DIFFERENT.search(source.text):
        reader = _read_slowly(source)
    else:
        reader = _YamlReader(source)
        try:
            reader.read(_FAST_LOADER)
        except (yaml.YAMLError, SpecError):  # the two parsers may find different mistakes first
            reader = _read_slowly(source)
    if reader.findings:
        raise SpecError(reader.findings)
    return reader.root, reader.places


def events_of(source: SpecText) -> list[yaml.Event]:
    """The parser's events for a text that could be read."""
    if _FAST_LOADER is not None and not _DIFFERENT.search(source.text):
        with suppress(yaml.YAMLError):
            return list(yaml.parse(source.text, _FAST_LOADER))
    return list(yaml.parse(source.text, yaml.SafeLoader))


def _read_slowly(source: SpecText) -> _YamlReader:
    reader = _YamlReader(source)
    try:
        reader.read(yaml.SafeLoader)
    except yaml.YAMLError as error:
        from wrapper_gen.spec.yaml_errors import yaml_errors  # rarely needed: not worth its import on every start

        reader.findings.extend(yaml_errors(error, source))
    return reader


class _YamlReader:
    """Builds containers and places while events come in; `findings` has what need not stop the reading."""

    def __init__(self, source: SpecText) -> None:
        self.source = source
        self.root: object = None
        self.places: dict[int, Place] = {}
        self.findings: list[Diagnostic] = []
        self._documents = 0
        self._end = 0  # of the last thing read that is written out: a block container ends there
        self._open: list[_Open] = []
        self._anchors: dict[str, _Anchored] = {}

    def read(self, loader: Any) -> None:
        handlers: dict[type, Callable[[_Event], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: lambda event: self._start(event, {}),
            yaml.SequenceStartEvent: lambda event: self._start(event, []),
            yaml.MappingEndEvent: self._close,
            yaml.SequenceEndEvent: self._close,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document,
        }
        parser = loader(self.source.text)
        try:
            while not isinstance(event := parser.get_event(), yaml.StreamEndEvent):
                if (handler := handlers.get(type(event))) is not None:
                    handler(event)
        finally:
            parser.dispose()

    # --- one method per kind of event ---

    def _document(self, event: _Event) -> None:
        self._documents += 1
        if self._documents > 1:
            hint = "a spec is one document: write a file for each"
            self._fail("WG004", "a second YAML document starts here", event, hint)

    def _scalar(self, event: _Event) -> None:
        text, start, end = event.value, event.start_mark.index, event.end_mark.index
        style = event.style or ""
        self._end = end
        top = self._open[-1] if self._open else None
        if "?" in text and not style and top is not None and top.flow:
            raise yaml.YAMLError("libyaml alone takes this")
        if top is not None and top.key is None and type(top.container) is dict:
            if not text and not style:  # which the two parsers have at different places
                self._fail("WG004", "a key is missing here", event, "write it before ':', or remove '?'")
            if event.anchor is not None:
                self._anchors[event.anchor] = _Anchored(text, start, end, style, None)
            if text == "<<" and not style:
                hint = "write the keys out: YAML 1.2 knows no merging"
                self._report("WG004", "'<<' does not mean the same to every reader of YAML", event, hint)
            top.key = (text, start, end)
            return
        value = self._value(event, text)
        raw = None if type(value) is str else text
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(value, start, end, style, raw)
        self._put(value, start, end, style, raw)

    def _value(self, event: _Event, text: str) -> Scalar:
        if event.tag is not None:
            if event.tag not in _TEXT_TAGS:
                self._unknown_tag(event)
            return text
        try:
            return text if event.style else plain_value(text)
        except TwoReadings as two:
            message = f"{text!r} does not mean the same to every reader of YAML"
            self._report("WG004", message, event, str(two))
            return text
        except ValueError:
            self._fail("WG004", "this is not a value of its type", event, "quote it if it is text")

    def _start(self, event: _Event, container: Container) -> None:
        if event.tag not in _CONTAINER_TAGS:
            self._unknown_tag(event)
        if len(self._open) >= MAX_DEPTH:
            self._fail("WG004", f"nested more than {MAX_DEPTH} levels deep", event, "a spec needs about six")
        if self._open:
            if self._open[-1].key is None and isinstance(self._open[-1].container, dict):
                self._fail("WG004", "a key must be text", event, _QUOTE_BRACKETS)
            self._put(container, -1, -1, "", None)
        if event.anchor is not None:
            self._anchors.pop(event.anchor, None)
        self._open.append(_Open(container, event))

    def _close(self, event: _Event) -> None:
        closed = self._open.pop()
        if closed.flow:
            self._end = event.end_mark.index
        container = closed.container
        self.places[id(container)] = (container, closed.entries, closed.start, self._end)
        if closed.anchor is not None:
            self._anchors[closed.anchor] = _Anchored(container, -1, -1, "", None, closed.size, closed.height)
        if self._open:
            self._count(self._open[-1], closed.size, closed.aliased, closed.height, event)
        else:
            self.root = container

    def _alias(self, event: _Event) -> None:
        name = str(event.anchor)
        anchored = self._anchors.get(name)
        if anchored is None:
            if any(parent.anchor == name for parent in self._open):
                self._fail("WG007", f"alias '*{name}' is inside what it names", event, "write it out")
            hint = did_you_mean(name, self._anchors) or f'quote it if it is C++: "*{name}"'
            self._fail("WG004", f"alias '*{name}' names nothing above it", event, hint)
        self._end = event.end_mark.index
        top = self._open[-1]
        if top.key is None and isinstance(top.container, dict):
            if anchored.start < 0:
                self._fail("WG004", "a key must be text", event, _QUOTE_BRACKETS)
            text = anchored.raw if anchored.raw is not None else str(anchored.value)
            top.key = (text, event.start_mark.index, event.end_mark.index)
            return
        self._count(top, anchored.size, anchored.size, anchored.height, event)
        self._put(anchored.value, anchored.start, anchored.end, anchored.style, anchored.raw)

    # --- what they share ---

    def _put(self, value: object, start: int, end: int, style: str, raw: str | None) -> None:
        """Add a value to the innermost open container."""
        if not self._open:
            self.root = value
            return
        top = self._open[-1]
        container, entries = top.container, top.entries
        if isinstance(container, list):
            assert isinstance(entries, list)
            container.append(value)
            entries.append((start, end, start, end, style, raw))
            return
        assert isinstance(entries, dict) and top.key is not None
        key, key_start, key_end = top.key
        top.key = None
        if key in entries:
            self._twice(key, entries[key], key_start, key_end)
        else:
            container[key] = value
            entries[key] = (key_start, key_end, start, end, style, raw)

    def _twice(self, key: str, first: Entry, start: int, end: int) -> None:
        earlier = self.source.span(first[0], first[1])
        message = f"{key!r} occurs twice in this mapping; first on line {earlier.line}"
        span = self.source.span(start, end)
        related = ((earlier, "first defined here"),)
        self.findings.append(Diagnostic("WG006", message, span, "remove one of them", related=related))

    def _count(self, top: _Open, size: int, aliased: int, height: int, event: _Event) -> None:
        """Take the measure of a value that was added to `top`."""
        top.size += size
        top.aliased += aliased
        top.height = max(top.height, height + 1)
        if top.aliased > MAX_ALIASED:
            message = f"the aliases here stand for more than {MAX_ALIASED:,} values"
            self._fail("WG007", message, event, "write the values out, or alias less")
        if len(self._open) + height > MAX_DEPTH:
            message = f"aliases nest more than {MAX_DEPTH} levels deep"
            self._fail("WG007", message, event, "a spec needs about six")

    def _unknown_tag(self, event: _Event) -> NoReturn:
        tag = str(event.tag).replace("tag:yaml.org,2002:", "!!")
        hint = "remove it; or quote the value if the '!' belongs to it"
        self._fail("WG004", f"tag {tag!r} has no meaning in a spec", event, hint)

    def _report(self, code: str, message: str, event: _Event, hint: str | Nearest) -> None:
        span = self.source.span(event.start_mark.index, event.end_mark.index)
        self.findings.append(Diagnostic(code, message, span, hint))

    def _fail(self, code: str, message: str, event: _Event, hint: str | Nearest) -> NoReturn:
        self._report(code, message, event, hint)
        raise SpecError(self.findings)
