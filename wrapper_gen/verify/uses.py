"""Which declarations of the headers a spec speaks of, and which entries do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

from wrapper_gen.cpp_tokens import placed_tokens
from wrapper_gen.diagnostics import Span
from wrapper_gen.explain import Explanation
from wrapper_gen.explain.calls import ChosenCall
from wrapper_gen.explain.entries import shown_name
from wrapper_gen.frozen import frozen
from wrapper_gen.headers import CFunction, FunctionKind, Headers, Record
from wrapper_gen.model import Code, EnumType, HandleType, Module, Representation, StructType
from wrapper_gen.model import Function as Entry

_Key = TypeVar("_Key")
_CPP = frozenset(
    "capacity cast cpp cpp_type data free grow length make member members none ok said tag until value when".split()
)
"""The attributes of a module's parts that have C++ as text."""


@frozen
class HeaderUse:
    """An entry of a spec, or a part of it, that relies on a declaration."""

    entry: str
    span: Span


@frozen
class SpecUses:
    """What a spec relies on: functions, values and fields, each with the entries."""

    functions: dict[str, tuple[HeaderUse, ...]]
    """By the qualified name of the function: also those that the headers do not declare (any more)."""
    chosen: dict[str, tuple[HeaderUse, ...]]
    """By the key of the declaration that the compiler has chosen for a call."""
    values: dict[str, dict[str, tuple[HeaderUse, ...]]]
    """Macros and values of enums, by their last name, then by the whole name that the spec writes: `Line::LATITUDE`."""
    fields: dict[tuple[str, str], tuple[HeaderUse, ...]]
    """By the record's qualified name, and the field's."""
    words: dict[str, tuple[HeaderUse, ...]]
    """All names that the spec's C++ has; those of members begin with a dot."""


def uses_of(module: Module, entries: Sequence[Explanation], headers: Headers) -> SpecUses:
    """Everything that a spec relies on."""
    written = _written_names(module)
    words = {last: tuple(dict.fromkeys(chain(*named.values()))) for last, named in written.items()}
    functions: defaultdict[str, list[HeaderUse]] = defaultdict(list)
    chosen: defaultdict[str, list[HeaderUse]] = defaultdict(list)
    fields: defaultdict[tuple[str, str], list[HeaderUse]] = defaultdict(list)
    index = FunctionIndex(headers)
    for entry in entries:
        use = HeaderUse(entry.name, entry.span)
        for call in entry.calls:
            for each in index.called(call):
                functions[each.qualified].append(use)
                chosen[each.key].append(use)
    for word, used in words.items():
        for name in index.of_word(word):
            functions[name] += used
    for record in _records(module, headers):
        for field in record.fields:
            fields[record.qualified, field.name] += (*words.get(field.name, ()), *words.get(f".{field.name}", ()))
    return SpecUses(
        functions=_each_once(functions),
        chosen=_each_once(chosen),
        values=written,
        fields={key: used for key, used in _each_once(fields).items() if used},
        words=words,
    )


def _each_once(found: Mapping[_Key, list[HeaderUse]]) -> dict[_Key, tuple[HeaderUse, ...]]:
    return {key: tuple(dict.fromkeys(used)) for key, used in found.items()}


class FunctionIndex:
    """Finds functions of headers by what a call says."""

    def __init__(self, headers: Headers) -> None:
        self._is_c = headers.language == "c"
        self._by_last: defaultdict[str, list[CFunction]] = defaultdict(list)
        self._bodies = headers.macro_texts
        for each in headers.all_functions():
            self._by_last[each.name].append(each)

    def named(self, callee: str) -> list[CFunction]:
        """Functions with this name, of which namespaces may be left out."""
        name = _plain(callee)
        found = [f for f in self._by_last.get(name.rpartition("::")[2], ()) if ends_with(f.qualified, name)]
        if "::" not in name:
            return [f for f in found if not f.owner] or found
        exact = [f for f in found if f.qualified == name]
        return exact or found

    def called(self, call: ChosenCall) -> list[CFunction]:
        """The function that a call is of; several where it does not tell the overload."""
        if call.kind not in ("function", "member", "virtual", "constructor"):
            return []
        named = self.named(call.callee)
        if call.kind == "constructor":
            owned = _plain(call.callee)
            named = [
                each
                for each in self._by_last.get(owned.rpartition("::")[2], ())
                if each.kind is FunctionKind.CONSTRUCTOR and ends_with(each.owner, owned)
            ]
        if len(named) <= 1:
            return named
        count = len(call.arguments) + call.defaults
        fitting = [each for each in named if len(each.parameters) == count] or named
        return [each for each in fitting if call.signature.endswith(" const") == each.is_const] or fitting

    def of_word(self, word: str) -> Iterator[str]:
        """The functions that a bare name in the spec's C++ stands for; of a macro, those that it calls."""
        for each in self._by_last.get(word, ()):
            if not each.owner:
                yield each.qualified
        if word in self._bodies:
            for token in placed_tokens(self._bodies[word]):
                if token.text != word:
                    yield from (f.qualified for f in self._by_last.get(token.text, ()) if not f.owner)


