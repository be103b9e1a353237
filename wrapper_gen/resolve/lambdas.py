"""Reads the parameter list of a C++ lambda: how many parameters, and how each wants a handle."""

from __future__ import annotations

import re

from wrapper_gen.cpp_tokens import tokens_of
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Passing

_WORD = re.compile(r"[A-Za-z_]\w*")
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
    tokens = tokens_of(text)
    brackets = _Brackets(tokens)
    at = brackets.closing(0) + 1
    if at < len(tokens) and tokens[at] == "<":
        at = brackets.closing(at) + 1
        while at < len(tokens) and tokens[at] not in ("(", "{"):  # a requires-clause
            at += 1
    if at >= len(tokens):
        raise BadLambda("it has captures, but no body")
    if tokens[at] != "(":
        return LambdaParameters((), 0, False)
    end = brackets.closing(at)
    if "{" not in tokens[end:]:
        raise BadLambda("it has parameters, but no body")
    parameters = _split(tokens, at + 1, end, brackets)
    if parameters == [("void",)]:
        parameters = []
    optional = sum("=" in p for p in parameters)
    is_pack = bool(parameters) and "..." in parameters[-1]
    return LambdaParameters(tuple(parameters), optional, is_pack)


def lambda_body(text: str) -> list[str]:
    """The tokens of what a lambda does.

    Raises:
        BadLambda: when brackets do not match.
    """
    tokens = tokens_of(text)
    brackets = _Brackets(tokens)
    at = brackets.closing(0)
    while at < len(tokens) and tokens[at] != "{":
        at = brackets.closing(at) + 1 if tokens[at] == "(" else at + 1
    return tokens[at + 1 : -1]


def names_of(found: LambdaParameters) -> list[str]:
    """What a lambda calls its parameters; empty for one without a name, and for a pack."""
    return [_name_of(tokens) for tokens in found.parameters]


def _name_of(tokens: tuple[str, ...]) -> str:
    declared = list(tokens[: tokens.index("=")] if "=" in tokens else tokens)
    words = [i for i, t in enumerate(declared) if _WORD.fullmatch(t)]
    return declared[words[-1]] if words and "..." not in declared and _is_declared_name(declared, words) else ""


class _Brackets:
    """Which bracket closes which, found in one pass; `<` and `>` count only where they can be brackets."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._closing: dict[int, int] = {}
        self._misfit = ""
        """The bracket that closes what was not open: nothing is known from there on."""
        stack: list[int] = []
        for i, token in enumerate(tokens):
            if token in _OPENING and (token != "<" or self._opens_template(i)):
                stack.append(i)
            elif token in (")", "]", "}"):
                while stack and tokens[stack[-1]] == "<":
                    stack.pop()  # it was a comparison after all
                if not stack or _OPENING[tokens[stack[-1]]] != token:
                    self._misfit = token
                    break
                self._closing[stack.pop()] = i
            elif token == ">" and stack and tokens[stack[-1]] == "<":
                self._closing[stack.pop()] = i

    def _opens_template(self, i: int) -> bool:
        """After a name, or (a lambda's own template parameters) after the captures."""
        return i > 0 and (_WORD.fullmatch(self._tokens[i - 1]) is not None or self._closing.get(0) == i - 1)

    def is_closed(self, opening: int) -> bool:
        return opening in self._closing

    def closing(self, opening: int) -> int:
        """The index of the bracket that closes the one at `opening`.

        Raises:
            BadLambda: when none does.
        """
        if opening in self._closing:
            return self._closing[opening]
        reason = f"unexpected {self._misfit!r}" if self._misfit else f"{self._tokens[opening]!r} is never closed"
        raise BadLambda(reason)


def _split(tokens: list[str], start: int, end: int, brackets: _Brackets) -> list[tuple[str, ...]]:
    """The tokens between top-level commas, of those from `start` to `end`."""
    parts: list[tuple[str, ...]] = []
    i = start
    while i < end:
        if tokens[i] in _OPENING and (tokens[i] != "<" or brackets.is_closed(i)):
            i = brackets.closing(i)
        elif tokens[i] == ",":
            parts.append(tuple(tokens[start:i]))
            start = i + 1
        i += 1
    last = tuple(tokens[start:end])
    return [*parts, last] if last or parts else []


def passing(tokens: tuple[str, ...], handle: str, can_be_pointer: bool) -> Passing:
    """How a parameter wants a `handle`: as the struct if its type names it, else what the struct holds."""
    declared = list(tokens[: tokens.index("=")] if "=" in tokens else tokens)
    words = [i for i, t in enumerate(declared) if _WORD.fullmatch(t)]
    if words and _is_declared_name(declared, words):
        declared = declared[: words[-1]] + declared[words[-1] + 1 :]
    for i, token in enumerate(declared):
        if token == handle and (i == 0 or declared[i - 1] != "::"):
            return Passing.POINTER if can_be_pointer and "*" in declared[i:] else Passing.STRUCT
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
