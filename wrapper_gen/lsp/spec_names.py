"""The names that a spec declares, and where: found in its outline, so that a spec with mistakes has them, too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from wrapper_gen.frozen import frozen
from wrapper_gen.lsp.outline import Outline, OutlineNode, Pair

_DEF = re.compile(r"\s*(?:(?:static|virtual|abstract|optional)\s+(?=[A-Za-z_]))?((?:[A-Za-z_]\w*\.)*)([A-Za-z_]\w*)")


class NameKind(StrEnum):
    """What a name of a spec stands for."""

    CLASS = "class"
    STRUCT = "struct"
    ENUM = "enum"
    VALUE = "value of an enum"
    ERROR = "error"
    EXCEPTION = "exception"
    TYPE = "type"
    CONSTANT = "constant"
    FIELD = "field"
    CONSTRUCTOR = "constructor"
    METHOD = "method"
    FUNCTION = "function"


TYPES = frozenset({NameKind.CLASS, NameKind.STRUCT, NameKind.ENUM, NameKind.TYPE})
"""What the signature of a `def` can name as a type."""
_SECTIONS = {
    "errors": NameKind.ERROR,
    "enums": NameKind.ENUM,
    "structs": NameKind.STRUCT,
    "types": NameKind.TYPE,
    "handle_types": NameKind.CLASS,
}


@frozen
class Declared:
    """A name: where it stands (`start` to `end`), in which entry, and what is declared below it."""

    name: str
    kind: NameKind
    start: int
    end: int
    entry: OutlineNode
    owner: str = ""
    detail: str = ""
    below: tuple[Declared, ...] = ()

    @property
    def doc(self) -> str:
        """What the spec says of it."""
        return self.entry.said("doc").strip() if self.entry.pairs is not None else ""


class SpecNames:
    """The names of one spec."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.sections = {section: tuple(_section(outline.root, section)) for section in outline.root.keys}
        self.all = tuple(each for listed in self.sections.values() for one in listed for each in (one, *_below(one)))

    def of(self, *kinds: NameKind) -> Iterator[Declared]:
        """The names of these kinds."""
        yield from (each for each in self.all if each.kind in kinds)

    def find(self, name: str, *kinds: NameKind) -> Declared | None:
        """The declaration of a name."""
        return next((each for each in self.all if each.name == name and (not kinds or each.kind in kinds)), None)

    def uses(self) -> dict[str, OutlineNode]:
        """The specs that it uses: what it calls them, and where their paths stand."""
        found = self.outline.root.get("wrapper_lib", "uses")
        return {each.key: each.value for each in (found.pairs if found else None) or () if each.value}

    @property
    def statuses(self) -> list[Declared]:
        """What `raises` can name."""
        return [each for each in self.of(NameKind.ERROR) if "ok" in each.entry.keys]


def _below(declared: Declared) -> Iterator[Declared]:
    for each in declared.below:
        yield each
        yield from _below(each)


def entries(node: OutlineNode | None) -> Iterator[OutlineNode]:
    """The mappings of a list, also of those that share a `for`."""
    for each in (node.items if node is not None else None) or ():
        shared = each.get("entries")
        if shared is not None:
            yield from entries(shared)
        elif each.pairs is not None:
            yield each


def _section(root: OutlineNode, section: str) -> Iterator[Declared]:
    node = root.get(section)
    if section in ("functions", "methods"):
        yield from _callables(node, "")
    elif section == "constants":
        for pair in (node.pairs if node else None) or ():
            yield _pair(pair, NameKind.CONSTANT)
    elif section in _SECTIONS:
        for entry in entries(node):
            yield from _named(entry, _SECTIONS[section])


def _named(entry: OutlineNode, kind: NameKind) -> Iterator[Declared]:
    """An entry with a `name`; errors go by their `label`, too."""
    name = entry.get("name")
    below: tuple[Declared, ...] = ()
    own = name.text if name is not None else ""
    if kind is NameKind.ENUM:
        below = tuple(_values(entry.get("values"), own))
    elif kind in (NameKind.CLASS, NameKind.STRUCT):
        fields = (entry.get("fields") or entry).pairs if entry.get("fields") else ()
        of_fields = [_pair(each, NameKind.FIELD, own) for each in fields or ()]
        below = (*of_fields, *_callables(entry.get("methods"), own))
    elif kind in (NameKind.ERROR, NameKind.EXCEPTION):
        below = tuple(each for one in entries(entry.get("exceptions")) for each in _named(one, NameKind.EXCEPTION))
    for key in ("name", "label"):
        said = entry.get(key)
        if said is not None and said.is_scalar and said.text:
            detail = entry.said("cpp_type")
            yield Declared(said.text, kind, said.inner, said.inner + len(said.text), entry, "", detail, below)
            below = ()


def _values(node: OutlineNode | None, owner: str) -> Iterator[Declared]:
    if node is None:
        return
    for pair in node.pairs or ():
        yield _pair(pair, NameKind.VALUE, owner)
    for item in node.items or ():
        if item.is_scalar and item.text:
            yield Declared(item.text, NameKind.VALUE, item.inner, item.inner + len(item.text), item, owner)


def _pair(pair: Pair, kind: NameKind, owner: str = "") -> Declared:
    value = pair.value or OutlineNode(pair.end, pair.end)
    detail = value.text if value.is_scalar else value.said("type")
    return Declared(pair.key, kind, pair.start, pair.end, value, owner, detail)


def _callables(node: OutlineNode | None, owner: str) -> Iterator[Declared]:
    for entry in entries(node):
        said, name = entry.get("def"), entry.get("name")
        found = _DEF.match(said.text) if said is not None and said.is_scalar else None
        if said is not None and found is not None:
            of = found[1].rstrip(".") or owner
            kind = NameKind.CONSTRUCTOR if owner and found[2] == owner else NameKind.METHOD if of else NameKind.FUNCTION
            start = said.inner + found.start(2)
            signature = " ".join(said.text[found.end() :].split())
            yield Declared(found[2], kind, start, start + len(found[2]), entry, of, signature)
        elif said is None and name is not None and name.is_scalar and name.text:  # of the original format
            of = entry.said("handle") or owner
            kind = NameKind.METHOD if of else NameKind.FUNCTION
            yield Declared(name.text, kind, name.inner, name.inner + len(name.text), entry, of)
