"""What a place of a spec is about: a key, a type, a name of the spec, or something of C or C++."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from wrapper_gen.frozen import frozen
from wrapper_gen.headers import HeaderPlace
from wrapper_gen.lsp import schema, signature_tokens
from wrapper_gen.lsp.declared_in_c import DeclaredInC, Entity
from wrapper_gen.lsp.outline import Cursor
from wrapper_gen.lsp.outline import Path as KeyPath
from wrapper_gen.lsp.signature_tokens import TokenRole
from wrapper_gen.lsp.spec_document import SpecDocument, parameters
from wrapper_gen.lsp.spec_names import TYPES, Declared, NameKind
from wrapper_gen.lsp.type_words import TYPE_WORDS

_TYPED = ("constants", "fields", "cases")
_PROSE = ("doc", "deprecated")
_CPP_WORDS = {
    "self": "the object of the call",
    "value": "what the call returned; where something is released, that; in a condition, the status",
    "out": "what C writes: `&out` is the address of the result, `out` a buffer that is the result",
    "owner": "the object that what the call is about belongs to",
    "capacity": "the size of the buffer that is the result",
}
_NOT_OF_C = ("doc", "name", "cpp_include", "requires", "sources", "uses", "lang", "link")
_OWNERS = ("handle_types", "structs")
_NAMED = ("raises", "belongs_to", "extends", "ends", "holds", "takes", "message", "code")


def is_type(path: KeyPath) -> bool:
    """Whether the value at these keys is a type of the language."""
    return bool(path) and (path[-1] in ("type", "return") or (len(path) > 1 and path[-2] in _TYPED))


@frozen
class NamedPlace:
    """What a place is about: `start` to `end` is its name in the spec."""

    start: int
    end: int
    declared: Declared | None = None
    """In this spec, or in one that it uses (`of`)."""
    of: SpecDocument | None = None
    entities: tuple[Entity, ...] = ()
    """In C or C++."""
    key: str = ""
    about: schema.About | None = None
    """What the schema says of the key."""
    note: str = ""
    is_of_c: bool = False
    """Whether headers may say more."""
    prelude: tuple[int, int] | None = None
    """Where the spec's own C++ has it first."""


def asks_for_c(document: SpecDocument, offset: int) -> bool:
    """Whether headers may say more of what stands here than the spec."""
    found = subject(document, offset, None)
    return found is not None and found.is_of_c


def subject(document: SpecDocument, offset: int, known: DeclaredInC | None) -> NamedPlace | None:
    """What stands here."""
    cursor = document.outline.at(offset)
    if cursor.is_key:
        return _of_key(document, cursor, known)
    if cursor.node is None:
        return None
    found = _of_value(document, cursor, offset, known)
    if found is not None:
        return found
    key, at = _documented(cursor.path)
    about = schema.about(at)
    if about is None or key in _PROSE or "params" in at:
        return None
    is_of_c = key not in _NOT_OF_C
    if cursor.node.style in ("|", ">"):
        return NamedPlace(cursor.node.start, cursor.node.end, is_of_c=is_of_c)
    return NamedPlace(cursor.node.start, cursor.node.end, key=key, about=about, is_of_c=is_of_c)


def _documented(path: KeyPath) -> tuple[str, KeyPath]:
    """The innermost key of a path, and the path that ends with it."""
    last = next((i for i in range(len(path) - 1, -1, -1) if isinstance(path[i], str)), 0)
    return (str(path[last]), path[: last + 1]) if path else ("", ())


def _of_key(document: SpecDocument, cursor: Cursor, known: DeclaredInC | None) -> NamedPlace | None:
    pair = cursor.pair
    if pair is None:
        return None
    about = schema.keys(cursor.path[:-1]).get(pair.key)
    if about is not None:
        return NamedPlace(pair.start, pair.end, key=pair.key, about=about)
    declared = next((each for each in document.names.all if each.start == pair.start), None)
    if declared is not None:
        return _of_declared(document, declared, pair.start, pair.end, known)
    declared = document.names.find(pair.key, NameKind.CLASS)
    if declared is not None:  # of a map with an expression for each class
        return NamedPlace(pair.start, pair.end, declared)
    return None


