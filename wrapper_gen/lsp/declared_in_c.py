"""What headers declare, by name: the declaration as C has it, its comment, and where it stands."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from wrapper_gen.frozen import frozen
from wrapper_gen.headers import CFunction, Constant, Declaration, Enum, HeaderPlace, Headers, Record, Typedef
from wrapper_gen.headers.shown import shown_function, shown_parameter

_MOST_MEMBERS = 20


@frozen
class Entity:
    """Something of C or C++: `kind` is `function`, `member`, `type`, `constant` or `macro`."""

    name: str
    qualified: str
    kind: str
    shown: str
    """The declaration, in C's words."""
    doc: str = ""
    place: HeaderPlace | None = None
    function: CFunction | None = None
    is_deprecated: bool = False


class DeclaredInC:
    """The names of some headers."""

    def __init__(self, headers: Headers) -> None:
        self.headers = headers
        self._by_name: defaultdict[str, list[Entity]] = defaultdict(list)
        self._classes: defaultdict[str, list[Entity]] = defaultdict(list)
        for each in _entities(headers):
            for name in {each.name, each.qualified} if each.kind != "member" else {each.qualified}:
                self._by_name[name].append(each)
        for record in headers.records.values():
            for name in (record.name, record.qualified, *(each.removesuffix(" *") for each in record.typedefs)):
                self._classes[name] = [_function(each) for each in record.functions]
        self.functions = [_function(each) for each in headers.functions]
        self.macros = [_macro(name, taken) for name, taken in headers.macros.items()]

    def find(self, name: str, first: str = "function") -> list[Entity]:
        """What a name stands for, what is of this kind first: of C++, a class and its constructors."""
        name = name.removeprefix("::").replace(" ", "")
        return sorted(self._by_name.get(name, []), key=lambda each: each.kind != first)

    def members(self, cpp_type: str) -> list[Entity]:
        """The functions of a class."""
        return self._classes.get(cpp_type) or self._classes.get(cpp_type.rpartition("::")[2], [])

    def constants(self) -> Iterator[Entity]:
        """Macros and values of enums."""
        for listed in self._by_name.values():
            yield from (each for each in listed if each.kind == "constant")

    def types(self) -> Iterator[Entity]:
        """Structs, classes, enums and typedefs."""
        for listed in self._by_name.values():
            yield from (each for each in listed if each.kind == "type")


def _entities(headers: Headers) -> Iterator[Entity]:
    for function in headers.all_functions():
        yield _function(function)
    for record in headers.records.values():
        yield _of(record, "type", _record(record))
        for name in record.typedefs:
            yield _of(record, "type", _record(record), name.removesuffix(" *"))
        for field in record.fields:
            shown = f"{shown_parameter(field.type.spelling, field.name)};  // of {record.qualified}"
            for name in {record.qualified, *(each.removesuffix(" *") for each in record.typedefs)}:
                yield Entity(field.name, f"{name}::{field.name}", "member", shown, field.doc.text, record.place)
    for enum in headers.enums.values():
        shown = _enum(enum)
        if enum.name:
            yield _of(enum, "type", shown)
        for name in enum.typedefs:
            yield _of(enum, "type", shown, name)
        scope = f"{enum.qualified}::" if enum.is_scoped else enum.qualified.rpartition("::")[0]
        for value in enum.values:
            qualified = f"{scope}{'' if scope.endswith('::') or not scope else '::'}{value.name}"
            of = f"  // of {enum.qualified or 'an enum'}"
            text = f"{value.name} = {value.value}{of}"
            yield Entity(value.name, qualified, "constant", text, value.doc.text or enum.doc.text, enum.place)
    for typedef in headers.typedefs.values():
        yield _of(typedef, "type", _typedef(typedef))
    for constant in headers.constants.values():
        yield _of(constant, "constant", _constant(constant))
    for name, taken in headers.macros.items():
        yield _macro(name, taken)


def _of(declared: Declaration, kind: str, shown: str, name: str = "") -> Entity:
    return Entity(
        name or declared.name,
        name or declared.qualified,
        kind,
        shown,
        declared.doc.text,
        declared.place,
        is_deprecated=declared.is_deprecated,
    )


def _function(function: CFunction) -> Entity:
    return Entity(
        function.name,
        function.qualified,
        "function",
        shown_function(function),
        function.doc.text,
        function.place,
        function,
        function.is_deprecated,
    )


def _macro(name: str, taken: tuple[str, ...]) -> Entity:
    return Entity(name, name, "macro", f"#define {name}({', '.join(taken)}) …")


def _record(record: Record) -> str:
    if not record.is_defined:
        return f"{record.tag} {record.qualified};"
    lines = [f"    {shown_parameter(each.type.spelling, each.name)};" for each in record.fields[:_MOST_MEMBERS]]
    lines += ["    …"] * (len(record.fields) > _MOST_MEMBERS)
    above = " : " + ", ".join(each.name for each in record.bases) if record.bases else ""
    return "\n".join([f"{record.tag} {record.qualified}{above} {{", *lines, "};"])


def _enum(enum: Enum) -> str:
    lines = [f"    {each.name} = {each.value}," for each in enum.values[:_MOST_MEMBERS]]
    lines += ["    …"] * (len(enum.values) > _MOST_MEMBERS)
    return "\n".join([f"enum {'class ' * enum.is_scoped}{enum.qualified} {{", *lines, "};"])


def _typedef(typedef: Typedef) -> str:
    return f"typedef {shown_parameter(typedef.type.spelling, typedef.name)};"


def _constant(constant: Constant) -> str:
    if constant.is_macro:
        return f"#define {constant.name} {_tight(constant.text)}"
    return f"{constant.type} {constant.qualified} = {constant.value!r}"


def _tight(text: str) -> str:
    """A negative number in brackets as people write it."""
    return re.sub(r"\( - (\w+) \)", r"(-\1)", text)
