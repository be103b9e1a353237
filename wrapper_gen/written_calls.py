"""Reads the text of `cpp`: the name of what C++ calls, a call with C's arguments in C's order, or an expression.

Which of these it is, its form says, and nothing that only C++ knows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from wrapper_gen.cpp_tokens import PlacedToken, placed_tokens
from wrapper_gen.frozen import frozen

_MEMBER_OF = r"(?:::(?:template\s+)?~?[A-Za-z_]\w*)*"
_PATH = re.compile(r"(?:::)?[A-Za-z_]\w*" + _MEMBER_OF + r"\s*")
_REST = re.compile(_MEMBER_OF)
_OPERATOR = re.compile(
    r"(?:::)?(?:\w+::)*operator\s*(?:\(\)|\[\]|,|->\*?|<=>|(?:<<|>>|[-+*/%^&|=!<>])=?|&&|\|\||\+\+|--|~|\s[\w:]+)"
)
"""An operator by its own name, also one that converts."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_BEHIND_TEMPLATE = frozenset({"(", ")", "{", "}", "]", ",", "::", "*", "&", ">", ""})
"""What can follow template arguments; behind anything else, `>` compares."""
_TYPES = frozenset(
    "bool char char8_t char16_t char32_t wchar_t short int long signed unsigned float double void auto".split()
)
_NO_CALLEES = _TYPES | frozenset(
    "static_cast const_cast reinterpret_cast dynamic_cast sizeof alignof alignas decltype typeid noexcept new delete "
    "throw if for while switch co_await co_yield this".split()
)
"""Words of C++ with parentheses behind them that are no calls of something by its name."""
_STATEMENTS = frozenset({"return", "if", "for", "while", "do", "switch", "try", "throw", "using"})


def call_of(callee: str, arguments: Sequence[str], *, is_member: bool) -> str:
    """The key and value of a call, as a spec has it."""
    text = f"{'.' * is_member}{' '.join(callee.split())}({', '.join(arguments)})"
    return f"cpp: {json.dumps(text, ensure_ascii=False)}"


class BadCall(Exception):
    """What stands in `cpp` is not well-formed: `message`, where from `start` to `end`, and what to do."""

    def __init__(self, message: str, start: int, end: int, hint: str) -> None:
        super().__init__(message)
        self.message, self.start, self.end, self.hint = message, start, end, hint


@frozen
class Piece:
    """A part of the text: what it says, and where it stands in it."""

    text: str
    start: int
    end: int


@frozen
class Cast:
    """The C++ type in parentheses before an argument, and what stands behind it."""

    type: Piece
    of: Piece


@frozen
class WrittenCall:
    """A call: what is called, without the `.` of a member, and its arguments; `end` is where it ends."""

    callee: Piece
    is_member: bool
    arguments: tuple[Piece, ...]
    end: int


@frozen
class WrittenName:
    """A name alone."""

    name: Piece
    is_member: bool


@frozen
class WrittenExpression:
    """C++ whose value is the result."""

    text: Piece


Written = WrittenName | WrittenCall | WrittenExpression


@lru_cache(maxsize=1024)  # asked by several passes
def read_cpp(text: str) -> Written:
    """What the text of `cpp` is; it is not blank, and no lambda.

    Raises:
        BadCall: it is neither a name, nor a call, nor an expression.
    """
    whole = _piece(text, 0, len(text))
    dot = _dot(whole.text)
    name = _piece(text, whole.start + dot, whole.end)
    if is_cpp_name(name.text):
        return WrittenName(name, is_member=bool(dot))
    tokens = _Tokens(text)
    _refuse_statements(tokens)
    opening = _opening_of_call(text, whole.start + dot, tokens)
    if opening is None:
        if dot:
            hint = "write .name, .name(arguments), or an expression over self, such as self->name() > 0"
            raise BadCall("a member that is neither a name nor a call", whole.start, whole.end, hint)
        return WrittenExpression(whole)
    callee = _piece(text, whole.start + dot, tokens.at(opening).start)
    closing = tokens.closing(opening)
    return WrittenCall(callee, bool(dot), tuple(_arguments(text, tokens, opening, closing)), tokens.at(closing).end)


