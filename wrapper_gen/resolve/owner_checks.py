"""Results that keep an object alive of which calls end what it lends: those calls do not know of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wrapper_gen.diagnostics import a
from wrapper_gen.lifetimes.ended import handle_types
from wrapper_gen.model import ALL, Function, HandleType
from wrapper_gen.model.ending import ending_lenders
from wrapper_gen.model.inheritance import bases, with_relatives
from wrapper_gen.resolve.lifetime_words import NOTHING, OBJECT, listed
from wrapper_gen.resolve.scope import Scope
from wrapper_gen.types.queries import handle_of, handles_in, if_given


def check_ended_owners(scope: Scope, handles: Sequence[HandleType], functions: Sequence[Function]) -> None:
    """A handle that keeps an object alive, and that the object does not lend, is not ended with what it lends."""
    ending = _ending(scope, handles, functions)
    for function in functions:
        if function.lifetime.result.until:
            continue
        made = sorted(handles_in(function.returns), key=lambda each: (each in scope.names.lent, each))
        for name, kept in _kept(function).items():
            method = ending.get(kept)
            if not made or method is None or name in function.lifetime.result.lenders:
                continue
            message = f"`{method.name}` ends what belongs to {a(kept)}, but not this {made[0]}"
            if function.lifetime.result.keeps_implicitly:
                ways = _ways_of_operands(function, made[0], functions, scope)
                scope.error("WG220", message, function.span, ways)
                break
            is_second = scope.names.lent.get(made[0]) in (kept, *bases(kept, scope.names.extends))
            ways = _ways_of_second(name, made[0]) if is_second else _ways(function, name, kept, made[0], method)
            scope.error("WG220", message, function.span, ways)


def check_freed_of_owners(scope: Scope, handles: Sequence[HandleType], functions: Sequence[Function]) -> None:
    """A result that belongs to nothing may be an object that is there, and belongs to its owner still."""
    known = {
        h.name: h for h in handles if h.has_identity and h.lent_by in (h.name, *bases(h.name, scope.names.extends))
    }
    for function in functions:
        lifetime, made = function.lifetime, known.get(handle_of(if_given(function.returns)) or "")
        given = {function.handle, *handle_types(function).values()} - {None}
        if made is None or function.constructs or not lifetime.result.is_static or not lifetime.result.is_owned:
            continue
        if lifetime.ends or lifetime.ends_nothing or not with_relatives({made.name}, scope.names.extends) & given:
            continue
        kind = made.name
        message = f"with `identity: true`, the {kind} that is there may be the result, which stays with its owner"
        below = f'{{{kind}: "is_below(value, self)"}}' if function.handle == kind else f"{{{kind}: …}}"
        hint = (
            f"say which handles the call ends, so that the result is a new one: ends: {below}; of a copy, ends: nothing"
        )
        scope.warn("WG089", message, function.span, hint)


def _ways_of_operands(function: Function, made: str, functions: Sequence[Function], scope: Scope) -> str:
    """What the spec can say of a method of a protocol, which keeps its operands because other calls keep something."""
    alike = with_relatives({made}, scope.names.extends)
    keeping = (
        f
        for f in functions
        if f.lifetime.result.keeps and not f.lifetime.result.keeps_implicitly and handles_in(f.returns) & alike
    )
    line = min(f.span.line for f in keeping)
    operands = listed(function.lifetime.result.keeps)
    why = f"what line {line} says of {a(made)} makes this keep its operands alive, too"
    way = f"if its {made} points into none of them, say belongs_to: {NOTHING}"
    return f"{why}: {way}; or that no call ends it: holds: {{result: {operands}}}"


def _ways_of_second(name: str, made: str) -> str:
    """What the spec can say instead of an object that could have lent the result, and has not."""
    first = f"name {name} first in `belongs_to`, if it owns the {made}"
    stays = f"or say that the {made} uses it, and no call ends that: holds: {{result: {name}}}"
    return f"{first}; or drop it there, if the {made} does not point into it; {stays}"


def _ways(function: Function, name: str, kept: str, made: str, method: Function) -> str:
    """What the spec can say instead."""
    lent = f"on {made} what it belongs to: belongs_to: {kept}"
    held = listed([name]) if function.constructs or not function.handle else f"{{result: {listed([name])}}}"
    stays = f"or, in place of `belongs_to`, that it only uses it, and no call ends it: holds: {held}"
    if name == OBJECT and function.handle == method.handle:
        return f"say of `{method.name}` that it ends this, too: ends: [{ALL}, {function.name}]; or {lent}; {stays}"
    return f"say {lent}; {stays}"


def _kept(function: Function) -> Mapping[str, str]:
    """The handle type of each parameter that a result keeps alive, and of `h`; what lends the result is no such one."""
    if not function.lifetime.result.keeps:
        return {}
    own = {OBJECT: function.handle} if function.handle else {}
    given = {p.name: handle_of(p.type) or "" for p in function.parameters} | own
    result = function.lifetime.result
    return {name: given[name] for name in result.keeps if given.get(name) and name not in result.only_holds}


def _ending(scope: Scope, handles: Sequence[HandleType], functions: Sequence[Function]) -> dict[str, Function]:
    """The handle types of which some method ends what they lend, and the first such method."""
    lent_by = {h.name: h.lent_by for h in handles}
    found: dict[str, Function] = {}
    for method in functions:
        if not method.lifetime.ends:
            continue
        lenders = ending_lenders(method.handle or "", method.lifetime.ends, lent_by, handle_types(method))
        for each in with_relatives(lenders, scope.names.extends):
            found.setdefault(each, method)
    return found
