"""Types of the spec language, from text: one arm a type."""

from __future__ import annotations

import re

from wrapper_gen.diagnostics import Span, did_you_mean
from wrapper_gen.model import Bytes, EnumRef, Handle, List, Optional, Scalar, SpanOf, Text, Type, Void
from wrapper_gen.resolve.scope import Scope

_NAMED: dict[str, Type] = {"void": Void(), "text": Text(), "bytes": Bytes(), **{s.spelling: s for s in Scalar}}
WORDS = frozenset(_NAMED)
"""The types that every spec has."""
_FOREIGN = {
    **dict.fromkeys(("int", "int32_t", "signed", "signed int", "i32_t", "long int32"), "i32"),
    **dict.fromkeys(("int64_t", "long", "long long", "long int", "ssize_t", "ptrdiff_t", "intptr_t", "isize"), "i64"),
    **dict.fromkeys(("uint8_t", "unsigned char", "byte", "std::byte", "uchar"), "u8"),
    **dict.fromkeys(("int8_t", "signed char", "char"), "i8"),
    **dict.fromkeys(("int16_t", "short"), "i16"),
    **dict.fromkeys(("uint16_t", "unsigned short"), "u16"),
    **dict.fromkeys(("uint32_t", "unsigned", "unsigned int", "uint"), "u32"),
    **dict.fromkeys(("uint64_t", "unsigned long", "unsigned long long", "uintptr_t"), "u64"),
    **dict.fromkeys(("size_t", "std::size_t"), "usize"),
    **dict.fromkeys(("float", "float32"), "f32"),
    **dict.fromkeys(("double", "float64", "long double", "real"), "f64"),
    **dict.fromkeys(("str", "string", "std::string", "std::string_view", "string_view", "char*", "utf8"), "text"),
    **dict.fromkeys(("bytearray", "buffer", "memoryview", "blob", "binary", "std::span<std::byte>"), "bytes"),
    **dict.fromkeys(("None", "none", "null", "nothing", "()"), "void"),
    **dict.fromkeys(("boolean", "_Bool"), "bool"),
    **dict.fromkeys(("array", "ndarray", "numpy.ndarray", "np.ndarray"), "&[f64]"),
}
"""Types of other languages, and what they are called here."""
_GENERIC = {
    **dict.fromkeys(("vector", "list", "List", "Sequence", "array", "initializer_list", "Vec", "set"), "[{}]"),
    **dict.fromkeys(("optional", "Optional", "Option"), "{}?"),
    **dict.fromkeys(("span", "Span"), "&[{}]"),
}
_GENERIC_TYPE = re.compile(r"(?:std::|wg::)?(\w+)\s*[<\[](.*)[>\]]", re.DOTALL)
_NOT_YET = {
    **dict.fromkeys(("list", "vector", "Sequence"), "say what it holds: [i64], [text]"),
    **dict.fromkeys(
        ("tuple", "pair", "struct", "record"), "there are no tuples: return a list [T], or a handle that has both"
    ),
    **dict.fromkeys(("dict", "map", "unordered_map"), "there are no dicts: return keys and values as two lists"),
    **dict.fromkeys(
        ("callback", "callable", "Callable", "function", "fn", "closure"),
        "functions of Python cannot be passed to C++: return what they would be given",
    ),
    **dict.fromkeys(
        ("any", "Any", "auto", "object", "PyObject", "variant"), "say which type it is: one entry for each"
    ),
    **dict.fromkeys(("path", "Path"), "write 'text', and make the path in a lambda"),
    **dict.fromkeys(("enum", "handle", "class"), "write the name of one that the spec declares"),
}
"""What has no counterpart here, and what to do instead."""


_MOST_MARKS = 32
"""How many `?` and `[` a type may have, and how deep it may nest: types are read, and generated, by recursion."""


def parse_type(text: str, span: Span, scope: Scope) -> Type | None:
    """The type that `text` spells, or None after reporting what is wrong with it."""
    if text.count("[") + text.count("?") > _MOST_MARKS:
        hint = "a list holds numbers, bool, text or handles, and `?` stands once at the end"
        scope.error("WG014", f"a type with more than {_MOST_MARKS} brackets and question marks", span, hint)
        return None
    return _parse(text, span, scope)


def _parse(text: str, span: Span, scope: Scope) -> Type | None:
    text = text.strip()
    if text.endswith("?"):
        return _optional(text, span, scope)
    if text.startswith("&") and text.endswith("]"):
        return _span(text, span, scope)
    if text.startswith("[") and text.endswith("]"):
        element = _parse(text[1:-1], span, scope)
        if element is None or isinstance(element, (Scalar, Text, Handle)):
            return None if element is None else List(element)
        scope.error("WG032", f"a list cannot hold {element}", span, "lists hold numbers, bool, text or handles")
        return None
    if text in _NAMED:
        return _NAMED[text]
    if text in scope.handles:
        return Handle(text)
    if text in scope.enums:
        return EnumRef(text)
    if hint := _ours_for(text, scope):
        scope.error("WG030", f"unknown type {text!r}", span, hint)
        return None
    if any(mark in text for mark in "&*"):
        scope.error(
            "WG033",
            f"{text!r} does not say which way the data goes",
            span,
            "memory is &[f32] (read) or &mut [f32] (written); a value is returned; a handle is its name alone",
        )
        return None
    scope.error("WG030", f"unknown type {text!r}", span, did_you_mean(text, scope.types))
    return None


def _ours_for(text: str, scope: Scope) -> str:
    """What to write for a type of C++, Python or Rust; empty when it is none that is known here."""
    ours = _translated(text, scope)
    if ours:
        return f"write {ours!r}"
    name = re.split(r"[<\[(]", text)[0].removeprefix("std::").strip()
    return _NOT_YET.get(name, "")


def _translated(text: str, scope: Scope) -> str:
    """The type of ours that a foreign one is; empty when there is none."""
    text = text.strip().replace(" *", "*")
    text = text.removeprefix("const ").removesuffix("&").strip() if text.startswith("const ") else text
    generic = _GENERIC_TYPE.fullmatch(text)
    if generic is None or generic[1] not in _GENERIC:
        return _FOREIGN.get(text, "")
    inner = generic[2].strip()
    element = inner if inner in scope.types else _FOREIGN.get(inner, "")
    return _GENERIC[generic[1]].format(element) if element else ""


def _optional(text: str, span: Span, scope: Scope) -> Type | None:
    of = _parse(text[:-1], span, scope)
    if of is None:
        return None
    if isinstance(of, (Void, Optional)):
        scope.error("WG032", f"{of} cannot be optional", span, "write the type with one `?`, and no `?` after void")
        return None
    if isinstance(of, List) and isinstance(of.element, Handle):
        scope.error("WG032", "a list of handles cannot be optional", span, "an empty list says the same")
        return None
    return Optional(of)


def _span(text: str, span: Span, scope: Scope) -> Type | None:
    inside = text[1:].strip()
    mutable = inside.startswith("mut") and inside[3:].lstrip().startswith("[")
    inside = inside[3:].strip() if mutable else inside
    if not inside.startswith("["):
        scope.error(
            "WG030", f"unknown type {text!r}", span, "memory is written &[f32], or &mut [f32] when it is changed"
        )
        return None
    element = _parse(inside[1:-1], span, scope)
    if element is None or isinstance(element, Scalar):
        return None if element is None else SpanOf(element, mutable)
    scope.error(
        "WG032", f"memory cannot hold {element}", span, "memory holds numbers or bool; for others use a list: [T]"
    )
    return None
