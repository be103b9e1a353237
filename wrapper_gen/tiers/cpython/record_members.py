"""Methods of records in the cpython engine: the tables from which their classes get them."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Function, Module, RecordMember
from wrapper_gen.quoting import c_string
from wrapper_gen.tiers.cpython.tables import END_OF_SIGNATURE, WITH_KEYWORDS, shown_parameter
from wrapper_gen.views.documentation import function_doc
from wrapper_gen.views.record_members import Kind, kind_of, of_record
from wrapper_gen.views.signatures import with_mark

_ONE_OPERAND = {Kind.OPERATOR: "record_operator", Kind.ITEM: "record_item", Kind.LOOKUP: "record_lookup"}


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
    for function, member in of_record(record, module):
        kind = kind_of(function, member, module)
        if kind is Kind.PROPERTY:
            properties.append(_property(function, member, module))
        else:
            (functions if kind is Kind.STATIC else methods).append(_method(function, member, kind, module))
    return MembersView(names.struct_tag(record), tuple(methods), tuple(properties), tuple(functions))


def _property(function: Function, member: RecordMember, module: Module) -> str:
    doc = c_string("\n".join(function_doc(function, module)))
    code = f"wg::cpython::record_getter<&{names.python_code(function)}>"
    return f"{{{c_string(member.name)}, {code}, nullptr, {doc}, nullptr}},"


def _method(function: Function, member: RecordMember, kind: Kind, module: Module) -> str:
    if kind in _ONE_OPERAND:
        code, flags = f"wg::cpython::{_ONE_OPERAND[kind]}<&{names.python_code(function)}>", "METH_O"
    elif kind is Kind.STATIC:
        code, flags = names.python_code(function), WITH_KEYWORDS if function.parameters else "METH_NOARGS"
    else:
        code, flags = f"wg::cpython::record_method<&{names.python_code(function)}>", WITH_KEYWORDS
    shown = [shown_parameter(p, module, None) for p in function.parameters]
    declared = with_mark(function, shown)
    if kind is not Kind.STATIC:
        declared[0] = "$self"
    signature = f"{member.name}({', '.join(declared)})"
    doc = c_string(f"{signature}{END_OF_SIGNATURE}" + "\n".join(function_doc(function, module)))
    return f"{{{c_string(member.name)}, WG_ANY({code}), {flags}, {doc}}},"
