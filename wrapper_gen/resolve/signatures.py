"""The text of a `def` taken apart: tokens, then one function a rule of the grammar. Types stay text here.

def       = kind? (NAME ".")? NAME ("(" (parameter ("," parameter)* ","?)? ")")? ("->" TYPE)?
kind      = "static" | "virtual" | "abstract" | "optional" | "protected"
parameter = "/" | "*" | NAME ":" TYPE ("=" (value | "..."))? | "*" NAME ":" TYPE | "**" NAME ":" TYPE
value     = TEXT | NUMBER | word ("|" word)* | "[" values "]" | "(" values ")" | "{" (value ":" value)* "}"
word      = NAME ("." NAME)*

A TYPE reaches up to the next mark of the signature that stands outside of brackets.
"""

from __future__ import annotations

import re

from wrapper_gen.frozen import frozen, replace
from wrapper_gen.resolve.literals import Literal, Literals

_TOKEN = r"""(?xsi)
        (?P<text>b?(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))
      | (?P<number>[-+]?(?:\.(?:inf|nan)\b|\.?\d[\w.]*(?:(?<=[eE])[-+]\d+)?))
      | (?P<word>[A-Za-z_]\w*(?:::\w+)*)
      | (?P<mark>->|\*\*|\S)"""
"""Compiled with the first `def`."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
STATIC = "static"
"""The word before the name of a method that Python calls on its class."""
OVERRIDDEN = ("virtual", "abstract", "optional")
"""The words before the name of one that classes of Python may override, have to, or may where C++ has none."""
PROTECTED = "protected"
"""Before the name of a method that only derived classes can call."""
KINDS = (STATIC, *OVERRIDDEN, PROTECTED)
DEEPEST = 16
"""Levels that a default may have."""


class BadSignature(Exception):
    """What is wrong with the text of a `def`, with which part of it, and what to do."""

    def __init__(self, message: str, hint: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.start = start
        self.end = end


@frozen
class SignaturePart:
    """A part of the text, and where it stands there."""

    text: str
    start: int
    end: int


@frozen
class DefParameter:
    """One parameter; `default` is where its value stands in the signature's literals, or None."""

    name: SignaturePart
    type: SignaturePart
    default: int | None
    gathers: str = ""
    """`*` of what has all other arguments, `**` of what has other keywords, or the fields of a struct."""
    is_keyword: bool = False
    is_positional: bool = False
    by_default: bool = False
    """Whether it has `= ...`, what C++ has by default: `shorter_forms` makes entries without it."""
    end: int = 0
    """Where it ends, with its default."""


@frozen
class Definition:
    """A `def`. Without parentheses it is a property: then `parameters` is None."""

    kind: SignaturePart | None
    handle: SignaturePart | None
    name: SignaturePart
    parameters: tuple[DefParameter, ...] | None
    returns: SignaturePart | None
    literals: Literals


@frozen
class TypedValue:
    """A type, and the value that it may have after a `=`: its index in `literals`, or None."""

    type: SignaturePart
    default: int | None
    literals: Literals


def parse_typed(text: str) -> TypedValue:
    """The parts of a field of a record, `f64` or `f64 = 1.5`.

    Raises:
        BadSignature: with where in the text.
    """
    return _SignatureParser(text).typed()


def parse_def(text: str) -> Definition:
    """The parts of a `def`.

    Raises:
        BadSignature: with where in the text.
    """
    try:
        return _SignatureParser(text).whole()
    except BadSignature:
        from wrapper_gen.types.foreign import signature_of  # rarely needed: not worth its import on every start

        ours = signature_of(text)
        if ours is None:
            raise
        hint = f"write {ours}" if ours else "write each parameter as `name: type`, and the result's type after `->`"
        raise BadSignature("a function as C declares it", hint, 0, len(text)) from None


def _part(token: re.Match[str]) -> SignaturePart:
    return SignaturePart(token[0], *token.span())


