"""Callables with a name: the entries of `types` whose `type` is `fn(…)`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from wrapper_gen.diagnostics import Span
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import replace
from wrapper_gen.model import Code, ErrorType, Lasting, NamedCallback
from wrapper_gen.resolve.entities import class_name
from wrapper_gen.resolve.mirrored_calls import MirroredCall, Seen
from wrapper_gen.resolve.parameters import possible_result
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.types import is_callable_entry, is_cursor_entry, parse_type
from wrapper_gen.types.model import Fn, Text, Type, Void
from wrapper_gen.types.queries import callable_of, has_callables, is_optional, is_void
from wrapper_gen.types.tuples import has_names_within, named_tuple

KEYS = ("cpp", "user_data", "result", "thread", "scope", "on_exception", "capacity", "raises")
"""What is said of a callable, and of no other type."""
_OF_C = ("cpp", "cpp_type", "user_data", "result", "capacity", "length", "raises")
"""What says more of C's call than the type does."""
_UNNAMED = "write fn(size: usize), whose names `cpp` has"


def declare_callables(scope: Scope, errors: Sequence[ErrorType]) -> None:
    """Make each callable of `types` a type by its name."""
    scope.findings.statuses.update({each.type: each for each in errors if each.ok})
    for entry in scope.entries("types"):
        if not is_callable_entry(entry) or is_cursor_entry(entry):
            continue
        name = class_name(entry, scope, "a callable")
        if scope.names.has_type(name) or name in scope.findings.named_types:
            scope.error("WG022", f"two types are named {name!r}", scope.span(entry, "name"), "rename one")
        made = scope.of_row(entry, partial(_resolved, entry, name))
        scope.findings.named_types[name] = made.type
        scope.findings.callbacks[name] = made


def _resolved(entry: Map, name: str, scope: Scope) -> NamedCallback:
    for key in ("data", "tag", "cases", "make", "release", "status"):
        if entry.get(key) is not None:
            where = scope.document.key_span(entry, key)
            scope.error("WG093", f"{key!r} is for values, and {name!r} is a callable", where, f"drop {key!r}")
    fn, span = _fn(entry, scope), scope.span(entry, "type")
    if fn is None:
        return NamedCallback(Fn((), Void(), name))
    seen = [_seen(entry, fn, i, scope) for i in range(len(fn.parameters))]
    returns = _plain(possible_result(fn.returns, span, scope), span, scope) or Void()
    found = _called(entry, name, fn, seen, returns, scope)
    return replace(
        found,
        scope=Lasting(scope.text(entry, "scope", Lasting.UNSAID)),
        any_thread=entry.get("thread") == "any",
        doc=scope.text(entry, "doc"),
    )


def _called(entry: Map, name: str, fn: Fn, seen: Sequence[Seen], returns: Type, scope: Scope) -> NamedCallback:
    """How C calls it: as the entry says, else as the type does."""
    on_exception = None
    if entry.get("on_exception") is not None:
        on_exception = Code(scope.expression(entry, "on_exception"), scope.span(entry, "on_exception"))
    is_told = on_exception is not None and mentions(on_exception.text, "error", *(n for n in fn.names if n))
    if not is_told and all(entry.get(key) is None for key in _OF_C):
        own = replace(fn, parameters=tuple(each.type for each in seen), returns=returns, label=name)
        return NamedCallback(type=own, on_exception=on_exception)
    unnamed = next((each for each in seen if not each.name), None)
    if unnamed:
        scope.error("WG113", f"{unnamed.type} has no name", unnamed.span, _UNNAMED)
    text = scope.text(entry, "cpp").strip()
    if text and not text.startswith("("):
        hint = "in brackets, in C's order: cpp: (size, user_data)"
        scope.error("WG113", "`cpp` of a callable is the list of C's arguments", scope.span(entry, "cpp"), hint)
        entry = scope.document.without(entry, ("cpp",))
    span = scope.span(entry, "type")
    call = MirroredCall(entry, scope, name, seen, returns, returns_span=span, is_spread=fn.is_spread)
    return call.resolved()


def _fn(entry: Map, scope: Scope) -> Fn | None:
    span = scope.span(entry, "type")
    found = parse_type(scope.type_text(entry, "type"), span, scope)
    if found is not None and not is_optional(found) and (own := callable_of(found)):
        return own
    if found is not None:
        hint = "name the callable alone; where it may be missing, or is one of several, is said where the name stands"
        scope.error("WG032", f"{found} is no callable", span, hint)
    return None


def _seen(entry: Map, fn: Fn, i: int, scope: Scope) -> Seen:
    name, type_ = fn.names[i] if fn.names else "", fn.parameters[i]
    span = _place(entry, name or str(type_), scope)
    if is_void(type_):
        scope.error("WG032", "an argument cannot be void", span, "leave it out")
    if name:
        scope.check_identifier(name, span, "an argument")
    found = possible_result(_plain(type_, span, scope), span, scope)
    return Seen(name, found if found is not None and not is_void(found) else Text(), span)


def _place(entry: Map, word: str, scope: Scope) -> Span:
    """Where a word of the type stands; all of it where it stands there otherwise."""
    text = scope.type_text(entry, "type")
    match = re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", text)
    return scope.document.part(entry, "type", match.start(), match.end()) if match else scope.span(entry, "type")


def _plain(type_: Type | None, span: Span, scope: Scope) -> Type | None:
    """The type where values of it can go to a callable and come from one."""
    if type_ is None:
        return None
    if has_callables(type_):
        hint = "a callable is passed to functions, each by itself"
        scope.error("WG032", f"a callable has neither arguments nor results that are {type_}", span, hint)
        return None
    if named_tuple(type_) or has_names_within(type_):
        scope.error("WG084", "what a callable returns is a plain tuple", span, "write the types alone: (i64, text)")
        return None
    return type_
