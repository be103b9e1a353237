"""`cpp` as a map: one call for each type of a parameter that is of one of several types, or may be None."""

from __future__ import annotations

from collections.abc import Mapping

from wrapper_gen.diagnostics import Fix, did_you_mean
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import Function, Mode, Named, Parameter
from wrapper_gen.resolve.calls import resolve_call
from wrapper_gen.resolve.cpp import said_in_cpp
from wrapper_gen.resolve.listed_calls import is_call
from wrapper_gen.resolve.parameters import Signature, is_unusable
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.types import parse_type
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import alternatives_of, handles_in, has_callables, is_list

NONE = "None"
_OF_ONE_CALL = ("capacity", "grow", "stream", "each")
"""Keys that say something of one call."""


@frozen
class CallsByType:
    """The parameter, and for each of its types, in order, an entry with the call; the type of None is none."""

    parameter: str
    cases: tuple[tuple[Type | None, Map], ...]


def calls_by_type(entry: Map, scope: Scope, signature: Signature) -> CallsByType | None:
    """These calls, where `cpp` is a map that says one for each type; None elsewhere."""
    said = entry.get("cpp")
    is_readable = not any(map(is_unusable, signature.parameters))
    if not isinstance(said, dict) or not _is_alone(entry, scope, signature) or not is_readable:
        return None
    are_calls = [is_call(said, key, scope) for key in said]  # all of what is wrong is reported
    known = _types(said, scope)
    if not all(are_calls) or len(known) < len(said) or not _is_once(said, known, scope):
        return None
    p = _parameter(entry, [*known.values()], scope, signature)
    if p is None or not _is_whole(entry, p, known, scope):
        return None
    keys = {each: key for key, each in known.items()}
    results = entry.get("result")
    of_results = _types(results, scope) if isinstance(results, dict) else {}
    found = []
    for each in alternatives_of(p.type):
        made = scope.document.with_part(entry, "cpp", keys[each])
        if isinstance(results, dict):
            key = next((key for key, type_ in of_results.items() if type_ == each), None)
            if key is None:
                hint = f"write {each or NONE}: an expression over `value`"
                scope.error("WG043", f"`result` has nothing for {each or NONE}", scope.span(entry, "result"), hint)
                return None
            made = scope.document.with_part(made, "result", key)
        found.append((each, made))
    for key, type_ in of_results.items():
        if type_ not in keys:
            scope.error("WG043", f"`cpp` has no call for {key}", scope.document.key_span(results, key), "drop it")
    return CallsByType(p.name, tuple(found))


def _is_alone(entry: Map, scope: Scope, signature: Signature) -> bool:
    is_fine = True
    related = (scope.document.key_span(entry, "cpp"), "`cpp` is here")
    if entry.get("cpp_body") is not None:
        where = scope.document.key_span(entry, "cpp_body")
        scope.error("WG040", "both cpp and cpp_body", where, "keep one", related)
        is_fine = False
    for key in _OF_ONE_CALL:
        if entry.get(key) is not None:
            hint = "drop it, or write an entry for each type: those of one name are overloads"
            where = scope.document.key_span(entry, key)
            scope.error("WG043", f"`{key}` is of one call, and `cpp` has one for each type", where, hint, related)
            is_fine = False
    for p in signature.parameters:
        if p.options:
            hint = "write an entry for each type: those of one name are overloads"
            scope.error("WG043", "options of a call for each type", p.span, hint)
            is_fine = False
    return is_fine


def _types(said: Map, scope: Scope) -> dict[str, Type | None]:
    """The types that the keys are, None for None's; what is no type is reported, and has none."""
    found: dict[str, Type | None] = {}
    for key in said:
        type_ = parse_type(key.strip(), scope.document.key_span(said, key), scope) if key.strip() != NONE else None
        if type_ is not None or key.strip() == NONE:
            found[key] = type_
    return found


def _is_once(said: Map, types: Mapping[str, Type | None], scope: Scope) -> bool:
    seen: dict[Type | None, str] = {}
    for key, type_ in types.items():
        if type_ in seen:
            related = (scope.document.key_span(said, seen[type_]), "the first one")
            scope.error(
                "WG043", f"{type_ or NONE} has two calls", scope.document.key_span(said, key), "drop one", related
            )
            return False
        seen[type_] = key
    return True


