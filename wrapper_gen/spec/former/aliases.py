"""What several places of a spec share by an alias, told apart: a rule may change it at one of them, not at another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wrapper_gen.spec.document import Document

_CONTAINER = (dict, list)


def tell_apart(document: Document) -> Mapping[int, Any]:
    """Give each alias of a mapping or list a copy of its own, which stands where the anchor is.

    The reader bounds how deep values nest, and how many all aliases stand for.

    Returns:
        what each copy is of, by the id of the copy.
    """
    copies: dict[int, Any] = {}
    containers = (place[0] for place in document.places.values())
    values = (each.values() if isinstance(each, dict) else each for each in containers)
    below = sum([isinstance(value, _CONTAINER) for each in values for value in each])
    if below >= len(document.places):  # all but the file itself are in one other, unless some are in several
        _tell_apart(document.data, document, {id(document.data)}, copies)
    return copies


def _below(container: Any) -> Iterator[tuple[Any, Any]]:
    """The keys or indices of mappings and lists, and these."""
    for key, value in container.items() if isinstance(container, dict) else enumerate(container):
        if isinstance(value, _CONTAINER):
            yield key, value


def _tell_apart(container: Any, document: Document, seen: set[int], copies: dict[int, Any]) -> None:
    for key, value in list(_below(container)):
        if id(value) in seen:
            container[key] = made = _copy(value, document)
            copies[id(made)] = value
        else:
            seen.add(id(value))
            _tell_apart(value, document, seen, copies)


def _copy(value: Any, document: Document) -> Any:
    """The same, and all that is in it, at the same places."""
    _, entries, start, end = document.places[id(value)]
    made = value.copy()
    for key, below in _below(value):
        made[key] = _copy(below, document)
    document.places[id(made)] = (made, entries.copy(), start, end)
    return made
