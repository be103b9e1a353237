"""Streams, and the calls of one: `streams` of a spec, and `stream` of an entry."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.diagnostics import did_you_mean
from wrapper_gen.frozen import replace
from wrapper_gen.model import Implementation, Named, Parameter, Stream, Streaming, Window
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.queries import is_bytes, is_integer
from wrapper_gen.types.tuples import items_of

_USUAL = "{data: next_in, left: avail_in}"


def resolve_streams(scope: Scope) -> dict[str, Stream]:
    """The streams of a spec, by name."""
    found: dict[str, Stream] = {}
    for entry in scope.entries("streams"):
        name, span = scope.identifier(entry, "name", "a stream"), scope.span(entry, "name")
        if name in found:
            scope.error("WG106", f"two streams are named {name!r}", span, "rename one", (found[name].span, "the other"))
        given = _window(entry["input"], scope) if entry.get("input") else None
        found[name] = Stream(name, given, _window(entry["output"], scope), span)
    return found


def _window(entry: Map, scope: Scope) -> Window:
    said = [key for key in ("left", "size", "used") if entry.get(key)]
    if said not in (["left"], ["size", "used"]):
        hint = f"say what is left of it, {_USUAL}; or its size and what is used: {{data: src, size: size, used: pos}}"
        scope.error("WG106", "it is not said how much of it a call uses", scope.document.start(entry), hint)
    members = tuple(scope.text(entry, key) for key in ("data", *said))
    for key, member in zip(("data", *said), members, strict=True):
        if not names.is_identifier(member):
            scope.error("WG106", f"{member!r} is no member", scope.span(entry, key), "write the name of a member")
    return Window(scope.expression(entry, "cpp_type") if entry.get("cpp_type") else "", members)


def resolve_streaming(entry: Map, scope: Scope, signature: Signature, implementation: Implementation) -> Implementation:
    """The same implementation, with the stream that the entry names."""
    if entry.get("stream") is None:
        return implementation
    where = scope.document.key_span(entry, "stream")
    if not isinstance(implementation, Named) or "capacity" in entry:
        hint = "drop one of the two" if "capacity" in entry else "drop it: a lambda or a body makes its calls itself"
        scope.error("WG107", "`stream` is for functions by name, and in place of `capacity`", where, hint)
        return implementation
    found = _StreamReader(entry, scope, signature).streaming()
    return replace(implementation, streaming=found) if found else implementation


class _StreamReader:
    """Reads `stream` of one entry."""

    def __init__(self, entry: Map, scope: Scope, signature: Signature) -> None:
        self._scope = scope
        self._signature = signature
        self._where = scope.document.key_span(entry, "stream")
        self._given = entry["stream"]
        self._name = self._given["of"] if isinstance(self._given, dict) else scope.text(entry, "stream")

    def streaming(self) -> Streaming | None:
        scope, about = self._scope, self._given if isinstance(self._given, dict) else {}
        stream = scope.findings.streams.get(self._name)
        if stream is None:
            hint = did_you_mean(self._name, scope.findings.streams) or "describe it under `streams`"
            scope.error("WG107", f"unknown stream {self._name!r}", self._where, hint)
            return None
        windows = [each for each in (stream.input, stream.output) if each]
        if self._signature.handle is None and not all(each.cpp_type for each in windows):
            hint = "make it a method; or say which C struct the call is given: cpp_type"
            scope.error("WG107", "the members of this stream are those of a handle", self._where, hint)
        given = self._input(about, stream)
        limit = self._parameter(about, "limit", [p for p in self._signature.parameters if is_integer(p.type)])
        end, until = (scope.expression(about, key) if about.get(key) else "" for key in ("end", "until"))
        self._check_result(may_stop=bool(limit or (end and given)))
        return Streaming(stream, given, limit, end, until)

    def _input(self, about: Map, stream: Stream) -> str:
        """The parameter that is the input."""
        candidates = [p for p in self._signature.parameters if is_bytes(p.type)]
        if about.get("input"):
            return self._parameter(about, "input", candidates)
        if len(candidates) > 1:
            hint = f"say which: stream: {{of: {stream.name}, input: {candidates[0].name}}}"
            self._scope.error("WG107", "more than one parameter could be the input", self._where, hint)
        if candidates and stream.input is None:
            hint = f"say how the call is given it: input: {_USUAL}"
            self._scope.error("WG107", f"the stream {stream.name!r} has no input", self._where, hint)
        return candidates[0].name if candidates else ""

    def _parameter(self, about: Map, key: str, candidates: Sequence[Parameter]) -> str:
        name = self._scope.text(about, key)
        if name and name not in [p.name for p in candidates]:
            wanted = "an integer" if key == "limit" else "bytes"
            hint = did_you_mean(name, [p.name for p in candidates]) or "declare one"
            self._scope.error("WG107", f"{name!r} is no parameter that is {wanted}", self._scope.span(about, key), hint)
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
