"""How the functions of a library use its records: the evidence for what is asked of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from wrapper_gen.frozen import frozen
from wrapper_gen.headers import Access, CFunction, CKind, CParameter, FunctionKind, Headers, Record, Type

_THROUGH = (CKind.POINTER, CKind.REFERENCE, CKind.RVALUE)
_OWN = ("operator=", "operator->", "operator*")


class Of(NamedTuple):
    """The record that a type is, points to or refers to; `depth` counts the pointers, `is_const` is the record's."""

    record: str
    depth: int
    is_const: bool


def record_of(type_: Type) -> Of:
    """The record of a type; without a name where it has none."""
    depth = 0
    while type_.target is not None and (type_.kind in _THROUGH or (type_.kind is CKind.ARRAY and not type_.length)):
        type_, depth = type_.target, depth + 1
    name = type_.name if type_.kind is CKind.RECORD else _named_void(type_) if depth else ""
    return Of(name, depth, type_.is_const)


def _named_void(type_: Type) -> str:
    """What a library calls an object of which it shows nothing: `typedef void CURL`."""
    name = type_.spelling.removeprefix("const ")
    return name if type_.kind is CKind.VOID and name != "void" and name.isidentifier() else ""


def is_default_constructible(records: Mapping[str, Record], name: str) -> bool:
    """Whether C++ makes an object of a class without arguments; not of one that the headers do not define."""
    known = records.get(name)
    if known is None or not known.is_defined or known.is_abstract or known.template:
        return False
    ends = [each for each in known.functions if each.kind is FunctionKind.DESTRUCTOR]
    if any(each.access is not Access.PUBLIC or each.is_deleted for each in ends):
        return False
    made = [each for each in known.functions if each.kind is FunctionKind.CONSTRUCTOR]
    if made:
        usable = (each for each in made if each.access is Access.PUBLIC and not each.is_deleted)
        return any(all(one.default for one in each.parameters) for each in usable)
    values = [type_ for _, type_ in known.member_types]
    if any(each.kind is CKind.REFERENCE or each.is_const for each in values):
        return False
    inner = [*(each.name for each in values if each.kind is CKind.RECORD), *(each.name for each in known.bases)]
    return not known.hides_constructor and all(
        each.startswith("std::") or is_default_constructible(records, each) for each in inner
    )


def pointee(type_: Type) -> Type | None:
    """What a pointer points to."""
    return type_.target if type_.kind is CKind.POINTER else None


def is_chars(type_: Type | None) -> bool:
    """Whether this is `char`, of whatever sign."""
    return type_ is not None and type_.kind is CKind.INTEGER and type_.size == 1


def is_void_pointer(type_: Type) -> bool:
    """Whether this is `void *`, not `const void *`."""
    to = pointee(type_)
    return to is not None and to.kind is CKind.VOID and not to.is_const and not record_of(type_).record


def function_type(type_: Type) -> Type | None:
    """The function that a pointer is to, or None; also where the pointer has a typedef."""
    if type_.kind is CKind.FUNCTION:
        return type_
    to = pointee(type_)
    return to if to is not None and to.kind is CKind.FUNCTION else None


@frozen
class RecordUse:
    """The functions that use a record, by how they do."""

    first: list[CFunction]
    """It is their first argument, by pointer."""
    other: list[CFunction]
    by_value: list[CFunction]
    made: list[CFunction]
    """They write a pointer to it: `T **`."""
    const: list[CFunction]
    changed: list[CFunction]
    """They take a pointer to one that is not const."""
    returned: list[CFunction]
    """They return a pointer or a reference."""
    given: list[CFunction]
    """They return it by value."""
    fields_of: list[str]
    """The records that have it as a member."""

    @property
    def functions(self) -> int:
        """How many functions wait for what is said of it."""
        every = (*self.first, *self.other, *self.by_value, *self.made, *self.returned, *self.given)
        return len({each.key for each in every})


def uses(headers: Headers, functions: Iterable[CFunction]) -> Mapping[str, RecordUse]:
    """How these functions use each record that any of them names."""
    found: defaultdict[str, RecordUse] = defaultdict(lambda: RecordUse([], [], [], [], [], [], [], [], []))
    for function in functions:
        for at, each in enumerate(function.parameters):
            _argument(found, function, at, each)
        _result(found, function)
    for record in headers.records.values():
        for member in record.fields:
            if name := record_of(member.type).record:
                found[name].fields_of.append(record.qualified)
    return found


def _argument(found: Mapping[str, RecordUse], function: CFunction, at: int, parameter: CParameter) -> None:
    name, depth, is_const = record_of(parameter.type)
    if not name:
        return
    use = found[name]
    if depth == 1:
        (use.const if is_const else use.changed).append(function)
        (use.other if at else use.first).append(function)
    elif depth == 0:
        use.by_value.append(function)
    elif depth == 2 and not is_const:
        use.made.append(function)


def _result(found: Mapping[str, RecordUse], function: CFunction) -> None:
    name, depth, _ = record_of(function.result)
    is_itself = depth and function.owner == name and function.result.kind is CKind.REFERENCE
    if name and function.name not in _OWN and not is_itself and function.kind is not FunctionKind.CONSTRUCTOR:
        (found[name].returned if depth else found[name].given).append(function)
