"""How the call of a C function is put together: what the spec says of it, and what it has to say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from wrapper_gen.cpp_tokens import tokens_of
from wrapper_gen.diagnostics import Fix, Span, did_you_mean
from wrapper_gen.expressions import called, mentions
from wrapper_gen.frozen import replace
from wrapper_gen.model import (
    Argument,
    Body,
    Code,
    Implementation,
    Lambda,
    Lasting,
    Named,
    Parameter,
    Place,
)
from wrapper_gen.resolve.argument_places import ArgumentPlaces
from wrapper_gen.resolve.buffers import check_no_buffer, check_written_length, read_buffer
from wrapper_gen.resolve.callbacks import check_destroyed
from wrapper_gen.resolve.cpp import written_call
from wrapper_gen.resolve.filled_items import check_filled, check_ordered
from wrapper_gen.resolve.fixes import place_of_call
from wrapper_gen.resolve.held_types import is_class
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.pointers import gives_smart_pointer, plain_pointers
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.written_arguments import SELF, WrittenArguments, written_names
from wrapper_gen.types.memory import dimensions_of
from wrapper_gen.types.model import Handle
from wrapper_gen.types.queries import can_be_null, handle_of, handles_in, has_length, has_pieces
from wrapper_gen.written_calls import WrittenCall, call_of

_ORDER = "cpp_params"
"""The key that lists what C takes."""
_AS_C_HAS_IT = ("user_data", "destroy", "capacity", "joined")
"""Roles of arguments whose type no spec says."""


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
    changed = any(p.is_inout for p in signature.parameters)
    call = written_call(entry, scope) if isinstance(implementation, Named) else None
    if call and isinstance(implementation, Named):
        return _as_written(entry, call, scope, signature, implementation, is_status=is_status)
    is_stated = entry.get(_ORDER) is not None
    check_ordered(entry, scope, signature, implementation, is_stated=is_stated)
    if not is_stated and not changed:
        if isinstance(implementation, Named):
            _check_place_of_made(entry, scope, signature, implementation.name)
            check_destroyed(signature, (), scope)
        if handle and isinstance(implementation, Named) and not implementation.is_member:
            _check_place_of_handle(entry, scope, handle, signature, implementation.name)
        return implementation
    if not isinstance(implementation, Named):
        hint = "drop it: a lambda or a body calls C++ itself"
        where = scope.document.key_span(entry, _ORDER)
        scope.error("WG082", "C's order of arguments is for functions by name", where, hint)
        return implementation
    reader = _Arguments(entry, scope, signature, implementation)
    found = reader.arguments() if is_stated else reader.in_order(is_status=is_status)
    if is_stated:
        where = scope.document.key_span(entry, _ORDER)
        check_written_length(implementation.buffer, found, where, scope)
        check_destroyed(signature, found, scope, where)
    return replace(implementation, arguments=found)


def _as_written(
    entry: Map, call: WrittenCall, scope: Scope, signature: Signature, implementation: Named, *, is_status: bool
) -> Named:
    """The call with the arguments that it is written with."""
    found = WrittenArguments(entry, call, scope, signature, implementation).arguments(is_status=is_status)
    where = scope.document.part(entry, "cpp", call.end - 1, call.end)
    check_written_length(implementation.buffer, found, where, scope)
    check_destroyed(signature, found, scope, where)
    return replace(implementation, arguments=found)


def separately_written(entry: Map) -> frozenset[str]:
    """Items of the result that have a place of their own in C's order: `{out: NAME}`."""
    listed = entry.get(_ORDER) or ()
    return frozenset(str(each["out"]) for each in listed if isinstance(each, dict) and each.get("out"))


def _writes(entry: Map, scope: Scope) -> bool | None:
    """Whether C's order has something that the call writes; None where the spec does not say the order."""
    if call := written_call(entry, scope):
        return "out" in written_names(call)
    listed = entry.get(_ORDER)
    return None if listed is None else any(_written_name(each) not in ("", "_") for each in listed)


