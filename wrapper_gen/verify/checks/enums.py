"""Values of an enum under the name of another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from wrapper_gen.headers import Headers
from wrapper_gen.model import Module
from wrapper_gen.model.enums import EnumMember
from wrapper_gen.verify.checks.subject import Doubt, words_of

NameTest = Callable[[str, str], bool]
_SHORTEST = 3
"""Letters of a word that stands for a longer one: `CUR` of `SEEK_CUR` for `CURRENT`."""


def of_enums(module: Module, headers: Headers) -> Iterator[Doubt]:
    """Values whose C++ name has the name that the spec gives another value, which has not got it."""
    known = {*headers.constants, *(value.name for enum in headers.enums.values() for value in enum.values)}
    for enum in module.enums:
        prefixes = {prefix for each in enum.members if (prefix := _prefix(each))}
        for member in enum.members:
            shown = _last(member)
            if _plain(shown).endswith(_plain(member.name)) or words_of(member.name) <= words_of(shown):
                continue
            others = [each for each in enum.members if each is not member]
            other = _other_meant(member, others, [_is_named]) or _other_meant(member, others, [_is_named, _is_like])
            if other is not None:
                what = f"{member.name} is {member.cpp}, which is what {other.name} is called in C"
                yield Doubt(enum.name, member.span, what, "give each value the C++ name of its own")
                continue
            meant = [f"{each}{member.name}" for each in prefixes if f"{each}{member.name}" in known]
            if len(meant) == 1 and shown in known and meant[0] != shown:
                what = f"{member.name} is {member.cpp}, and C has {meant[0]}"
                yield Doubt(enum.name, member.span, what, "give each value the C++ name of its own")


def _prefix(member: EnumMember) -> str:
    """What stands in C before the name of a value; empty where that is another one."""
    shown = _last(member)
    is_own = shown.endswith(f"_{member.name}")
    return shown.removesuffix(member.name) if is_own else ""


def _other_meant(member: EnumMember, others: Sequence[EnumMember], tests: Sequence[NameTest]) -> EnumMember | None:
    """Another value that the C++ name of one is the name of, while its own is not, or is the same."""

    def is_name(cpp: str, name: str) -> bool:
        return any(test(cpp, name) for test in tests)

    meant = [each for each in others if is_name(_last(member), each.name)]
    return next((each for each in meant if each.cpp == member.cpp or not is_name(_last(each), each.name)), None)


def _last(member: EnumMember) -> str:
    return member.cpp.rpartition("::")[2]


def _is_named(shown: str, name: str) -> bool:
    """Whether the last words of a name of C++ are this one."""
    return _plain(shown) == _plain(name) or _ends(shown, _plain(name))


def _is_like(shown: str, name: str) -> bool:
    """Whether a name of C++ has this one as a word, or as the beginning of its last one, or the other way round."""
    last, own = shown.rpartition("_")[2].lower(), name.lower()
    is_short = min(len(last), len(own)) >= _SHORTEST and (own.startswith(last) or last.startswith(own))
    return is_short or (len(words_of(name)) == 1 and words_of(name) <= words_of(shown) and "_" not in shown)


def _plain(name: str) -> str:
    """A name without what its spelling has of the language: `BreadthFirst` and `BREADTH_FIRST` are one."""
    return name.replace("_", "").lower()


def _ends(name: str, plain: str) -> bool:
    """Whether the last words of a name are these."""
    words = name.split("_")
    return any(_plain("_".join(words[at:])) == plain for at in range(1, len(words)))
