"""Names of the library that the struct of a handle type hides, where the bridge has the spec's code."""

from __future__ import annotations

import re
from itertools import pairwise

from wrapper_gen.frozen import replace
from wrapper_gen.model import Body, Code, Implementation, Lambda, Named
from wrapper_gen.resolve.lambdas import tokens_of
from wrapper_gen.resolve.scope import Scope

_QUALIFIED = re.compile(r"(?<![\w:.>])([A-Za-z_]\w*)(?=\s*::)")
"""The first part of a name in a namespace or in a class."""
_OF_THE_STRUCT = "inner"


def past_handles(implementation: Implementation, scope: Scope) -> Implementation:
    """The same, where a namespace or class of the library has the name of a handle type.

    What the spec calls by name is found beside the struct; code of the spec has to say which of the two it means.
    """
    match implementation:
        case Named(name, accessor=None):
            found = _QUALIFIED.sub(lambda m: f"::{m[1]}" if m[1] in scope.handles else m[1], name.text)
            return replace(implementation, name=replace(name, text=found)) if found != name.text else implementation
        case Lambda(code) | Body(code):
            _check(code, scope)
    return implementation


def _check(code: Code, scope: Scope) -> None:
    """Reports what code names in a namespace or class, where it is looked for in the struct of a handle type."""
    tokens = tokens_of(code.text)
    for i, (before, token, colons, member) in enumerate(
        zip(["", *tokens], tokens, tokens[1:], tokens[2:], strict=False)
    ):
        if token not in scope.handles or colons != "::" or before in ("::", ".", "->") or member == _OF_THE_STRUCT:
            continue
        if not _declares(token, tokens[:i]):
            message = f"{token}::{member} is looked for in the struct of the handle type {token}, which this code sees"
            scope.error("WG248", message, code.span, f"write ::{token}::{member} for the library's")
            return


def _declares(name: str, tokens: list[str]) -> bool:
    """Whether code declares the name for itself, as another one of a class or of a namespace."""
    both = pairwise(tokens)
    return any(before in ("using", "namespace", "typename", "class") and each == name for before, each in both)
