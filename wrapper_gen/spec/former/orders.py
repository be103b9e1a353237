"""C's order of the arguments, which a list said: `cpp_params` → a call in `cpp`, as C++ has it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wrapper_gen import names
from wrapper_gen.expressions import is_function_name, is_qualified, measured, mentions
from wrapper_gen.spec.former.callables import callable_names
from wrapper_gen.spec.former.calls import class_of, classes_of, defined_name, is_virtual, takes_members
from wrapper_gen.spec.former.walk import At
from wrapper_gen.written_calls import BadCall, Piece, WrittenCall, cast_of, is_cpp_name, read_cpp

_ALONE = ("cpp", "cpp_body", "stream", "async", "each", "for", "entries")
"""Keys beside which a list is left as it is."""
_SPECIAL = re.compile(r"&.*|out|capacity|self|\w+\s*\.\s*(?:user_data|destroy|joined|sizes|data\(\)|size\(\))")
_KEYS_BY_KIND = {
    "role": ("role", "of", "value", "free"),
    "out": ("out",),
    "value": ("value", "name"),
    "name": ("name",),
}
_NAMED = re.compile(r"^\(\s*(\w+\s*:.*)\)\s*\??$", re.DOTALL)
_ITEM = re.compile(r"(?:^|,)\s*(\w+)\s*:")
_WORD = re.compile(r"\w+")
_BESIDE_ROLE: Mapping[object, frozenset[str]] = {
    "length": frozenset({"of", "value", "as"}),
    "joined": frozenset({"of"}),
    "lengths": frozenset({"of", "as"}),
    "user_data": frozenset({"of"}),
    "destroy": frozenset({"of"}),
    "error": frozenset({"free", "as"}),
    "capacity": frozenset(),
}
"""What can stand beside each role; a list with anything else is a mistake, and is told of as it is."""
_MEASURED = re.compile(r"text|bytes|\[|&")
"""Types that have a length, by how they begin."""
_BRINGING = re.compile(r"bytes|\[|&|fn\b|\{")
"""Types whose arguments bring something else where C has it, by how they begin."""


class _Unwritable(Exception):
    """There is no call for this list."""


def arguments(at: At) -> None:
    """`cpp_fn: f, cpp_params: [h, {role: length, of: x}, x, out]` → `cpp: "f(self, x.size(), x, &out)"`."""
    entry = at.container
    key = next((each for each in ("cpp_fn", "cpp_method") if entry.get(each) is not None), "")
    others = [each for each in ("cpp_fn", "cpp_method", *_ALONE) if entry.get(each) is not None and each != key]
    if others or not isinstance(at.value, list) or is_virtual(at) or _fills_items(entry):
        return
    try:
        order = _Order(at)
        given = [order.argument(each) for each in at.value]
        order.check()
        callee = order.callee(key, given)
        text = f"{callee}({', '.join(given)})"
        found = read_cpp(text)
    except (_Unwritable, BadCall):
        return
    if not isinstance(found, WrittenCall) or len(found.arguments) != len(given):
        return
    if key:
        was = str(entry[key]).strip()
        start = text.index(was) if was in text else 0
        at.rewriter.replace(entry, key, text, (text[:start], (0, len(was)), text[start + len(was) :]))
        at.rewriter.rename(entry, key, "cpp")
    else:
        at.insert("cpp", text)
    if order.release:
        at.rewriter.insert(entry, "release", order.release, because="cpp")
    at.remove()


def _fills_items(entry: Mapping[str, Any]) -> bool:
    """Whether items of the result lie in memory that is made before the call, which is said by their names."""
    return isinstance(entry.get("capacity"), dict) or "array[" in _result(entry)


class _Order:
    """Writes the items of one list."""

    def __init__(self, at: At) -> None:
        self._at, self._entry = at, at.container
        self._types = dict(_parameters(self._entry))
        self._owner = class_of(at)
        name = defined_name(self._entry)
        self._is_constructor = self._owner is not None and name == self._owner.get("name")
        self._is_static = str(self._entry.get("def") or "").lstrip().startswith("static ")
        self._has_object = self._owner is not None and not (self._is_constructor or self._is_static)
        self._classes = {str(each.get("name")) for each in classes_of(at)}
        self._items = _items(self._entry)
        self._measured: set[str] = set()
        self._alone: list[str] = []
        """Parameters by name, whose lengths may stand elsewhere."""
        self.release = ""

    # --- one item ---

    def argument(self, item: object) -> str:
        """The argument that an item is.

        Raises:
            _Unwritable: a call has none that means the same.
        """
        if isinstance(item, str):
            return self._named(item)
        if not isinstance(item, dict) or "type" in item:
            raise _Unwritable
        cast = item.get("as", "")
        if not isinstance(cast, str):
            raise _Unwritable
        if not item.keys() <= {"as", *_KEYS_BY_KIND[next((k for k in _KEYS_BY_KIND if k in item), "name")]}:
            raise _Unwritable
        if "role" in item:
            return self._role(item, cast)
        if isinstance(item.get("out"), str):
            return self._cast(f"{cast} *" * bool(cast), self._out(item["out"]))
        if "value" in item:
            return self._cast(cast, self._value(item["value"], item.get("name")))
        if isinstance(item.get("name"), str):
            return self._cast(cast, self._named(item["name"], is_cast=bool(cast)))
        raise _Unwritable

    def _cast(self, type_: str, text: str) -> str:
        return f"({type_}){text}" if type_ else text

    def _named(self, name: str, *, is_cast: bool = False) -> str:
        if name == "h" and name not in self._types and self._has_object:
            return "self"
        if name in self._types:
            if self._is_inout(name):
                is_only = not self._items and _result(self._entry)[:1] not in ("", "(")
                if name not in self._items and not is_only:
                    raise _Unwritable
                return f"&{name}"
            if not is_cast:
                self._alone.append(name)
            return name
        return self._out(name)

    def _out(self, name: str) -> str:
        if name == "_":
            return "&_"
        if name in self._types:  # read and written apart: a call has one place for each name
            raise _Unwritable
        if name in ("out", "result") and name not in self._items:
            if self._items or (_is_void(self._entry) and not self._is_constructor):
                raise _Unwritable
            if self._entry.get("capacity") is not None:
                return "out"
            if self._entry.get("length") in ("out", "&length"):
                return "&length"
            return "&self" if self._is_constructor else "&out"
        if name not in self._items:
            raise _Unwritable
        return f"&{name}"

    def _role(self, item: Mapping[str, Any], cast: str) -> str:
        role, of = item["role"], item.get("of")
        if not isinstance(role, str) or not item.keys() - {"role"} <= _BESIDE_ROLE.get(role, frozenset()):
            raise _Unwritable
        if role == "capacity":
            return "capacity"
        if role == "error":
            return self._error(item, cast)
        if role == "user_data" and isinstance(of, list) and of and self._is_shared_by_all(of):
            self._measured.update(of)
            return role
        if not isinstance(of, str) or of not in self._types:
            raise _Unwritable
        if role == "length" and "value" in item:
            value = self._value(item["value"])
            if of not in measured(value):
                raise _Unwritable
            return self._cast(cast, value)
        if role == "length" and not _MEASURED.match(self._types[of].strip()):
            raise _Unwritable
        if role in ("length", "user_data"):
            self._measured.add(of)
        if role == "lengths":
            return self._cast(f"{cast} *" * bool(cast), f"{of}.sizes")
        if role in ("joined", "user_data", "destroy"):
            return f"{of}.{role}"
        if role != "length":
            raise _Unwritable
        return self._cast(cast, f"{of}.size()")

    def _is_shared_by_all(self, of: list[object]) -> bool:
        """Whether these are the callables that have no user data of their own."""
        listed = self._at.value
        roles = [each for each in listed if isinstance(each, dict) and each.get("role") == "user_data"]
        own = {str(each["of"]) for each in roles if isinstance(each.get("of"), str)}
        words = {"fn", *callable_names(self._at.spec)}
        callables = {name for name, type_ in self._types.items() if words & set(_WORD.findall(type_))}
        return set(of) == callables - own and "user_data" not in self._types

    def _error(self, item: Mapping[str, Any], cast: str) -> str:
        free = item.get("free")
        if free is not None:
            memory = ("release", "free", "capacity", "length", "out")
            if not isinstance(free, str) or any(self._entry.get(each) is not None for each in memory):
                raise _Unwritable
            self.release = free
        if "error" in self._types:
            raise _Unwritable
        return self._cast(f"{cast} *" * bool(cast), "&error")

    def _value(self, value: object, name: object = None) -> str:
        """C++ that is passed, over `self` and what the objects among the parameters are."""
        text = str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
        if value is None:  # what YAML makes of it
            text = "NULL"
        elif isinstance(value, bool):
            text = "true" if value else "false"
        if not isinstance(text, str):
            raise _Unwritable
        text = text.strip()
        if self._has_object and "h" not in self._types:
            text = re.sub(r"(?<![\w.>:])h\s*\.\s*inner\b", "self", text)
            if mentions(text, "h"):
                raise _Unwritable
        for each, type_ in self._types.items():
            if mentions(text, each) and any(re.search(rf"\b{re.escape(c)}\b", type_) for c in self._classes):
                text = re.sub(rf"(?<![\w.>:]){each}\s*\.\s*inner\b", f"({each})", text)
                left = re.sub(rf"\({each}\)", "", text)
                if mentions(left, each) or type_.strip() not in self._classes:
                    raise _Unwritable
                text = text.replace(f"({each})", each)
        if isinstance(name, str) and not mentions(text, name):
            raise _Unwritable
        is_cast = text.startswith("(") and cast_of(Piece(text, 0, len(text))) is not None
        is_special = is_cast or text in self._types or _SPECIAL.fullmatch(text) is not None
        return f"({text})" if is_special or "," in re.sub(r"\([^()]*\)", "", text) else text

    # --- all of them ---

    def check(self) -> None:
        """A call brings nothing by itself.

        Raises:
            _Unwritable: an argument may have brought a length or user data.
        """
        given = " ".join(self._alone)
        for name in self._alone:
            type_ = self._types[name].strip()
            dimensions = re.findall(r"[;,]\s*(\w+)", type_) if type_.startswith("&") else []
            is_said = name in self._measured or (dimensions and mentions(given, *dimensions))
            if _BRINGING.match(type_) and not is_said:
                raise _Unwritable

    def callee(self, key: str, given: list[str]) -> str:
        """What is called.

        Raises:
            _Unwritable: it has no name, or one that a call cannot have.
        """
        takes_self = "self" in given
        if not key:
            return self._implied(takes_self=takes_self)
        name = self._entry[key]
        if not isinstance(name, str) or not is_cpp_name(name.strip()) or name.strip().startswith("::"):
            raise _Unwritable
        name = name.strip()
        if key == "cpp_method":
            return name if takes_members(self._at) and not takes_self else f".{name}"
        is_function = is_qualified(name) or not takes_members(self._at) or takes_self
        return name if is_function else f"::{name}"

    def _implied(self, *, takes_self: bool) -> str:
        name, library = defined_name(self._entry), self._at.library
        if self._is_constructor or self._is_static or "def" not in self._entry or not is_function_name(name):
            raise _Unwritable
        case, prefix = (library.get(each, library.get(f"cpp_{each}")) or "" for each in ("case", "prefix"))
        if self._owner is None:
            base = names.base(str(library.get("name")), name) if prefix else name
            return f"{prefix}{names.cased(base, case)}"
        own = self._owner.get("prefix", self._owner.get("cpp_prefix"))
        if own is None and library.get("lang") != "c":
            return f"{'' if takes_members(self._at) and not takes_self else '.'}{names.cased(name, case)}"
        return f"{prefix if own is None else own}{names.cased(name, case)}"

    def _is_inout(self, name: str) -> bool:
        about = self._entry.get("params")
        found: Any = about.get(name) if isinstance(about, dict) else None
        if isinstance(about, list):
            found = next((each for each in about if isinstance(each, dict) and each.get("name") == name), None)
        return isinstance(found, dict) and found.get("direction") == "inout"


def _parameters(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
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


def _items(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the items of the result, where they have some."""
    said = entry.get("names")
    if isinstance(said, list):
        return tuple(map(str, said))
    found = _NAMED.search(_result(entry))
    return tuple(_ITEM.findall(found[1])) if found else ()


def _result(entry: Mapping[str, Any]) -> str:
    """The type of the result, as it is spelled."""
    text = entry.get("def", entry.get("return"))
    return str(text or "").rpartition("->")[2].strip() if "def" not in entry or "->" in str(text) else ""


def _is_void(entry: Mapping[str, Any]) -> bool:
    return not _result(entry)
