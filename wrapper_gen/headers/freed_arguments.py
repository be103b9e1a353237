"""Which of its arguments a function frees, or its object, as its comment says: evidence, which may be wrong."""

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
    r"(?:(?:after|once) (?:this|the) (?:call|function|method)|afterwards?)\b"
)
_FREES = r"(?:this (?:function|method|call) )?(?:also )?(?:frees|destroys|deallocates)"
_REST = r"(?: (?:itself|afterwards|and (?:all |everything )?(?:of )?its .*))?[.;!]?"
"""What may end a sentence that says that something is freed: more than that may speak of a part of it."""
_CONDITION = re.compile(
    r"\b(?:if|when|where|while|once|unless|until|as long as|otherwise|only|except)\b", re.IGNORECASE
)
_ANYHOW = re.compile(r"\beven (?:if|when|where)\b", re.IGNORECASE)
_PLAIN_NAMES = "handle|object|instance"


def freed_argument(function: CFunction, headers: Headers) -> int | None:
    """The number of the argument that the call frees, as the comment says; None where it does not speak of one.

    Of a call that is given several objects, the comment has to name the one, as its type or as its parameter.
    """
    objects = _objects(function)
    if not objects or function.doc.of_group:
        return None
    own = _class_names(function)  # which a method's own object has, too
    names = {at: _names(each, headers) - (own - {each.name.lower()}) for at, each in objects.items()}
    for words in _freed(function):
        named = [at for at, each in names.items() if words & each]
        if len(named) == 1:
            return named[0]
        if not named and len(objects) == 1 and not _is_method(function) and _may_be_any(words, function, objects):
            return next(iter(objects))
    return None


def frees_own(function: CFunction, headers: Headers) -> bool:
    """Whether a method of C++ frees the object that it is called on, as the comment says: by the name of its class, or
    as the object, where it is given no other one that may be meant."""
    if not _is_method(function) or function.doc.of_group:
        return False
    objects = _objects(function).values()
    others = set[str]().union(*(_names(each, headers) for each in objects))
    own = _class_names(function)
    for words in _freed(function):
        is_any = not objects and words <= {*_PLAIN_NAMES.split("|")}
        if (is_any or words & own) and not words & others:
            return True
    return False


def _is_method(function: CFunction) -> bool:
    return bool(function.owner) and not function.is_static


def _class_names(function: CFunction) -> set[str]:
    """The words for the object of a method of C++."""
    name = function.owner.rpartition("::")[2] if _is_method(function) else ""
    return {each.lower() for each in _WORDS.findall(name)}


def _objects(function: CFunction) -> dict[int, CParameter]:
    """The arguments that are objects, by their numbers."""
    return {at: each for at, each in enumerate(function.parameters) if _is_object(each.type)}


def _freed(function: CFunction) -> Iterator[set[str]]:
    """The words for what sentences say that it is freed, or not to be used after the call."""
    text = " ".join(_COMMAND.split(function.doc.text, maxsplit=1)[0].split())
    name = rf"((?:\w+ )?(?:{_PLAIN_NAMES})|\w+)"
    is_said = re.compile(rf"(?:note that )?(?:the|this|its|your) {name} (?:{_FREED}|{_UNUSABLE})", re.IGNORECASE)
    does = re.compile(rf"{_FREES} (?:the|this) {name}{_REST}", re.IGNORECASE)
    for sentence in _SENTENCE.split(text):
        found = is_said.match(sentence) or does.fullmatch(sentence)
        if found and not _CONDITION.search(_ANYHOW.sub("", sentence)):
            yield {each.lower() for each in _WORDS.findall(found[1])}


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
    found = {word.lower() for name in names for word in _WORDS.findall(name.rpartition("::")[2])}
    return {each for each in found if len(each) > 1} - {"struct", "const"}