class _SignatureParser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(re.finditer(_TOKEN, text))
        self._texts = [*(token[0] for token in self._tokens), ""]  # the last one is no token
        self._at = 0
        self._literals = Literals()
        self._of_cpp = "; or `...`, what C++ has by default"
        """A default that a parameter may have, and a field may not."""

    def whole(self) -> Definition:
        kind = self._method_kind()
        handle, name = self._names()
        parameters = self._parameters() if self._is_next("(") else None
        returns = self._returns(name, parameters is None)
        return Definition(kind, handle, name, parameters, returns, self._literals)

    def typed(self) -> TypedValue:
        self._of_cpp = ""
        type_ = self._type(("=",), "write a type")
        default = self._literals.add(self._value(0)) if self._take("=") else None
        if not self._is_end:
            raise self._unexpected("the default is the end of a field")
        return TypedValue(type_, default, self._literals)

    # --- tokens ---

    @property
    def _is_end(self) -> bool:
        return self._at == len(self._tokens)

    @property
    def _next(self) -> SignaturePart | None:
        return None if self._is_end else _part(self._tokens[self._at])

    @property
    def _kind(self) -> str:
        return "" if self._is_end else self._tokens[self._at].lastgroup or ""

    def _is_next(self, text: str) -> bool:
        return self._texts[self._at] == text

    def _take(self, text: str) -> bool:
        taken = self._is_next(text)
        self._at += taken
        return taken

    def _taken(self) -> SignaturePart:
        self._at += 1
        return _part(self._tokens[self._at - 1])

    def _unexpected(self, hint: str) -> BadSignature:
        """The next token does not belong here; `hint` says what does."""
        found = self._next
        if found is None:
            end = len(self._text)
            return BadSignature("the signature ends too early", hint, max(end - 1, 0), end)
        if found.text in ("'", '"'):
            return BadSignature("the text in quotes does not end", "close the quotes", found.start, len(self._text))
        if found.text == "$":
            hint = "`$` is for the variables of a `for`, which the entry does not have"
        return BadSignature(f"unexpected {found.text!r} in the signature", hint, found.start, found.end)

    def _unclosed(self, opened: SignaturePart) -> BadSignature:
        closing = _CLOSING[opened.text]
        return BadSignature(f"this {opened.text!r} is not closed", f"add {closing!r}", opened.start, opened.end)

    # --- names and result ---

    def _method_kind(self) -> SignaturePart | None:
        """The word before a name; a method may also be called so."""
        after = self._tokens[self._at + 1 : self._at + 2]
        if not after or after[0].lastgroup != "word" or self._texts[self._at] not in KINDS:
            return None
        kind = self._taken()
        second = self._method_kind()
        if second:
            hint = f"write one of them: {kind.text}, or {second.text}"
            raise BadSignature("two words before the name of a method", hint, kind.start, second.end)
        return kind

    def _names(self) -> tuple[SignaturePart | None, SignaturePart]:
        if self._is_next("def"):
            after = self._tokens[self._at + 1 : self._at + 2]
            if after and after[0].lastgroup == "word":
                word = self._taken()
                raise BadSignature("the signature starts with 'def'", "leave it out", word.start, word.end)
        name = self._name("write a name and what it takes: open(path: text) -> Connection")
        owner: SignaturePart | None = None
        while self._take("."):
            start = owner.start if owner else name.start
            owner = SignaturePart(self._text[start : name.end], start, name.end)
            name = self._name(f"write the name of a method after `{owner.text}.`")
        return owner, name

    def _name(self, hint: str) -> SignaturePart:
        if self._kind != "word" or not _NAME.fullmatch(self._texts[self._at]):
            raise self._unexpected(hint)
        return self._taken()

    def _returns(self, name: SignaturePart, is_property: bool) -> SignaturePart | None:
        if self._is_end and not is_property:
            return None
        if not self._is_next("->"):
            hint = "write `->` before the type of the result"
            if is_property and self._is_end:
                message = f"{name.text!r} has neither parentheses nor a type"
                hint = f"a property is `{name.text} -> i64`, and a method `{name.text}()`"
                raise BadSignature(message, hint, name.start, name.end)
            raise self._unexpected(hint)
        self._taken()
        returns = self._type((), "write the type of the result after `->`, or leave out both")
        if not self._is_end:
            raise self._unexpected("the type of the result is the end of a signature")
        return returns

    # --- parameters ---

    def _parameters(self) -> tuple[DefParameter, ...]:
        opened = self._taken()
        found: list[DefParameter] = []
        star: SignaturePart | None = None
        has_slash = False
        while not self._take(")"):
            if self._is_end:
                raise self._unclosed(opened)
            if self._is_next("/"):
                found = self._slash(found, star, has_slash=has_slash)
                has_slash = True
            elif self._is_next("*"):
                star, rest = self._star(star)
                found += rest
            else:
                one = self._parameter(is_first=not found)
                found.append(replace(one, is_keyword=star is not None or bool(one.gathers)))
            if not self._take(",") and not self._is_next(")"):
                if self._is_end:
                    raise self._unclosed(opened)
                raise self._unexpected("a comma goes between parameters, and `)` after the last")
        if star and star.text == "*" and not any(each.is_keyword and not each.gathers for each in found):
            raise BadSignature("no parameter follows the '*'", "drop it", star.start, star.end)
        return tuple(found)

    def _slash(self, found: list[DefParameter], star: SignaturePart | None, *, has_slash: bool) -> list[DefParameter]:
        """The mark after parameters that are given without their names."""
        mark = self._taken()
        if not found or has_slash or star:
            wrong = "is there twice" if has_slash else "follows the '*'" if star else "stands before all parameters"
            hint = "parameters before it are given without their names: scale(value: f64, /, by: f64)"
            raise BadSignature(f"the '/' {wrong}", hint, mark.start, mark.end)
        return [replace(each, is_positional=True) for each in found]

    def _star(self, before: SignaturePart | None) -> tuple[SignaturePart, list[DefParameter]]:
        """The mark before parameters that are given by name only, which may be one that has all other arguments."""
        mark = self._taken()
        if before:
            hint = "parameters after the first one are given by name only"
            raise BadSignature("the '*' is there twice", hint, mark.start, mark.end)
        if self._kind != "word":
            return mark, []
        gathering = self._gathering("*", "args: i64")
        return replace(mark, text=f"*{gathering.name.text}"), [gathering]

    def _parameter(self, *, is_first: bool) -> DefParameter:
        if self._take("**"):
            found = self._gathering("**", "options: ReadOptions")
            self._take(",")
            if not self._is_next(")") and not self._is_end:
                raise self._unexpected("options stand last in a signature; C's order is for a call in `cpp`")
            return found
        name = self._name("write parameters as name: type")
        if not self._take(":"):
            if is_first and name.text in ("self", "cls", "h"):
                hint = "leave it out: a method's handle is none of its parameters"
                raise BadSignature(f"{name.text!r} is among the parameters", hint, name.start, name.end)
            message = f"the parameter {name.text!r} has no type"
            raise BadSignature(message, f"write {name.text}: i64, or another type", name.start, name.end)
        type_ = self._type((",", ")", "="), f"write the type of {name.text!r}")
        default, by_default = None, False
        if self._take("="):
            by_default = self._texts[self._at : self._at + 3] == ["."] * 3
            self._at += 3 * by_default
            default = None if by_default else self._literals.add(self._value(0))
        end = self._tokens[self._at - 1].end()
        return DefParameter(name, type_, default, by_default=by_default, end=end)

    def _gathering(self, mark: str, example: str) -> DefParameter:
        """What stands after the mark: all other arguments, or options."""
        name = self._name(f"write a name and the type of each: {mark}{example}")
        if not self._take(":"):
            message = f"{mark}{name.text} has no type"
            raise BadSignature(message, f"write the type of each: {mark}{example}", name.start, name.end)
        type_ = self._type((",", ")", "="), f"write the type of each after {name.text!r}: {mark}{example}")
        if self._is_next("="):
            raise self._unexpected(f"{mark}{name.text} has no default: without arguments it is empty")
        return DefParameter(name, type_, None, gathers=mark, is_keyword=True)

    def _type(self, ends: tuple[str, ...], hint: str) -> SignaturePart:
        """The text of a type, up to one of these marks outside of brackets."""
        first = self._at
        opened: list[int] = []
        while not self._is_end and (opened or self._texts[self._at] not in ends):
            text = self._texts[self._at]
            if text in _CLOSING:
                opened.append(self._at)
            elif text in _CLOSING.values():
                if not opened:
                    raise self._unexpected("no bracket is open here")
                if _CLOSING[self._texts[opened[-1]]] != text:
                    raise self._unclosed(_part(self._tokens[opened[-1]]))
                opened.pop()
            self._at += 1
        if opened:
            raise self._unclosed(_part(self._tokens[opened[0]]))
        if self._at == first:
            raise self._unexpected(hint)
        start, end = self._tokens[first].start(), self._tokens[self._at - 1].end()
        return SignaturePart(self._text[start:end], start, end)

    # --- defaults ---

    def _value(self, depth: int) -> Literal:
        token = self._next
        if depth == DEEPEST:
            at = token or SignaturePart("", len(self._text) - 1, len(self._text))
            raise BadSignature(f"a default that nests more than {DEEPEST} levels", "simplify it", at.start, at.end)
        if token is None or (self._kind == "mark" and token.text not in _CLOSING):
            hint = f"write a default: a number, text in quotes, true, null, or the value of an enum{self._of_cpp}"
            raise self._unexpected(hint)
        if self._kind == "word":
            return self._words()
        opened = self._taken()
        if self._tokens[self._at - 1].lastgroup == "mark":
            return self._container(opened, depth + 1)
        try:
            return self._literals.scalar(opened.text, opened.start, opened.end)
        except ValueError as error:
            message, hint = error.args
            raise BadSignature(message, hint, opened.start, opened.end) from None

    def _words(self) -> Literal:
        """The value of an enum, or several; or one of the words that stand for a value."""
        first = self._taken()
        while self._is_next(".") or self._is_next("|"):
            self._at += 1
            self._name("write the name of an enum's value")
        end = self._tokens[self._at - 1].end()
        return self._literals.words(self._text[first.start : end], first.start, end)

    def _container(self, opened: SignaturePart, depth: int) -> Literal:
        closing = _CLOSING[opened.text]
        items: list[tuple[Literal | None, Literal]] = []
        has_comma = False
        while not self._take(closing):
            if self._is_end:
                raise self._unclosed(opened)
            key = None
            if opened.text == "{":
                key = self._value(depth)
                if not self._take(":"):
                    raise self._unexpected("write key: value")
            items.append((key, self._value(depth)))
            if not self._take(","):
                if not self._is_next(closing):
                    raise (
                        self._unclosed(opened)
                        if self._is_end
                        else self._unexpected(f"a comma goes between values, and {closing!r} after the last")
                    )
                continue
            has_comma = True
        end = self._tokens[self._at - 1].end()
        if opened.text == "{":
            try:
                return self._literals.mapping([(k, v) for k, v in items if k is not None], opened.start, end)
            except ValueError as error:
                message, hint, at = error.args
                raise BadSignature(message, hint, at.start, at.end) from None
        if opened.text == "(" and len(items) == 1 and not has_comma:
            return items[0][1]
        return self._literals.sequence([value for _, value in items], opened.start, end)
