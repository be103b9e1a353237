"""How the code of a function reports failures: `raises`, `result` and `none` of an entry."""

from __future__ import annotations

from wrapper_gen.diagnostics import did_you_mean
from wrapper_gen.model import Reported
from wrapper_gen.resolve.errors import statuses
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import is_optional, is_void

_BY_VALUE = "result"
"""`raises: result`, unless a status type is called so."""


def resolve_reported(
    entry: Map, returns: Type, scope: Scope, *, is_lookup: bool = False
) -> tuple[str | None, Reported]:
    """The status type that an entry raises, and where its status and its result are.

    Where it `is_lookup`, a status of `none` means that the key is not there.
    """
    given = entry.get("raises")
    about: Map = given if isinstance(given, dict) else entry
    type_ = scope.text(about, "type" if about is given else "raises")
    by_value = about is entry and type_ == _BY_VALUE and type_ not in scope.names.errors
    source = scope.code(about, "from") if about is given else None
    each = about is given and "each" in about and about["each"] is not False
    if type_ and not by_value:
        check_status_type(type_, about, "type" if about is given else "raises", scope)
    elif about is given:
        scope.error(
            "WG012", "`raises` has no type", scope.document.start(about), "name a type of `errors`: type: status"
        )
    result = scope.code(entry, "result")
    if result and is_void(returns):
        hint = "say of which type it is: `return`; or drop `result`"
        scope.error("WG097", "`result` of an entry that returns nothing", result.span, hint)
    none = statuses(entry, "none", scope) if entry.get("none") is not None else None
    if none and not (type_ and not by_value):
        hint = "say which statuses it returns: `raises`"
        scope.error("WG098", "`none` of an entry that has no status", scope.document.key_span(entry, "none"), hint)
    elif none and each:
        hint = "drop one of the two: each status of the list is tested"
        scope.error("WG098", "`none` beside a list of statuses", scope.document.key_span(entry, "none"), hint)
    elif none and not is_optional(returns) and not is_lookup:
        hint = f'declare that there may be no result: return: "{returns}?"' if not is_void(returns) else "drop `none`"
        where = scope.document.key_span(entry, "none")
        scope.error("WG098", "`none` of an entry whose result is never None", where, hint)
    is_ignored = given is None and "raises" in entry
    return (None if by_value else type_ or None), Reported(source, each, by_value, result, none, is_ignored)


def check_status_type(type_: str, container: Map, key: str, scope: Scope) -> None:
    """Whether `raises` can name this type."""
    if type_ in scope.names.errors:
        return
    hint = did_you_mean(type_, scope.names.errors) or "describe the type under `errors:`, with `ok:`"
    message = f"unknown error type {type_!r}"
    if type_ in scope.names.exceptions:
        message = f"{type_!r} has no `ok`: it is a class of exceptions, and raised by itself"
        hint = "drop `raises`; or, if it is a status, list the values that are fine: ok: [0]"
    scope.error("WG045", message, scope.span(container, key), hint)
