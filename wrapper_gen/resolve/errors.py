"""Statuses and classes of exceptions: what is fine, what is said of the rest, and what it raises."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wrapper_gen import names
from wrapper_gen.diagnostics import a, did_you_mean, nearest
from wrapper_gen.exception_bases import can_be_both
from wrapper_gen.expressions import mentions
from wrapper_gen.model import Code, ErrorField, ErrorType, ExceptionCase, Said
from wrapper_gen.model.errors import may_be_status
from wrapper_gen.resolve.scope import Map, Scope, SpecReader
from wrapper_gen.resolve.submodules import read_submodule
from wrapper_gen.resolve.types import parse_type
from wrapper_gen.types.memory import is_memory_result
from wrapper_gen.types.model import Text, Type
from wrapper_gen.types.queries import borrows_memory, handles_in, has_callables, is_void

NOTHING = "nothing"
"""What `raises` says where no status is looked at."""
_OTHERWISE = "else"
_NAME, _NOTES = "name", "__notes__"
"""Fields that every exception has."""
_OWN_MEMBERS = frozenset({"add_note", "args", "code", "with_traceback"})
"""What else every exception of a library has already."""
_CONDITION = re.compile(r"[=!<>]=|&&|\|\||^\s*!")
_TESTED = re.compile(r"\bwg_check\s*<\s*(\w+)\s*>")
_ALIKE = 0.75
"""How like another a name has to be that is meant for it: most exceptions end in `Error`."""
_FOR_STATUSES = ("label", "none", "on_null")


def declared_errors(spec: SpecReader, lib: str) -> tuple[frozenset[str], frozenset[str]]:
    """What `raises` can name, and the classes of C++ exceptions, which it cannot; also of entries of a wrong shape."""
    entries = spec.document.data.get("errors")
    listed: list[Map] = [e for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []
    called = [(_called(entry, lib), entry) for entry in listed]
    statuses = frozenset(name for name, entry in called if entry.get("ok") is not None)
    return statuses, frozenset(name for name, _ in called) - statuses


def _called(entry: Map, lib: str) -> str:
    found = entry.get("label") or entry.get("name")
    return found if isinstance(found, str) else names.library_error(lib)


def inherited_errors(lib: Map, handles: Mapping[str, Map]) -> dict[str, str]:
    """What `raises` of the library, without a name, and of its handle types says."""
    said = ((name, about.get("raises")) for name, about in (("", lib), *handles.items()))
    return {name: each for name, each in said if isinstance(each, str)}


def may_tell_itself(entry: Map) -> bool:
    """Whether only a status may have the C++ type: numbers and pointers are other things, too. C++ knows for sure."""
    cpp_type = entry.get("cpp_type")
    if entry.get("ok") is None or entry.get("label") or not isinstance(cpp_type, str):
        return False
    return may_be_status(cpp_type)


def resolve_errors(scope: Scope) -> tuple[ErrorType, ...]:
    """All entries of `errors`."""
    tested = frozenset(_tested(scope.document.data))
    return tuple(_error(entry, tested, scope) for entry in scope.entries("errors"))


def _tested(value: Any) -> Iterator[str]:
    """The names of statuses that code of the spec tests: what else the library calls so stays that."""
    if isinstance(value, str):
        yield from _TESTED.findall(value)
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _tested(each)


def _error(entry: Map, tested: frozenset[str], scope: Scope) -> ErrorType:
    cpp_type, ok = scope.expression(entry, "cpp_type"), statuses(entry, "ok", scope)
    exception = _exception(entry, scope)
    if not ok:
        _check_class(entry, scope)
    label = scope.text(entry, "label")
    if label:
        scope.check_identifier(label, scope.span(entry, "label"), "a status")
    called = (label or exception) if ok else cpp_type
    own_fields = tuple(_own_fields(entry, exception, scope, bool(ok)))
    said = {each.name: each.value for each in own_fields}
    found = ErrorType(
        type=called,
        cpp_type=cpp_type,
        ok=ok,
        message=_said(entry, "message", scope, bool(ok)),
        name=said.get(_NAME),
        note=said.get(_NOTES),
        code=_said(entry, "code", scope, bool(ok)),
        exception=exception,
        cases=tuple(_cases(entry, exception, scope, bool(ok))),
        fields=tuple(each for each in own_fields if each.name not in (_NAME, _NOTES)),
        none=statuses(entry, "none", scope),
        span=scope.span(entry, "cpp_type"),
        doc=scope.text(entry, "doc"),
        module=read_submodule(entry, scope),
        is_labelled=bool(label),
        has_tag=called in tested,
        on_null=_said(entry, "on_null", scope, is_status=True),
    )
    _check_overlap(found, scope)
    return found


def statuses(container: Map, key: str, scope: Scope) -> tuple[str, ...]:
    """Statuses, or conditions over `value`: a condition without it would be compared with the status."""
    found, given = scope.expressions(container, key), container.get(key)
    for i, text in enumerate(found):
        where = scope.document.span(given, i) if isinstance(given, list) else scope.span(container, key)
        if mentions(text, "self"):
            hint = "write a status, or a condition over `value`; what the object says can make it, status: f(self)"
            scope.error("WG124", "`self` in what tells statuses apart, which has `value` alone", where, hint)
        elif _CONDITION.search(text) and not mentions(text, "value"):
            hint = f"write a status; or let it speak of the one that came back: value < 0 && {text.strip()}"
            message = f"{text.strip()!r} is a condition that says nothing of `value`"
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
    exception = scope.text(entry, "name") or names.library_error(scope.names.lib)
    if "name" in entry and exception not in names.PYTHON_EXCEPTIONS:
        _check_exception(exception, entry, "name", scope)
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
        if code and mentions(code.text, "self") and not (is_status and scope.names.handles):
            _refuse_self(code, is_status, scope)
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


def _refuse_self(code: Code, is_status: bool, scope: Scope) -> None:
    """Of an expression that speaks of an object where there is none."""
    hint = "write an expression over `value`" + ", which is the exception" * (not is_status)
    why = "the spec has no class" if is_status else "a class of exceptions has none"
    scope.error("WG095", f"this speaks of `self`, the object of the call, and {why}", code.span, hint)


def _check_owner(handle: str, code: Code, scope: Scope) -> None:
    """Whether an expression of a handle type that speaks of an owner has one."""
    if mentions(code.text, "owner") and not scope.names.lent.get(handle):
        hint = "say what owns it: belongs_to: Document; or write an expression over `value` and `self`"
        scope.error("WG089", f"{a(handle)} is not lent, so it has no owner", code.span, hint)


# --- what statuses raise ---------------------------------------------------------------------------------------------


def _cases(entry: Map, base: str, scope: Scope, is_status: bool, code: bool | None = None) -> Iterator[ExceptionCase]:
    """The classes below one, those of a class before that: they are looked at first."""
    has_code = bool(entry.get("code")) if code is None else code
    for case in scope.items(entry, "exceptions"):
        name, also = scope.text(case, "name"), scope.text(case, "also")
        if name not in names.PYTHON_EXCEPTIONS:
            _check_exception(name, case, "name", scope)
        elif base not in names.PYTHON_EXCEPTIONS:
            hint = f"name a class of the library's own, and say `also: {name}`"
            scope.error("WG046", f"{name!r} is Python's own", scope.span(case, "name"), hint)
        _check_also(case, base, scope)
        when = statuses(case, "when", scope)
        if not when and not case.get("exceptions"):
            hint = "list statuses, or conditions over `value`"
            scope.error("WG012", f"no status raises {name!r}", scope.span(case, "when"), hint)
        if not is_status and not has_code:
            _check_told_apart(case, when, scope)
        yield from _cases(case, name, scope, is_status, has_code)
        fields = tuple(_fields(case, scope, is_status))
        yield ExceptionCase(name, when, also, fields, scope.span(case, "name"), base, scope.text(case, "doc"))


def _check_overlap(error: ErrorType, scope: Scope) -> None:
    """Of classes that are nested, no two are for one status, unless one is the other's base: one is never raised."""
    above = {case.name: case.base for case in error.cases}
    if all(base == error.exception for base in above.values()):
        return
    first: dict[str, ExceptionCase] = {}
    for case in error.cases:
        for text in case.when:
            before = first.setdefault(" ".join(text.split()), case)
            if before is not case and case.name not in _bases(before, above):
                message = f"{text.strip()} raises {before.name}, and never {case.name}"
                hint = f"drop it in one of the two; or put {before.name} below {case.name}, as one of its `exceptions`"
                scope.error("WG292", message, case.span, hint, (before.span, f"{before.name} is here"))