def _of_declared(
    document: SpecDocument, declared: Declared, start: int, end: int, known: DeclaredInC | None
) -> NamedPlace:
    entities = tuple(document.c_names.found(declared, known)) if known else ()
    return NamedPlace(start, end, declared, entities=entities, is_of_c=True)


def _of_value(document: SpecDocument, cursor: Cursor, offset: int, known: DeclaredInC | None) -> NamedPlace | None:
    node = cursor.node
    assert node is not None
    if cursor.key == "def" or is_type(cursor.path):
        return _of_signature(document, cursor, offset, known)
    own = next(
        (each for each in document.names.all if each.start <= offset <= each.end and each.entry is not node), None
    )
    if own is not None and node.start <= own.start <= node.end:
        return _of_declared(document, own, own.start, own.end, known)
    start, end = document.word(offset)
    word = document.text[start:end]
    if not word or not node.start <= start <= node.end:
        return None
    is_member = document.text[:start].endswith((".", "->", "::"))
    if word in _CPP_WORDS and not is_member and cursor.key not in (*_NOT_OF_C, *_PROSE):
        return NamedPlace(start, end, note=f"`{word}`: {_CPP_WORDS[word]}")
    if any(key in _NAMED for key in cursor.path[-3:]) and (declared := document.names.find(word)):
        return NamedPlace(start, end, declared)
    if cursor.key in _PROSE or "params" in cursor.path[-2:]:
        return None
    entities = _of_c(document, cursor, word, known)
    if entities:
        return NamedPlace(start, end, entities=entities)
    if cursor.key not in _NOT_OF_C and (line := _in_prelude(document, word)):
        return NamedPlace(start, end, prelude=line)
    declared = document.names.find(word, *TYPES, NameKind.ERROR, NameKind.VALUE)
    return NamedPlace(start, end, declared) if declared else None


def _in_prelude(document: SpecDocument, word: str) -> tuple[int, int] | None:
    """Where `cpp_prelude` has a name first, as what may be its declaration."""
    root = document.outline.root
    for node in (root.get("cpp_prelude"), root.get("wrapper_lib", "cpp_prelude")):
        if node is not None and (found := re.search(rf"(?<![\w.>:]){re.escape(word)}\b(?=\s*[({{=])", node.text)):
            return node.inner + found.start(), node.inner + found.end()
    return None


def _of_c(document: SpecDocument, cursor: Cursor, word: str, known: DeclaredInC | None) -> tuple[Entity, ...]:
    """What a name in C++ stands for; first among the members of the class around it."""
    if known is None:
        return ()
    enum = cursor.entry("enums")
    if enum is not None and isinstance(cursor.path[-1], int) and (found := known.find(enum.said("prefix") + word)):
        return tuple(found)
    owner = next((cursor.around[i + 2] for i, key in enumerate(cursor.path[:-2]) if key in _OWNERS), None)
    names = [owner.said("name")] if owner is not None else []
    names += [key for key in cursor.path if isinstance(key, str) and document.names.find(key, NameKind.CLASS)]
    for name in names:
        if found := known.find(f"{document.c_names.cpp_class(name)}::{word}"):
            return tuple(found)
    return tuple(known.find(word, "type" if cursor.key == "cpp_type" else "function"))


def _of_signature(document: SpecDocument, cursor: Cursor, offset: int, known: DeclaredInC | None) -> NamedPlace | None:
    node = cursor.node
    assert node is not None
    listed = [*signature_tokens.tokens(node.text, is_type=cursor.key != "def")]
    at = offset - node.inner
    token = next((each for each in listed if each.start <= at <= each.end and each.text[0].isidentifier()), None)
    if token is None:
        return None
    start, end = node.inner + token.start, node.inner + token.end
    if token.role is TokenRole.NAME:
        declared = next((each for each in document.names.all if start <= each.start <= end), None)
        return _of_declared(document, declared, start, end, known) if declared else None
    if token.role in (TokenRole.TYPE, TokenRole.KEYWORD):
        return _of_type(document, token.text, start, end)
    if token.role is TokenRole.DEFAULT:
        type_ = next(
            (each.text for each in reversed(listed) if each.role is TokenRole.TYPE and each.start < token.start), ""
        )
        enum = document.names.find(type_, NameKind.ENUM)
        value = token.text.rpartition(".")[2]
        among = enum.below if enum is not None else tuple(document.names.of(NameKind.VALUE))
        declared = next((each for each in among if each.name == value), None)
        return _of_declared(document, declared, start, end, known) if declared else None
    entry = cursor.map
    if token.role is TokenRole.PARAMETER and entry is not None and token.text in parameters(entry):
        said = entry.get("params", token.text)
        doc = (said.text if said.is_scalar else said.said("doc")) if said is not None else ""
        return NamedPlace(start, end, note=f"parameter `{token.text}`" + f": {' '.join(doc.split())}" * bool(doc))
    return None


