"""How the call of a C function is put together: what the spec says of it, and what it has to say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from wrapper_gen.cpp_tokens import tokens_of
from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import replace
from wrapper_gen.model import (
    Argument,
    Body,
    Code,
    Implementation,
    Lambda,
    Named,
    Parameter,
    Place,
)
from wrapper_gen.resolve.argument_places import ArgumentPlaces
from wrapper_gen.resolve.buffers import check_no_buffer, check_written_length, read_buffer
from wrapper_gen.resolve.callbacks import check_destroyed
from wrapper_gen.resolve.cpp import written_call
from wrapper_gen.resolve.filled_items import check_filled_here, check_ordered
from wrapper_gen.resolve.fixes import place_of_call
from wrapper_gen.resolve.held_types import is_class
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.pointers import gives_smart_pointer, plain_pointers
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.written_arguments import SELF, WrittenArguments, written_names
from wrapper_gen.types.model import Handle
from wrapper_gen.types.queries import handle_of, handles_in
from wrapper_gen.written_calls import WrittenCall, call_of


def resolve_call(
    entry: Map, scope: Scope, signature: Signature, implementation: Implementation, *, is_status: bool
) -> Implementation:
    """The same implementation, with C's order of the arguments where the spec says it.

    Args:
        entry: the function or method.
        scope: its spec.
        signature: what Python sees of it.
        implementation: what implements it.
        is_status: whether the call's own value is no result.
    """
    handle = signature.handle
    if isinstance(implementation, Named):
        is_pointed = gives_smart_pointer(implementation, scope, signature)
        bound = plain_pointers(implementation, scope, signature)
        names_class = is_class(implementation.name.text, scope)
        implementation = replace(implementation, is_pointed=is_pointed, bound=bound, names_class=names_class)
        place = None if scope.is_in_row or implementation.accessor else place_of_call(entry, scope)
        buffer = read_buffer(entry, scope, signature, is_status=is_status, writes=_writes(entry, scope))
        implementation = replace(implementation, buffer=buffer, place=place)
    implementation = past_handles(implementation, scope)
    if not isinstance(implementation, Named):
        check_no_buffer(entry, scope, signature)
    call = written_call(entry, scope) if isinstance(implementation, Named) else None
    if call and isinstance(implementation, Named):
        written = _as_written(entry, call, scope, signature, implementation, is_status=is_status)
        check_filled_here(written, signature, scope)
        return written
    check_ordered(entry, scope, signature, implementation)
    if not isinstance(implementation, Named):
        return implementation
    if any(p.is_inout for p in signature.parameters):
        found = _PythonOrder(entry, scope, signature, implementation).arguments(is_status=is_status)
        return replace(implementation, arguments=found)
    _check_place_of_made(entry, scope, signature, implementation.name)
    check_destroyed(signature, (), scope)
    if handle and not implementation.is_member:
        _check_place_of_handle(entry, scope, handle, signature, implementation.name)
    return implementation


def _as_written(
    entry: Map, call: WrittenCall, scope: Scope, signature: Signature, implementation: Named, *, is_status: bool
) -> Named:
    """The call with the arguments that it is written with."""
    found = WrittenArguments(entry, call, scope, signature, implementation).arguments(is_status=is_status)
    where = scope.document.part(entry, "cpp", call.end - 1, call.end)
    check_written_length(implementation.buffer, found, where, scope)
    check_destroyed(signature, found, scope, where)
    return replace(implementation, arguments=found)


def _writes(entry: Map, scope: Scope) -> bool | None:
    """Whether the call has `&out`; None where the spec does not say the order of its arguments."""
    call = written_call(entry, scope)
    return "out" in written_names(call) if call else None


def _check_place_of_handle(entry: Map, scope: Scope, handle: str, signature: Signature, code: Code) -> None:
    """C++ finds the place of a method's handle by its type, which nothing else of the call may have."""
    unclear = list(_unclear_places(handle, signature.parameters, scope))
    if not unclear:
        return
    declared = [p.name for p in signature.parameters]
    hint = f"say C's order: {call_of(code.text, [SELF, *declared], is_member=False)}"
    place = place_of_call(entry, scope)
    fixes = tuple(
        place.fix(f"C takes it {where}", call_of(code.text, each, is_member=False)) for where, each in _orders(declared)
    )
    for message, *related in unclear:
        scope.error("WG080", message, code.span, hint, *related, fixes=fixes)


def _unclear_places(
    handle: str, parameters: Sequence[Parameter], scope: Scope
) -> Iterator[tuple[str] | tuple[str, tuple[Span, str]]]:
    """What is not clear about the place of a method's handle; where, if that is another one than the call's name."""
    if not parameters:
        return
    cpp_types = {name: _spelled(each) for name, each in scope.named("handle_types", "name")}
    own = cpp_types.get(handle, "")
    if own in ("void*", "constvoid*"):
        yield (f"{handle} is a void * to C++, which could stand anywhere in the call",)
    for p in parameters:
        alike = [each for each in sorted(handles_in(p.type)) if each != handle and cpp_types.get(each) == own]
        if own and alike:
            message = f"{handle} and {alike[0]} are one type to C++: {p.name!r} and the handle could change places"
            yield message, (p.span, f"{p.name!r} is here")


