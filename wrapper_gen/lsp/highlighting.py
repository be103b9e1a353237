"""Semantic tokens: the parts of the signatures in `def`, of types, and of names that other keys refer to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wrapper_gen.lsp.outline import scalars
from wrapper_gen.lsp.places import is_type
from wrapper_gen.lsp.signature_tokens import TokenRole, tokens
from wrapper_gen.lsp.spec_document import SpecDocument
from wrapper_gen.lsp.spec_names import TYPES, NameKind

TOKEN_TYPES = (
    *("keyword", "function", "method", "class", "struct", "enum", "enumMember", "type", "parameter", "property"),
    *("variable", "string", "number", "operator"),
)
"""The protocol's names of what is told apart; an answer has their numbers."""
_OF_KIND = {NameKind.CLASS: "class", NameKind.STRUCT: "struct", NameKind.ENUM: "enum", NameKind.TYPE: "type"}


class Highlight(NamedTuple):
    """A part of the text, on one line, and what it is."""

    start: int
    end: int
    kind: str


def highlights(document: SpecDocument) -> list[Highlight]:
    """All parts, in order."""
    kinds = {each.name: _OF_KIND[each.kind] for each in document.names.of(*TYPES)}
    found: list[Highlight] = []
    for path, node in scalars(document.outline.root):
        if node.style in ("|", ">") or not path:
            continue
        if path[-1] == "def":
            is_method = "methods" in path
            found += _signature(node.text, node.inner, kinds, is_method=is_method)
        elif is_type(path):
            found += _signature(node.text, node.inner, kinds, is_method=False, is_type=True)
    found.sort()
    return [each for each in found if "\n" not in document.text[each.start : each.end]]


def _signature(
    text: str, offset: int, kinds: dict[str, str], *, is_method: bool, is_type: bool = False
) -> Iterator[Highlight]:
    for token in tokens(text, is_type=is_type):
        kind = str(token.role)
        if token.role is TokenRole.MARK:
            if token.text not in ("->", "|", "?", "*", "**", "&", "="):
                continue
        elif token.role is TokenRole.TYPE:
            kind = kinds.get(token.text, "type")
        elif token.role is TokenRole.NAME:
            kind = kinds.get(token.text) or ("method" if is_method or "." in token.text else "function")
        yield Highlight(offset + token.start, offset + token.end, kind)
