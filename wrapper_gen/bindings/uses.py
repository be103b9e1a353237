"""What the bound functions do with objects of each class, from their signatures and policies."""

from __future__ import annotations

from collections.abc import Callable as Function
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wrapper_gen.bindings.callables import BoundCallable, CallableForm, callable_of
from wrapper_gen.bindings.classes import Class, ObjectUse
from wrapper_gen.bindings.cursors import below, first
from wrapper_gen.bindings.definitions import BoundDefinition
from wrapper_gen.bindings.extras import extras_of
from wrapper_gen.bindings.outcomes import Left
from wrapper_gen.headers.declarations import CKind, Type

_FIELDS = ("def_readwrite", "def_readonly", "def_rw", "def_ro")
_COPIES = ("copy", "move")
_ADDRESSES = ("reference_internal", "reference", "take_ownership")
_REFERENCES = (CKind.POINTER, CKind.REFERENCE)


def use_of(
    definitions: Sequence[BoundDefinition], classes: Mapping[str, Class], type: Function[[Any], Type]
) -> ObjectUse:
    """What is done with objects of these classes."""
    addresses: set[str] = set()
    shared: set[str] = set()
    for each in definitions:
        if each.what not in ("function", "member"):
            continue
        for what, at in _bound(each):
            policy = _policy(each, at)
            addresses |= set(_of_result(each, what, type(what.result), policy))
            for _, given in what.parameters:
                addresses |= set(_of_parameter(type(given)))
            kinds = [type(what.result), *(type(given) for _, given in what.parameters)]
            shared |= {name for each_type in kinds for name in _shared(each_type)}
    return ObjectUse(frozenset(addresses & set(classes)), frozenset(shared & set(classes)))


def _bound(definition: BoundDefinition) -> Iterator[tuple[BoundCallable, int]]:
    """The callables among the arguments, each with its place."""
    for at, each in enumerate(definition.arguments[:3]):
        if first(each, "DECL_REF_EXPR", "LAMBDA_EXPR") is None:
            continue
        try:
            yield callable_of(each), at
        except Left:
            continue


def _policy(definition: BoundDefinition, at: int) -> str:
    policy = ""
    for each in definition.arguments[at + 1 :]:
        try:
            policy = extras_of([each]).policy or policy
        except Left:
            continue
    is_property = "prop" in definition.method
    return policy or ("reference_internal" if is_property else "")


def _name(type: Type) -> str:
    while type.target is not None and type.kind in _REFERENCES:
        type = type.target
    return type.name


def _of_result(definition: BoundDefinition, what: BoundCallable, type: Type, policy: str) -> Iterator[str]:
    name = _name(type)
    if what.form is CallableForm.FIELD and definition.method in _FIELDS:
        yield name
    elif type.template == "std::unique_ptr" and type.arguments:
        yield type.arguments[0].name
    elif type.kind is CKind.POINTER and policy not in _COPIES:
        yield name
    elif type.kind is CKind.REFERENCE and type.target is not None:
        is_chain = not type.target.is_const and name == definition.of
        if policy in _ADDRESSES or is_chain:
            yield name
    for each in _arguments(type):
        if each.kind is CKind.POINTER:
            yield _name(each)
        if each.template == "std::unique_ptr" and each.arguments:
            yield each.arguments[0].name
    if what.form is CallableForm.LAMBDA and definition.method in ("def",):
        yield from (_name(type) for _ in _news(what) if type.kind is CKind.POINTER)


def _news(what: BoundCallable) -> Iterator[Any]:
    return (each for each in below(what.cursor) if each.kind.name == "CXX_NEW_EXPR")


def _of_parameter(type: Type) -> Iterator[str]:
    inside = type.target if type.kind in (CKind.REFERENCE, CKind.RVALUE) and type.target is not None else type
    if inside.template == "std::unique_ptr" and inside.arguments:
        yield inside.arguments[0].name
    if inside.template == "std::function" and inside.arguments:
        for each in inside.arguments[0].parameters:
            is_const = each.target is not None and each.target.is_const
            if each.kind in _REFERENCES and not is_const:
                yield _name(each)


def _arguments(type: Type) -> Iterator[Type]:
    if type.kind in (CKind.REFERENCE, CKind.RVALUE) and type.target is not None:
        type = type.target
    for each in type.arguments:
        yield each
        yield from _arguments(each)


def _shared(type: Type) -> Iterator[str]:
    if type.kind in (CKind.REFERENCE, CKind.RVALUE) and type.target is not None:
        type = type.target
    for each in (type, *_arguments(type)):
        if each.template == "std::shared_ptr" and each.arguments:
            yield each.arguments[0].name
