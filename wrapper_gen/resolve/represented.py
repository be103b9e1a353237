"""Arguments, fields and results of callables whose type `types` names: of Python's values C++ ones are made."""

from __future__ import annotations

import re

from wrapper_gen.diagnostics import Span
from wrapper_gen.resolve.scope import Scope
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import has_callables, structs_in
from wrapper_gen.types.recursion import is_ambiguous, recursive_in

_WORD = re.compile(r"\w+")
_HOW = "let `tag` and each case be members, or say how each is made: {type: i64, data: …, make: of_int(value)}"


def named_in(text: str, scope: Scope) -> list[str]:
    """The names of `types` that a type mentions."""
    return [each for each in dict.fromkeys(_WORD.findall(text)) if each in scope.findings.representations]


def is_represented(type_: Type | None, text: str, scope: Scope) -> bool:
    """Whether C++ may want what an argument of this type stands for."""
    if not scope.findings.representations or type_ is None or has_callables(type_):
        return False
    return any(scope.findings.representations[each].can_be_made for each in named_in(text, scope))


def check_made(type_: Type, span: Span, scope: Scope) -> bool:
    """Whether values of Python's can be of this type: report one that is a part of itself and cannot be made."""
    for name in sorted(recursive_in(type_) & scope.findings.representations.keys()):
        one = scope.findings.representations[name]
        if not one.can_be_made:
            scope.error("WG118", f"nothing says how a {name} is made of a value of Python's", span, _HOW)
            return False
        if is_ambiguous(one.of, name):
            hint = "keep one case with a list or a tuple of it, and one with a dict; a function may return all"
            scope.error("WG118", f"a list of Python's could be a {name} in several ways", span, hint)
            return False
    return True


def check_field(type_: Type, text: str, span: Span, scope: Scope) -> None:
    """A field is written as well as read."""
    unmade = [each for each in named_in(text, scope) if not scope.findings.representations[each].can_be_made]
    if unmade:
        hint = "let `data` and `length`, or each case, be members; or say how one is made: make: …"
        message = f"nothing says how a {unmade[0]} is made of what a record has"
        scope.error("WG073", message, span, hint)
    elif check_made(type_, span, scope):
        inner = {each for name in recursive_in(type_) for each in structs_in(scope.findings.representations[name].of)}
        if inner:
            hint = "let a function return it"
            scope.error("WG073", f"a field cannot have {min(inner)} in a value that is a part of itself", span, hint)