def is_cpp_name(text: str) -> bool:
    """Whether C++ could call this by name; what stands between the first `<` and the last `>` is C++'s own matter."""
    if _OPERATOR.fullmatch(text):
        return True
    before, opening, rest = text.partition("<")
    if not opening:
        return _PATH.fullmatch(text) is not None
    _, closing, after = rest.rpartition(">")
    return bool(closing) and _PATH.fullmatch(before) is not None and _REST.fullmatch(after) is not None


def cast_of(argument: Piece) -> Cast | None:
    """The cast of an argument that begins with one: `(long)x`, `(long *)&x`; None where it has none."""
    tokens = _Tokens(argument.text)
    if not tokens.count or tokens.at(0).text != "(":
        return None
    closing = tokens.closing(0)
    inside = [tokens.at(i).text for i in range(1, closing)]
    if closing + 1 == tokens.count or not _is_type(inside):
        return None
    type_ = _piece(argument.text, tokens.at(0).end, tokens.at(closing).start, argument.start)
    return Cast(type_, _piece(argument.text, tokens.at(closing).end, len(argument.text), argument.start))


def addressed(text: str) -> Iterator[Piece]:
    """The names behind a `&` that takes an address, in a piece of C++."""
    tokens = _Tokens(text)
    for i in range(tokens.count - 1):
        name, before = tokens.at(i + 1), tokens.at(i - 1).text if i else ""
        is_unary = not before or before in "(,{[=!<>?:;" or before in ("return", "&&", "||", "==")
        after = tokens.at(i + 2).text if i + 2 < tokens.count else ""
        if tokens.at(i).text == "&" and is_unary and _WORD.fullmatch(name.text) and after not in ("->", ".", "[", "::"):
            yield Piece(name.text, tokens.at(i).start, name.end)


# --- parts -----------------------------------------------------------------------------------------------------------


def _piece(text: str, start: int, end: int, offset: int = 0) -> Piece:
    """What stands there, without the blanks around it; `offset` is where `text` itself stands."""
    found = text[start:end]
    start += len(found) - len(found.lstrip())
    found = found.strip()
    return Piece(found, offset + start, offset + start + len(found))


def _dot(text: str) -> int:
    """The length of what says that a member is meant."""
    return 1 if text.startswith(".") and not text[1:2].isdigit() and not text.startswith("...") else 0


def _opening_of_call(text: str, start: int, tokens: _Tokens) -> int | None:
    """The token that opens the arguments, where all of the text is one call of something by its name."""
    for i in range(tokens.count):
        at = tokens.at(i)
        if at.text != "(" or not is_cpp_name(text[start : at.start].strip()):
            continue
        called = text[start : at.start].strip()
        if tokens.closing(i) == tokens.count - 1:
            word = _WORD.match(called)
            return None if word and word[0] in _NO_CALLEES else i
        if not called.endswith("operator"):
            return None
    return None


def _arguments(text: str, tokens: _Tokens, opening: int, closing: int) -> Iterator[Piece]:
    """The arguments between these brackets."""
    start, i = tokens.at(opening).end, opening + 1
    commas = 0
    while i < closing:
        token = tokens.at(i)
        if token.text == ",":
            yield _argument(text, start, token.start, Piece(",", token.start, token.end))
            start, commas = token.end, commas + 1
        i = tokens.closing(i) + 1 if tokens.opens(i) else i + 1
    last = tokens.at(closing)
    if commas or text[start : last.start].strip():
        yield _argument(text, start, last.start, Piece(last.text, last.start, last.end))


def _argument(text: str, start: int, end: int, behind: Piece) -> Piece:
    found = _piece(text, start, end)
    if not found.text:
        raise BadCall("an argument is missing", behind.start, behind.end, f"write it before this {behind.text!r}")
    return found


