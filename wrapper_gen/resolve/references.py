"""Pointers and references of a lambda that no part of the signature accounts for: nobody reads what it writes there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wrapper_gen.diagnostics import Fix, Severity
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import is_copied, is_number

Tokens = tuple[str, ...]


def check_references(entry: Map, key: str, given: Sequence[tuple[Tokens, Type]], scope: Scope) -> None:
    """Report each parameter that wants to write into a value which is the call's own.

    Args:
        entry: the function or method.
        key: where its lambda stands.
        given: the tokens of each parameter, and the type that is declared for it.
        scope: the spec.
    """
    for tokens, type_ in given:
        mark = _writes(tokens)
        if is_copied(type_) and (mark or ("*" in _outside(tokens) and is_number(type_))):
            _report(entry, key, tokens, str(type_), scope)


def surplus(entry: Map, key: str, parameters: Sequence[Tokens], scope: Scope) -> bool:
    """Report parameters that the signature does not have, where all of them are written to; whether they are."""
    if not parameters or not all(map(_writes, parameters)):
        return False
    for tokens in parameters:
        _report(entry, key, tokens, "", scope)
    return True


def _report(entry: Map, key: str, tokens: Tokens, declared: str, scope: Scope) -> None:
    shown, found = _shown(tokens), _found(tokens, scope.document.text(entry, key))
    span = scope.document.part(entry, key, *found.span()) if found else scope.document.span(entry, key)
    fixes: tuple[Fix, ...] = ()
    if found and declared and "&" in tokens and "\n" not in found[0]:
        fixes = (Fix("it is a value of the lambda's own", span, found[0].replace("&", " ", 1).replace("  ", " ")),)
    message = f"nothing reads what {shown!r} is written to" + (f", which is {declared} to Python" if declared else "")
    hint = "return what it writes; write `const` where it only reads; or declare memory that is written: &mut [T]"
    is_error = not declared or not scope.document.is_original(entry)
    severity = Severity.ERROR if is_error else Severity.WARNING
    scope.report("WG103", message, span, hint, severity, fixes)


def _found(tokens: Tokens, text: str) -> re.Match[str] | None:
    return re.search(r"\s*".join(map(re.escape, _without_default(tokens))), text)


def _without_default(tokens: Tokens) -> Tokens:
    return tokens[: tokens.index("=")] if "=" in tokens else tokens


def _shown(tokens: Tokens) -> str:
    """The parameter as one writes it."""
    text = " ".join(_without_default(tokens))
    return re.sub(r"\s*(::|<|>)\s*", r"\1", text).replace("& ", "&").replace("* ", "*")


def _outside(tokens: Tokens) -> list[str]:
    """What stands outside of template arguments and parentheses."""
    depth, found = 0, []
    for token in _without_default(tokens):
        depth += (token in "<(") - (token in ">)")
        found += [token] if depth == 0 else []
    return found


def _writes(tokens: Tokens) -> bool:
    """Whether it is a pointer or an lvalue reference to what is not const."""
    own = _outside(tokens)
    is_reference = own.count("&") == 1
    return (is_reference or "*" in own) and "const" not in own
