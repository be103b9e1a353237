"""What a spec relies on of its headers, as statements that the C++ compiler proves."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from wrapper_gen.frozen import frozen
from wrapper_gen.headers.lock import FUNCTIONS, RECORDS, Lock, Locked, parts_of, qualified
from wrapper_gen.verify.uses import HeaderUse, SpecUses, ends_with

_NAMELESS = re.compile(r"\((?:unnamed|anonymous)|lambda|\btype-parameter-")


@frozen
class Fact:
    """Something that a header said when the lock was written; `statement` is C++ that only compiles while it does."""

    kind: str
    """`signature`, `default`, `field`, `enum value` or `constant`."""
    name: str
    was: str
    key: str
    at: str
    statement: str
    """Empty of what no C++ says."""
    uses: tuple[HeaderUse, ...]
    place: int = 0
    """Of a default, which parameter has it, counted from the last one: -1."""


def facts_of(lock: Lock, uses: SpecUses, today: Mapping[str, Locked]) -> list[Fact]:
    """All that a spec relies on, as the lock has it.

    Args:
        lock: the declarations as they were.
        uses: what the spec relies on.
        today: the declarations as they are, which tell the overloads that are gone.
    """
    found: list[Fact] = []
    values = _named_values(lock)
    is_c = lock.source.language == "c"
    for each in lock.declarations.values():
        if each.kind in FUNCTIONS:
            found += _of_function(each, uses, today)
        elif each.kind in RECORDS:
            found += _of_record(each, uses)
        elif each.kind == "enum":
            found += _of_enum(each, uses, values, is_c)
        elif each.kind == "constant":
            found += _of_constant(each, uses, values)
    return found


def _of_function(each: Locked, uses: SpecUses, today: Mapping[str, Locked]) -> Iterator[Fact]:
    name = qualified(each)
    used = uses.chosen.get(each.key, ())
    if each.key not in today or not used:
        used = uses.functions.get(name, used)
    if not used and each.key not in today and name not in uses.functions:
        last = name.rpartition("::")[2]  # what nothing declares any more, by its name in the spec
        used = uses.words.get(last, ()) or (uses.words.get(f".{last}", ()) if each.kind == "method" else ())
    overloads = [key for key in uses.chosen if key != each.key and key.startswith(f"{name}(")]
    if used and each.key in today and each.key not in uses.chosen and overloads:
        return  # another overload is called
    if used:
        yield Fact("signature", name, each.signature, each.key, each.at, _function_statement(each, name), used)
    if used and each.key in today:  # what is gone is told once
        for place, (parameter, default) in enumerate(each.members, -len(each.members)):
            shown = str(parameter) or f"parameter {place}"
            yield Fact("default", f"{name}({shown})", str(default), each.key, each.at, "", used, place)


def _function_statement(each: Locked, name: str) -> str:
    result, parameters, is_const = parts_of(each.signature)
    if _NAMELESS.search(each.signature) or "<" in each.key.rpartition(")")[2] or "operator" in name:
        return ""
    taken = ", ".join(re.sub(r"\brestrict\b", "__restrict", p) for p in parameters)
    owner = name.rpartition("::")[0]
    if each.kind == "constructor":
        return f"static_assert(std::is_constructible_v<{owner}{', ' * bool(taken)}{taken}>);"
    is_member = each.kind == "method" and not each.signature.startswith("static ")
    pointer = f"{owner}::*" if is_member else "*"
    type_ = f"auto ({pointer})({taken}){' const' * is_const} -> {result}"
    return f"static_assert(static_cast<{type_}>(&{name}) != nullptr);"


def _of_record(each: Locked, uses: SpecUses) -> Iterator[Fact]:
    record = qualified(each)
    for name, type_, offset in each.members:
        used = uses.fields.get((record, str(name)), ())
        if not used:
            continue
        statement = ""
        if name and not _NAMELESS.search(f"{type_} {record}"):
            statement = f"static_assert(std::is_same_v<decltype({record}::{name}), {type_}>);"
            if isinstance(offset, int) and offset >= 0 and offset % 8 == 0:
                statement += f" static_assert(offsetof({record}, {name}) == {offset // 8});"
        yield Fact(
            "field", f"{record}::{name}", f"{type_}, at {shown_offset(offset)}", each.key, each.at, statement, used
        )


def shown_offset(offset: object) -> str:
    """Where a field is, of its offset in bits; negative where nothing says it."""
    if not isinstance(offset, int) or offset < 0:
        return "an unknown place"
    return f"byte {offset // 8}" if offset % 8 == 0 else f"bit {offset}"


def _named_values(lock: Lock) -> Mapping[str, Sequence[str]]:
    """By the last names of enum values and constants, all their whole ones: an enum's own name may stand in them."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for each in lock.declarations.values():
        if each.kind == "enum":
            for name, _ in each.members:
                found[str(name)] += _names_of_value(qualified(each), str(name))
        elif each.kind == "constant":
            found[qualified(each).rpartition("::")[2]].append(qualified(each))
    return found


def _names_of_value(enum: str, name: str) -> list[str]:
    scope, colons, _ = enum.rpartition("::")
    return [f"{enum}::{name}", f"{scope}{colons}{name}"]


def _uses_of_value(own: Sequence[str], uses: SpecUses, values: Mapping[str, Sequence[str]]) -> tuple[HeaderUse, ...]:
    """What of a spec means the value with these whole names, and not another one with the same last name.

    A spec may name a value by what no header shows here, as an alias or a derived class: then each may be meant.
    """
    last = own[0].rpartition("::")[2]
    found: dict[HeaderUse, None] = {}
    for written, used in uses.values.get(last, {}).items():
        fitting = [each for each in values[last] if ends_with(each, written)]
        if not fitting or not set(own).isdisjoint(fitting):
            found |= dict.fromkeys(used)
    return tuple(found)


def _of_enum(each: Locked, uses: SpecUses, values: Mapping[str, Sequence[str]], is_c: bool) -> Iterator[Fact]:
    enum = qualified(each)
    names = {str(name) for name, _ in each.members}
    for name, value in each.members:
        used = _uses_of_value(_names_of_value(enum, str(name)), uses, values)
        if not used:
            continue
        scope = "" if is_c or enum in names else f"{enum}::"
        statement = f"static_assert(static_cast<long long>({scope}{name}) == {_number(int(value))});"
        yield Fact("enum value", f"{scope}{name}", str(value), each.key, each.at, statement, used)


def _number(value: int) -> str:
    return f"({value + 1}LL - 1)" if value == -(1 << 63) else f"{value}LL" if value < 1 << 63 else f"{value}ULL"


def _of_constant(each: Locked, uses: SpecUses, values: Mapping[str, Sequence[str]]) -> Iterator[Fact]:
    name = qualified(each)
    used = _uses_of_value([name], uses, values)
    _, _, value = each.signature.rpartition(" ") if "'" not in each.signature else ("", "", "")
    if used:
        is_integer = value.lstrip("-").isdigit()
        statement = f"static_assert(static_cast<long long>({name}) == {_number(int(value))});" if is_integer else ""
        yield Fact("constant", name, each.signature, each.key, each.at, statement, used)
