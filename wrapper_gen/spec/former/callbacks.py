"""Callables with a name, which had a section of their own: `callbacks`; and C++'s arguments of virtual methods."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from wrapper_gen.expressions import mentions
from wrapper_gen.spec.former.calls import is_virtual
from wrapper_gen.spec.former.walk import At
from wrapper_gen.spec.todo import OPEN

_WORDS = frozenset({"user_data", "out", "capacity", "error", "_"})
"""What the list calls what no parameter is."""
_SPEAKING = ("result", "on_exception", "user_data")


class _Unsayable(Exception):
    """Why a person has to write it."""


def listed(at: At) -> None:
    """`params: [out, {name: size, type: usize}, {role: user_data}], return: T` → `type: "fn(size: usize) -> T"`.

    And `cpp: "(out, size, user_data)"`; what else is said of it gets the keys of `types`.
    """
    entry = at.container
    if "type" in entry or not _is_whole(entry):
        return
    try:
        made = _Listed(entry).keys()
    except _Unsayable as reason:
        at.insert("type", OPEN)
        at.rewriter.undecided(entry, "type", str(reason))
        made = None
    because = "params" if "params" in entry else at.key
    after = "doc" if "doc" in entry else at.key
    for key, value in made.items() if made else ():
        if key in entry:
            at.rewriter.replace(entry, key, value)
        else:
            at.rewriter.insert(entry, key, value, because=because if because in entry else at.key, after=after)
            after = key
    for key in ("params", "return", "out", "called_on"):
        if key in entry:
            at.rewriter.remove(entry, key)
    if made is not None and entry.get("user_data") in ("first", "last"):
        at.rewriter.remove(entry, "user_data")


def of_virtual(at: At) -> None:
    """`{def: "virtual put(data: bytes)", cpp_params: [data, to]}` → `cpp: "(data, to)"`, behind the name in C++."""
    entry = at.container
    if not is_virtual(at) or not isinstance(at.value, list):
        return
    given = [_of_virtual(each) for each in at.value]
    key = next((each for each in ("cpp", "cpp_method") if isinstance(entry.get(each), str)), "")
    if "" in given or (key and not re.fullmatch(r"\s*\.?\w+\s*", entry[key])):
        return
    listed = f"({', '.join(given)})"
    if key:
        was = entry[key].strip()
        at.rewriter.replace(entry, key, was + listed, ((0, len(was)), listed))
        if key != "cpp":
            at.rewriter.rename(entry, key, "cpp")
    else:
        at.insert("cpp", listed)
    at.remove()


def _of_virtual(item: object) -> str:
    if isinstance(item, dict):
        is_length = item.get("role") == "length" and isinstance(item.get("of"), str) and len(item) == 2
        return f"{item['of']}.size()" if is_length else ""
    return "&out" if item == "out" else item if isinstance(item, str) else ""


def section(at: At) -> None:
    """`callbacks: […]` → entries of `types`."""
    spec = at.spec
    if at.value is None:
        at.remove()
    elif spec.get("types") is None:
        if "types" in spec:
            at.rewriter.remove(spec, "types")
        at.rename("types")
    elif isinstance(at.value, list) and isinstance(spec["types"], list):
        at.rewriter.append(at.container, at.key, spec["types"])


def _is_whole(entry: Mapping[str, Any]) -> bool:
    """Whether it has the shape of a former one, all of which is read; else the schema tells."""
    params, out = entry.get("params"), entry.get("out")
    if not isinstance(entry.get("name"), str) or not isinstance(params, list | None):
        return False
    return isinstance(out, dict | None) and entry.get("called_on") in (None, "any", "caller")


class _Listed:
    """Reads one entry."""

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self._entry = entry
        self._params = entry.get("params") or []
        self._out: Mapping[str, Any] = entry.get("out") or {}
        self._fills = isinstance(entry.get("out"), dict)
        self._is_pointed = self._out.get("length") in ("capacity", self._out.get("capacity")) and "length" in self._out
        outs = [i for i, each in enumerate(self._params) if each == "out"]
        self._room = outs[-1] if outs and self._fills else -1
        self._lengths: dict[str, str] = {}
        self._seen: list[str] = []
        self._copied: tuple[str, str] | None = None
        self._is_spread = False

    def keys(self) -> dict[str, object]:
        """The keys of the entry in `types`.

        Raises:
            _Unsayable: they would not say the same.
        """
        given = [self._argument(i, each) for i, each in enumerate(self._params)]
        if clash := next((each for each in self._seen if given.count(each) + given.count(f"&{each}") > 1), ""):
            raise _Unsayable(f"`{clash}` in the list of C's arguments would be the parameter of that name")
        said = self._entry.get("user_data")
        if said in ("first", "last"):
            given = ["user_data", *given] if said == "first" else [*given, "user_data"]
        found: dict[str, object] = {"type": self._type()}
        if given != self._seen:
            found["cpp"] = f"({', '.join(given)})"
        if isinstance(self._out.get("capacity"), str):
            found["capacity"] = self._out["capacity"]
        if self._lengths:
            found["length"] = self._lengths
        found |= self._result(given)
        if self._copied:
            found["on_exception"] = self._on_exception(*self._copied)
        if self._entry.get("called_on") == "any":
            found["thread"] = "any"
        return found

    # --- arguments ---

    def _argument(self, i: int, item: object) -> str:
        if item == "out":
            return "out" if i == self._room else "&out"
        if not isinstance(item, dict):
            raise _Unsayable(f"{item!r} says nothing of an argument of C")
        role, name = item.get("role"), item.get("name")
        if role is None:
            return self._python(item, name)
        match role:
            case "user_data":
                return "user_data"
            case "context":
                return self._context(name)
            case "capacity":
                return "&capacity" if self._is_pointed else "capacity"
            case "length":
                return self._length(item, name)
            case "error":
                return self._error(item, name)
        raise _Unsayable(f"{role!r} is nothing that C calls with")

    def _context(self, name: object) -> str:
        """A name that expressions speak of."""
        if not isinstance(name, str) or not any(mentions(self._text(key), name) for key in _SPEAKING):
            return "_"
        if name in _WORDS:
            raise _Unsayable(f"`{name}` in the list of C's arguments means something else")
        return name

    def _python(self, item: Mapping[str, Any], name: object) -> str:
        if not isinstance(name, str) or "type" not in item:
            raise _Unsayable("an argument has no name, or no type")
        self._seen.append(name)
        return f"&{name}" if self._is_pointed and self._out.get("capacity") == name else name

    def _length(self, item: Mapping[str, Any], name: object) -> str:
        of = item.get("of", name)
        listed = [of] if isinstance(of, str) else of
        if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            raise _Unsayable("a length is that of a parameter")
        spoken = isinstance(name, str) and "of" in item and any(mentions(self._text(key), name) for key in _SPEAKING)
        if len(listed) == 1 and not spoken:
            return f"{listed[0]}.size()"
        called = name if isinstance(name, str) and "of" in item else self._free("count")
        self._lengths |= dict.fromkeys(listed, called)
        return called

    def _free(self, wanted: str) -> str:
        """A name that nothing has."""
        said = (each.get("name") for each in self._params if isinstance(each, dict))
        taken = {each for each in said if isinstance(each, str)} | set(self._lengths.values())
        while wanted in taken:
            wanted += "_"
        return wanted

    def _error(self, item: Mapping[str, Any], name: object) -> str:
        copy = item.get("copy")
        if not isinstance(copy, str):
            return "&error"
        called = name if isinstance(name, str) and name != "error" else self._free("message")
        self._copied = called, re.sub(r"(?<![\w.>:])value\b", "error", copy)
        return called

    # --- the rest ---

    def _text(self, key: str) -> str:
        return str(self._entry.get(key) or "")

    def _type(self) -> str:
        items = [each for each in self._params if isinstance(each, dict) and "role" not in each]
        listed = []
        for each in items:
            type_ = spelled(each["type"])
            if each.get("spread"):
                if not (type_.startswith("[") and type_.endswith("]")):
                    raise _Unsayable(f"{type_} is no list, whose elements could be arguments")
                listed.append(f"*{each['name']}: {type_[1:-1]}")
            else:
                listed.append(f"{each['name']}: {type_}")
        returns = spelled(self._entry.get("return"))
        return f"fn({', '.join(listed)})" + f" -> {returns}" * (returns not in ("", "void"))

    def _result(self, given: list[str]) -> dict[str, object]:
        """How C learns how much is filled, where it gets that."""
        if not self._fills:
            return {}
        length, outs = self._out.get("length"), given.count("&out")
        returns = spelled(self._entry.get("return"))
        item = _items(returns)[outs : outs + 1]
        is_text = item == ["text"]
        if length == "result":
            value = f"std::get<{outs}>(value)" if len(_items(returns)) > 1 else "value"
            if self._entry.get("result") is None:
                return {"result": f"{value}.size()"}
            if not re.search(r"(\.|->)\s*(size|length)\s*\(", self._text("result")):
                raise _Unsayable("`result` has to say how much is filled: an expression over value.size()")
        elif length == "nul" and not is_text:
            raise _Unsayable("a NUL ends text alone: return text, or bytes with the NUL")
        elif length is None and is_text:
            raise _Unsayable("text in a buffer ends with a NUL: return bytes, which fill all of it")
        elif length not in (None, "nul") and not self._is_pointed:
            raise _Unsayable(f"{length!r} does not say how much is filled")
        return {}

    def _on_exception(self, name: str, copy: str) -> str:
        if self._entry.get("raises") is not None:
            raise _Unsayable(f"a status is no text: say in on_exception what C gets, with *{name} = {copy}")
        told = f"{name} ? static_cast<void>(*{name} = {copy}) : void()"
        said = self._entry.get("on_exception")
        return told if said is None else f"({told}, {self._text('on_exception')})"


def spelled(type_: object) -> str:
    """A type as text: without quotes, `[i64]` is a list to YAML and `{text: i64}` a map."""
    if isinstance(type_, list):
        return f"[{', '.join(map(spelled, type_))}]"
    if isinstance(type_, dict):
        return f"{{{', '.join(f'{spelled(key)}: {spelled(each)}' for key, each in type_.items())}}}"
    return "" if type_ is None else str(type_).strip()


def _items(type_: str) -> list[str]:
    """The items of a tuple, of anything else itself."""
    if not (type_.startswith("(") and type_.endswith(")")):
        return [type_]
    found, depth = [""], 0
    for char in type_[1:-1]:
        depth += (char in "([{") - (char in ")]}")
        if char == "," and not depth:
            found.append("")
        else:
            found[-1] += char
    return [each.strip() for each in found if each.strip()]
