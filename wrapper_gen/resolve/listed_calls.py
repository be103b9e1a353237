"""`cpp` as a list: calls that run in order, each of which is tested; the first makes the object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import replace
from wrapper_gen.model import Function, Lifetime, Mode, Named, NotImplementedYet, Parameter, Reported
from wrapper_gen.resolve.calls import resolve_call
from wrapper_gen.resolve.cpp import said_in_cpp
from wrapper_gen.resolve.lambdas import is_lambda
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.reports import resolve_reported
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.written_arguments import OTHER_CALLS, SELF, written_names
from wrapper_gen.types.model import Type, Void
from wrapper_gen.types.queries import handle_of, is_void, without_optional
from wrapper_gen.written_calls import BadCall, WrittenCall, read_cpp

_OBJECT = "out"
"""What a call names the object that the first one has made, where it is no constructor."""
OF_ONE_CALL = ("capacity", "length", "grow", "stream", "each", "status", "result", "none", "byte_offset", "async")
"""Keys that say something of one call, or of its value."""
_OF_THE_FIRST = ("scope", "belongs_to", "holds", "holds_last", "takes", "ends", "on_failure", "stub", "blocking")


def listed_calls(entry: Map, scope: Scope, signature: Signature) -> tuple[Map, ...]:
    """An entry for each of these calls, where `cpp` is a list that can be run; empty elsewhere."""
    listed = entry.get("cpp")
    if not isinstance(listed, list):
        return ()
    key_span = scope.document.key_span(entry, "cpp")
    if not listed:
        scope.error("WG043", "`cpp` lists no calls", key_span, "write them: [X_new(), X_init(self)]")
        return ()
    are_calls = [is_call(listed, i, scope) for i in range(len(listed))]  # all of what is wrong is reported
    if not all(are_calls):
        return ()
    if not _can_run(entry, scope, signature):
        return ()
    texts = [scope.document.text(listed, i) for i in range(len(listed))]
    found = []
    for i in range(len(listed)):
        unsaid = [*_OF_THE_FIRST] * bool(i)
        if entry.get("release") is not None and not _writes_error(texts[i]):
            unsaid += ["release"] * (i > 0 or any(map(_writes_error, texts)))
        each = scope.document.with_part(entry, "cpp", i, without=unsaid)
        known = [SELF, _OBJECT, *(p.name for p in signature.parameters)]  # of what none has, the first one tells
        each[OTHER_CALLS] = known if i else texts[1:]
        found.append(each)
    return tuple(found)


def is_call(several: Map | Sequence[object], key: str | int, scope: Scope) -> bool:
    """Whether one of several in `cpp` is a call, as C++ has it."""
    text, span = scope.document.text(several, key), scope.document.span(several, key)
    hint = "write a call with its arguments, X_init(self); what is more stands in `cpp_body`"
    if not text.strip() or is_lambda(text):
        scope.error("WG043", "`cpp` says several calls, and this is none", span, hint)
        return False
    try:
        found = read_cpp(text)
    except BadCall as bad:
        scope.error("WG043", bad.message, scope.document.part(several, key, bad.start, bad.end), bad.hint)
        return False
    if isinstance(found, WrittenCall):
        return True
    scope.error("WG043", "`cpp` says several calls, and this is none", span, hint)
    return False


def _can_run(entry: Map, scope: Scope, signature: Signature) -> bool:
    """Whether the result is an object that the first call makes, or nothing, and nothing is said of one call."""
    is_fine = True
    if entry.get("cpp_body") is not None:
        related = (scope.document.key_span(entry, "cpp"), "`cpp` is here")
        where = scope.document.key_span(entry, "cpp_body")
        scope.error("WG040", "both cpp and cpp_body", where, "keep one", related)
        is_fine = False
    for key in OF_ONE_CALL:
        if entry.get(key) is not None:
            hint = "drop it, or write statements in `cpp_body`"
            where = scope.document.key_span(entry, key)
            scope.error("WG043", f"`{key}` is of one call, and `cpp` lists several", where, hint)
            is_fine = False
    made = handle_of(without_optional(signature.returns))
    where = scope.document.key_span(entry, "cpp")
    if not is_void(signature.returns) and made is None:
        hint = "the first one makes an object of a class; write statements in `cpp_body`"
        scope.error("WG043", f"a list of calls makes no {signature.returns}", where, hint)
        is_fine = False
    for p in signature.parameters:
        if p.options:
            hint = "declare the fields that it needs, or write statements in `cpp_body`"
            scope.error("WG043", "options of a list of calls", p.span, hint)
            is_fine = False
        if made and p.name == _OBJECT and not signature.is_constructor:
            hint = "give it another name"
            scope.error("WG081", "`out` is the object that the first call makes", p.span, hint)
            is_fine = False
    return is_fine


def _writes_error(text: str) -> bool:
    found = read_cpp(text)
    return isinstance(found, WrittenCall) and "error" in written_names(found)


def reported_of_one(entry: Map, returns: Type, raises: str | None, reported: Reported) -> tuple[str | None, Reported]:
    """What one call of several reports: what the entry names is tested where the call returns a status of its type."""
    if not raises or OTHER_CALLS not in entry:
        return raises, reported
    call = read_cpp(str(entry["cpp"]))
    writes = isinstance(call, WrittenCall) and {SELF, _OBJECT} & {*written_names(call)}
    if writes or (reported.ok is not None and is_void(returns)):
        return raises, reported
    return None, replace(reported, inherited=raises, is_untold=True)


def further_calls(entries: Sequence[Map], function: Function, signature: Signature, scope: Scope) -> Iterator[Function]:
    """The calls after the first, as entries of their own."""
    _check_given_once(entries, signature, scope)
    made = without_optional(signature.returns)
    owner = signature.handle or signature.static or (signature.name if signature.is_constructor else "")
    for entry in entries[1:]:
        handle, parameters = signature.handle, tuple(replace(p, is_inout=False) for p in signature.parameters)
        if signature.is_constructor:
            handle = handle_of(made)
        elif handle_of(made):
            parameters = (*parameters, Parameter(_OBJECT, made, signature.span))
        code = scope.code(entry, "cpp")
        assert code is not None
        own = replace(
            signature, handle=handle, parameters=parameters, returns=Void(), is_constructor=False, static="", kind="",
            item="",
        )  # fmt: skip
        implementation = said_in_cpp(code, entry, scope, own)
        raises, reported = resolve_reported(entry, Void(), scope, handle=owner)
        raises, reported = reported_of_one(entry, Void(), raises, reported)
        found = resolve_call(entry, scope, own, implementation, is_status=bool(raises))
        if not isinstance(found, Named | NotImplementedYet):
            continue
        yield replace(
            function,
            parameters=parameters,
            returns=Void(),
            implementation=found,
            handle=handle,
            raises=raises,
            reported=reported,
            lifetime=Lifetime(),
            constructs="",
            static="",
            protocol=None,
            positions=(),
            then=(),
        )


def _check_given_once(entries: Sequence[Map], signature: Signature, scope: Scope) -> None:
    """What a call takes is gone, and what it keeps, such as a callable, is ended by it alone."""
    for p in signature.parameters:
        if p.mode is not Mode.TAKE and not p.callbacks:
            continue
        given = [each for each in entries if mentions(str(each["cpp"]), p.name)]
        for entry in given[1:]:
            related = (scope.document.span(given[0], "cpp"), "the first one")
            what = "taken" if p.mode is Mode.TAKE else "a callable"
            hint = "give it to one of them"
            message = f"{p.name!r} is {what}, and given to two calls"
            scope.error("WG081", message, scope.document.span(entry, "cpp"), hint, related)
