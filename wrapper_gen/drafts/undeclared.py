"""Entries of a spec that call nothing which any header declares: a name that was never there, or that is gone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wrapper_gen.drafts.spec_entries import EntryPlace, SpecEntries
from wrapper_gen.headers import Headers


def undeclared(spec: SpecEntries, headers: Headers) -> Iterator[tuple[EntryPlace, str]]:
    """The entries, each with the name that no header has.

    None is judged where the spec includes a header that was not read. Names of members are looked for in all
    classes of the headers; classes that these do not declare are not judged.
    """
    if not all(
        any(f"/{path}".endswith(f"/{each}") for path in headers.files)
        for each in spec.includes
        if not each.startswith("<")
    ):
        return
    known = {each.name for each in headers.all_functions()} | {*headers.macros, *headers.macro_texts}
    known |= {*headers.constants, *headers.other_functions, *spec.words, *headers.typedefs}
    known |= {field.name for record in headers.records.values() for field in record.fields}
    known |= {record.rpartition("::")[2] for record in headers.records}
    declared = {spec.records[each] for each in headers.records if each in spec.records}
    for record in headers.records.values():
        declared |= {spec.records[each] for each in (record.name, *record.typedefs) if each in spec.records}
    for each in spec.places:
        is_judged = each.called and (not each.owner or each.owner in declared)
        if is_judged and not each.called & known and not each.names & known:
            yield each, min(each.called, key=lambda name: _rank(name, each.python_name))


def _rank(name: str, python_name: str) -> tuple[bool, bool, int, str]:
    """How likely C has this name of those that an entry may mean: the least is the likeliest."""
    return python_name in name, re.match(r"(get|is|set)_", name) is not None, -len(name), name
