"""C's order of the arguments, which a list said: `cpp_params` → a call in `cpp`, as C++ has it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wrapper_gen import names
from wrapper_gen.expressions import is_function_name, is_qualified, measured, mentions
from wrapper_gen.spec.former import changed
from wrapper_gen.spec.former.callables import callable_names
from wrapper_gen.spec.former.calls import class_of, classes_of, defined_name, takes_members
from wrapper_gen.spec.former.declared import declared
from wrapper_gen.spec.former.entries import parameters_of
from wrapper_gen.spec.former.preludes import held_arguments
from wrapper_gen.spec.former.walk import At
from wrapper_gen.spec.todo import OPEN
from wrapper_gen.types.scalars import INTEGERS
from wrapper_gen.written_calls import BadCall, Piece, WrittenCall, cast_of, is_cpp_name, read_cpp

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
_ARRAY = re.compile(r"\(?array\b")
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
_BRINGING = re.compile(r"bytes|\[|&")
"""Types whose arguments brought their length where C had it, by how they begin."""
_CALLABLE = re.compile(r"fn\b")
_INTEGER = re.compile(rf"{INTEGERS}|isize")
_CALL = "write the call in `cpp`, as C has it: f(self, data, data.size(), &out)"


class _Wrong(Exception):
    """An item that says nothing of a call; the number of the item."""

    def __init__(self, message: str, item: int = -1) -> None:
        super().__init__(message)
        self.message, self.item = message, item


def arguments(at: At) -> None:
    """`cpp_fn: f, cpp_params: [h, {role: length, of: x}, x, out]` → `cpp: "f(self, x.size(), x, &out)"`."""
    entry, rewriter = at.container, at.rewriter
    if at.value is None:
        at.remove()
        return
    is_of_params = rewriter.has_written(entry, at.key)
    changed.of_entry(at)
    keys = [key for key in ("cpp", "cpp_fn", "cpp_method", "cpp_body") if entry.get(key) is not None]
    try:
        text, doubts = _call(at, keys)
    except _Wrong as wrong:
        where = rewriter.document.key_span(entry, at.key)
        if wrong.item >= 0:
            where = rewriter.document.span(at.value, wrong.item)
        rewriter.error_at(where, "WG081", wrong.message, _CALL)
        at.remove()
        rewriter.steps.clear()  # without the list it is another entry, which is no fix
        return
    _write(at, keys, text)
    if doubts:
        rewriter.undecided(entry, "cpp", f"{doubts[0]}; without that it is {text}")
    at.remove()
    if is_of_params:  # which were a list in the original format, of which nothing is told
        rewriter.steps.clear()


def _write(at: At, keys: Sequence[str], text: str) -> None:
    """Put the call where the name stood."""
    if not keys:
        at.insert("cpp", text)
        return
    was = str(at.container[keys[0]]).strip()
    start = text.index(was) if was in text else 0
    at.rewriter.replace(at.container, keys[0], text, (text[:start], (0, len(was)), text[start + len(was) :]))
    if keys[0] != "cpp":
        at.rewriter.rename(at.container, keys[0], "cpp")


def _call(at: At, keys: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The call that the list is, and why only a person knows whether it is.

    Raises:
        _Wrong: it is none.
    """
    if not isinstance(at.value, list):
        raise _Wrong("`cpp_params` is no list of arguments")
    if len(keys) > 1 or "cpp_body" in keys:
        raise _Wrong("C's order of arguments is for a function by its name")
    order = _Order(at)
    given = []
    for i, each in enumerate(at.value):
        try:
            given.append(order.argument(each))
        except _Wrong as wrong:
            raise _Wrong(wrong.message, i) from None
    callee = order.callee(keys[0] if keys else "", given)
    text = f"{callee}({', '.join(order.with_lengths(callee, given))})"
    try:
        found = read_cpp(text)
    except BadCall as bad:
        raise _Wrong(bad.message) from None
    if not isinstance(found, WrittenCall):
        raise _Wrong("C's order of arguments is for a function by its name")
    if order.release:
        at.rewriter.insert(at.container, "release", order.release, because=at.key)
    return text, order.doubts