def _orders(names: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Where a handle stands in the most usual orders of C, and these."""
    return [("first", [SELF, *names]), ("last", [*names, SELF])]


def _check_place_of_made(entry: Map, scope: Scope, signature: Signature, code: Code) -> None:
    """What a call makes in its place is a pointer to C++, as a handle of its type is."""
    made = handle_of(signature.returns)
    if made is None or made not in scope.names.in_place:
        return
    given = [SELF] * bool(signature.handle) + [p.name for p in signature.parameters]
    types = [Handle(signature.handle or "")] * bool(signature.handle) + [p.type for p in signature.parameters]
    if any(made in handles_in(each) for each in types):
        out = "&self" if signature.is_constructor else "&out"
        ways = [
            (where, call_of(code.text, each, is_member=False))
            for where, each in (("first", [out, *given]), ("last", [*given, out]))
        ]
        hint = f"say C's order, with {out} where the new one stands: {ways[0][1]}"
        message = f"the {made} that is made and the one that is given could change places"
        fixes = [place_of_call(entry, scope).fix(f"C takes the new one {where}", each) for where, each in ways]
        scope.error("WG080", message, code.span, hint, fixes=tuple(fixes))


def _spelled(handle_type: Map) -> str:
    """The C++ type of a handle type, without what does not matter in it."""
    cpp_type = handle_type.get("cpp_type")
    return "".join(cpp_type.split()).removeprefix("struct") if isinstance(cpp_type, str) else ""


class _PythonOrder(ArgumentPlaces):
    """The arguments in Python's order, where a parameter is changed: the handle first, what is written last."""

    def __init__(self, entry: Map, scope: Scope, signature: Signature, implementation: Named) -> None:
        super().__init__(entry, scope, signature, implementation, handle="h")
        self._entry = entry
        self._callee, self._is_member = implementation.name.text, implementation.is_member

    def arguments(self, *, is_status: bool) -> tuple[Argument, ...]:
        found = [self._changed(p, p.span) if p.is_inout else self._given(p) for p in self._parameters.values()]
        start = self._scope.document.start(self._entry)
        if "h" in self._wanted:
            found.insert(0, Argument(Place.HANDLE, start, "h"))
        if self._fills or (len(self._left) > 1 and not is_status):
            changed = [f"&{name}" if p.is_inout else name for name, p in self._parameters.items()]
            given = [SELF] * ("h" in self._wanted) + changed
            item = next((self._outs[i] for i in self._left), "out")
            call = call_of(self._callee, [*given, f"&{item}"], is_member=self._is_member)
            hint = f"say C's order: {call}"
            message = "which items of the result the call writes, and whether its value is one, is not clear"
            fix = place_of_call(self._entry, self._scope).fix("C takes these, and writes one item", call)
            self._scope.error("WG086", message, start, hint, fixes=(fix,))
        outs = list(self._left) if is_status else []
        found += [Argument(Place.OUT, start, item=item) for item in outs]
        return tuple(each for each in found if each is not None)

    def _given(self, p: Parameter) -> Argument:
        return Argument(Place.PARAMETER, p.span, p.name)


# --- names that the bridge's own hide ---------------------------------------------------------------------------------


_QUALIFIED = re.compile(r"(?<![\w:.>])([A-Za-z_]\w*)(?=\s*::)")
"""The first part of a name in a namespace or in a class."""
_OF_THE_STRUCT = "inner"


def past_handles(implementation: Implementation, scope: Scope) -> Implementation:
    """The same, where a namespace or class of the library has the name of a handle type.

    What the spec calls by name is found beside the struct; code of the spec has to say which of the two it means.
    """
    match implementation:
        case Named(name, accessor=None):
            found = _QUALIFIED.sub(lambda m: f"::{m[1]}" if m[1] in scope.names.handles else m[1], name.text)
            return replace(implementation, name=replace(name, text=found)) if found != name.text else implementation
        case Lambda(code) | Body(code):
            _check(code, scope)
    return implementation


def _check(code: Code, scope: Scope) -> None:
    """Reports what code names in a namespace or class, where it is looked for in the struct of a handle type."""
    tokens = tokens_of(code.text)
    for i, (before, token, colons, member) in enumerate(
        zip(["", *tokens], tokens, tokens[1:], tokens[2:], strict=False)
    ):
        if (
            token not in scope.names.handles
            or colons != "::"
            or before in ("::", ".", "->")
            or member == _OF_THE_STRUCT
        ):
            continue
        if not _declares(token, tokens[:i]):
            message = f"{token}::{member} is looked for in the struct of the handle type {token}, which this code sees"
            scope.error("WG248", message, code.span, f"write ::{token}::{member} for the library's")
            return


def _declares(name: str, tokens: list[str]) -> bool:
    """Whether code declares the name for itself, as another one of a class or of a namespace."""
    both = pairwise(tokens)
    return any(before in ("using", "namespace", "typename", "class") and each == name for before, each in both)
