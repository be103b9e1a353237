"""Defaults and stub values: read by `types.values`, reported where they stand."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from wrapper_gen.diagnostics import Span
from wrapper_gen.resolve.literals import Literals
from wrapper_gen.resolve.scope import Scope
from wrapper_gen.types.model import Type
from wrapper_gen.types.values import read_value
from wrapper_gen.values import Value


def parse_value(container: Any, key: str | int, type_: Type, what: str, scope: Scope) -> Value:
    """The value of this key as one of `type_`; reports WG034 or WG035 where it is none."""
    value, misfits = read_value(container, key, type_, what, _Spec(scope, scope.document.text))
    for each in misfits:
        find = scope.document.key_span if each.is_key else scope.document.span
        scope.error(each.code, each.message, find(each.container, each.key), each.hint)
    return value


def parse_literal(
    literals: Literals, index: int, type_: Type, what: str, place: Callable[[int, int], Span], scope: Scope
) -> Value:
    """The same for a value that is written in a signature; `place` knows where each part of that stands."""
    value, misfits = read_value(literals.data, index, type_, what, _Spec(scope, literals.text))
    for each in misfits:
        start, end = literals.place(each.container, each.key, is_key=each.is_key)
        scope.error(each.code, each.message, place(start, end), each.hint)
    return value


class _Spec:
    def __init__(self, scope: Scope, text: Callable[[object, str | int], str]) -> None:
        self._scope = scope
        self.text = text

    def members(self, enum: str) -> Collection[str] | None:
        return self._scope.names.enums[enum]

    def combines(self, enum: str) -> bool:
        return enum in self._scope.names.flags
