"""Whether a document has the shape that the schema allows; judges keys and types of values, not what they mean.

jsonschema is the authority, and finds what is wrong. It takes longer to import than a small spec to generate, so what
is right is accepted here without it, from the same schema: docs/adr/0011 has the figures.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from wrapper_gen.diagnostics import Diagnostic
from wrapper_gen.frozen import frozen
from wrapper_gen.resources import SCHEMA
from wrapper_gen.spec.document import DataPath, Document

_PYTHON: dict[str, frozenset[type]] = {
    "object": frozenset({dict}),
    "array": frozenset({list}),
    "string": frozenset({str}),
    "number": frozenset({int, float}),
    "integer": frozenset({int}),
    "boolean": frozenset({bool}),
    "null": frozenset({type(None)}),
}
_EVERYTHING = frozenset[type]().union(*_PYTHON.values())
_NOTES = frozenset({"$schema", "$defs", "title", "description", "examples", "default"})
"""Keywords that restrict nothing."""
_KNOWN = _NOTES | {
    *(
        "type",
        "enum",
        "items",
        "properties",
        "additionalProperties",
        "required",
        "dependentRequired",
        "oneOf",
        "anyOf",
        "$ref",
    ),
}


class UnknownKeyword(Exception):
    """The schema has a keyword, or a use of one, that is not known here: add it here, or write the schema without."""


@frozen
class Checked:
    """What is wrong with a document's shape, in order of position, and which parts of it that concerns."""

    findings: Sequence[Diagnostic] = ()
    broken: frozenset[DataPath] = frozenset()
    """Sections, and entries of sections, that have mistakes."""


def check(document: Document) -> Checked:
    """All mistakes of shape."""
    schema, rule = _whole()
    if rule.accepts(document.data):
        return Checked()
    from wrapper_gen.spec.schema_errors import schema_errors  # and with it jsonschema

    return Checked(*schema_errors(document, schema, rule.refused_items(document.data)))


@lru_cache(maxsize=1)
def _whole() -> tuple[dict[str, Any], _Rule]:
    """The schema of specs, and its rule."""
    schema: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return schema, _Compiler(schema).rule(schema)


def accepts(data: object, schema: dict[str, Any]) -> bool:
    """Whether the schema allows this data; no where jsonschema alone can tell.

    Raises:
        UnknownKeyword: the schema has more than is known here.
    """
    return _Compiler(schema).rule(schema).accepts(data)


class _Rule:
    """One schema, in the form in which values are held against it."""

    __slots__ = (
        "also",
        "any_of",
        "choices",
        "closed",
        "depends",
        "is_plain",
        "item",
        "keys",
        "one_of",
        "other",
        "required",
        "types",
    )

    def __init__(self) -> None:
        self.types = _EVERYTHING
        self.is_plain = False
        """Whether it says nothing but types."""
        self.choices: tuple[tuple[type, object], ...] | None = None
        """With their types: True is not 1."""
        self.item: _Rule | None = None
        self.keys: dict[str, _Rule] = {}
        self.closed = False
        """Whether there may be no other keys; `other` is the rule for those that there are."""
        self.other: _Rule | None = None
        self.required: frozenset[str] = frozenset()
        self.depends: dict[str, frozenset[str]] = {}
        self.one_of: tuple[_Rule, ...] = ()
        self.any_of: tuple[_Rule, ...] = ()
        self.also: _Rule | None = None
        """What the schema refers to."""

    def accepts(self, value: object) -> bool:
        kind = type(value)
        if kind not in self.types:
            return False
        if self.also is not None and not self.also.accepts(value):
            return False
        if self.choices is not None and (kind, value) not in self.choices:
            return False
        if self.one_of and sum(rule.accepts(value) for rule in self.one_of) != 1:
            return False
        if self.any_of and not any(rule.accepts(value) for rule in self.any_of):
            return False
        if isinstance(value, dict):
            return self._accepts_keys(value)
        if isinstance(value, list) and self.item is not None:
            return all(map(self.item.accepts, value))
        return True

    def refused_items(self, value: dict[str, object]) -> dict[str, list[int]]:
        """For each list in a mapping, the indices of the items that are not allowed."""
        rules = {key: rule.item for key, rule in self.keys.items() if rule.item is not None}
        return {
            key: [index for index, item in enumerate(items) if not rules[key].accepts(item)]
            for key, items in value.items()
            if key in rules and isinstance(items, list)
        }

    def _accepts_keys(self, value: dict[str, object]) -> bool:
        for key, item in value.items():
            rule = self.keys.get(key, self.other)
            if rule is None:
                if self.closed:
                    return False
            elif type(item) not in rule.types or not (rule.is_plain or rule.accepts(item)):
                return False
        if not self.required <= value.keys():
            return False
        return all(needed <= value.keys() for key, needed in self.depends.items() if key in value)


def _names_of_types(schema: dict[str, Any]) -> tuple[str, ...]:
    return (schema["type"],) if isinstance(schema["type"], str) else tuple(schema["type"])


@lru_cache(maxsize=64)
def _of_types(names: tuple[str, ...]) -> _Rule:
    """The one rule of all schemas that name these types and no more, as most do."""
    rule = _Rule()
    rule.types = frozenset(kind for name in names for kind in _PYTHON[name])
    rule.is_plain = True
    return rule


class _Compiler:
    """Turns the parts of one schema into rules."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._defs: dict[str, Any] = schema.get("$defs", {})
        self._named: dict[str, _Rule] = {}

    def rule(self, schema: dict[str, Any]) -> _Rule:
        """The rule of one schema.

        Raises:
            UnknownKeyword: it has a keyword, or refers to something, that is not known here.
        """
        said = schema.keys() - _NOTES
        if said == {"$ref"}:
            return self._referred(schema["$ref"])
        if said == {"type"}:
            return _of_types(_names_of_types(schema))
        rule = _Rule()
        self._fill(rule, schema)
        return rule

    def _fill(self, rule: _Rule, schema: dict[str, Any]) -> None:
        if unknown := schema.keys() - _KNOWN:
            raise UnknownKeyword(min(unknown))
        if "type" in schema:
            rule.types = _of_types(_names_of_types(schema)).types
        if "enum" in schema:
            if any(isinstance(choice, dict | list) for choice in schema["enum"]):
                raise UnknownKeyword("enum of containers")
            rule.choices = tuple((type(choice), choice) for choice in schema["enum"])
        if "items" in schema:
            rule.item = self.rule(schema["items"])
        if "properties" in schema:
            rule.keys = {key: self.rule(about) for key, about in schema["properties"].items()}
        others = schema.get("additionalProperties", True)
        rule.closed = others is False
        rule.other = self.rule(others) if isinstance(others, dict) else None
        rule.required = frozenset(schema.get("required", ()))
        if "dependentRequired" in schema:
            rule.depends = {key: frozenset(needed) for key, needed in schema["dependentRequired"].items()}
        rule.one_of = tuple(self.rule(branch) for branch in schema.get("oneOf", ()))
        rule.any_of = tuple(self.rule(branch) for branch in schema.get("anyOf", ()))
        rule.also = self._referred(schema["$ref"]) if "$ref" in schema else None

    def _referred(self, reference: str) -> _Rule:
        """The rule of something in `$defs`; kept before it is filled, since it may refer to itself."""
        name = reference.removeprefix("#/$defs/")
        if name not in self._defs:
            raise UnknownKeyword(f"$ref: {reference}")
        if name not in self._named:
            self._named[name] = _Rule()
            self._fill(self._named[name], self._defs[name])
        return self._named[name]