def _of_type(document: SpecDocument, name: str, start: int, end: int) -> NamedPlace | None:
    declared = document.names.find(name, *TYPES)
    if declared is not None:
        return NamedPlace(start, end, declared)
    package, _, last = name.partition(".")
    used = document.used.get(package)
    if used is not None and (declared := used.names.find(last, *TYPES)):
        return NamedPlace(start, end, declared, of=used)
    return NamedPlace(start, end, note=f"`{name}`: {TYPE_WORDS[name]}") if name in TYPE_WORDS else None


@frozen
class Target:
    """Where something is defined: in this spec from `start` to `end`, or in a file, at a line and column from 0."""

    start: int = 0
    end: int = 0
    path: Path | None = None
    line: int = 0
    column: int = 0


def targets(document: SpecDocument, offset: int, known: DeclaredInC | None) -> list[Target]:
    """Where what stands here is defined: in the spec, in one that it uses, or in a header."""
    if (file := _file(document, offset)) is not None:
        return [Target(path=file)]
    found = subject(document, offset, known)
    if found is None:
        return []
    if found.prelude is not None:
        return [Target(*found.prelude)]
    entities = [_in_header(each.place) for each in found.entities if each.place is not None]
    declared = found.declared
    if declared is None or (entities and declared.start <= offset <= declared.end):
        return list(dict.fromkeys(entities))
    if found.of is not None:
        line, column = found.of.lines.position(declared.start)
        return [Target(path=found.of.path, line=line, column=column)]
    return [Target(declared.start, declared.end)]


def _in_header(place: HeaderPlace) -> Target:
    return Target(path=Path(place.path), line=place.line - 1, column=place.column - 1)


def _file(document: SpecDocument, offset: int) -> Path | None:
    """The file that a value names: a header, a source, or a spec."""
    cursor = document.outline.at(offset)
    if cursor.node is None or not cursor.node.text.strip():
        return None
    name = cursor.node.text.strip()
    if "cpp_include" in cursor.path:
        return document.headers.paths.get(name.strip("<>"))
    if "sources" in cursor.path or "uses" in cursor.path:
        found = document.path.parent / name
        return found if found.is_file() else None
    return None


def hover(found: NamedPlace, document: SpecDocument) -> str:
    """What is shown of a subject, in Markdown."""
    parts: list[str] = []
    if found.note:
        parts.append(found.note)
    if found.declared is not None:
        parts += _declared(found.declared, found.of or document, has_entities=bool(found.entities))
    if found.prelude is not None:
        start = document.text.rfind("\n", 0, found.prelude[0]) + 1
        parts.append(f"```cpp\n{document.text[start : document.text.find(chr(10), start)].strip()}\n```")
    parts += [each for entity in found.entities[:3] for each in _entity(entity)]
    if found.about is not None:
        parts.append(schema.documentation(found.key, found.about))
    return "\n\n".join(filter(None, parts))


def _declared(declared: Declared, document: SpecDocument, *, has_entities: bool) -> Iterator[str]:
    kind = f"{declared.kind} of {declared.owner}" if declared.owner else str(declared.kind)
    if declared.kind is NameKind.VALUE:
        kind = f"value of the enum {declared.owner}"
    called = "" if has_entities else next(iter(document.c_names.of(declared)), "")
    yield f"**{declared.name}** ({kind})" + f": `{called}`" * bool(called)
    yield declared.doc


def _entity(entity: Entity) -> Iterator[str]:
    yield f"```cpp\n{entity.shown}\n```"
    yield entity.doc.replace("<", "\\<")
    if entity.place is not None:
        yield f"*{entity.place}*" + " (deprecated)" * entity.is_deprecated
