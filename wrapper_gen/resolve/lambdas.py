"""Reads the parameter list of a C++ lambda: how many parameters, and how each wants a handle."""

from __future__ import annotations

import re

from wrapper_gen.frozen import frozen
from wrapper_gen.model import Passing

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<raw>R"(?P<delimiter>[^()\\\s]*)\(.*?\)(?P=delimiter)")
      | (?P<literal>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
      | (?P<word>[A-Za-z_]\w*)
      | (?P<number>\d[\w.']*)
      | (?P<mark>::|->|\.\.\.|.)""",
    re.VERBOSE | re.DOTALL,
)
_OPENING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_CV = {"const", "volatile", "struct", "class", "typename", "auto", "mutable", "register", "unsigned", "signed"}


class BadLambda(Exception):
    """The text starts like a lambda but is none; `args[0]` says why."""


@frozen
class LambdaParameters:
    """Tokens by parameter. The last `optional` of them have defaults; a pack at the end takes any number."""

    parameters: tuple[tuple[str, ...], ...]
    optional: int
    is_pack: bool

    def accepts(self, count: int) -> bool:
        if self.is_pack:
            return count >= len(self.parameters) - 1 - self.optional
        return len(self.parameters) - self.optional <= count <= len(self.parameters)

    def tokens(self, index: int) -> tuple[str, ...]:
        """The tokens of the parameter that takes argument `index`."""
        return self.parameters[min(index, len(self.parameters) - 1)]


def is_lambda(text: str) -> bool:
    return text.lstrip().startswith("[")


def read_lambda(text: str) -> LambdaParameters:
    """The parameters of a lambda.

    Raises:
        BadLambda: when brackets do not match, or nothing follows the captures.
    """
    tokens = [m[0] for m in _TOKEN.finditer(text) if m.lastgroup != "skip"]
    at = _closing(tokens, 0) + 1
    if at < len(tokens) and tokens[at] == "<":
        at = _closing(tokens, at) + 1
        while at < len(tokens) and tokens[at] not in ("(", "{"):  # a requires-clause
            at += 1
    if at >= len(tokens):
        raise BadLambda("it has captures, but no body")
    if tokens[at] != "(":
        return LambdaParameters((), 0, False)
    end = _closing(tokens, at)
    if "{" not in tokens[end:]:
        raise BadLambda("it has parameters, but no body")
    parameters = _split(tokens[at + 1 : end])
    if parameters == [("void",)]:
        parameters = []
    optional = sum("=" in p for p in parameters)
    is_pack = bool(parameters) and "..." in parameters[-1]
    return LambdaParameters(tuple(parameters), optional, is_pack)


def _closing(tokens: list[str], start: int) -> int:
    """Index of the bracket that closes the one at `start`; `<` and `>` count only where they can be brackets."""
    stack: list[str] = []
    for i in range(start, len(tokens)):
        token = tokens[i]
        if token in _OPENING and (token != "<" or i == start or _opens_template(tokens, i)):
            stack.append(_OPENING[token])
        elif token in (")", "]", "}"):
            while stack and stack[-1] == ">" and token != ">":
                stack.pop()  # it was a comparison after all
            if not stack or stack.pop() != token:
                raise BadLambda(f"unexpected {token!r}")
        elif token == ">" and stack and stack[-1] == ">":
            stack.pop()
        if not stack:
            return i
    raise BadLambda(f"{tokens[start]!r} is never closed")


def _opens_template(tokens: list[str], i: int) -> bool:
    return i > 0 and re.fullmatch(r"[A-Za-z_]\w*", tokens[i - 1]) is not None


def _split(tokens: list[str]) -> list[tuple[str, ...]]:
    """The tokens between top-level commas."""
    parts: list[tuple[str, ...]] = []
    start = i = 0
    while i < len(tokens):
        if tokens[i] in _OPENING and (tokens[i] != "<" or _opens_template(tokens, i)):
            try:
                i = _closing(tokens, i)
            except BadLambda:
                if tokens[i] != "<":
                    raise
        elif tokens[i] == ",":
            parts.append(tuple(tokens[start:i]))
            start = i + 1
        i += 1
    last = tuple(tokens[start:])
    return [*parts, last] if last or parts else []


def passing(tokens: tuple[str, ...], handle: str, is_optional: bool) -> Passing:
    """How a parameter wants a `handle`: as the struct if its type names it, else what the struct holds."""
    declared = list(tokens[: tokens.index("=")] if "=" in tokens else tokens)
    words = [i for i, t in enumerate(declared) if re.fullmatch(r"[A-Za-z_]\w*", t)]
    if words and _is_declared_name(declared, words):
        declared = declared[: words[-1]] + declared[words[-1] + 1 :]
    for i, token in enumerate(declared):
        if token == handle and (i == 0 or declared[i - 1] != "::"):
            return Passing.POINTER if is_optional and "*" in declared[i:] else Passing.STRUCT
    return Passing.INNER


def _is_declared_name(tokens: list[str], words: list[int]) -> bool:
    """Whether the last word is the parameter's name, and not (part of) its type."""
    last = words[-1]
    if last != len(tokens) - 1 and tokens[last + 1] not in ("[", ")"):
        return False
    if last > 0 and tokens[last - 1] == "::":
        return False
    before = [tokens[i] for i in words[:-1] if tokens[i] not in _CV]
    return bool(before) or "auto" in tokens[:last]
