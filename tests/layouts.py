"""Specs as text in random layouts: block and flow, quotes, comments in every place, anchors, CRLF; for tests only."""

from __future__ import annotations

import json
import random
from typing import Any

from wrapper_gen.spec.former import scalars

_KEYS = "name type doc free cpp_fn params mode length out value of when next".split()
_AWKWARD = 'a, b|x: y|it\'s|"q"|# no|a #b|{x}|[i64]|std::map<K, V>|&value|*p|-1|a?b|no|'.split("|")


class Layout:
    """Writes data as YAML; the same seed gives the same text."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self._anchors: list[tuple[str, Any]] = []
        self._count = 0

    def text(self, data: dict[str, Any]) -> str:
        """The data as one document."""
        lines = self._block(data, 0)
        text = "\n".join([*self._comments(0), *lines, *self._comments(0)]) + "\n"
        if self.random.random() < 0.1:
            text = text.rstrip("\n")
        return text.replace("\n", "\r\n") if self.random.random() < 0.2 else text

    def _comments(self, column: int) -> list[str]:
        chance = self.random.random()
        if chance < 0.15:
            return [" " * column + f"# comment {self._next()}: a - b, {{c}} 'd"]
        return [""] if chance < 0.22 else []

    def _trailing(self) -> str:
        chance = self.random.random()
        if chance < 0.12:
            return f"  # trailing {self._next()}"
        return self.random.choice([" ", "   "]) if chance < 0.16 else ""

    def _next(self) -> int:
        self._count += 1
        return self._count

    def _block(self, value: Any, column: int) -> list[str]:
        """The lines of a container in block style."""
        indent = " " * column
        lines: list[str] = []
        listed = value.items() if isinstance(value, dict) else [(None, each) for each in value]
        for key, each in listed:
            lines += self._comments(column) if lines or column else []
            head = "-" if key is None else self._key(key, is_flow=False) + ":"
            lines += self._block_item(indent + head, each, column, is_item=key is None)
        return lines

    def _block_item(self, head: str, value: Any, column: int, *, is_item: bool) -> list[str]:
        alias = self._alias(value)
        if alias:
            return [f"{head} {alias}{self._trailing()}"]
        anchor = self._anchor(value)
        as_block = self.random.random() < 0.65
        if isinstance(value, dict | list) and value and as_block:
            deeper = column + self.random.choice([2, 2, 2, 4])
            below = self._block(value, deeper)
            if is_item and not anchor and self.random.random() < 0.8:
                first = next((i for i, line in enumerate(below) if line.strip()), 0)
                if first == 0 and not below[0].lstrip().startswith("#"):
                    below[0] = head + " " * (deeper - len(head)) + below[0][deeper:]
                    return below
            return [f"{head}{anchor and ' ' + anchor}{self._trailing()}", *below]
        if isinstance(value, str) and "\n" in value and self._fits_block(value) and as_block:
            chomp = "" if value.endswith("\n") else "-"
            deeper = column + 2
            header = f"{head}{anchor and ' ' + anchor} |{chomp}{self.random.choice(['', '', '  # header'])}"
            body = value.removesuffix("\n").split("\n")
            return [header, *(" " * deeper + line if line else "" for line in body)]
        if value is None and not anchor and self.random.random() < 0.5:
            return [head + self._trailing()]
        text = self._flow(value, column + 2)
        space = self.random.choice([" ", " ", " ", "  "])
        return f"{head}{anchor and ' ' + anchor}{space}{text}{self._trailing()}".split("\n")

    def _fits_block(self, value: str) -> bool:
        return (
            value[:1] not in (" ", "\n", "\t", "")
            and not value.endswith("\n\n")
            and value.replace("\n", "").isprintable()
        )

    def _flow(self, value: Any, column: int) -> str:
        if not isinstance(value, dict | list):
            return self._scalar(value, is_flow=True)
        open_, close = "{}" if isinstance(value, dict) else "[]"
        listed = value.items() if isinstance(value, dict) else [(None, each) for each in value]
        parts = []
        for key, each in listed:
            alias = self._alias(each)
            anchor = "" if alias else self._anchor(each)
            text = alias or f"{anchor and anchor + ' '}{self._flow(each, column)}"
            parts.append(text if key is None else f"{self._key(key, is_flow=True)}: {text}")
        if not parts:
            return open_ + close
        text = open_ + self.random.choice(["", " "])
        for i, part in enumerate(parts):
            text += part
            if i + 1 < len(parts):
                text += "," + self._break(column)
        return text + self.random.choice(["", "", ",", " ", f"{self._break(column)}"]) + close

    def _break(self, column: int) -> str:
        chance = self.random.random()
        if chance < 0.7:
            return " "
        if chance < 0.8:
            return f"  # in braces {self._next()}\n{' ' * column}"
        return "\n" + " " * column

    def _key(self, key: str, *, is_flow: bool) -> str:
        return self._scalar(key, is_flow=is_flow) if self.random.random() < 0.9 else f'"{key}"'

    def _scalar(self, value: Any, *, is_flow: bool) -> str:
        if not isinstance(value, str):
            return scalars.written(value)
        plain = value.replace("_", "").replace("::", "").isalnum() and value.isascii() and not value.endswith(":")
        if plain and self.random.random() < 0.85 and scalars.scalar(value, is_flow=is_flow) == value:
            return value
        if value.isprintable() and self.random.random() < 0.4:
            return "'" + value.replace("'", "''") + "'"
        return json.dumps(value)

    def _alias(self, value: Any) -> str:
        for name, anchored in self._anchors:
            if type(anchored) is type(value) and anchored == value and self.random.random() < 0.5:
                return f"*{name}"
        return ""

    def _anchor(self, value: Any) -> str:
        if self.random.random() > 0.06 or value is None:
            return ""
        name = f"a{self._next()}"
        self._anchors.append((name, value))
        return f"&{name}"


def some_data(source: random.Random, depth: int = 0) -> Any:
    """Mappings, lists and scalars of specs' kinds."""
    chance = source.random()
    if depth < 4 and (chance < 0.45 or depth == 0):
        keys = source.sample(_KEYS, source.randint(1, 5))
        return {key: some_data(source, depth + 1) for key in keys}
    if depth < 4 and chance < 0.6:
        return [some_data(source, depth + 1) for _ in range(source.randint(0, 4))]
    return source.choice([*_AWKWARD, "lib_free", "i64", True, None, 3, "0", "two\nlines\n", "two\nlines", "a::b"])
