"""Methods of structs: functions of the library that take a record first, which Python calls as methods of its class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from wrapper_gen import names
from wrapper_gen.frozen import replace
from wrapper_gen.model import (
    Code,
    Function,
    Implementation,
    Lambda,
    Named,
    Parameter,
    Passing,
    RecordMember,
    StructType,
)
from wrapper_gen.model.inheritance import bases
from wrapper_gen.model.protocols import METHODS, PROTOCOLS, Protocol, Shape
from wrapper_gen.record_forms import of_fields
from wrapper_gen.resolve.cpp import member_name, says_several
from wrapper_gen.resolve.entry_names import entry_name
from wrapper_gen.resolve.functions import resolve_signature
from wrapper_gen.resolve.implementation_keys import implementation_key
from wrapper_gen.resolve.overloads import distinct, grouped
from wrapper_gen.resolve.parameters import NoSignature, Signature, read_signature
from wrapper_gen.resolve.positions import check_positions, refuse_extents
from wrapper_gen.resolve.protocols import check_protocol, report_no_operator, with_keys, with_texts_for_paths
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.signatures import OVERRIDDEN, STATIC
from wrapper_gen.types.fitting import label
from wrapper_gen.types.memory import is_array
from wrapper_gen.types.model import Struct
from wrapper_gen.types.queries import is_iterator, is_void, struct_of

SELF = "self"
"""The record, in Python and in C++."""
_CHANGING = {Shape.SET_ITEM, Shape.DELETE_ITEM, Shape.IN_PLACE, Shape.NEXT, Shape.ENTER, Shape.EXIT}
_OWN = {
    Shape.BUFFER: "a record has copies of what C++ has, and no memory of its own",
    Shape.COPY: "a record cannot change, so its copy is itself",
}
_REFUSED = ("async", "thread", "holds", "holds_last", "lets_go", "ends")
_TAKEN = frozenset({"_values"})


def resolve_struct_methods(scope: Scope) -> tuple[Function, ...]:
    """The methods of all structs, in the spec's order; forms of one name stand side by side."""
    found: dict[str, tuple[Function, ...]] = {}
    for struct in scope.entries("structs"):
        own = _of_struct(struct, scope)
        record = scope.findings.records.get(scope.text(struct, "name"))
        if record and record.extends:
            _check_inherited(own, found, record, scope)
        found[scope.text(struct, "name")] = own
    return tuple(each for own in found.values() for each in own)


def _check_inherited(
    own: tuple[Function, ...], others: Mapping[str, Sequence[Function]], struct: StructType, scope: Scope
) -> None:
    """Report members that have the name of one of a base, and are not called as that is."""
    fields = {f.name: f for f in struct.own_fields}
    named = {each.name: each for each in own}
    extends = {each.name: each.extends for each in scope.findings.records.values() if each.extends}
    for base in bases(struct.name, extends):
        for each in others.get(base, ()):
            field, other = fields.get(each.name), named.get(each.name)
            span = field.span if field else other.span if other and _kind(other) != _kind(each) else None
            if span:
                message = f"{base}, which {struct.name} extends, has the member {each.name!r}"
                scope.error("WG022", message, span, "name one of them otherwise")


def _of_struct(struct: Map, scope: Scope) -> tuple[Function, ...]:
    record = scope.text(struct, "name")
    entries = list(scope.items(struct, "methods"))
    forms = frozenset(name for name, count in Counter(map(entry_name, entries)).items() if count > 1)
    found = []
    for entry in entries:
        try:
            each = scope.of_row(entry, partial(_method, entry, struct=struct, forms=forms))
        except NoSignature:
            continue
        found += [each] if each else []
    _check_names(found, scope, record)
    return tuple(replace(each, is_form=True) if _has_forms(each) else each for each in grouped(found))


def _has_forms(function: Function) -> bool:
    """Whether it is a form: the fields of a record are a form of its constructor."""
    return function.is_form or (function.member is not None and function.member.is_constructor)


