"""Integers that are positions, keys and offsets into texts: what entries said of them is their type now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wrapper_gen.expressions import mentions
from wrapper_gen.spec.former.calls import takes_members
from wrapper_gen.spec.former.changed import start_of_result
from wrapper_gen.spec.former.entries import Spelled, classes, methods_of, said_by
from wrapper_gen.spec.former.rewriter import Piece, Rewriter
from wrapper_gen.spec.former.walk import At
from wrapper_gen.spec.todo import OPEN
from wrapper_gen.types.scalars import INTEGERS
from wrapper_gen.written_calls import BadCall, WrittenExpression, read_cpp

_KEYS = ("__getitem__", "__setitem__", "__delitem__")
_INTEGER = re.compile(rf"\s*(?:{INTEGERS})\s*(\?)?\s*\Z")
_INTEGERS = re.compile(rf"(?<![\w.:])(?:{INTEGERS})\b(?!\s*:)")
_WIDE = re.compile(r"(?<![\w.:])(?:u64|usize)\b(?!\s*:)")
_NARROW = re.compile(r"\s*[iu](?:8|16)\b")
_MEMBER = re.compile(r"[A-Za-z_]\w*\s*(?:\(\s*\))?")
_OBJECT = re.compile(r"(?<![\w.>:])h\s*\.\s*inner\b")
_OPERATOR = re.compile(r"operator\s*(?:\[\]|\(\))\s*\Z")
_POINTER = re.compile(r"(?:\*|\b(?:shared|unique)_ptr\s*<.*>)\s*\Z", re.DOTALL)
_COUNTED = re.compile(r"\s*(?:position\b|key\b|slice\b|index\b)")
_PARAMETER = re.compile(r"\s*\*{0,2}(\w+)\s*:\s*")
_IN_CPP = "position[...]"
_NO_INTEGER = (
    "only integers are positions that C++ checks: what is not there is a KeyError where another key does not fit; "
    "drop it, or let C++ throw an error that `errors` declares as IndexError"
)
_CHECKED = "write position[…], or key, which are an i64; and let the code check that this fits"
_NPOS = "say position[…] of the text, an i64: a number beyond that, as npos is, would be an OverflowError; or return T?"


def said(at: At) -> None:
    """`params: {i: {position: rows()}, at: {byte_offset: text}}` → `i: position[self.rows()], at: position[text]`."""
    entry, rewriter = at.container, at.rewriter
    about = dict(_described(at.value))
    if not any(isinstance(each, dict) and ("position" in each or "byte_offset" in each) for each in about.values()):
        return  # then a rule for the name looks at keys
    spelled = said_by(at)
    types = {name: text for name, text, _ in types_in(entry)}
    new: dict[str, str] = {}
    for name, each in about.items():
        text = types.get(name)
        if text is None or not isinstance(each, dict):
            continue
        offset, position = each.get("byte_offset"), each.get("position")
        if OPEN in (offset, position):
            continue
        found = _INTEGER.match(text)
        if isinstance(offset, str) and offset.strip():
            if found and _NARROW.match(text) and entry.get("cpp_body"):
                rewriter.undecided(each, "byte_offset", _CHECKED)
            elif found:
                new[name] = f"position[{offset.strip()}]{found[1] or ''}"
        elif position == "cpp" and not found:
            if _has_index_error(at, text):
                rewriter.remove(each, "position")
            elif not _COUNTED.match(text):
                rewriter.undecided(each, "position", _NO_INTEGER)
        elif position in ("cpp", False) and found and _loses_check(entry, text):
            rewriter.undecided(each, "position", _CHECKED)
        elif isinstance(position, str) and found and not found[1]:
            if (type_ := _counted(position, at)) is None:
                rewriter.undecided(each, "position", "write it over `self`, the object, and say it as position[…]")
            elif position != "cpp" or spelled.name in _KEYS:
                new[name] = type_
        elif position is False and found:
            new[name] = "key" if len(_keys(spelled)) == 1 else _IN_CPP
    write_types(rewriter, entry, new)
    _count_keys(at)


def unsaid(at: At) -> None:
    """`__getitem__(i: i64)` → `__getitem__(i: position)`, where that was checked."""
    if not any(isinstance(about, dict) and "position" in about for _, about in _described(at.container.get("params"))):
        _count_keys(at)


def _count_keys(at: At) -> None:
    """Say of integer keys what earlier versions took them for; those that were an error stay as they are."""
    entry = at.container
    if not any(key in str(entry.get("def")) for key in _KEYS):
        return
    spelled = said_by(at)
    keys, types = _keys(spelled), {name: text for name, text, _ in types_in(entry)}
    left = [key for key in keys if _INTEGER.match(types.get(key, ""))]
    described = (about for name, about in _described(entry.get("params")) if name in left and isinstance(about, dict))
    if not left or any(about.get("position") == OPEN for about in described):
        return
    if any(not _COUNTED.match(types.get(key, "")) for key in keys if key not in left):
        return
    code = next((entry[key] for key in ("cpp", "cpp_fn", "cpp_method", "cpp_body") if entry.get(key)), "")
    is_own = (bool(code) and not _OPERATOR.search(str(code).strip())) or not takes_members(at)
    if any(_loses_check(entry, types[key]) for key in left) and not (len(keys) == 1 and _length(at, spelled)):
        return
    if len(keys) > 1:
        if is_own or (keys[0] not in left and types[keys[0]].strip() in (_IN_CPP, "key")):
            write_types(at.rewriter, entry, dict.fromkeys(left, _IN_CPP))
        return
    length = _length(at, spelled)
    if length:  # then it was an i64 already
        write_types(at.rewriter, entry, {left[0]: "position"})
    elif length is False and (is_own or (not code and spelled.name != "__setitem__")):
        write_types(at.rewriter, entry, {left[0]: _IN_CPP})


def result(at: At) -> None:
    """`find(text: text) -> i64`, `byte_offset: text` → `find(text: text) -> position[text]`."""
    entry, rewriter, of = at.container, at.rewriter, at.value
    text = entry.get("def")
    if of is None:
        at.remove()
        return
    if not isinstance(of, str) or not isinstance(text, str) or of == OPEN:
        return
    start = start_of_result(text)
    if start < 0 or not _INTEGERS.search(text, start):
        rewriter.error(
            entry, at.key, "WG157", f"the result has no integers that could be offsets into {of!r}", "drop it"
        )
        at.remove()
        return
    if _WIDE.search(text, start):
        at.undecided(_NPOS)
        return
    pieces: list[Piece] = []
    last = 0
    for found in _INTEGERS.finditer(text, start):
        pieces += [(last, found.start()), f"position[{of.strip()}]"]
        last = found.end()
    _put(rewriter, entry, text, [*pieces, (last, len(text))])
    at.remove()


def told(at: At) -> None:
    """Leave nothing beside a signature of what it says now; entries may have shared that."""
    for entry in _entries(at.spec):
        params = entry.get("params")
        types = {name: text for name, text, _ in types_in(entry)}
        for name, about in list(_described(params)):
            for key in [each for each in ("position", "byte_offset") if isinstance(about, dict) and each in about]:
                value = about[key]
                if value is None or value is True or (value != OPEN and _COUNTED.match(types.get(name, ""))):
                    at.rewriter.remove(about, key)
            if isinstance(params, dict) and about == {}:
                at.rewriter.remove(params, name)
        if params == {}:
            at.rewriter.remove(entry, "params")


# --- what entries say -------------------------------------------------------------------------------------------------


def _entries(value: Any) -> Iterator[dict[str, Any]]:
    """All mappings that have parameters."""
    if isinstance(value, dict):
        if isinstance(value.get("params"), dict) and "def" in value:
            yield value
        value = list(value.values())
    for each in value if isinstance(value, list) else ():
        yield from _entries(each)


def _described(params: object) -> Iterator[tuple[str, Any]]:
    """What is said of each parameter."""
    if isinstance(params, dict):
        yield from params.items()


def types_in(entry: Mapping[str, Any]) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """The name and the type of each parameter, and where in the signature that stands."""
    text = entry.get("def")
    if not isinstance(text, str):
        return
    start = text.find("(") + 1
    end, depth, first = start, 0, start
    for end in range(start, len(text) if start else 0):
        char = text[end]
        if depth == 0 and char in ",)":
            if (found := _PARAMETER.match(text, first, end)) is not None:
                type_ = _before_default(text[found.end() : end])
                yield found[1], type_, (found.end(), found.end() + len(type_.rstrip()))
            first = end + 1
        depth += (char in "([{") - (char in ")]}")
        if depth < 0:
            return


def _before_default(text: str) -> str:
    """A type without the default behind it."""
    depth = 0
    for i, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "=" and depth == 0:
            return text[:i]
    return text


def _keys(spelled: Spelled) -> tuple[str, ...]:
    if spelled.name not in _KEYS or not spelled.has_object:
        return ()
    return spelled.parameters[:-1] if spelled.name == "__setitem__" else spelled.parameters


def _has_index_error(at: At, type_: str) -> bool:
    """Whether nothing has to be said of a key: it is an object, and the library's own errors are an IndexError."""
    listed = at.spec.get("errors")
    names = [each.get("name") for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return type_.strip() in classes(at.spec) and "IndexError" in names


def _loses_check(entry: Mapping[str, Any], type_: str) -> bool:
    """Whether code of the spec has relied on what a smaller type than i64 refuses; a call is checked anyway."""
    cpp = entry.get("cpp")
    return type_.strip() != "i64" and (bool(entry.get("cpp_body")) or (isinstance(cpp, str) and _computes(cpp)))


def _computes(cpp: str) -> bool:
    try:
        return isinstance(read_cpp(cpp), WrittenExpression)
    except BadCall:
        return True


def _length(at: At, spelled: Spelled) -> bool | None:
    """Whether the object has `__len__`; None where nobody can tell from the names."""
    if at.around and any(at.around[0] is each for each in _records(at.spec)):
        return _has_length(_named_methods(at.around[0]))
    known, name, seen = classes(at.spec), spelled.handle, set[str]()
    found: list[str] = []
    while name in known and name not in seen:
        seen.add(name)
        found += [each.name for _, each in methods_of(at.spec, name)]
        base = known[name].get("extends")
        name = base if isinstance(base, str) else ""
    return _has_length(found)


def _has_length(names: list[str]) -> bool | None:
    return True if "__len__" in names else None if any("$" in each for each in names) else False


def _records(spec: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    listed = spec.get("structs")
    yield from (each for each in listed if isinstance(each, dict)) if isinstance(listed, list) else ()


def _named_methods(record: Mapping[str, Any]) -> list[str]:
    listed = record.get("methods")
    texts = [str(each.get("def", "")) for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return [text.partition("(")[0].strip() for text in texts]


# --- what the present language says ----------------------------------------------------------------------------------


def _counted(position: str, at: At) -> str | None:
    """The type of a position in what C++ says; None where a person has to write that."""
    text = position.strip()
    if text == "cpp":
        return _IN_CPP
    own = classes(at.spec).get(said_by(at).handle, {})
    if _MEMBER.fullmatch(text) and not text.isdecimal():
        spelling = own.get("cpp_type")
        arrow = "->" if isinstance(spelling, str) and _POINTER.search(spelling) else "."
        return f"position[self{arrow}{text}]"
    text = _OBJECT.sub("self", text)
    return None if mentions(text, "h") or "\n" in text else f"position[{text}]"


def write_types(rewriter: Rewriter, entry: dict[str, Any], new: Mapping[str, str]) -> None:
    """Give parameters other types."""
    if not new:
        return
    text = entry["def"]
    pieces: list[Piece] = []
    last = 0
    for name, _, (start, end) in types_in(entry):
        if name in new:
            pieces += [(last, start), new[name]]
            last = end
    _put(rewriter, entry, text, [*pieces, (last, len(text))])


def _put(rewriter: Rewriter, entry: dict[str, Any], text: str, pieces: list[Piece]) -> None:
    new = "".join(each if isinstance(each, str) else text[slice(*each)] for each in pieces)
    rewriter.replace(entry, "def", new, pieces)
