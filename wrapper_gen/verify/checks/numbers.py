"""Numbers of a spec that are narrower than C's, or have another sign."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from wrapper_gen.explain.sources import SourceKind
from wrapper_gen.headers import CKind, Field, Headers, Type
from wrapper_gen.model import Module
from wrapper_gen.types.model import Type as SpecType
from wrapper_gen.types.queries import bits_of, if_given, is_bool, is_integer, is_signed
from wrapper_gen.types.tuples import item_names, written_items
from wrapper_gen.verify.checks.subject import ComparedEntry, Doubt, to_of, words_of
from wrapper_gen.verify.uses import record_named

_COUNTS = re.compile(r"^\W*(?:returns? |@returns? )?(?:how (?:many|much|often)|(?:the )?number of)\b", re.IGNORECASE)
_EXACT = re.compile(r"64|size_t|off_t|ptrdiff|intptr|time_t|long long")
"""Spelled so, a `long` has 64 bits on purpose; C itself promises 32."""


def of_entry(subject: ComparedEntry) -> Iterator[Doubt]:
    """Results and what a call writes."""
    function, returns = subject.function, subject.function.returns
    if subject.explained.outcome.source == "the call's value" and not subject.explained.outcome.status:
        what = misfit(returns, subject.declared.result)
        result = subject.declared.result
        if is_bool(returns) and result.kind is CKind.INTEGER and (said := subject.says(_COUNTS)):
            yield subject.doubt(f"the result is bool, and the comment says {said[0]!r}", "say the type of a number")
        if what:
            yield subject.doubt(f"the result is {if_given(returns)}, and {what}", "a value that does not fit raises")
    items = dict(zip(item_names(function.returns), written_items(function.returns), strict=False))
    for argument, parameter in subject.places:
        target = to_of(parameter.type)
        if argument.source.kind is SourceKind.OUT and target is not None:
            name = argument.source.text.removeprefix("&")
            declared = items.get(name) or (returns if name == "result" else None)
            what = misfit(declared, target) if declared is not None else ""
            if what:
                yield subject.doubt(f"`{name}` is {declared}, and {what}", "a value that does not fit raises")


def of_structs(module: Module, headers: Headers) -> Iterator[Doubt]:
    """Fields of structs."""
    for struct in (*module.structs, *module.options):
        record = record_named(struct.cpp_type.text, headers)
        fields: dict[str, Field] = {each.name: each for each in record.fields} if record else {}
        for field in struct.own_fields:
            last = field.member.rpartition(".")[2]
            member = fields.get(last)
            nearer = _nearer(field.name, last, fields)
            if record and nearer:
                what = f"it is the member {last}, and C has a member {nearer}"
                yield Doubt(f"{struct.name}.{field.name}", field.span, what, f"{record.place}: {record.qualified}")
            what = misfit(field.type, member.type, is_exact=True) if member else ""
            if what and record:
                hint = f"{record.place}: {record.qualified}"
                yield Doubt(f"{struct.name}.{field.name}", field.span, f"it is {field.type}, and {what}", hint)


def _nearer(name: str, member: str, fields: Mapping[str, Field]) -> str:
    """Another member, whose name is nearer to that of a field; empty where none is."""
    if member not in fields:
        return ""
    own, type_ = words_of(name), fields[member].type.canonical
    shared = {each: len(own & words_of(each)) for each, field in fields.items() if field.type.canonical == type_}
    best = max(shared, key=lambda each: shared[each])
    return best if shared[best] > shared[member] else ""


def misfit(declared: SpecType, c: Type, *, is_exact: bool = False) -> str:
    """What C has where a number of the spec does not have room for it, or with `is_exact` is another; else empty."""
    own, is_whole = bits_of(if_given(declared)), is_integer(if_given(declared))
    shown = c.spelling if c.spelling == c.canonical else f"{c.spelling} ({c.canonical})"
    if not own:
        return ""
    if c.kind is CKind.FLOAT:
        differs = is_whole or (own != 8 * c.size if is_exact else own < 8 * c.size <= 64)
        return f"C has {shown}" if differs else ""
    if c.kind is not CKind.INTEGER:
        return ""
    if not is_whole:
        return f"C has {shown}" if is_exact or (own < 64 and c.size > 2) else ""
    if c.canonical == "char":
        return ""
    bits = 8 * c.size
    least = 32 if c.canonical in ("long", "unsigned long") and not _EXACT.search(c.spelling) else bits
    has_sign = is_signed(if_given(declared))
    if own < least or (is_exact and own not in (least, bits)):
        return f"C has {shown}"
    if has_sign != c.is_signed and (own <= least if own < 64 else is_exact and not c.is_signed):
        return f"C has {shown}"
    if c.is_signed and not has_sign and is_exact:
        return f"C has {shown}"
    return ""
