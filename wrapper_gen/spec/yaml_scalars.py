"""What a plain scalar's text stands for, by the rules of YAML 1.1; decides nothing about what a key wants.

Kept as text on purpose: timestamps and base-60 numbers (`2020-01-01`, `1:30`). Read as a number although YAML
1.1 wants a dot and a sign in it: `1e-5`, which everyone means as one.
"""

from __future__ import annotations

import re

Scalar = str | int | float | bool | None

_WORDS: dict[str, bool | None] = {
    **{spelled: True for word in ("yes", "true", "on") for spelled in (word, word.title(), word.upper())},
    **{spelled: False for word in ("no", "false", "off") for spelled in (word, word.title(), word.upper())},
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
}
_NUMBER_STARTS = frozenset("+-.0123456789")
_INTEGER = re.compile(r"[-+]?(?:(?P<b>0b[01_]+)|(?P<x>0x[0-9a-fA-F_]+)|(?P<o>0[0-7_]+)|0|[1-9][0-9_]*)")
_BASES = {"b": 2, "x": 16, "o": 8, None: 10}
_FLOAT = re.compile(r"[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?")  # and any integer
_SPECIAL = {"inf": "inf", "Inf": "inf", "INF": "inf", "nan": "nan", "NaN": "nan", "NAN": "nan"}


def plain_value(text: str) -> Scalar:
    """The value of an unquoted scalar.

    Raises:
        ValueError: a number too long to be one.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    if match := _INTEGER.fullmatch(text):
        return int(text.replace("_", ""), _BASES[match.lastgroup])
    if _FLOAT.fullmatch(text):
        return float(text.replace("_", ""))
    sign, dot, word = text.rpartition(".")
    if dot and sign in ("", "-", "+") and word in _SPECIAL and not (sign and _SPECIAL[word] == "nan"):
        return float(sign + _SPECIAL[word])
    return text


_TYPES: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "bool": (bool,),
    "int": (int,),
    "float": (float, int),
}
_TAG = "tag:yaml.org,2002:"
_TEXT_TAGS = ("!", _TAG + "str", _TAG + "timestamp")


def tagged_value(text: str, tag: str) -> Scalar:
    """The value of a scalar with an explicit tag, such as `!!str 10`.

    Raises:
        KeyError: a tag that specs do not know.
        ValueError: text that is not of that tag's type.
    """
    if tag in _TEXT_TAGS:
        return text
    types = _TYPES[tag.removeprefix(_TAG)]
    value = plain_value(text)
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        raise ValueError(text)
    return float(value) if float in types and isinstance(value, int) else value
