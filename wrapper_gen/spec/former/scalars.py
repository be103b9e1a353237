"""Values as YAML text, quoted where it has to be; knows no layout."""

from __future__ import annotations

import re

from wrapper_gen.spec.yaml_scalars import plain_value

FOUND = {
    dict: "a mapping",
    list: "a list",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
}
"""What a value is called; of None, nothing."""

_PLAIN_START = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`=<~]|-[^\s\-\d.,\[\]{}]")
_NEVER_PLAIN = re.compile(r": |\s#|:$|^\s|\s$|[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\U00010000-\U0010ffff]")
_NEVER_IN_BRACES = re.compile(r"[,\[\]{}?]|:$")
_ESCAPED = re.compile(r'["\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def scalar(value: object, *, is_flow: bool, style: str = "") -> str:
    """A value on one line; text that must be quoted, or was so (`style`), in quotes."""
    if not isinstance(value, str):
        return written(value)
    if style not in ("'", '"') and _is_plain(value, is_flow=is_flow):
        return value
    if style == "'" and not _ESCAPED.search(value.replace('"', "").replace("\\", "")):
        return "'" + value.replace("'", "''") + "'"
    return '"' + _ESCAPED.sub(lambda found: _SHORT.get(found[0]) or f"\\u{ord(found[0]):04x}", value) + '"'


def written(value: object) -> str:
    """A scalar without quotes."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return str(value)


def flow(value: object) -> str:
    """Any value on one line, a mapping or a list in braces or brackets."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(key, is_flow=True)}: {flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return scalar(value, is_flow=True)


def literal(text: str, indent: str, newline: str) -> str | None:
    """Text of several lines as a block; None where a block cannot say it."""
    body = text.removesuffix("\n")
    lines = body.split("\n")
    if len(lines) < 2 or text.endswith("\n\n") or lines[0][:1] in ("", " ", "\t") or _odd(body):
        return None
    head = "|" if text.endswith("\n") else "|-"
    return newline.join([head, *(indent + line if line else "" for line in lines)])


def _odd(body: str) -> bool:
    return any(not (char.isprintable() or char == "\n") for char in body) or body.endswith("\n")


def _is_plain(text: str, *, is_flow: bool) -> bool:
    if not _PLAIN_START.match(text) or _NEVER_PLAIN.search(text) or (is_flow and _NEVER_IN_BRACES.search(text)):
        return False
    try:
        return plain_value(text) == text
    except ValueError:
        return False
