"""Classes that `bind_vector` and `bind_map` make: C++'s containers with the methods of Python's."""

from __future__ import annotations

from wrapper_gen.bindings.classes import Class, Held
from wrapper_gen.bindings.context import BindingContext
from wrapper_gen.bindings.cursors import bound, shown
from wrapper_gen.bindings.outcomes import Left
from wrapper_gen.headers.declarations import Type


def entries(context: BindingContext, owner: Class) -> list[dict[str, object]]:
    """The methods of a container.

    Raises:
        Left: it holds objects of a class, which Python would see in their place.
    """
    of = context.type(bound(owner.definition.type)[1][0])
    inside = of.arguments[: 1 if owner.definition.method == "bind_vector" else 2]
    if len(inside) < (1 if owner.definition.method == "bind_vector" else 2):
        raise Left("a container that is a class of its own")
    if any(context.spelling.class_of(each) for each in inside):
        raise Left("a container of objects, which are not copied: a class that has it gives its items by methods")
    if owner.definition.method == "bind_vector":
        return _vector(owner, context.spelling.of(inside[0]), inside[0])
    key, value = (context.spelling.of(each) for each in inside)
    return _map(owner, key, value, inside[0])


def _new(owner: Class, value: str) -> str:
    return f"return {'' if owner.held is Held.VALUE else 'new '}{owner.cpp}({value});"


def _vector(owner: Class, item: str, type: Type) -> list[dict[str, object]]:
    cpp, it = owner.cpp, shown(type.canonical)
    return [
        {"def": f"{owner.name}()"},
        {
            "def": f"{owner.name}(items: [{item}])",
            "cpp": f"[](const std::vector<{it}> &items) {{ {_new(owner, 'items')} }}",
        },
        {"def": "__len__() -> usize"},
        {"def": "__bool__() -> bool", "cpp": f"[](const {cpp} &self) {{ return !self.empty(); }}"},
        {"def": f"__getitem__(i: position) -> {item}"},
        {"def": f"__setitem__(i: position, value: {item})"},
        {"def": "__delitem__(i: position)", "cpp": f"[]({cpp} &self, i64 i) {{ self.erase(self.begin() + i); }}"},
        {"def": f"__iter__() -> iter[{item}]"},
        {"def": f"append(value: {item})", "cpp": "push_back"},
        {
            "def": f"extend(items: [{item}])",
            "cpp": f"[]({cpp} &self, const std::vector<{it}> &items) "
            "{ self.insert(self.end(), items.begin(), items.end()); }",
        },
        {"def": "clear()"},
        {"def": "__eq__(other: " + owner.name + ") -> bool"},
    ]


def _map(owner: Class, key: str, value: str, type: Type) -> list[dict[str, object]]:
    cpp, it = owner.cpp, shown(type.canonical)
    return [
        {"def": f"{owner.name}()"},
        {"def": "__len__() -> usize"},
        {"def": "__bool__() -> bool", "cpp": f"[](const {cpp} &self) {{ return !self.empty(); }}"},
        {"def": f"__contains__(key: {_key(key)}) -> bool", "cpp": "count"},
        {"def": f"__getitem__(key: {_key(key)}) -> {value}", "cpp": "at"},
        {
            "def": f"__setitem__(key: {_key(key)}, value: {value})",
            "cpp": f"[]({cpp} &self, const {it} &key, const {cpp}::mapped_type &value) {{ self[key] = value; }}",
        },
        {
            "def": f"__delitem__(key: {_key(key)})",
            "cpp": f"[]({cpp} &self, const {it} &key) "
            '{ if (self.erase(key) == 0) throw std::out_of_range("no such key"); }',
        },
        {"def": f"__iter__() -> iter[{key}]", "cpp": _KEYS.format(cpp=cpp, key=it)},
        {
            "def": f"items() -> iter[({key}, {value})]",
            "cpp": f"[](const {cpp} &self) -> const {cpp} & {{ return self; }}",
        },
        {"def": "clear()"},
    ]


_KEYS = (
    "[](const {cpp} &self) {{ std::vector<{key}> out; "
    "for (const auto &each : self) out.push_back(each.first); return out; }}"
)


def _key(key: str) -> str:
    """An integer is looked up, and no position."""
    return "key" if key[:1] in "iu" and key != "" and key[1:].isdigit() else key