def _check_names(functions: list[Function], scope: Scope, record: str) -> None:
    """Report members that have one name, and are no forms of one method."""
    struct = scope.findings.records.get(record)
    known = {f.name for f in struct.fields} if struct else set[str]()
    made_of = [of_fields(struct)] if struct and any(f.name == record for f in functions) else []
    first: dict[str, Function] = {}
    for each in functions:
        other = first.setdefault(each.name, each)
        is_form = _kind(other) == _kind(each) and not (each.member and each.member.is_property)
        if each.name in known or (other is not each and not is_form):
            scope.error("WG022", f"two members are called {record}.{each.name}", each.span, "rename one")
    own = [each for each in functions if not (each.member and each.member.is_property)]
    seen = {f.name for f in made_of}
    for each in distinct([*made_of, *own], scope):
        if each in made_of:
            continue
        if each.name in seen and _kind(first[each.name]) == _kind(each):
            message = f"two forms of {record}.{each.name} take the same"
            if each.name == record:
                message = f"{record} has two constructors that take the same"
            hint = "drop one, or tell them apart by keywords: (*, angle: f64)"
            scope.error("WG133", message, each.span, hint)
        seen.add(each.name)


def _kind(function: Function) -> tuple[bool, bool]:
    member = function.member
    return (member.is_property, member.is_static) if member else (False, False)


def _method(entry: Map, scope: Scope, struct: Map, forms: frozenset[str]) -> Function | None:
    record = scope.text(struct, "name")
    signature = read_signature(entry, scope, "methods", record)
    protocol = PROTOCOLS.get(signature.name)
    is_constructor = signature.name == record
    is_static = signature.kind == STATIC or is_constructor
    if not _is_possible(entry, scope, signature, protocol, record, is_static=is_static):
        return None
    if protocol:
        check_protocol(entry, scope, signature, protocol)
    check_positions(scope, signature)
    refuse_extents(scope, signature)
    if protocol:
        signature = with_texts_for_paths(signature, protocol)
    type_ = Struct(record, record in scope.names.calling, scope.names.holding.get(record, ()))
    own = () if is_static else (Parameter(SELF, type_, signature.span),)
    said = scope.text(entry, "label")
    is_told_apart = is_constructor or signature.name in forms
    types = said or (label([p.type for p in signature.parameters]) if is_told_apart else "")
    member = RecordMember(record, signature.name, signature.is_property, is_static, protocol, types)
    whole = replace(signature, handle=None, parameters=(*own, *signature.parameters), is_property=False)
    whole = replace(whole, static=record if is_static else "", base_of_member=member.base)
    whole = replace(whole, returns=type_) if is_constructor else whole
    implementation = None if is_static else _implementation(entry, scope, whole, protocol)
    if is_constructor and not implementation_key(entry):
        made = scope.code(struct, "cpp_type")
        implementation = Named(made) if made else None
    found = resolve_signature(entry, scope, whole, implementation)
    return replace(found, base=member.base, py_name=signature.name, member=member, static="")


