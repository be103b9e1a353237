"""Types of the spec language, from text: one arm a type."""

from __future__ import annotations

from wrapper_gen.diagnostics import Span, did_you_mean
from wrapper_gen.model import Bytes, EnumRef, Handle, List, Optional, Scalar, SpanOf, Text, Type, Void
from wrapper_gen.resolve.scope import Scope

_NAMED: dict[str, Type] = {"void": Void(), "text": Text(), "bytes": Bytes(), **{s.spelling: s for s in Scalar}}
WORDS = frozenset(_NAMED)
"""The types that every spec has."""
_FOREIGN = {
    "int": "i32", "int32_t": "i32", "int64_t": "i64", "uint8_t": "u8", "uint32_t": "u32", "uint64_t": "u64",
    "long": "i64", "unsigned": "u32", "size_t": "usize", "float": "f32", "double": "f64", "str": "text",
    "string": "text", "std::string": "text", "char*": "text", "const char*": "text", "None": "void", "boolean": "bool",
}  # fmt: skip


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
    if text in _FOREIGN:
        scope.error("WG030", f"unknown type {text!r}", span, f"write {_FOREIGN[text]!r}")
        return None
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