def _bases(case: ExceptionCase, above: Mapping[str, str]) -> Iterator[str]:
    """The classes that one derives from, up to the entry's own."""
    seen: set[str] = set()
    base = case.base
    while base not in seen:
        seen.add(base)
        yield base
        base = above.get(base, base)


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
    own_name = names.library_error(scope.names.lib)
    same = [each for each in scope.entries("errors") if (scope.text(each, "name") or own_name) == exception]
    attributes = [key for key in entry["fields"] if key not in (_NAME, _NOTES)]
    is_own = exception not in names.PYTHON_EXCEPTIONS and exception != names.library_error(scope.names.lib)
    if attributes and (not is_own or len(same) > 1):
        own = names.library_error(scope.names.lib)
        of_all = f"{own} is the package's own class, of all failures that no entry declares"
        of_python = f"{exception} is Python's own class"
        why = f"several entries raise {exception}" if is_own else of_all if exception == own else of_python
        hint = f"give it an exception of its own: name: {exception if is_own else own.removesuffix('Error')}Fault"
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
        hint = f"drop `also`, or let {exception} be {also}"
        scope.error("WG096", f"no class can be {exception} and {also}: CPython lays them out differently", span, hint)


def _fields(case: Map, scope: Scope, is_status: bool) -> Iterator[ErrorField]:
    fields = case.get("fields") or {}
    for key in fields:
        span = scope.document.key_span(fields, key)
        if key in (_NAME, _NOTES):
            _check_own_text(key, fields, case, scope)
        else:
            scope.check_identifier(key, span, "an attribute")
            if key in _OWN_MEMBERS or names.python(key) != key:
                what = "is a member of every exception" if key in _OWN_MEMBERS else "is a word of Python"
                scope.error("WG021", f"{key!r} {what}", span, "name the attribute otherwise")
        about = fields[key]
        value = _said(about, "cpp", scope, is_status)
        if value is None:
            scope.error("WG012", f"the field {key!r} has no value", span, "write an expression: cpp: line_of(value)")
        yield ErrorField(key, _field_type(about, scope), value or Said(), span, scope.text(about, "doc"))


def _check_own_text(key: str, fields: Map, case: Map, scope: Scope) -> None:
    """`name` and the notes are of all exceptions of an entry, and text."""
    if "cpp_type" not in case:
        hint = "say it of the whole entry: it is asked for every exception of that"
        scope.error("WG021", f"{key!r} is a member of every exception", scope.document.key_span(fields, key), hint)
    elif scope.type_text(fields[key], "type") != "text":
        scope.error("WG073", f"{key!r} is a text", scope.span(fields[key], "type"), "write type: text")


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
