"""Methods of records in the cpython engine: the tables from which their classes get them."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Function, Module, RecordMember
from wrapper_gen.queries import is_fixed
from wrapper_gen.quoting import c_string
from wrapper_gen.tiers.cpython.tables import WITH_KEYWORDS
from wrapper_gen.views.record_members import MemberKind, groups, kind_of_all

_ONE_OPERAND = {
    MemberKind.OPERATOR: "record_operator",
    MemberKind.ITEM: "record_item",
    MemberKind.LOOKUP: "record_lookup",
}
_ONE_OPERAND[MemberKind.ITEM_OR_LOOKUP] = "record_item_or_lookup"


@frozen
class MembersView:
    """The lines of the tables of one record."""

    tag: str
    methods: tuple[str, ...]
    properties: tuple[str, ...]
    functions: tuple[str, ...]
    """Static methods."""


def members_views(module: Module) -> tuple[MembersView, ...]:
    """Of all records that have methods."""
    with_methods = {f.member.record for f in module.record_methods if f.member}
    return tuple(_view(struct.name, module) for struct in module.structs if struct.name in with_methods)


def _view(record: str, module: Module) -> MembersView:
    methods: list[str] = []
    properties: list[str] = []
    functions: list[str] = []
    for group in groups(record, module):
        function, member = group[0]
        kind = kind_of_all(group, module)
        if kind is MemberKind.PROPERTY:
            properties.append(_property(function, member))
        elif not member.is_constructor:
            line = _forms(group, kind) if function.is_form else _method(function, member, kind)
            (functions if kind is MemberKind.STATIC else methods).append(line)
    return MembersView(names.struct_tag(record), tuple(methods), tuple(properties), tuple(functions))


def _property(function: Function, member: RecordMember) -> str:
    code = f"wg::cpython::record_getter<&{names.python_code(function)}>"
    code = f"wg::cpython::get_fixed<{code}>" if is_fixed(function) else code
    return f"{{{c_string(member.name)}, {code}, nullptr, {names.doc(function)}, nullptr}},"


def _code(code: str, kind: MemberKind, has_parameters: bool) -> tuple[str, str]:
    """What CPython calls, and how it calls that."""
    if kind in _ONE_OPERAND:
        return f"wg::cpython::{_ONE_OPERAND[kind]}<&{code}>", "METH_O"
    if kind is MemberKind.STATIC:
        return code, WITH_KEYWORDS if has_parameters else "METH_NOARGS"
    return f"wg::cpython::record_method<&{code}>", WITH_KEYWORDS


def _method(function: Function, member: RecordMember, kind: MemberKind) -> str:
    code, flags = _code(names.python_code(function), kind, bool(function.parameters))
    return f"{{{c_string(member.name)}, WG_ANY({code}), {flags}, {names.doc(function)}}},"


def _forms(group: Sequence[tuple[Function, RecordMember]], kind: MemberKind) -> str:
    """The line of several forms."""
    member = group[0][1]
    code, flags = _code(names.python_forms(member.name, member.record), kind, has_parameters=True)
    doc = names.forms_doc(member.name, member.record)
    return f"{{{c_string(member.name)}, WG_ANY({code}), {flags}, {doc}}},"
