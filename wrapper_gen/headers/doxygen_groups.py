"""Which macros a header groups for doxygen: `@defgroup NAME Title`, `@{`, `@}`, around macros alone."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from wrapper_gen.headers.comments import spans
from wrapper_gen.headers.declarations import DoxygenGroup

_COMMAND = re.compile(
    rb"[\\@](?:(?P<kind>defgroup|addtogroup|name)[ \t]+(?P<said>[^\n]*)|(?P<open>\{)|(?P<close>\}))", re.IGNORECASE
)
_WORD = re.compile(r"\w+")


def macro_groups(extents: Mapping[str, tuple[str, int, int]]) -> dict[str, DoxygenGroup]:
    """The group of each macro that stands in one, by its key; a group that has functions or types too is none.

    Args:
        extents: the file of each declaration, and where in that it begins and ends, in bytes.
    """
    by_file: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for key, (path, start, _) in extents.items():
        by_file[path].append((start, key))
    found: dict[str, DoxygenGroup] = {}
    for path, placed in by_file.items():
        if not any(key.startswith("#define ") for _, key in placed):
            continue
        starts, groups = _groups(Path(path).read_bytes())
        inside = {key: groups[bisect_right(starts, start)] for start, key in placed}
        mixed = {at for key, (_, at) in inside.items() if not key.startswith("#define ")}
        found |= {key: group for key, (group, at) in inside.items() if group is not None and at not in mixed}
    return found


_Inside = tuple[DoxygenGroup | None, int]
"""The innermost group, and the number of it in the file."""


def _groups(text: bytes) -> tuple[list[int], list[_Inside]]:
    """Where the innermost group changes, and what it is before the first of these places and from each on."""
    starts: list[int] = []
    groups: list[_Inside] = [(None, 0)]
    open_: list[_Inside] = [groups[0]]
    named: DoxygenGroup | None = None
    number = 0
    for start, end in spans(text):
        for each in _COMMAND.finditer(text, start, end):
            if each["kind"]:
                named = _named(each["kind"].decode().lower(), each["said"].decode("utf-8", "replace"))
                continue
            if each["open"]:
                number += 1
                open_.append((named, number))
                named = None
            elif len(open_) > 1:
                open_.pop()
            starts.append(each.start())
            groups.append(open_[-1])
    return starts, groups


def _named(kind: str, said: str) -> DoxygenGroup | None:
    """The group of such a command; None where it has no name."""
    text = " ".join(re.sub(r"\*+/.*|[\\@]\{.*", "", said).split())
    words = _WORD.findall(text)
    if not words:
        return None
    if kind == "name":
        return DoxygenGroup("_".join(words).lower(), text)
    name, _, title = text.partition(" ")
    return DoxygenGroup(name, title or name)
