"""Defaults of parameters, from the expressions of binding code."""

from __future__ import annotations

import re
from typing import Any

from wrapper_gen.bindings.code import CodeRewriter
from wrapper_gen.bindings.context import BindingContext
from wrapper_gen.bindings.cursors import bare, below, literal, text_of
from wrapper_gen.bindings.outcomes import Left
from wrapper_gen.frozen import frozen

_NUMBER = re.compile(r"[-+]?(\d[\d']*\.?\d*([eE][-+]?\d+)?|\.\d+([eE][-+]?\d+)?|0[xX][\da-fA-F]+)")
_SUFFIX = re.compile(r"(?<=[\d.])[fFuUlL]+$")
_NOTHING = re.compile(r"(?:(?:py|nb|pybind11|nanobind)::none\(\)|(?:std::)?nullopt|nullptr|NULL)")
_EMPTY = re.compile(
    r"(?:(?:py|nb|pybind11|nanobind)::(?:list|dict|tuple)\s*\(\)|(?:std::)?(?:vector|list|map|set|unordered_map|unordered_set|tuple|optional)<.*>\s*(?:\(\)|\{\}))"
)
_MADE_TEXT = re.compile(r"(?:std::)?string(?:_view)?\s*[({]\s*(\".*\")?\s*[)}]")


@frozen
class Default:
    """The spec's text of a default; `is_optional`: the type may be None, and `cpp` is what C++ uses then."""

    text: str
    is_optional: bool = False
    cpp: str = ""


def default_of(context: BindingContext, cursor: Any, spelled: str) -> Default:
    """The default of a parameter of this type.

    Raises:
        Left: it is C++ that the language has no word for.
    """
    text = " ".join(text_of(cursor).split())
    if _NOTHING.fullmatch(text):
        return Default("None", is_optional=True)
    if text in ("true", "false"):
        return Default(text)
    number = _SUFFIX.sub("", text).replace("'", "") if not text.lower().startswith("0x") else text
    if _NUMBER.fullmatch(number):
        return Default(_number(number, spelled))
    inside = bare(cursor)
    if inside.kind.name == "STRING_LITERAL" or _MADE_TEXT.fullmatch(text):
        return Default(_quoted(literal(cursor) or ""))
    if enum := _enum_value(context, cursor):
        return Default(enum)
    if _EMPTY.fullmatch(text):
        return _empty(spelled)
    items = _items(context, cursor, spelled, text)
    return items or _of_cpp(context, cursor, text, spelled)


def _number(text: str, spelled: str) -> str:
    if text.lower().startswith("0x"):
        return str(int(text, 16))
    if spelled.rstrip("?") in ("f32", "f64") and text.endswith("."):
        return f"{text}0"
    return text if not text.startswith("+") else text[1:]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
    return f"'{escaped}'"


def _enum_value(context: BindingContext, cursor: Any) -> str:
    names = []
    for each in (cursor, *below(cursor)):
        to = each.referenced if each.kind.name == "DECL_REF_EXPR" else None
        if to is not None and to.kind.name == "ENUM_CONSTANT_DECL":
            names.append(context.enum_values.get(to.get_usr(), ""))
    return " | ".join(names) if names and all(names) else ""


def _empty(spelled: str) -> Default:
    if spelled.endswith("?"):
        return Default("None")
    if spelled.startswith("["):
        return Default("[]")
    if spelled.startswith("{"):
        return Default("{}")
    raise Left("a default that is an empty value of a type without literals")


def _items(context: BindingContext, cursor: Any, spelled: str, text: str) -> Default | None:
    """A list that is written out."""
    found = re.fullmatch(r"(?:std::)?vector<[^{}]*>\s*\{([^{}]*)\}", text)
    if not found or not spelled.startswith("["):
        return None
    words = [each.strip() for each in found[1].split(",") if each.strip()]
    if all(_NUMBER.fullmatch(each) or re.fullmatch(r'"[^"\\]*"|true|false', each) for each in words):
        return Default(f"[{', '.join(words)}]")
    return None


def _of_cpp(context: BindingContext, cursor: Any, text: str, spelled: str) -> Default:
    """What only C++ knows: a missing argument is None, and the call has the expression in its place."""
    of = next((each for each in below(cursor) if each.kind.name == "LAMBDA_EXPR"), None)
    if of is not None or spelled.endswith("?"):
        raise Left(f"the default {text}")
    return Default("None", is_optional=True, cpp=CodeRewriter(cursor).rewritten().text)
