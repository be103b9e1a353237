"""What a handle type holds, as far as the spelling of its C++ type says so: an object, or a pointer of some kind."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wrapper_gen.resolve.scope import Map, Scope

_SMART = re.compile(r"std::(shared|unique)_ptr<\s*(.+?)\s*>\Z", re.DOTALL)
_NAME_OF_A_TYPE = re.compile(r"(?!std::)[\w:\s]+")
"""A C++ type that is spelled as neither a pointer nor a template."""
NUMBERS = {
    "bool",
    "char",
    "short",
    "int",
    "long",
    "unsigned",
    "float",
    "double",
    "std::string",
    "size_t",
    "int32_t",
    "int64_t",
}
"""Spellings of `cpp_type` that are certainly no pointers."""
_SMART_POINTERS = ("std::shared_ptr<", "std::unique_ptr<")


def spelling_of(entry: Map) -> str:
    """The C++ type of an entry of `handle_types`, of whatever shape that is."""
    return str(entry.get("cpp_type") or "").strip()


def is_pointer(spelling: str) -> bool:
    """Whether that is a plain pointer."""
    return spelling.endswith("*")


def may_be_pointer(spelling: str) -> bool:
    """Whether that may be another name of a pointer, which only C++ knows."""
    return spelling not in NUMBERS and _NAME_OF_A_TYPE.fullmatch(spelling) is not None


def is_smart_pointer(spelling: str) -> bool:
    """Whether that is a smart pointer of the standard library."""
    return spelling.startswith(_SMART_POINTERS)


def kind_of_pointer(spelling: str) -> str:
    """What kind of pointer that is, in words; empty where it is an object."""
    if is_pointer(spelling):
        return "a pointer"
    return next((f"a {start[:-1]}" for start in _SMART_POINTERS if spelling.startswith(start)), "")


def held_class(handle: str, scope: Scope) -> tuple[str, str]:
    """The kind of smart pointer that a handle type holds, if it holds one, and the C++ class of its objects."""
    return _held(spelling_of(scope.names.handle_entries.get(handle, {})))


def _held(spelling: str) -> tuple[str, str]:
    smart = _SMART.match(spelling)
    return (smart[1], smart[2]) if smart else ("", spelling.rstrip("* "))


def holds_pointer(handle: str, scope: Scope) -> bool:
    """Whether a handle type holds a plain pointer."""
    return is_pointer(spelling_of(scope.names.handle_entries.get(handle, {})))


def made_as_held(code: str, handle: str, scope: Scope) -> str:
    """What makes an object as the handle type holds it, where `code` is the class of its objects; else nothing."""
    smart, class_ = held_class(handle, scope)
    if _plain(code) != _plain(class_):
        return ""
    if smart:  # the expression `shared % new T(…)`: as with T(…), C++ converts the arguments for T itself
        return f"wg::operators::{smart} % new {class_}"
    return f"new {class_}" if holds_pointer(handle, scope) else class_


def declared_classes(handles: Iterable[Map], structs: Iterable[Map]) -> frozenset[str]:
    """The C++ classes of handle types and structs."""
    held = [_held(spelling_of(handle))[1] for handle in handles]
    return frozenset(_plain(each) for each in (*held, *map(spelling_of, structs)))


def is_class(code: str, scope: Scope) -> bool:
    """Whether a call names the class of a handle type or of a struct, also behind `new`."""
    return _plain(code.rpartition("new ")[2]) in scope.names.classes


def _plain(spelling: str) -> str:
    return "".join(spelling.split())
