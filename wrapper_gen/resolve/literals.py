"""Values that are written in a signature, as YAML's data would be: `types.values` reads both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from wrapper_gen.frozen import frozen
from wrapper_gen.spec.yaml_scalars import TwoReadings, plain_value
from wrapper_gen.types.values import Word

_ESCAPE = r"(?s)\\(?:(?P<hex>x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|(?P<char>.))"  # compiled when used
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", "'": "'", '"': '"'}
_WORDS = {
    **dict.fromkeys(("true", "True"), True),
    **dict.fromkeys(("false", "False"), False),
    **dict.fromkeys(("null", "None")),
}


@frozen
class Literal:
    """A value, how it is written (text without quotes), and where in the signature."""

    value: Any
    raw: str
    start: int
    end: int


class Literals:
    """All values of a signature: plain data, of which each part's text and place is known."""

    def __init__(self) -> None:
        self.data: list[Any] = []
        self._parts: dict[tuple[int, str | int], Literal] = {}
        self._keys: dict[tuple[int, str | int], Literal] = {}

    def add(self, written: Literal) -> int:
        """Keep a value; returns its index in `data`."""
        index = len(self.data)
        self._put(self.data, index, written)
        return index

    def text(self, container: object, key: str | int) -> str:
        """A scalar as it is written."""
        return self._parts[id(container), key].raw

    def place(self, container: object, key: str | int, *, is_key: bool = False) -> tuple[int, int]:
        """From where to where in the signature a value, or its key, stands."""
        found = (self._keys if is_key else self._parts)[id(container), key]
        return found.start, found.end

    # --- what the grammar makes ---

    def scalar(self, raw: str, start: int, end: int) -> Literal:
        """A number, or text in quotes.

        Raises:
            ValueError: what is wrong, and what to do.
        """
        if raw[-1] in "'\"":
            value = _unquoted(raw)
            return Literal(value, value if isinstance(value, str) else raw, start, end)
        try:
            number = plain_value(raw)
        except TwoReadings as two:
            raise ValueError(f"{raw!r} does not mean the same to every reader", str(two)) from None
        except ValueError:
            raise ValueError("this number has too many digits", "write a shorter one") from None
        if isinstance(number, str):
            raise ValueError(f"{raw!r} is not a number", "write it as 10, 0x10 or 1.5; or quote it if it is text")
        return Literal(number, raw, start, end)

    def words(self, raw: str, start: int, end: int) -> Literal:
        return Literal(_WORDS[raw] if raw in _WORDS else Word(raw), raw, start, end)

    def sequence(self, items: Sequence[Literal], start: int, end: int) -> Literal:
        made: list[Any] = []
        for index, item in enumerate(items):
            self._put(made, index, item)
        return Literal(made, "", start, end)

    def mapping(self, items: Sequence[tuple[Literal, Literal]], start: int, end: int) -> Literal:
        """Keys are text, as they are in YAML: numbers and values of enums are read from it.

        Raises:
            ValueError: what is wrong, what to do, and the key.
        """
        made: dict[Any, Any] = {}
        for key, value in items:
            if isinstance(key.value, list | dict):
                raise ValueError("a list or a map cannot be a key", "write text, a number or the value of an enum", key)
            name = key.value if isinstance(key.value, str) else key.raw
            if name in made:
                raise ValueError(f"the key {key.raw!r} occurs twice", "remove one of them", key)
            self._keys[id(made), name] = key
            self._put(made, name, value)
        return Literal(made, "", start, end)

    def _put(self, container: Any, key: str | int, written: Literal) -> None:
        if isinstance(container, list):
            container.append(written.value)
        else:
            container[key] = written.value
        self._parts[id(container), key] = written


def _unquoted(raw: str) -> str | bytes:
    """What text in quotes stands for, with the usual escapes."""
    is_bytes = raw[0] in "bB"
    content = raw[1 + is_bytes : -1]
    text = re.sub(_ESCAPE, _escaped, content)
    if is_bytes:
        if max(map(ord, text), default=0) > 0xFF or not content.isascii():
            raise ValueError("bytes have characters up to \\xff, those above \\x7f as escapes", "write b'\\xff'")
        return text.encode("latin-1")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise ValueError(
            "half of a surrogate pair is no character", "write the character itself, or \\U and its number"
        )
    return text


def _escaped(found: re.Match[str]) -> str:
    if found["hex"]:
        number = int(found["hex"][1:], 16)
        if number > 0x10FFFF:
            raise ValueError(f"{found[0]} is no character", "the last one is \\U0010ffff")
        return chr(number)
    if found["char"] not in _ESCAPED:
        shown = found[0] if found[0].isprintable() else "\\"
        raise ValueError(f"unknown escape '{shown}'", "write a backslash as two")
    return _ESCAPED[found["char"]]