def ends_with(qualified: str, name: str) -> bool:
    """Whether a name is this one, of which namespaces and classes may be left out."""
    return qualified == name or qualified.endswith(f"::{name}")


def _plain(name: str) -> str:
    """Without arguments of templates, and without what says that it is in the global namespace."""
    return name.partition("<")[0].removeprefix("::").strip()


def _records(module: Module, headers: Headers) -> Iterator[Record]:
    """The records whose members a spec reads."""
    types = [
        *(each.cpp_type for each in (*module.structs, *module.options)),
        *(each.cpp_type for each in module.handles),
        *(each.cpp_type for each in module.representations),
    ]
    yield from dict.fromkeys(record for each in types if (record := record_named(each.text, headers)))


def record_named(cpp_type: str, headers: Headers) -> Record | None:
    """The record that a C++ type of a spec is, or points to."""
    words = [t.text for t in placed_tokens(cpp_type) if t.text not in ("const", "struct", "class", "union", "*", "&")]
    name = "".join(words).removeprefix("::")
    if name.startswith(("std::unique_ptr<", "std::shared_ptr<")):
        name = name.partition("<")[2].rstrip(">").partition(",")[0]
    for record in headers.records.values():
        named = {record.qualified, *(each.removesuffix(" *") for each in record.typedefs)}
        if name in named or any(ends_with(each, name) for each in named):
            return record
    return None


def _written_names(module: Module) -> dict[str, dict[str, tuple[HeaderUse, ...]]]:
    """All names in the C++ of a spec with the parts of it that have them: by the last name, then by the whole one."""
    found: defaultdict[str, defaultdict[str, list[HeaderUse]]] = defaultdict(lambda: defaultdict(list))
    for name, part in _parts(module):
        for text, span in code_of(part, getattr(part, "span", module.span)):
            for last, whole, line in _names(text):
                place = span._replace(line=span.line + line, column=1) if line else span
                found[last][whole].append(HeaderUse(name, Span(*place)))
    return {last: _each_once(named) for last, named in found.items()}


def _names(text: str) -> Iterator[tuple[str, str, int]]:
    """The names in C++, those of members with a dot; each with the names that qualify it, and the line, from 0."""
    before = whole = ""
    for token in placed_tokens(text):
        if token.text[0].isalpha() or token.text[0] == "_":
            whole = f"{whole}::{token.text}" if before == "::" and whole else token.text
            dot = "." * (before in (".", "->"))
            yield dot + token.text, dot + whole, text.count("\n", 0, token.start)
        elif token.text != "::":
            whole = ""
        before = token.text


def _parts(module: Module) -> Iterator[tuple[str, object]]:
    for each in module.callables:
        yield shown_name(each, module), each
    parts: list[HandleType | EnumType | StructType | Representation]
    parts = [*module.handles, *module.enums, *module.structs, *module.options, *module.representations]
    yield from ((part.name, part) for part in parts)
    for error in module.errors:
        yield error.exception, error
    if module.prelude:
        yield "cpp_prelude", module.prelude
    if module.library.init:
        yield "wrapper_lib", module.library.init


def code_of(part: object, span: Span) -> Iterator[tuple[str, Span]]:
    """The C++ in a part of a module, with its places."""
    """The C++ within a part of a module: the text of code, and of expressions."""
    if isinstance(part, Code):
        yield part.text, part.span if part.literal else Span(*part.span)
        return
    own = getattr(part, "span", span)
    for name in getattr(type(part), "__match_args__", ()):
        value = getattr(part, name)
        if isinstance(value, Entry):
            continue
        for each in _flat(value):
            if isinstance(each, str):
                if name in _CPP:
                    yield each, own
            elif not isinstance(each, Span):
                yield from code_of(each, own)


def _flat(value: Any) -> Iterable[Any]:
    if isinstance(value, tuple) and not isinstance(value, Span):
        return (inner for each in value for inner in _flat(each))
    return (value,)
