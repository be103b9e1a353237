"""Statuses and exceptions: entries of `errors`, and what entries that call C++ say of them.

**What was silent stays so.** A spec with an entry of `errors` that has `type` is one of the second edition, in which a
status was tested only where `raises` said so: where the present language tests more, `raises: nothing` is written.
That is at entries with `result` beside statuses that their C++ type tells, and, in specs that have opened some value
(`raises: result`), at entries without a result. A call without a result that returns such a status did not compile
before: there is nothing to write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from wrapper_gen import names
from wrapper_gen.diagnostics import a
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import frozen
from wrapper_gen.spec.former.rewriter import Piece, Rewriter
from wrapper_gen.spec.former.walk import At

_NOTHING = "nothing"
_MEMBERS = {"name": "name", "note": "__notes__"}
"""Keys that are fields now, and what these are called."""
_TESTED = re.compile(r"(?<=\bwg_check<)\s*(\w+)\s*(?=>)")
_TESTED_BY_TYPE = re.compile(r"\bwg_check\s*\(")
_OBJECT = re.compile(r"(?<![\w.>:])h\.inner\b")
_RESULT = re.compile(r"(?<![\w.:])(?<!->)result\b(?!\s*::)")
_VIRTUAL = re.compile(r"(?:virtual|abstract|optional)\s+\w")
_STRING = re.compile(r'"(?:\\.|[^"\\])*"')


@frozen
class _Former:
    """What a document of the second edition says."""

    called: Mapping[str, str]
    """What `raises` calls each error now, by what it was called."""
    tells_itself: bool
    """Whether some status may be told by its C++ type."""
    opens: bool
    """Whether some entry opens a value."""


_FORMER: WeakKeyDictionary[Rewriter, _Former] = WeakKeyDictionary()


def errors(at: At) -> None:
    """`{type: T, exception: E}` → `{name: E, cpp_type: T}`, with what belongs to it."""
    entries = [each for each in at.value if isinstance(each, dict)] if isinstance(at.value, list) else []
    former = [each for each in entries if isinstance(each.get("type"), str)]
    if not former:
        return
    library = at.library.get("name")
    own = names.library_error(library if isinstance(library, str) else "library")
    called, labels = _called(former, own, tests_by_type=_tests_by_type(at.spec))
    tells_itself = any(each.get("ok") is not None and "cpp_type" not in each for each in former)
    _FORMER[at.rewriter] = _Former(called, tells_itself, any(map(_opens, _mappings(at.spec))))
    _tests(at.spec, {name: new for name, new in called.items() if new != name}, at.rewriter)
    for entry in former:
        _error(entry, labels.get(entry["type"], ""), own, at.rewriter)


def _called(former: list[dict[str, Any]], own: str, *, tests_by_type: bool) -> tuple[dict[str, str], dict[str, str]]:
    """What each status is called now; and the labels of those that raise what another one raises."""
    called: dict[str, str] = {}
    labels: dict[str, str] = {}
    statuses = [each for each in former if each.get("ok") is not None]
    by_type = {each["type"] for each in statuses if each.get("cpp_type") is None}
    for entry in sorted(statuses, key=lambda each: each.get("cpp_type") is not None):  # C++ types need no label
        type_, exception = entry["type"], entry.get("exception")
        name = exception if isinstance(exception, str) else own
        is_other = tests_by_type and str(entry.get("cpp_type")) in by_type  # code that names no status means that one
        if name in called.values() or is_other:
            name = labels[type_] = re.sub(r"\W+", "_", type_).strip("_")
        called.setdefault(type_, name)
    return called, labels


def _opens(entry: dict[str, Any]) -> bool:
    return entry.get("raises") == "result"


def _mappings(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _mappings(each)


def _tests_by_type(value: Any) -> bool:
    """Whether code tests some status and leaves it to its C++ type which: `wg_check(status)`."""
    if isinstance(value, dict | list):
        return any(map(_tests_by_type, value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and _TESTED_BY_TYPE.search(value) is not None


def _tests(value: Any, called: Mapping[str, str], rewriter: Rewriter) -> None:
    """`wg_check<parser_status>(…)` → `wg_check<ParserError>(…)`."""
    if not called or not isinstance(value, dict | list):
        return
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        if isinstance(value[key], str):
            _replace(value, key, _TESTED, lambda found: called.get(found[1], found[0]), rewriter)
        else:
            _tests(value[key], called, rewriter)


# --- one entry of `errors` -------------------------------------------------------------------------------------------


def _error(entry: dict[str, Any], label: str, own: str, rewriter: Rewriter) -> None:
    type_, is_status = entry["type"], entry.get("ok") is not None
    exception = entry.get("exception") if isinstance(entry.get("exception"), str) else own
    _fields(entry, rewriter)
    if is_status and entry.get("cpp_type") is not None and entry.get("message") is None and not label:
        rewriter.insert(entry, "message", f'"the call failed with {a(type_)}"', because="type", after="ok")
    if "exception" in entry:
        rewriter.rename(entry, "exception", "name")
    if label:
        rewriter.insert(entry, "label", label, because="type")
    if entry.get("cpp_type") is None:
        if "cpp_type" in entry:
            rewriter.remove(entry, "cpp_type")
        rewriter.rename(entry, "type", "cpp_type")
    else:
        rewriter.remove(entry, "type")
    _map(entry, exception, rewriter)
    for key in ("message", "code"):
        _said(entry, key, rewriter)


def _fields(entry: dict[str, Any], rewriter: Rewriter) -> None:
    """`name` and `note` → fields; `value` of a field → `cpp`."""
    _values(entry, rewriter)
    for case in entry["exceptions"] if isinstance(entry.get("exceptions"), list) else ():
        if isinstance(case, dict):
            _values(case, rewriter)
    texts = {new: entry[old] for old, new in _MEMBERS.items() if old in entry}
    last = next((old for old in reversed(_MEMBERS) if old in entry), "")
    if not last:
        return
    for about in texts.values():
        if isinstance(about, dict):
            for key in about:
                _said(about, key, rewriter)
    made = {new: {"type": "text", "cpp": _with_self(text)} for new, text in texts.items()}
    if isinstance(entry.get("fields"), dict):
        rewriter.replace(entry, "fields", {**made, **entry["fields"]})
    else:
        rewriter.insert(entry, "fields", made, because=last)
    for old in _MEMBERS:
        if old in entry:
            rewriter.remove(entry, old)


def _values(container: dict[str, Any], rewriter: Rewriter) -> None:
    fields = container.get("fields")
    for about in fields.values() if isinstance(fields, dict) else ():
        if isinstance(about, dict) and "value" in about and "cpp" not in about:
            rewriter.rename(about, "value", "cpp")
            _said(about, "cpp", rewriter)


def _map(entry: dict[str, Any], exception: Any, rewriter: Rewriter) -> None:
    """`map: {FULL: MemoryError}` → a class of `exceptions`; the last that fits was raised."""
    mapped = entry.get("map")
    if not isinstance(mapped, dict):
        if "map" in entry:
            rewriter.remove(entry, "map")
        return
    classes: dict[str, dict[str, Any]] = {}
    is_in_order = not any(mentions(str(status), "value") for status in mapped)
    for status, builtin in mapped.items() if is_in_order else reversed(mapped.items()):
        name = names.mapped_error(exception, str(builtin))
        made = classes.setdefault(name, {"name": name, "when": []})
        made["when"].append(status)
        if name != builtin:
            made["also"] = builtin
    listed = entry.get("exceptions")
    if isinstance(listed, list):
        rewriter.replace(entry, "exceptions", [*listed, *classes.values()])
    elif classes:
        rewriter.insert(entry, "exceptions", list(classes.values()), because="map")
    rewriter.remove(entry, "map")


# --- C++ -------------------------------------------------------------------------------------------------------------


def _said(container: Any, key: str, rewriter: Rewriter) -> None:
    """`h.inner` → `self`, in one text or in one for each class."""
    if isinstance(container.get(key), dict):
        for each in container[key]:
            _said(container[key], each, rewriter)
    elif isinstance(container.get(key), str):
        _replace(container, key, _OBJECT, lambda _: "self", rewriter)


def _with_self(text: Any) -> Any:
    return _OBJECT.sub("self", text) if isinstance(text, str) else text


def _replace(container: Any, key: Any, what: re.Pattern[str], by: Any, rewriter: Rewriter) -> None:
    """Write something else for parts of a text, but not in strings of C++."""
    text: str = container[key]
    strings = [each.span() for each in _STRING.finditer(text)]
    pieces: list[Piece] = []
    at = 0
    for found in what.finditer(text):
        new = by(found)
        if new == found[0] or any(start <= found.start() < end for start, end in strings):
            continue
        pieces += [(at, found.start()), new]
        at = found.end()
    if at:
        pieces.append((at, len(text)))
        whole = "".join(each if isinstance(each, str) else text[slice(*each)] for each in pieces)
        rewriter.replace(container, key, whole, pieces)


# --- entries that call C++ -------------------------------------------------------------------------------------------


def raises(at: At) -> None:
    """`raises: parser_status` → `raises: ParserError`, `null` → `nothing`, `result` → no key, a mapping → `status`."""
    called = _calls(at.rewriter)
    if at.value is None:
        at.replace(_NOTHING)
    elif isinstance(at.value, dict):
        _mapping(at, called)
    elif at.value == "result" and "result" not in called and not _has_error(at.spec, "result"):
        at.remove()
    else:
        _rename(at.container, at.key, at.rewriter)


def raised_in_c(at: At) -> None:
    """The same of a callback: `raises: parser_status` → `raises: ParserError`."""
    _rename(at.container, at.key, at.rewriter)


def init(at: At) -> None:
    """`init: {call: f(), raises: parser_status}` → `init: {call: f(), raises: ParserError}`."""
    if isinstance(at.value, dict):
        _rename(at.value, "raises", at.rewriter)


def each(at: At) -> None:
    """`each: {error: {type: parser_status, …}}` → `each: {error: {type: ParserError, …}}`."""
    error = at.value.get("error") if isinstance(at.value, dict) else None
    if isinstance(error, dict):
        _rename(error, "type", at.rewriter)


def _calls(rewriter: Rewriter) -> Mapping[str, str]:
    former = _FORMER.get(rewriter)
    return former.called if former else {}


def _rename(container: dict[str, Any], key: str, rewriter: Rewriter) -> None:
    named = container.get(key)
    new = _calls(rewriter).get(named) if isinstance(named, str) else None
    if new is not None and new != named:
        rewriter.replace(container, key, new)


def _has_error(spec: Mapping[str, Any], name: str) -> bool:
    listed = spec.get("errors")
    return isinstance(listed, list) and any(isinstance(each, dict) and each.get("name") == name for each in listed)


def _mapping(at: At, called: Mapping[str, str]) -> None:
    """`{type: T, from: result.info()}` → `raises: E` and `status: value.info()`."""
    about: dict[str, Any] = at.value
    type_, source = about.get("type"), about.get("from")
    if not isinstance(type_, str) or not about.keys() <= {"type", "from", "each"}:
        return  # the schema says what is wrong
    if "each" in about and about["each"] is not False:
        _replace_result(about, at.rewriter)
        inner = about["from"] if isinstance(about.get("from"), str) else "value"
        at.insert("status", f"wg::each({inner})")
    elif isinstance(source, str):
        _replace_result(about, at.rewriter)
        at.rewriter.move(about, "from", at.container, "status", after=at.key)
    _rename(about, "type", at.rewriter)
    at.replace(about["type"])


def _replace_result(about: dict[str, Any], rewriter: Rewriter) -> None:
    if isinstance(about.get("from"), str):
        _replace(about, "from", _RESULT, lambda _: "value", rewriter)
        _replace(about, "from", _OBJECT, lambda _: "self", rewriter)


def result(at: At) -> None:
    """`result: value == ROW` of an entry without `raises`, whose status was no matter → `raises: nothing` beside it."""
    _said(at.container, at.key, at.rewriter)
    former = _FORMER.get(at.rewriter)
    if former and former.tells_itself and at.value is not None and not _says_status(at):
        at.insert("raises", _NOTHING)


def nothing(at: At) -> None:
    """`def: "f()"` without `raises`, where some value tells itself whether it is one → `raises: nothing` beside it."""
    former = _FORMER.get(at.rewriter)
    if former and former.opens and not _says_status(at) and not _has_result(at.container):
        at.insert("raises", _NOTHING)


def _says_status(at: At) -> bool:
    """Whether an entry says what its status is; a virtual method says what C++ gets."""
    listed, signature = at.spec.get("interfaces"), at.container.get("def")
    is_virtual = bool(at.around) and isinstance(listed, list) and any(at.around[0] is each for each in listed)
    is_virtual = is_virtual or (isinstance(signature, str) and _VIRTUAL.match(signature) is not None)
    return is_virtual or not {"raises", "status", "ok", "none"}.isdisjoint(at.container)


def _has_result(entry: Mapping[str, Any]) -> bool:
    signature = entry.get("def")
    return "return" in entry or (isinstance(signature, str) and ("->" in signature or signature[:1].isupper()))
