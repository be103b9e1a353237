"""Cursors and linked lists: the entries of `types` with `next`, each the type of what a call returns, by its name."""

from __future__ import annotations

import re
from functools import partial

from wrapper_gen.frozen import replace
from wrapper_gen.model import Body, Code, Implementation, Lambda, Passing
from wrapper_gen.model.iteration import Each
from wrapper_gen.resolve.entities import class_name
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.reports import check_error
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.types import is_cursor_entry, parse_type
from wrapper_gen.types.model import Iter, Void
from wrapper_gen.types.queries import iterator_of, parts
from wrapper_gen.types.tuples import items_of

_OTHERS = (
    "cpp",
    "user_data",
    "result",
    "thread",
    "scope",
    "on_exception",
    "capacity",
    "length",
    "tag",
    "cases",
    "make",
)
_SELF = re.compile(r"(?<![\w.>:])self\b")
_HELD = "[](auto &wg_own) -> auto & { return wg_own; }"


def declare_cursors(scope: Scope) -> None:
    """Make each cursor of `types` a type by its name."""
    for entry in scope.entries("types"):
        if is_cursor_entry(entry):
            name = class_name(entry, scope, "a type")
            if scope.names.has_type(name) or name in scope.findings.named_types:
                scope.error("WG022", f"two types are named {name!r}", scope.span(entry, "name"), "rename one")
            scope.findings.named_types[name] = scope.of_row(entry, partial(_type, entry, name))


def _type(entry: Map, name: str, scope: Scope) -> Iter:
    for key in _OTHERS:
        if entry.get(key) is not None:
            where = scope.document.key_span(entry, key)
            scope.error("WG151", f"{key!r} is for other types than cursors and linked lists", where, f"drop {key!r}")
    span = scope.span(entry, "type")
    hint = 'write what the elements are: type: "iter[text]"'
    if entry.get("type") is None:
        scope.error("WG151", f"the spec does not say what the elements of {name!r} are", span, hint)
        return Iter(Void(), name)
    found = parse_type(scope.type_text(entry, "type"), span, scope, is_result=True)
    gone_over = iterator_of(found)
    if gone_over is None:
        if found is not None:
            scope.error("WG151", f"{name!r} is gone over with `next`, and {found} is no iterator", span, hint)
        return Iter(Void(), name)
    scope.findings.cursors[name] = _each(entry, scope, gone_over)
    return Iter(gone_over.element, name)


def with_cursor(signature: Signature, scope: Scope) -> tuple[Signature, Each | None]:
    """The signature with the iterator that a named cursor stands for, and how to go over that."""
    returns = iterator_of(signature.returns)
    if returns is None or not returns.name:
        return signature, None
    each = scope.findings.cursors.get(returns.name)
    returns = Iter(returns.element)
    return replace(signature, returns=returns, is_whole=signature.is_whole and each is not None), each


def over_object(
    each: Each | None, implementation: Implementation, entry: Map, scope: Scope
) -> tuple[Each | None, Implementation]:
    """Of `cpp: self`, which goes over what the object holds: that, and no copy of it."""
    if each is None or not isinstance(implementation, Body) or implementation.code.text.strip() != "self":
        return each, implementation
    if each.free:
        hint = "drop `release` of the type; `release` of the class releases what the object holds"
        message = "an iteration does not release the object that it goes over"
        scope.error("WG151", message, scope.span(entry, "cpp"), hint, (each.span, "the type, here"))
    held = Lambda(Code(_HELD, implementation.code.span), (Passing.INNER,), takes_handle=True)
    return replace(each, of_object=True), held


def _each(entry: Map, scope: Scope, returns: Iter) -> Each:
    """What an entry says of an iterator of this type."""
    items = scope.expressions(entry, "data")
    (element,) = parts(returns)
    wanted = len(items_of(element))
    if len(items) > 1 and len(items) != wanted:
        hint = "write an expression for each item of the tuple, or one for all of it"
        message = f"{len(items)} expressions for elements of {wanted} item{'' if wanted == 1 else 's'}"
        scope.error("WG151", message, scope.span(entry, "data"), hint)
    steps = scope.expressions(entry, "next")
    is_cursor = entry.get("valid") is not None
    if len(steps) > 1 and not is_cursor:
        hint = "write the next node alone; or say when a cursor has an element: valid: Valid()"
        message = "a linked list starts with what the call returns"
        scope.error("WG151", message, scope.span(entry, "next"), hint)
    elif len(steps) > 2 or not steps:
        hint = "write the step; or what goes to the first element, and the step: [SeekToFirst(), Next()]"
        scope.error("WG151", f"{len(steps)} expressions for the step", scope.span(entry, "next"), hint)
    for key in ("status", "release"):
        if entry.get(key) is not None and not is_cursor:
            hint = f"drop `{key}`; or say when a cursor has an element: valid: Valid()"
            message = f"`{key}` is for cursors: a linked list has no value at its end"
            scope.error("WG151", message, scope.span(entry, key), hint)
    status_type, status = _status(entry, scope)

    def text(key: str) -> str:
        return scope.expression(entry, key) if entry.get(key) is not None else ""

    return Each(
        items or ("value",),
        steps[-1] if steps else "value",
        text("valid"),
        steps[0] if len(steps) > 1 else "",
        status,
        status_type,
        _called(text("release")),
        scope.span(entry, "next"),
    )


def _called(release: str) -> str:
    """What releases a cursor; a name is a function that gets it."""
    return f"{release}(value)" if re.fullmatch(r"(?:::)?[A-Za-z_][\w:]*", release) else release


def _status(entry: Map, scope: Scope) -> tuple[str, str]:
    """The status type that the spec names for the end of an iteration, if any, and the status."""
    raises = scope.text(entry, "raises")
    if entry.get("status") is None:
        if raises:
            hint = "say which it is: status: value->status()"
            scope.error("WG152", "no status tells whether the iteration has failed", scope.span(entry, "raises"), hint)
        return "", ""
    if not scope.names.errors:
        hint = "declare its type under `errors`, with what is `ok`"
        scope.error("WG152", "no status type tells when the iteration has failed", scope.span(entry, "status"), hint)
        return "", ""
    if raises:
        check_error(raises, entry, "raises", scope)
    return raises, _SELF.sub("h.inner", scope.expression(entry, "status"))
