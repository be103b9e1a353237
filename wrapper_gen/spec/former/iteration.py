"""Cursors and linked lists, which entries and classes described themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wrapper_gen.expressions import mentions
from wrapper_gen.spec.former.callbacks import spelled
from wrapper_gen.spec.former.entries import said_by
from wrapper_gen.spec.former.walk import At

_RESULT = re.compile(r"(.*->)?\s*(iter\s*\[.*\])\s*", re.DOTALL)
_INNER = re.compile(r"(?<![\w.>:])h\s*\.\s*inner\b")
_KEYS = {"item", "next", "valid", "first", "error", "free", "type"}
_SECTIONS = ("types", "callbacks", "enums", "structs", "handle_types", "interfaces", "errors")


def of_entry(at: At) -> None:
    """`{def: "rows() -> iter[text]", each: {item: key(), next: Next(), valid: Valid()}}` → `-> Rows`, of `types`."""
    entry, said = at.container, at.value
    key = "def" if "def" in entry else "return"
    text = entry[key] if isinstance(entry.get(key), str) else ""
    found = _RESULT.fullmatch(text)
    if found is None or not _is_whole(said):
        return
    if "$" in found[2] or "$" in str(said):
        at.undecided(
            "what a row of `for` replaces in it, an entry of `types` says with a `for` of its own: next, valid, data"
        )
        return
    signature = said_by(at)
    wanted = re.sub(r"\W", "", f"{pascal(signature.handle)}{pascal(signature.name.strip('_'))}")
    name = declare_type(at, wanted, _entry(at.value, found[2]))
    start, end = found.span(2)
    at.rewriter.replace(entry, key, text[:start] + name + text[end:], ((0, start), name, (end, len(text))))
    at.remove()


def of_class(at: At) -> None:
    """`each: {type: text, item: value(), next: next()}` of a class → `{def: "__iter__() -> Rows", cpp: self}`."""
    owner, said = at.container, at.value
    if not _is_whole(said) or said.get("type") is None or not isinstance(owner.get("name"), str):
        return
    methods = owner.get("methods")
    listed = methods if isinstance(methods, list) else []
    if not isinstance(methods, list | None) or any(
        "__iter__" in str(each) for each in listed if isinstance(each, dict)
    ):
        return
    name = declare_type(at, f"{owner['name']}Items", _entry(said, f"iter[{spelled(said['type'])}]"))
    made = {"def": f"__iter__() -> {name}", "cpp": "self"}
    if isinstance(methods, list):
        at.rewriter.add(methods, made, at.container, at.key)
    else:
        if "methods" in owner:
            at.rewriter.remove(owner, "methods")
        at.insert("methods", [made])
    at.remove()


def _is_whole(said: object) -> bool:
    """Whether it has the shape that is read; else the schema tells."""
    return isinstance(said, dict) and "next" in said and said.keys() <= _KEYS


def declare_type(at: At, wanted: str, made: Mapping[str, object]) -> str:
    """The name of an entry of `types` that says it, which is written where it is not there yet."""
    spec, rewriter = at.spec, at.rewriter
    for each in _entries(spec.get("types")):
        if {key: value for key, value in each.items() if key != "name"} == made:
            return str(each["name"])
    taken = {str(each.get("name")) for section in _SECTIONS for each in _entries(spec.get(section))}
    name = wanted
    while name in taken:
        name += "_"
    if not isinstance(spec.get("types"), list):
        if "types" in spec:
            rewriter.remove(spec, "types")
        rewriter.insert(spec, "types", [], because=at.section, after=_before(spec))
    rewriter.add(spec["types"], {"name": name, **made}, at.container, at.key)
    return name


def _before(spec: Mapping[str, Any]) -> str:
    """The section that `types` follow."""
    before = [key for key in spec if key in ("wrapper_lib", "cpp_prelude", "errors", "enums")]
    return before[-1] if before else next(iter(spec))


def _entry(said: Mapping[str, Any], type_: str) -> dict[str, object]:
    """What an entry of `types` says of it, without its name."""
    made: dict[str, object] = {"type": type_}
    item = said.get("item")
    if item is not None:
        made["data"] = list(item) if isinstance(item, list) else item
    made["next"] = said["next"] if said.get("first") is None else [said["first"], said["next"]]
    if said.get("valid") is not None:
        made["valid"] = said["valid"]
    error = said.get("error")
    if isinstance(error, dict):
        made |= {"status": _of_object(error.get("from")), "raises": error.get("type")}
    elif error is not None:
        made["status"] = _of_object(error)
    if said.get("free") is not None:
        made["release"] = said["free"]
    return made


def _of_object(status: object) -> object:
    """C++ over `self` in place of `h.inner`."""
    if not isinstance(status, str):
        return status
    new = _INNER.sub("self", status)
    return status if mentions(new, "h") else new


def _entries(listed: object) -> Iterator[Mapping[str, Any]]:
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict):
            yield from _entries(each["entries"]) if isinstance(each.get("entries"), list) else (each,)


def pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
