"""Methods of records: how both engines attach them to their classes, and how the type stub declares them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from wrapper_gen import names
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import Function, Lambda, Module, Parameter, RecordMember, StructType
from wrapper_gen.model.protocols import Shape
from wrapper_gen.quoting import python_string
from wrapper_gen.record_forms import of_fields
from wrapper_gen.types.hints import Import
from wrapper_gen.views.deprecations import decorator
from wrapper_gen.views.documentation import function_docstring
from wrapper_gen.views.formatting import block, bracketed, exploded, remarked
from wrapper_gen.views.overloads import in_stub, listed_forms, overrides, remark
from wrapper_gen.views.protocols import NO_UFUNC, has_reflected, takes_anything
from wrapper_gen.views.signatures import declarations, returned


class MemberKind(StrEnum):
    """How Python calls one."""

    METHOD = "method"
    PROPERTY = "property"
    STATIC = "static"
    OPERATOR = "operator"
    ITEM = "item"
    LOOKUP = "lookup"
    ITEM_OR_LOOKUP = "item_or_lookup"
    """One form is an item at a position, another one an item with a key."""


@frozen
class MemberView:
    """One member, as the type stub declares it."""

    decorators: tuple[str, ...]
    is_overload: bool
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


def kind_of(function: Function, member: RecordMember, module: Module) -> MemberKind:
    """How Python calls it."""
    if member.is_static:
        return MemberKind.STATIC
    if member.is_property:
        return MemberKind.PROPERTY
    if member.protocol and member.protocol.is_operator:
        return MemberKind.OPERATOR
    if member.protocol and member.protocol.shape is Shape.GET_ITEM and len(function.parameters) == 2:
        counted = function.parameters[1].counted
        if counted is None or counted.is_key:
            return MemberKind.LOOKUP
        return MemberKind.ITEM if counted.is_of_length else MemberKind.METHOD
    return MemberKind.METHOD


def groups(record: str, module: Module) -> list[list[tuple[Function, RecordMember]]]:
    """The members of one class, forms of one name together."""
    found: dict[str, list[tuple[Function, RecordMember]]] = {}
    for function, member in of_record(record, module):
        found.setdefault(member.name, []).append((function, member))
    return list(found.values())


def kind_of_all(group: Sequence[tuple[Function, RecordMember]], module: Module) -> MemberKind:
    """How Python calls forms of one name."""
    found = {kind_of(function, member, module) for function, member in group}
    if len(found) == 1:
        return found.pop()
    return MemberKind.METHOD if MemberKind.METHOD in found else MemberKind.ITEM_OR_LOOKUP


def constructors(struct: StructType, module: Module) -> list[Function]:
    """The constructors of a record, that of the fields first, where the spec declares others; nothing elsewhere."""
    found = [function for function, member in of_record(struct.name, module) if member.is_constructor]
    return [of_fields(struct), *found] if found else []


def imports_of_members(module: Module) -> Iterator[Import]:
    """What the cffi engine needs of the runtime to attach them."""
    constructing = [m.is_constructor for f in module.record_methods if (m := f.member)]
    if not all(constructing):
        yield Import(names.runtime_module("_record_methods"), "attach", "_attach")
    if any(constructing):
        yield Import(names.runtime_module("_record_constructors"), "construct", "_construct")


def is_made_of_forms(function: Function) -> bool:
    """Whether the cffi engine itself makes one function of it and others."""
    return function.is_form and not (function.member and function.member.is_constructor)


def attached(module: Module) -> tuple[str, ...]:
    """The statements of the cffi engine that attach all members."""
    return tuple(_attached(each, group, module) for each in module.structs for group in groups(each.name, module))


def _attached(struct: StructType, group: Sequence[tuple[Function, RecordMember]], module: Module) -> str:
    record, (function, member) = struct.name, group[0]
    kind = kind_of_all(group, module)
    codes = [each.code for _, each in group]
    if not function.is_form:
        return bracketed("_attach(", [record, python_string(member.name), *codes, python_string(str(kind))], ")", 0)
    if member.is_constructor:
        forms = listed_forms(constructors(struct, module), [f"{record}.__init__", *codes])
        return block("_construct(", [record, *forms], ")")
    implied = 0 if member.is_static else 1
    own = [replace(f, parameters=f.parameters[implied:]) for f, _ in group]
    items = [python_string(f"{record}.{member.name}"), *listed_forms(own, codes)]
    items += ["implied=1"] * implied + ["is_operator=True"] * (kind is MemberKind.OPERATOR)
    made = block("_overloaded(", items, ")")
    return block("_attach(", [record, python_string(member.name), made, python_string(str(kind))], ")")


def declared(struct: StructType, module: Module) -> tuple[MemberView, ...]:
    """The members of one class in the type stub."""
    own = (f for f, m in of_record(struct.name, module) if not m.is_constructor)
    both = [*constructors(struct, module), *own]
    return tuple(_declared(f, f.member, later, module) for f, later in in_stub(both) if f.member)


def _declared(function: Function, member: RecordMember, later: Sequence[Function] | None, module: Module) -> MemberView:
    kind = kind_of(function, member, module)
    parameters = declarations(function, "...")
    if member.is_constructor:
        parameters.insert(0, "self")
    elif kind is not MemberKind.STATIC:
        parameters = ["self", *parameters[1:]]
    if takes_anything(function):
        parameters[1:] = [f"{names.python(function.parameters[1].name)}: object"]
    if member.protocol and len(parameters) > 1 and member.protocol.shape is not Shape.CALL:
        parameters.append("/")
    kinds = {MemberKind.PROPERTY: "@property", MemberKind.STATIC: "@staticmethod" * (not member.is_constructor)}
    decorators = tuple(filter(None, (kinds.get(kind, ""), decorator(function))))
    name, result = ("__init__", "None") if member.is_constructor else (member.name, returned(function).code)
    shown = exploded(f"def {name}", parameters, f" -> {result}:")
    said = overrides(function) if later is None else remark(function, later)
    if said and later is not None:
        shown = remarked(shown, said)
    return MemberView(decorators, later is not None, shown, function_docstring(function, module))


def own_protocols(record: str, module: Module) -> tuple[str, ...]:
    """The methods of protocols that the class has of its own: what every record has is not put in their place.

    And what makes NumPy leave operators to it.
    """
    found = list(of_record(record, module))
    own = tuple(member.name for _, member in found if member.protocol)
    return (*own, NO_UFUNC) if has_reflected([f for f, _ in found]) else own
