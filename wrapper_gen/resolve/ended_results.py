"""Entries of `ends`: results that can be used until a call of another method of their class."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen.diagnostics import did_you_mean
from wrapper_gen.frozen import replace
from wrapper_gen.model import Function
from wrapper_gen.resolve.scope import EndedResults, Scope
from wrapper_gen.types.queries import handles_in, is_iterator


def with_ended_results(methods: Sequence[Function], scope: Scope) -> tuple[Function, ...]:
    """The methods, of which those know that entries name which calls end their results."""
    if not scope.findings.ended:
        return tuple(methods)
    for each in scope.findings.ended:
        _check(each, methods, scope)
    return tuple(_ended(method, scope) for method in methods)


def _ended(method: Function, scope: Scope) -> Function:
    named = (e for e in scope.findings.ended if not e.is_argument)
    listed = [e.by for e in named if (e.handle, e.entry) == (method.handle, method.name)]
    if not listed or not _can_end(method):
        return method
    result = replace(method.lifetime.result, until=tuple(dict.fromkeys(listed)))
    return replace(method, lifetime=replace(method.lifetime, result=result))


def _can_end(method: Function) -> bool:
    return bool(handles_in(method.returns)) or is_iterator(method.returns)


def _check(each: EndedResults, methods: Sequence[Function], scope: Scope) -> None:
    """What is named gives something that can end, and all forms of a name end the same."""
    own = [m for m in methods if m.handle == each.handle and not m.static and not m.constructs]
    named = [m for m in own if m.name == each.entry]
    if each.is_argument:
        if any(map(_can_end, named)):
            hint = f"write {each.entry}() for the results of the entry; or give the parameter another name"
            scope.error("WG091", f"{each.entry!r} is a parameter and an entry", each.span, hint)
        return
    if not named:
        known = ["all", *each.given, *(m.name for m in own if _can_end(m))]
        near = did_you_mean(each.entry, known) or f"name entries of {each.handle}, or parameters"
        message = f"{each.handle} has no entry {each.entry!r} whose results {each.by!r} could end"
        scope.error("WG091", message, each.span, near)
    elif not any(map(_can_end, named)):
        hint = "drop it: text, bytes and numbers are copied; of memory say belongs_to: self there, and `all` here"
        scope.error("WG091", f"the result of {each.entry!r} is no handle, so it cannot end", each.span, hint)
    elif each.is_on_success:
        hint = "say what stays, and what does not: on_failure: {ends: unchanged}, or the names of what is taken"
        message = f"the results of {each.entry!r} end before the call, so they do not stay if it fails"
        scope.error("WG091", message, each.span, hint)
    ending = {e.form for e in scope.findings.ended if (e.handle, e.by, e.entry) == (each.handle, each.by, each.entry)}
    other = next((m for m in own if m.name == each.by and m.span not in ending), None)
    if other is not None:
        hint = f"say it of all forms: ends: [{each.entry}]"
        related = (other.span, "this one does not")
        scope.error(
            "WG091", f"only some forms of {each.by!r} end the results of {each.entry!r}", each.span, hint, related
        )
