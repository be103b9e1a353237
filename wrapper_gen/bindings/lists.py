"""Lists of Python's that code makes item by item, and that become vectors: all items are of one type of C++."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from wrapper_gen.bindings.cursors import bare, below, bound, shown, without_words


@dataclass(slots=True)
class Lists:
    """How code is edited, and what the items of the list that it returns are: one clang type, or those of a tuple."""

    edits: dict[tuple[int, int], str] = field(default_factory=dict)
    item: Any = None
    items: Sequence[Any] = ()


def lists_of(inside: Sequence[Any]) -> Lists:
    """The lists among these cursors of one piece of code that only are appended to and returned."""
    found = Lists()
    for each in inside:
        if each.kind.name == "VAR_DECL" and bound(each.type)[0] == "list":
            _one(each, inside, found)
    return found


def _one(variable: Any, inside: Sequence[Any], found: Lists) -> None:
    name, end = variable.spelling, variable.location.offset + len(variable.spelling)
    if variable.extent.end.offset != end:
        return  # made of something
    uses = [each for each in inside if each.kind.name == "DECL_REF_EXPR" and each.spelling == name]
    appends = [each for each in inside if each.kind.name == "CALL_EXPR" and _base(each) == name]
    returns = [each for each in inside if each.kind.name == "RETURN_STMT" and _returned(each) == name]
    if not appends or not returns or len(uses) != len(appends) + len(returns):
        return
    kinds = {_item(next(iter(each.get_arguments()))) for each in appends}
    if len(kinds) != 1:
        return
    found.edits[variable.extent.start.offset, variable.location.offset] = f"std::vector<{kinds.pop()}> "
    for each in appends:
        member = next(iter(each.get_children()))
        found.edits[member.location.offset, member.location.offset + len("append")] = "push_back"
    argument = bare(next(iter(appends[0].get_arguments())))
    found.item = argument.type
    found.items = list(argument.get_arguments()) if argument.spelling == "make_tuple" else ()


def _base(call: Any) -> str:
    member = next(iter(call.get_children()), None)
    if call.spelling != "append" or member is None or member.kind.name != "MEMBER_REF_EXPR":
        return ""
    of = next((each for each in below(member) if each.kind.name == "DECL_REF_EXPR"), None)
    return str(of.spelling) if of is not None else ""


def _returned(statement: Any) -> str:
    names = [each.spelling for each in below(statement) if each.kind.name == "DECL_REF_EXPR"]
    return names[0] if len(names) == 1 else ""


def _item(cursor: Any) -> str:
    """The C++ type of an item as a vector keeps it."""
    inside = bare(cursor)
    if inside.kind.name == "CALL_EXPR" and inside.spelling == "make_tuple":
        return f"std::tuple<{', '.join(map(_item, inside.get_arguments()))}>"
    canonical = inside.type.get_canonical()
    if canonical.kind.name in ("LVALUEREFERENCE", "RVALUEREFERENCE"):
        canonical = canonical.get_pointee().get_canonical()
    if canonical.kind.name == "CONSTANTARRAY":
        return "std::string"
    return shown(without_words(canonical.spelling))
