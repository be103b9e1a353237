"""Which of its arguments a function frees, as its comment says: evidence, which may be wrong."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from wrapper_gen.headers.declarations import CFunction, CKind, CParameter, Headers, Type

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SENTENCE = re.compile(r"(?<=[.;!])\s+")
_COMMAND = re.compile(r"(?:^|\s)[\\@](?:param|returns?|retval|note|warning|see|sa)\b|(?:^|\s):(?:param|returns?)\b")
"""Where the words about the whole call end."""
_FREED = (
    r"(?:is|are|gets?|becomes?|will be|has been)(?: then| always| also)? "
    r"(?:freed|released|destroyed|deallocated|disposed of|consumed|invalidated|no longer valid"
    r"|invalid (?:after|afterwards|from then))\b"
)
_UNUSABLE = (
    r"(?:must|may|can|should|shall)(?: not|not) be used (?:again |any ?more |any longer )?"
    r"(?:after|once) (?:this|the) (?:call|function)\b"
)
_CONDITION = re.compile(
    r"\b(?:if|when|where|while|once|unless|until|as long as|otherwise|only|except)\b", re.IGNORECASE
)
_ANYHOW = re.compile(r"\beven (?:if|when|where)\b", re.IGNORECASE)
_PLAIN_NAMES = "handle|object|instance"


def freed_argument(function: CFunction, headers: Headers) -> int | None:
    """The number of the argument that the call frees, as the comment says; None where it does not speak of one.

    Of a call that is given several objects, the comment has to name the one, as its type or as its parameter.
    """
    objects = {at: each for at, each in enumerate(function.parameters) if _is_object(each.type)}
    if not objects or function.doc.of_group:
        return None
    text = " ".join(_COMMAND.split(function.doc.text, maxsplit=1)[0].split())
    names = {at: _names(each, headers) for at, each in objects.items()}
    for subject in _freed(text):
        words = {each.lower() for each in _WORDS.findall(subject)}
        named = [at for at, own in names.items() if words & own]
        if len(named) == 1:
            return named[0]
        if not named and len(objects) == 1 and _may_be_any(words, function, objects):
            return next(iter(objects))
    return None


def _freed(text: str) -> Iterator[str]:
    """What sentences say that it is freed, or not to be used after the call."""
    about = rf"(?:note that )?(?:the|this|its|your) ((?:\w+ )?(?:{_PLAIN_NAMES})|\w+)"
    said = re.compile(rf"{about} (?:{_FREED}|{_UNUSABLE})", re.IGNORECASE)
    for sentence in _SENTENCE.split(text):
        found = said.match(sentence)
        if found and not _CONDITION.search(_ANYHOW.sub("", sentence)):
            yield found[1]


def _may_be_any(words: Collection[str], function: CFunction, objects: Collection[int]) -> bool:
    """Whether the words may stand for the only object: `the transaction handle`; not for another parameter."""
    others = {
        word.lower()
        for at, each in enumerate(function.parameters)
        if at not in objects
        for word in _WORDS.findall(each.name)
    }
    return bool({*words} & {*_PLAIN_NAMES.split("|")}) and not {*words} & others


def _is_object(type_: Type) -> bool:
    """Whether this is the address of a struct that C may change."""
    to = type_.target if type_.kind is CKind.POINTER else None
    return to is not None and to.kind in (CKind.RECORD, CKind.VOID) and not to.is_const and to.spelling != "void"


def _names(parameter: CParameter, headers: Headers) -> set[str]:
    """The words for an argument: of its name, and of all names of its type."""
    to = parameter.type.target
    assert to is not None
    known = headers.records.get(to.name)
    names = (parameter.name, to.name, to.spelling, *(known.typedefs if known else ()))
    found = {word.lower() for name in names for word in _WORDS.findall(name)}
    return {each for each in found if len(each) > 1} - {"struct", "const"}
