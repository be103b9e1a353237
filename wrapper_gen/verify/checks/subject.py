"""An entry beside the declaration of what it calls, and what is found there."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cached_property

from wrapper_gen.diagnostics import Span
from wrapper_gen.explain import Explanation
from wrapper_gen.explain.calls import ChosenArgument, ChosenCall
from wrapper_gen.frozen import frozen
from wrapper_gen.headers import CFunction, CKind, CParameter, Headers, Type
from wrapper_gen.model import Function as Entry
from wrapper_gen.model import Module

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@frozen
class Doubt:
    """Something that a header contradicts."""

    entry: str
    span: Span
    what: str
    hint: str


@frozen
class ComparedEntry:
    """An entry, the call behind it, and the function of the headers that this calls."""

    function: Entry
    explained: Explanation
    call: ChosenCall
    declared: CFunction
    module: Module
    headers: Headers

    @property
    def name(self) -> str:
        return self.explained.name

    @cached_property
    def comment(self) -> str:
        """The comment of the function, on one line; empty where it is about several."""
        doc = self.declared.doc
        return "" if doc.of_group else " ".join(doc.text.split())

    @cached_property
    def about(self) -> str:
        """The sentences of the comment that are about this function: they name no other one before it."""
        functions = {each.name for each in self.headers.functions}
        sentences = re.split(r"(?<=[.;!])\s+", self.comment)
        return " ".join(each for each in sentences if self._first_named(each, functions) in ("", self.declared.name))

    @staticmethod
    def _first_named(sentence: str, functions: Collection[str]) -> str:
        """The first function that a sentence names, but for asides in parentheses; empty where it names none."""
        words = re.findall(r"\w+", re.sub(r"\((?:[^()]|\(\))*\)", " ", sentence))
        return next((each for each in words if each in functions), "")

    def says(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What the comment says of this function."""
        return pattern.search(self.about)

    @cached_property
    def places(self) -> list[tuple[ChosenArgument, CParameter]]:
        """Each argument with the parameter that it is for."""
        return list(zip(self.call.arguments, self.declared.parameters, strict=False))

    @property
    def where(self) -> str:
        return f"{self.declared.place}: {self.declared.result.spelling} {self.declared.name}({shown(self.declared)})"

    def doubt(self, what: str, hint: str) -> Doubt:
        """A contradiction of this entry, whose hint ends with the declaration."""
        return Doubt(self.name, self.explained.span, what, f"{hint}; {self.where}")


def shown(function: CFunction) -> str:
    """The parameters of a function, as its header has them."""
    written = (f"{each.type.spelling} {each.name}".strip() for each in function.parameters)
    return ", ".join([*written, *["..."] * function.is_variadic])


def words_of(name: str) -> frozenset[str]:
    """The words that a name is made of, in lower case, without those that say nothing: `outUsed` → `used`."""
    found = {each.lower() for each in _WORDS.findall(name)}
    return frozenset(found - {"p", "out", "in", "ptr", "pp", "the", "of"}) or frozenset(found)


def to_of(type_: Type) -> Type | None:
    """What a pointer is to."""
    return type_.target if type_.kind is CKind.POINTER else None


def plain(canonical: str) -> str:
    """A type without `const`."""
    return canonical.removeprefix("const ").strip()
