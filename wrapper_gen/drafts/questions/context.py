"""What all questions look at: the headers, the functions that are left, and how they use records."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any

from wrapper_gen.drafts.answers import Questions
from wrapper_gen.drafts.decisions import LibraryOptions
from wrapper_gen.drafts.documentation import doc_of
from wrapper_gen.drafts.naming import snake
from wrapper_gen.drafts.uses import RecordUse, record_of
from wrapper_gen.frozen import frozen
from wrapper_gen.headers import CFunction, CKind, Headers

_RELEASES = (
    *("free", "close", "unref", "decref", "release", "destroy", "finalize", "finish", "dispose"),
    *("free_?all", "cleanup", "end", "delete", "clear"),
)
"""What functions that release are called, the likeliest first: `branch_delete` deletes a branch on disk."""
_RELEASE = re.compile(rf"(?:^|_|(?<=[a-z0-9])(?=[A-Z]))((?i:{'|'.join(_RELEASES)}))(?=$|_|[A-Z])")
_ENDINGS = (each for each in _RELEASES if each != "end")  # `append`
_RELEASE_AT_END = re.compile(rf"({'|'.join(_ENDINGS)})(?:_[a-z0-9]{{1,2}})?$")
_STRONG = frozenset({"free", "close", "unref", "decref", "release", "destroy", "finalize", "dispose", "freeall"})
"""Those that leave nothing of the object; the others may end something else: a frame, a document, a branch."""
_TELLS = re.compile(
    r"(^|_)(get|is|has|can|count|num|number|size|len|length|time|line|column|row|pos|position|offset|index|name|type"
    r"|kind|state|reason|error)s?(_|$)"
)
"""Of what names speak that tell something."""
_NO_OBJECT = frozenset({"all", "full", "deep", "recursive", "safe", "ptr"})
"""What may stand behind a release in a name, beside the name of what it releases."""
_SAYS_IT_RELEASES = re.compile(
    r"\b(frees?|deallocates?|destroys?|disposes? of|releases? (all|the|its|any))\b", re.IGNORECASE
)
_MAKES = re.compile(
    r"(?:^|_|(?<=[a-z0-9]))(new|create|open|dopen|init|alloc|dup|copy|clone|prepare|begin|load|parse|make|start|fetch|read|blob"
    r"|New|Create|Open|Init|Alloc|Dup|Copy|Clone|Load|Make|Fetch|Parse)(?=$|_|[A-Z0-9])"
)
_MOST_LISTED = 5
_INTERNAL = re.compile(r"(^|::)(\w+_)?(detail|details|internal|impl|priv|private_)(::|$)")
"""Namespaces that are not for users."""


@frozen
class Context:
    """What questions look at."""

    options: LibraryOptions
    headers: Headers
    questions: Questions
    functions: Sequence[CFunction]
    uses: Mapping[str, RecordUse]

    @property
    def all_macros(self) -> Collection[str]:
        """Macros of any kind: an initialiser of a struct has no value that clang computes."""
        return {*self.headers.constants, *self.headers.macro_texts}

    def shown(self, record: str) -> str:
        """A record as a declaration of C names it."""
        found = self.headers.records.get(record)
        names = sorted(found.typedefs, key=lambda each: each.endswith("*")) if found and self.options.is_c else []
        return names[0].removesuffix(" *") if names else record


def rank_of_release(name: str) -> tuple[int, int]:
    """How likely a function releases what it takes: the least is the likeliest, 99 none."""
    word = (_RELEASE.search(name) or _RELEASE_AT_END.search(name) or [None, ""])[1]
    for at, each in enumerate(_RELEASES):
        if word and re.fullmatch(each, word, re.IGNORECASE):
            return at, len(name)
    return 99, len(name)


def releases(name: str) -> bool:
    """Whether a function is named as one that releases its argument."""
    return rank_of_release(name)[0] < 99


def tells_of(name: str) -> bool:
    """Whether a function is named as one that tells something of an object: `node_get_end_line`."""
    return _TELLS.search(snake(name)) is not None


class IsRelease(Enum):
    """Whether a function releases the object that it is given alone."""

    NO = "no"
    MAYBE = "maybe"
    """By its name, which may as well speak of something that the object has begun."""
    YES = "yes"


def words_of(headers: Headers, record: str) -> frozenset[str]:
    """The words of all names of a record, in lower case."""
    known = headers.records.get(record)
    names = (record, *(each.removesuffix(" *") for each in known.typedefs)) if known else (record,)
    return frozenset(word for name in names for word in snake(name).split("_"))


def is_release(function: CFunction, words: Collection[str], others: Collection[str]) -> IsRelease:
    """Whether a function releases the object that it takes: it takes that alone, and gives a status or nothing.

    `words` are those of the names of its record, which may follow in the name. `others` are the names of all functions
    that take one first: `writer_begin` tells that `writer_end` ends what that began, and not the writer.
    """
    rank = rank_of_release(function.name)[0]
    if len(function.parameters) != 1 or rank == 99 or not _gives_status(function):
        return IsRelease.NO
    is_void = function.result.kind is CKind.VOID
    if not is_void and (tells_of(function.name) or record_of(function.parameters[0].type).is_const):
        return IsRelease.NO
    found = _RELEASE.search(function.name) or _RELEASE_AT_END.search(function.name)
    assert found is not None
    rest = [each for each in snake(function.name[found.end(1) :]).split("_") if len(each) > 2]
    is_of_object = {*rest} <= {*words, *_NO_OBJECT}
    if _RELEASES[rank].replace("_?", "") in _STRONG:
        return IsRelease.YES if is_of_object else IsRelease.MAYBE
    begins = (function.name[: found.start(1)] + word + function.name[found.end(1) :] for word in _begins(found[1]))
    if not is_of_object or any(each in others for each in begins):
        return IsRelease.NO
    is_said = not function.doc.of_group and _SAYS_IT_RELEASES.search(function.doc.text)
    return IsRelease.YES if is_said else IsRelease.MAYBE


def _gives_status(function: CFunction) -> bool:
    """Whether a result can be a status; also the object itself, which is null once it is released."""
    if function.result.kind is CKind.POINTER:
        own = record_of(function.parameters[0].type).record if function.parameters else ""
        return bool(own) and record_of(function.result)[:2] == (own, 1)
    return True


def _begins(word: str) -> Iterator[str]:
    """What functions are called that begin what this word ends, in its letters."""
    for each in ("begin", "start") if word.lower() in ("end", "finish") else ():
        yield each.capitalize() if word[0].isupper() else each


def makes(name: str) -> bool:
    """Whether a function is named as one that makes what it returns."""
    return _MAKES.search(name) is not None


def is_internal(qualified: str) -> bool:
    """Whether a name of C++ lies in a namespace that is not for users: `detail`, `lib_internal`."""
    return _INTERNAL.search(qualified) is not None


def listed(names: Sequence[str]) -> str:
    """The first of these names."""
    shown = ", ".join(names[:_MOST_LISTED])
    return shown + ("…" if len(names) > _MOST_LISTED else "")


def comments(functions: Iterable[CFunction]) -> str:
    """What the header says of functions: the first sentence of each comment, a line each; their names without any."""
    each_once = {function.name: function for function in functions}
    said = {name: doc_of(f.doc, is_item=True) for name, f in each_once.items()}
    lines = [f"{name}: {sentence}" for name, sentence in said.items() if sentence]
    return "\n".join(lines) or listed(sorted(each_once))


def is_listed(name: str, patterns: Any) -> bool:
    """Whether a list of an answer has this name; its items may be patterns."""
    return any(re.fullmatch(str(each), name) for each in patterns or ())


def is_named(function: CFunction, patterns: Any) -> bool:
    """Whether such a list has a function, by its name or by the whole name with its namespaces and class."""
    return is_listed(function.name, patterns) or is_listed(function.qualified, patterns)
