"""What becomes of each definition of binding code: it is written, or it is left, and why."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen.diagnostics import Diagnostic, Severity, Span
from wrapper_gen.frozen import frozen


class Left(Exception):
    """A definition that has no equivalent in a spec; the text says why."""


@frozen
class DefinitionOutcome:
    """A definition: its kind (`member`, `class`), its name in Python, and `why` it is left; empty if it is written."""

    kind: str
    name: str
    place: Span
    why: str = ""

    def text(self) -> str:
        return f"{self.place}: {self.kind} {self.name}: {self.why or 'written'}"

    def diagnostic(self) -> Diagnostic:
        """A warning that it is left."""
        what = f"{self.kind} {self.name!r} is left: {self.why}"
        hint = "the TODO in the spec is where an entry for it would stand"
        return Diagnostic("WG311", what, self.place, hint, Severity.WARNING)

    def data(self) -> dict[str, object]:
        row: dict[str, object] = {"kind": self.kind, "name": self.name, "place": str(self.place)}
        return {**row, "why": self.why} if self.why else row


@frozen
class ConversionReport:
    """What was made of all definitions, in the order in which they stand; `notes` are what differs in Python."""

    outcomes: Sequence[DefinitionOutcome]
    notes: Sequence[tuple[Span, str]] = ()

    @property
    def left(self) -> Sequence[DefinitionOutcome]:
        return [each for each in self.outcomes if each.why]

    @property
    def summary(self) -> str:
        total, left = len(self.outcomes), len(self.left)
        return f"{total - left} of {total} definitions written, {left} left"

    @property
    def differences(self) -> Sequence[str]:
        """What is written, and is not quite the same in Python; a line each."""
        return [f"{where}: note: {what}" for where, what in self.notes]

    def text(self) -> str:
        return "\n".join([self.summary, *(each.text() for each in self.left), *self.differences])

    def data(self) -> dict[str, object]:
        return {
            "written": len(self.outcomes) - len(self.left),
            "left": len(self.left),
            "definitions": [each.data() for each in self.outcomes],
            "notes": [{"place": str(where), "what": what} for where, what in self.notes],
        }
