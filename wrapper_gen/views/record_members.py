"""Methods of records: how both engines attach them to their classes, and how the type stub declares them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Function, Lambda, Module, Parameter, RecordMember
from wrapper_gen.model.protocols import Shape
from wrapper_gen.quoting import python_string
from wrapper_gen.types.queries import is_integer
from wrapper_gen.views.deprecations import decorator
from wrapper_gen.views.documentation import function_docstring
from wrapper_gen.views.formatting import bracketed, exploded
from wrapper_gen.views.protocols import NO_UFUNC, has_reflected
from wrapper_gen.views.signatures import declarations, returned


class Kind(StrEnum):
    """How Python calls one."""

    METHOD = "method"
    PROPERTY = "property"
    STATIC = "static"
    OPERATOR = "operator"
    ITEM = "item"
    LOOKUP = "lookup"


@frozen
class MemberView:
    """One member, as the type stub declares it."""

    decorators: tuple[str, ...]
    signature: str
    docstring: str


def of_record(record: str, module: Module) -> Iterator[tuple[Function, RecordMember]]:
    """The members of one class."""
    for each in module.record_methods:
        if each.member and each.member.record == record:
            yield each, each.member


def is_own_record(parameter: Parameter, function: Function) -> bool:
    """Whether it is the record whose method is called, by code that tells which member it calls."""
    is_first = function.member is not None and not function.member.is_static and parameter == function.parameters[0]
    return is_first and isinstance(function.implementation, Lambda)


def kind_of(function: Function, member: RecordMember, module: Module) -> Kind:
    """How Python calls it."""
    if member.is_static:
        return Kind.STATIC
    if member.is_property:
        return Kind.PROPERTY
    if member.protocol and member.protocol.is_operator:
        return Kind.OPERATOR
    if member.protocol and member.protocol.shape is Shape.GET_ITEM and len(function.parameters) == 2:
        has_length = any(other.name == "__len__" for _, other in of_record(member.record, module))
        is_position = is_integer(function.parameters[1].type)
        return Kind.LOOKUP if not is_position else Kind.ITEM if has_length else Kind.METHOD
    return Kind.METHOD


def attached(module: Module) -> tuple[str, ...]:
    """The statements of the cffi engine that attach all members."""
    found = []
    for function in module.record_methods:
        assert function.member is not None
        member, kind = function.member, kind_of(function, function.member, module)
        listed = [member.record, python_string(member.name), member.code]
        found.append(bracketed("_attach(", [*listed, python_string(str(kind))], ")", 0))
    return tuple(found)


def declared(record: str, module: Module) -> tuple[MemberView, ...]:
    """The members of one class in the type stub."""
    return tuple(_declared(f, m, module) for f, m in of_record(record, module))


def _declared(function: Function, member: RecordMember, module: Module) -> MemberView:
    kind = kind_of(function, member, module)
    parameters = declarations(function, "...")
    if kind is not Kind.STATIC:
        parameters = ["self", *parameters[1:]]
    if member.protocol and member.protocol.takes_anything:
        parameters[1:] = [f"{names.python(function.parameters[1].name)}: object"]
    if member.protocol and len(parameters) > 1 and member.protocol.shape is not Shape.CALL:
        parameters.append("/")
    kinds = {Kind.STATIC: "@staticmethod", Kind.PROPERTY: "@property"}
    decorators = tuple(filter(None, (kinds.get(kind, ""), decorator(function))))
    shown = exploded(f"def {member.name}", parameters, f" -> {returned(function).code}:")
    return MemberView(decorators, shown, function_docstring(function, module))


def own_protocols(record: str, module: Module) -> tuple[str, ...]:
    """The methods of protocols that the class has of its own: what every record has is not put in their place.

    And what makes NumPy leave operators to it.
    """
    found = list(of_record(record, module))
    own = tuple(member.name for _, member in found if member.protocol)
    return (*own, NO_UFUNC) if has_reflected([f for f, _ in found]) else own
