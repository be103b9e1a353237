"""Finds what is wrong with a document's shape; the only importer of jsonschema, whose verdict it is.

jsonschema does not look at item by item: of all items of a list with the same keys and types of values, one is
validated, and what is wrong with it is wrong with each of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from jsonschema.validators import Draft202012Validator

from wrapper_gen.diagnostics import Diagnostic, in_order
from wrapper_gen.frozen import frozen
from wrapper_gen.spec.document import DataPath, Document
from wrapper_gen.spec.key_hints import followed
from wrapper_gen.spec.schema_errors import Keywords, Mistakes

_ON_VALUES = frozenset({"enum"})
"""Keywords of the schema that look at a scalar's value, not only at its type."""


@frozen
class _Thinned:
    """A document with one item for each shape, and the indices of all items that look like it."""

    data: dict[str, object]
    alike: dict[str, list[list[int]]]


def judge(document: Document, schema: dict[str, Any]) -> tuple[list[Diagnostic], frozenset[DataPath]]:
    """All mistakes of shape, in order of position, and the entries of the document that have any."""
    thinned = _thin(document.data, _value_keys(schema))
    broken: dict[DataPath, set[str]] = {}
    for error in Draft202012Validator(schema).iter_errors(thinned.data):
        broken.setdefault(tuple(error.absolute_path), set()).add(str(error.validator))
    mistakes = Mistakes(document, schema)
    places = [(place, Keywords(keywords)) for path, keywords in broken.items() for place in _everywhere(path, thinned)]
    findings = in_order(diagnostic for place, keywords in places for diagnostic in mistakes.at(place, keywords))
    return findings, frozenset(_entry(place, thinned) for place, _ in places)


def _entry(place: DataPath, thinned: _Thinned) -> DataPath:
    """The part of the document that can be left out with a mistake: a section, or an entry of one that is a list."""
    return place[: 2 if place and place[0] in thinned.alike else 1]


def _thin(data: dict[str, object], value_keys: frozenset[str]) -> _Thinned:
    thinned = _Thinned(dict(data), {})
    for section, items in data.items():
        if not isinstance(items, list):
            continue
        shapes: dict[Hashable, list[int]] = {}
        for index, item in enumerate(items):
            shapes.setdefault(_shape(item, "", value_keys), []).append(index)
        thinned.data[section] = [items[indices[0]] for indices in shapes.values()]
        thinned.alike[section] = list(shapes.values())
    return thinned


def _shape(value: object, key: str, value_keys: frozenset[str]) -> Hashable:
    """Equal for values of which the schema says the same."""
    if isinstance(value, dict):
        return tuple([(name, _shape(item, name, value_keys)) for name, item in value.items()])
    if isinstance(value, list):
        return (list, *[_shape(item, "", value_keys) for item in value])
    kind = type(value).__name__
    return (kind, value) if key in value_keys else kind


def _value_keys(schema: dict[str, Any]) -> frozenset[str]:
    """The keys whose values the schema restricts."""
    return frozenset(
        key
        for object_schema in (schema, *schema["$defs"].values())
        for key, about in object_schema.get("properties", {}).items()
        if _ON_VALUES & followed(about, schema).keys()
    )


def _everywhere(path: DataPath, thinned: _Thinned) -> Iterator[DataPath]:
    """Where in the whole document a mistake of the thinned one stands."""
    if len(path) < 2 or path[0] not in thinned.alike:
        yield path
        return
    section, index, *rest = path
    for alike in thinned.alike[str(section)][int(index)]:
        yield (section, alike, *rest)
