"""The outline that an editor shows of a spec: its sections, their entries, and what stands in these."""

from __future__ import annotations

from wrapper_gen.frozen import frozen
from wrapper_gen.lsp.outline import OutlineNode
from wrapper_gen.lsp.spec_document import SpecDocument
from wrapper_gen.lsp.spec_names import Declared


@frozen
class OutlineSymbol:
    """A name with its place, that of all that belongs to it, and what stands below it."""

    name: str
    kind: str
    start: int
    end: int
    name_start: int
    name_end: int
    detail: str = ""
    below: tuple[OutlineSymbol, ...] = ()


def symbols(document: SpecDocument) -> list[OutlineSymbol]:
    """The sections that a spec has, in its order."""
    found = []
    for pair in document.outline.root.pairs or ():
        end = pair.value.end if pair.value is not None else pair.end
        below = tuple(_declared(each) for each in document.names.sections.get(pair.key, ()))
        kind, detail = "section", ""
        if pair.key == "wrapper_lib":
            kind, detail = "library", (pair.value or OutlineNode(0, 0)).said("name")
        found.append(
            OutlineSymbol(pair.key or "…", kind, pair.start, max(end, pair.end), pair.start, pair.end, detail, below)
        )
    return found


def _declared(each: Declared) -> OutlineSymbol:
    start, end = min(each.start, each.entry.start), max(each.end, each.entry.end)
    below = tuple(_declared(below) for below in each.below)
    return OutlineSymbol(each.name or "…", str(each.kind), start, end, each.start, each.end, each.detail, below)
