"""What an entry is, as far as its text tells: its name, its class, its parameters and its result, in any spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wrapper_gen.spec.former.walk import At
from wrapper_gen.written_calls import BadCall, WrittenCall, read_cpp

Mapped = Mapping[str, Any]

_NAME = re.compile(
    r"\s*((?:(?:static|protected|abstract|virtual|optional)\s+)*)(?:([\w$.{}]+)\.)?([\w$]+|\$\{\w+\}\w*)\s*"
)
_PARAMETER = re.compile(r"\s*\*{0,2}(\w+)\s*:")
_NOTHING = re.compile(r"(?:static_cast<\s*void\s*>\s*\([^()]*\)|\(\s*void\s*\)\s*[\w.]+|nothing)?\s*;?\s*\Z")
"""What releases nothing."""
_OPENING, _CLOSING = "([{<", ")]}"


class Spelled(NamedTuple):
    """A signature."""

    handle: str
    """The class that it belongs to; empty for a function."""
    name: str
    parameters: tuple[str, ...]
    result: str
    """Its type; empty where it has none."""
    has_object: bool
    """Whether there is an object that it is called on."""
    is_constructor: bool


def said_by(at: At) -> Spelled:
    """What the entry, or the accessor, of a rule says."""
    entry, around = at.container, at.around
    if around and any(entry is each for each in _properties(around[-1])):
        return Spelled(_text(around[-1].get("name")), "", (), _text(entry.get("type")), True, False)
    if around and (around[-1].get("get") is entry or around[-1].get("set") is entry):
        prop = around[-1]
        is_read = prop.get("get") is entry
        handle = _text(around[0].get("name"))
        return Spelled(handle, "", () if is_read else ("value",), _text(prop.get("type")) * is_read, True, False)
    owner = _text(around[-1].get("name")) if around else ""
    return said(entry, at.spec, owner, is_method=bool(around))


def said(entry: Mapped, spec: Mapped, owner: str, *, is_method: bool) -> Spelled:
    """The signature of an entry.

    Args:
        entry: the entry.
        spec: the whole file.
        owner: the class that it stands in; empty where it stands in none.
        is_method: whether it stands in one.
    """
    words, handle, name, inside, result = _signature(entry)
    handle = owner or handle or _text(entry.get("handle"))
    is_method = is_method or bool(handle) or isinstance(entry.get("handle"), list)
    is_constructor = name == owner if is_method else name in classes(spec)
    is_static = entry.get("static") is True or "static" in words
    has_object = is_method and not is_constructor and not is_static
    return Spelled(handle, name, inside, "" if result in ("None", "void") else result, has_object, is_constructor)


def dotted_owner(entry: Mapped) -> str:
    """The class that a `def` names before a dot."""
    found = _NAME.match(_text(entry.get("def")))
    return (found[2] or "") if found else ""


def start_of_name(signature: str) -> int:
    """Where the name stands in a `def`, behind the words before it."""
    found = _NAME.match(signature)
    return found.start(3) if found else 0


def place_of_name(signature: str) -> tuple[int, int]:
    """Where the name in a `def` starts and ends, which may have variables."""
    found = _NAME.match(signature)
    return found.span(3) if found else (0, 0)


def _properties(entry: Mapped) -> Iterator[object]:
    """What a class has under `fields`, in either spelling."""
    for key in ("fields", "properties"):
        listed = entry.get(key)
        yield from listed.values() if isinstance(listed, dict) else ()


def _signature(entry: Mapped) -> tuple[str, str, str, tuple[str, ...], str]:
    """The words before the name, the class, the name, the parameters and the result."""
    text = entry.get("def")
    if not isinstance(text, str):
        listed = entry.get("params")
        names = [each.get("name") for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        named = _NAME.match(_text(entry.get("name")))
        word, own = (named[1], named[3]) if named else ("", "")
        return word, "", own, tuple(map(_text, names)), _text(entry.get("return"))
    found = _NAME.match(text)
    if found is None:
        return "", "", "", (), ""
    handle, name = found[2] or "", found[3]
    rest = text[found.end() :]
    inside = ""
    if rest.startswith("("):
        end = _end_of(rest)
        inside, rest = rest[1:end], rest[end + 1 :]
    result = rest.partition("->")[2].strip()
    parameters = (_PARAMETER.match(each) for each in _parts(inside))
    return found[1], handle, name, tuple(each[1] for each in parameters if each), result


def _end_of(text: str) -> int:
    """Where the parenthesis ends that a text starts with."""
    depth = 0
    for i, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0:
            return i
    return len(text)


def _parts(text: str) -> Iterator[str]:
    """What commas separate, outside of brackets."""
    depth, start = 0, 0
    for i, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            yield text[start:i]
            start = i + 1
    yield text[start:]


def _text(value: object) -> str:
    if isinstance(value, dict | list):
        return str(value)
    return value.strip() if isinstance(value, str) else ""


# --- classes ----------------------------------------------------------------------------------------------------------


def classes(spec: Mapped) -> dict[str, Mapped]:
    """The entries of all classes, by name; of one that stands again, the first."""
    found: dict[str, Mapped] = {}
    for each in _class_entries(spec):
        if isinstance(name := each.get("name"), str):
            found.setdefault(name, each)
    return found


def _class_entries(spec: Mapped) -> Iterator[Mapped]:
    for section in ("handle_types", "interfaces"):
        yield from _flat(spec.get(section))


def _flat(listed: object) -> Iterator[dict[str, Any]]:
    """The entries of a list, also those that share a `for`."""
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict):
            yield each
            yield from _flat(each.get("entries"))


def methods_of(spec: Mapped, handle: str) -> Iterator[tuple[dict[str, Any], Spelled]]:
    """The methods of a class, wherever they stand."""
    for each in _class_entries(spec):
        if each.get("name") == handle:
            for entry in _flat(each.get("methods")):
                yield entry, said(entry, spec, handle, is_method=True)
    for entry in _flat(spec.get("methods")):
        found = said(entry, spec, "", is_method=False)
        if found.handle == handle or handle in _listed(entry, found.handle):
            yield entry, found


def _listed(entry: Mapped, owner: str) -> Sequence[object]:
    """The classes of a method of several."""
    rows = entry.get("for")
    listed = rows.get(owner.lstrip("${").rstrip("}")) if isinstance(rows, dict) else entry.get("handle")
    return listed if isinstance(listed, list) else ()


def belongs(name: str, spec: Mapped) -> bool:
    """Whether objects of a class belong to others, as it says or a class that it extends."""
    known, seen = classes(spec), set[str]()
    while name in known and name not in seen:
        seen.add(name)
        if known[name].get("lent_by") is not None or known[name].get("belongs_to") is not None:
            return True
        name = _text(known[name].get("extends"))
    return False


def is_released(name: str, spec: Mapped) -> bool:
    """Whether releasing an object of a class does something that the class says."""
    entry = classes(spec).get(name, {})
    found = next((entry[key] for key in ("cpp_drop", "release") if isinstance(entry.get(key), str)), "")
    return not _NOTHING.match(found.strip())


def parameters_of(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The names of parameters, and their types as they are spelled."""
    listed = entry.get("params")
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and isinstance(each.get("name"), str):
            yield each["name"], each["type"] if isinstance(each.get("type"), str) else "["
    text = entry.get("def")
    if not isinstance(text, str) or "(" not in text:
        return
    start = text.index("(")
    for end in (i for i, char in enumerate(text) if char == ")" and i > start):
        try:
            found = read_cpp(f"f{text[start : end + 1]}")
        except BadCall:
            continue
        for piece in found.arguments if isinstance(found, WrittenCall) else ():
            name, colon, rest = piece.text.partition(":")
            if name.strip().startswith("**") and not colon:  # of a struct its fields, by keyword
                yield "options", name.strip("* ")
            elif colon:
                yield name.strip().lstrip("*"), rest.partition("=")[0].strip()
        return