class _Order:
    """Writes the items of one list."""

    def __init__(self, at: At) -> None:
        self._at, self._entry = at, at.container
        self._owner = class_of(at)
        field = _field(at)
        name = field or defined_name(self._entry)
        self._types = _types_of_setter(at, field) if field else dict(parameters_of(self._entry))
        self._is_constructor = self._owner is not None and name == self._owner.get("name")
        self._is_static = str(self._entry.get("def") or "").lstrip().startswith("static ")
        self._has_object = self._owner is not None and not (self._is_constructor or self._is_static)
        self._classes = {str(each.get("name")): _text(each.get("cpp_type")) for each in classes_of(at)}
        self._result = _text(self._entry.get("type")) if field else _result(self._entry)
        self._items = _items(self._entry)
        self._left = list(self._items)
        """Items of the result that have no place yet."""
        self._is_c = at.library.get("lang") == "c"
        self._measured: set[str] = set()
        self._alone: dict[int, str] = {}
        """Parameters by name, whose lengths may stand elsewhere, by the number of the argument."""
        self._apart = {str(each["out"]) for each in _mappings(at.value) if "out" in each}
        self._fills = self._entry.get("capacity") is not None or self._entry.get("stream") is not None
        self._count = 0
        self._integers: set[int] = set()
        """The numbers of arguments that may be taken for a length."""
        self.release = ""
        self.doubts: list[str] = []

    # --- one item ---

    def argument(self, item: object) -> str:
        """The argument that an item is.

        Raises:
            _Wrong: it says nothing of a call.
        """
        number, self._count = self._count, self._count + 1
        if isinstance(item, str):
            return self._named(item, number)
        if not isinstance(item, dict):
            raise _Wrong(f"{item!r} is no argument of a call")
        kind = next((key for key in _KEYS_BY_KIND if key in item), "name")
        if vain := next((key for key in item if key not in ("as", *_KEYS_BY_KIND[kind])), ""):
            raise _Wrong(f"`{vain}` says nothing of what has `{kind}`")
        cast = item.get("as", "")
        if not isinstance(cast, str):
            raise _Wrong("`as` is the C++ type of an argument")
        if "role" in item:
            return self._role(item, cast)
        if isinstance(item.get("out"), str):
            return self._cast(f"{cast} *" * bool(cast), self._out(item["out"]))
        if "value" in item:
            return self._cast(cast, self._value(item["value"], item.get("name"), number))
        if isinstance(item.get("name"), str):
            return self._cast(cast, self._named(item["name"], number, is_cast=bool(cast)))
        raise _Wrong("an argument of `cpp_params` that says nothing")

    def _cast(self, type_: str, text: str) -> str:
        return f"({type_}){text}" if type_ else text

    def _named(self, name: str, number: int, *, is_cast: bool = False) -> str:
        if name == "h" and name not in self._types and self._has_object:
            return "self"
        if name not in self._types:
            return self._out(name)
        if self._is_inout(name):
            if name in self._left:
                self._left.remove(name)
            return f"&{name}"
        if name in self._apart and name in self._items:
            self.doubts.append(f"C reads {name!r} and writes it elsewhere: give the item of the result another name")
        if not is_cast:
            self._alone[number] = name
        if _INTEGER.fullmatch(self._types[name].strip()):
            self._integers.add(number)
        return name

    def _out(self, name: str) -> str:
        if name == "_":
            return "&_"
        if name in self._items:
            if name not in self._left:
                raise _Wrong(f"the result has no further item for {name!r}")
            self._left.remove(name)
            return name if self._is_filled(name) else f"&{name}"
        if name not in ("out", "result"):
            raise _Wrong(f"{name!r} is no argument of this call")
        if self._items:
            if not self._left:
                raise _Wrong("the result has no further item for 'out'")
            return self._out(next((each for each in self._left if not self._is_inout_of(each)), self._left[0]))
        if not self._result and not self._is_constructor:
            raise _Wrong("the result has no further item for 'out'")
        if self._fills or _ARRAY.match(self._result):
            return "out"
        if self._entry.get("length") in ("out", "&length"):
            return "&length"
        return "&self" if self._is_constructor else "&out"

    def _is_filled(self, item: str) -> bool:
        """Whether an item of the result lies in memory that is made before the call."""
        capacity = self._entry.get("capacity")
        is_array = re.search(rf"\b{re.escape(item)}\s*:\s*array\b", self._result)
        return bool(is_array) or (isinstance(capacity, dict) and item in capacity)

    def _role(self, item: Mapping[str, Any], cast: str) -> str:
        role, of = item["role"], item.get("of")
        if not isinstance(role, str) or role not in _BESIDE_ROLE:
            raise _Wrong(f"{role!r} is no role of an argument")
        if vain := next((key for key in item if key not in ("role", *_BESIDE_ROLE[role])), ""):
            raise _Wrong(f"`{vain}` says nothing of what has `role: {role}`")
        if role == "capacity":
            return "capacity"
        if role == "error":
            return self._error(item, cast)
        if role == "user_data" and isinstance(of, list):
            return self._shared(of)
        if not isinstance(of, str) or of not in self._types:
            raise _Wrong(f"the {role} of {of!r}, which is no parameter" if of else f"the {role} of nothing")
        self._measured.add(of)
        if role == "length" and "value" in item:
            return self._cast(cast, self._value(item["value"]))
        if role == "length" and not _MEASURED.match(self._types[of].strip()):
            raise _Wrong(f"{of!r} has no length")
        if role == "lengths":
            return self._cast(f"{cast} *" * bool(cast), f"{of}.sizes")
        return f"{of}.{role}" if role != "length" else self._cast(cast, f"{of}.size()")

    def _shared(self, of: list[object]) -> str:
        """The user data of several callables: of those that have none of their own."""
        listed = self._at.value
        roles = [each for each in listed if isinstance(each, dict) and each.get("role") == "user_data"]
        own = {str(each["of"]) for each in roles if isinstance(each.get("of"), str)}
        words = {"fn", *callable_names(self._at.spec)}
        callables = {name for name, type_ in self._types.items() if words & set(_WORD.findall(type_))}
        shared = {str(each) for each in of}
        if len(shared) != len(of) or not of or not shared <= callables:
            raise _Wrong("user_data is of callables, each once")
        if shared != callables - own or "user_data" in self._types:
            others = ", ".join(sorted(callables - own - shared)) or "user_data"
            self.doubts.append(f"`user_data` is shared by all callables that have none of their own, also by {others}")
        self._measured.update(shared)
        return "user_data"

    def _error(self, item: Mapping[str, Any], cast: str) -> str:
        free = item.get("free")
        if free is not None:
            if not isinstance(free, str):
                raise _Wrong("`free` is what releases the text of the failure")
            if any(self._entry.get(each) is not None for each in ("release", "free", "capacity", "length", "out")):
                self.doubts.append("`release` is of the result here: release the text of the failure in `cpp_body`")
            else:
                self.release = free
        if "error" in self._types:
            self.doubts.append("`&error` is the text of the failure: give the parameter 'error' another name")
        return self._cast(f"{cast} *" * bool(cast), "&error")

    def _value(self, value: object, name: object = None, number: int = -1) -> str:
        """C++ that is passed, over `self` and what the objects among the parameters are."""
        text = str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
        if value is None:  # what YAML makes of it
            text = "NULL"
        elif isinstance(value, bool):
            text = "true" if value else "false"
        if not isinstance(text, str):
            raise _Wrong("`value` is C++ that is passed")
        text = text.strip()
        if re.fullmatch(r"\d+", text):
            self._integers.add(number)
        if self._has_object and "h" not in self._types:
            text = re.sub(r"(?<![\w.>:])h\s*\.\s*inner\b", "self", text)
            if mentions(text, "h"):
                self.doubts.append("in a call `self` is no object, as `h` was, but what it holds")
        text = self._over_objects(text)
        if isinstance(name, str) and not mentions(text, name):
            self.doubts.append(f"no argument of the call is made of {name!r}")
        self._measured |= {each for each in measured(text) if _is_only_length(text, each)}
        is_cast = text.startswith("(") and cast_of(Piece(text, 0, len(text))) is not None
        is_special = is_cast or text in self._types or _SPECIAL.fullmatch(text) is not None
        return f"({text})" if is_special or not _is_one_argument(text) else text

    def _over_objects(self, text: str) -> str:
        """C++ in which parameters that are objects are what these hold."""
        over_held = self._at.rewriter.over_held
        taken = {each.start: each for each in held_arguments(text, over_held) if each.text in self._types}
        if taken:  # which no fix of this entry alone would say
            self._at.rewriter.touched.add(id(self._at.spec))
        for _, token in sorted(taken.items(), reverse=True):
            text = f"{text[: token.start]}\0{token.text}\0{text[token.end :]}"
        for each, type_ in self._types.items():
            if mentions(text, each) and any(re.search(rf"\b{re.escape(c)}\b", type_) for c in self._classes):
                text = _held(text, each, is_pointer=self._is_pointer_or_none(type_.strip()))
                left = re.sub(rf"\0{each}\0", "", text)
                is_one = type_.strip().removesuffix("?") in self._classes
                if mentions(left, each) or not is_one:
                    self.doubts.append(f"in a call {each!r} is no object, but what it holds, or a pointer to that")
                text = text.replace(f"\0{each}\0", each)
        return text

    def _is_pointer_or_none(self, type_: str) -> bool:
        """Whether an object of this type may be missing, and what it holds is a pointer, which is null then."""
        held = self._classes.get(type_.removesuffix("?"), "")
        return type_.endswith("?") and (held.endswith("*") or held.startswith("std::shared_ptr<"))

    # --- all of them ---

    def with_lengths(self, callee: str, given: Sequence[str]) -> Iterator[str]:
        """The arguments, in which what brought a length or user data in C says it."""
        bringing = [i for i, _ in enumerate(given) if self._brings(i, given)]
        brought = self._are_brought(callee, given, len(bringing)) if bringing else None
        for i, text in enumerate(given):
            name = self._alone.get(i, "")
            yield text
            if self._is_c and name and _CALLABLE.match(self._types[name].strip()) and not self._is_said(name, given):
                yield f"{name}.user_data"
            elif i in bringing and brought:
                yield f"{name}.size()"
            elif i in bringing and brought is None and i + 1 in self._integers:
                self.doubts.append(f"if C++ takes the length of {name!r} behind it, write {name}, {name}.size()")

    def _is_said(self, name: str, given: Sequence[str]) -> bool:
        """Whether another argument says the length of a parameter."""
        type_ = self._types.get(name, "").strip()
        dimensions = re.findall(r"[;,]\s*(\w+)", type_) if type_.startswith("&") else []
        is_extent = bool(dimensions) and mentions(" , ".join(given), *dimensions)
        return name in self._measured or is_extent or self._entry.get("stream") is not None

    def _brings(self, number: int, given: Sequence[str]) -> bool:
        """Whether an argument may have brought its length."""
        name = self._alone.get(number, "")
        return _BRINGING.match(self._types.get(name, "").strip()) is not None and not self._is_said(name, given)

    def _are_brought(self, callee: str, given: Sequence[str], lengths: int) -> bool | None:
        """Whether these lengths are arguments of what is called; None where no declaration of it tells."""
        if self._is_c:
            return True
        number = len(given) - (callee.startswith(".") and "self" in given)
        counts = declared(self._at, callee)
        without, with_ = (any(each.takes(n) for each in counts) for n in (number, number + lengths))
        return None if without == with_ else with_

    def callee(self, key: str, given: list[str]) -> str:
        """What is called.

        Raises:
            _Wrong: nothing that has a name.
        """
        takes_self = "self" in given
        if not key:
            return self._implied(takes_self=takes_self)
        name = self._entry[key]
        if not isinstance(name, str) or not is_cpp_name(name.strip().removeprefix(".")):
            raise _Wrong("C's order of arguments is for a function by its name")
        name = name.strip()
        if name == OPEN:
            self.doubts.append("what C++ calls is not decided")
        if name.startswith(("::", ".")):
            return name
        if key == "cpp":
            is_member = takes_members(self._at) and not is_qualified(name) and takes_self
            return f".{name}" if is_member else name
        if key == "cpp_method":
            return name if takes_members(self._at) and not takes_self else f".{name}"
        is_function = is_qualified(name) or not takes_members(self._at) or takes_self
        return name if is_function else f"::{name}"

    def _implied(self, *, takes_self: bool) -> str:
        if self._is_constructor or "def" not in self._entry or not is_function_name(defined_name(self._entry)):
            self.doubts.append("a call has a name: write it before these arguments")
        return implied_name(self._at, takes_self=takes_self)

    def _is_inout_of(self, item: str) -> bool:
        """Whether a parameter, which stands in the list by its name, becomes this item."""
        return item in self._types and self._is_inout(item)

    def _is_inout(self, name: str) -> bool:
        """Whether the call changes it: an item of the result has its name, and no place of its own."""
        return name in self._items and name not in self._apart and self._entry.get("stream") is None


