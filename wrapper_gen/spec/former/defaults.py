"""Defaults of parameters, as a signature has them: values of YAML, and C++, which calls have now."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from wrapper_gen.spec.former.calls import classes_of
from wrapper_gen.spec.former.rewriter import Part
from wrapper_gen.spec.former.walk import At
from wrapper_gen.spec.offsets import Offsets
from wrapper_gen.spec.todo import OPEN
from wrapper_gen.types.scalars import SCALARS
from wrapper_gen.written_calls import BadCall, WrittenCall, read_cpp

_WORDS = re.compile(r"\s*[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?(?:\s*\|\s*[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)*\s*", re.ASCII)
"""Values of an enum."""
_VALUES = ("true", "True", "false", "False", "null", "None")
"""Words that are none."""
_ESCAPED = re.compile(r'["\\]|[\x00-\x1f\x7f-\xa0\ud800-\udfff\ufffd-\U0010ffff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def literal(container: Any, key: str | int, type_: str, at: At) -> Iterator[Part]:
    """A value of the document, whose type is spelled so."""
    value = container[key]
    if isinstance(value, list):
        yield "[", _place(container, key, at)
        for i in range(len(value)):
            yield from [(", ", Offsets())] * bool(i)
            yield from literal(value, i, type_, at)
        yield "]", []
    elif isinstance(value, dict):
        yield "{", _place(container, key, at)
        for i, each in enumerate(value):
            text = f"{', ' * bool(i)}{_quoted(each)}"
            span = at.rewriter.key_place(value, each)
            yield text, [span] * len(text)
            yield ": ", []
            yield from literal(value, each, type_, at)
        yield "}", []
    else:
        text = _scalar(value, at.rewriter.document.text(container, key) if value is not None else "None", type_, at)
        yield text, _place(container, key, at) * len(text)


def _place(container: Any, key: str | int, at: At) -> Offsets:
    """Where a value stands: each character of it that a signature has stands for all of it."""
    return [at.rewriter.place(container, key)]


def _scalar(value: object, written: str, type_: str, at: At) -> str:
    if value is None or isinstance(value, bool):
        return {None: "None", True: "true", False: "false"}[value]
    if not isinstance(value, str):
        return written
    named = type_.strip().rstrip("? ")
    if "$" in value and named not in ("text", "bytes", "path"):  # what it stands for is read where that is known
        return value
    is_word = _WORDS.fullmatch(value) is not None and value.strip() not in _VALUES
    return value.strip() if is_word and named in _enums(at) else _quoted(value)


def _enums(at: At) -> set[str]:
    listed = at.spec.get("enums")
    return {str(each.get("name")) for each in listed if isinstance(each, dict)} if isinstance(listed, list) else set()


def _quoted(text: str) -> str:
    return '"' + _ESCAPED.sub(lambda found: _SHORT.get(found[0]) or _escape(ord(found[0])), text) + '"'


def _escape(number: int) -> str:
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


# --- C++ --------------------------------------------------------------------------------------------------------------


_NUMBER = re.compile("|".join(map(str, SCALARS)))
_OBJECT = re.compile(r"(?<![\w.>:])h\s*\.\s*inner\b")
_LITERAL = re.compile(r'"(?:\\.|[^"\\])*"')


def of_cpp(at: At) -> None:
    """`def: "f(x: i64)"`, `params: {x: {cpp_default: E}}` → `def: "f(x: i64? = None)"`, `cpp: "f(x ? *x : E)"`."""
    entry, rewriter = (at.around[-1] if at.around else {}), at.rewriter
    params, text, code = entry.get("params"), entry.get("def"), at.value
    name = next((n for n, each in params.items() if each is at.container), "") if isinstance(params, dict) else ""
    if code is None:
        _said(at, params, name)
        return
    place = _type_of(text, name) if isinstance(text, str) else None
    if not isinstance(code, str) or place is None:
        return
    start, end = place
    assert isinstance(text, str)
    given = _given(name, text[start:end].strip(), _OBJECT.sub("self", code.strip()), at)
    call = _call_with(entry.get("cpp"), name, given)
    if "=" in text[end : end + 3]:
        rewriter.error(at.container, at.key, "WG075", f"{name!r} has two defaults", "keep one")
    elif call:
        rewriter.replace(entry, "cpp", call)
    else:
        if entry.get("cpp") is None and entry.get("cpp_body") is None:
            if "cpp" in entry:
                rewriter.remove(entry, "cpp")
            rewriter.insert(entry, "cpp", OPEN, because="def")
        key = "cpp" if entry.get("cpp") is not None else "cpp_body"
        rewriter.undecided(
            entry, key, f"write the call, with {given or f'{name} ? *{name} : {code}'} where C++ takes {name}"
        )
    if "=" not in text[end : end + 3]:
        optional = "" if text[start:end].rstrip().endswith("?") else "?"
        rewriter.replace(
            entry,
            "def",
            f"{text[:end]}{optional} = None{text[end:]}",
            ((0, end), f"{optional} = None", (end, len(text))),
        )
    at.remove()
    _said(at, params, name)


def _said(at: At, params: dict[str, Any] | None, name: str) -> None:
    """Leave no parameter of which nothing is said any more."""
    if at.key in at.container:
        at.remove()
    if isinstance(params, dict) and at.container == {}:
        at.rewriter.remove(params, name)
        if not params and at.around:
            at.rewriter.remove(at.around[-1], "params")


def _type_of(signature: str, name: str) -> tuple[int, int] | None:
    """Where the type of a parameter stands in a signature."""
    found = re.search(rf"[(,]\s*{re.escape(name)}\s*:\s*", signature)
    depth = 0
    for i in range(found.end(), len(signature)) if found else ():
        char = signature[i]
        if depth == 0 and char in ",)=":
            end = i - (len(signature[:i]) - len(signature[:i].rstrip()))
            return found.end(), end  # type: ignore[union-attr]  # there is one, or nothing to go over
        depth += (char in "([{") - (char in ")]}")
    return None


def _given(name: str, type_: str, code: str, at: At) -> str:
    """What a call is given: the argument, or else that C++; empty where its type depends on C++."""
    classes = {str(each.get("name")) for each in classes_of(at)}
    enums = at.spec.get("enums")
    named = {str(each.get("name")) for each in enums if isinstance(each, dict)} if isinstance(enums, list) else set()
    if _NUMBER.fullmatch(type_) or type_ in named:
        return f"{name} ? *{name} : {code}"
    if type_.removesuffix("?") in classes:
        return f"{name} ? {name} : {code}"
    return f"{name} ? {name}->c_str() : {code}" if type_ == "text" and _LITERAL.fullmatch(code) else ""


def _call_with(cpp: object, name: str, given: str) -> str:
    """The call in which this stands for an argument; empty where it is no call that has that."""
    if not isinstance(cpp, str) or not given:
        return ""
    try:
        found = read_cpp(cpp)
    except BadCall:
        return ""
    pieces = [each for each in found.arguments if each.text == name] if isinstance(found, WrittenCall) else []
    if len(pieces) != 1:
        return ""
    return cpp[: pieces[0].start] + given + cpp[pieces[0].end :]