def _parameter(entry: Map, types: list[Type | None], scope: Scope, signature: Signature) -> Parameter | None:
    """The parameter of these types: the only one, or the only one that has most of them."""
    several = [p for p in signature.parameters if len(alternatives_of(p.type)) > 1]
    most = max((len({*alternatives_of(p.type)} & {*types}) for p in several), default=0)
    found = [p for p in several if len({*alternatives_of(p.type)} & {*types}) == most]
    where = scope.document.key_span(entry, "cpp")
    if len(found) == 1:
        return found[0]
    if several:
        shown = " and ".join(repr(p.name) for p in found)
        hint = "write statements in `cpp_body`, or an entry for each type: those of one name are overloads"
        scope.error("WG043", f"`cpp` has calls by type, which {shown} have", where, hint)
    else:
        hint = "declare one that has these types: " + " | ".join(str(each or NONE) for each in types)
        scope.error("WG043", "`cpp` has calls by type, and no parameter is of one of several", where, hint)
    return None


def _is_whole(entry: Map, p: Parameter, types: Mapping[str, Type | None], scope: Scope) -> bool:
    """Whether each type of the parameter has a call, and no other does."""
    said: Map = entry["cpp"]
    wanted, is_fine = alternatives_of(p.type), True
    missing = [str(each or NONE) for each in wanted if each not in types.values()]
    for key, type_ in types.items():
        if type_ not in wanted:
            near = did_you_mean(key, missing) or f"its types: {', '.join(str(each or NONE) for each in wanted)}"
            span = scope.document.key_span(said, key)
            fixes = (Fix(f"the type {missing[0]}", span, missing[0]),) if len(missing) == 1 else ()
            scope.error("WG043", f"{p.name!r} is {p.type}, and never {key}", span, near, fixes=fixes)
            is_fine = False
    if missing and is_fine:
        hint = "; ".join(f"write {each}: a call" for each in missing)
        span = scope.document.key_span(entry, "cpp")
        scope.error(
            "WG043", f"{p.name!r} may be {' or '.join(missing)}, which has no call", span, hint, (p.span, "here")
        )
        is_fine = False
    unfit = [
        each for each in wanted if each is not None and (has_callables(each) or (is_list(each) and handles_in(each)))
    ]
    if is_fine and (unfit or p.mode is Mode.TAKE or p.is_represented):
        hint = "write an entry for each type: those of one name are overloads"
        scope.error("WG043", f"no calls by type for {unfit[0] if unfit else p.type}", p.span, hint)
        is_fine = False
    return is_fine


def without_results(entry: Map, scope: Scope) -> Map:
    """The entry of one call without its `result`, which is said by type, after reporting that."""
    hint = "write an expression over `value`; or one call for each type: cpp: {None: f(), i64: g(value)}"
    scope.error("WG043", "`result` by type, of one call", scope.document.key_span(entry, "result"), hint)
    return scope.document.without(entry, ("result",))


def function_by_type(
    calls: CallsByType, function: Function, signature: Signature, scope: Scope, *, is_status: bool
) -> Function:
    """The entry with a call for each type, each an entry of its own; of what is asked of all, the first answers."""
    found = []
    for i, (type_, entry) in enumerate(calls.cases):
        parameters = [p for p in signature.parameters if p.name != calls.parameter or type_ is not None]
        if type_ is not None:
            parameters = [replace(p, type=type_) if p.name == calls.parameter else p for p in parameters]
        own = replace(signature, parameters=tuple(parameters))
        code = scope.code(entry, "cpp")
        assert code is not None
        if type_ is None and mentions(code.text, calls.parameter):
            hint = f"drop it: the call is for None, as in {code.text.partition('(')[0].strip()}(nullptr)"
            scope.error("WG081", f"{calls.parameter!r} is None here", code.span, hint)
            return function
        implementation = resolve_call(entry, scope, own, said_in_cpp(code, entry, scope, own), is_status=is_status)
        if not isinstance(implementation, Named):
            return function
        result = scope.code(entry, "result")
        found.append(
            replace(
                function,
                base=f"{function.base}_wg_{i}",
                parameters=own.parameters,
                implementation=implementation,
                reported=replace(function.reported, result=result),
            )
        )
    return replace(function, implementation=found[0].implementation, by_type=calls.parameter, cases=tuple(found))
