"""Classes that stand again: what a later entry adds to a class is read as if it stood in the first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wrapper_gen.diagnostics import Diagnostic, raise_errors
from wrapper_gen.spec.document import Document

_ADDED = ("methods", "fields")
"""What an entry that stands again adds; beside its name it says nothing else."""


def join_classes(document: Document) -> None:
    """Let each class have one entry, with the methods and fields of those that stand again without its `cpp_type`.

    Raises:
        SpecError: WG075, such an entry says something else; WG006, it has a field that is there.
    """
    data: dict[str, Any] = document.data
    listed = data.get("handle_types")
    if not isinstance(listed, list):
        return
    declared = {each["name"]: each for each in reversed(list(_named(listed))) if "cpp_type" in each}
    again = {id(each) for each in _named(listed) if "cpp_type" not in each and each["name"] in declared}
    if not again:
        return
    findings: list[Diagnostic] = []
    for entry in _named(listed):
        if id(entry) in again:
            findings += _add(document, declared[entry["name"]], entry)
    raise_errors(findings)
    kept = [i for i, each in enumerate(listed) if id(each) not in again]
    places: Any
    _, places, start, end = document.places[id(listed)]
    made = [listed[i] for i in kept]
    document.places[id(made)] = (made, [places[i] for i in kept], start, end)
    data["handle_types"] = made


def _named(listed: list[Any]) -> Iterator[dict[str, Any]]:
    yield from (each for each in listed if isinstance(each, dict) and isinstance(each.get("name"), str))


def _add(document: Document, first: dict[str, Any], entry: dict[str, Any]) -> Iterator[Diagnostic]:
    for key in entry:
        if key not in ("name", *_ADDED):
            related = ((document.span(first, "name"), "the class is declared here"),)
            message = f"{key!r} where the class {entry['name']} stands again"
            hint = "move it there; an entry that stands again adds methods and fields"
            yield Diagnostic("WG075", message, document.key_span(entry, key), hint, related=related)
    for key in _ADDED:
        if isinstance(entry.get(key), list | dict):
            yield from _extend(document, first, entry, key)


def _extend(document: Document, first: dict[str, Any], entry: dict[str, Any], key: str) -> Iterator[Diagnostic]:
    before, more = first.get(key), entry[key]
    keys: Any
    _, keys, *_ = document.places[id(first)]
    if before is None:
        first[key] = more
        keys[key] = document.places[id(entry)][1][key]  # type: ignore[call-overload]  # a mapping's, by its key
        return
    if type(before) is not type(more):  # which the schema reports
        return
    own: Any
    added: Any
    _, own, start, end = document.places[id(before)]
    _, added, _, _ = document.places[id(more)]
    if isinstance(more, dict):
        for name in more.keys() & before.keys():
            related = ((document.key_span(before, name), "it is there already"),)
            message = f"{name!r} is a field of {entry['name']} already"
            yield Diagnostic("WG006", message, document.key_span(more, name), "remove one of them", related=related)
        made: Any = before | more
        document.places[id(made)] = (made, own | added, start, end)
    else:
        made = [*before, *more]
        document.places[id(made)] = (made, [*own, *added], start, end)
    first[key] = made
