"""A second run: a spec that a person has changed keeps every decision, comment and layout of theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wrapper_gen.drafts.importing import Imported
from wrapper_gen.drafts.spec_text import Line
from wrapper_gen.frozen import frozen
from wrapper_gen.headers import lock as locks


@frozen
class Changed:
    """A declaration that is not what it was."""

    what: str
    name: str
    done: str


@frozen
class Merged:
    """The text of the spec, and what was done."""

    text: str
    changes: Sequence[Changed]


def entries_of(lines: Sequence[Line]) -> dict[str, str]:
    """The text of each entry without its indentation, by the key of its declaration."""
    found: dict[str, list[str]] = {}
    for line, key in lines:
        if key and not line.lstrip().startswith("#"):
            found.setdefault(key, []).append(line)
    return {key: _dedented(text) for key, text in found.items()}


def changes(before: locks.Lock, imported: Imported) -> list[Changed]:
    """The declarations that are new, changed or gone since the last run."""
    now = locks.locked(imported.source, imported.headers).declarations
    names = {each.key: each.qualified or each.name for each in imported.headers.declarations()}
    found = [
        Changed("gone", key, "the headers do not have it any more") for key in before.declarations if key not in now
    ]
    found += [Changed("new", names[key], "") for key in now if key not in before.declarations]
    for key, each in now.items():
        old = before.declarations.get(key)
        if old is not None and old.signature != each.signature:
            found.append(Changed("changed", names[key], f"{old.signature} is now {each.signature}"))
    return found


def merge(text: str, shown: str, imported: Imported, entries: Mapping[str, str]) -> Merged:
    """The text of a spec with what is new, changed and gone."""
    return Merged(text, changes(imported.previous, imported) if imported.previous else [])


def _dedented(lines: Iterable[str]) -> str:
    given = list(lines)
    depth = len(given[0]) - len(given[0].lstrip())
    return "\n".join(line[depth:] for line in given)
