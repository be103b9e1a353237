"""Which integer parameters take the values of a group of macros: by the words of comments, and by their names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from wrapper_gen.drafts.naming import snake
from wrapper_gen.drafts.questions.calls import LENGTH
from wrapper_gen.drafts.questions.context import Context
from wrapper_gen.headers import CFunction, CKind, CParameter

_FEWEST = 2  # members that a sentence about a parameter names: one alone may be what the call returns
_OF_NUMBERS = ("index", "offset", "version", "max", "min", "level")
"""Names of groups that are those of plain numbers, too."""
_OPTIONS = frozenset({"opt", "opts", "option", "options"})
_PARAM = r"[\\@]param(?:\[[^\]]*\])?\s+{0}\b(.*?)(?=[\\@](?:param|returns?|retval|note|see)\b|\n\s*\n|\Z)"


def candidates(context: Context, prefix: str, members: Collection[str]) -> dict[str, str]:
    """What may take a member, as `function.parameter`, each with the evidence."""
    found = {}
    for function in context.functions:
        for each in function.parameters:
            if is_number(each) and (why := _evidence(function, each, prefix, members, context.options.prefix)):
                found[f"{function.name}.{each.name}"] = why
    return found


def named(context: Context, patterns: Sequence[object]) -> Iterator[tuple[str, str]]:
    """The parameters that an answer lists: the keys of their functions, and their names."""
    for function in context.functions:
        for each in function.parameters:
            shown = f"{function.name}.{each.name}"
            if is_number(each) and any(shown == str(one) or re.fullmatch(str(one), shown) for one in patterns):
                yield function.key, each.name


def is_number(parameter: CParameter) -> bool:
    """Whether a parameter is an integer that can be one of a group."""
    return parameter.type.kind is CKind.INTEGER and parameter.type.size > 1 and bool(parameter.name)


def _evidence(function: CFunction, parameter: CParameter, prefix: str, members: Collection[str], library: str) -> str:
    own, text = parameter.name, "" if function.doc.of_group else function.doc.text
    if LENGTH.search(own):
        return ""
    about = re.search(_PARAM.format(re.escape(own)), text, re.DOTALL)
    if about and _members_in(about[1], members):
        return "comment"
    for sentence in re.split(r"(?<=[.;])\s", text):
        if re.search(rf"\b{re.escape(own)}\b", sentence) and len(_members_in(sentence, members)) >= _FEWEST:
            return "comment"
    words = prefix.rstrip("_").lower()
    bare = words.removeprefix(library.rstrip("_").lower()).strip("_") or words
    named = {bare, f"{bare}s", words, *(_OPTIONS if bare in _OPTIONS else ())}
    is_named = snake(own) in named and bare not in _OF_NUMBERS
    return "name" if is_named else ""


def _members_in(text: str, members: Collection[str]) -> set[str]:
    return set(re.findall(r"\w+", text)) & set(members)
