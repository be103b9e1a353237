"""The signature of the C function whose call is being written in `cpp`, and which argument comes next."""

from __future__ import annotations

from wrapper_gen.cpp_tokens import placed_tokens
from wrapper_gen.frozen import frozen
from wrapper_gen.headers.shown import shown_parameter
from wrapper_gen.lsp.declared_in_c import DeclaredInC, Entity
from wrapper_gen.lsp.spec_document import SpecDocument


@frozen
class SignatureHelp:
    """The functions that are meant, and the number of the argument at the cursor."""

    entities: tuple[Entity, ...]
    argument: int


def signature_help(document: SpecDocument, offset: int, known: DeclaredInC) -> SignatureHelp | None:
    """The innermost call around a place in C++."""
    cursor = document.outline.at(offset)
    node = cursor.node
    if node is None or cursor.key in ("def", "doc"):
        return None
    opened: list[tuple[str, int]] = []
    before: list[str] = []
    for token in placed_tokens(node.text[: max(offset - node.inner, 0)]):
        if token.text in "([{":
            name = "".join(_name(before)) if token.text == "(" else ""
            opened.append((name, 0))
        elif token.text in ")]}" and opened:
            opened.pop()
        elif token.text == "," and opened:
            opened[-1] = (opened[-1][0], opened[-1][1] + 1)
        before.append(token.text)
    for name, argument in reversed(opened):
        found = [each for each in known.find(name) if each.kind in ("function", "macro")] if name else []
        if found:
            return SignatureHelp(tuple(found), argument)
    return None


def _name(before: list[str]) -> list[str]:
    """The qualified name at the end of these tokens."""
    found: list[str] = []
    for each in reversed(before):
        if each != "::" and not (each.isidentifier() and (not found or found[-1] == "::")):
            break
        found.append(each)
    return found[::-1]


def shown_parameters(entity: Entity) -> list[str]:
    """The parameters of a function, each as its declaration has it."""
    if entity.function is None:
        return []
    return [shown_parameter(each.type.spelling, each.name) for each in entity.function.parameters]
