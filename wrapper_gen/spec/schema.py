"""Says yes to a document whose shape the schema allows, without jsonschema; finds no mistake and names none.

Reads the same schema. jsonschema stays the authority: it is asked whenever the answer here is no, and a schema with a
keyword that is not known here gets no other answer.
"""

from __future__ import annotations

from typing import Any

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
    *("type", "enum", "items", "properties", "additionalProperties", "required", "dependentRequired", "oneOf", "$ref"),
}


class UnknownKeyword(Exception):
    """The schema has a keyword, or a use of one, that is not known here."""


def accepts(data: object, schema: dict[str, Any]) -> bool:
    """Whether the schema allows this data; no when that cannot be told here."""
    try:
        rule = _Compiler(schema).rule(schema)
    except UnknownKeyword:
        return False
    return rule.accepts(data)


class _Rule:
    """One schema, in the form in which values are held against it."""

    __slots__ = ("also", "choices", "closed", "depends", "item", "keys", "one_of", "other", "required", "types")

    def __init__(self) -> None:
        self.types = _EVERYTHING
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
        if isinstance(value, dict):
            return self._accepts_keys(value)
        if isinstance(value, list) and self.item is not None:
            return all(map(self.item.accepts, value))
        return True

    def _accepts_keys(self, value: dict[str, object]) -> bool:
        for key, item in value.items():
            rule = self.keys.get(key, self.other)
            if rule is None:
                if self.closed:
                    return False
            elif not rule.accepts(item):
                return False
        if not self.required <= value.keys():
            return False
        return all(needed <= value.keys() for key, needed in self.depends.items() if key in value)


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
        if schema.keys() - _NOTES == {"$ref"}:
            return self._referred(schema["$ref"])
        rule = _Rule()
        self._fill(rule, schema)
        return rule

    def _fill(self, rule: _Rule, schema: dict[str, Any]) -> None:
        if unknown := schema.keys() - _KNOWN:
            raise UnknownKeyword(min(unknown))
        if "type" in schema:
            types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
            rule.types = frozenset[type]().union(*(_PYTHON[name] for name in types))
        if "enum" in schema:
            if any(isinstance(choice, dict | list) for choice in schema["enum"]):
                raise UnknownKeyword("enum of containers")
            rule.choices = tuple((type(choice), choice) for choice in schema["enum"])
        if "items" in schema:
            rule.item = self.rule(schema["items"])
        rule.keys = {key: self.rule(about) for key, about in schema.get("properties", {}).items()}
        others = schema.get("additionalProperties", True)
        rule.closed = others is False
        rule.other = self.rule(others) if isinstance(others, dict) else None
        rule.required = frozenset(schema.get("required", ()))
        rule.depends = {key: frozenset(needed) for key, needed in schema.get("dependentRequired", {}).items()}
        rule.one_of = tuple(self.rule(branch) for branch in schema.get("oneOf", ()))
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
