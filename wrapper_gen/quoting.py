"""Values of the spec as literals and comments of each target language; one function per language and place."""

from __future__ import annotations

import re

_QUOTES_THAT_END = re.compile(r'"(?="|\Z)')  # in a docstring, together with others or with its end
_C_SPECIAL = re.compile(r'[^ -~]|["\\?]')
_C_UNREADABLE = re.compile(r"[^ -~\n]")
_END_OF_RAW = ')_"'
_C_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "?": "\\?"}


def c_string(text: str) -> str:
    """A C and C++ string literal; non-ASCII as octal bytes of its UTF-8, so no compiler's source charset matters."""
    return '"' + _C_SPECIAL.sub(_c_escape, text) + '"'


def _c_escape(match: re.Match[str]) -> str:
    char = match[0]
    octal = (f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogatepass"))
    return _C_ESCAPES.get(char) or "".join(octal)


def c_text(text: str) -> str:
    """Text of several lines as one raw string literal of C++, where that can be read; else a literal a line."""
    if _C_UNREADABLE.search(text) or _END_OF_RAW in text:
        return "\n".join(c_string(line) for line in text.splitlines(keepends=True)) or '""'
    return f'R"_({text}{_END_OF_RAW}'


def c_bool(value: bool) -> str:
    """A C++ bool, such as a template argument."""
    return "true" if value else "false"


def c_comment(text: str) -> str:
    """Text that is safe inside `/* … */` and `//` comments, one or more lines."""
    cleaned = text.replace("*/", "* /").replace("/*", "/ *").replace("\\\n", "\\ \n")
    return "\n".join(line.rstrip().rstrip("\\").rstrip() for line in printable(cleaned).splitlines())


def python_string(text: str) -> str:
    """A Python string literal, as ruff formats it: in double quotes, unless that takes more backslashes."""
    return _in_quotes(repr('"' + text)[2:-1])


def python_bytes(data: bytes) -> str:
    """The same for bytes."""
    return "b" + _in_quotes(repr(b'"' + data)[3:-1])


def _in_quotes(inside: str) -> str:
    """`inside` is escaped for single quotes."""
    if inside.count('"') > inside.count("'"):
        return f"'{inside}'"
    return '"' + inside.replace("\\'", "'").replace('"', '\\"') + '"'


def python_docstring(text: str) -> str:
    """The inside of a `\"\"\"` docstring: no escape of the text means anything, and no quote of it ends it."""
    return _QUOTES_THAT_END.sub(r'\\"', printable(text).replace("\\", "\\\\"))


def printable(text: str) -> str:
    """Without control characters, which no comment or docstring can show, nor any line break but LF."""
    if text.replace("\n", "").isprintable():
        return text
    return "\n".join("".join(map(_shown, line)) for line in text.split("\n"))


def _shown(char: str) -> str:
    if char.isprintable() or char in "\u200c\u200d":  # the joiners are part of words, and of emoji
        return char
    return {"\t": "    "}.get(char, " " if char.isspace() else "\ufffd")
