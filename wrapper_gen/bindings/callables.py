"""What a binding is bound to: a member, a function or a lambda, with its parameters and its result."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from wrapper_gen.bindings.cursors import bare, below, bound, is_of_binder, qualified, text_of
from wrapper_gen.bindings.outcomes import Left
from wrapper_gen.frozen import frozen

_WRAPPED = {"vectorize_helper": "a function over elements of arrays", "cpp_function": "a function as an object"}
_FUNCTIONS = ("CXX_METHOD", "FUNCTION_DECL", "FIELD_DECL", "VAR_DECL")


class CallableForm(StrEnum):
    """What kind of thing C++ has."""

    MEMBER = "member function"
    FUNCTION = "function"
    LAMBDA = "lambda"
    FIELD = "data member"
    VARIABLE = "variable"


@frozen
class BoundCallable:
    """What is bound; `parameters` are (name, clang's type), without the object of a member."""

    form: CallableForm
    cursor: Any
    name: str
    parameters: Sequence[tuple[str, Any]]
    result: Any

    @property
    def cpp(self) -> str:
        """Its name in C++, with the namespaces and classes around it."""
        parent = self.cursor.semantic_parent
        if parent is not None and parent.kind.name in ("CLASS_DECL", "STRUCT_DECL") and "<" in parent.type.spelling:
            return f"::{parent.type.get_canonical().spelling}::{self.name}"
        name = f"{qualified(self.cursor)}{self._template}"
        return f"::{name}" if "::" not in name else name

    @property
    def _template(self) -> str:
        return self.name[len(self.cursor.spelling) :] if self.name != self.cursor.spelling else ""


def callable_of(cursor: Any) -> BoundCallable:
    """What `&T::f`, a cast of it, `overload_cast<…>(…)` or a lambda is.

    Raises:
        Left: it is none of these.
    """
    kind, _ = bound(cursor.type)
    if kind in _WRAPPED:
        raise Left(f"{_WRAPPED[kind]}, which the language has no equivalent of")
    found = _target(bare(cursor))
    if found is None:
        raise Left(f"what is bound is neither a function, a member nor a lambda: {_short(cursor)}")
    target, reference = found
    if target.kind.name == "LAMBDA_EXPR":
        return _lambda(target)
    if target.kind.name in ("FIELD_DECL", "VAR_DECL"):
        form = CallableForm.FIELD if target.kind.name == "FIELD_DECL" else CallableForm.VARIABLE
        return BoundCallable(form, target, target.spelling, (), target.type)
    is_member = target.kind.name == "CXX_METHOD" and not target.is_static_method()
    parameters = [(each.spelling, each.type) for each in target.get_arguments()]
    name = target.spelling + _arguments(target, text_of(reference))
    form = CallableForm.MEMBER if is_member else CallableForm.FUNCTION
    return BoundCallable(form, target, name, parameters, target.result_type)


def _target(cursor: Any) -> tuple[Any, Any] | None:
    if cursor.kind.name == "LAMBDA_EXPR":
        return cursor, cursor
    for each in (cursor, *below(cursor)):
        if each.kind.name == "LAMBDA_EXPR":
            return each, each
        to = each.referenced if each.kind.name == "DECL_REF_EXPR" else None
        if to is None or to.kind.name not in _FUNCTIONS or is_of_binder(to):
            continue
        if to.kind.name == "VAR_DECL":
            inside = next((k for k in below(to) if k.kind.name == "LAMBDA_EXPR"), None)
            return (inside, inside) if inside is not None else (to, each)
        return to, each
    return None


def _lambda(cursor: Any) -> BoundCallable:
    members = cursor.type.get_declaration().get_children()
    call = next((each for each in members if each.kind.name == "CXX_METHOD" and each.spelling == "operator()"), None)
    if call is None:
        raise Left("a lambda with `auto` among its parameters")
    parameters = [(each.spelling, each.type) for each in call.get_arguments()]
    return BoundCallable(CallableForm.LAMBDA, cursor, "", parameters, call.result_type)


def _arguments(target: Any, written: str) -> str:
    """The template arguments that a function's name is written with."""
    name, _, arguments = written.rpartition("::")[2].partition("<")
    return f"<{arguments}" if arguments and name.strip() == target.spelling else ""


def _short(cursor: Any) -> str:
    text = " ".join(text_of(cursor).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
