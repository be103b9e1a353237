"""What C++ calls a virtual method with, and what it gets, where that is more than the `def` says: as in `callbacks`."""

from __future__ import annotations

from collections.abc import Iterator

from wrapper_gen import names
from wrapper_gen.diagnostics import Span, did_you_mean
from wrapper_gen.expressions import mentions
from wrapper_gen.model import CallbackArgument, NamedCallback, Part
from wrapper_gen.resolve.named_callbacks import ListedEntry
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.model import Type

MIRRORED = ("cpp_params", "result", "raises")
"""Keys that say of a virtual method how C++ calls Python, and of other entries how Python calls C++."""
_EXPRESSIONS = ("result", "on_exception")


def listed_virtual(entry: Map, scope: Scope, signature: Signature, owner: str) -> NamedCallback | None:
    """What the entry says of C++'s arguments and result; None where they are those of the `def`."""
    told = str(entry.get("on_exception") or "")
    uses_arguments = mentions(told, "error", *(p.name for p in signature.parameters))
    if not uses_arguments and all(entry.get(key) is None for key in MIRRORED):
        return None
    label = f"{owner}_{signature.name}"
    return _VirtualEntry(entry, scope, label, signature).resolved()


class _VirtualEntry(ListedEntry):
    """A virtual method that is read like an entry of `callbacks`."""

    def __init__(self, entry: Map, scope: Scope, name: str, signature: Signature) -> None:
        super().__init__(entry, scope, name)
        self._signature = signature

    def _returns(self) -> Type:
        return self._signature.returns

    def _result_span(self) -> Span:
        return self._signature.span

    def _listed(self) -> list[object]:
        return []  # only `params` of `callbacks` has what is checked there

    def _arguments(self) -> Iterator[CallbackArgument]:
        given, seen = self._entry.get("cpp_params"), {p.name: p for p in self._signature.parameters}
        if given is None:
            yield from (self._seen_as(name) for name in seen)
            return
        missing = dict(seen)
        for i, each in enumerate(given):
            span = self._scope.document.span(given, i)
            if isinstance(each, dict):
                yield self._role(each, span)
            elif each == "out":
                yield CallbackArgument(Part.OUT, span)
            elif each == "_":
                yield CallbackArgument(Part.CONTEXT, span)
            elif each in seen:
                missing.pop(each, None)
                yield self._seen_as(each)
            else:
                self._check_used(str(each), span, list(seen))
                yield CallbackArgument(Part.CONTEXT, span, str(each))
        for name, p in missing.items():
            hint = f"list it where C++ has it: cpp_params: [{', '.join(seen)}]"
            self._scope.error("WG113", f"C++'s arguments lack {name!r}", p.span, hint)

    def _seen_as(self, name: str) -> CallbackArgument:
        found = next(p for p in self._signature.parameters if p.name == name)
        return CallbackArgument(Part.SEEN, found.span, name, found.type)

    def _role(self, said: Map, span: Span) -> CallbackArgument:
        if said.get("role") == "length" and not said.keys() - {"role", "of"}:
            return CallbackArgument(Part.LENGTH, span, self._scope.text(said, "of"))
        hint = (
            "write the name of a parameter, out, {role: length, of: …}, _, or another name, which only expressions use"
        )
        self._scope.error("WG113", "this says nothing of an argument of a virtual function", span, hint)
        return CallbackArgument(Part.CONTEXT, span)

    def _check_used(self, name: str, span: Span, known: list[str]) -> None:
        """An argument that Python does not see is there for an expression, or its name is a mistake."""
        if not names.is_identifier(name):
            self._scope.error("WG020", f"{name!r} is no name", span, "write letters, digits and _")
        elif not any(mentions(str(self._entry.get(key) or ""), name) for key in _EXPRESSIONS):
            hint = did_you_mean(name, known) or f"write _ where nothing does; or use it: result: {name}->append(value)"
            self._scope.error("WG113", f"nothing uses the argument {name!r}", span, hint)
