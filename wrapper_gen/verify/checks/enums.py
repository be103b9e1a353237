"""Values of an enum under the name of another one."""

from __future__ import annotations

from collections.abc import Iterator

from wrapper_gen.model import Module
from wrapper_gen.verify.checks.subject import Doubt, words_of

_SHORTEST = 3
"""Letters of a word that stands for a longer one: `CUR` of `SEEK_CUR` for `CURRENT`."""


def of_enums(module: Module) -> Iterator[Doubt]:
    """Values whose C++ name has the name that the spec gives another value, which has not got it."""
    for enum in module.enums:
        for member in enum.members:
            shown = member.cpp.rpartition("::")[2]
            if _plain(shown).endswith(_plain(member.name)) or words_of(member.name) <= words_of(shown):
                continue
            others = [each for each in enum.members if each is not member and _is_named(shown, each.name)]
            other = next((each for each in others if not _is_named(each.cpp.rpartition("::")[2], each.name)), None)
            if other is None:
                other = next((each for each in others if each.cpp == member.cpp), None)
            if other is not None:
                what = f"{member.name} is {member.cpp}, which is what {other.name} is called in C"
                yield Doubt(enum.name, member.span, what, "give each value the C++ name of its own")


def _is_named(shown: str, name: str) -> bool:
    """Whether the name of a value of C++ has this one as its last words, or as a word of its own."""
    is_last = _plain(shown) == _plain(name) or _ends(shown, _plain(name))
    last, own = shown.rpartition("_")[2].lower(), name.lower()
    is_short = min(len(last), len(own)) >= _SHORTEST and (own.startswith(last) or last.startswith(own))
    is_word = len(words_of(name)) == 1 and words_of(name) <= words_of(shown) and "_" not in shown
    return is_last or is_short or is_word


def _plain(name: str) -> str:
    """A name without what its spelling has of the language: `BreadthFirst` and `BREADTH_FIRST` are one."""
    return name.replace("_", "").lower()


def _ends(name: str, plain: str) -> bool:
    """Whether the last words of a name are these."""
    words = name.split("_")
    return any(_plain("_".join(words[at:])) == plain for at in range(1, len(words)))
