"""Integers that are positions: checked against what there is, and counted from the end where they are negative."""

from __future__ import annotations

import re

from wrapper_gen.model import Code, Function, Parameter, Position
from wrapper_gen.model.inheritance import bases
from wrapper_gen.model.protocols import PROTOCOLS, Shape
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.queries import is_integer

_IN_CPP = "cpp"
_WHAT_CAN = (
    "drop `position`: it is for integers that are the key of __getitem__, __setitem__ or __delitem__, or parameters "
    "of methods with names of their own"
)


def may_count(entry: Map, scope: Scope, signature: Signature, p: Parameter) -> bool:
    """Whether it is an integer, and there is something to count from, whether or not the spec says that it does.

    A key counts from the length; any other parameter only from what the spec says.
    """
    if not is_integer(p.type) or not _may_be_position(signature, p):
        return False
    keys = _keys(signature)
    return _says_extent(entry, p) or (keys == [p.name] and _has_length(signature.handle or "", scope))


def is_position(entry: Map, scope: Scope, signature: Signature, p: Parameter) -> bool:
    """Whether this key is a position."""
    return may_count(entry, scope, signature, p) and _said(entry, p) not in (False, _IN_CPP)


def is_said_key(entry: Map, p: Parameter) -> bool:
    """Whether the spec says that the key is no position."""
    return _said(entry, p) is False


def is_checked_in_cpp(entry: Map, signature: Signature) -> bool:
    """Whether the spec says that C++ itself checks the key, which says positions."""
    return any(_said(entry, p) == _IN_CPP for p in signature.parameters[:1] if p.name in _keys(signature))


def check_several(entry: Map, scope: Scope, signature: Signature) -> None:
    """Report integer keys of which nobody says what checks them: many libraries do not, where they are called so."""
    given = [p for p in signature.parameters if p.name in _keys(signature)]
    if len(given) > 1:
        _check_said(given, entry, scope, signature)


def check_operator(entry: Map, scope: Scope, signature: Signature, name: str) -> None:
    """Report the same where the spec names `[]` or `()` of C++, for one key, too, unless it counts from a length."""
    given = [p for p in signature.parameters if p.name in _keys(signature)]
    if re.search(r"operator\s*(\[\]|\(\))$", name.strip()) and not (
        len(given) == 1 and may_count(entry, scope, signature, given[0])
    ):
        _check_said(given, entry, scope, signature)


def _check_said(given: list[Parameter], entry: Map, scope: Scope, signature: Signature) -> None:
    unsaid = [p for p in given if _said(entry, p) is None]
    if not all(is_integer(p.type) for p in given) or not unsaid:
        return
    if len(unsaid) < len(given) and _said(entry, given[0]) in (False, _IN_CPP):
        return
    counts = {1: ["size()"], 2: ["rows()", "cols()"]}.get(len(given)) or [f"extent({i})" for i, _ in enumerate(given)]
    extents = ", ".join(f"{p.name}: {{position: {count}}}" for p, count in zip(given, counts, strict=True))
    hint = (
        f"say how many there are of each: params: {{{extents}}}; "
        f"or that C++ itself checks them: params: {{{given[0].name}: {{position: cpp}}}}"
    )
    message = f"nothing says what checks {', '.join(p.name for p in unsaid)} of {signature.name}"
    scope.error("WG138", message, signature.span, hint)


def read_positions(entry: Map, scope: Scope, signature: Signature) -> tuple[Position, ...]:
    """The keys that are positions."""
    found = []
    for p in signature.parameters:
        extent = None
        if _says_extent(entry, p):
            about = entry["params"][p.name]
            extent = Code(scope.expression(about, "position"), scope.span(about, "position"))
            if not may_count(entry, scope, signature, p):
                message = f"{p.name!r} cannot be a position"
                scope.error("WG129", message, scope.span(about, "position"), _WHAT_CAN)
        if is_position(entry, scope, signature, p):
            found.append(Position(p.name, extent))
    return tuple(found)


def _may_be_position(signature: Signature, p: Parameter) -> bool:
    """Whether it may say where something is in the object: a key, or any parameter of a method that has no keys."""
    protocol = PROTOCOLS.get(signature.name)
    if protocol is None or protocol.shape is Shape.CALL:
        return signature.handle is not None
    return p.name in _keys(signature)


def refuse_positions(function: Function, scope: Scope) -> None:
    """Reports positions of a virtual function: what C++ passes a method of Python is not counted."""
    for each in function.positions:
        if each.extent is not None:
            message = f"{function.name!r} is a virtual function, whose numbers are not counted"
            scope.error("WG129", message, each.extent.span, "drop `position`: C++ and Python get the number as it is")


def _keys(signature: Signature) -> list[str]:
    protocol = PROTOCOLS.get(signature.name) if signature.handle else None
    if protocol is None or not protocol.has_key:
        return []
    given = [p.name for p in signature.parameters]
    return given[:-1] if signature.name == "__setitem__" else given


def _has_length(handle: str, scope: Scope) -> bool:
    return any("__len__" in scope.names.protocols.get(h, ()) for h in (handle, *bases(handle, scope.names.extends)))


def _says_extent(entry: Map, p: Parameter) -> bool:
    said = _said(entry, p)
    return isinstance(said, str) and said != _IN_CPP


def _said(entry: Map, p: Parameter) -> object:
    about = entry.get("params")
    described = about.get(p.name) if isinstance(about, dict) else None
    return described.get("position") if isinstance(described, dict) else None