def _is_possible(
    entry: Map, scope: Scope, signature: Signature, protocol: Protocol | None, record: str, *, is_static: bool
) -> bool:
    """Whether a record can have the method; what it cannot have is reported."""
    name, span = signature.name, signature.span
    message = hint = ""
    if name == record and (signature.is_property or not _makes(signature, record)):
        message, hint = (
            f"the constructor of {record} gives something else",
            f'write def: "{record}(…)"',
        )
    elif name == record and signature.kind == STATIC:
        message, hint = "a constructor is called on its class already", "drop `static`"
    elif protocol and protocol.shape in _CHANGING:
        message, hint = f"{name} would change a record", "return another record: __add__, with_name(…)"
    elif protocol and protocol.shape is Shape.ITERATE:
        message, hint = (
            f"{name} would refer to a record",
            "declare __len__ and __getitem__, or a method that returns a list",
        )
    elif protocol and protocol.shape in _OWN:
        message, hint = f"{name} is not called", _OWN[protocol.shape]
    elif signature.kind in OVERRIDDEN:
        message, hint = f"Python overrides no method of a record: {name}", f"drop {signature.kind!r}"
    elif name in METHODS:
        message, hint = f"a record does not export its memory, and has no {name}", "declare it in a handle type"
    elif is_iterator(signature.returns) or is_array(signature.returns):
        message, hint = f"{name} would return what refers to a record", "return a list"
    elif is_static and (protocol or signature.is_property):
        message, hint = f"{name} is called for a record", "drop `static`"
    elif is_static and name != record and not implementation_key(entry):
        message, hint = f"nothing implements {name}", "say what does: cpp, or cpp_body"
    elif any(p.name == SELF for p in signature.parameters):
        message, hint = f"`{SELF}` is the record", "give the parameter another name"
    elif name in _TAKEN:
        message, hint = f"{name} is taken", "give it another name"
    elif said := next((key for key in _REFUSED if entry.get(key) is not None), ""):
        message, hint = f"`{said}` is for methods of handle types", f"drop `{said}`"
    if message:
        scope.error("WG182", message, span, hint)
    return not message


def _makes(signature: Signature, record: str) -> bool:
    """Whether it returns the record, or says nothing of what it returns."""
    return is_void(signature.returns) or struct_of(signature.returns) == record


def _implementation(entry: Map, scope: Scope, signature: Signature, protocol: Protocol | None) -> Implementation | None:
    """A call of a member, or of an operator; None where the entry says what to call otherwise."""
    if says_several(entry):
        return None
    code = member_name(entry, scope, "")
    if scope.code(entry, "cpp_body") or (code is None and scope.code(entry, "cpp")):
        return None
    given = [f"wg_{i}" for i, _ in enumerate(signature.parameters[1:], 1)]
    name = code.text.strip() if code else names.cased(signature.name, scope.names.naming.case)
    declared = ", ".join([f"auto &&{SELF}", *(f"auto &&{each}" for each in given)])
    if protocol and not code:
        made = _operator(signature, protocol, given, scope)
    else:
        shown = ", ".join(f'"{names.python(p.name)}"' for p in signature.parameters[1:])
        listed = ", ".join([f"wg::raw({SELF})", f"WG_CALLED({name})", f"{{{shown}}}", *given])
        made = f"wg::call_member<{len(given)}>({listed})"
    span = code.span if code else signature.span
    returned = f"static_cast<void>({made});" if is_void(signature.returns) else f"return {made};"
    result = "" if is_void(signature.returns) else " -> decltype(auto)"
    if not protocol or code:  # so that C++ tells which form of an argument the member takes
        passed = ", ".join(f"static_cast<decltype({each})>({each})" for each in given)
        called = f"wg::raw({SELF}).{name}({passed})"
        asked = f"static_cast<void>({called})" if is_void(signature.returns) else called
        result = f" -> decltype({asked})"
    text = f"[]({declared}){result} {{ {returned} }}"
    if not protocol or code:
        text = f"wg::record_method(WG_RECORD_MEMBER({name}), {text})"
    return Lambda(Code(text, span), (Passing.INNER,) * len(signature.parameters), takes_handle=False)


def _operator(signature: Signature, protocol: Protocol, given: list[str], scope: Scope) -> str:
    """What C++ has for the method of a protocol."""
    if not protocol.cpp:
        report_no_operator(protocol, scope, signature)
        return f"wg::raw({SELF})"
    operands = [f"wg::raw({each})" for each in given]
    protocol = with_keys(signature.parameters[1:], protocol)
    counted = signature.parameters[1].counted if given else None
    if protocol.shape is Shape.GET_ITEM and counted and counted.is_of_length:
        size = f"wg::operators::size(wg::raw({SELF}))"
        operands = [f'wg::operators::position({given[0]}, {size}, "{signature.parameters[0].type}")']
    return protocol.cpp_of(f"wg::raw({SELF})", operands)
