"""How the code of a function reports failures: `raises`, `status`, `ok`, `none` and `result` of an entry."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wrapper_gen.diagnostics import did_you_mean
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Code, ErrorType, Function, Reported
from wrapper_gen.model.errors import may_be_status
from wrapper_gen.resolve.errors import NOTHING, statuses
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import is_iterator, is_optional, is_void

_EACH = re.compile(r"\s*wg::each\s*\((.*)\)\s*", re.DOTALL)
_TESTING = ("status", "ok", "none")
"""Keys that say of what a call reports that it is tested."""


@frozen
class _Raises:
    """Which error the status of an entry is of."""

    said: str = ""
    """What the entry says."""
    inherited: str = ""
    """What its class or the library says, where the entry says nothing."""
    is_ignored: bool = False
    """Whether no status is looked at."""


def resolve_reported(
    entry: Map, returns: Type, scope: Scope, *, handle: str = "", is_lookup: bool = False
) -> tuple[str | None, Reported]:
    """The error that an entry raises, and where its status and its result are.

    Args:
        entry: the function, method or accessor.
        returns: its result.
        scope: its spec.
        handle: its class.
        is_lookup: whether a status of `none` means that a key is not there.
    """
    raises = _raises(entry, handle, scope)
    source, each = _source(entry, scope)
    result = scope.code(entry, "result")
    if result and is_void(returns):
        hint = "say of which type it is: `return`; or drop `result`"
        scope.error("WG097", "`result` of an entry that returns nothing", result.span, hint)
    ok = statuses(entry, "ok", scope) if entry.get("ok") is not None else None
    none = statuses(entry, "none", scope) if entry.get("none") is not None else None
    named = raises.said or _named_by_keys(entry, raises, scope)
    if none is not None:
        _check_none(entry, returns, scope, each=each, is_lookup=is_lookup)
    reported = Reported(
        source=source,
        each=each,
        result=result,
        ok=ok,
        none=none,
        is_ignored=raises.is_ignored,
        inherited="" if named else raises.inherited,
        is_untold=not named and not raises.is_ignored and bool(raises.inherited or scope.names.told_by_type),
    )
    return named or None, reported


def _raises(entry: Map, handle: str, scope: Scope) -> _Raises:
    """What the entry says, else its class, else the library."""
    if entry.get("raises") is not None:
        said = scope.text(entry, "raises")
        if said == NOTHING and said not in scope.names.errors:
            scope.findings.tested.update(scope.names.errors)  # whoever says so knows of them
            return _Raises(is_ignored=True)
        check_error(said, entry, "raises", scope)
        return _Raises(said=said)
    inherited = scope.names.raises.get(handle) or scope.names.raises.get("", "")
    if inherited == NOTHING and inherited not in scope.names.errors:
        return _Raises(is_ignored=True)
    return _Raises(inherited=inherited if inherited in scope.names.errors else "")


def _source(entry: Map, scope: Scope) -> tuple[Code | None, bool]:
    """Where the status is, if it is not what the call returned, and whether there is a list of them."""
    code = scope.code(entry, "status")
    if code is None:
        return None, False
    listed = _EACH.fullmatch(code.text)
    if listed is None:
        return code, False
    text = listed[1].strip()
    return None if text == "value" else Code(text, code.span), True


def _named_by_keys(entry: Map, raises: _Raises, scope: Scope) -> str:
    """The error of an entry that says how it is tested, and not by which: the inherited one, or the only one."""
    key = next((key for key in _TESTING if entry.get(key) is not None), "")
    if not key:
        return ""
    where = scope.document.key_span(entry, key)
    if raises.is_ignored:
        if entry.get("raises") is not None:
            hint = f"drop one of the two; or name the error: raises: {_example(scope)}"
            scope.error("WG293", f"`{key}` beside `raises: nothing`", where, hint)
            return ""
    elif raises.inherited:
        return raises.inherited
    if len(scope.names.errors) == 1:
        (only,) = scope.names.errors
        scope.findings.tested.add(only)
        return only
    known = sorted(scope.names.errors)
    hint = f"say which: raises: {', or raises: '.join(known)}" if known else "describe it under `errors`, with `ok`"
    scope.error("WG098", f"`{key}` of an entry that has no error", where, hint)
    return ""


def _example(scope: Scope) -> str:
    return next(iter(sorted(scope.names.errors)), "NotesError")


def _check_none(entry: Map, returns: Type, scope: Scope, *, each: bool, is_lookup: bool) -> None:
    where = scope.document.key_span(entry, "none")
    if each:
        hint = "drop one of the two: each status of the list is tested"
        scope.error("WG098", "`none` beside a list of statuses", where, hint)
    elif not is_optional(returns) and not is_lookup:
        hint = f'declare that there may be no result: -> "{returns}?"' if not is_void(returns) else "drop `none`"
        scope.error("WG098", "`none` of an entry whose result is never None", where, hint)


def check_error(name: str, container: Map, key: str, scope: Scope) -> None:
    """Whether `raises` can name this error."""
    if name in scope.names.errors:
        scope.findings.tested.add(name)
        return
    hint = did_you_mean(name, scope.names.errors) or "describe it under `errors`, with `ok`"
    message = f"unknown error {name!r}"
    if name in scope.names.exceptions:
        message = f"{name!r} has no `ok`: it is a class of exceptions, and raised by itself"
        hint = "drop `raises`; or, if it is a status, list the values that are fine: ok: [0]"
    scope.error("WG045", message, scope.span(container, key), hint)


def check_inherited(lib: Map, functions: Sequence[Function], scope: Scope) -> None:
    """What the library and its classes say that their entries raise: it is an error, and some entry may raise it."""
    for name, container in (("", lib), *((scope.text(each, "name"), each) for each in scope.entries("handle_types"))):
        said = container.get("raises")
        if not isinstance(said, str) or said == NOTHING:
            continue
        check_error(said, container, "raises", scope)
        own = [f for f in functions if name in ("", f.handle, f.static, f.constructs)]
        if said in scope.names.errors and not any(said in (f.reported.inherited, f.raises) for f in own):
            hint = "drop it: each entry says itself what it raises" if own else "drop it: there are no entries"
            what = f"class {name}" if name else "library"
            scope.error("WG293", f"no entry of the {what} raises {said}", scope.span(container, "raises"), hint)


def check_untested(lib: Map, errors: Sequence[ErrorType], functions: Sequence[Function], scope: Scope) -> None:
    """A status of a common type, which tells nobody that it is one, is named by what returns it.

    What starts the library, and what goes over a cursor, is tested by its type.
    """
    by_type = any(lib.get(key) is not None for key in ("init", "shutdown")) or any(
        is_iterator(f.returns) for f in functions
    )
    if (
        by_type
        or lib.get("raises") is not None
        or scope.broken
        or any(each.is_error for each in scope.findings.diagnostics)
    ):
        return
    for each in errors:
        is_common = bool(each.ok) and not may_be_status(each.cpp_type)
        if is_common and not each.has_tag and each.type not in scope.findings.tested:
            hint = (
                f"say raises: {each.type} under wrapper_lib, which tests each {each.cpp_type} that no signature uses, "
                "or on the entries that return one; raises: nothing there says that nothing does"
            )
            message = (
                f"nothing tests a status of {each.type}: what returns one as {each.cpp_type} would fail in silence"
            )
            scope.warn("WG294", message, each.span, hint)
