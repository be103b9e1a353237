"""Status types and classes of exceptions: what is fine, what is said of the rest, and what it raises."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wrapper_gen import names
from wrapper_gen.diagnostics import a, did_you_mean, nearest
from wrapper_gen.exception_bases import can_be_both
from wrapper_gen.expressions import mentions
from wrapper_gen.model import Code, ErrorField, ErrorType, ExceptionCase, Said
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.submodules import read_submodule
from wrapper_gen.resolve.types import parse_type
from wrapper_gen.types.memory import is_memory_result
from wrapper_gen.types.model import Text, Type
from wrapper_gen.types.queries import borrows_memory, handles_in, has_callables, is_void

_OTHERWISE = "else"
_OWN_MEMBERS = frozenset({"add_note", "args", "code", "name", "with_traceback"})
"""What every exception of a library has already."""
_CONDITION = re.compile(r"[=!<>]=|&&|\|\||^\s*!")
_ALIKE = 0.75
"""How like another a name has to be that is meant for it: most exceptions end in `Error`."""
_FOR_STATUSES = ("map", "none", "cpp_type")


def resolve_errors(scope: Scope) -> tuple[ErrorType, ...]:
    """All entries of `errors`."""
    return tuple(_error(entry, scope) for entry in scope.entries("errors"))


def _error(entry: Map, scope: Scope) -> ErrorType:
    type_, ok = scope.expression(entry, "type"), statuses(entry, "ok", scope)
    span = scope.span(entry, "type")
    cpp_type = type_
    if entry.get("cpp_type") is not None:
        cpp_type = scope.expression(entry, "cpp_type")
        if cpp_type != type_:
            scope.check_identifier(type_, span, "a status type with a `cpp_type`")
    exception = _exception(entry, scope)
    if not ok:
        _check_class(entry, scope)
    return ErrorType(
        type=type_,
        cpp_type=cpp_type,
        ok=ok,
        message=_said(entry, "message", scope, bool(ok)),
        name=_said(entry, "name", scope, bool(ok)),
        note=_said(entry, "note", scope, bool(ok)),
        code=_said(entry, "code", scope, bool(ok)),
        exception=exception,
        cases=tuple(_cases(entry, exception, scope, bool(ok))),
        fields=tuple(_own_fields(entry, exception, scope, bool(ok))),
        mapped=_mapped(entry, exception, scope),
        none=statuses(entry, "none", scope),
        span=span,
        doc=scope.text(entry, "doc"),
        module=read_submodule(entry, scope),
    )


def statuses(container: Map, key: str, scope: Scope) -> tuple[str, ...]:
    """Statuses, or conditions over `value`: a condition without it would be compared with the status."""
    found, given = scope.expressions(container, key), container.get(key)
    for i, text in enumerate(found):
        if _CONDITION.search(text) and not mentions(text, "value"):
            hint = f"write a status; or let it speak of the one that came back: value < 0 && {text.strip()}"
            message = f"{text.strip()!r} is a condition that says nothing of `value`"
            where = scope.document.span(given, i) if isinstance(given, list) else scope.span(container, key)
            scope.error("WG124", message, where, hint)
    return found


def _check_class(entry: Map, scope: Scope) -> None:
    """A class of C++ exceptions has nothing of what only statuses have."""
    for key in _FOR_STATUSES:
        if entry.get(key) is not None:
            message = f"`{key}` needs `ok`: it is for status types"
            where = scope.document.key_span(entry, key)
            scope.error("WG012", message, where, "list the values that are fine: ok: [0]")


def _exception(entry: Map, scope: Scope) -> str:
    exception = scope.text(entry, "exception") or names.library_error(scope.names.lib)
    if "exception" in entry and exception not in names.PYTHON_EXCEPTIONS:
        _check_exception(exception, entry, "exception", scope)
    return exception


def _check_exception(exception: str, entry: Map, key: str, scope: Scope) -> None:
    """Whether a class of the package can have this name."""
    span = scope.span(entry, key)
    scope.check_identifier(exception, span, "an exception")
    if exception in names.PYTHON_WORDS or exception in names.PACKAGE_MEMBERS:
        hint = "choose a name of the library's own, such as " + names.library_error(scope.names.lib)
        scope.error("WG046", f"{exception!r} cannot be an exception's name", span, hint)


# --- what is said of a status ----------------------------------------------------------------------------------------


def _said(entry: Map, key: str, scope: Scope, is_status: bool) -> Said | None:
    """C++ that describes a status: one text, or one for each type of the call's object."""
    value = entry.get(key)
    if not isinstance(value, dict):
        code = scope.code(entry, key)
        return Said(otherwise=code) if code else None
    if not is_status:
        hint = "write one expression over `value`, which is the exception"
        scope.error("WG095", f"`{key}` of a class of exceptions has no object", scope.span(entry, key), hint)
    of, otherwise = [], None
    for handle in value:
        code = scope.code(value, handle)
        if code is None:
            scope.error("WG012", "C++ is missing here", scope.document.key_span(value, handle), "write an expression")
        elif handle == _OTHERWISE:
            otherwise = code
        elif handle in scope.names.handles:
            _check_owner(handle, code, scope)
            of.append((handle, code))
        else:
            near = did_you_mean(handle, {*scope.names.handles, _OTHERWISE}) or "name a handle type, or `else`"
            scope.error("WG031", f"unknown handle {handle!r}", scope.document.key_span(value, handle), near)
    return Said(tuple(of), otherwise)


