"""Methods of Python's protocols, and constructors: what their signatures have to be, and what implements them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wrapper_gen import names
from wrapper_gen.diagnostics import a
from wrapper_gen.frozen import replace
from wrapper_gen.model import NO_DEFAULT, Code, Implementation, Lambda, Named, Parameter, Passing
from wrapper_gen.model.inheritance import bases
from wrapper_gen.model.protocols import EXCHANGED, METHODS, PROTOCOLS, Gives, Protocol, Shape
from wrapper_gen.resolve.entry_names import EntryName
from wrapper_gen.resolve.held_types import held_class, made_as_held
from wrapper_gen.resolve.implementation_keys import implementation_key
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.positions import check_keys, check_positions
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.memory import is_array, is_exchange, is_on_device
from wrapper_gen.types.model import Text, Type, Void
from wrapper_gen.types.queries import (
    are_integers,
    can_be_path,
    handle_of,
    is_bool,
    is_integer,
    is_iterator,
    is_number,
    is_path,
    is_text,
    is_void,
    or_none,
    without_optional,
)


def declared_protocols(entries: Iterable[EntryName]) -> dict[str, frozenset[str]]:
    """Which methods of protocols each handle type has: what some are depends on others."""
    found: dict[str, set[str]] = {}
    for each in entries:
        found.setdefault(each.owner, set()).add(each.name)
    return {owner: frozenset(own) for owner, own in found.items()}


def protocol_of(signature: Signature) -> Protocol | None:
    """The method of a protocol that it is, if it is one."""
    return PROTOCOLS.get(signature.name) if signature.handle else None


def is_exchange_method(signature: Signature) -> bool:
    """Whether libraries of Python look for it, and call it as any other method."""
    return bool(signature.handle) and signature.name in METHODS


def exports_memory(signature: Signature) -> bool:
    """Whether Python uses the memory of the object, which is there as long."""
    protocol = protocol_of(signature)
    return protocol is not None and protocol.shape is Shape.BUFFER and is_array(signature.returns)


def base_name(signature: Signature, scope: Scope) -> str:
    """What it is called in C and C++."""
    if signature.is_constructor:
        return names.constructor(signature.name)
    protocol = protocol_of(signature)
    if protocol:
        return names.protocol(protocol.word)
    if is_exchange_method(signature):
        return names.protocol(signature.name.strip("_"))
    return signature.base(scope.names.lib)


def checked(entry: Map, scope: Scope, signature: Signature) -> Signature:
    """The same signature, as the protocol has it; what it cannot have is reported."""
    if signature.is_constructor:
        _check_constructor(entry, scope, signature)
        check_positions(scope, signature)
        return signature
    protocol = protocol_of(signature)
    if is_exchange_method(signature):
        check_exchange(scope, signature)
    check_positions(scope, signature)
    if protocol is None:
        return signature
    check_protocol(entry, scope, signature, protocol)
    signature = with_texts_for_paths(signature, protocol)
    if protocol.shape is not Shape.CALL:  # Python gives them without names, whatever the spec says
        unnamed = tuple(replace(p, is_positional=False) for p in signature.parameters)
        signature = replace(signature, parameters=unnamed)
    if protocol.shape is Shape.NEXT and _fits(protocol.gives, signature.returns, "", scope):
        return replace(signature, returns=or_none(without_optional(signature.returns)))
    if protocol.shape is Shape.IN_PLACE:
        return replace(signature, returns=Void())
    return signature


# --- checks -----------------------------------------------------------------------------------------------------------


def _check_constructor(entry: Map, scope: Scope, signature: Signature) -> None:
    if handle_of(signature.returns) != signature.name or signature.handle is not None:
        hint = f"drop the result: {signature.name}(…) gives {a(signature.name)}"
        message = f"the constructor of {signature.name} gives something else"
        scope.error("WG128", message, signature.returns_span, hint)


def check_protocol(entry: Map, scope: Scope, signature: Signature, protocol: Protocol) -> None:
    """Report what the method of a protocol cannot have."""
    name, count = protocol.name, len(signature.parameters)
    check_keys(scope, signature, protocol)
    if count < protocol.least or (protocol.most is not None and count > protocol.most):
        wanted = f"{protocol.least}" + (" or more" if protocol.most is None else "")
        message = f"{name} has {count} parameter{'' if count == 1 else 's'}, where Python gives it {wanted}"
        hint = _example(protocol, signature.handle or "")
        scope.error("WG129", message, signature.span, f"for example {hint}")
    if signature.is_property:
        message = f"{name} is a method, and no property"
        scope.error("WG129", message, signature.span, f"write it with parentheses: {name}()")
    if signature.is_whole and not _fits(protocol.gives, signature.returns, signature.handle or "", scope):
        message = f"{name} returns {signature.returns}, where Python wants {protocol.gives.value}"
        scope.error(
            "WG130", message, signature.returns_span, f"for example {_example(protocol, signature.handle or '')}"
        )
    if protocol.shape is not Shape.CALL:
        optional = next(
            (p for p in signature.parameters if p.default is not NO_DEFAULT or (p.is_keyword and not p.gathers)), None
        )
        if optional:
            hint = "drop the default: an operator has all of its operands"
            scope.error("WG129", f"Python gives {name} all of its arguments", optional.span, hint)


def with_texts_for_paths(signature: Signature, protocol: Protocol) -> Signature:
    """The same signature; `os.fspath` takes no object that is itself a path, so a path is a `str`."""
    if protocol.gives is Gives.PATH and is_path(signature.returns):
        return replace(signature, returns=Text())
    return signature


def _fits(gives: Gives, type_: Type, own: str, scope: Scope) -> bool:
    match gives:
        case Gives.ANYTHING:
            return True
        case Gives.VALUE:
            return not is_void(type_)
        case Gives.INTEGER:
            return is_integer(type_)
        case Gives.NUMBER:
            return is_number(type_)
        case Gives.TRUTH:
            return is_bool(type_)
        case Gives.ITERATOR:
            return is_iterator(type_) or has_next(handle_of(type_) or "", scope)
        case Gives.ELEMENT:
            return not is_void(type_) and not is_iterator(type_)
        case Gives.TEXT:
            return is_text(type_)
        case Gives.PATH:
            return can_be_path(type_)
        case Gives.OBJECT:
            return handle_of(type_) is not None
        case Gives.ITSELF:
            return is_void(type_) or handle_of(type_) == own
        case Gives.MEMORY:
            return is_array(type_) and not is_on_device(type_)
        case Gives.NOTHING:
            return is_void(type_)


def has_next(handle: str, scope: Scope) -> bool:
    """Whether objects of a handle type are iterators of Python: a cursor, which has `__next__`."""
    family = (handle, *bases(handle, scope.names.extends))
    return any("__next__" in scope.names.protocols.get(each, ()) for each in family)


_EXAMPLES = {
    Shape.LENGTH: "{}() -> usize",
    Shape.TRUTH: "{}() -> bool",
    Shape.HASH: "{}() -> u64",
    Shape.COMPARISON: "{}(other: HANDLE) -> bool",
    Shape.BINARY: "{}(other: HANDLE) -> HANDLE",
    Shape.REFLECTED: "{}(other: f64) -> HANDLE",
    Shape.IN_PLACE: "{}(other: HANDLE)",
    Shape.GET_ITEM: "{}(index: position) -> f64",
    Shape.SET_ITEM: "{}(index: position, value: f64)",
    Shape.DELETE_ITEM: "{}(index: position)",
    Shape.CONTAINS: "{}(key: text) -> bool",
    Shape.CALL: "{}(x: f64) -> f64",
    Shape.COPY: "{}() -> HANDLE",
    Shape.ITERATE: "{}() -> iter[i64], or a handle type with __next__",
    Shape.NEXT: "{}() -> i64",
    Shape.ENTER: "{}()",
    Shape.EXIT: "{}()",
    Shape.BUFFER: "{}() -> array[f64; rows, columns]",
}
_RESULTS = {Gives.INTEGER: "i64", Gives.NUMBER: "f64", Gives.TEXT: "text", Gives.PATH: "path"}


def _example(protocol: Protocol, handle: str) -> str:
    if protocol.shape is Shape.UNARY:
        return f"{protocol.name}() -> {_RESULTS.get(protocol.gives, handle)}"
    return _EXAMPLES[protocol.shape].format(protocol.name).replace("HANDLE", handle)


# --- what implements it -----------------------------------------------------------------------------------------------


def implied(entry: Map, scope: Scope, signature: Signature) -> Implementation | None:
    """What C++ has for the method of a protocol, or for a constructor, where the spec does not say it."""
    said = implementation_key(entry)
    if signature.is_constructor:
        return _constructor(entry, said, scope, signature)
    protocol = protocol_of(signature)
    if protocol is None:
        return None
    if said:
        return None
    prefix = scope.names.naming.methods.get(signature.handle or "")
    if prefix is not None:  # functions of C
        return Named(Code(prefix + names.cased(protocol.word, scope.names.naming.case), signature.span))
    if protocol.shape in (Shape.ENTER, Shape.EXIT):
        return Named(Code(names.cased(protocol.word, scope.names.naming.case), signature.span), is_member=True)
    if not protocol.cpp:
        report_no_operator(protocol, scope, signature)
        return Named(Code(protocol.word, signature.span), is_member=True)
    return implied_by(protocol, scope, signature)


def report_no_operator(protocol: Protocol, scope: Scope, signature: Signature) -> None:
    """Report that nothing implements the method of a protocol."""
    hint = "say what implements it: cpp or cpp_body"
    scope.error("WG131", f"C++ has no operator for {protocol.name}", signature.span, hint)


def implied_by(protocol: Protocol, scope: Scope, signature: Signature) -> Lambda:
    """What C++ has for the method of a protocol."""
    text = _lambda(signature, protocol, scope)
    return Lambda(Code(text, signature.span), _passing(signature), takes_handle=True, is_implied=True)


def _passing(signature: Signature) -> tuple[Passing, ...]:
    return (Passing.INNER,) * (1 + len(signature.parameters))


def _lambda(signature: Signature, protocol: Protocol, scope: Scope) -> str:
    """A lambda over what the handle holds, and the arguments."""
    given = [f"wg_{i}" for i, _ in enumerate(signature.parameters, 1)]
    parameters = ["[[maybe_unused]] auto &wg_own", *(f"auto &&{each}" for each in given)]
    operands = [f"wg::object({each})" for each in given]
    made = with_keys(signature.parameters, protocol).cpp_of("wg::object(wg_own)", operands)
    returned = "static_cast<void>({});" if is_void(signature.returns) else "return {};"
    made_as = handle_of(signature.returns)
    if made_as in scope.names.pointing:
        made = f"wg::operators::held<decltype({made_as}::inner)>({made})"
    result = "" if is_void(signature.returns) else " -> decltype(auto)"
    return f"[]({', '.join(parameters)}){result} {{ {returned.format(made)} }}"


def with_keys(parameters: Sequence[Parameter], protocol: Protocol) -> Protocol:
    """The same protocol, as the spec speaks of its keys.

    A key is set where it may be one: a map adds an integer only if it is no position. What only C++ can check is given
    to the one member that takes it.
    """
    if not protocol.has_key or not parameters:  # reported elsewhere
        return protocol
    given = parameters[:-1] if protocol.shape is Shape.SET_ITEM else parameters
    if any(p.counted and p.counted.is_by_cpp for p in given):
        return replace(protocol, cpp=protocol.cpp.replace("item(", "item<true>("))
    if protocol.shape is Shape.SET_ITEM and len(given) == 1 and given[0].counted and given[0].counted.is_key:
        return replace(protocol, cpp=protocol.cpp.replace("set_item", "set_key"))
    return protocol


def _constructor(entry: Map, said: str, scope: Scope, signature: Signature) -> Named | None:
    """The C++ constructor, where the class is named or nothing is said: made as the handle holds it."""
    _, class_ = held_class(signature.name, scope)
    code = scope.code(entry, said) if said else None
    if said == "cpp_body" or (code and "".join(code.text.split()) != "".join(class_.split())):
        return None
    if not code and scope.names.naming.methods.get(signature.name) is not None:
        hint = "say which function makes one: cpp: parser_open"
        scope.error("WG132", f"C has no constructor of {signature.name}", signature.span, hint)
    made = made_as_held(class_, signature.name, scope)
    return Named(Code(made, code.span if code else signature.span))


# --- memory for other libraries ---------------------------------------------------------------------------------------


_WHOLE = (
    "__dlpack__(*, stream: i64? = null, max_version: (i64, i64)? = null, dl_device: (i64, i64)? = null, "
    "copy: bool? = null) -> dlpack"
)
_DEVICE = "__dlpack_device__() -> (i32, i32)"


def check_exchange(scope: Scope, signature: Signature) -> None:
    """Report what `__dlpack__` and `__dlpack_device__` cannot have."""
    name, is_device = signature.name, signature.name == "__dlpack_device__"
    example = f"for example {_DEVICE if is_device else _WHOLE}"
    if signature.is_property:
        scope.error("WG129", f"{name} is a method, and no property", signature.span, example)
    unknown = next((p for p in signature.parameters if is_device or not _is_known(p)), None)
    if unknown:
        what = "no arguments" if is_device else f"{', '.join(EXCHANGED)}, by name, or without them"
        scope.error("WG129", f"{name} is called with {what}", unknown.span, example)
    if signature.is_whole and not (are_integers(signature.returns, 2) if is_device else is_exchange(signature.returns)):
        wanted = "the kind of device and its number" if is_device else "dlpack"
        message = f"{name} returns {signature.returns}, where libraries want {wanted}"
        scope.error("WG130", message, signature.returns_span, example)


def _is_known(p: Parameter) -> bool:
    return p.name in EXCHANGED and p.is_keyword and p.default is None
