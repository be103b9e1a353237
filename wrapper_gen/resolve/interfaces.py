"""Classes whose virtual functions methods of Python override: those with a method that says so before its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen import names
from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import replace
from wrapper_gen.model import Callback, Code, Function, HandleType, Lasting, Named, NamedCallback, Parameter, Virtual
from wrapper_gen.model.inheritance import bases
from wrapper_gen.resolve.byte_offsets import refuse_offsets
from wrapper_gen.resolve.cpp import member_name
from wrapper_gen.resolve.functions import resolve_method, resolve_signature
from wrapper_gen.resolve.implementation_keys import IMPLEMENTATION_KEYS, implementation_key
from wrapper_gen.resolve.lambdas import is_lambda
from wrapper_gen.resolve.parameters import Signature, read_signature
from wrapper_gen.resolve.positions import refuse_positions
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.signatures import OVERRIDDEN, PROTECTED
from wrapper_gen.resolve.types import parse_type
from wrapper_gen.resolve.virtual_arguments import (
    MIRRORED,
    is_mirrored,
    listed_member,
    listed_virtual,
    lists_arguments,
)
from wrapper_gen.types.model import Handle
from wrapper_gen.types.queries import callable_of, has_callables

KEYS = ("cpp_type",)
"""What only methods of classes say that Python overrides."""
_REFUSED = tuple(key for key in IMPLEMENTATION_KEYS if key != "cpp")
"""What no virtual method says: the class implements it, or Python does."""


def _refused(entry: Map, scope: Scope) -> list[str]:
    """The keys that say what else than a member implements it."""
    is_member = not implementation_key({"cpp": entry.get("cpp")}) or member_name(entry, scope, "") is not None
    is_member = is_member or lists_arguments(entry, scope)
    return [key for key in _REFUSED if entry.get(key) is not None] + ["cpp"] * (not is_member)


def resolve_member(entry: Map, scope: Scope, owner: str) -> Function:
    """One entry of the methods of such a class: a constructor, a virtual function, or another member."""
    signature = read_signature(entry, scope, "methods", owner)
    if signature.is_constructor:
        return resolve_signature(entry, scope, signature, maker(owner, signature.span))
    if signature.kind not in OVERRIDDEN:
        _refuse_keys(entry, scope, signature, KEYS)
        is_protected = signature.kind == PROTECTED
        return _protected(entry, scope, signature, owner) if is_protected else resolve_method(entry, scope, owner)
    _check(entry, scope, signature)
    listed = listed_virtual(entry, scope, signature, owner)
    called = scope.document.without(entry, MIRRORED) if listed else entry
    found = resolve_signature(
        called, scope, signature, Named(Code(_call(owner, signature.name, scope), signature.span))
    )
    refuse_offsets(signature, scope)
    refuse_positions(found, scope)
    callback = _callback(entry, scope, signature, owner, listed)
    return replace(found, virtual=_virtual(entry, scope, signature, callback)) if callback else found


def _protected(entry: Map, scope: Scope, signature: Signature, owner: str) -> Function:
    """A member that only derived classes can call: the generated one does."""
    for key in _refused(entry, scope):
        message = f"`{key}` of a protected member, which only the class has"
        scope.error("WG201", message, scope.document.key_span(entry, key), f"drop `{key}`, or the word `protected`")
    member = _member(entry, scope, signature)
    _check_member(member, scope)
    called = Code(_protected_call(owner, member.text, scope), member.span)
    said = scope.document.without(entry, ("cpp",))
    return resolve_signature(said, scope, signature, Named(called, protected=member.text))


def implied_constructors(methods: Sequence[Function], handles: Sequence[HandleType]) -> Iterator[Function]:
    """Of classes that Python overrides and that declare none: one without parameters."""
    declared = {f.constructs for f in methods}
    for handle in handles:
        if handle.is_interface and handle.name not in declared:
            yield Function(
                name=handle.name,
                base=names.constructor(handle.name),
                parameters=(),
                returns=Handle(handle.name),
                implementation=maker(handle.name, handle.span),
                span=handle.span,
                constructs=handle.name,
            )


def inherited_overrides(methods: Sequence[Function], scope: Scope) -> Iterator[Function]:
    """What classes have of their bases that a generated class calls: virtual functions, and protected members."""
    for owner in [each for each in scope.names.extends if each in scope.names.interfaces]:
        taken = {m.name for m in methods if m.handle == owner}
        for base in bases(owner, scope.names.extends):
            found = [m for m in methods if m.handle == base and m.name not in taken]
            taken.update(m.name for m in found)
            yield from (_of_derived(m, owner, scope) for m in found if m.virtual or _protected_member(m))


def _protected_member(method: Function) -> str:
    """The name of a member that only derived classes can call; empty for others."""
    return method.implementation.protected if isinstance(method.implementation, Named) else ""


def _of_derived(method: Function, owner: str, scope: Scope) -> Function:
    """A method of a base in a class that derives from it, where C++ has an implementation of what is virtual."""
    called, virtual = method.implementation, method.virtual
    assert isinstance(called, Named)
    member, span = called.protected, scope.span(scope.names.handle_entries[owner], "name")
    text = _protected_call(owner, member, scope) if member else _call(owner, method.name, scope)
    if virtual is not None:
        own = replace(virtual.callback.type, label=f"{owner}_{method.name}")
        callback = replace(virtual.callback, parameter=f"{owner}.{names.python_method(method.name)}", type=own)
        virtual = replace(virtual, callback=callback, is_abstract=False, is_optional=False)
    return replace(method, handle=owner, implementation=replace(called, name=Code(text, span)), virtual=virtual)


def _protected_call(owner: str, member: str, scope: Scope) -> str:
    """The function by which Python calls what only derived classes can call."""
    return f"{names.namespace(scope.names.lib)}::{names.extra(f'{owner}_{member}', 'protected')}"


def _call(owner: str, name: str, scope: Scope) -> str:
    """The function by which Python calls what C++ has."""
    return f"{names.namespace(scope.names.lib)}::{names.extra(f'{owner}_{name}', 'call')}"


def maker(owner: str, span: Span) -> Named:
    """What makes an object of the class that is generated to override one."""
    return Named(Code(f"wg::overriding % new {names.extra(owner, 'overriding')}", span))


def _virtual(entry: Map, scope: Scope, signature: Signature, callback: Callback) -> Virtual:
    return Virtual(
        callback=callback,
        member=_member(entry, scope, signature),
        cpp_type=Code(scope.expression(entry, "cpp_type"), scope.span(entry, "cpp_type"))
        if entry.get("cpp_type")
        else None,
        is_abstract=signature.kind == "abstract",
        is_optional=signature.kind == "optional",
        is_mirrored=is_mirrored(entry, scope),
    )


def _member(entry: Map, scope: Scope, signature: Signature) -> Code:
    """Its name in C++."""
    said = member_name(entry, scope, "") or listed_member(entry, scope)
    return (
        replace(said, text=said.text.strip())
        if said
        else Code(names.cased(signature.name, scope.names.naming.case), signature.span)
    )


def _callback(
    entry: Map, scope: Scope, signature: Signature, owner: str, listed: NamedCallback | None
) -> Callback | None:
    """What C++ calls the method of Python with."""
    if any(has_callables(p.type) for p in signature.parameters):
        return None
    spelled = ", ".join(str(p.type) for p in signature.parameters)
    found = parse_type(f"fn({spelled}) -> {signature.returns}", signature.span, scope)
    fn = callable_of(found) if found else None
    if fn is None:
        return None
    on_exception = None
    if isinstance(entry.get("on_exception"), dict):
        where = scope.span(entry, "on_exception")
        scope.error(
            "WG011", "'on_exception' of a virtual method is an expression", where, "write it as text, in quotes"
        )
    elif entry.get("on_exception") is not None:
        on_exception = Code(scope.expression(entry, "on_exception"), scope.span(entry, "on_exception"))
    return Callback(
        parameter=f"{owner}.{names.python_method(signature.name)}",
        type=replace(listed.type if listed else fn, label=f"{owner}_{signature.name}"),
        span=signature.span,
        scope=Lasting.HELD,
        on_exception=on_exception,
        any_thread=True,
        listed=listed.listed if listed else None,
    )


# --- what cannot be --------------------------------------------------------------------------------------------------


def _check(entry: Map, scope: Scope, signature: Signature) -> None:
    where, name = signature.span, signature.name
    if name.startswith("__") or signature.is_property:
        what = "a property" if signature.is_property else "a method of a protocol"
        hint = f"drop {signature.kind!r}, if it is another member; or give the method another name, and say cpp: .area"
        scope.error("WG201", f"{name!r} is {what}, which Python cannot override", where, hint)
    if (signature.handle or "", name) in scope.names.overloaded:
        hint = "give each a name of its own in `def`, and say its C++ name and type: cpp: …, cpp_type: …"
        scope.error("WG201", f"several virtual methods are named {name!r}", where, hint)
    for key in _refused(entry, scope):
        hint = f"drop it; or drop {signature.kind!r}, if it is another member"
        message = f"`{key}` of a virtual method, which the class implements or Python does"
        scope.error("WG201", message, scope.document.key_span(entry, key), hint)
    _check_member(_member(entry, scope, signature), scope)
    for p in signature.parameters:
        _check_parameter(p, scope)


def _check_member(member: Code, scope: Scope) -> None:
    if is_lambda(member.text) or not names.is_identifier(member.text):
        scope.error("WG201", "a virtual or protected method has the name of a member", member.span, "write cpp: .area")


def _check_parameter(p: Parameter, scope: Scope) -> None:
    if has_callables(p.type):
        hint = "drop the method, or pass an object of another class that Python overrides"
        scope.error("WG201", f"{p.name!r} is a callable, which a virtual method cannot take", p.span, hint)


def _refuse_keys(entry: Map, scope: Scope, signature: Signature, keys: Sequence[str]) -> None:
    """Of a method that C++ does not call: one that is not virtual, or is static."""
    way = "drop `static`" if signature.kind else f"write virtual {signature.name}(…)"
    for key in keys:
        if entry.get(key):
            where = scope.document.key_span(entry, key)
            scope.error("WG200", f"{key!r} is for virtual methods", where, f"drop {key!r}, or {way}")


def refuse_elsewhere(entry: Map, scope: Scope) -> None:
    """Of a method of a class that Python does not override."""
    for key in KEYS:
        if entry.get(key) is not None:
            where = scope.document.key_span(entry, key)
            hint = f"drop {key!r}; or say which methods Python overrides: virtual area() -> f64"
            scope.error("WG200", f"{key!r} is for methods of classes that Python overrides", where, hint)
