"""What can be typed at a place of a spec: keys, values that the schema lists, names of the spec and of its library."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from wrapper_gen.frozen import frozen, replace
from wrapper_gen.lsp import schema, signature_tokens
from wrapper_gen.lsp.declared_in_c import DeclaredInC, Entity
from wrapper_gen.lsp.draft_signatures import TypesOfC, draft, draft_call
from wrapper_gen.lsp.outline import Cursor, Outline, OutlineNode, Path
from wrapper_gen.lsp.places import is_type
from wrapper_gen.lsp.signature_tokens import TokenRole
from wrapper_gen.lsp.spec_document import SpecDocument, items, parameters
from wrapper_gen.lsp.spec_names import TYPES, NameKind
from wrapper_gen.lsp.type_words import TYPE_WORDS

MOST = 400
"""Suggestions of one answer; the editor asks again when more is typed."""
_LONGEST_DOC = 1200
"""Characters of documentation that a suggestion shows."""
_MARK = "x"
"""What is put in at the cursor, so that something stands there."""
_BEFORE = re.compile(r"[A-Za-z_][\w.:]*$|$")
_AFTER = re.compile(r"\w*")
_ENTRIES = ("functions", "methods", "fields", "types", "entries")
_HOLDS_NAMES = ("holds", "holds_last", "lets_go", "takes", "belongs_to", "ends")
_WORDS = {
    "raises": ("nothing",),
    "belongs_to": ("self", "nothing"),
    "holds": ("nothing",),
    "lets_go": ("all",),
    "ends": ("all", "self"),
    "release": ("nothing",),
    "capacity": ("ask",),
    "length": ("value", "&length"),
    "stream": ("true",),
    "on_null": ("errno",),
    "on_failure": ("unchanged", "garbage"),
    "async": ("thread",),
    "scope": ("call", "once", "object", "held"),
    "thread": ("any", "exclusive"),
}
_CONSTANTS = ("ok", "when", "none", "values", "grow")
_CPP = frozenset(
    "cpp cpp_body cpp_default cpp_prelude release status message code result on_null make data next valid "
    "length cpp_fn cpp_method drop_fn capacity init shutdown on_exception set empty tag cases user_data "
    "identity ends on_failure cpp_params".split()
)
"""Keys whose values are C++, or have some."""


@frozen
class Completion:
    """A suggestion: `insert` takes the place of the text from `start` to `end`."""

    label: str
    kind: str
    insert: str
    start: int
    end: int
    detail: str = ""
    doc: str = ""
    order: int = 0
    filter: str = ""
    is_snippet: bool = False
    is_deprecated: bool = False


def completions(
    document: SpecDocument, offset: int, known: DeclaredInC | None, *, snippets: bool = False
) -> list[Completion]:
    """What can be typed here; `known` is what the headers declare, where they are read by now."""
    text = document.text
    marked = Outline(text[:offset] + _MARK + text[offset:])
    cursor = marked.at(offset + 1)
    if _is_in_comment(text, offset, cursor):
        return []
    return _Completer(document, offset, known, cursor, snippets=snippets).found()


def _is_in_comment(text: str, offset: int, cursor: Cursor) -> bool:
    before = text[text.rfind("\n", 0, offset) + 1 : offset]
    is_scalar = cursor.node is not None and cursor.node.start < offset - len(before.partition("#")[2])
    return bool(re.search(r"(?:^|\s)#", before)) and not (is_scalar and cursor.node and cursor.node.style)


class _Completer:
    def __init__(
        self, document: SpecDocument, offset: int, known: DeclaredInC | None, cursor: Cursor, *, snippets: bool
    ) -> None:
        self.document, self.offset, self.known, self.cursor = document, offset, known, cursor
        self.snippets = snippets
        before = _BEFORE.search(document.text, document.text.rfind("\n", 0, offset) + 1, offset)
        self.start = before.start() if before else offset
        after = _AFTER.match(document.text, offset)
        self.end = after.end() if after else offset
        self.entry = cursor.entry(*_ENTRIES)

    def found(self) -> list[Completion]:
        """All suggestions, in order."""
        cursor, path = self.cursor, self.cursor.path
        if cursor.is_key:
            return list(self._keys(path[:-1], cursor.map))
        node = cursor.node
        if node is not None and not node.style:
            if isinstance(path[-1], int) and schema.is_mapping(path):
                return list(self._items())
            if self._is_on_own_line() and (own := list(self._below())):
                return own
        return list(islice(self._values(cursor.key), MOST))

    def _items(self) -> Iterator[Completion]:
        """The keys with which an item of a list can begin; in brackets, in braces of its own."""
        is_flow = bool(self.cursor.around) and self.cursor.around[-1].is_flow
        for each in self._keys(self.cursor.path, None):
            if is_flow and self.snippets:
                inside = each.insert if each.is_snippet else f"{each.insert}$0"
                yield replace(each, insert=f"{{{inside}}}", is_snippet=True)
            else:
                yield each

    def _below(self) -> Iterator[Completion]:
        """What can begin on the line below a key: a mapping, or a list of mappings."""
        path = self.cursor.path
        if "object" in schema.types(schema.about(path) or {}):
            yield from self._keys(path, None)
        elif schema.is_mapping((*path, 0)):
            yield from self._keys((*path, 0), None, before="- ")

    def _is_on_own_line(self) -> bool:
        line = self.document.text[self.document.text.rfind("\n", 0, self.offset) + 1 : self.start]
        return not line.strip()

    # --- keys ---

    def _keys(self, path: Path, within: OutlineNode | None, before: str = "") -> Iterator[Completion]:
        others = set(within.keys) if within is not None else set()
        pair = self.cursor.pair if within is not None else None
        has_colon = pair is not None and pair.has_colon
        for order, (key, about) in enumerate(schema.keys(path).items()):
            if key in others:
                continue
            insert, is_snippet = f"{before}{key}{': ' * (not has_colon)}", False
            if key == "def" and self.snippets and not has_colon:
                insert, is_snippet = f'{before}def: "$0"', True
            doc = schema.documentation(key, about)
            yield self._item(key, "key", insert, doc=doc, order=order, is_snippet=is_snippet)
        if not schema.keys(path):
            for name, kind in self._names_as_keys(path):
                if name not in others:
                    yield self._item(name, kind, f"{name}{': ' * (not has_colon)}")

    def _names_as_keys(self, path: Path) -> Iterator[tuple[str, str]]:
        """The keys of a mapping that has names of the spec for keys."""
        key = next((each for each in reversed(path) if isinstance(each, str)), "")
        if key in ("message", "code", "cpp", "ends", "belongs_to", "release"):
            yield from ((each.name, "class") for each in self.document.names.of(NameKind.CLASS))
        if key in ("message", "code"):
            yield "else", "word"
        if self.entry is not None and key not in ("for", "fields", "cases"):
            yield from ((each, "parameter") for each in parameters(self.entry))
            yield from ((each, "parameter") for each in items(self.entry))
            if key == "params":
                yield "return", "word"

    # --- values ---

    def _values(self, key: str) -> Iterator[Completion]:
        path = self.cursor.path
        about = schema.about(path) or {}
        listed = [*schema.values(about), *(each for each in _WORDS.get(key, ()) if schema.about(path) is not None)]
        yield from (self._item(each, "word", each) for each in dict.fromkeys(listed))
        if key == "def":
            yield from self._signature()
        elif is_type(path):
            yield from self._types()
        elif key == "extends":
            yield from self._of_spec(NameKind.CLASS, NameKind.STRUCT)
        elif key in _HOLDS_NAMES:
            is_of_class = self.entry is None and key == "belongs_to"
            yield from self._of_spec(NameKind.CLASS) if is_of_class else self._of_entry()
        elif key == "raises":
            yield from self._of_spec(NameKind.ERROR)
        elif key == "also":
            yield from (self._item(each, "error", each) for each in _exceptions())
        elif key == "uses" or (len(path) > 1 and path[-2] == "uses"):
            yield from self._specs()
        elif key in _CONSTANTS:
            yield from self._constants(key)
        elif key == "cpp_type":
            yield from self._of_c(self.known.types() if self.known else ())
        elif self.cursor.node is not None and not _CPP.isdisjoint(path[-3:]) and "params" not in path:
            yield from self._cpp()

    def _typed(self) -> str:
        """What stands in the scalar before the cursor."""
        node = self.cursor.node
        return node.text[: max(self.offset - node.inner, 0)] if node is not None else ""

    def _signature(self) -> Iterator[Completion]:
        match signature_tokens.expected(_without_last_word(self._typed())):
            case TokenRole.NAME:
                yield from self._functions()
                yield from self._of_spec(NameKind.CLASS)
            case TokenRole.TYPE | TokenRole.KEYWORD:
                yield from self._types()
            case TokenRole.DEFAULT:
                yield from self._defaults()
            case TokenRole.DIMENSION:
                yield from self._of_entry()
            case TokenRole.PARAMETER:
                yield from self._c_parameters()

    def _functions(self) -> Iterator[Completion]:
        """The functions of C that the `def` can stand for, with the signatures that they may have."""
        if self.known is None:
            return
        node = self.cursor.node
        owner = self._owner()
        types = TypesOfC(self.document.names, self.known.headers)
        is_bare = node is not None and not node.style
        rest = self.document.text[self.end : self.end + 1]
        for name, entity in self.document.c_names.offered(self.known, owner):
            signature = draft(name, entity.function, owner, types) if entity.function and rest != "(" else name
            insert = f'"{signature}"' if is_bare else signature
            yield self._item(
                name,
                "function",
                insert,
                detail=entity.shown,
                doc=entity.doc,
                filter=f"{name} {entity.name}" if name != entity.name else name,
                is_deprecated=entity.is_deprecated,
            )

    def _c_parameters(self) -> Iterator[Completion]:
        """The names that C has for the parameters of what the `def` stands for."""
        node = self.cursor.node
        if self.known is None or node is None:
            return
        declared = next((each for each in self.document.names.all if node.start <= each.start < self.offset), None)
        if declared is None:
            return
        typed = set(parameters(self.entry))
        types = TypesOfC(self.document.names, self.known.headers)
        has_colon = self.document.text[self.end : self.end + 1] == ":"
        for entity in self.document.c_names.found(declared, self.known):
            for i, each in enumerate(entity.function.parameters if entity.function else ()):
                is_object = i == 0 and declared.owner and types.own(each.type) == declared.owner
                if each.name and each.name not in typed and not is_object:
                    insert = each.name if has_colon else f"{each.name}: {types.spelled(each.type)}"
                    yield self._item(each.name, "parameter", insert, detail=f"{each.type.spelling} of {entity.name}")

    def _owner(self) -> str:
        """The class or struct in which the cursor is."""
        path, around = self.cursor.path, self.cursor.around
        for at, key in enumerate(path):
            if key in ("handle_types", "structs") and at + 2 < len(around):
                return around[at + 2].said("name")
        return ""

    def _types(self) -> Iterator[Completion]:
        yield from self._of_spec(*TYPES)
        for name, used in self.document.used.items():
            for each in used.names.of(*TYPES):
                yield self._item(f"{name}.{each.name}", each.kind, f"{name}.{each.name}", doc=each.doc)
        for word in signature_tokens.builtin_types():
            yield self._item(word, "type", word, doc=TYPE_WORDS.get(word, ""), order=1)

    def _defaults(self) -> Iterator[Completion]:
        before = signature_tokens.tokens(self._typed(), is_type=self.cursor.key != "def")
        type_ = next((each.text for each in reversed([*before]) if each.role is TokenRole.TYPE), "")
        enum = self.document.names.find(type_, NameKind.ENUM)
        for each in enum.below if enum is not None else self.document.names.of(NameKind.VALUE):
            yield self._item(each.name, each.kind, each.name, detail=f"{each.kind} {each.owner}")
        yield from (self._item(each, "word", each, order=1) for each in ("None", "True", "False", "..."))

    def _of_spec(self, *kinds: NameKind) -> Iterator[Completion]:
        for each in self.document.names.of(*kinds):
            detail = f"{each.kind} {each.owner}".strip() if each.owner else str(each.kind)
            yield self._item(each.name, each.kind, each.name, detail=detail, doc=each.doc)

    def _of_entry(self) -> Iterator[Completion]:
        for each in dict.fromkeys([*parameters(self.entry), *items(self.entry)]):
            yield self._item(each, "parameter", each)

    def _specs(self) -> Iterator[Completion]:
        """Specs beside this one."""
        try:
            beside = sorted(self.document.path.parent.glob("*.wrapper_spec"))
        except OSError:
            return
        yield from (self._item(each.name, "file", each.name) for each in beside if each != self.document.path)

    def _constants(self, key: str) -> Iterator[Completion]:
        """Constants of C; those of a list of values without the prefix that the enum says."""
        enum = self.cursor.entry("enums")
        prefix = enum.said("prefix") if enum is not None and isinstance(self.cursor.path[-1], int) else ""
        if self.known is None:
            return

        def name(entity: Entity) -> str:
            return entity.qualified if "::" in prefix or "::" in entity.qualified else entity.name

        found = [each for each in self.known.constants() if name(each).startswith(prefix)]
        yield from self._of_c(found, lambda each: name(each).removeprefix(prefix))

    def _cpp(self) -> Iterator[Completion]:
        """Names in C++: of the entry, then of the library."""
        yield from self._of_entry()
        for word in ("self", "value", "out", "&out", "&self", "&_"):
            yield self._item(word, "word", word, order=1)
        if self.known is None:
            return
        owner = self._owner()
        if owner and self.document.c_names.prefix(owner) is None:
            yield from self._of_c(self.known.members(self.document.c_names.cpp_class(owner)))
        yield from self._of_c([*self.known.functions, *self.known.macros], lambda each: each.qualified)
        yield from self._calls(owner, self.known)
        yield from self._of_c(self.known.constants(), lambda each: each.qualified)

    def _calls(self, owner: str, known: DeclaredInC) -> Iterator[Completion]:
        """Whole calls, where nothing but a name is typed: with C's arguments, as far as the entry tells them."""
        is_start = not _without_last_word(self._typed()).strip()
        is_end = self.document.text[self.end : self.end + 1] != "("
        node = self.cursor.node
        if self.cursor.key != "cpp" or not is_start or not is_end or node is None or self.entry is None:
            return
        types = TypesOfC(self.document.names, known.headers)
        taken, written = parameters(self.entry), items(self.entry)
        is_made = bool(owner) and self.entry.said("def").startswith(f"{owner}(")
        for each in self._of_c(known.functions, lambda each: each.qualified):
            function = known.find(each.label)[0].function
            if function is not None and function.parameters:
                arguments = draft_call(function, owner, taken, written, types, is_made=is_made)
                call = f"{each.label}({', '.join(arguments)})"
                insert = call if node.style else f'"{call}"'
                more = {"detail": each.detail, "doc": each.doc, "order": each.order, "filter": each.label}
                yield self._item(call, "function", insert, **more)

    def _of_c(
        self, entities: Iterable[Entity], name: Callable[[Entity], str] = lambda each: each.name
    ) -> Iterator[Completion]:
        typed = self.document.text[self.start : self.offset].lower()
        prefix = self.document.c_names.prefix(self._owner()) or ""
        seen = set()
        for each in entities:
            label = name(each)
            if not label or label in seen or typed not in label.lower():
                continue
            seen.add(label)
            more = {"detail": each.shown.partition("\n")[0], "doc": each.doc, "is_deprecated": each.is_deprecated}
            yield self._item(label, each.kind, label, order=2 if label.startswith(prefix) else 3, **more)

    def _item(self, label: str, kind: str, insert: str, **more: Any) -> Completion:
        start, end = self.start, self.end
        node = self.cursor.node
        if insert.startswith('"') and node is not None and kind == "function":  # the whole value, with quotes
            line_end = self.document.lines.end_of_line(self.offset)
            start, end = node.start, min(max(node.end - len(_MARK), self.offset), line_end)
        elif kind in ("word", "key") and insert.startswith("&") and self.document.text[start - 1 : start] == "&":
            start -= 1
        doc = _short(more.pop("doc", ""))
        return Completion(label, kind, insert, start, end, doc=doc, **more)


def _short(doc: str) -> str:
    """The beginning of a comment, which in a header may be a page; hovering shows all of it."""
    if len(doc) <= _LONGEST_DOC:
        return doc
    paragraphs = doc[:_LONGEST_DOC].rpartition("\n\n")[0] or doc[:_LONGEST_DOC].rpartition(" ")[0]
    return f"{paragraphs} …"


def _without_last_word(text: str) -> str:
    return re.sub(r"[A-Za-z_][\w.:]*\Z", "", text)


def _exceptions() -> list[str]:
    found = ((name, getattr(builtins, name)) for name in dir(builtins) if not name.startswith("_"))
    return [name for name, each in found if isinstance(each, type) and issubclass(each, Exception)]