def _refuse_statements(tokens: _Tokens) -> None:
    """Statements have a key of their own."""
    first = tokens.at(0)
    if first.text in _STATEMENTS:
        hint = "write the expression alone" if first.text == "return" else "statements stand in `cpp_body`"
        raise BadCall(f"`{first.text}` begins a statement", first.start, first.end, hint)
    i = 0
    while i < tokens.count:
        each = tokens.at(i)
        if each.text == ";":
            is_last = i == tokens.count - 1
            hint = "drop it" if is_last else "statements stand in `cpp_body`"
            raise BadCall("a `;` ends a statement", each.start, each.end, hint)
        i = tokens.closing(i) + 1 if tokens.opens(i) else i + 1


def _is_type(tokens: Sequence[str]) -> bool:
    """Whether tokens can be a type in the parentheses of a cast."""
    stars = len(tokens)
    while stars and tokens[stars - 1] in ("*", "const", "&"):
        stars -= 1
    named = tokens[:stars]
    if not named or (not _WORD.fullmatch(named[0]) and named[0] != "::"):
        return False
    depth = 0
    for before, each in zip(["", *named], named, strict=False):
        depth += (each == "<") - (each == ">")
        is_plain = _WORD.fullmatch(each) or each in ("::", "<", ">")
        if depth == 0 and not is_plain:
            return False
        is_second_word = _WORD.fullmatch(each) and _WORD.fullmatch(before)
        if is_second_word and not {before, each} & (_TYPES | {"const", "struct", "enum", "union", "volatile"}):
            return False
    return depth == 0


class _Tokens:
    """The tokens of C++ with their places, and which bracket closes which."""

    def __init__(self, text: str) -> None:
        self._tokens: list[PlacedToken] = placed_tokens(text)
        self.count = len(self._tokens)
        self._closing: dict[int, int] = {}
        self._check_literals()
        self._match()

    def at(self, i: int) -> PlacedToken:
        return self._tokens[i]

    def opens(self, i: int) -> bool:
        """Whether this bracket is closed by another token."""
        return i in self._closing

    def closing(self, i: int) -> int:
        return self._closing[i]

    def _check_literals(self) -> None:
        for each in self._tokens:
            quote = each.text[0]
            if quote in "\"'" and (len(each.text) == 1 or each.text[-1] != quote):
                raise BadCall(f"{quote} is never closed", each.start, each.start + 1, f"write another {quote}")

    def _match(self) -> None:
        stack: list[int] = []
        for i, token in enumerate(self._tokens):
            if token.text in _CLOSING or (token.text == "<" and self._begins_template(i)):
                stack.append(i)
            elif token.text in _CLOSING.values():
                while stack and self._tokens[stack[-1]].text == "<":
                    stack.pop()  # it was a comparison after all
                self._close(stack, i)
            elif token.text == ">" and stack and self._tokens[stack[-1]].text == "<" and self._ends_template(i):
                self._closing[stack.pop()] = i
        left = [each for each in stack if self._tokens[each].text != "<"]
        if left:
            first = self._tokens[left[0]]
            hint = f"write `{_CLOSING[first.text]}` where it ends"
            raise BadCall(f"`{first.text}` is never closed", first.start, first.end, hint)

    def _close(self, stack: list[int], i: int) -> None:
        token = self._tokens[i]
        if not stack:
            raise BadCall(f"`{token.text}` closes nothing", token.start, token.end, "drop it")
        at = stack.pop()
        opening = self._tokens[at].text
        if _CLOSING[opening] != token.text:
            hint = f"write `{_CLOSING[opening]}` before it"
            raise BadCall(f"`{token.text}` where `{opening}` is open", token.start, token.end, hint)
        self._closing[at] = i

    def _begins_template(self, i: int) -> bool:
        """Whether it stands right behind a name: `f<int>`, but `a < b`."""
        if i == 0:
            return False
        before = self._tokens[i - 1]
        return _WORD.fullmatch(before.text) is not None and before.end == self._tokens[i].start

    def _ends_template(self, i: int) -> bool:
        behind = self._tokens[i + 1].text if i + 1 < self.count else ""
        return behind in _BEHIND_TEMPLATE