def _check_owner(handle: str, code: Code, scope: Scope) -> None:
    """Whether an expression of a handle type that speaks of an owner has one."""
    if mentions(code.text, "owner") and not scope.names.lent.get(handle):
        hint = "say what owns it: belongs_to: Document; or write an expression over `value` and `h`"
        scope.error("WG089", f"{a(handle)} is not lent, so it has no owner", code.span, hint)


# --- what statuses raise ---------------------------------------------------------------------------------------------


def _mapped(entry: Map, exception: str, scope: Scope) -> tuple[tuple[str, str], ...]:
    mapped = entry.get("map") or {}
    pairs = []
    for key in mapped:
        python, span = scope.document.text(mapped, key), scope.document.span(mapped, key)
        if python not in names.PYTHON_EXCEPTIONS:
            near = did_you_mean(python, names.PYTHON_EXCEPTIONS)
            scope.error("WG046", f"a status cannot become {python!r}", span, near)
        scope.check_code_key(mapped, key, "write a status of the library on one line")
        pairs.append((key, python))
    return tuple(pairs)


def _cases(entry: Map, exception: str, scope: Scope, is_status: bool) -> Iterator[ExceptionCase]:
    for case in scope.items(entry, "exceptions"):
        name, also = scope.text(case, "name"), scope.text(case, "also")
        if name in names.PYTHON_EXCEPTIONS:
            hint = f"name a class of the library's own, and say `also: {name}`; or use `map`"
            scope.error("WG046", f"{name!r} is Python's own", scope.span(case, "name"), hint)
        else:
            _check_exception(name, case, "name", scope)
        _check_also(case, exception, scope)
        when = statuses(case, "when", scope)
        if not when:
            hint = "list statuses, or conditions over `value`"
            scope.error("WG012", f"no status raises {name!r}", scope.span(case, "when"), hint)
        if not is_status and not entry.get("code"):
            _check_told_apart(case, when, scope)
        fields = tuple(_fields(case, scope, is_status))
        yield ExceptionCase(name, when, also, fields, scope.span(case, "name"), scope.text(case, "doc"))


def _check_told_apart(case: Map, when: tuple[str, ...], scope: Scope) -> None:
    """Exceptions without a code are told apart by conditions only."""
    for text in when:
        if not mentions(text, "value"):
            message = f"nothing says what {text.strip()!r} is compared with"
            hint = f"say what the code of an exception is: code: value.code(); or write value.code() == {text.strip()}"
            scope.error("WG124", message, scope.span(case, "when"), hint)


def _own_fields(entry: Map, exception: str, scope: Scope, is_status: bool) -> Iterator[ErrorField]:
    """The attributes of all exceptions of an entry, which its class declares."""
    if not entry.get("fields"):
        return
    same = [each for each in scope.entries("errors") if scope.text(each, "exception") == exception]
    is_own = exception not in names.PYTHON_EXCEPTIONS and exception != names.library_error(scope.names.lib)
    if not is_own or len(same) > 1:
        own = names.library_error(scope.names.lib)
        of_all = f"{own} is the package's own class, of all failures that no entry declares"
        of_python = f"{exception} is Python's own class"
        why = f"several entries raise {exception}" if is_own else of_all if exception == own else of_python
        hint = f"give it an exception of its own: exception: {exception if is_own else own.removesuffix('Error')}Fault"
        scope.error("WG180", f"`fields` needs a class: {why}", scope.document.key_span(entry, "fields"), hint)
    yield from _fields(entry, scope, is_status)


def _check_also(case: Map, exception: str, scope: Scope) -> None:
    """Whether one class can be both."""
    also = scope.text(case, "also")
    if not also:
        return
    span = scope.span(case, "also")
    if also not in names.PYTHON_EXCEPTIONS:
        near = nearest(also, names.PYTHON_EXCEPTIONS, _ALIKE)
        hint = f"did you mean {near!r}?" if near else "name a builtin exception, such as KeyError"
        scope.error("WG046", f"{also!r} is no builtin exception", span, hint)
    elif not can_be_both(exception, also):
        hint = f"drop `also`, or let `exception` be {also}"
        scope.error("WG096", f"no class can be {exception} and {also}: CPython lays them out differently", span, hint)


def _fields(case: Map, scope: Scope, is_status: bool) -> Iterator[ErrorField]:
    fields = case.get("fields") or {}
    for key in fields:
        span = scope.document.key_span(fields, key)
        scope.check_identifier(key, span, "an attribute")
        if key in _OWN_MEMBERS or names.python(key) != key:
            what = "is a member of every exception" if key in _OWN_MEMBERS else "is a word of Python"
            scope.error("WG021", f"{key!r} {what}", span, "name the attribute otherwise")
        about = fields[key]
        value = _said(about, "value", scope, is_status)
        if value is None:
            scope.error("WG012", f"the field {key!r} has no value", span, "write an expression: value: line_of(value)")
        yield ErrorField(key, _field_type(about, scope), value or Said(), span, scope.text(about, "doc"))


def _field_type(about: Map, scope: Scope) -> Type:
    span = scope.span(about, "type")
    type_ = parse_type(scope.type_text(about, "type"), span, scope)
    if type_ is None:
        return Text()
    is_memory = borrows_memory(type_) or is_memory_result(type_)
    if is_void(type_) or is_memory or handles_in(type_) or has_callables(type_):
        hint = "an exception owns copies of what it has: numbers, text, enums, records, and containers of them"
        scope.error("WG073", f"a field cannot be {type_}", span, hint)
        return Text()
    return type_
