"""Calls of a stream: `stream` of an entry, and of a class, which says how the library gets input and output."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from wrapper_gen import names
from wrapper_gen.diagnostics import did_you_mean
from wrapper_gen.frozen import replace
from wrapper_gen.model import DRAINED, Implementation, Named, Parameter, Stream, Streaming, Window
from wrapper_gen.model.inheritance import bases
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.queries import is_bytes, is_integer
from wrapper_gen.types.tuples import items_of

_USUAL = "stream: {input: [next_in, avail_in], output: [next_out, avail_out]}"
_WINDOW = "write [next_in, avail_in], members that count down; or the struct, [ZSTD_inBuffer, src, size, pos]"
_OBJECT = "self"
"""In place of a C struct: four members, of the object."""
_FIRST = re.compile(rf"\(*\s*{DRAINED}\s*(?:&&|\)*$)")


def _read_window(said: Map, key: str, scope: Scope) -> Window | None:
    """The window that a list says: members of the object, or a C struct and its members."""
    if not isinstance(said.get(key), list):  # of `input`, text is a parameter
        return None
    listed = scope.texts(said, key)
    if not 2 <= len(listed) <= 4:
        where = scope.span(said, key)
        scope.error("WG106", "it is not said how much of it a call uses", where, _WINDOW)
        return None
    has_type = len(listed) > 2
    members = listed[has_type:]
    for member in members:
        if not names.is_identifier(member):
            scope.error("WG106", f"{member!r} is no member", scope.span(said, key), _WINDOW)
    return Window(listed[0] if has_type and listed[0] != _OBJECT else "", members)


def resolve_streaming(entry: Map, scope: Scope, signature: Signature, implementation: Implementation) -> Implementation:
    """The same implementation, with the stream of the entry."""
    if entry.get("stream") is None:
        return implementation
    if not isinstance(implementation, Named):
        hint = "drop it: a lambda or a body makes its calls itself"
        where = scope.document.key_span(entry, "stream")
        scope.error("WG107", "`stream` is for functions by name", where, hint)
        return implementation
    found = _StreamReader(entry, scope, signature).streaming()
    return replace(implementation, streaming=found) if found else implementation


class _StreamReader:
    """Reads `stream` of one entry."""

    def __init__(self, entry: Map, scope: Scope, signature: Signature) -> None:
        self._scope = scope
        self._entry = entry
        self._signature = signature
        self._where = scope.document.key_span(entry, "stream")
        self._about: Map = entry["stream"] if isinstance(entry["stream"], dict) else {}

    def streaming(self) -> Streaming | None:
        scope, about = self._scope, self._about
        stream = self._stream()
        if stream is None:
            return None
        windows = [each for each in (stream.input, stream.output) if each]
        if self._signature.handle is None and not all(each.cpp_type for each in windows):
            hint = "make it a method; or say which C struct the call is given: [ZSTD_inBuffer, src, size, pos]"
            scope.error("WG107", "the members of this stream are those of an object", self._where, hint)
        given = self._input(stream)
        limit = self._limit()
        until = scope.expression(about, "until") if about.get("until") else DRAINED
        self._check_result(may_stop=bool(limit or (given and not _waits(until))))
        return Streaming(stream, given, limit, until)

    def _stream(self) -> Stream | None:
        """What the entry says of it, or its class, or one that this extends."""
        scope, owner = self._scope, self._signature.handle or ""
        classes = {name: each for name, each in scope.named("handle_types", "name") if each.get("extends")}
        extends = {name: str(each["extends"]) for name, each in classes.items()}
        said = [self._about] if self._about.get("output") else []
        for name in (owner, *bases(owner, extends)):
            said += [
                each["stream"] for n, each in scope.named("handle_types", "name") if n == name and each.get("stream")
            ]
        if not said:
            hint = f"say it {f'on {owner}' if owner else 'here'}: {_USUAL}"
            scope.error("WG107", "it is not said how C gets input and output", self._where, hint)
            return None
        given, output = (_read_window(said[0], key, scope) for key in ("input", "output"))
        is_whole = output is not None and (given is not None or not isinstance(said[0].get("input"), list))
        return Stream(given, output) if output and is_whole else None

    def _input(self, stream: Stream) -> str:
        """The parameter that is the input."""
        candidates = [p for p in self._signature.parameters if is_bytes(p.type)]
        if isinstance(self._about.get("input"), str):
            return self._parameter(self._about, "input", candidates, "bytes")
        if len(candidates) > 1:
            hint = f"say which: stream: {{input: {candidates[0].name}}}"
            self._scope.error("WG107", "more than one parameter could be the input", self._where, hint)
        if candidates and stream.input is None:
            hint = "say how the call is given it: input: [next_in, avail_in]"
            self._scope.error("WG107", "the stream has no input", self._where, hint)
        return candidates[0].name if candidates else ""

    def _limit(self) -> str:
        """The parameter that says how much is written at most."""
        integers = [p for p in self._signature.parameters if is_integer(p.type)]
        if isinstance(self._entry.get("capacity"), Mapping):
            hint = f"name a parameter: capacity: {integers[0].name if integers else 'limit'}"
            span = self._scope.span(self._entry, "capacity")
            self._scope.error("WG107", "a stream has one capacity, the most that is written", span, hint)
            return ""
        return self._parameter(self._entry, "capacity", integers, "an integer")

    def _parameter(self, said: Map, key: str, candidates: Sequence[Parameter], wanted: str) -> str:
        name = self._scope.text(said, key)
        if name and name not in [p.name for p in candidates]:
            hint = did_you_mean(name, [p.name for p in candidates]) or "declare one"
            self._scope.error("WG107", f"{name!r} is no parameter that is {wanted}", self._scope.span(said, key), hint)
        return name

    def _check_result(self, *, may_stop: bool) -> None:
        """The result has room for all that a caller needs to go on."""
        items, span = items_of(self._signature.returns), self._signature.returns_span
        counts = len(items) in (2, 3) and is_integer(items[1])
        if not items or not is_bytes(items[0]) or not (len(items) == 1 or counts):
            hint = "return bytes; or (bytes, usize), with how much of the input was taken"
            self._scope.error("WG107", f"a stream's result cannot be {self._signature.returns}", span, hint)
        elif may_stop and not counts:
            hint = 'say how much was taken, too: "(data: bytes, taken: usize)"'
            self._scope.error("WG107", "the call may stop before all of its input is taken", span, hint)


def _waits(until: str) -> bool:
    """Whether it holds only where all input is taken: each alternative of it begins with `drained`."""
    depth, alternatives = 0, [""]
    for i, char in enumerate(until):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and until[i : i + 2] == "||":
            alternatives.append("")
        else:
            alternatives[-1] += char
    return all(_FIRST.match(each.strip().lstrip("|").strip()) for each in alternatives)