def implied_name(at: At, *, takes_self: bool = False) -> str:
    """What an entry without `cpp` calls; `takes_self`: it is a function that has the object as an argument."""
    name, library, owner = defined_name(at.container), at.library, class_of(at)
    case, prefix = (library.get(each, library.get(f"cpp_{each}")) or "" for each in ("case", "prefix"))
    if owner is None:
        base = names.base(str(library.get("name")), name) if prefix else name
        return f"{prefix}{names.cased(base, case)}"
    own = owner.get("prefix", owner.get("cpp_prefix"))
    if own is None and library.get("lang") != "c":
        is_static = str(at.container.get("def") or "").lstrip().startswith("static ")
        is_member = not is_static and not (takes_members(at) and not takes_self)
        return f"{'.' * is_member}{names.cased(name, case)}"
    return f"{prefix if own is None else own}{names.cased(name, case)}"


def _held(text: str, name: str, *, is_pointer: bool) -> str:
    """C++ in which what an object holds has a mark; `is_pointer`: also where it may be missing, which is tested."""
    mark = f"\0{name}\0"
    if not is_pointer:
        return re.sub(rf"(?<![\w.>:]){name}\s*\.\s*inner\b", mark, text)
    text = re.sub(rf"(?<![\w.>:]){name}\s*->\s*inner\b", mark, text)
    return re.sub(rf"(?<![\w.>:\0]){name}\b(?=\s*(?:\?|&&|\|\||[!=]=\s*nullptr))", mark, text)


