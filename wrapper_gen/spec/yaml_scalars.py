"""What a plain scalar's text stands for, by the core schema of YAML 1.2; decides nothing about what a key wants."""

from __future__ import annotations

import re

Scalar = str | int | float | bool | None

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
}
_OTHER_WORDS = {
    spelled: meant
    for meant, words in (("true", ("yes", "on")), ("false", ("no", "off")))
    for word in words
    for spelled in (word, word.title(), word.upper())
}
"""Text in YAML 1.2, booleans in YAML 1.1."""
_NUMBER_STARTS = frozenset("+-.0123456789")
_INTEGER = r"[-+]?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+|0o[0-7]+"  # compiled with the first number: many specs have none
_OTHER_NUMBER = (
    r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-9_]+|(?=[^_]*_)[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?"
    r"|(?=[^_]*_)[0-9]*\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?)"
)
"""What YAML 1.1 and 1.2 do not read as the same number: `010`, `08`, `1_000`, `0b1`, `-0x1F`."""
_FLOAT = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_SPECIAL = r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"


class TwoReadings(ValueError):
    """Readers of YAML disagree about this text; the message says what to write."""


def plain_value(text: str) -> Scalar:
    """The value of an unquoted scalar.

    Raises:
        TwoReadings: YAML 1.1, which many readers still follow, takes it for something else.
        ValueError: a number too long to be one.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        if text in _OTHER_WORDS:
            raise TwoReadings(f'write {_OTHER_WORDS[text]}; or quote it if it is text: "{text}"')
        return text
    if re.fullmatch(_INTEGER, text):
        return int(text, 0)
    if re.fullmatch(_OTHER_NUMBER, text):
        raise TwoReadings(f'write it as 10, 0x10 or 1.5; or quote it if it is text: "{text}"')
    if re.fullmatch(_FLOAT, text):
        return float(text)
    if re.fullmatch(_SPECIAL, text):
        return float(text.replace(".", ""))
    return text
