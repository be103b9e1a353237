"""Methods of structs: functions of the library that take a record first, which Python calls as methods of its class."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from wrapper_gen import names
from wrapper_gen.frozen import replace
from wrapper_gen.model import Code, Function, Implementation, Lambda, Parameter, Passing, RecordMember
from wrapper_gen.model.protocols import METHODS, PROTOCOLS, Protocol, Shape
from wrapper_gen.resolve.functions import resolve_signature
from wrapper_gen.resolve.implementation_keys import implementation_key
from wrapper_gen.resolve.lambdas import is_lambda
from wrapper_gen.resolve.parameters import NoSignature, Signature, read_signature
from wrapper_gen.resolve.protocols import check_protocol, report_no_operator
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.memory import is_array
from wrapper_gen.types.model import Struct
from wrapper_gen.types.queries import is_integer, is_iterator, is_void

SELF = "self"
"""The record, in Python and in C++."""
_CHANGING = {Shape.SET_ITEM, Shape.DELETE_ITEM, Shape.IN_PLACE, Shape.NEXT, Shape.ENTER, Shape.EXIT}
_OWN = {
    Shape.BUFFER: "a record has copies of what C++ has, and no memory of its own",
    Shape.COPY: "a record cannot change, so its copy is itself",
}
_REFUSED = ("async", "label", "py_name", "thread", "holds", "releases", "invalidates", "borrow")
_TAKEN = frozenset({"_values"})


def resolve_struct_methods(scope: Scope) -> tuple[Function, ...]:
    """The methods of all structs, in the spec's order."""
    return tuple(found for struct in scope.entries("structs") for found in _of_struct(struct, scope))


def _of_struct(struct: Map, scope: Scope) -> Iterator[Function]:
    record = scope.text(struct, "name")
    known = {f.name for f in scope.records[record].fields} if record in scope.records else set[str]()
    entries = list(scope.items(struct, "methods"))
    for entry in entries:
        try:
            found = scope.of_row(entry, partial(_method, entry, scope, record))
        except NoSignature:
            continue
        if found is None:
            continue
        if found.name in known:
            what = f"{record}.{found.name}"
            scope.error("WG022", f"two members are called {what}", found.span, "rename one")
            continue
        known.add(found.name)
        yield found


def _method(entry: Map, scope: Scope, record: str) -> Function | None:
    signature = read_signature(entry, scope, "methods", record)
    protocol = PROTOCOLS.get(signature.name)
    is_static = bool(entry.get("static"))
    if not _is_possible(entry, scope, signature, protocol, record, is_static=is_static):
        return None
    if protocol:
        check_protocol(entry, scope, signature, protocol)
    type_ = Struct(record, record in scope.calling, scope.holding.get(record, ()))
    own = () if is_static else (Parameter(SELF, type_, signature.span),)
    member = RecordMember(record, signature.name, signature.is_property, is_static, protocol)
    whole = replace(signature, handle=None, parameters=(*own, *signature.parameters), is_property=False)
    whole = replace(whole, static=record if is_static else "")
    implementation = None if is_static else _implementation(entry, scope, whole, protocol)
    found = resolve_signature(entry, scope, whole, implementation)
    return replace(found, base=member.base, py_name=signature.name, member=member, static="")


def _is_possible(
    entry: Map, scope: Scope, signature: Signature, protocol: Protocol | None, record: str, *, is_static: bool
) -> bool:
    """Whether a record can have the method; what it cannot have is reported."""
    name, span = signature.name, signature.span
    message = hint = ""
    if signature.is_constructor or name == record:
        message, hint = f"{record} is made of its fields", "give the method another name, and say static: true"
    elif protocol and protocol.shape in _CHANGING:
        message, hint = f"{name} would change a record", "return another record: __add__, with_name(…)"
    elif protocol and protocol.shape is Shape.ITERATE:
        message, hint = (
            f"{name} would refer to a record",
            "declare __len__ and __getitem__, or a method that returns a list",
        )
    elif protocol and protocol.shape in _OWN:
        message, hint = f"{name} is not called", _OWN[protocol.shape]
    elif name in METHODS:
        message, hint = f"a record does not export its memory, and has no {name}", "declare it in a handle type"
    elif is_iterator(signature.returns) or is_array(signature.returns):
        message, hint = f"{name} would return what refers to a record", "return a list"
    elif is_static and (protocol or signature.is_property):
        message, hint = f"{name} is called for a record", "drop `static`"
    elif is_static and not implementation_key(entry):
        message, hint = f"nothing implements {name}", "say what does: cpp_fn, or cpp_body"
    elif any(p.name == SELF for p in signature.parameters):
        message, hint = f"`{SELF}` is the record", "give the parameter another name"
    elif name in _TAKEN:
        message, hint = f"{name} is taken", "give it another name"
    elif said := next((key for key in _REFUSED if entry.get(key) is not None), ""):
        message, hint = f"`{said}` is for methods of handle types", f"drop `{said}`"
    if message:
        scope.error("WG182", message, span, hint)
    return not message


def _implementation(entry: Map, scope: Scope, signature: Signature, protocol: Protocol | None) -> Implementation | None:
    """A call of a member, or of an operator; None where the entry says what to call otherwise."""
    code = scope.code(entry, "cpp_method")
    if any(scope.code(entry, key) for key in ("cpp_fn", "cpp_body")) or (code and is_lambda(code.text)):
        return None
    given = [f"wg_{i}" for i, _ in enumerate(signature.parameters[1:], 1)]
    name = code.text.strip() if code else names.cased(signature.name, scope.naming.case)
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
    if protocol.shape is Shape.GET_ITEM and len(given) == 1 and is_integer(signature.parameters[1].type):
        size = f"wg::operators::size(wg::raw({SELF}))"
        operands = [f'wg::operators::position({given[0]}, {size}, "{signature.parameters[0].type}")']
    return protocol.cpp_of(f"wg::raw({SELF})", operands)
