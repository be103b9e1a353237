"""Which two pointers to characters are the begin and the end of one text, by their names: `first, afterLast`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wrapper_gen.drafts.naming import snake
from wrapper_gen.drafts.types import Asked
from wrapper_gen.drafts.uses import is_chars, pointee
from wrapper_gen.headers import CParameter, Field

_END = re.compile(
    r"(.*_)?(end|limit|lim|after_?last)(_?(ptr|pos|p))?"
    r"|(.*_)?(p|s|psz|str|string|text|txt|buf|src|source|in|input|data|line|word|key|name|value|val)end"
)
"""What the end is called, whatever the begin is."""
_BEGIN = re.compile(r"(.*_)?(first|begin|beg|start)(_?(ptr|pos|p))?|b|s|p")
_ALSO_END = re.compile(r"(.*_)?(last|stop|finish|past)(_?(ptr|pos|p))?|e")
"""What the end is called only where the other one is called a begin: a text may be a last name."""


def text_ends(items: Sequence[CParameter] | Sequence[Field]) -> tuple[str, str] | None:
    """The names of a begin and an end among parameters or members, or None.

    C may read up to the end, and neither of the two need be a text of its own: no NUL has to stand there.
    """
    names = [each.name for each in items if each.name and is_chars(pointee(each.type))]
    for end in names:
        for begin in names:
            if begin != end and _are_ends(_plain(begin), _plain(end)):
                return begin, end
    return None


def what_ends_are(ends: tuple[str, str]) -> str:
    """Words for such a pair."""
    return f"{ends[0]} and {ends[1]} are the begin and the end of one text"


def refuse_text_ends(parameters: Sequence[CParameter]) -> None:
    """Refuse to take a begin and an end for two texts.

    Raises:
        Asked: there are such parameters.
    """
    if ends := text_ends(parameters):
        raise Asked(f"whether {what_ends_are(ends)}")


def _plain(name: str) -> str:
    return snake(name).strip("_").rstrip("0123456789")


def _are_ends(begin: str, end: str) -> bool:
    return _END.fullmatch(end) is not None or (
        _BEGIN.fullmatch(begin) is not None and _ALSO_END.fullmatch(end) is not None
    )
