"""What entries and structs say of their callables, which parameters and fields said of themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wrapper_gen.expressions import is_function_name
from wrapper_gen.spec.former.calls import class_of, defined_name
from wrapper_gen.spec.former.declared import called_with
from wrapper_gen.spec.former.iteration import declare_type, pascal
from wrapper_gen.spec.former.positions import types_in, write_types
from wrapper_gen.spec.former.walk import At

_KEYS = {"scope": "scope", "called_on": "thread", "on_exception": "on_exception", "user_data": "user_data"}
"""The present name of each."""
_CALLABLE = re.compile(r"\bfn\s*\(")
_WHOLE = re.compile(r"fn\s*\(((?:[^()]|\([^()]*\))*)\)(\s*->\s*[^()]*(?:\([^()]*\)\??)?)?")
_NAMED = re.compile(r"[A-Za-z_]\w*\s*:(?!:)")
_BRINGING = re.compile(r"bytes|\[|&")
"""Types whose values C has with their lengths, by how they begin."""
_LETTERS = "abcdefgh"
_WHICH = (
    "say it in an entry of `types`, which lists C's arguments: "
    '{{name: Visit, type: "fn(count: i64)", cpp: "({}, …)"}}, and name that as the type'
)


def of_parameters(at: At) -> None:
    """`params: {visit: {scope: call}}` → `scope: call`; of one callable of several, `scope: {visit: call}`."""
    entry, rewriter = at.container, at.rewriter
    listed = list(_parameters(at.value))
    if not any(key in about for _, about in listed for key in _KEYS):
        return
    for key in ("scope", "called_on", "on_exception"):
        said = [(name, about) for name, about in listed if _is_said(about, key)]
        if key == "called_on":
            _threads(at, said)
        elif said and key not in entry:
            _say(at, key, said, is_all=len(said) == 1 and _callables(at) == 1)
    for name, about in listed:
        if about.get("user_data") in ("first", "last") and not _list_arguments(at, name, about):
            order = "user_data, count" if about["user_data"] == "first" else "count, user_data"
            rewriter.undecided(about, "user_data", _WHICH.format(order))
        if isinstance(at.value, dict) and not about:
            rewriter.remove(at.value, name)
    if isinstance(at.value, dict) and not at.value:
        at.remove()


def _list_arguments(at: At, name: str, about: dict[str, Any]) -> bool:
    """`f: fn(i64)`, `user_data: first` → a type with `cpp: "(user_data, a)"`; False where the lengths are not known."""
    entry = at.container
    found = _WHOLE.fullmatch({each: text for each, text, _ in types_in(entry)}.get(name, "").strip())
    if found is None or "$" in found[0]:
        return False
    parts = [each.strip() for each in _divided(found[1])]
    named = [each if _NAMED.match(each) else f"{letter}: {each}" for each, letter in zip(parts, _LETTERS, strict=False)]
    if len(named) < len(parts) or any(each.startswith("*") for each in parts):
        return False
    given = [each.partition(":")[0] for each in named]
    if len({*given, "user_data", "out", "capacity", "error"}) < len(given) + 4:
        return False
    bringing = [n for n, each in zip(given, named, strict=True) if _BRINGING.match(each.partition(":")[2].strip())]
    brought = _are_brought(at, name, len(given) + 1, len(bringing))
    if brought is None:
        return False
    arguments = ", ".join(f"{each}, {each}.size()" if brought and each in bringing else each for each in given)
    order = ["user_data", arguments] if about["user_data"] == "first" else [arguments, "user_data"]
    made = {"type": f"fn({', '.join(named)}){found[2] or ''}", "cpp": f"({', '.join(each for each in order if each)})"}
    declared_name = declare_type(at, pascal(f"{defined_name(entry)}_{name}"), made)
    write_types(at.rewriter, entry, {name: declared_name})
    at.rewriter.remove(about, "user_data")
    return True


def _are_brought(at: At, name: str, arguments: int, lengths: int) -> bool | None:
    """Whether C passes the lengths of arguments to a callable; None where no declaration tells."""
    if lengths == 0 or at.library.get("lang") == "c":
        return lengths > 0
    code = next((at.container[key] for key in ("cpp", "cpp_fn", "cpp_method") if at.container.get(key)), "")
    callee = str(code) or defined_name(at.container)
    counts = called_with(at, callee.strip()) if is_function_name(callee.strip()) else frozenset()
    without, with_ = (any(each.takes(n) for each in counts) for n in (arguments, arguments + lengths))
    return None if without == with_ else with_


def _divided(text: str) -> Iterator[str]:
    """What commas divide, outside of brackets."""
    depth = start = 0
    for i, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            yield text[start:i]
            start = i + 1
    if text.strip():
        yield text[start:]


def of_fields(at: At) -> None:
    """`fields: {read: {type: fn(), scope: call}}` of a struct → `scope: call` beside `fields`, or by field."""
    struct, fields = at.container, at.value
    if not isinstance(fields, dict):
        return
    detailed = [(name, each) for name, each in fields.items() if isinstance(each, dict) and "type" in each]
    callables = [name for name, each in fields.items() if _CALLABLE.search(str(each))]
    for key, present in _KEYS.items():
        said = [(name, about) for name, about in detailed if _is_said(about, key) and name in callables]
        if not said or isinstance(struct.get(present), dict):
            continue
        own = {name: about[key] for name, about in said}
        common = struct.get(present)
        values = {name: own.get(name, common) for name in callables if name in own or common is not None}
        is_all = len(values) == len(callables) and all(each == values[callables[0]] for each in values.values())
        for _, about in said:
            at.rewriter.remove(about, key)
        made = values[callables[0]] if is_all else values
        if common is None:
            at.insert(present, made, after=at.key)
        elif made != common:
            at.rewriter.replace(struct, present, made)
    for name, about in detailed:
        if name in callables and list(about) == ["type"] and isinstance(about["type"], str):
            at.rewriter.replace(fields, name, about["type"])


def _is_said(about: Mapping[str, Any], key: str) -> bool:
    return about.get(key) is not None and not isinstance(about[key], dict | list)


def _say(at: At, key: str, said: Sequence[tuple[str, dict[str, Any]]], *, is_all: bool) -> None:
    """Of the entry, in place of its parameters."""
    entry, rewriter = at.container, at.rewriter
    if is_all:
        rewriter.move(said[0][1], key, entry, key, after=at.key)
        return
    rewriter.insert(entry, key, {name: about[key] for name, about in said}, because=at.key)
    for _, about in said:
        rewriter.remove(about, key)


def _threads(at: At, said: Sequence[tuple[str, dict[str, Any]]]) -> None:
    """`called_on: any` of `done` → `thread: {done: any}`; of the call itself, `self`."""
    entry, rewriter = at.container, at.rewriter
    common = entry.get("thread")
    if not said or isinstance(common, dict):
        return
    values = {name: about["called_on"] for name, about in said}
    if not _has_threads(at.spec):  # else it may take back what the callable's type says
        values = {name: each for name, each in values.items() if each != "caller"}
    for _, about in said:
        rewriter.remove(about, "called_on")
    if not values:
        return
    if common is None:
        rewriter.insert(entry, "thread", values, because=at.key)
    else:
        rewriter.replace(entry, "thread", ({"self": common} if class_of(at) else {}) | values)


def callable_names(spec: Mapping[str, Any]) -> set[str]:
    """The names of callables that a spec declares."""
    types = (each for each in _entries(spec.get("types")) if _CALLABLE.match(str(each.get("type"))))
    return {str(each.get("name")) for each in (*_entries(spec.get("callbacks")), *types)}


def _has_threads(spec: Mapping[str, Any]) -> bool:
    """Whether a callable with a name is called by any thread."""
    listed = [each for key in ("callbacks", "types") for each in _entries(spec.get(key))]
    return any("any" in (each.get("called_on"), each.get("thread")) for each in listed)


def _parameters(listed: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is said of each parameter, in either form."""
    if isinstance(listed, dict):
        yield from ((name, each) for name, each in listed.items() if isinstance(each, dict))
    elif isinstance(listed, list):
        yield from (
            (each["name"], each) for each in listed if isinstance(each, dict) and isinstance(each.get("name"), str)
        )


def _callables(at: At) -> int:
    """How many callables the entry takes, at most."""
    named = callable_names(at.spec)
    listed = at.value if isinstance(at.value, list) else []
    types = [each.get("type") for each in listed if isinstance(each, dict)]
    text = " ".join(str(each) for each in (at.container.get("def"), *types))
    return text.count("fn(") + sum(each in named for each in re.findall(r"\w+", text))


def _entries(listed: object) -> Iterator[dict[str, Any]]:
    """The entries of a section, and those that a `for` repeats."""
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict):
            yield from _entries(each["entries"]) if isinstance(each.get("entries"), list) else (each,)