def _is_one_argument(text: str) -> bool:
    """Whether no comma outside of brackets divides it."""
    try:
        found = read_cpp(f"f({text})")
    except BadCall:
        return True  # which is told of where it is read
    return not isinstance(found, WrittenCall) or len(found.arguments) == 1


def _is_only_length(text: str, name: str) -> bool:
    """Whether C++ that is passed is the length of a parameter, or computed of that: `x.size() / 2`."""
    return re.search(r"[\w\]]\s*\(", re.sub(rf"\b{name}\s*\.\s*size\s*\(\s*\)", "", text)) is None


def _mappings(listed: object) -> Iterator[Mapping[str, Any]]:
    yield from (each for each in listed if isinstance(each, dict)) if isinstance(listed, list) else ()


def _field(at: At) -> str:
    """The name of the field whose entry this is, or what sets it; empty of other entries."""
    owner: Any = at.around[0] if at.around else None
    for key in ("fields", "properties"):
        listed = owner.get(key) if isinstance(owner, dict) else None
        for name, each in listed.items() if isinstance(listed, dict) else ():
            if each is at.container or each is at.around[-1]:
                return str(name)
    return ""


def _types_of_setter(at: At, field: str) -> dict[str, str]:
    """The value that is set, by the name of the field; nothing of what reads it."""
    if len(at.around) < 2:
        return {}
    type_ = _text(at.around[-1].get("type")).removeprefix("mut ")
    return {field: type_}


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


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
