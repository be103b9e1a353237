"""The places of C's arguments: what of a signature has one already, whichever way a spec says the order."""

from __future__ import annotations

from wrapper_gen.diagnostics import Nearest, Span
from wrapper_gen.frozen import replace
from wrapper_gen.model import Argument, Buffer, Named, Parameter, Place
from wrapper_gen.resolve.filled_items import filled_items
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.memory import dimensions_of
from wrapper_gen.types.tuples import item_names, written_items


def _passed_apart(implementation: Named) -> tuple[str, ...]:
    """The parameters of a streaming call that are no arguments: the limit; the input, where the handle has it."""
    streaming = implementation.streaming
    if streaming is None:
        return ()
    is_argument = streaming.stream.input is not None and streaming.stream.input.cpp_type
    return (streaming.limit,) if is_argument else (streaming.limit, streaming.input)


class ArgumentPlaces:
    """What has a place in one call; `handle` is what the spec calls the object of a method."""

    def __init__(self, entry: Map, scope: Scope, signature: Signature, implementation: Named, handle: str) -> None:
        takes_handle = signature.handle and not implementation.is_member
        returns = signature.returns
        self._scope = scope
        self._parameters = {p.name: p for p in signature.parameters}
        self._outs = (signature.item,) if signature.item else item_names(returns)
        self._types = written_items(returns)
        self._filled = filled_items(entry, scope, signature, self._outs)
        self._fills = implementation.buffer is not None or implementation.streaming is not None
        buffer = implementation.buffer
        self._computed = isinstance(buffer, Buffer) and buffer.is_computed
        self._wanted = {handle: "the handle"} if takes_handle else {}
        self._known = frozenset(self._parameters) | frozenset(self._outs) | frozenset(self._wanted)
        apart = _passed_apart(implementation)
        self._wanted |= {p.name: "the parameter" for p in signature.parameters if p.name not in apart}
        self._seen: dict[str, Span] = {}
        self._error_at: Span | None = None
        self._left = list(range(len(written_items(returns))))
        """Items of the result that have no place yet."""

    @property
    def _sizes(self) -> str:
        """C++ that says how large memory is that the call fills."""
        return " , ".join(each for i in self._filled for each in dimensions_of(self._types[i]))

    def _error(self, code: str, message: str, span: Span, hint: str | Nearest) -> None:
        self._scope.error(code, message, span, hint)

    def _changed(self, p: Parameter, span: Span) -> Argument | None:
        """A parameter whose new value is an item of the result: the one of its name, or the next."""
        found = self._item(p.name, span)
        if found and self._types[found.item] != p.type:
            message = f"{p.name!r} is {p.type}, and comes back as {self._types[found.item]}"
            self._error("WG086", message, p.span, "declare both alike")
        return replace(found, place=Place.INOUT) if found else None

    def _item(self, name: str, span: Span) -> Argument | None:
        """An item of the result by its name, or (`out`, where it has none) the next."""
        free = [i for i in self._left if self._outs[i] == name] or (self._left if name not in self._outs else [])
        if not free:
            self._error(
                "WG081", f"the result has no further item for {name!r}", span, "drop it, or declare what it writes"
            )
            return None
        item = free[0]
        self._left.remove(item)
        if item in self._filled:
            return Argument(Place.FILLED, span, self._outs[item], item=item, value=self._filled[item])
        return Argument(Place.OUT, span, name, item=item)

    def _see(self, name: str, span: Span) -> None:
        first = self._seen.setdefault(name, span)
        if first is not span:
            self._scope.error("WG081", f"{name!r} is there twice", span, "drop one", (first, "the other one"))
