"""Handles that hold pointers, as arguments: a call may want the pointer, or what it points to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wrapper_gen.model import Mode, Named, Parameter, Passing
from wrapper_gen.resolve.held_types import is_pointer, is_smart_pointer, spelling_of
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import handle_in_forms, handle_of

HANDLE = "h"
"""What stands for the handle of a method."""


def declared_pointers(entries: Mapping[str, Map], *, is_c: bool) -> tuple[frozenset[str], frozenset[str]]:
    """The handle types that hold smart pointers, and plain ones. Functions of C take no references."""
    spellings = {name: spelling_of(handle) for name, handle in entries.items()}
    smart = frozenset(name for name, spelling in spellings.items() if is_smart_pointer(spelling))
    return smart, frozenset(name for name, spelling in spellings.items() if is_pointer(spelling) and not is_c)


def gives_smart_pointer(named: Named, scope: Scope, signature: Signature) -> bool:
    """Whether an argument is a handle that holds a smart pointer, which the call does not consume."""
    own = {signature.handle} - {None} if not named.is_member else set()
    given = {handle_in_forms(p.type) for p in signature.parameters if p.mode is not Mode.TAKE}
    return not (scope.names.pointing | scope.names.interfaces).isdisjoint(own | given)


def plain_pointers(named: Named, scope: Scope, signature: Signature) -> tuple[str, ...]:
    """The arguments of a call by name that are plain pointers, but those that it consumes."""
    is_given = signature.handle in scope.names.plain_pointers and not named.is_member and named.accessor is None
    given = [p.name for p in signature.parameters if _is_plain(p, scope)]
    return (*[HANDLE] * is_given, *given)


def plain_pointers_of_lambda(
    given: Sequence[tuple[Sequence[str], Type]], how: Sequence[Passing], arguments: Sequence[str], scope: Scope
) -> tuple[str, ...]:
    """Those of a lambda's arguments, by these names, that it takes as an object: it spells what each is."""
    both = zip(arguments, given, how, strict=True)
    return tuple(name for name, (spelled, type_), passing in both if _is_object(type_, spelled, passing, scope))


def _is_plain(p: Parameter, scope: Scope) -> bool:
    return p.mode is not Mode.TAKE and handle_of(p.type) in scope.names.plain_pointers


def _is_object(type_: Type, spelled: Sequence[str], passing: Passing, scope: Scope) -> bool:
    is_plain = handle_of(type_) in scope.names.plain_pointers and passing is Passing.INNER
    return is_plain and not {"auto", "*", "..."} & set(spelled)