def _written_name(item: object) -> str:
    """What an item of C's order calls what the call writes there; empty of any other."""
    if isinstance(item, str):
        return item * (item == "out")
    return str(item.get("out") or "") if isinstance(item, dict) else ""


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


class _Arguments(ArgumentPlaces):
    """Reads what one entry says of C's arguments in a list."""

    def __init__(self, entry: Map, scope: Scope, signature: Signature, implementation: Named) -> None:
        super().__init__(entry, scope, signature, implementation, handle="h")
        self._entry = entry
        self._callee, self._is_member = implementation.name.text, implementation.is_member

    def arguments(self) -> tuple[Argument, ...]:
        listed = self._entry[_ORDER]
        found = [self._argument(listed, i) for i in range(len(listed))]
        given = [each for each in found if each is not None]
        apart = (Place.LENGTH, Place.USER_DATA)
        lengths = {name for each in given if each.place in apart for name in each.sharing or (each.name,)}
        mentioned = " ".join(each.value for each in given)
        extents = f"{mentioned} {' '.join(each.name for each in given if each.place is Place.PARAMETER)}"
        lengths |= {n for n, p in self._parameters.items() if mentions(extents, *dimensions_of(p.type))}
        for name, what in self._wanted.items():
            if name not in self._seen and not mentions(f"{mentioned} , {self._sizes}", name):
                message = f"{what} {name!r} has no place in `{_ORDER}`"
                self._error("WG081", message, self._scope.document.key_span(self._entry, _ORDER), "add it")
        if len(self._outs) > 1:  # a single one may be what the call returns
            left = [self._outs[i] for i in self._left if i in self._filled]
            check_filled(left, self._entry, _ORDER, self._scope)
        return tuple(
            replace(each, place=Place.ADDRESS) if each.place is Place.PARAMETER and each.name in lengths else each
            for each in given
        )

    def in_order(self, *, is_status: bool) -> tuple[Argument, ...]:
        """The arguments in Python's order, where a parameter is changed: the handle first, what is written last."""
        found = [self._named(name, p.span) for name, p in self._parameters.items()]
        if "h" in self._wanted:
            found.insert(0, Argument(Place.HANDLE, self._scope.document.start(self._entry), "h"))
        if self._fills or (len(self._left) > 1 and not is_status):
            changed = [f"&{name}" if p.is_inout else name for name, p in self._parameters.items()]
            given = [SELF] * ("h" in self._wanted) + changed
            item = next((self._outs[i] for i in self._left), "out")
            call = call_of(self._callee, [*given, f"&{item}"], is_member=self._is_member)
            hint = f"say C's order: {call}"
            message = "which items of the result the call writes, and whether its value is one, is not clear"
            start = self._scope.document.start(self._entry)
            fix = place_of_call(self._entry, self._scope).fix("C takes these, and writes one item", call)
            self._scope.error("WG086", message, start, hint, fixes=(fix,))
        outs = list(self._left) if is_status else []
        found += [Argument(Place.OUT, self._scope.document.start(self._entry), item=item) for item in outs]
        return tuple(each for each in found if each is not None)

    def _argument(self, listed: list[object], i: int) -> Argument | None:
        span, item = self._scope.document.span(listed, i), listed[i]
        if isinstance(item, dict) and item.keys() != {"name"}:
            return self._described(item, span)
        if isinstance(item, dict):
            return self._named(self._scope.text(item, "name"), span)
        return self._named(self._scope.document.text(listed, i), span)

    def _described(self, item: Map, span: Span) -> Argument | None:
        scope = self._scope
        check_keys(item, scope)
        cast = scope.expression(item, "as") if "as" in item else ""
        if cast and (role := scope.text(item, "role")) in _AS_C_HAS_IT:
            hint = "drop it: C's declaration of the function says the type"
            self._error("WG081", f"`as` says nothing of what has `role: {role}`", scope.span(item, "as"), hint)
        if item.get("role") == "error":
            return self._error_text(item, span, cast)
        if isinstance(item.get("of"), list):
            return self._of_callables(item, span)
        if item.get("role") in ("user_data", "destroy"):
            return self._of_callable(item, span)
        if item.get("role") == "capacity":
            return self._capacity(item, span)
        if item.get("role") in ("joined", "lengths"):
            return self._pieces(item, span, cast)
        if "role" in item:
            return self._length(item, span, cast)
        if "out" in item:
            return self._out(item, span, cast)
        name = scope.text(item, "name")
        if name and name not in self._parameters:
            scope.error(
                "WG081",
                f"{name!r} is no parameter",
                scope.span(item, "name"),
                did_you_mean(name, frozenset(self._parameters)) or "declare it under `params`",
            )
            return None
        if "value" in item:
            if name:
                self._see(name, span)
            return Argument(Place.VALUE, span, name, value=scope.expression(item, "value"), cast=cast)
        if not name:
            hint = (
                "write a name, {value: …}, {out: …}, {name: …, as: …} or {role: length, of: …}, {role: error, free: …}"
            )
            self._error("WG082", "an argument of `cpp_params` that says nothing", span, hint)
            return None
        found = self._named(name, span)
        return replace(found, cast=cast) if found else None

    def _capacity(self, item: Map, span: Span) -> Argument:
        if not self._computed:
            hint = "write the parameter that says it; or compute it: capacity: bound(data.size())"
            self._error("WG085", "the capacity of no buffer, or of one whose capacity is a parameter", span, hint)
        return Argument(Place.CAPACITY, span)

    def _pieces(self, item: Map, span: Span, cast: str) -> Argument | None:
        """All pieces of a list one after the other, or the lengths of each."""
        of = self._scope.text(item, "of")
        if of not in self._parameters or not has_pieces(self._parameters[of].type):
            message = f"{of!r} has no pieces to join" if of else "the pieces of nothing"
            self._error("WG083", message, self._scope.span(item, "of"), "say of which: of: PARAMETER, which is [bytes]")
            return None
        if item["role"] == "joined":
            self._see(of, span)
            return Argument(Place.JOINED, span, of)
        return Argument(Place.LENGTHS, span, of, cast=cast or "std::size_t")

    def _length(self, item: Map, span: Span, cast: str) -> Argument | None:
        scope, of = self._scope, self._scope.text(item, "of")
        own = self._parameters.get(of)
        if own is None or not (has_length(own.type) or can_be_null(own.type) or has_pieces(own.type)):
            where = scope.span(item, "of")
            message = f"{of!r} has no length" if of else "a length of nothing"
            self._error(
                "WG083", message, where, "say whose length it is: of: PARAMETER, which is bytes, text, [T] or &[T]"
            )
            return None
        value = scope.expression(item, "value") if "value" in item else ""
        return Argument(Place.LENGTH, span, of, value=value, cast=cast)

    def _of_callable(self, item: Map, span: Span) -> Argument | None:
        """What belongs to a callable."""
        of, role = self._scope.text(item, "of"), self._scope.text(item, "role")
        p = self._parameters.get(of)
        if p is None or p.callback is None:
            message = f"{of!r} is no callable" if of else f"the {role} of nothing"
            self._error("WG081", message, self._scope.span(item, "of"), "say whose it is: of: PARAMETER, a callable")
            return None
        if role == "destroy" and p.callback.scope is not Lasting.DESTROY:
            hint = f"say scope: {{{of}: destroy}}"
            self._error("WG094", f"{of!r} does not last until C calls its destroy callback", span, hint)
        return Argument(Place(role), span, of)

    def _of_callables(self, item: Map, span: Span) -> Argument | None:
        """The user data that several callables share."""
        scope, listed = self._scope, item["of"]
        if item.get("role") != "user_data":
            hint = "say of: PARAMETER; several callables can only share their user_data"
            self._error("WG081", f"the {item.get('role') or 'value'} of several", scope.span(item, "of"), hint)
            return None
        for i, of in enumerate(listed):
            p, where = self._parameters.get(of), scope.document.span(listed, i)
            if p is None or p.callback is None or of in listed[:i]:
                message = f"{of!r} stands here twice" if of in listed[:i] else f"{of!r} is no callable"
                self._error("WG081", message, where, "list the callables that C calls with this user data, each once")
                return None
            if p.callback.scope is Lasting.DESTROY:
                hint = "give them another scope: call, once or object"
                self._error("WG094", f"{of!r} shares its user data: no callback can end it alone", where, hint)
        if not listed:
            self._error("WG081", "the user data of nothing", scope.span(item, "of"), "list the callables that share it")
            return None
        return Argument(Place.USER_DATA, span, listed[0], sharing=tuple(n for n in self._parameters if n in listed))

    def _error_text(self, item: Map, span: Span, cast: str) -> Argument:
        """What the call writes where it fails."""
        if self._error_at:
            related = (self._error_at, "the other one")
            self._scope.error("WG081", "a second text of the failure", span, "drop one", related)
        self._error_at = span
        code = self._scope.code(item, "free")
        free = called(code.text, "value") if code else ""
        return Argument(Place.ERROR, span, value=free, cast=cast or "char *")

    def _out(self, item: Map, span: Span, cast: str) -> Argument | None:
        name = self._scope.text(item, "out")
        if name == "_":
            return Argument(Place.DISCARD, span, cast=cast)
        if name in self._outs or name in ("out", "result"):
            found = self._item(name, span)
            return replace(found, cast=cast) if found else None
        hint = f"known here: {', '.join([*dict.fromkeys(self._outs), '_'])}; _ is one that nobody reads"
        self._error("WG081", f"{name!r} is no item of the result", span, hint)
        return None

    def _named(self, name: str, span: Span) -> Argument | None:
        if name == "h" and "h" in self._wanted:
            self._see(name, span)
            return Argument(Place.HANDLE, span, name)
        if name in self._parameters:
            self._see(name, span)
            if self._parameters[name].is_inout:
                return self._changed(self._parameters[name], span)
            return Argument(Place.PARAMETER, span, name)
        if name in self._outs or name in ("out", "result"):
            return self._item(name, span)
        message = f"{name!r} is no argument of this call"
        if any(name in dimensions_of(p.type) for p in self._parameters.values()):
            hint, fix = f"it is a dimension: {{value: {name}}}", Fix("the dimension", span, f"{{value: {name}}}")
            self._scope.error("WG081", message, span, hint, fixes=(fix,))
            return None
        self._error("WG081", message, span, did_you_mean(name, self._known) or "declare it under `params`")
        return None


# --- keys of arguments ------------------------------------------------------------------------------------------------


_KEYS = ("name", "value", "out", "role", "of", "free")
"""All that an item may say, beside `as`."""
_OF_ROLES: Mapping[str, frozenset[str]] = {
    "length": frozenset({"of", "value"}),
    "joined": frozenset({"of"}),
    "lengths": frozenset({"of"}),
    "user_data": frozenset({"of"}),
    "destroy": frozenset({"of"}),
    "error": frozenset({"free"}),
    "capacity": frozenset(),
}
"""What each role goes together with."""


def check_keys(item: Map, scope: Scope) -> None:
    """Report what one item of `cpp_params` says in vain."""
    role = scope.text(item, "role")
    kind = "role" if role else next((key for key in ("out", "value", "name") if key in item), "")
    fitting = _OF_ROLES.get(role, frozenset(_KEYS)) if role else {"name"} if kind == "value" else frozenset()
    for key in _KEYS:
        if kind and key in item and key != kind and key not in fitting:
            what = f"`role: {role}`" if role else f"`{kind}`"
            span = scope.document.key_span(item, key)
            scope.error("WG081", f"`{key}` says nothing of what has {what}", span, "drop one of the two")


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
