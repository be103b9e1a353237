"""Which classes of C++ may refer to objects of others: by their members, also private ones, and by comments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum

from wrapper_gen.drafts.uses import record_of
from wrapper_gen.headers import CFunction, CKind, Record, Type

_ADDRESSES = ("std::reference_wrapper", "std::weak_ptr", "std::experimental::observer_ptr")
_HIDES = ("std::function", "std::any", "std::move_only_function")
"""Types of C++'s library that have whatever is put into them."""
_SAYS_IT_REFERS = re.compile(
    r"\b(keeps?|stores?|saves?|retains?|holds?|remembers?)\s+(only\s+|just\s+)?(an?|the|this|its|your)\s+"
    r"(const\s+)?(pointer|reference|address|handle)"
    r"|\b(must|should|has to|have to|needs? to)\s+(outlive|live\s|persist|not\s+be\s+(freed|deleted|destroyed))"
    r"|\b(must|should|has to|have to|needs? to)\s+(remain|stay|be kept|be)\s+(valid|alive|in scope|available)"
    r"|\boutlives?\b|\b(is|are)\s+not\s+copied\b|\b(is|are)\s+(only\s+)?(borrowed|referenced)\b",
    re.IGNORECASE,
)
_IN_THE_CALL = re.compile(
    r"\b(until|for|during|while|throughout|before)\b[^.;]{0,30}\b(call|returns?|function)\b", re.I
)


class Reach(Enum):
    """How the members of a class reach another one."""

    ADDRESS = "by pointer or reference"
    VALUE = "as a copy"
    HIDDEN = "maybe: behind a type that the headers do not define"


def says_it_refers(function: CFunction) -> bool:
    """Whether the comment of a call says that an argument is used after it."""
    text = " ".join(function.doc.text.split()) if not function.doc.of_group else ""
    return any(
        _SAYS_IT_REFERS.search(each) and not _IN_THE_CALL.search(each) for each in re.split(r"(?<=[.;])\s+", text)
    )


class References:
    """How classes reach each other through their members."""

    def __init__(self, records: Mapping[str, Record]) -> None:
        self._records = records
        self._found: dict[tuple[str, str], frozenset[Reach]] = {}
        self._above: dict[str, frozenset[str]] = {}

    def reach(self, owner: str, wanted: str) -> frozenset[Reach]:
        """How members of `owner`, and those of these, reach objects of the class `wanted`; empty where none does."""
        if (owner, wanted) not in self._found:
            walk = _MemberWalk(self._records, self._bases(wanted) | {wanted})
            walk.members(owner)
            known = self._records.get(owner)
            is_empty = known is not None and not known.bases and not [*known.member_types]
            self._found[owner, wanted] = frozenset({Reach.HIDDEN} if is_empty else walk.found)
        return self._found[owner, wanted]

    def has_address(self, owner: str, wanted: str) -> bool:
        """Whether a member of the class itself is a pointer or a reference to `wanted`."""
        names = {wanted} | self._bases(wanted)
        records = [self._records[each] for each in (owner, *self._bases(owner)) if each in self._records]
        of = [record_of(type_) for known in records for _, type_ in known.member_types]
        return any(each.depth and each.record in names for each in of)

    def _bases(self, record: str) -> frozenset[str]:
        if record not in self._above:
            self._above[record] = frozenset()  # of a class that is its own base by a mistake of ours
            known = self._records.get(record)
            own = [each.name for each in known.bases] if known is not None else []
            self._above[record] = frozenset(own).union(*(self._bases(each) for each in own))
        return self._above[record]


class _MemberWalk:
    """A walk over the members of a class, which ends at objects of the class that is looked for."""

    def __init__(self, records: Mapping[str, Record], wanted: frozenset[str]) -> None:
        self.found: set[Reach] = set()
        self._records = records
        self._wanted = wanted
        self._walked: set[str] = set()

    def members(self, name: str) -> None:
        """Walk over the members of a class, and of its bases."""
        known = self._records.get(name)
        if known is None or not known.is_defined:
            self.found.add(Reach.HIDDEN)
            return
        if name in self._walked:
            return
        self._walked.add(name)
        for _, type_ in known.member_types:
            self._type(type_, is_address=False)
        for base in known.bases:
            if not base.name.startswith("std::"):
                self.members(base.name)

    def _type(self, type_: Type, *, is_address: bool) -> None:
        if type_.kind is CKind.ARRAY and type_.target is not None:
            self._type(type_.target, is_address=is_address)
        elif type_.kind in (CKind.POINTER, CKind.REFERENCE, CKind.RVALUE) and type_.target is not None:
            if type_.target.kind in (CKind.VOID, CKind.FUNCTION):
                self.found.add(Reach.HIDDEN)
            else:
                self._type(type_.target, is_address=True)
        elif type_.kind is CKind.OTHER:
            self.found.add(Reach.HIDDEN)
        elif type_.kind is CKind.RECORD:
            self._record(type_, is_address=is_address)

    def _record(self, type_: Type, *, is_address: bool) -> None:
        if type_.name in self._wanted:
            self.found.add(Reach.ADDRESS if is_address else Reach.VALUE)
            return
        template = type_.template or type_.name
        if template.startswith(_HIDES):
            self.found.add(Reach.HIDDEN)
            return
        for each in type_.arguments:
            self._type(each, is_address=template in _ADDRESSES)
        if not template.startswith(("std::", "__gnu_cxx::")):
            self.members(type_.name)
