"""The structs of a draft: values that are copied, and options."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wrapper_gen.drafts import decisions as of
from wrapper_gen.drafts.decisions import Decisions, RecordRole
from wrapper_gen.drafts.documentation import doc_of, record_doc
from wrapper_gen.drafts.naming import snake, usable
from wrapper_gen.drafts.report import Became, Row
from wrapper_gen.drafts.spec_text import Entry
from wrapper_gen.drafts.text_ends import text_ends
from wrapper_gen.drafts.types import Asked, NotWritten, Types
from wrapper_gen.drafts.uses import record_of
from wrapper_gen.headers import Access, Field, Record


def structs(decisions: Decisions, types: Types, rows: list[Row], shown: dict[str, str]) -> list[Entry]:
    """Entries of structs, those first that others have as members; what cannot be said adds to `types.unwritten`."""
    pending = [
        (record, role)
        for record, roles in decisions.roles.items()
        for role in roles
        if role.kind in (of.STRUCT, of.OPTIONS)
    ]
    for record, _ in pending:
        if not _is_usable(decisions, record):
            types.unwritten.add(record)
    while True:  # a struct without fields takes those along that have it as their only one
        empty = [r for r, role in pending if r not in types.unwritten and not _fields(decisions, types, r, role)[0]]
        if not empty:
            break
        types.unwritten |= set(empty)
    found: dict[str, Entry] = {}
    for record, role in pending:
        known = decisions.headers.records.get(record)
        fields, wrong = _fields(decisions, types, record, role)
        if known is None:
            continue
        if record in types.unwritten:
            why = f"its members: {'; '.join(wrong)[:160]}" if wrong else _without_fields(known)
            rows.append(Row(known, Became.ASKED, why, f"records/{record}"))
            continue
        note = (f"guess: without {'; '.join(wrong)}",) if wrong else ()
        data = {"name": role.name, "cpp_type": shown.get(record, record), "make": role.said.get("make")}
        data["doc"] = record_doc(decisions.headers, record)
        found[record] = Entry({**data, "fields": fields}, note, known.key)
        rows.append(Row(known, Became.GUESSED if wrong else Became.WRITTEN, "; ".join(wrong)[:160]))
    return [found[each] for each in _in_order(decisions, found)]


def _without_fields(known: Record) -> str:
    """Why a struct of which every member can be said is not written."""
    if known.tag == "union":
        return f"a union: which of {', '.join(each.name for each in known.fields)} is valid"
    if known.template:
        return "a template: for which types"
    return "it has no members" if known.is_defined else "the headers do not show its members"


def _is_usable(decisions: Decisions, record: str) -> bool:
    known = decisions.headers.records.get(record)
    return known is not None and known.is_defined and known.tag != "union" and not known.template


def _fields(decisions: Decisions, types: Types, record: str, role: RecordRole) -> tuple[dict[str, object], list[str]]:
    """The fields of a struct, and why members are none."""
    fields: dict[str, object] = {}
    wrong: list[str] = []
    known = decisions.headers.records.get(record)
    ends = text_ends(known.fields) if known else None
    wrong += [f"{', '.join(ends)}: the begin and the end of one text"] if ends else []
    for each in known.fields if known else ():
        if each.access is not Access.PUBLIC or (ends and each.name in ends):
            continue
        if not each.name or each.bits:
            wrong.append(f"{each.name or 'a member'}: {'a bit-field' if each.bits else 'it has no name'}")
            continue
        try:
            type_ = types.of(each.type, [], is_field=True)
            if role.kind == of.OPTIONS and type_.endswith("?"):  # what is not given stays as it is
                if type_ != "text?":
                    raise NotWritten(f"it points to a {type_.rstrip('?')}")
                type_ = "text"
            if record_of(each.type).record == record:
                raise NotWritten("it is of the same struct")
            member = decisions.role(record_of(each.type).record)
            if member is not None and member.is_class and role.kind == of.STRUCT:
                raise NotWritten(f"it is {member.name}, which is no value")
        except (Asked, NotWritten) as why:
            wrong.append(f"{each.name}: {why}")
            continue
        name = usable(snake(each.name) if re.search("[a-z]", each.name) else each.name.lower())
        fields[name] = field(type_, name, each)
    if known is not None and known.nameless:
        wrong.append(f"{', '.join(known.nameless)}: of a union or struct without a name")
    return fields, wrong


def field(type_: str, name: str, of_: Field) -> object:
    """What a struct or class says of a field: its type alone, where the name tells the rest."""
    doc = doc_of(of_.doc, is_item=True)
    if name == of_.name and not doc:
        return type_
    return {"type": type_, "cpp": None if name == of_.name else of_.name, "doc": doc or None}


def _in_order(decisions: Decisions, found: dict[str, Entry]) -> Iterator[str]:
    """Records after those that they have as members."""
    done: set[str] = set()

    def visit(record: str) -> Iterator[str]:
        if record in done or record not in found:
            return
        done.add(record)
        for member in members(decisions.headers.records[record]):
            yield from visit(member)
        yield record

    for each in found:
        yield from visit(each)


def members(record: Record) -> Iterator[str]:
    """The records of a record's members."""
    for each in record.fields:
        if name := record_of(each.type).record:
            yield name
