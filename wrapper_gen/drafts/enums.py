"""The enums of a draft: those of the header, and groups of macros."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wrapper_gen.drafts import decisions as of
from wrapper_gen.drafts.decisions import Decisions, MacroEnum
from wrapper_gen.drafts.documentation import doc_of, enum_doc
from wrapper_gen.drafts.naming import class_name, shared_start, usable
from wrapper_gen.drafts.report import Became, Row
from wrapper_gen.drafts.spec_text import Entry
from wrapper_gen.headers import Enum

_BITS = re.compile(
    r"\bbit(?:[ -]?(?:masks?|fields?|flags?|wise)|[- ]?or)\b|\bbitor'?ed\b|\bor(?:'|-)ed\b", re.IGNORECASE
)
"""What a comment says of an enum whose values are put together."""
_GOOD = re.compile(r"[A-Za-z]\w*")


class Enums:
    """Entries of enums, and Python's names of them by those of C and C++."""

    def __init__(self, decisions: Decisions, taken: set[str]) -> None:
        self._decisions = decisions
        self.taken = taken
        self.names: dict[str, str] = {}
        self.values: dict[str, dict[str, str]] = {}
        """By Python's name of the enum, Python's names of values by C's."""
        self.takers: dict[tuple[str, str], str] = {}
        """By the key of a function and the name of a parameter, the enum of a group that it takes."""
        self.asked: dict[tuple[str, str], str] = {}
        """The same of those that may take one."""
        self.rows: list[Row] = []
        self.entries = [*self._declared(), *self._macros()]

    def _declared(self) -> Iterator[Entry]:
        is_c = self._decisions.options.is_c
        functions = {each.qualified for each in self._decisions.headers.functions}
        for each in self._decisions.headers.enums.values():
            shown = each.qualified or (each.typedefs[0] if each.typedefs else "")
            if not each.values or not shown or "(" in shown or shown.endswith("*"):
                continue
            if self._is_of_skipped(each):
                self.rows.append(Row(each, Became.LEFT_OUT, f"of {each.owner}, which is left out"))
                continue
            name = self._free(class_name(shown, self._decisions.options.prefix), shown)
            self.names[each.qualified or shown] = name
            scope = self._scope(each, is_c=is_c)
            start, values = _without_start([value.name for value in each.values], is_scoped=each.is_scoped)
            self.values[name] = dict(zip((value.name for value in each.values), values, strict=True))
            tagged = f"enum {shown}" if shown in functions else shown  # a function of the same name hides it
            doc = enum_doc(self._decisions.headers, each, values)
            data = {"name": name, "cpp_type": tagged, "doc": doc, "flags": _is_flags(each) or None}
            yield Entry(data | _values(scope + start, values, start), key=each.key)
            self.rows.append(Row(each, Became.WRITTEN))

    def _is_of_skipped(self, each: Enum) -> bool:
        """Whether the class of an enum is left out, and no function of another one has a value of it."""
        owner = self._decisions.role(each.owner) if each.owner else None
        if owner is None or owner.kind != of.SKIPPED:
            return False
        types = (
            type_.target or type_
            for function in self._decisions.functions
            if function.owner != each.owner
            for type_ in (function.result, *(one.type for one in function.parameters))
        )
        return not any(type_.name == each.qualified for type_ in types)

    def _free(self, name: str, shown: str) -> str:
        if name in self.taken and "::" in shown:
            name = class_name(shown.rsplit("::", 1)[0], "") + name
        while name in self.taken:
            name += "Value"
        self.taken.add(name)
        return name

    @staticmethod
    def _scope(each: Enum, *, is_c: bool) -> str:
        if is_c:
            return ""
        whole = each.qualified if each.is_scoped else each.qualified.rpartition("::")[0]
        return f"{whole}::" if whole else ""

    def _macros(self) -> Iterator[Entry]:
        headers = self._decisions.headers
        declared = {value.name for each in headers.enums.values() for value in each.values if each.name}
        for each in self._decisions.macro_enums:
            if set(each.names) <= declared:  # `#define A A`, beside the enum
                continue
            name = self._free(each.name, "")
            self.takers |= dict.fromkeys(each.takers, name)
            self.asked |= dict.fromkeys(each.asked, name)
            start, values = _macro_values(each)
            said = [
                (own, doc_of(headers.constants[c].doc, is_item=True))
                for c, own in zip(each.names, values, strict=True)
                if c in headers.constants
            ]
            doc = "\n".join(f"- {own}: {about}" for own, about in said if about) or None
            data = {"name": name, "cpp_type": "int", "doc": doc, "flags": each.is_flags or None}
            self.values[name] = dict(zip(each.names, values, strict=True))
            yield Entry(data | _values(start, values, start), key=f"#define {each.names[0]}")
            known = (headers.constants.get(value) for value in each.names)
            self.rows += [Row(constant, Became.WRITTEN) for constant in known if constant is not None]


def _macro_values(each: MacroEnum) -> tuple[str, list[str]]:
    values = [value[len(each.prefix) :] for value in each.names]
    if all(_GOOD.fullmatch(value) and usable(value) == value for value in values):
        return each.prefix, values
    return "", list(each.names)


def _values(prefix: str, values: Sequence[str], _start: str) -> dict[str, object]:
    return {**({"prefix": prefix} if prefix else {}), "values": list(values)}


def _without_start(names: Sequence[str], *, is_scoped: bool) -> tuple[str, list[str]]:
    """What all values begin with, and their names without it, where those can be names."""
    start = "" if is_scoped else shared_start(names)
    while True:
        values = [each[len(start) :] for each in names]
        if all(_GOOD.fullmatch(each) and usable(each) == each for each in values):
            return start, values
        if not start:
            return "", list(names)
        start = start[: start[:-1].rfind("_") + 1]


def _is_flags(each: Enum) -> bool:
    """Whether values are single bits, or unions of those; or the comment says that they are bits."""
    values = [value.value for value in each.values if value.value]
    text = "" if each.doc.of_group else each.doc.text
    if _BITS.search(text) and min(values, default=-1) > 0:
        return True
    bits = {value for value in values if value > 0 and value & (value - 1) == 0}
    whole = sum(bits)
    is_union = all(value > 0 and value & ~whole == 0 for value in values)
    is_dense = max(values, default=0) <= len(set(values)) + 1
    if len({*bits, *values}) > 2 and len(bits) > 1 and is_union and len(set(values)) < 2 * len(bits) and not is_dense:
        return True
    return len(set(values)) > 2 and all(value > 0 and value & (value - 1) == 0 for value in values)
